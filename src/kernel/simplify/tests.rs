use super::super::testing::{at, free, function, leaf, of, product, sum};
use super::super::{Inputs, Kernel, wraps};
use crate::param::{Density, Param, State, Tie};

fn check(kernel: Kernel, expected: &str) {
    let simple = kernel.simplify();
    assert_eq!(simple.to_string(), expected, "{kernel}");
    assert_eq!(simple.simplify().to_string(), expected, "again: {kernel}");
}

fn structure(kernel: Kernel, expected: &str) {
    assert_eq!(kernel.simplify_structure().to_string(), expected, "{kernel}");
}

fn se(l: f64, v: f64) -> Kernel {
    of("SE", &[("l", free(l)), ("v", free(v))])
}

fn lin(b: f64, v: f64, c: f64) -> Kernel {
    of("Lin", &[("b", free(b)), ("v", free(v)), ("c", free(c))])
}

fn bare(name: &str) -> Kernel {
    of(name, &[])
}

fn constant(v: f64) -> Kernel {
    leaf("Const", Inputs::All, &[("v", free(v))])
}

fn noise() -> Kernel {
    leaf("WN", Inputs::All, &[])
}

#[test]
fn constants_add() {
    check(sum([constant(2.0), constant(3.0)]), "Const(v=5)");
    structure(sum([constant(2.0), constant(3.0)]), "Const");
}

#[test]
fn a_constant_goes_into_the_offset_of_a_line() {
    check(sum([lin(1.0, 2.0, 3.0), constant(4.0)]), "Lin(0, b=5, v=2, c=3)");
    structure(sum([leaf("Const", Inputs::All, &[]), bare("Lin")]), "Lin(0)");
}

#[test]
fn lines_on_one_input_are_one() {
    check(sum([lin(1.0, 2.0, 3.0), lin(1.0, 6.0, 3.0)]), "Lin(0, b=2, v=8, c=3)");
    // the common location is (2·0 + 6·4)/8 = 3; 2·9 + 6·1 = 24 is added to the offset
    check(sum([lin(1.0, 2.0, 0.0), lin(1.0, 6.0, 4.0)]), "Lin(0, b=26, v=8, c=3)");
    check(sum([bare("Lin"), bare("Lin")]), "Lin(0, b=2, v=2)");
    structure(sum([bare("Lin"), bare("Lin")]), "Lin(0)");
    check(sum([bare("Lin"), leaf("Lin", at(1), &[])]), "Lin(0) + Lin(1)");
}

#[test]
fn squared_exponentials_multiply_to_one() {
    // 1/9 + 1/16 = 1/2.4²
    check(product([se(3.0, 2.0), se(4.0, 5.0)]), "SE(0, l=2.4, v=10)");
    structure(product([bare("SE"), bare("SE")]), "SE(0)");
    check(product([bare("SE"), leaf("SE", at(1), &[])]), "SE(0) * SE(1)");
}

#[test]
fn periodic_kernels_of_one_period_multiply_to_one() {
    let per = |p, l| of("Per", &[("p", free(p)), ("l", free(l))]);
    check(product([per(2.0, 3.0), per(2.0, 4.0)]), "Per(0, p=2, l=2.4)");
    check(product([per(2.0, 3.0), per(3.0, 4.0)]), "Per(0, p=2, l=3) * Per(0, p=3, l=4)");
    structure(product([bare("Per"), bare("Per")]), "Per(0) * Per(0)");
}

#[test]
fn exponents_that_add_merge_powers_too() {
    check(wraps::power(se(6.0, 3.0), 4), "SE(0, l=3, v=81)");
    check(wraps::power(of("Matern12", &[("l", free(6.0))]), 3), "Matern12(0, l=2)");
    check(wraps::power(noise(), 3), "WN");
    check(wraps::power(wraps::power(bare("Lin"), 2), 3), "Lin(0)^6");
    check(wraps::power(product([bare("Cos"), bare("Lin")]), 2), "Lin(0)^2 * Cos(0)^2");
    let matern = |l| of("Matern12", &[("l", free(l))]);
    check(product([matern(3.0), matern(6.0)]), "Matern12(0, l=2)");
}

