//! The scripts of examples/figures/, examples/deep/ and examples/quadrature/: figures and lessons of Duvenaud's chapters
//! and appendices and of Vafa's thesis.

use std::fs;
use std::path::Path;

/// All scripts of a folder are in `tests`, and each is formatted.
fn all_are_run(folder: &str, tests: &[&str]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(folder);
    let entries = fs::read_dir(&path).expect("the scripts");
    let mut found: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    found.sort();
    assert_eq!(found, tests.iter().map(|test| format!("{test}.mer")).collect::<Vec<_>>());
    for name in found {
        let text = fs::read_to_string(path.join(&name)).expect("a script");
        assert_eq!(mercer::syntax::fmt::format(&text).as_ref(), Ok(&text), "`mercer fmt examples/{folder}/{name}`");
    }
}

macro_rules! scripts {
    ($folder:ident: $($test:ident $(: [$($set:literal),*])?;)*) => {
        mod $folder {
            use crate::docs::example_with;

            $(#[test] fn $test() {
                example_with(concat!(stringify!($folder), "/", stringify!($test), ".mer"), &[$($($set),*)?]);
            })*

            #[test]
            fn every_script_is_run_and_in_its_canonical_form() {
                super::all_are_run(stringify!($folder), &[$(stringify!($test)),*]);
            }
        }
    };
}

// Long scripts have a short form.
scripts! {
    deep:
    connected_b8;
    connected_density_b9;
    connected_feature_map_b11;
    connected_spectrum_b10;
    density_b5;
    depths_5_2: ["draws=20", "restarts=1", "maxiter=20"];
    derivatives_b2;
    draws_3_3;
    feature_map_b6;
    layers_5_6: ["sizes=[50]", "depths=1..=2", "trials=1..=2", "maxiter=10"];
    manifold_b3;
    motorcycle_5_15: ["draws=10", "inducing=10", "restarts=1", "maxiter=10"];
    motorcycle_5_16: ["inducing=[5]", "depths=1..=2", "trials=1..=2", "maxiter=10"];
    nonstationary_5_12: ["draws=10", "inducing=10", "restarts=1", "maxiter=10"];
    nonstationary_5_13: ["inducing=[5]", "depths=1..=2", "trials=1..=2", "maxiter=10"];
    pseudo_prior_5_3: ["restarts=2", "maxiter=60"];
    samples_5_10: ["samples=[2, 4]", "inducing=[5]", "trials=1..=2", "maxiter=10"];
    sigmoid_4_2;
    spectrum_b4;
    starts_5_5: ["maxiter=20"];
    step_5_1;
    trace_4_1;
}

scripts! {
    quadrature:
    buffet_a2: ["draws=300"];
    error_bars;
    evidence;
    identifiability;
    integral_a1;
    mixture_a3;
    ranking: ["rows=16", "restarts=1"];
    symmetry;
}

scripts! {
    figures:
    additive_1_4: ["side=21"];
    airline_4_6;
    base_kernels_1_1;
    components_1_6: ["share=0.06"];
    correlations_1_7: ["share=0.06"];
    depths_4_3: ["rows=36", "budget=60"];
    energy_1_9;
    extrapolation_1_5;
    isosurfaces_3_4;
    lattice_3_3;
    learning_4_7: ["shares=[0.4, 0.7]", "restarts=1"];
    manifolds_1_10: ["res=16"];
    mauna_loa_4_4: ["from=2012"];
    mobius_1_11: ["side=9", "long=21", "res=16"];
    prior_posterior;
    products_1_2;
    regression_2_3;
    samples_2_1;
    solar_4_5;
    sums_1_3;
    symmetry_1_8;
    symmetry_draft_1_4;
}

/// Every script of a figure is on the page that shows them.
#[test]
fn the_page_of_figures_names_every_script() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/figures.md")).expect("the page");
    for folder in ["figures", "deep", "quadrature"] {
        for entry in fs::read_dir(root.join("examples").join(folder)).expect("the scripts") {
            let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
            assert!(
                page.contains(&format!("(../examples/{folder}/{name})")),
                "docs/figures.md does not name {folder}/{name}"
            );
        }
    }
}
