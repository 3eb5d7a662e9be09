//! Values as outputs of a notebook: text, and where it has more to show also SVG, HTML or LaTeX.

use std::path::Path;

use jupyter_protocol::{Media, MediaType};
use maud::html;
use mercer::describe::{Grid, decomposition_grid, parameters_grid, short_grid};
use mercer::figure::{self, Size, to_svg};
use mercer::lang::values::value::Value;
use mercer::render::without_controls;

/// A larger figure or report that was written to a file is not shown.
const LARGEST: u64 = 5 << 20;

/// A value; `number` distinguishes the figures of a notebook.
pub fn of_value(value: &Value, number: usize) -> Media {
    let text = without_controls(&value.to_string()).trim_end_matches('\n').to_owned();
    let more = match value {
        Value::Figure(figure) => to_svg(figure, Size::of(figure)).ok().map(|svg| MediaType::Svg(own(&svg, number))),
        Value::Kernel(kernel) => Some(MediaType::Latex(format!("${}$", kernel.latex()))),
        value => grid(value).and_then(|grid| table(&text, &grid)).map(MediaType::Html),
    };
    Media::new([MediaType::Plain(text)].into_iter().chain(more).collect())
}

fn own(svg: &str, number: usize) -> String {
    figure::distinct(svg, &format!("output{number}"))
}

/// The table in the text of a value.
fn grid(value: &Value) -> Option<Grid> {
    Some(match value {
        Value::Fit(fit) => parameters_grid(fit),
        Value::Decomposition(parts) => decomposition_grid(parts),
        value => short_grid(&value.to_table()?),
    })
}

/// The text with its table as HTML; `None` if it does not contain the table.
fn table(text: &str, grid: &Grid) -> Option<String> {
    let (before, after) = text.split_once(&grid.text())?;
    let align = |column: usize| if grid.is_numeric(column) { "text-align: right" } else { "text-align: left" };
    let lines = |text: &str| {
        let text = text.trim_matches('\n').to_owned();
        html! { @if !text.is_empty() { pre { (text) } } }
    };
    let page = html! {
        (lines(before))
        table {
            thead { tr { @for (i, heading) in grid.headings().iter().enumerate() { th style=(align(i)) { (heading) } } } }
            tbody {
                @for row in grid.rows() {
                    tr { @for (i, cell) in row.iter().enumerate() { td style=(align(i)) { (cell) } } }
                }
            }
        }
        (lines(after))
    };
    Some(page.into_string())
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
