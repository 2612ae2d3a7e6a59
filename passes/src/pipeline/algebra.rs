//! What a program says of sums, products and quotients of floats as a whole.

use super::Step;
use crate::gpu::set_fastmath;
use crate::transform::arith_restructure;

/// What compilers of C call associative, finite, unsigned and reciprocal mathematics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Algebra {
    /// Sums and products may be computed in another order; without it the others mean nothing.
    pub reassociate: bool,
    /// No number is infinite or a NaN.
    pub finite: bool,
    /// The sign of nought does not count.
    pub unsigned_zeros: bool,
    /// Quotients may be products with reciprocals.
    pub reciprocal: bool,
}

impl Algebra {
    /// Formulas are equations of real numbers.
    pub const REAL: Algebra = Algebra {
        reassociate: true,
        finite: true,
        unsigned_zeros: true,
        reciprocal: true,
    };

    /// Formulas are computed as they are written.
    pub const AS_WRITTEN: Algebra = Algebra {
        reassociate: false,
        finite: false,
        unsigned_zeros: false,
        reciprocal: false,
    };

    /// The same for cores, whose products and sums may be rounded once, too: of real numbers that is
    /// the same.
    pub(super) fn step_for_cores(self) -> Option<Step> {
        self.step().map(|s| s.with("contract", true))
    }

    /// The step that marks operations; none where their order counts.
    pub(super) fn step(self) -> Option<Step> {
        let step = Step::new(
            &set_fastmath::INFO,
            "Sums and products are computed with fewer operations where each of them says that it may be.",
        )
        .with("reassociate", true)
        .with_if(self.finite, "finite", true)
        .with_if(self.unsigned_zeros, "unsigned-zeros", true)
        .with_if(self.reciprocal, "reciprocal", true);
        self.reassociate.then_some(step)
    }
}

/// The step that computes sums and products with fewer operations.
pub(super) fn restructured(why: &'static str) -> Step {
    Step::new(&arith_restructure::INFO, why).with("only-chains", true)
}
