//! Shared helpers: sessions, random kernels, random programs and programs with errors.

pub mod kernels;
pub mod page;
pub mod places;
pub mod talk;
#[cfg(unix)]
pub mod terminal;
pub mod texts;
pub mod trees;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Writes random program texts from a seed. They follow the grammar but need not have a meaning.
pub struct Author {
    rng: Pcg64Mcg,
}

const NAMES: [&str; 16] =
    ["SE", "Per", "Lin", "RQ", "air", "k", "x", "σ", "fit", "gp", "predict", "load", "map", "data", "year", "_x1"];
const NUMBERS: [&str; 9] = ["0", "1", "2.5", "1e-3", "1.5e3", "12", "inf", "pi", "0.1"];
const STRINGS: [&str; 5] = ["\"airline\"", "\"a b\"", "\"σ\\n\"", "\"\"", "\"\\\"q\\\"\""];
const INFIX: [&str; 20] =
    ["+", "+", "-", "*", "*", "/", "%", "^", "|>", "|>", ">>", "or", "and", "==", "!=", "<", "<=", ">", ">=", ".."];
/// The texts that an error may insert.
const SLIPS: [&str; 40] = [
    "(", ")", "[", "]", ",", ";", "\n", "#", "\"", "'", "=", "==", "->", "|>", ">>", "~", "..", "..=", ".", "-", "^",
    "**", "%", "&&", "!", "{", "}", "?", ":", "×", "“", "\u{A0}", "🙂", "e\u{301}", "\u{0}", "if ", "then", " else ",
    " not ", "let ",
];

impl Author {
    pub fn new(seed: u64) -> Self {
        Self { rng: Pcg64Mcg::seed_from_u64(seed) }
    }

