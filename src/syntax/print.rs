//! Syntax tree to text: the source form, with the brackets that precedence requires.
//!
//! The printed text parses to the same tree. `pi` and `inf` are printed as words, other numbers with the fewest digits
//! that read back exactly.

use std::fmt::{self, Display, Write};

use super::ast::{
    Arg, BinaryOp, Clause, Expr, ExprKind, FnParam, Lambda, Name, Program, Statement, StatementKind, UnaryOp,
};
use super::precedence::Level;

/// The source form of an expression.
pub fn print_expr(expr: &Expr) -> String {
    At(expr, Level::Head).to_string()
}

/// The source form of a function: `x -> …`, `(x, y) -> …`.
pub fn print_lambda(lambda: &Lambda) -> String {
    Function(lambda).to_string()
}

/// The source form of a statement, on one line.
pub fn print_statement(statement: &Statement) -> String {
    Line(statement).to_string()
}

/// The source form of a program, one statement per line.
pub fn print_program(program: &Program) -> String {
    let mut out = String::new();
    for statement in &program.statements {
        out.push_str(&print_statement(statement));
        out.push('\n');
    }
    out
}

/// A number as a literal, exactly. A negative number has its sign; NaN is printed as a difference with this value,
/// because the language has no word for it.
pub fn print_number(number: f64) -> String {
    if number.is_nan() {
        return "(inf - inf)".into();
    }
    let (sign, size) = (if number.is_sign_negative() { "-" } else { "" }, number.abs());
    if size.is_infinite() {
        format!("{sign}inf")
    } else if size == std::f64::consts::PI {
        format!("{sign}pi")
    } else if size == 0.0 || (1e-5..1e16).contains(&size) {
        format!("{sign}{size}")
    } else {
        format!("{sign}{size:e}")
    }
}

/// A string as a literal.
pub fn print_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}') => {
                out.push_str(&format!("\\u{{{:X}}}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The precedence of the source form of an expression.
fn level(expr: &Expr) -> Level {
    match &expr.node {
        ExprKind::Lambda(_) | ExprKind::If { .. } | ExprKind::Prior { .. } => Level::Head,
        ExprKind::Chain { rest, .. } => rest.first().map_or(Level::Postfix, |(op, _)| op.node.level()),
        ExprKind::Range { .. } => Level::Compare,
        ExprKind::Unary { op, .. } => match op.node {
            UnaryOp::Not => Level::Not,
            UnaryOp::Neg => Level::Neg,
        },
        ExprKind::Number(number) if number.is_sign_negative() && !number.is_nan() => Level::Neg,
        _ => Level::Postfix,
    }
}

/// An expression that is printed in brackets if its precedence is lower than the level.
struct At<'a>(&'a Expr, Level);

impl Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let At(expr, min) = *self;
        if level(expr) < min { write!(f, "({})", Bare(expr)) } else { Bare(expr).fmt(f) }
    }
}

/// An expression without brackets around it.
struct Bare<'a>(&'a Expr);

impl Display for Bare<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.node {
            ExprKind::Number(number) => f.write_str(&print_number(*number)),
            ExprKind::Str(text) => f.write_str(&print_string(text)),
            ExprKind::Bool(value) => value.fmt(f),
            ExprKind::Name(name) => f.write_str(name),
            ExprKind::List(items) => {
                f.write_char('[')?;
                joined(f, items, |f, item| At(item, Level::Head).fmt(f))?;
                f.write_char(']')
            }
            ExprKind::Comprehension { body, clauses } => {
                write!(f, "[{}", At(body, Level::Head))?;
                for Clause { vars, over, cond } in clauses {
                    f.write_str(" for ")?;
                    names(f, vars)?;
                    write!(f, " in {}", At(over, Level::Head))?;
                    if let Some(cond) = cond {
                        write!(f, " if {}", At(cond, Level::Head))?;
                    }
                }
                f.write_char(']')
            }
            ExprKind::Lambda(lambda) => Function(lambda).fmt(f),
            ExprKind::If { cond, then, otherwise } => {
                let part = |expr| At(expr, Level::Head);
                write!(f, "if {} then {} else {}", part(cond), part(then), part(otherwise))
            }
            ExprKind::Chain { first, rest } => chain(f, first, rest),
            ExprKind::Unary { op, operand } => match op.node {
                UnaryOp::Not => write!(f, "not {}", At(operand, Level::Not)),
                UnaryOp::Neg => write!(f, "-{}", At(operand, Level::Neg)),
            },
            ExprKind::Range { start, end, inclusive } => {
                let sign = if *inclusive { "..=" } else { ".." };
                write!(f, "{}{sign}{}", At(start, Level::Add), At(end, Level::Add))
            }
            ExprKind::Prior { value, prior } => {
                if let Some(value) = value {
                    write!(f, "{} ", At(value, Level::Head))?;
                }
                write!(f, "~ {}", At(prior, Level::Head))
            }
            ExprKind::Call { callee, args } => {
                write!(f, "{}(", At(callee, Level::Postfix))?;
                joined(f, args, argument)?;
                f.write_char(')')
            }
            ExprKind::Index { value, index } => write!(f, "{}[{}]", At(value, Level::Postfix), At(index, Level::Head)),
            ExprKind::Member { value, member } => {
                // `2.lml` is neither a number nor a member.
                let bracket = matches!(value.node, ExprKind::Number(_));
                match bracket {
                    true => write!(f, "({}).{}", Bare(value), member.node),
                    false => write!(f, "{}.{}", At(value, Level::Postfix), member.node),
                }
            }
        }
    }
}

