//! The canonical form of a program: spaces, line breaks and indents change; words, signs and comments do not.
//!
//! The formatter works on tokens rather than on the tree, so it cannot change the meaning of a program, and a comment
//! stays between the same tokens. Text that cannot be parsed is not changed.

use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use super::diagnostic::Diagnostic;
use super::layout::{Layout, Piece, lay_out};
use super::parse::parse_layout;
use super::scan::{Token, TokenKind};
use super::span::SourceId;

/// Wider statements are broken over several lines if possible.
const WIDTH: usize = 100;
const INDENT: usize = 2;

/// Formats a program. Formatting twice gives the same text. The error is the first syntax error.
pub fn format(text: &str) -> Result<String, Diagnostic> {
    let layout = lay_out(text, SourceId::default());
    if let Some(fault) = parse_layout(&layout, SourceId::default()).diagnostics.into_iter().next() {
        return Err(fault);
    }
    let mut page = Page { out: String::with_capacity(text.len()), breaks: 0, after_statement: false };
    let mut index = 0;
    for piece in &layout.pieces {
        page.between(text, &layout.tokens[index..piece.tokens.start]);
        page.line();
        Writer::new(text, &layout, piece).write(&mut page.out);
        page.after_statement = true;
        index = piece.tokens.end;
    }
    page.between(text, &layout.tokens[index..]);
    if !page.out.is_empty() {
        page.out.push('\n');
    }
    Ok(page.out)
}

/// The program as a list of statements and comments.
struct Page {
    out: String,
    /// The number of line breaks in the source since the last statement or comment.
    breaks: usize,
    after_statement: bool,
}

impl Page {
    /// Starts a line; at most one blank line is kept.
    fn line(&mut self) {
        if !self.out.is_empty() {
            self.out.push_str(if self.breaks > 1 { "\n\n" } else { "\n" });
        }
        self.breaks = 0;
    }

    /// The space before a comment that follows a statement. A comment aligned with others in a column stays in its
    /// column.
    fn aside(&mut self, before: &str) {
        let column = |text: &str| text.rsplit('\n').next().unwrap_or("").width();
        let set_off = before.ends_with("   ") && column(before) <= WIDTH;
        let gap = if set_off { column(before).saturating_sub(column(&self.out)).max(2) } else { 2 };
        self.out.extend(std::iter::repeat_n(' ', gap));
    }

    /// The tokens between two statements: comments, line breaks, semicolons.
    fn between(&mut self, text: &str, tokens: &[Token]) {
        for token in tokens {
            match token.kind {
                TokenKind::Break => self.breaks += 1,
                TokenKind::Comment => {
                    if self.breaks == 0 && self.after_statement {
                        self.aside(&text[..token.start]);
                    } else {
                        self.line();
                    }
                    self.out.push_str(token.text(text).trim_end());
                    self.after_statement = false;
                }
                _ => {}
            }
        }
    }
}

/// One comment inside a statement.
struct Remark<'a> {
    text: &'a str,
    /// Whether it is the first on its line.
    alone: bool,
}

/// A token of a statement, and how it is written after the previous one.
struct Item<'a> {
    text: &'a str,
    kind: TokenKind,
    remarks: Vec<Remark<'a>>,
    /// Whether the source has a line break before it.
    broken: bool,
    space: bool,
    /// The number of brackets around it; a bracket is outside itself.
    depth: usize,
    /// For an opening bracket, the index of its closing bracket.
    close: usize,
    /// The columns at which it starts and ends if the statement is one line.
    columns: Range<usize>,
}

struct Writer<'a> {
    items: Vec<Item<'a>>,
    /// The number of remarks before each item.
    remarks_before: Vec<usize>,
    /// The next opening bracket at or after each item.
    next_open: Vec<usize>,
}

impl<'a> Writer<'a> {
    fn new(text: &'a str, layout: &Layout, piece: &Piece) -> Self {
        let mut items: Vec<Item<'a>> = Vec::new();
        let (mut remarks, mut broken, mut open) = (Vec::new(), false, Vec::new());
        for token in &layout.tokens[piece.tokens.clone()] {
            let word = token.text(text);
            match token.kind {
                TokenKind::Comment => remarks.push(Remark { text: word.trim_end(), alone: broken }),
                TokenKind::Break => broken = true,
                _ => {
                    if token.kind == TokenKind::Close {
                        // A comma before a closing bracket is redundant.
                        if let Some(comma) = items.pop_if(|last| last.kind == TokenKind::Comma) {
                            remarks.splice(0..0, comma.remarks);
                        }
                        if let Some(at) = open.pop() {
                            let here = items.len();
                            let opening: &mut Item = &mut items[at];
                            opening.close = here;
                        }
                    }
                    let depth = open.len();
                    if token.kind == TokenKind::Open {
                        open.push(items.len());
                    }
                    let remarks = std::mem::take(&mut remarks);
                    let (kind, close, columns) = (token.kind, items.len(), 0..0);
                    items.push(Item { text: word, kind, remarks, broken, space: false, depth, close, columns });
                    broken = false;
                }
            }
        }
        let mut writer = Writer { items, remarks_before: vec![0], next_open: Vec::new() };
        writer.measure();
        writer
    }

