//! Dates in files, on axes, in reports, and in parameters.

use std::fs;

use mercer::lang::eval::host::Folders;
use mercer::progress::Silent;
use mercer::session::Session;

/// A session in a folder of its own.
struct Place {
    session: Session,
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path().to_owned();
        Self { session: Session::new(Folders { script: at.clone(), data: Vec::new(), out: at }, 0), folder }
    }

    #[track_caller]
    fn says(&mut self, program: &str) -> String {
        let output = self.session.run(program, "calendar", &Silent);
        assert!(!output.failed, "{program}\n{}", output.text());
        output.text()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).expect("a file")
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).expect("a file");
    }
}

/// The texts of a picture, in order.
fn texts(svg: &str) -> Vec<&str> {
    let inside = svg.split("</text>").filter_map(|piece| piece.rsplit_once('>'));
    inside.map(|(_, text)| text).filter(|text| !text.is_empty()).collect()
}

/// Three stamps a quarter of an hour apart are told apart in tables, files and figures.
#[test]
fn times_of_one_hour_are_told_apart() {
    let mut place = Place::new();
    place.write("t.csv", "when,y\n2012-05-01 10:00,1\n2012-05-01 10:15,2\n2012-05-01 10:30,3\n");
    let shown = place.says("let d = load(\"t.csv\")\nd\nd |> write(\"out.csv\")\nd |> plot(\"out.svg\")");
    let svg = place.read("out.svg");
    for stamp in ["2012-05-01T10:00:00", "2012-05-01T10:15:00", "2012-05-01T10:30:00"] {
        assert!(shown.contains(stamp), "{shown}");
    }
    assert_eq!(place.read("out.csv"), "when,y\n2012-05-01T10:00:00,1\n2012-05-01T10:15:00,2\n2012-05-01T10:30:00,3\n");
    let texts = texts(&svg);
    for tick in ["2012-05-01 10:00", "10:15", "10:30"] {
        assert!(texts.contains(&tick), "{texts:?}");
    }
}

/// A forecast with covariates out of a file: dates in its CSV file, and on the axis of its figure.
#[test]
fn forecasts_from_files_keep_their_dates() {
    let mut place = Place::new();
    place.write("future.csv", "date,temp,shop\n2024-01-07,1,b\n2024-01-08,3,b\n2024-01-09,2,a\n");
    place.says(
        "let d = data(date=[\"2024-01-01\", \"2024-01-02\", \"2024-01-03\", \"2024-01-04\", \"2024-01-05\", \"2024-01-06\"],\n\
         temp=[1, 3, 2, 4, 3, 5], shop=[\"a\", \"b\", \"a\", \"b\", \"a\", \"b\"], y=[1, 2, 3, 2, 3, 4])\n\
         let parts = SE(date, l=\"3 days\", v=1) + SE(temp, l=2, v=1) + onehot(shop, l=1, v=1)\n\
         let m = d |> condition(gp(parts, noise=0.1, mean=2))\n\
         let p = m |> predict(\"future.csv\", quantiles=[0.05, 0.95])\n\
         p |> write(\"p.csv\")\n\
         p |> plot(\"p.svg\")\n\
         p |> plot(\"p.png\")",
    );
    let csv = place.read("p.csv");
    let first: Vec<&str> = csv.lines().map(|line| line.split(',').next().unwrap_or_default()).collect();
    assert_eq!(first, ["date", "2024-01-07", "2024-01-08", "2024-01-09"]);
    assert!(csv.lines().next().is_some_and(|head| head.ends_with("q0.05,q0.95")), "{csv}");
    let svg = place.read("p.svg");
    let texts = texts(&svg);
    assert!(texts.contains(&"2024-01-01") && texts.contains(&"01-09") && texts.contains(&"date"), "{texts:?}");
    assert!(texts.iter().any(|text| text.starts_with("band")), "{texts:?}");
    assert!(fs::read(place.folder.path().join("p.png")).expect("a picture").starts_with(b"\x89PNG"));
}

/// Descriptions and reports write dates as dates, and lengths in words; a level for each category.
#[test]
fn reports_write_dates() {
    let mut place = Place::new();
    let text = place.says(
        "let days = [day for day in \"2023-01-01\"..\"2023-03-12\"]\n\
         let d = data(date=days, shop=[[\"N\", \"S\"][i - 2 * floor(i / 2)] for i in 0..70],\n\
         y=[(if i > 30 then 3 else 0) + cos(2 * pi * i / 7) + i - 2 * floor(i / 2) + sin(91 * i^2) / 9 for i in 0..70])\n\
         let jump = changepoint(Const(v=4), Const(v=4), date, at=\"2023-02-01\", width=\"1 day\")\n\
         let k = jump + Per(date, p=\"1 week\", l=1, v=1, centred=true) + Indicator(shop, v=1)\n\
         let m = d |> condition(gp(k, noise=0.05, mean=0))\n\
         m |> report(\"r.html\")\n\
         m |> describe",
    );
    for part in ["2023-02-01", "week"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let page = place.read("r.html");
    for part in ["2023-02-01", "2023-01-01", "week", ">N<", ">S<"] {
        assert!(page.contains(part), "{part} is not in the report");
    }
    // decimal years and seconds since the origin are nowhere
    let shown = page.split("<code>").next().unwrap_or_default();
    for part in ["2023.0", "2023.1", "19358", "1675"] {
        assert!(!shown.contains(part), "{part} is in the report");
    }
}
