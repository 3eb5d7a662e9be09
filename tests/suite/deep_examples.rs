//! The scripts of examples/deep/, each a figure of Duvenaud's appendix on deep Gaussian processes or of Vafa's thesis.

use std::fs;
use std::path::Path;

use crate::docs::example;

macro_rules! scripts {
    ($($test:ident;)*) => {
        $(#[test] fn $test() { example(concat!("deep/", stringify!($test), ".mer")); })*

        #[test]
        fn every_script_is_run_and_in_its_canonical_form() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/deep");
            let entries = fs::read_dir(&folder).expect("the scripts");
            let mut found: Vec<String> =
                entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
            found.sort();
            assert_eq!(found, [$(concat!(stringify!($test), ".mer")),*]);
            for name in found {
                let text = fs::read_to_string(folder.join(&name)).expect("a script");
                assert_eq!(mercer::syntax::fmt::format(&text).as_ref(), Ok(&text), "`mercer fmt examples/deep/{name}`");
            }
        }
    };
}

scripts! {
    connected_b8;
    connected_density_b9;
    connected_feature_map_b11;
    connected_spectrum_b10;
    density_b5;
    derivatives_b2;
    draws_3_3;
    feature_map_b6;
    manifold_b3;
    spectrum_b4;
}
