//! Reports: what a page must never contain, whatever the names in the data, and errors of writing it.

use std::fs;
use std::path::Path;
use std::process::Command;

use mercer::lang::eval::host::Folders;
use mercer::progress::Silent;
use mercer::report::{self, Source};
use mercer::search::{Budget, Settings, search};
use mercer::session::Session;

/// A session in a temporary folder, with the output of a text.
struct Room {
    session: Session,
    folder: tempfile::TempDir,
}

impl Room {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path().to_owned();
        let session = Session::new(Folders { script: at.clone(), data: Vec::new(), out: at }, 0);
        Self { session, folder }
    }

    fn run(&mut self, text: &str) -> String {
        self.session.run(text, "test", &Silent).text()
    }

    fn page(&mut self, text: &str) -> String {
        let path = self.folder.path().join("page.html");
        // none may be there
        let _ = fs::remove_file(&path);
        let shown = self.run(&format!("{text} |> report(\"page.html\")"));
        let page = fs::read_to_string(path).unwrap_or_else(|error| panic!("{error}: {shown}"));
        if let Err(fault) = sound(&page) {
            panic!("{fault}");
        }
        page
    }
}

const VOID: [&str; 1] = ["meta"];
const TAGS: &str = "html head meta title style body header h1 h2 h3 p dl div dt dd small nav ol ul li a main section \
                    article span table thead tbody tr th td figure figcaption b i pre code math mrow mi mo mn mtext mspace \
                    msub msup svg g path line rect circle text tspan defs clipPath polygon polyline";
const ATTRIBUTES: &str = "data-label lang charset http-equiv content name class id href aria-label scope tabindex display \
                          mathvariant width height role viewBox xmlns font-family fill x y x1 y1 x2 y2 cx cy r d stroke \
                          stroke-width stroke-dasharray stroke-linecap stroke-linejoin fill-opacity stroke-opacity opacity \
                          clip-path text-anchor font-size font-weight dominant-baseline transform shape-rendering points";

/// A strict parser of markup: every tag is closed in order, every attribute is quoted, only known tags and attributes
/// occur, and there is no reference to anything outside.
fn sound(page: &str) -> Result<(), String> {
    let mut left = page.strip_prefix("<!DOCTYPE html>").ok_or("no document type")?;
    let mut open: Vec<&str> = Vec::new();
    while let Some(at) = left.find('<') {
        let text = &left[..at];
        let verbatim = open.last() == Some(&"style");
        if !verbatim && (text.contains('>') || !text.split('&').skip(1).all(is_entity)) {
            return Err(format!("bare text `{text}`"));
        }
        left = &left[at + 1..];
        if let Some(rest) = left.strip_prefix("!--") {
            left = &rest[rest.find("-->").ok_or("an open comment")? + 3..];
            continue;
        }
        let end = left.find('>').ok_or("an open tag")?;
        let tag = &left[..end];
        left = &left[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> has no opening bracket"));
            }
            continue;
        }
        let closed = tag.ends_with('/');
        let tag = tag.trim_end_matches('/').trim_end();
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        if !TAGS.split_whitespace().any(|known| known == name) {
            return Err(format!("a tag <{tag}>"));
        }
        attributes_are_sound(attributes).map_err(|fault| format!("{fault} in <{tag}>"))?;
        if !closed && !VOID.contains(&name) {
            open.push(name);
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("{open:?} stay open")) }
}

fn is_entity(after: &str) -> bool {
    ["amp;", "lt;", "gt;", "quot;", "#39;", "apos;"].iter().any(|entity| after.starts_with(entity))
}

fn attributes_are_sound(mut left: &str) -> Result<(), String> {
    while !left.trim_start().is_empty() {
        let (name, rest) = left.trim_start().split_once("=\"").ok_or_else(|| format!("`{left}`"))?;
        let (value, rest) = rest.split_once('"').ok_or_else(|| format!("`{left}`"))?;
        let outside = match name {
            "href" => !value.starts_with('#'),
            "xmlns" => value != "http://www.w3.org/2000/svg",
            "clip-path" => !value.starts_with("url(#"),
            _ => value.contains("://") || value.contains("url("),
        };
        if outside || !ATTRIBUTES.split_whitespace().any(|known| known == name) {
            return Err(format!("{name}=\"{value}\""));
        }
        left = rest;
    }
    Ok(())
}

