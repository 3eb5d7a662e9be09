//! Values as outputs of a notebook: text, and where it has more to show also SVG, HTML or LaTeX.

use std::path::Path;

use jupyter_protocol::{Media, MediaType};
use maud::html;
use mercer::describe::{Grid, Markup, Piece};
use mercer::figure::{self, Size, to_svg};
use mercer::lang::values::value::Value;
use mercer::render::without_controls;

use crate::terminal::in_short;

/// A larger figure or report that was written to a file is not shown.
const LARGEST: u64 = 5 << 20;

/// The style of lines beside tables: their columns stand below one another, and they break between words.
const LINES: &str = "font-family: var(--jp-code-font-family, monospace); white-space: pre-wrap; word-break: normal";

/// A matrix with longer lines is shown in short.
const COLUMNS: usize = 100;

/// A value; `number` distinguishes the figures of a notebook.
pub fn of_value(value: &Value, number: usize) -> Media {
    let markup = value.markup();
    let more = match value {
        Value::Figure(figure) => to_svg(figure, Size::of(figure)).ok().map(|svg| MediaType::Svg(own(&svg, number))),
        Value::Kernel(kernel) => Some(MediaType::Latex(format!("${}$", kernel.latex()))),
        _ => markup.has_table().then(|| MediaType::Html(page(&markup))),
    };
    Media::new([MediaType::Plain(plain(value, &markup))].into_iter().chain(more).collect())
}

fn own(svg: &str, number: usize) -> String {
    figure::distinct(svg, &format!("output{number}"))
}

/// The text of a value; that of a wide matrix in short.
pub fn text(value: &Value) -> String {
    plain(value, &value.markup())
}

fn plain(value: &Value, markup: &Markup) -> String {
    let whole = without_controls(&markup.to_string()).trim_end_matches('\n').to_owned();
    in_short(value, &whole, COLUMNS).unwrap_or(whole)
}

/// A text with its tables as HTML.
fn page(markup: &Markup) -> String {
    let mut page = String::new();
    // the lines between two tables
    let mut lines: Vec<&str> = Vec::new();
    let show_lines = |page: &mut String, lines: &mut Vec<&str>| {
        let text = lines.join("\n");
        let text = without_controls(text.trim_matches('\n'));
        if !text.is_empty() {
            page.push_str(&html! { pre style=(LINES) { (text) } }.into_string());
        }
        lines.clear();
    };
    for piece in markup.pieces() {
        match piece {
            Piece::Lines(text) => lines.push(text),
            Piece::Table(grid) => {
                show_lines(&mut page, &mut lines);
                page.push_str(&table(grid));
            }
        }
    }
    show_lines(&mut page, &mut lines);
    page
}

fn table(grid: &Grid) -> String {
    let align = |column: usize| if grid.is_numeric(column) { "text-align: right" } else { "text-align: left" };
    let page = html! {
        table {
            thead { tr { @for (i, heading) in grid.headings().iter().enumerate() {
                th style=(align(i)) { (without_controls(heading)) }
            } } }
            tbody {
                @for row in grid.rows() {
                    tr { @for (i, cell) in row.iter().enumerate() { td style=(align(i)) { (without_controls(cell)) } } }
                }
            }
        }
    };
    page.into_string()
}

/// A file that was written, if it is a figure in SVG, or a report, which is shown in a frame of its own.
pub fn of_file(path: &Path, number: usize) -> Option<Media> {
    let kind = path.extension()?.to_str()?.to_ascii_lowercase();
    let small = || std::fs::metadata(path).is_ok_and(|data| data.len() <= LARGEST);
    let text = || if small() { std::fs::read_to_string(path).ok() } else { None };
    let shown = match kind.as_str() {
        "svg" => MediaType::Svg(own(&text()?, number)),
        "html" | "htm" => {
            let style = "width: 100%; height: 40em; border: 0";
            MediaType::Html(html! { iframe srcdoc=(text()?) style=(style) sandbox="" title="report" {} }.into_string())
        }
        _ => return None,
    };
    Some(Media::new(vec![shown, MediaType::Plain(wrote(path))]))
}

