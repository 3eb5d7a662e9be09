//! Random syntax trees for proptest: every tree that the parser can build, and none that it cannot.

use std::sync::Arc;

use mercer::syntax::ast::{Arg, BinaryOp, Clause, Expr, ExprKind, FnParam, Lambda, Name, UnaryOp};
use mercer::syntax::span::{Span, Spanned};
use proptest::prelude::*;

fn node(node: ExprKind) -> Expr {
    Expr { node, span: Span::default() }
}

fn spanned<T>(value: T) -> Spanned<T> {
    Spanned::new(value, Span::default())
}

fn name() -> impl Strategy<Value = Name> {
    prop_oneof![Just("x"), Just("SE"), Just("σ_1"), Just("lettuce"), Just("_")].prop_map(|word| spanned(word.into()))
}

fn number() -> impl Strategy<Value = f64> {
    let bits = any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(f64::abs);
    prop_oneof![bits, 0.0..100.0f64, (0u32..20).prop_map(f64::from), Just(f64::INFINITY), Just(std::f64::consts::PI)]
}

fn leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        number().prop_map(ExprKind::Number),
        ".{0,4}".prop_map(|text| ExprKind::Str(text.into())),
        any::<bool>().prop_map(ExprKind::Bool),
        name().prop_map(|name| ExprKind::Name(name.node)),
    ]
    .prop_map(node)
}

/// Operators that share a chain.
fn operators() -> impl Strategy<Value = Vec<BinaryOp>> {
    use BinaryOp::*;
    let many = |list: &'static [BinaryOp]| prop::collection::vec(prop::sample::select(list), 1..4);
    let one = |list: &'static [BinaryOp]| prop::collection::vec(prop::sample::select(list), 1);
    prop_oneof![
        many(&[Pipe]),
        many(&[Compose]),
        many(&[Or]),
        many(&[And]),
        one(&[Eq, Ne, Lt, Le, Gt, Ge]),
        many(&[Add, Sub]),
        many(&[Mul, Div, Rem]),
        one(&[Pow]),
    ]
}

/// An argument's value or an item: an expression, or one with a prior.
fn value(part: BoxedStrategy<Expr>) -> impl Strategy<Value = Expr> {
    let prior = (prop::option::of(part.clone().prop_map(Box::new)), part.clone().prop_map(Box::new))
        .prop_map(|(value, prior)| node(ExprKind::Prior { value, prior }));
    prop_oneof![4 => part, 1 => prior]
}

/// One loop of a comprehension.
fn clause(part: BoxedStrategy<Expr>) -> impl Strategy<Value = Clause> {
    (prop::collection::vec(name(), 1..3), part.clone(), prop::option::of(part)).prop_map(|(vars, over, cond)| Clause {
        vars,
        over,
        cond,
    })
}

pub fn expr() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(5, 48, 4, |part| {
        let part = part.boxed();
        let boxed = part.clone().prop_map(Box::new).boxed();
        let params = prop::collection::vec(name().prop_map(|name| FnParam { name, default: None }), 0..3);
        let args = prop::collection::vec((prop::option::of(name()), value(part.clone())), 0..3).prop_map(|list| {
            let arg = |(name, value)| Arg { name, value, span: Span::default() };
            list.into_iter().map(arg).collect::<Vec<_>>()
        });
        prop_oneof![
            prop::collection::vec(value(part.clone()), 0..3).prop_map(ExprKind::List),
            (boxed.clone(), prop::collection::vec(clause(part.clone()), 1..3))
                .prop_map(|(body, clauses)| ExprKind::Comprehension { body, clauses }),
            (params, part.clone()).prop_map(|(params, body)| ExprKind::Lambda(Arc::new(Lambda { params, body }))),
            (boxed.clone(), boxed.clone(), boxed.clone()).prop_map(|(cond, then, otherwise)| ExprKind::If {
                cond,
                then,
                otherwise
            }),
            (boxed.clone(), operators(), prop::collection::vec(part.clone(), 3)).prop_map(|(first, ops, operands)| {
                let rest = ops.into_iter().map(spanned).zip(operands).collect();
                ExprKind::Chain { first, rest }
            }),
            (any::<bool>(), boxed.clone()).prop_map(|(not, operand)| {
                let op = spanned(if not { UnaryOp::Not } else { UnaryOp::Neg });
                ExprKind::Unary { op, operand }
            }),
            (boxed.clone(), boxed.clone(), any::<bool>()).prop_map(|(start, end, inclusive)| ExprKind::Range {
                start,
                end,
                inclusive
            }),
            (boxed.clone(), args).prop_map(|(callee, args)| ExprKind::Call { callee, args }),
            (boxed.clone(), boxed.clone()).prop_map(|(value, index)| ExprKind::Index { value, index }),
            (boxed, name()).prop_map(|(value, member)| ExprKind::Member { value, member }),
        ]
        .prop_map(node)
    })
}