    fn one_in(&mut self, n: u32) -> bool {
        self.rng.random_range(0..n) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.rng.random_range(0..from.len())]
    }

    /// A program that follows the grammar, except for operators that must not be adjacent.
    pub fn program(&mut self) -> String {
        let mut out = String::new();
        for _ in 0..self.rng.random_range(1..5) {
            self.statement(&mut out);
            out.push_str(match self.rng.random_range(0..6) {
                0 => " ; ",
                1 => " # σ remark\n",
                2 => "\n\n\n",
                _ => "\n",
            });
        }
        out
    }

    /// A program with up to three errors.
    pub fn slipped(&mut self) -> String {
        let mut text: Vec<char> = self.program().chars().collect();
        for _ in 0..self.rng.random_range(1..4) {
            let at = self.rng.random_range(0..=text.len());
            let end = (at + self.rng.random_range(1..6)).min(text.len());
            match self.rng.random_range(0..4) {
                0 => drop(text.drain(at..end)),
                1 => {
                    let slip = self.pick(&SLIPS);
                    text.splice(at..at, slip.chars());
                }
                2 => {
                    let copy = text[at..end].to_vec();
                    let to = self.rng.random_range(0..=text.len());
                    text.splice(to..to, copy);
                }
                _ if self.one_in(4) => text.truncate(at),
                _ => text[at..end].reverse(),
            }
        }
        text.into_iter().collect()
    }

    /// Random signs.
    pub fn noise(&mut self) -> String {
        let mut out = String::new();
        for _ in 0..self.rng.random_range(0..30) {
            let piece = match self.rng.random_range(0..4) {
                0 => self.pick(&NAMES),
                1 => self.pick(&NUMBERS),
                2 => self.pick(&INFIX),
                _ => self.pick(&SLIPS),
            };
            out.push_str(piece);
            if self.one_in(3) {
                out.push(' ');
            }
        }
        out
    }

    fn statement(&mut self, out: &mut String) {
        match self.rng.random_range(0..10) {
            0..4 => {
                let count = if self.one_in(4) { 2 } else { 1 };
                out.push_str("let ");
                self.list(out, count, |author, out| author.name(out));
                out.push_str(" = ");
                self.list(out, count, |author, out| author.expr(out, 3));
            }
            4 => {
                out.push_str("fn f(");
                let count = self.rng.random_range(0..3);
                self.list(out, count, |author, out| {
                    author.name(out);
                    if author.one_in(3) {
                        out.push('=');
                        author.expr(out, 1);
                    }
                });
                out.push_str(") = ");
                self.expr(out, 3);
            }
            5 => {
                out.push_str("import ");
                out.push_str(self.pick(&STRINGS));
            }
            _ => self.expr(out, 4),
        }
    }

    fn list(&mut self, out: &mut String, count: usize, mut each: impl FnMut(&mut Self, &mut String)) {
        for index in 0..count {
            if index > 0 {
                out.push(',');
                self.space(out);
            }
            each(self, out);
        }
    }

    fn name(&mut self, out: &mut String) {
        out.push_str(self.pick(&NAMES));
    }

    fn space(&mut self, out: &mut String) {
        match self.rng.random_range(0..12) {
            0 => out.push_str("\n  "),
            1 => out.push_str("  # 中文 remark\n"),
            2..5 => {}
            _ => out.push(' '),
        }
    }

    fn expr(&mut self, out: &mut String, depth: u32) {
        match self.rng.random_range(0..16) {
            0 if depth > 0 => {
                self.name(out);
                out.push_str(" -> ");
                self.expr(out, depth - 1);
            }
            1 if depth > 0 => {
                out.push_str("(x, y) ->");
                self.expr(out, depth - 1);
            }
            2 if depth > 0 => {
                for word in ["if ", " then ", " else "] {
                    out.push_str(word);
                    self.expr(out, depth - 1);
                }
            }
            _ => self.chain(out, depth),
        }
    }

    fn chain(&mut self, out: &mut String, depth: u32) {
        self.operand(out, depth);
        let infix = self.pick(&INFIX);
        let comparison = matches!(infix, "==" | "!=" | "<" | "<=" | ">" | ">=" | "..");
        let count = if comparison { 1 } else { 3 };
        for _ in 0..self.rng.random_range(0..=count) {
            let other = self.pick(&["+", "*", infix, infix]);
            let infix = if comparison { infix } else { other };
            out.push(' ');
            out.push_str(infix);
            self.space(out);
            out.push(' ');
            self.operand(out, depth);
        }
    }

    fn operand(&mut self, out: &mut String, depth: u32) {
        if self.one_in(10) {
            out.push('-');
        }
        match self.rng.random_range(0..if depth == 0 { 4 } else { 10 }) {
            0 | 1 => self.name(out),
            2 => out.push_str(self.pick(&NUMBERS)),
            3 => out.push_str(self.pick(&STRINGS)),
            4 => self.bracketed(out, "(", ")", depth),
            5 => {
                out.push('[');
                let count = self.rng.random_range(0..4);
                self.list(out, count, |author, out| author.value(out, depth - 1));
                out.push(']');
            }
            6 => {
                out.push('[');
                self.expr(out, depth - 1);
                out.push_str(" for d in 0..4");
                if self.one_in(2) {
                    out.push_str(" if d > 0");
                }
                out.push(']');
            }
            7 => {
                self.name(out);
                self.bracketed(out, "[", "]", depth);
            }
            8 => {
                self.name(out);
                out.push('.');
                self.name(out);
            }
            _ => {
                self.name(out);
                out.push('(');
                let count = self.rng.random_range(0..4);
                self.list(out, count, |author, out| {
                    if author.one_in(3) {
                        author.name(out);
                        out.push('=');
                    }
                    author.value(out, depth - 1);
                });
                out.push(')');
            }
        }
    }

    fn bracketed(&mut self, out: &mut String, open: &str, close: &str, depth: u32) {
        out.push_str(open);
        self.expr(out, depth - 1);
        out.push_str(close);
    }

    fn value(&mut self, out: &mut String, depth: u32) {
        self.expr(out, depth);
        if self.one_in(8) {
            out.push_str(" ~ LogNormal(0, 1)");
        }
    }
}
