//! Meshes drawn from a kernel over two inputs.

use serde_json::{Value as Json, json};

use super::json::numbers;
use super::value::{Member, Value, ValueKind};
use crate::describe;
use crate::describe::Markup;
use crate::figure::Figure;
use crate::lang::error::Res;
use crate::lang::payload::plot::{PlotError, PlotOptions};
use crate::results::SampledSurface;
use crate::surface::Format;

impl ValueKind for SampledSurface {
    const NAME: &'static str = "Surface";
    const NOUN: &'static str = "a surface";
    const MADE_BY: &'static str = "`surface(kernel)`";
    const PLOT: Option<&'static [&'static str]> = Some(&["view", "frames"]);
    const FORMATS: &'static [&'static str] = &[".obj", ".ply"];
    const MEMBERS: &'static [Member<Self>] = &[
        Member::new("shape", "the name of the surface: a torus, a cylinder, …", |drawn| {
            Value::str(drawn.surface.mesh.shape.name())
        }),
        Member::new("n", "the number of vertices", |drawn| Value::Number(drawn.surface.mesh.vertices.len() as f64)),
        Member::checked("vertices", "for each vertex its three coordinates", |drawn| {
            Value::checked_list(drawn.surface.mesh.vertices.iter().map(|p| Value::numbers(*p)))
        }),
        Member::checked("faces", "for each face the indices of its vertices, from 0", |drawn| {
            Value::checked_list(drawn.surface.mesh.faces.iter().map(|face| indices(face.corners())))
        }),
        Member::checked("places", "for each vertex the two inputs", |drawn| {
            Value::checked_list(drawn.surface.places.iter().map(|p| Value::numbers(*p)))
        }),
        Member::checked("rims", "the closed boundary curves, each as a list of its vertices", |drawn| {
            Value::checked_list(drawn.surface.mesh.rims.iter().map(|rim| indices(rim)))
        }),
        Member::new("euler", "vertices − edges + faces", |drawn| {
            Value::Number(drawn.surface.mesh.shape.euler as f64)
        }),
        Member::new(
            "gap",
            "the largest distance between draws at identified points, relative to the size of the surface",
            |drawn| Value::Number(drawn.surface.gap),
        ),
        Member::new("kernel", "the kernel that it was drawn from", |drawn| Value::Kernel(drawn.kernel.clone())),
        Member::new("seed", "the seed of the draws", |drawn| Value::Number(drawn.seed as f64)),
    ];

    fn show(&self) -> Markup {
        describe::surface(self).into()
    }

    fn json(&self) -> Json {
        let mesh = &self.surface.mesh;
        json!({
            "shape": mesh.shape.name(),
            "kernel": self.kernel.to_string(),
            "seed": self.seed,
            "vertices": mesh.vertices.iter().map(|p| numbers(p)).collect::<Vec<_>>(),
            "faces": mesh.faces.iter().map(|face| json!(face.corners())).collect::<Vec<_>>(),
            "rims": mesh.rims,
            "euler": mesh.shape.euler,
        })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        let turned = |(azimuth, elevation): (f64, f64)| (azimuth + 360.0 * options.phase, elevation);
        /// The view of the first frame of an animation, if not given.
        const START: (f64, f64) = (30.0, 25.0);
        let view = if options.phase > 0.0 { Some(options.view.unwrap_or(START)) } else { options.view };
        Ok(describe::surface_figure(self, view.map(turned)))
    }

    fn file(&self, ending: &str) -> Option<String> {
        Format::of(ending).map(|format| self.surface.text(format, &describe::surface(self)))
    }
}

fn indices(values: &[u32]) -> Res<Value> {
    Value::numbers(values.iter().map(|i| f64::from(*i)))
}