#[test]
fn a_page_stands_by_itself() {
    let mut room = Room::new();
    let text = "let m = load(\"airline\") |> fit(Lin(year) + Per(year, p=1) * Lin(year) + SE(year), restarts=2)\nm";
    let page = room.page(text);
    let bare = page.replace("http://www.w3.org/2000/svg", "");
    for word in ["http://", "https://", "<script", "src=", "@import", "url(http", "NaN"] {
        assert!(!bare.contains(word), "{word}");
    }
    for id in ["brief", "data", "model", "parts", "whole", "residuals", "parameters", "again"] {
        assert!(page.contains(&format!("<section id=\"{id}\">")) && page.contains(&format!("href=\"#{id}\"")), "{id}");
    }
    assert!(page.contains("Content-Security-Policy") && page.contains("<math display=\"block\">"));
    // the data, three parts, the whole and the residuals; clip paths have distinct names
    assert_eq!(page.matches("<figure>").count(), 6);
    let mut ids: Vec<&str> =
        page.split(" id=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|found| found.0).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
    // the same fit gives the same bytes
    assert!(page == room.page("m"));
}

#[test]
fn what_it_says_makes_the_fit_again() {
    let mut room = Room::new();
    let csv: String = (0..30).map(|i| format!("{i},{}\n", (f64::from(i) * 0.4).sin())).collect();
    fs::write(room.folder.path().join("my data.csv"), format!("t,y\n{csv}")).expect("a file");
    let models = [
        ("load(\"nile\")", "load(&quot;nile&quot;)"),
        ("load(\"my data.csv\")", "load(&quot;my data.csv&quot;)"),
        (
            "load(\"my data.csv\", target=t, inputs=y)",
            "load(&quot;my data.csv&quot;, target=&quot;t&quot;, inputs=[&quot;y&quot;])",
        ),
        ("data(x=[0, 1, 2, 3, 4], y=[0.5, 1e-7, 2, 1, 0])", "data(x=[0, 1, 2, 3, 4], y=[0.5, 1e-7, 2, 1, 0]"),
        ("load(\"nile\") |> head(60)", "data(year=[1871, "),
    ];
    for (data, expression) in models {
        let page = room.page(&format!("let m = {data} |> fit(SE, restarts=2, seed=3)\nm"));
        assert!(page.contains(expression), "{data}");
        let scripts: Vec<String> = page
            .split("<code>let d = ")
            .skip(1)
            .filter_map(|rest| rest.split_once("</code>"))
            .map(|(text, _)| format!("let d = {}", text.replace("&quot;", "\"").replace("&gt;", ">")))
            .collect();
        assert_eq!(scripts.len(), 2);
        for script in scripts {
            let script = script.trim_end().strip_suffix("\nm").expect("a fit at its end").to_owned();
            let same = room.run(&format!("let kept = m.lml\n{script}\nabs(m.lml - kept) < 0.000001"));
            assert!(same.ends_with("true"), "{data}: {script}\n{same}");
        }
    }
    let page = room.page("load(\"concrete\") |> head(200) |> condition(SE)");
    assert!(page.contains("were made or chosen in a session"));
}

#[test]
fn names_from_data_are_harmless() {
    let mut room = Room::new();
    let evil =
        ["<script>alert(1)</script>", "\"><img src=x onerror=alert(2)>", "a&b <!-- ]]> </svg>\u{1}", "y' onload='x"];
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let header = evil.map(quoted).join(",");
    let rows: String = (0..40)
        .map(|i| {
            let kind = ["<b>", "</td>", "\"&amp;"][i % 3];
            format!("{},{},{},{}\n", i as f64 / 3.0, (i * 7) % 11, quoted(kind), (i as f64 * 0.3).sin())
        })
        .collect();
    let file = "x\"><svg onload=alert(3)>.csv";
    fs::write(room.folder.path().join(file), format!("{header}\n{rows}")).expect("a file");
    let data = "load(\"x\\\"><svg onload=alert(3)>.csv\")";
    room.run(&format!("let d = {data}"));
    let page = room.page("d |> condition(SE(0) + SE(1) + onehot(2))");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !page.contains('\u{1}'));
    let one = room.page("d |> select([0]) |> fit(SE(0) * Lin(0) + Lin(0), restarts=1)");
    assert!(one.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

#[test]
fn several_inputs_steps_and_many_rows() {
    let mut room = Room::new();
    room.run("let some, rest = load(\"concrete\") |> split(0.12, random=true)");
    let page = room.page("some |> fit(standardize >> gp(ARD(SE)), restarts=1)");
    assert!(page.contains("standardize") && page.contains("not applicable"));
    let page = room.page("some |> fit(standardize >> gp(additive(SE, order=2)), restarts=1)");
    assert!(page.contains("Parts by input") && page.contains("interactions"));
    let page = room.page("load(\"airline\") |> fit(transform(passengers=log) >> gp(Lin + Per(p=1)), restarts=1)");
    assert!(page.contains("log"));
    let text = "let d = data(x=[i / 100 for i in 0..2000], y=[sin(i / 50) + sin(37 * i) / 5 for i in 0..2000])\n\
                d |> condition(gp(SE(x, l=1, v=1) + SE(x, l=0.05, v=0.1) + Lin(x, b=1, v=1, c=0), noise=0.02, mean=0))";
    let page = room.page(text);
    assert!(page.len() < 3_000_000, "{}", page.len());
}

#[test]
fn what_cannot_be_written_is_said_and_kept() {
    let mut room = Room::new();
    room.run("let m = data(x=[0, 1, 2, 3, 4], y=[1, 3, 2, 4, 3]) |> condition(gp(SE(x, l=1, v=1), noise=0.1))");
    fs::write(room.folder.path().join("file"), "").expect("a file");
    let shown = room.run("m |> report(\"file/page.html\")");
    assert!(shown.contains("file` is a file, not a folder"), "{shown}");
    let shown = room.run("m |> report(\"page.svg\")");
    assert!(shown.contains("ends in .html"), "{shown}");
    fs::write(room.folder.path().join("page.html"), "before").expect("a file");
    locked(room.folder.path(), true);
    if fs::write(room.folder.path().join("probe"), "").is_err() {
        let shown = room.run("m |> report(\"page.html\")");
        assert!(shown.contains("not writable"), "{shown}");
        assert_eq!(fs::read_to_string(room.folder.path().join("page.html")).expect("kept"), "before");
    }
    locked(room.folder.path(), false);
    room.page("m");
}

fn locked(folder: &Path, readonly: bool) {
    let mut rights = fs::metadata(folder).expect("a folder").permissions();
    #[allow(clippy::permissions_set_readonly_false)]
    rights.set_readonly(readonly);
    fs::set_permissions(folder, rights).expect("rights");
}

#[test]
fn a_search_tells_its_way() {
    let data = mercer::data::load("lake_huron", &[], &mercer::data::Options::default()).expect("a set");
    let budget = Budget { evaluations: Some(3000), ..Budget::default() };
    let settings = Settings { depth: 3, restarts: 1, budget, ..Settings::default() };
    let found = search(&data, &settings, &Silent).expect("a search");
    let source = Source { expression: Some("load(\"lake_huron\")".into()), seed: 0 };
    let page = report::of_search(&found, &source).html();
    sound(&page).unwrap_or_else(|fault| panic!("{fault}"));
    for id in ["search", "depths", "candidates", "alternatives", "parts", "again"] {
        assert!(page.contains(&format!("<section id=\"{id}\">")), "{id}");
    }
    assert!(page.contains("search(base=[SE, Per(centred=true), Lin, RQ], depth=3, criterion=&quot;bicc&quot;, restarts=1, seed=0, budget=3000, transform=&quot;none&quot;)"));
    assert_eq!(page.matches("<h3>Depth ").count(), found.levels.len());
}

#[test]
fn a_page_says_how_to_search_again() {
    let mut room = Room::new();
    let page = room.page(
        "let s = load(\"lake_huron\") |> search([SE, Lin], depth=2, restarts=1, budget=2000, mean=\"zero\", \
         moves=[\"add\", \"drop\"], criterion=\"aic\")\ns",
    );
    let (_, rest) = page.split_once("<code>let d = ").expect("a script");
    let (script, _) = rest.split_once("</code>").expect("its end");
    let script = format!("let d = {}", script.replace("&quot;", "\"").replace("&gt;", ">"));
    let script = script.trim_end().strip_suffix("\nm").expect("a search at its end").to_owned();
    let same = room.run(&format!("{script}\nm.score == s.score and m.evaluations == s.evaluations"));
    assert!(same.ends_with("true"), "{script}\n{same}");
    let shown = room.run("s |> plot(\"depths.svg\")\ns |> plot(\"scores.svg\", show=\"scores\")");
    assert!(shown.is_empty() && room.folder.path().join("depths.svg").exists(), "{shown}");
}

/// A part on categories has a level for each, as in `plot`; figures of a report are narrow enough for a telephone, or
/// they scroll.
#[test]
fn parts_on_categories_have_their_levels_in_a_report() {
    let mut room = Room::new();
    let page = room.page(
        "let d = data(t=0..24, shop=[[\"North\", \"South\"][i - 2 * floor(i / 2)] for i in 0..24], \
         y=[sin(i / 4) + 2 * (i - 2 * floor(i / 2)) for i in 0..24])\n\
         d |> condition(gp(SE(t, l=4, v=1) + Indicator(shop, v=2), noise=0.1))",
    );
    let drawn: Vec<&str> = page.split("<svg").skip(1).filter_map(|rest| rest.split("</svg>").next()).collect();
    assert!(drawn.iter().any(|svg| svg.contains(">North<") && svg.contains(">South<")));
    assert!(page.contains("overflow-x: auto") || page.contains("overflow-x:auto"), "wide tables scroll");
}

/// The document that an installed browser makes of a page, and its log; nothing without a browser.
fn drawn_by_a_browser(page: &Path) -> Option<(String, String)> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let browser = names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok())?;
    let drawn = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", page.with_file_name("browser").display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some((text(&drawn.stdout), text(&drawn.stderr)))
}

