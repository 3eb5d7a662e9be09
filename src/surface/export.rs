//! Surfaces in two common mesh formats.

use std::fmt::Write;

use super::Surface;
use crate::data::write::digits;

/// A format of mesh files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Wavefront OBJ: `v x y z` and `f i j k …`, counted from 1.
    Obj,
    /// Stanford PLY 1.0 in ASCII, with a fourth drawn function as `quality`.
    Ply,
}

impl Format {
    /// The format of files with this extension.
    pub fn of(ending: &str) -> Option<Self> {
        match ending.to_ascii_lowercase().as_str() {
            "obj" => Some(Self::Obj),
            "ply" => Some(Self::Ply),
            _ => None,
        }
    }
}

impl Surface {
    /// The mesh as the text of a file; `about` is written in comments. Equal points are one vertex, so that seams are
    /// closed for all programs. Numbers have the fewest digits that read back exactly.
    pub fn text(&self, format: Format, about: &str) -> String {
        let about: Vec<String> = about.lines().map(|line| line.replace(|c: char| c.is_control(), " ")).collect();
        let (vertices, faces) = (&self.mesh.vertices, &self.mesh.faces);
        let point = |p: &[f64; 3]| p.map(digits).join(" ");
        let mut out = String::new();
        let mut line = |text: std::fmt::Arguments<'_>| {
            // Writing to a string does not fail.
            let _ = writeln!(out, "{text}");
        };
        match format {
            Format::Obj => {
                about.iter().for_each(|text| line(format_args!("# {text}")));
                vertices.iter().for_each(|p| line(format_args!("v {}", point(p))));
                for face in faces {
                    let corners: Vec<String> = face.corners().iter().map(|i| (i + 1).to_string()).collect();
                    line(format_args!("f {}", corners.join(" ")));
                }
            }
            Format::Ply => {
                line(format_args!("ply\nformat ascii 1.0"));
                about.iter().for_each(|text| line(format_args!("comment {text}")));
                line(format_args!("element vertex {}", vertices.len()));
                ["x", "y", "z", "quality"].iter().for_each(|name| line(format_args!("property double {name}")));
                line(format_args!("element face {}\nproperty list uchar int vertex_indices\nend_header", faces.len()));
                for (p, shade) in vertices.iter().zip(&self.shade) {
                    line(format_args!("{} {}", point(p), digits(*shade)));
                }
                for face in faces {
                    let corners: Vec<String> = face.corners().iter().map(ToString::to_string).collect();
                    line(format_args!("{} {}", corners.len(), corners.join(" ")));
                }
            }
        }
        out
    }
}
