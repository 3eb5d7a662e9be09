//! The names of a program: where each is bound, and which binding each mention refers to.
//!
//! All statements that bind one top-level name are one binding, because a later one replaces the earlier. A mention
//! that no statement above it binds is a name of the language or a column, unless it is in a function: functions run
//! later, so they may mention names bound further down.

use std::collections::HashMap;
use std::sync::Arc;

use super::ast::{Arg, Clause, Expr, ExprKind, Lambda, Name, Program, Statement, StatementKind};
use super::span::Span;

/// How a name is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Let,
    Function,
    Parameter,
    /// The variable of a comprehension.
    Loop,
}

/// A name with the places that bind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Binding {
    pub name: Arc<str>,
    pub bound: Bound,
    /// The places where it is bound, each with the statement; in the order of the text, never empty.
    pub sites: Vec<Site>,
}

/// One place that binds a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Site {
    pub name: Span,
    pub statement: Span,
}

/// A name in the text: in a binding, in an expression, or as a keyword of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Occurrence {
    pub name: Arc<str>,
    pub span: Span,
    /// The index of its binding; `None` for names of the language, columns, and names of imported files.
    pub binding: Option<usize>,
    /// Whether it is the keyword of an argument.
    pub keyword: bool,
}

/// All names of a program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bindings {
    pub list: Vec<Binding>,
    /// In the order of the text.
    pub occurrences: Vec<Occurrence>,
}

impl Bindings {
    pub fn of(program: &Program) -> Self {
        let mut walk = Walk::default();
        super::deep(|| walk.program(program));
        let mut found = walk.found;
        found.occurrences.sort_by_key(|occurrence| (occurrence.span.start, occurrence.span.end));
        found
    }

    /// The name at a byte, or that ends there.
    pub fn at(&self, byte: usize) -> Option<&Occurrence> {
        let touches = |occurrence: &&Occurrence| occurrence.span.start <= byte && byte <= occurrence.span.end;
        let inside = self.occurrences.iter().find(|o| touches(o) && byte < o.span.end);
        inside.or_else(|| self.occurrences.iter().find(touches))
    }

    /// The place that binds the name of an occurrence: the last one up to it, or the first if it is above all.
    pub fn definition(&self, of: &Occurrence) -> Option<Site> {
        let binding = self.list.get(of.binding?)?;
        // in its own value, the name of a `let` is the one before; a function may call itself
        let applies = |site: &&Site| match binding.bound {
            Bound::Let => site.name == of.span || site.statement.end <= of.span.start,
            _ => site.name.start <= of.span.start,
        };
        binding.sites.iter().rev().find(applies).or(binding.sites.first()).copied()
    }

    /// The occurrences of one binding.
    pub fn uses(&self, binding: usize) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(move |occurrence| occurrence.binding == Some(binding))
    }
}

#[derive(Default)]
struct Walk {
    found: Bindings,
    /// The bindings of top-level names.
    top: HashMap<Arc<str>, usize>,
    /// The top-level names that are bound so far.
    so_far: HashMap<Arc<str>, usize>,
    locals: Vec<(Arc<str>, usize)>,
    /// The parameters of the functions bound to top-level names, the last function of each name.
    parameters: HashMap<usize, Vec<(Arc<str>, usize)>>,
    /// The bindings of all such parameters, by their places.
    declared: HashMap<Span, usize>,
    /// The number of functions around the current expression.
    functions: usize,
    statement: Span,
}

impl Walk {
    fn program(&mut self, program: &Program) {
        for statement in &program.statements {
            match &statement.node {
                StatementKind::Let { names, values } => {
                    names.iter().for_each(|name| self.top_level(name, Bound::Let, statement.span));
                    for (name, value) in names.iter().zip(values).filter(|_| names.len() == values.len()) {
                        if let ExprKind::Lambda(function) = &value.node {
                            self.declare(name, function, statement.span);
                        }
                    }
                }
                StatementKind::Fn { name, function } => {
                    self.top_level(name, Bound::Function, statement.span);
                    self.declare(name, function, statement.span);
                }
                StatementKind::Import(_) | StatementKind::Expr(_) => {}
            }
        }
        program.statements.iter().for_each(|statement| self.statement(statement));
    }

    fn top_level(&mut self, name: &Name, bound: Bound, statement: Span) {
        let site = Site { name: name.span, statement };
        match self.top.get(&name.node) {
            Some(&binding) => self.found.list[binding].sites.push(site),
            None => {
                let binding = self.add(name, bound, statement);
                self.top.insert(name.node.clone(), binding);
            }
        }
    }

    fn add(&mut self, name: &Name, bound: Bound, statement: Span) -> usize {
        let site = Site { name: name.span, statement };
        self.found.list.push(Binding { name: name.node.clone(), bound, sites: vec![site] });
        self.found.list.len() - 1
    }

    /// Declares the parameters of a function of the top level.
    fn declare(&mut self, name: &Name, function: &Lambda, statement: Span) {
        let Some(&binding) = self.top.get(&name.node) else { return };
        let mut parameters = Vec::new();
        for param in &function.params {
            let parameter = self.add(&param.name, Bound::Parameter, statement);
            self.declared.insert(param.name.span, parameter);
            parameters.push((param.name.node.clone(), parameter));
        }
        self.parameters.insert(binding, parameters);
    }

