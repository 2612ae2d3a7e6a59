//! Which sizes stand for those that are not known.
//!
//! A mapping that is best for one size is often not for another: with 1,024 iterations no
//! mapping fills the machine, and with 2^26 the loads that a thread has under way decide.
//! A program whose sizes are not known is mapped for large ones, since these are where its
//! time goes, as long as small ones do not lose by it.

use crate::gpu::model::{Nest, Options, read};
use terrace_dialects::affine::ParallelOp;
use terrace_ir::Context;

/// Iterations of all loops of a nest that is large: its arrays are beyond every cache.
const MANY: f64 = (1u64 << 26) as f64;
/// Unknown sizes are not taken to be larger.
const MAX_SIZE: i64 = 1 << 26;

/// The nest where what is not known is large, as it is where the sizes that are assumed are large
/// already; `None` where all is known.
pub(super) fn large(ctx: &Context, p: ParallelOp, options: &Options, small: &Nest) -> Option<Nest> {
    let assumed = options.assume.filter(|n| *n > 0)?;
    if small.assumed.is_empty() {
        return None;
    }
    let with = |n: i64| {
        let options = Options {
            assume: Some(n),
            ..options.clone()
        };
        read(ctx, p, &options).ok()
    };
    // How iterations grow with the sizes says how large these have to be.
    let twice = with(assumed.checked_mul(2)?)?;
    let (before, after) = (iterations(small), iterations(&twice));
    let power = (after / before).log2().round();
    if power < 1.0 {
        return None;
    }
    let factor = (MANY / before).powf(1.0 / power).max(1.0);
    // A power of two, so that lines of arrays begin where sectors do, as with the sizes that
    // are assumed.
    let factor = factor.log2().floor().exp2();
    let size = (assumed as f64 * factor).min(MAX_SIZE as f64) as i64;
    match size > assumed {
        true => with(size),
        false => Some(small.clone()),
    }
}

/// The iterations of the loops that go round most often together.
fn iterations(nest: &Nest) -> f64 {
    let trips = nest.most_trips();
    let most = |loops: &[usize]| -> f64 {
        let extent = |l: &usize| trips.get(*l).map_or(1.0, |n| *n as f64).max(1.0);
        loops.iter().map(extent).product()
    };
    let all = nest.references.iter().map(|r| most(&r.loops));
    all.fold(most(&nest.parallel), f64::max)
}