/// If a browser is installed, it opens and draws the page without messages.
#[test]
fn a_browser_has_no_complaint() {
    let mut room = Room::new();
    let rows: String = (0..12).map(|i| format!("{i},{}\n", f64::from(i).sin())).collect();
    fs::write(room.folder.path().join("d.csv"), format!("<script>alert(1)</script>,y\n{rows}")).expect("a file");
    room.page("load(\"d.csv\") |> fit(SE(0), restarts=1)");
    let Some((dom, log)) = drawn_by_a_browser(&room.folder.path().join("page.html")) else { return };
    assert!(dom.contains("</html>") && !dom.contains("<script"), "{dom}");
    assert!(!log.contains("CONSOLE"), "{log}");
}

/// On a screen of 400 px nothing reaches beyond the right edge but what scrolls within itself.
#[test]
fn a_narrow_screen_cuts_nothing_off() {
    let mut room = Room::new();
    let page = room.page(
        "load(\"airline\") |> condition(gp(Per(year, p=1, l=1, v=1) * Lin(year, b=1949, v=1) + SE(year, l=2, v=1), noise=10))",
    );
    let escaped = page.replace('&', "&amp;").replace('"', "&quot;");
    let frame = room.folder.path().join("frame.html");
    let script = "const inside = document.querySelector('iframe').contentDocument;\
        const scrolls = (e) => e && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));\
        const over = [...inside.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > 400.5 && !scrolls(e));\
        document.title = `widest ${inside.documentElement.scrollWidth}, figures ${inside.querySelectorAll('.at-narrow svg').length}: ` + over.map((e) => e.outerHTML.slice(0, 80));";
    let text = format!(
        "<!doctype html><body onload=\"{script}\"><iframe width=400 height=800 frameborder=0 srcdoc=\"{escaped}\"></iframe></body>"
    );
    fs::write(&frame, text).expect("a file");
    let Some((dom, _)) = drawn_by_a_browser(&frame) else { return };
    let found = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap_or_default();
    let (width, rest) = found.split_once(", figures ").expect("the script has run");
    let (figures, over) = rest.split_once(": ").expect("a list");
    let width: f64 = width.trim_start_matches("widest ").parse().expect("a width");
    assert!(width <= 400.0 && figures.parse::<usize>().expect("a number") >= 3 && over.is_empty(), "{found}");
}

