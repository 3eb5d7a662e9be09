//! The random numbers of a call.

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

use crate::lang::error::Res;
use crate::lang::eval::evaluator::Call;

/// The generator of a call: from its `seed` if given, otherwise from the session's stream, which each call advances.
pub fn random(call: &mut Call<'_, '_>) -> Res<rand_pcg::Pcg64> {
    if let Some(seed) = call.maybe::<usize>("seed")? {
        return Ok(rand_pcg::Pcg64::seed_from_u64(seed as u64));
    }
    let host = &mut call.eval.host;
    let mut random = rand_pcg::Pcg64::seed_from_u64(host.seed);
    // The distance is large enough that the numbers of two calls do not overlap.
    random.advance(u128::from(host.next_draw()) << 64);
    Ok(random)
}

/// Standard normal numbers from the generator of [`random`].
pub fn normals(call: &mut Call<'_, '_>) -> Res<impl FnMut() -> f64 + use<>> {
    let mut random = random(call)?;
    Ok(move || StandardNormal.sample(&mut random))
}
