//! The documentation runs: every block of Mercer in README.md and in the book of docs/, every script in examples/, and
//! the generated reference of builtins.
//!
//! In a block, lines that begin with `> ` are input and the lines below them output; a block without input lines is a
//! script. Blocks are tagged `mercer`; `mercer continued` continues the session of the block before, and `mercer fails`
//! ends with an error. With `MERCER_BLESS=1` the tests write the actual output instead of comparing it.

use std::fs;
use std::path::{Path, PathBuf};

use mercer::lang::eval::host::{Folders, Item};
use mercer::lang::help;
use mercer::progress::Silent;
use mercer::render::render;
use mercer::session::{Session, Setting};
use mercer::syntax::diagnostic::Severity;
use mercer::syntax::layout::is_incomplete;

const PROMPT: &str = "> ";

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).replace("\r\n", "\n")
}

/// Compares a file with its expected content, or rewrites it.
fn hold(name: &str, expected: &str) {
    let path = path(name);
    if std::env::var_os("MERCER_BLESS").is_some() {
        return fs::write(&path, expected).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let found = read(&path);
    let first = found.lines().zip(expected.lines()).position(|(a, b)| a != b);
    let at = first.unwrap_or_else(|| found.lines().count().min(expected.lines().count()));
    let line = |text: &str| text.lines().nth(at).unwrap_or("the end of the file").to_owned();
    assert!(
        found == expected,
        "{name}, line {}: found\n  {}\nexpected\n  {}\n`MERCER_BLESS=1 cargo test --test suite docs::` rewrites it",
        at + 1,
        line(&found),
        line(expected),
    );
}

/// A session in a temporary folder.
struct Room {
    session: Session,
    _folder: tempfile::TempDir,
}

impl Room {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path().to_owned();
        let folders = Folders { script: at.clone(), data: Vec::new(), out: at };
        Self { session: Session::new(folders, 0), _folder: folder }
    }

    /// The output of a text, and whether it succeeded.
    fn run(&mut self, text: &str) -> (String, bool) {
        let mut lines = Vec::new();
        let well = self.session.run_with(text, "prompt", &Silent, &mut |item, sources| match item {
            Item::Shown(value) => lines.push(value.to_string()),
            Item::Text(text) => lines.push(text),
            Item::Wrote(path) => {
                lines.extend(path.file_name().map(|name| format!("wrote {}", name.to_string_lossy())));
            }
            Item::Diagnostic(diagnostic) => lines.push(render(&diagnostic, sources, false)),
        });
        let text: Vec<String> = lines.iter().flat_map(|text| text.lines()).map(|l| l.trim_end().to_owned()).collect();
        (text.join("\n").trim_matches('\n').to_owned(), well)
    }
}

/// A block with the actual output of its lines.
fn played(block: &[&str], room: &mut Room, fails: bool, place: &str) -> Vec<String> {
    let typed = |line: &str| line.starts_with(PROMPT) || line == PROMPT.trim_end();
    let mut check = |text: &str, last: bool| {
        let (output, well) = room.run(text);
        assert_eq!(well, !(fails && last), "{place}: {text}\n{output}");
        output
    };
    if !block.iter().any(|line| typed(line)) {
        check(&block.join("\n"), true);
        return block.iter().map(|line| line.to_string()).collect();
    }
    // each statement, and whether a blank line precedes it
    let mut statements: Vec<(bool, Vec<&str>)> = Vec::new();
    let mut blank = false;
    for line in block {
        if !typed(line) {
            blank = line.is_empty();
            continue;
        }
        let more = line.get(PROMPT.len()..).unwrap_or("");
        match statements.last_mut() {
            Some((_, text)) if !blank && (more.starts_with(' ') || is_incomplete(&text.join("\n"))) => text.push(more),
            _ => statements.push((blank, vec![more])),
        }
        blank = false;
    }
    let (mut out, mut long) = (Vec::new(), false);
    for (i, (apart, text)) in statements.iter().enumerate() {
        let output = check(&text.join("\n"), i + 1 == statements.len());
        if i > 0 && (*apart || long) {
            out.push(String::new());
        }
        out.extend(text.iter().map(|line| format!("{PROMPT}{line}").trim_end().to_owned()));
        out.extend(output.lines().map(str::to_owned));
        long = output.lines().nth(1).is_some();
    }
    out
}

/// A document with the actual output of its blocks.
fn document(name: &str) -> String {
    let text = read(&path(name));
    let lines: Vec<&str> = text.lines().collect();
    let (mut out, mut room, mut at) = (Vec::new(), Room::new(), 0);
    while at < lines.len() {
        out.push(lines[at].to_owned());
        at += 1;
        let mut tags = lines[at - 1].strip_prefix("```").unwrap_or("").split(' ');
        if tags.next() != Some("mercer") {
            continue;
        }
        let tags: Vec<&str> = tags.collect();
        let length = lines[at..].iter().position(|line| *line == "```").expect("a block that ends");
        if !tags.contains(&"continued") {
            room = Room::new();
        }
        let place = format!("{name}, line {at}");
        out.extend(played(&lines[at..at + length], &mut room, tags.contains(&"fails"), &place));
        at += length;
    }
    written(out.iter().map(|line| format!("{line}\n")).collect())
}