    fn measure(&mut self) {
        let (mut column, mut count) = (0, 0);
        for index in 0..self.items.len() {
            let space = index > 0 && self.space_before(index);
            let item = &mut self.items[index];
            item.space = space;
            let start = column + usize::from(space);
            column = start + item.text.width();
            item.columns = start..column;
            count += item.remarks.len();
            self.remarks_before.push(count);
        }
        let mut next = self.items.len();
        self.next_open = vec![next; self.items.len() + 1];
        for index in (0..self.items.len()).rev() {
            if self.items[index].kind == TokenKind::Open {
                next = index;
            }
            self.next_open[index] = next;
        }
    }

    /// Whether an operand ends with an item, so that a bracket after it is a call and a minus is binary.
    fn ends_operand(&self, index: usize) -> bool {
        let item = &self.items[index];
        match item.kind {
            TokenKind::Number | TokenKind::Str | TokenKind::Close => true,
            TokenKind::Word => !matches!(
                item.text,
                "let" | "fn" | "import" | "if" | "then" | "else" | "for" | "in" | "and" | "or" | "not"
            ),
            _ => false,
        }
    }

    /// Whether it is a unary minus.
    fn is_sign(&self, index: usize) -> bool {
        self.items[index].text == "-" && (index == 0 || !self.ends_operand(index - 1))
    }

    /// Whether an item is written without spaces on both sides.
    fn is_tight(&self, index: usize) -> bool {
        let item = &self.items[index];
        item.kind == TokenKind::Op
            && (matches!(item.text, "." | ".." | "..=" | "^") || (item.text == "=" && item.depth > 0))
    }

    fn space_before(&self, index: usize) -> bool {
        let (before, item) = (&self.items[index - 1], &self.items[index]);
        if item.text == "." && before.kind == TokenKind::Number {
            return true;
        }
        let joined = matches!(item.kind, TokenKind::Comma | TokenKind::Close)
            || before.kind == TokenKind::Open
            || (item.kind == TokenKind::Open && self.ends_operand(index - 1))
            || self.is_tight(index)
            || self.is_tight(index - 1)
            || self.is_sign(index - 1);
        !joined
    }

    fn write(&self, out: &mut String) {
        let mut pen = Pen { out, column: 0, indent: 0 };
        self.range(&mut pen, 0..self.items.len(), 0);
    }

    fn has_remarks(&self, range: Range<usize>) -> bool {
        self.remarks_before[range.end] > self.remarks_before[range.start]
    }

    /// The signs at which a range of items is broken if necessary: pipes, or else compositions.
    fn joints(&self, range: &Range<usize>) -> Vec<usize> {
        let Some(depth) = self.items.get(range.start).map(|item| item.depth) else { return Vec::new() };
        let found = |sign: &str| {
            let here = |index: &usize| self.items[*index].depth == depth && self.items[*index].text == sign;
            range.clone().skip(1).filter(here).collect::<Vec<_>>()
        };
        let pipes = found("|>");
        if pipes.is_empty() { found(">>") } else { pipes }
    }

    /// Writes a statement, or one item of a bracket that is broken over lines.
    fn range(&self, pen: &mut Pen, range: Range<usize>, indent: usize) {
        if range.is_empty() {
            return;
        }
        let (depth, whole) = (self.items[range.start].depth, self.items.len() == range.len());
        let width = self.items[range.end - 1].columns.end - self.items[range.start].columns.start;
        let mut joints = self.joints(&range);
        let broken = |joint: &usize| {
            self.items[*joint].text == "|>"
                && (self.items[*joint].broken || self.items.get(joint + 1).is_some_and(|next| next.broken))
        };
        let remarked = range.clone().skip(1).any(|i| self.items[i].depth == depth && !self.items[i].remarks.is_empty());
        let must_break = pen.column + width > WIDTH || remarked || (whole && joints.iter().any(broken));
        if !must_break {
            joints.clear();
        }
        let mut joints = joints.into_iter().peekable();
        let mut index = range.start;
        while index < range.end {
            if index > range.start {
                let joint = joints.next_if_eq(&index).is_some();
                self.gap(pen, index, joint, indent + INDENT);
            }
            let item = &self.items[index];
            pen.write(item.text);
            let end = joints.peek().map_or(range.end, |joint| *joint);
            if item.kind == TokenKind::Open && self.must_open(pen.column, index, end) {
                self.bracket(pen, index, pen.indent);
                index = item.close;
            }
            index += 1;
        }
    }

    /// Whether the bracket that was just written, up to `column`, has its items on separate lines.
    fn must_open(&self, column: usize, open: usize, end: usize) -> bool {
        let close = self.items[open].close;
        if self.has_remarks(open + 1..close + 1) {
            return true;
        }
        // What follows the bracket stays on its line up to the next position of a possible break.
        let last = self.next_open[close].min(end.max(close + 1)).max(close + 1) - 1;
        let width = self.items[last].columns.end - self.items[open].columns.end;
        close > open + 1 && column + width > WIDTH
    }