#[test]
fn a_product_has_one_variance() {
    check(product([constant(2.0), se(3.0, 5.0)]), "SE(0, l=3, v=10)");
    check(product([bare("Lin"), bare("SE")]), "SE(0) * Lin(0)");
    check(product([lin(6.0, 2.0, 1.0), se(3.0, 5.0)]), "SE(0, l=3, v=10) * Lin(0, b=3, c=1)");
    check(product([bare("Lin"), leaf("Const", Inputs::All, &[])]), "Lin(0)");
    let held = product([leaf("Const", Inputs::All, &[]), sum([bare("SE"), bare("Lin")])]);
    check(held, "SE(0) + Lin(0)");
}

#[test]
fn what_looks_alike_adds_up() {
    check(sum([bare("SE"), bare("SE")]), "SE(0, v=2)");
    check(sum([se(3.0, 2.0), se(3.0, 4.0)]), "SE(0, l=3, v=6)");
    check(sum([product([bare("SE"), bare("Lin")]), product([bare("Lin"), bare("SE")])]), "SE(0, v=2) * Lin(0)");
    check(sum([noise(), noise()]), "WN(v=2)");
    structure(sum([noise(), noise()]), "WN");
    // two independent length-scales
    structure(sum([bare("SE"), bare("SE")]), "SE(0) + SE(0)");
}

#[test]
fn noise_absorbs_what_is_stationary() {
    check(product([noise(), se(3.0, 2.0), bare("Per")]), "WN(v=2)");
    check(product([noise(), bare("Lin")]), "WN * Lin(0)");
    let fixed = of("SE", &[("l", Param::fixed(2.0))]);
    check(product([noise(), fixed]), "SE(0, l=fixed(2)) * WN");
}

#[test]
fn numbers_multiply_and_add() {
    let two = || Kernel::number(2.0);
    check(product([two(), Kernel::number(3.0), bare("SE")]), "SE(0, v=6)");
    check(product([two(), of("SE", &[("v", Param::fixed(3.0))])]), "2 * SE(0, v=fixed(3))");
    check(sum([two(), bare("SE"), Kernel::number(3.0)]), "SE(0) + 5");
    structure(product([two(), bare("SE")]), "SE(0)");
}

#[test]
fn what_is_said_of_a_parameter_stays() {
    let tie = Tie::new("s");
    let params = [
        Param::fixed(1.0),
        State::Bounded { lo: 0.1, hi: 10.0, value: None }.into(),
        Param { prior: Some(Density::HalfNormal { sd: 1.0 }.into()), ..Param::default() },
        Param { tie: Some(tie), ..Param::default() },
    ];
    for param in params {
        let special = || of("SE", &[("l", param.clone()), ("v", free(2.0))]);
        for both in [product([special(), bare("SE")]), sum([special(), special()])] {
            let simple = both.simplify();
            assert_eq!(simple.children().len(), 2, "{both} -> {simple}");
        }
    }
    let named = || bare("Lin").labelled("trend");
    let simple = sum([named(), bare("Lin")]).simplify();
    assert_eq!(simple.children().len(), 2);
}

#[test]
fn held_variances_stay_held() {
    let fixed = of("Lin", &[("v", Param::fixed(2.0))]);
    check(product([fixed.clone(), bare("SE")]), "Lin(0, v=fixed(2)) * SE(0)");
    check(product([bare("SE"), fixed]), "SE(0) * Lin(0, v=fixed(2))");
    structure(product([se(1.0, 3.0), sum([bare("Lin"), noise()])]), "SE(0) * (Lin(0) + WN)");
}