/// A document with the generated table of kinds between its two marks.
fn written(text: String) -> String {
    const MARKS: [&str; 2] = ["<!-- kinds: written by MERCER_BLESS=1 -->\n", "<!-- end of kinds -->\n"];
    match (text.split_once(MARKS[0]), text.split_once(MARKS[1])) {
        (Some((before, _)), Some((_, after))) => [before, MARKS[0], &help::kinds(), MARKS[1], after].concat(),
        _ => text,
    }
}

#[test]
fn the_readme_is_what_comes() {
    hold("README.md", &document("README.md"));
}

macro_rules! pages {
    ($($test:ident: $name:literal;)*) => {
        mod pages {
            $(#[test] fn $test() { super::hold($name, &super::document($name)); })*
        }

        /// The pages that are run.
        const PAGES: &[&str] = &[$($name),*];
    };
}

pages! {
    algebra: "docs/algebra.md";
    classes: "docs/classes.md";
    comparison: "docs/comparison.md";
    cookbook: "docs/cookbook.md";
    figures: "docs/figures.md";
    language: "docs/language.md";
    models: "docs/models.md";
    play: "docs/play.md";
    quadrature: "docs/quadrature.md";
    search: "docs/search.md";
    sparse_deep: "docs/sparse_deep.md";
    tutorial: "docs/tutorial.md";
}

/// The files that a text links, from the folder of the text, with the heading after `#`.
fn links(text: &str) -> Vec<(&str, &str)> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    targets.filter(|target| !target.contains("://")).map(|t| t.split_once('#').unwrap_or((t, ""))).collect()
}

/// The name of a heading in links.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    words
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[test]
fn the_summary_of_the_book_names_every_page() {
    let listed = |folder: &str| -> Vec<String> {
        let entries = fs::read_dir(path("docs").join(folder)).expect("a folder").map(|entry| entry.expect("an entry"));
        let names = entries.map(|entry| folder.to_owned() + &entry.file_name().to_string_lossy());
        names.filter(|name| name.ends_with(".md") && name != "SUMMARY.md").collect()
    };
    let mut found = [listed(""), listed("editors/")].concat();
    found.sort();
    let summary = read(&path("docs/SUMMARY.md"));
    let mut named: Vec<&str> = links(&summary).into_iter().map(|(file, _)| file).collect();
    named.sort_unstable();
    assert_eq!(found, named);
    for name in found.iter().map(|name| format!("docs/{name}")) {
        let text = read(&path(&name));
        assert!(PAGES.contains(&name.as_str()) || !text.contains("\n```mercer"), "{name} has blocks that are not run");
    }
}

#[test]
fn links_lead_to_files_and_headings() {
    let chapters: Vec<String> =
        links(include_str!("../../docs/SUMMARY.md")).into_iter().map(|(file, _)| format!("docs/{file}")).collect();
    let whole = |path: &Path| path.canonicalize().expect("a file");
    let places: Vec<PathBuf> = chapters.iter().map(|page| whole(&path(page))).collect();
    for page in chapters.iter().map(String::as_str).chain(["README.md"]) {
        let text = read(&path(page));
        let folder = path(page).parent().expect("a folder").to_owned();
        for (file, heading) in links(&text) {
            let target = if file.is_empty() { path(page) } else { folder.join(file) };
            assert!(target.exists(), "{page} links {file}, which is not there");
            // mdBook makes `a.html` of a link to `a.md`: only chapters have it, and README.md becomes index.html
            let in_book = places.contains(&whole(&target)) && !file.ends_with("README.md");
            let is_text = page != "README.md" && file.ends_with(".md");
            assert!(!is_text || in_book, "{page} links {file}, which is no page of the book");
            if !heading.is_empty() {
                let text = read(&target);
                let mut headings = text.lines().filter(|line| line.starts_with('#')).map(anchor);
                assert!(headings.any(|found| found == heading), "{page}: {file} has no heading #{heading}");
            }
        }
    }
}

/// Names in code marks that look like files of the repository must exist.
#[test]
fn the_files_that_the_internals_name_are_there() {
    let text = read(&path("docs/internals.md"));
    let roots = ["src/", "tests/", "docs/", "grammar/", ".ci/"];
    let named = text.split('`').skip(1).step_by(2).filter(|name| roots.iter().any(|root| name.starts_with(root)));
    let named: Vec<&str> = named.filter(|name| !name.contains(' ')).collect();
    assert!(named.len() > 50, "{named:?}");
    let missing: Vec<&&str> = named.iter().filter(|name| !path(name).exists()).collect();
    assert!(missing.is_empty(), "docs/internals.md names files that are not there: {missing:?}");
}

