//! `affine-parallel-outermost`: loops whose iterations do not depend on each other go outwards.
//!
//! ```text
//! affine.for %i = 0 to %m {                 affine.for %j = 0 to %n {
//!   affine.for %j = 0 to %n {                 affine.for %i = 0 to %m {
//!     s[%j] += a[%i, %j]               =>       s[%j] += a[%i, %j]
//!   }                                         }
//! }                                         }
//! ```
//!
//! A device has a launch for each iteration of a loop in order that holds parallel ones, and a thread
//! goes through a loop in order that stands inside of them. So the parallel ones belong outside.
//!
//! Legal along a loop over which no dependence reaches another iteration: the others still come in
//! their order, and so do the sums of each element. Loops that directives speak of stay where they are.

use crate::analysis::dependence::{Extent, Kind, Options, dependences};
use crate::loops::nest::band_of;
use crate::loops::permute::permute;
use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_dialects::attributes::ACC_LOOP;
use terrace_dialects::func;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, OpKind};

/// `affine-parallel-outermost`.
pub static INFO: PassInfo = PassInfo {
    name: "affine-parallel-outermost",
    title: "AffineParallelOutermost",
    summary: "Move affine loops outwards whose iterations do not depend on each other",
    description: "Takes perfect nests of affine.for ops whose outermost loop carries a dependence. Those of their loops over which no dependence reaches another iteration become the outermost, as far as bounds allow it.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-nests",
        "Number of nests in another order",
    )],
    make: |_| Ok(Box::new(ParallelOutermost)),
    ..PassInfo::EMPTY
};

struct ParallelOutermost;

impl Pass for ParallelOutermost {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut outermost = function.find_all::<ForOp>(ctx);
        outermost.retain(|l| is_outermost(ctx, *l));
        for l in outermost {
            if move_outwards(ctx, l) {
                ctx.count("num-nests", 1);
            }
        }
        Ok(())
    }
}

fn is_outermost(ctx: &Context, l: ForOp) -> bool {
    let mut around = l.op().parent(ctx);
    while let Some(op) = around {
        if op.isa::<ForOp>(ctx) || op.isa::<ParallelOp>(ctx) {
            return false;
        }
        around = op.parent(ctx);
    }
    true
}

/// Whether the loops of the nest changed their order.
fn move_outwards(ctx: &mut Context, root: ForOp) -> bool {
    let band = band_of(ctx, root);
    let plain = |l: &ForOp| l.op().num_results(ctx) == 0 && l.op().attr(ctx, ACC_LOOP).is_none();
    if band.len() < 2 || !band.iter().all(plain) {
        return false;
    }
    let found = dependences(ctx, root.op(), &Options::default());
    let stays = |i: usize| {
        let zero = |e: &Extent| {
            [&e.min, &e.max]
                .into_iter()
                .all(|n| n.as_ref().is_some_and(|n| n.is_zero()))
        };
        let real = found.all.iter().filter(|d| d.kind != Kind::Input);
        real.into_iter()
            .all(|d| d.distance.get(i).is_some_and(zero))
    };
    let (free, carrying): (Vec<usize>, Vec<usize>) = (0..band.len()).partition(|i| stays(*i));
    if carrying.first() != Some(&0) || free.is_empty() || !found.carried.is_empty() {
        return false;
    }
    let order = [free, carrying].concat();
    permute(ctx, &band, &order).is_ok()
}