/// The remark on a file that was written.
pub fn wrote(path: &Path) -> String {
    format!("wrote {}", without_controls(&path.display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer::progress::Silent;
    use mercer::session::Session;

    fn shown(text: &str) -> Vec<MediaType> {
        let mut session = Session::default();
        let value = session.value_of(text, "test", &Silent).unwrap();
        of_value(&value, 3).content
    }

    #[test]
    fn kernels_are_formulas() {
        let [MediaType::Plain(text), MediaType::Latex(latex)] = &shown("SE(year) + Lin(year)")[..] else { panic!() };
        assert_eq!(text, "SE(year) + Lin(year)");
        assert_eq!(latex, r"$\mathrm{SE}_{\mathrm{year}} + \mathrm{Lin}_{\mathrm{year}}$");
    }

    #[test]
    fn tables_are_html_and_their_text_is_escaped() {
        let shown = shown("data(a=[\"<b>\", \"c\"], b=[1, 2]) |> select(a, b)");
        let [MediaType::Plain(_), MediaType::Html(page)] = &shown[..] else { panic!("{shown:?}") };
        assert!(page.contains("<table>") && !page.contains("<b>"), "{page}");
        assert_eq!(super::tests::shown("1 + 1").len(), 1);
    }

    #[test]
    fn results_with_tables_are_html() {
        let start = "let d = data(x=[0, 1, 2, 3, 4, 5, 6, 7, 8], y=[0, 1, 0, 2, 1, 3, 2, 4, 3], target=y)\n\
                     let m = d |> fit(SE, restarts=1)\nlet l = d |> fit(Lin, restarts=1)\n";
        for (text, cell) in [
            ("summary(d)", "missing"),
            ("d", "x"),
            ("m", "parameter"),
            ("compare([m, l])", "ΔBIC"),
            ("score(m)", "value"),
            ("crossval(d, SE, folds=2)", "fold"),
            ("d |> search(depth=1, base=[SE, Lin])", "best so far"),
            ("m |> checks", "statistic"),
            ("m |> predict(0..3, n=3)", "mean"),
            ("[m, l]", "parameter"),
            ("motifs()", "expression"),
        ] {
            let shown = shown(&format!("{start}{text}"));
            let [MediaType::Plain(plain), MediaType::Html(page)] = &shown[..] else { panic!("{text}: {shown:?}") };
            let heading = format!(">{cell}</th>");
            assert!(page.contains(&heading) && plain.contains('─') && !page.contains('─'), "{text}: {page}");
        }
    }

    #[test]
    fn a_wide_matrix_is_shown_in_short() {
        let shown = shown("gram(SE(0, l=1), [x for x in 0..40])");
        let [MediaType::Plain(text)] = &shown[..] else { panic!("{shown:?}") };
        assert!(text.contains("40 × 40 numbers in short") && text.lines().all(|line| line.chars().count() <= COLUMNS));
    }

    #[test]
    fn reports_are_shown_in_a_frame() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report.HTML");
        std::fs::write(&file, "<p class=\"a\">1 < 2</p>").unwrap();
        let shown = of_file(&file, 1).unwrap().content;
        let [MediaType::Html(page), MediaType::Plain(text)] = &shown[..] else { panic!("{shown:?}") };
        assert!(page.contains("srcdoc=\"&lt;p class=&quot;a&quot;&gt;1 &lt; 2&lt;/p&gt;\""), "{page}");
        assert!(text.starts_with("wrote "));
        assert!(of_file(&folder.path().join("none.html"), 1).is_none());
    }

    #[test]
    fn figures_are_svg_with_names_of_their_own() {
        let shown = shown("plot(SE(0, l=1), x=0..3)");
        let [MediaType::Plain(_), MediaType::Svg(svg)] = &shown[..] else { panic!("{shown:?}") };
        assert!(svg.contains("<svg") && !svg.contains("id=\"axes-"), "{svg}");
    }
}
