//! The exponential and the logarithm of one number, by operations that the compiler vectorises in a loop over many.

/// a·b + c, fused if that is one instruction, and never by a library call.
#[inline(always)]
pub(super) fn fma<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// Adding this to a number of moderate size gives the number, rounded to an integer, in the low bits of the sum.
const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5·2^52
const LN2_HI: f64 = 0.693_147_180_369_123_8;
const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;

/// Below this the exponential is set to 0: a denormal number would slow down later operations.
const EXP_LEAST: f64 = -708.0;

/// e^x.
#[inline(always)]
pub(super) fn exp_one<const FMA: bool>(x: f64) -> f64 {
    let held = x.clamp(EXP_LEAST, 709.7);
    let shifted = fma::<FMA>(held, std::f64::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = fma::<FMA>(n, -LN2_LO, fma::<FMA>(n, -LN2_HI, held));
    // Taylor's series to r^13; |r| ≤ ln2/2, so the remainder is below 1e-17
    let mut p = 1.0 / 6_227_020_800.0;
    p = fma::<FMA>(p, r, 1.0 / 479_001_600.0);
    p = fma::<FMA>(p, r, 1.0 / 39_916_800.0);
    p = fma::<FMA>(p, r, 1.0 / 3_628_800.0);
    p = fma::<FMA>(p, r, 1.0 / 362_880.0);
    p = fma::<FMA>(p, r, 1.0 / 40_320.0);
    p = fma::<FMA>(p, r, 1.0 / 5_040.0);
    p = fma::<FMA>(p, r, 1.0 / 720.0);
    p = fma::<FMA>(p, r, 1.0 / 120.0);
    p = fma::<FMA>(p, r, 1.0 / 24.0);
    p = fma::<FMA>(p, r, 1.0 / 6.0);
    p = fma::<FMA>(p, r, 0.5);
    p = fma::<FMA>(p, r, 1.0);
    p = fma::<FMA>(p, r, 1.0);
    let scaled = f64::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 52));
    let value = if x < EXP_LEAST { 0.0 } else { scaled };
    let value = if x > 709.7 { f64::INFINITY } else { value };
    if x.is_nan() { x } else { value }
}

/// log x of a positive number.
#[inline(always)]
pub(super) fn ln_one<const FMA: bool>(x: f64) -> f64 {
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    // x = 2^k · (1 + f) with 1 + f between √½ and √2; k is taken from the exponent bits without an integer conversion
    let bits = x.to_bits();
    let shifted = bits.wrapping_sub(SQRT_HALF).wrapping_add(1024 << 52);
    let k = f64::from_bits((shifted >> 52) | TWO_52.to_bits()) - (TWO_52 + 1024.0);
    let mantissa = (shifted & 0x000f_ffff_ffff_ffff).wrapping_add(SQRT_HALF);
    let f = f64::from_bits(mantissa) - 1.0;
    // log(1+f) = 2 artanh(s), s = f/(2+f), |s| ≤ 0.1716
    let s = f / (2.0 + f);
    let z = s * s;
    let mut p = 2.0 / 21.0;
    p = fma::<FMA>(p, z, 2.0 / 19.0);
    p = fma::<FMA>(p, z, 2.0 / 17.0);
    p = fma::<FMA>(p, z, 2.0 / 15.0);
    p = fma::<FMA>(p, z, 2.0 / 13.0);
    p = fma::<FMA>(p, z, 2.0 / 11.0);
    p = fma::<FMA>(p, z, 2.0 / 9.0);
    p = fma::<FMA>(p, z, 2.0 / 7.0);
    p = fma::<FMA>(p, z, 2.0 / 5.0);
    p = fma::<FMA>(p, z, 2.0 / 3.0);
    // log(1+f) = f − s·(f − z·p): f is exact, and the second term is small
    let rest = s * (f - z * p);
    fma::<FMA>(k, LN2_HI, f - (rest - k * LN2_LO))
}