/// What is said of a classifier is true of classes: shares are of the latent function, and calibration is of bins.
#[test]
fn a_classifier_is_told_in_its_own_words() {
    let mut room = Room::new();
    let page = room.page(
        "let d = load(\"heart\") |> select(\"age\", \"vessels\", \"rest_bp\", \"label\") |> head(60)\n\
         let k = SE(age, l=10, v=1) + SE(vessels, l=1, v=1) + SE(rest_bp, l=30, v=1)\n\
         let m = d |> condition(gp(k, likelihood=\"bernoulli\", mean=0.1))\nm",
    );
    let shown = room.run(
        "m |> calibration |> plot(\"calibration.svg\")\nm |> decompose |> plot(\"parts.svg\")\nm |> decompose\nm |> describe",
    );
    let read = |name: &str| fs::read_to_string(room.folder.path().join(name)).expect("a figure");
    let (calibration, parts) = (read("calibration.svg"), read("parts.svg"));
    for text in [&page, &shown, &calibration, &parts] {
        for wrong in ["fitted exactly", "on the diagonal", "that of the target", "target's variance", "noise included"]
        {
            assert!(!text.contains(wrong), "`{wrong}` is said of a classifier:\n{shown}");
        }
    }
    assert!(page.contains("over that of the latent function") && page.contains("with 95 % intervals"));
    assert!(shown.contains("over that of the latent function") && parts.contains("latent function"), "{shown}");
    assert!(calibration.contains("predicted probability of 1") && calibration.contains("observed share"));
}