fn chain(f: &mut fmt::Formatter<'_>, first: &Expr, rest: &[(super::span::Spanned<BinaryOp>, Expr)]) -> fmt::Result {
    let here = rest.first().map_or(Level::Postfix, |(op, _)| op.node.level());
    At(first, here.tighter()).fmt(f)?;
    for (op, operand) in rest {
        match op.node {
            // Right-associative: the exponent may be a power or a negative number itself.
            BinaryOp::Pow => write!(f, "^{}", At(operand, Level::Neg))?,
            op => write!(f, " {} {}", op.sign(), At(operand, here.tighter()))?,
        }
    }
    Ok(())
}

fn argument(f: &mut fmt::Formatter<'_>, arg: &Arg) -> fmt::Result {
    let Some(name) = &arg.name else {
        // `(l) ~ prior` is a value with a prior, `l ~ prior` an argument by name.
        if let ExprKind::Prior { value: Some(value), prior } = &arg.value.node
            && matches!(value.node, ExprKind::Name(_))
        {
            return write!(f, "({}) ~ {}", Bare(value), At(prior, Level::Head));
        }
        return At(&arg.value, Level::Head).fmt(f);
    };
    match &arg.value.node {
        ExprKind::Prior { value: None, .. } => write!(f, "{} {}", name.node, Bare(&arg.value)),
        _ => write!(f, "{}={}", name.node, At(&arg.value, Level::Head)),
    }
}

struct Function<'a>(&'a Lambda);

impl Display for Function<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lambda { params, body } = self.0;
        match params.as_slice() {
            [FnParam { name, default: None }] => f.write_str(&name.node)?,
            _ => parameters(f, params)?,
        }
        write!(f, " -> {}", At(body, Level::Head))
    }
}

fn parameters(f: &mut fmt::Formatter<'_>, params: &[FnParam]) -> fmt::Result {
    f.write_char('(')?;
    joined(f, params, |f, param| match &param.default {
        Some(default) => write!(f, "{}={}", param.name.node, At(default, Level::Head)),
        None => f.write_str(&param.name.node),
    })?;
    f.write_char(')')
}

struct Line<'a>(&'a Statement);

impl Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.node {
            StatementKind::Let { names: list, values } => {
                f.write_str("let ")?;
                names(f, list)?;
                f.write_str(" = ")?;
                joined(f, values, |f, value| At(value, Level::Head).fmt(f))
            }
            StatementKind::Fn { name, function } => {
                write!(f, "fn {}", name.node)?;
                parameters(f, &function.params)?;
                write!(f, " = {}", At(&function.body, Level::Head))
            }
            StatementKind::Import(file) => write!(f, "import {}", print_string(&file.node)),
            StatementKind::Expr(expr) => At(expr, Level::Head).fmt(f),
        }
    }
}

fn names(f: &mut fmt::Formatter<'_>, list: &[Name]) -> fmt::Result {
    joined(f, list, |f, name| f.write_str(&name.node))
}

fn joined<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    each: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        each(f, item)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::super::span::SourceId;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let program = parse(text, SourceId(0)).unwrap_or_else(|fault| panic!("{text}: {}", fault.message));
        assert_eq!(print_program(&program).trim_end(), expected);
    }

    #[test]
    fn only_the_brackets_that_are_needed() {
        check("((SE(1)) * (Per(2))) + (Lin)", "SE(1) * Per(2) + Lin");
        check("(a + b) * c", "(a + b) * c");
        check("(-2)^2 + -2 ^ 2 + 2 ^ (-1) + (a^b)^c + a^(b^c)", "(-2)^2 + -2^2 + 2^-1 + (a^b)^c + a^b^c");
        check("(x -> x)(2)", "(x -> x)(2)");
        check("(xs |> f)[0].lml", "(xs |> f)[0].lml");
        check("not (a and b)", "not (a and b)");
        check("(1 .. n-1)", "1..n - 1");
        check("a - (b - c)", "a - (b - c)");
        check(
            "SE(l = 2 ~ LogNormal(0,1), v ~ Gamma(1, 2), (c) ~ p)",
            "SE(l=2 ~ LogNormal(0, 1), v ~ Gamma(1, 2), (c) ~ p)",
        );
        check("f(1).x + (2).x", "f(1).x + (2).x");
        check("fn f(x, y=(1)) = (if x then y else (z -> z))", "fn f(x, y=1) = if x then y else z -> z");
        check("let a , b=1,(x)->x", "let a, b = 1, x -> x");
        check("(if a then b else c) + 1", "(if a then b else c) + 1");
        check(r#"import "a\"\\\n.mer""#, r#"import "a\"\\\n.mer""#);
        for text in ["SE(1) * Per(2) + Lin", "reflect(k, 0, 1)", "deep(3, SE)", "additive(order=4)"] {
            check(text, text);
        }
    }

    #[test]
    fn numbers_read_back() {
        for number in
            [0.1, 1.0, 1e21, 1e-7, 123456789012345680.0, 5e-324, f64::MAX, 1e15, 9.99e-6, std::f64::consts::PI]
        {
            let text = print_number(number);
            let program = parse(&text, SourceId(0)).unwrap();
            let StatementKind::Expr(Expr { node: ExprKind::Number(read), .. }) = &program.statements[0].node else {
                panic!("{text}");
            };
            assert_eq!(read.to_bits(), number.to_bits(), "{text}");
        }
        assert_eq!(print_number(-2.5), "-2.5");
        assert_eq!(print_number(f64::NEG_INFINITY), "-inf");
    }
}