    fn see(&mut self, name: &Arc<str>, span: Span, binding: Option<usize>, keyword: bool) {
        self.found.occurrences.push(Occurrence { name: name.clone(), span, binding, keyword });
    }

    fn statement(&mut self, statement: &Statement) {
        self.statement = statement.span;
        match &statement.node {
            StatementKind::Let { names, values } => {
                values.iter().for_each(|value| self.expr(value));
                names.iter().for_each(|name| self.bind(name));
            }
            StatementKind::Fn { name, function } => {
                self.bind(name);
                self.lambda(function);
            }
            StatementKind::Import(_) => {}
            StatementKind::Expr(expr) => self.expr(expr),
        }
    }

    fn bind(&mut self, name: &Name) {
        let binding = self.top.get(&name.node).copied();
        self.so_far.extend(binding.map(|binding| (name.node.clone(), binding)));
        self.see(&name.node, name.span, binding, false);
    }

    /// The binding of a local name: the one declared for it, or a new one.
    fn local(&mut self, name: &Name, bound: Bound) -> usize {
        let declared = self.declared.get(&name.span).copied();
        let binding = declared.unwrap_or_else(|| self.add(name, bound, self.statement));
        self.see(&name.node, name.span, Some(binding), false);
        binding
    }

    fn lambda(&mut self, lambda: &Lambda) {
        let mark = self.locals.len();
        self.functions += 1;
        for param in &lambda.params {
            if let Some(default) = &param.default {
                self.expr(default);
            }
            let binding = self.local(&param.name, Bound::Parameter);
            self.locals.push((param.name.node.clone(), binding));
        }
        self.expr(&lambda.body);
        self.functions -= 1;
        self.locals.truncate(mark);
    }

    fn binding(&self, name: &str) -> Option<usize> {
        let local = self.locals.iter().rev().find(|(local, _)| &**local == name).map(|(_, binding)| *binding);
        let bound = if self.functions > 0 { &self.top } else { &self.so_far };
        local.or_else(|| bound.get(name).copied())
    }

    fn call(&mut self, callee: &Expr, args: &[Arg]) {
        self.expr(callee);
        let function = match &callee.node {
            ExprKind::Name(name) => self.binding(name),
            _ => None,
        };
        for arg in args {
            if let Some(name) = &arg.name {
                let parameters = function.and_then(|function| self.parameters.get(&function));
                let found = parameters.and_then(|list| list.iter().find(|(param, _)| *param == name.node));
                let binding = found.map(|(_, binding)| *binding);
                self.see(&name.node, name.span, binding, true);
            }
            self.expr(&arg.value);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.node {
            ExprKind::Name(name) => {
                let binding = self.binding(name);
                self.see(name, expr.span, binding, false);
            }
            ExprKind::Comprehension { body, clauses } => {
                let mark = self.locals.len();
                for Clause { vars, over, cond } in clauses {
                    self.expr(over);
                    for var in vars {
                        let binding = self.local(var, Bound::Loop);
                        self.locals.push((var.node.clone(), binding));
                    }
                    cond.iter().for_each(|cond| self.expr(cond));
                }
                self.expr(body);
                self.locals.truncate(mark);
            }
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            ExprKind::Call { callee, args } => self.call(callee, args),
            _ => expr.parts().into_iter().for_each(|part| self.expr(part)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse::parse;
    use crate::syntax::span::SourceId;

    /// The places of all names with the same binding as the one at a mark.
    fn marked(text: &str, mark: &str) -> Vec<usize> {
        let program = parse(text, SourceId::default()).unwrap();
        let bindings = Bindings::of(&program);
        let at = bindings.at(text.find(mark).unwrap()).unwrap();
        at.binding.map_or_else(Vec::new, |binding| bindings.uses(binding).map(|o| o.span.start).collect())
    }

    #[test]
    fn inner_names_hide_outer_ones() {
        let text = "let x = 1\nlet f = x -> x + 1\n[x for x in [x]]\nx";
        let found = marked(text, "x = 1");
        assert_eq!(found, [4, text.rfind("[x]").unwrap() + 1, text.len() - 1]);
        assert_eq!(marked(text, "x -> x").len(), 2);
    }

    #[test]
    fn keywords_are_parameters_of_functions() {
        let text = "fn f(a, b=1) = a + b\nf(2, b=3)\n2 |> f(b=4)\ndata(b=[1])";
        assert_eq!(marked(text, "b=1").len(), 4);
        assert!(marked(text, "b=[1]").is_empty());
    }

    #[test]
    fn columns_have_no_binding() {
        let text = "let m = SE(year)\nlet year = 2\nSE(year)\nfn g() = later\nlet later = 1";
        assert!(marked(text, "year)").is_empty());
        assert_eq!(marked(text, "year =").len(), 2);
        assert_eq!(marked(text, "later").len(), 2);
    }

    #[test]
    fn the_definition_is_the_last_one_above() {
        let text = "let x = 1\nx\nlet x = x + 1\nx";
        let bindings = Bindings::of(&parse(text, SourceId::default()).unwrap());
        let definition = |byte| bindings.definition(bindings.at(byte).unwrap()).unwrap().name.start;
        let second = text.rfind("let x").unwrap() + 4;
        assert_eq!((definition(10), definition(text.rfind("x +").unwrap())), (4, 4));
        assert_eq!(definition(text.len() - 1), second);
    }
}