    /// Writes the items of a bracket on separate lines, and the closing bracket.
    fn bracket(&self, pen: &mut Pen, open: usize, indent: usize) {
        let close = self.items[open].close;
        let inner = open + 1..close;
        let depth = self.items[open].depth + 1;
        let local = |index: &usize| self.items[*index].depth == depth;
        let comprehension = inner.clone().filter(local).any(|index| self.items[index].text == "for");
        let commas = inner.clone().filter(local).filter(|&i| self.items[i].kind == TokenKind::Comma && !comprehension);
        let mut start = inner.start;
        for end in commas.chain([close]) {
            if start < end {
                self.gap(pen, start, true, indent + INDENT);
                self.range(pen, start..end, indent + INDENT);
            }
            if end < close {
                self.gap(pen, end, false, indent + INDENT);
                pen.write(self.items[end].text);
            }
            start = end + 1;
        }
        self.remarks(pen, close, indent + INDENT);
        pen.line(indent);
        pen.write(self.items[close].text);
    }

    /// Writes the gap before an item: its remarks, then a line break or a space.
    fn gap(&self, pen: &mut Pen, index: usize, line: bool, indent: usize) {
        let item = &self.items[index];
        self.remarks(pen, index, indent);
        if line || !item.remarks.is_empty() {
            pen.line(indent);
        } else if item.space {
            pen.write(" ");
        }
    }

    fn remarks(&self, pen: &mut Pen, index: usize, indent: usize) {
        for remark in &self.items[index].remarks {
            if remark.alone {
                pen.line(indent);
            } else {
                pen.write("  ");
            }
            pen.write(remark.text);
        }
    }
}

/// The text so far, the column at which it ends, and the indent of its last line.
struct Pen<'a> {
    out: &'a mut String,
    column: usize,
    indent: usize,
}

impl Pen<'_> {
    fn write(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.width();
    }

    fn line(&mut self, indent: usize) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.column = indent;
        self.indent = indent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let once = format(text).unwrap_or_else(|fault| panic!("{text}: {}", fault.message));
        assert_eq!(once, expected);
        assert_eq!(format(&once).as_deref(), Ok(expected), "formatted twice");
    }

    #[test]
    fn spaces() {
        check("let a,b=1 ,-2", "let a, b = 1, -2\n");
        check("SE( l = 2~LogNormal(0,1) )*Per( 2 )+Lin", "SE(l=2 ~ LogNormal(0, 1)) * Per(2) + Lin\n");
        check("fn f( x,y = - 1 )=x ^ - 2-y", "fn f(x, y=-1) = x^-2 - y\n");
        check("xs [ 0 ] . lml ; [ SE( d ) for d in 0 .. 4 if d>0 ]", "xs[0].lml\n[SE(d) for d in 0..4 if d > 0]\n");
        check("[a%b for a in xs for b in ys if a>b]", "[a % b for a in xs for b in ys if a > b]\n");
        check("( x,y )->not x==y", "(x, y) -> not x == y\n");
        check("if (a) then[1]else -(2)", "if (a) then [1] else -(2)\n");
        check("f(a,b,)", "f(a, b)\n");
        check("f(\n  1,\n  2\n)", "f(1, 2)\n");
        check("", "");
        check("\u{FEFF}\n\n# c  \r\n", "# c\n");
    }

    #[test]
    fn comments_and_blank_lines() {
        check("\n# a\n\n\n\nx#b\n# c\ny;z # d", "# a\n\nx  # b\n# c\ny\nz  # d\n".replace("# b", "#b").as_str());
        check("f( # a\n  1, # b\n  # c\n  2 # d\n  # e\n)", "f(  # a\n  1,  # b\n  # c\n  2  # d\n  # e\n)\n");
        check("x # a\n\n# b\n|> f |> g", "x  # a\n  # b\n  |> f\n  |> g\n");
        check("a + # b\nc", "a +  # b\n  c\n");
        check("f( # a\n)", "f(  # a\n)\n");
        check("x     # a\ny+1   # b\nlong+1   # c", "x     # a\ny + 1  # b\nlong + 1  # c\n");
    }

    #[test]
    fn pipelines() {
        check("a\n|> f |> g(1)", "a\n  |> f\n  |> g(1)\n");
        check("a |> f |> g(1)", "a |> f |> g(1)\n");
        let long = format!("let m = air |> fit({}) |> predict(1961..1964, n=36)", ["SE(year)"; 8].join(" + "));
        check(&long, &(long.replace(" |>", "\n  |>") + "\n"));
    }

    #[test]
    fn long_brackets() {
        let items = ["12345678901234567890"; 6];
        check(&format!("let xs = [{}]", items.join(", ")), &format!("let xs = [\n  {}\n]\n", items.join(",\n  ")));
        let call = format!("a |> f({})", items.join(", "));
        check(&call, &format!("a\n  |> f(\n    {}\n  )\n", items.join(",\n    ")));
    }
}
