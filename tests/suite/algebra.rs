//! Properties of all kernels under the operations on them.

use crate::support::kernels;

use kernels::{free_parameters, gram, kernel, written};
use mercer::kernel::Kernel;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Whether two kernels have the same Gram matrix, to 10⁻¹⁰ of its largest entry.
fn same_values(one: &Kernel, two: &Kernel) -> Result<(), TestCaseError> {
    let (a, b) = (gram(one), gram(two));
    prop_assert!((&a - &b).amax() <= 1e-10 * a.amax(), "{one}\n{two}\n{a}{b}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, rng_seed: RngSeed::Fixed(11), ..ProptestConfig::default() })]

    #[test]
    fn gram_matrices_have_no_negative_eigenvalue(k in kernel()) {
        let g = gram(&k);
        let least = g.clone().symmetric_eigenvalues().min();
        prop_assert!(least >= -1e-8 * g.trace() / g.nrows() as f64, "{k:?}: {least}");
    }

    #[test]
    fn simplifying_keeps_values(k in kernel()) {
        let simple = k.simplify();
        same_values(&k, &simple)?;
        let again = simple.simplify();
        prop_assert!(simple == again, "{k:?}\n{simple}\n{again}");
        prop_assert_eq!(simple.to_string(), again.to_string());
        prop_assert!(free_parameters(&simple) <= free_parameters(&k), "{k:?}\n{simple}");
    }

    #[test]
    fn structures_are_settled(k in kernel()) {
        let simple = k.simplify_structure();
        let again = simple.simplify_structure();
        prop_assert!(simple == again, "{k:?}\n{simple}\n{again}");
        prop_assert!(free_parameters(&simple) <= free_parameters(&k), "{k:?}\n{simple}");
    }

    #[test]
    fn expanding_keeps_values_and_freedom(k in kernel()) {
        let Ok(sum) = k.expand() else { return Ok(()) };
        same_values(&k, &sum)?;
        prop_assert_eq!(free_parameters(&sum), free_parameters(&k), "{:?}\n{}", k, sum);
        let again = sum.expand().unwrap();
        prop_assert!(sum == again, "{k:?}\n{sum}\n{again}");
    }

    #[test]
    fn a_kernel_equals_what_is_made_of_it(k in kernel()) {
        let Ok(sum) = k.expand() else { return Ok(()) };
        prop_assert!(k.equal(&k.simplify()).unwrap(), "{k:?}\n{}", k.simplify());
        prop_assert!(sum.equal(&sum.simplify()).unwrap(), "{sum}\n{}", sum.simplify());
    }

    #[test]
    fn equal_kernels_have_equal_values(k in kernel(), l in kernel()) {
        if k.equal(&l).unwrap_or(false) {
            same_values(&k, &l)?;
        }
        prop_assert_eq!(*k == *l, k.to_string() == l.to_string(), "{:?}\n{:?}", k, l);
    }

    #[test]
    fn a_bound_kernel_with_its_own_values_is_itself(k in kernel()) {
        same_values(&k, &written(&k))?;
    }
}
