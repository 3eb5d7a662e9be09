//! Fits and searches in files: all saved files can be opened, and opening a file has no other effect.

use std::fs;
use std::path::Path;

use mercer::lang::eval::evaluator::Touches;
use mercer::lang::eval::host::Item;
use mercer::lang::registry;
use mercer::progress::Silent;
use mercer::session::Session;
use mercer::syntax::diagnostic::Sources;
use serde_json::Value as Json;

const DATA: &str = "let d = data(x=[0, 1, 2, 3, 4, 5, 6, 7], z=[1, 0, 2, 5, 3, 3, 7, 4], y=[1, 3, 2, 4, 4, 6, 5, 8])\n";
const SAVED: &str = "d |> condition(gp(SE(x, l=1), noise=0.1)) |> save(\"m.json\")";

/// A session that reads and writes in a folder.
struct Place {
    folder: tempfile::TempDir,
    session: Session,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut session = Session::default();
        session.folders_mut().out = folder.path().to_owned();
        session.folders_mut().script = folder.path().to_owned();
        Self { folder, session }
    }

    /// The output of a program, and whether it failed.
    fn run(&mut self, program: &str) -> (String, bool) {
        let output = self.session.run(program, "saves", &Silent);
        (output.text(), output.failed)
    }

    #[track_caller]
    fn well(&mut self, program: &str) -> String {
        let (text, failed) = self.run(program);
        assert!(!failed, "{program}\n{text}");
        text
    }

    #[track_caller]
    fn fails(&mut self, program: &str, part: &str) {
        let (text, failed) = self.run(program);
        assert!(failed && text.contains(part), "{program}\n`{part}` is not in: {text}");
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(&self.folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Changes a saved file.
    fn change(&self, name: &str, change: impl Fn(&mut Json)) {
        let path = self.path(name);
        let mut saved: Json = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        change(&mut saved);
        fs::write(path, saved.to_string()).unwrap();
    }
}

#[test]
fn opening_a_fit_reaches_nothing_outside() {
    let mut place = Place::new();
    place.well(&format!("{DATA}{SAVED}"));
    let mut texts = vec![
        "[gp(SE), reduce([1, \"f.json\"], write)][0]".to_owned(),
        "[gp(SE), (write)(1, \"f.json\")][0]".into(),
        "[gp(SE), write # c\n(1, \"f.json\")][0]".into(),
        "[gp(SE), [w(1, \"f.json\") for w in [write]]][0]".into(),
        "[gp(SE), (x -> write(x, \"f.json\"))(1)][0]".into(),
        "[gp(SE), 1 |> write(\"f.json\")][0]".into(),
        "[gp(SE), keep(\"f.json\", () -> 1)][0]".into(),
        "gp(scale(SE(x), a -> [1, write(a, \"f.json\")][0]))".into(),
        "gp(scale(SE(x), a -> [1, reduce([a, \"f.json\"], write)][0]))".into(),
        "gp(warp(SE(x), a -> [a, plot(SE, \"f.svg\")][0]))".into(),
        "gp(basis(a -> [a, json(write)]))".into(),
    ];
    for entry in registry::all().iter().filter(|entry| entry.touches != Touches::Nothing) {
        for name in entry.names() {
            texts.push(format!("[gp(SE), {name}(\"f.json\")][0]"));
            texts.push(format!("[gp(SE), map([\"f.json\"], {name})][0]"));
            texts.push(format!("[gp(SE), reduce([SE, \"f.json\"], {name})][0]"));
            texts.push(format!("gp(scale(SE(x), a -> [1, {name}(\"f.json\")][0]))"));
        }
    }
    for text in texts {
        for member in ["model", "asked"] {
            place.change("m.json", |saved| saved[member] = Json::from(text.clone()));
            let (said, failed) = place.run("load_fit(\"m.json\")");
            // a function that is never called is also harmless
            assert!(failed || member == "asked", "{text}\n{said}");
            assert_eq!(place.names(), ["m.json"], "{text}");
        }
        fs::remove_file(place.path("m.json")).unwrap();
        place.well(SAVED);
    }
}

#[test]
fn what_reaches_files_declares_it() {
    for entry in registry::all() {
        let shown = entry.signature.shown();
        let path = entry.signature.places.iter().any(|place| place.want == mercer::lang::signature::Want::Path);
        assert!(!path || entry.touches == Touches::Files, "{shown} takes a path");
        assert_eq!(registry::library().pure().find(entry.signature.name).is_some(), entry.touches == Touches::Nothing);
    }
}

#[test]
fn a_saved_text_without_end_is_ended() {
    let mut place = Place::new();
    place.well(&format!("{DATA}{SAVED}"));
    place.change("m.json", |saved| saved["model"] = Json::from("[gp(SE) for i in 0..1e15 if false][0]"));
    place.fails("load_fit(\"m.json\")", "steps");
}

#[test]
fn the_functions_of_a_saved_search_reach_nothing_outside() {
    let mut place = Place::new();
    place.well(&format!(
        "{DATA}let f = k -> k + Lin(x)\nd |> search([SE(x)], depth=1, moves=[f], budget=2000) |> save(\"s.json\")"
    ));
    place.change("s.json", |saved| {
        let moves = saved["settings"]["moves"].as_array_mut().unwrap();
        moves[0]["function"] = Json::from("k -> [k + Lin(x), reduce([1, \"f.json\"], write)][0]");
    });
    let (said, _) = place.run("resume(load_search(\"s.json\"), depth=2)");
    assert!(said.contains("failed"), "{said}");
    assert_eq!(place.names(), ["s.json"]);
}

#[test]
fn functions_with_defaults_can_be_opened() {
    let mut place = Place::new();
    place.well("let d = data(x=0..6, y=[1, 3, 2, 4, 4, 6])\nfn f(x, a=2, b=a + 1) = 1 + x^2 / (a * b)");
    for text in ["gp(basis(f))", "gp(scale(SE, f))", "gp(warp(SE, f))"] {
        place.well(&format!("let f1 = d |> fit({text}, restarts=1, maxiter=3)\nf1 |> save(\"m.json\")"));
        assert_eq!(place.well("load_fit(\"m.json\").lml == f1.lml"), "true", "{text}");
    }
}

/// Every kernel without parameters, and every baseline.
#[test]
fn all_that_is_saved_can_be_opened() {
    let families = registry::all().iter().filter(|entry| entry.is_family());
    let kernels = families.map(|entry| format!("{}(x)", entry.signature.name));
    let wraps =
        ["hkl()", "anova()", "additive()", "additive() + SE", "SE * anova()", "additive(SE)", "ARD(SE)", "deep(2, SE)"];
    let wraps = wraps.into_iter().chain(["periodic(SE, 0)"]);
    let models = ["linear()", "ridge()"];
    let texts = kernels.chain(wraps.map(String::from)).chain(models.map(String::from));
    let mut place = Place::new();
    place.well(DATA);
    for text in texts {
        place.well(&format!("let f = d |> fit({text}, restarts=1, maxiter=3)\nf |> save(\"m.json\")"));
        assert_eq!(place.well("load_fit(\"m.json\").lml == f.lml"), "true", "{text}");
        assert_eq!(place.well("str(load_fit(\"m.json\").model) == str(f.model)"), "true", "{text}");
    }
    place.well("let s = d |> search([anova(), SE], depth=1, budget=500)\ns |> save(\"s.json\")");
    assert_eq!(place.well("load_search(\"s.json\").score == s.score"), "true");
}

#[test]
fn a_fit_replaces_no_other_file() {
    let mut place = Place::new();
    place.well(DATA);
    place.well("let f = d |> condition(gp(SE(x, l=1), noise=0.1))");
    for name in ["x.csv", "self.mer", "m"] {
        fs::write(place.path(name), "kept").unwrap();
        place.fails(&format!("f |> save(\"{name}\")"), "ends in .json");
        assert_eq!(fs::read(place.path(name)).unwrap(), b"kept");
    }
    fs::write(place.path("other.json"), "[1, 2]").unwrap();
    place.fails("f |> save(\"other.json\")", "was not written by `save`");
    place.well("f |> save(\"m.json\")\nf |> save(\"m.json\")");
}

#[test]
fn a_stopped_fit_does_not_replace_a_finished_one() {
    let mut place = Place::new();
    place.well(&format!(
        "{DATA}let f = d |> fit(SE(x), restarts=1)\nf |> save(\"done.json\")\nf |> save(\"part.json\")"
    ));
    place.change("part.json", |saved| saved["ended"] = serde_json::json!({ "stopped": 3 }));
    let said = place.well("let part = load_fit(\"part.json\")");
    assert!(said.contains("stopped before its end"), "{said}");
    place.fails("part |> save(\"done.json\")", "holds finished work");
    place.well("part |> save(\"new.json\")\npart |> save(\"part.json\")\nf |> save(\"part.json\")");
}

#[test]
fn files_stay_in_the_output_folder() {
    let mut place = Place::new();
    let out = place.path("out");
    fs::create_dir(&out).unwrap();
    place.session.folders_mut().out = out.clone();
    place.well(&format!("{DATA}let f = d |> condition(gp(SE(x, l=1), noise=0.1))"));
    let whole = place.path("a").display().to_string();
    for path in ["../a", "b/../../a", &whole] {
        for call in
            ["f |> save(\"P.json\")", "d |> write(\"P.csv\")", "plot(SE(0), \"P.svg\")", "f |> report(\"P.html\")"]
        {
            place.fails(&call.replace('P', path), "outside of the output folder");
        }
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(place.folder.path(), out.join("link")).unwrap();
        place.fails("d |> write(\"link/a.csv\")", "outside of the output folder");
    }
    assert_eq!(place.names(), ["out"]);
    let inside = Path::new(&out).join("b.csv").display().to_string();
    place.well(&format!("d |> write(\"{inside}\")\nd |> write(\"x/../c.csv\")"));
}

#[test]
fn files_that_were_read_are_not_written_over() {
    let mut place = Place::new();
    let text = "x,y\n0,1\n1,3\n2,2\n";
    fs::write(place.path("d.csv"), text).unwrap();
    place.well("let d = load(\"d.csv\")");
    for program in ["d |> write(\"d.csv\")", "d |> write(\"./d.csv\")", "d |> head(1) |> write(\"d.csv\")"] {
        place.fails(program, "was loaded in this session and is not overwritten");
        assert_eq!(fs::read_to_string(place.path("d.csv")).unwrap(), text);
    }
    // a file that the session has written may be overwritten, even if it was read in between
    place.well("d |> write(\"e.csv\")\nlet e = load(\"e.csv\")\ne |> head(2) |> write(\"e.csv\")");
    assert_eq!(fs::read_to_string(place.path("e.csv")).unwrap().lines().count(), 3);
    // but not the running script, nor one that it imports
    for (name, program) in [("own.mer", "json(1) |> write(\"own.mer\")"), ("other.mer", "import \"own.mer\"")] {
        fs::write(place.path(name), program).unwrap();
        let path = place.path(name);
        let mut said = String::new();
        let mut hear = |item: Item, _: &Sources| {
            if let Item::Diagnostic(diagnostic) = item {
                said += &diagnostic.message;
            }
        };
        assert!(!place.session.run_file(&path, &Silent, &mut hear));
        assert!(said.contains("is a script of this session"), "{said}");
        assert_eq!(fs::read_to_string(place.path(name)).unwrap(), program);
    }
}

#[test]
fn files_of_earlier_versions_open_or_say_what_to_do() {
    let mut place = Place::new();
    place.well(&format!("{DATA}{SAVED}"));
    place.change("m.json", |saved| {
        saved["data"]["columns"][0]["kind"] = serde_json::json!({"date": {"resolution": "day"}});
    });
    place.fails("load_fit(\"m.json\")", "with dates as decimal years: load the data again");
    let search = "let s = d |> search([SE], depth=1, moves=[\"add\", \"periodic\"], budget=200)\nsave(s, \"s.json\")";
    place.well(search);
    place.change("s.json", |saved| {
        assert_eq!(saved["settings"]["moves"][1], "periodic");
        saved["settings"]["moves"][1] = Json::from("wind");
        for level in saved["levels"].as_array_mut().into_iter().flatten() {
            for candidate in level["candidates"].as_array_mut().into_iter().flatten() {
                let edit = candidate["edit"].as_str().unwrap_or_default().replace("periodic(", "wind(");
                candidate["edit"] = Json::from(edit);
            }
        }
    });
    assert_eq!(place.well("load_search(\"s.json\").candidates == s.candidates"), "true");
}

/// Before `inference` was an argument, deep GPs were fitted by DGPS, and files do not say so.
#[test]
fn deep_fits_of_earlier_versions_are_dgps() {
    let mut place = Place::new();
    for arguments in ["layers=2", "layers=1, prior=\"outputs\""] {
        let model = format!("standardize >> deepgp({arguments}, inducing=3, samples=2, inference=\"dgps\")");
        place.well(&format!("{DATA}let m = d |> fit({model}, restarts=1, maxiter=5)\nsave(m, \"deep.json\")"));
        place.change("deep.json", |saved| {
            let text = saved["deep_model"].as_str().unwrap().replace(", inference=\"dgps\"", "");
            saved["deep_model"] = Json::from(text);
        });
        place.well("let again = load_fit(\"deep.json\")");
        assert_eq!(place.well("again.model == m.model"), "true");
        assert_eq!(place.well("[again.model.inference, again.objective == m.objective]"), "[\"dgps\", true]");
        place.well("save(again, \"deep.json\")");
        assert_eq!(place.well("load_fit(\"deep.json\").model == m.model"), "true");
    }
}

#[test]
fn opening_an_integral_reaches_nothing_outside() {
    let mut place = Place::new();
    let saved = "integrate(x -> x^2, over=normal(0, 1), n=4) |> save(\"z.json\")";
    place.well(saved);
    for text in [
        "x -> [1, write(1, \"f.json\")][0]",
        "(x -> write(x, \"f.json\")) >> (x -> 1)",
        "x -> reduce([1, \"f.json\"], write)",
        "fetch",
    ] {
        place.change("z.json", |saved| saved["integrand"] = Json::from(text));
        place.fails("integrate(load_integral(\"z.json\"), n=2)", "does not read back");
        assert_eq!(place.names(), ["z.json"], "{text}");
    }
    for member in ["density", "kernels", "fitted_kernels"] {
        fs::remove_file(place.path("z.json")).unwrap();
        place.well(saved);
        let text = "[SE, write(1, \"f.json\")][0]";
        place.change("z.json", |saved| {
            saved[member] = if member == "density" { Json::from(text) } else { Json::from(vec![text]) };
        });
        place.fails("load_integral(\"z.json\")", "does not read back");
        assert_eq!(place.names(), ["z.json"], "{member}");
    }
}

#[test]
fn an_integral_whose_parts_do_not_fit_is_refused() {
    let mut place = Place::new();
    let saved = "integrate((x, y) -> x * y^2, over=[normal(0, 1), uniform(0, 1)], n=8) |> save(\"z.json\")";
    let changes: [(&str, Json, &str); 7] = [
        ("integral", Json::from(3.0), "it was saved with"),
        ("values", Json::from(vec![1.0, 2.0]), "is not a saved integral"),
        ("at", Json::from(vec![vec![1.0; 8]]), "is not a saved integral"),
        ("scale", Json::from("cubic"), "no scale"),
        ("density", Json::from("normal(0, 1)"), "the density has 1 inputs"),
        ("noise", Json::from(-1.0), "is not a saved integral"),
        ("fitted_kernels", Json::from(vec!["SE(z, l=1)"]), "z"),
    ];
    for (member, value, part) in changes {
        place.well(saved);
        place.change("z.json", |saved| saved[member] = value.clone());
        place.fails("load_integral(\"z.json\")", part);
        fs::remove_file(place.path("z.json")).unwrap();
    }
}

/// A file that was changed by hand is answered in words of the file, briefly.
#[test]
fn a_saved_fit_that_was_changed_says_where() {
    let mut place = Place::new();
    let long = "1".repeat(100_000);
    let values = |saved: &mut Json, value: Json| saved["data"]["columns"][0]["values"] = value;
    type Change<'c> = &'c dyn Fn(&mut Json);
    let changes: [(Change<'_>, &str); 5] = [
        (&|saved| values(saved, serde_json::json!([0, { "a": 1 }, 2])), "a value of a column is a number"),
        (&|saved| values(saved, serde_json::json!([0, long, 2])), "a value of a column is a number"),
        (&|saved| values(saved, serde_json::json!({ "a": 1 })), "is not a saved fit"),
        (&|saved| saved["lml"] = serde_json::json!([1]), "a number, \"inf\""),
        (&|saved| saved["model"] = Json::from(format!("gp(SE(x, l={long}))")), "the saved model"),
    ];
    for (change, part) in changes {
        let _ = fs::remove_file(place.path("m.json"));
        place.well(&format!("{DATA}{SAVED}"));
        place.change("m.json", change);
        let (said, failed) = place.run("load_fit(\"m.json\")");
        assert!(failed && said.contains(part) && !said.contains("untagged"), "{part}: {said}");
        assert!(said.len() < 5000, "{part}: {} bytes", said.len());
    }
}
