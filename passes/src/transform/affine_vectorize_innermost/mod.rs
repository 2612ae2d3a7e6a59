//! `affine-vectorize-innermost`: innermost loops whose iterations may run in any order run in
//! vectors of one register.
//!
//! ```text
//! affine.for %j = 0 to %n {                  affine.for %j = 0 to %n floordiv 2 * 2 step 2 {
//!   %0 = affine.load %b[%k, %j]                %0 = vector.transfer_read %b[%k, %j]
//!   %1 = arith.mulf %a, %0              =>     %1 = arith.mulf %as, %0 : vector<2xf64>
//!   affine.store %1, %c[%i, %j]                vector.transfer_write %1, %c[%i, %j]
//! }                                          }
//!                                            the rest, one iteration at a time
//! ```
//!
//! Each lane computes what its iteration did, so that results are the same in all bits.
//! Values of several widths have one number of lanes, in as many registers as they need. A
//! load or store that moves by another distance than one element is made lane by lane. Sums,
//! which lanes would add in another order, are taken where that makes no difference or
//! `reassociate` allows it. `choose` says how many lanes there are, and whether it pays.

mod choose;
mod forms;

use crate::analysis::lockstep::run_in_lockstep;
use crate::analysis::reduction::{self, Reduction};
use crate::loops::vectorize::{self, vectorize};
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{AtomicRmwKind as K, fastmath, fastmath_of};
use terrace_dialects::func;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-vectorize-innermost",
    title: "AffineVectorizeInnermost",
    summary: "Let innermost affine loops run in vectors of a few registers",
    description: "Vectorizes affine.for ops without loops inside whose iterations are independent, by as many lanes as one to four registers have of their elements; the iterations left over follow in a loop as it was.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo {
            name: "bytes",
            kind: OptionKind::UInt,
            default: "16",
            doc: "Bytes of a register",
        },
        OptionInfo {
            name: "reassociate",
            kind: OptionKind::Bool,
            default: "false",
            doc: "Compute sums of floats in any order, too",
        },
    ],
    statistics: &[StatisticInfo {
        name: "num-loops",
        doc: "Number of loops that run in vectors",
    }],
    make: |o| {
        Ok(Box::new(Vectorize {
            bytes: o.uint("bytes"),
            reassociate: o.bool("reassociate"),
        }))
    },
};

struct Vectorize {
    bytes: u64,
    reassociate: bool,
}

impl Pass for Vectorize {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut loops = op.find_all::<ForOp>(ctx);
        loops.retain(|l| l.op().find_all::<ForOp>(ctx).len() == 1);
        let options = vectorize::Options {
            reductions: true,
            for_registers: true,
        };
        for l in loops {
            if let Some(lanes) = self.lanes(ctx, l)
                && vectorize(ctx, l, lanes, options).is_ok()
            {
                ctx.count("num-loops", 1);
            }
        }
        Ok(())
    }
}

impl Vectorize {
    /// How many iterations a vector has; nothing where the loop is not to be vectorised.
    fn lanes(&self, ctx: &Context, l: ForOp) -> Option<u64> {
        let lanes = choose::lanes(ctx, l, self.bytes)?;
        let may = self.may_carry(ctx, l) && run_in_lockstep(ctx, l);
        may.then_some(lanes)
    }

    /// Whether the values that the loop carries may be combined in another order.
    fn may_carry(&self, ctx: &Context, l: ForOp) -> bool {
        let carried = l.op().num_results(ctx);
        if carried == 0 {
            return true;
        }
        // A sum of floats depends on the order of its terms, a maximum does not.
        let ordered = |r: &Reduction| {
            let free = fastmath_of(ctx, r.combiner) & fastmath::REASSOC != 0;
            matches!(r.kind, K::AddF | K::MulF) && !free
        };
        let all = reduction::all_of(ctx, l);
        all.is_some_and(|all| self.reassociate || !all.iter().any(ordered))
    }
}