#[test]
fn the_reference_of_builtins_is_what_the_registry_writes() {
    let intro = "# Builtins\n\nEverything that can be called by name, as `mercer help NAME` shows it. Written by the \
                 registry; `MERCER_BLESS=1 cargo test --test suite docs::` rewrites this page. Arguments \
                 with a default, or shown as `name=…`, are optional; the others are required.\n\n";
    hold(
        "docs/builtins.md",
        &format!("{}\n", (intro.to_owned() + &help::reference(mercer::lang::registry::library())).trim_end()),
    );
}

/// Runs an example: it has no diagnostics other than notes, and writes every figure that it names. Returns the session.
/// The scripts in examples/tables need data that are not shipped: tests/suite/tables.rs runs them.
pub fn example(name: &str) -> Session {
    example_with(name, &[])
}

/// The same with other values of top-level names, as with `--set`.
pub fn example_with(name: &str, set: &[&str]) -> Session {
    let out = tempfile::tempdir().expect("a folder");
    let folders = Folders { out: out.path().to_owned(), ..Folders::default() };
    let mut session = Session::new(folders, 0);
    session.set(set.iter().map(|text| Setting::read(text).expect("a setting")).collect());
    let (mut shown, mut files) = (0, Vec::new());
    let well = session.run_file(&path("examples").join(name), &Silent, &mut |item, sources| match item {
        Item::Shown(_) | Item::Text(_) => shown += 1,
        Item::Wrote(path) => {
            assert!(fs::metadata(&path).is_ok_and(|file| file.len() > 0), "{}", path.display());
            files.push(path);
        }
        Item::Diagnostic(diagnostic) => {
            assert!(diagnostic.severity == Severity::Note, "{name}: {}", render(&diagnostic, sources, false));
        }
    });
    assert!(well && shown > 0, "{name}");
    let text = read(&path("examples").join(name));
    for figure in text.split('"').filter(|word| word.ends_with(".svg") || word.ends_with(".png")) {
        // the frames of an animation are numbered
        let first = figure.replace(".png", "_01.png");
        let written = |name: &str| files.iter().any(|file| file.ends_with(name));
        assert!(written(figure) || written(&first), "{name} does not write {figure}");
    }
    session
}

macro_rules! examples {
    ($($test:ident: $name:literal;)*) => {
        $(#[test] fn $test() { example($name); })*

        #[test]
        fn every_example_is_run_and_in_its_canonical_form() {
            let mut found: Vec<String> = fs::read_dir(path("examples"))
                .expect("the examples")
                .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
                .filter(|name| name.ends_with(".mer"))
                .collect();
            found.sort();
            assert_eq!(found, [$($name),*]);
            let readme = read(&path("README.md"));
            let unnamed: Vec<&String> = found.iter().filter(|name| !readme.contains(&format!("(examples/{name})"))).collect();
            assert!(unnamed.is_empty(), "README.md does not name {unnamed:?}");
            for name in found {
                let text = read(&path("examples").join(&name));
                assert_eq!(mercer::syntax::fmt::format(&text).as_ref(), Ok(&text), "`mercer fmt examples/{name}`");
            }
        }
    };
}

examples! {
    additivity: "additivity.mer";
    airline: "airline.mer";
    airline_search: "airline_search.mer";
    classification: "classification.mer";
    concrete: "concrete.mer";
    concrete_search: "concrete_search.mer";
    daily: "daily.mer";
    deep_kernels: "deep_kernels.mer";
    depth: "depth.mer";
    dropout: "dropout.mer";
    dropout_simulated: "dropout_simulated.mer";
    images: "images.mer";
    kernel_algebra: "kernel_algebra.mer";
    learnt_inputs: "learnt_inputs.mer";
    mauna_loa: "mauna_loa.mer";
    mauna_loa_search: "mauna_loa_search.mer";
    mean_functions: "mean_functions.mer";
    mercer_features: "mercer_features.mer";
    mobius: "mobius.mer";
    motorcycle: "motorcycle.mer";
    signal_and_noise: "signal_and_noise.mer";
    sums_and_products: "sums_and_products.mer";
    sunspots: "sunspots.mer";
    symmetries: "symmetries.mer";
    tour: "tour.mer";
    wide_networks: "wide_networks.mer";
}

/// How many families and builtins there are is what the registry says: no text counts them.
#[test]
fn texts_count_nothing_that_grows() {
    let numbers = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"];
    for name in ["README.md", "docs/language.md", "docs/builtins.md", "docs/internals.md"] {
        let text = read(&path(name)).to_lowercase();
        for (number, what) in numbers.iter().flat_map(|n| ["families", "kernel families", "builtins"].map(|w| (n, w))) {
            assert!(!text.contains(&format!("{number} {what}")), "{name} counts {number} {what}");
        }
        assert!(!text.contains("free unless written"), "{name}: a written number is a start");
    }
}