#[test]
fn a_line_with_a_fixed_offset_bears_no_variance_of_others() {
    let fixed = of("Lin", &[("b", Param::fixed(0.4))]);
    check(product([bare("Lin"), fixed]), "Lin(0) * Lin(0, b=fixed(0.4))");
}

#[test]
fn order_is_one() {
    let (a, b, c) = (bare("SE"), bare("Lin"), bare("Cos"));
    check(sum([c.clone(), b.clone(), a.clone()]), "SE(0) + Lin(0) + Cos(0)");
    check(product([c, a, b]), "SE(0) * Lin(0) * Cos(0)");
    let two = Inputs::These(vec![super::InputRef::Index(1), super::InputRef::Index(0)]);
    check(leaf("SE", two, &[]), "SE([0, 1])");
}

#[test]
fn functions_keep_the_inputs_they_are_given() {
    let pair = sum([leaf("SE", at(1), &[]), bare("SE")]);
    check(wraps::warp(pair, function("(x, y) -> [x, y]"), Vec::new()), "warp(SE(1) + SE(0), (x, y) -> [x, y])");
    check(wraps::warp(sum([bare("Lin"), bare("SE")]), function("x -> x"), Vec::new()), "warp(SE(0) + Lin(0), x -> x)");
    check(wraps::warp(noise(), function("x -> x"), Vec::new()), "WN");
}

#[test]
fn equal_kernels_are_equal() {
    let (a, b, c) = (|| bare("SE"), || bare("Lin"), || bare("Per"));
    let equal = |one: &Kernel, two: &Kernel| assert!(one.equal(two).unwrap(), "{one} and {two}");
    let square = wraps::power(sum([a(), b()]), 2);
    equal(&square, &product([sum([b(), a()]), sum([a(), b()])]));
    equal(&product([a(), sum([b(), c()])]), &sum([product([c(), a()]), product([a(), b()])]));
    equal(&sum([b(), b()]), &product([Kernel::number(2.0), b()]));
    equal(&wraps::power(b(), 2), &product([b(), b()]));
    equal(&sum([a(), b()]).labelled("x"), &sum([b().labelled("y"), a()]));
    let wrapped = || wraps::warp(product([a(), c()]), function("x -> x"), Vec::new());
    equal(&product([b(), wrapped()]), &product([wrapped(), b()]));
    for (one, two) in [(a(), b()), (a(), leaf("SE", at(1), &[])), (a(), product([Kernel::number(2.0), a()]))] {
        assert!(!one.equal(&two).unwrap(), "{one} and {two}");
    }
}

/// A kernel, its expansion and its simplification are all equal, whatever is tied in one and merged in another.
#[test]
fn equality_is_transitive() {
    let (x, y) = (|| bare("SE"), || leaf("SE", at(1), &[]));
    let pair = || sum([x(), y()]);
    for kernel in [
        product([pair(), constant(2.0), constant(3.0)]),
        product([pair(), wraps::power(y(), 3)]),
        product([sum([bare("Lin"), constant(0.5)]), y()]),
        product([wraps::power(of("Per", &[("v", free(2.0))]), 2), sum([leaf("Lin", at(1), &[]), y()])]),
    ] {
        let (long, short) = (kernel.expand().unwrap(), kernel.simplify());
        for (one, two) in [(&kernel, &long), (&kernel, &short), (&long, &short), (&short, &long)] {
            assert!(one.equal(two).unwrap(), "{one} and {two}");
        }
    }
}

#[test]
fn stationary_kernels() {
    let (a, b) = (bare("SE"), bare("Lin"));
    assert!(product([a.clone(), sum([bare("Per"), Kernel::number(2.0)])]).stationary());
    assert!(wraps::power(a.clone(), 2).stationary());
    assert!(!sum([a.clone(), b]).stationary());
    assert!(!wraps::warp(a, function("x -> x"), Vec::new()).stationary());
}
