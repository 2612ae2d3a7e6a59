//! `affine-loop-invariant-code-motion`: what every iteration of an affine loop does
//! alike moves in front of the loop, memory accesses and whole nests included.
//!
//! Legal for an op (with all that is nested in it) that uses nothing the loop defines and
//! - has no effect on memory and may run even when the loop would not, or
//! - loads what no op of the loop writes, from within the memref or where the loop is
//!   known to run, or
//! - stores what no other op of the loop reads or writes, where the loop is known to
//!   run.
//!
//! Memrefs are told apart as in [`crate::analysis::memory`].
//!
//! ```text
//! affine.for %i = 0 to 10 {                  %0 = affine.load %a[%j]
//!   %0 = affine.load %a[%j]            =>    affine.for %i = 0 to 10 {
//!   affine.store %0, %b[%i]                    affine.store %0, %b[%i]
//! }                                          }
//! ```

use super::licm::uses_only_outside;
use crate::analysis::bounds::trip_count_of_all_bounds;
use crate::analysis::memory::{base, is_view, may_be_same};
use crate::analysis::ranges::Ranges;
use terrace_dialects::affine::{Access, AccessKind, ForOp};
use terrace_dialects::{affine, func};
use terrace_ir::effects::{is_memory_effect_free, is_speculatable, own_effects};
use terrace_ir::opdef::{EffectKind, traits};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "affine-loop-invariant-code-motion",
    title: "AffineLoopInvariantCodeMotion",
    summary: "Hoist loop invariant instructions outside of affine loops",
    description: "Moves what computes, loads or stores the same in every iteration in front of the loop, inner loops first.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-hoisted",
        "Number of operations moved",
    )],
    make: |_| Ok(Box::new(Licm)),
    ..PassInfo::EMPTY
};

struct Licm;

impl Pass for Licm {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut moved = 0;
        for o in op.post_order(ctx) {
            if let Some(l) = o.cast::<ForOp>(ctx) {
                moved += hoist_from(ctx, l);
            }
        }
        ctx.count("num-hoisted", moved);
        Ok(())
    }
}

/// Move what is invariant in `l` in front of it. Returns how many ops were moved.
pub fn hoist_from(ctx: &mut Context, l: ForOp) -> u64 {
    let Touched { known, opaque } = Touched::by(ctx, l);
    let runs = runs_at_least_once(ctx, l);
    let region = l.op().region(ctx, 0);
    let mut moved = 0;
    for op in l.body(ctx).ops(ctx) {
        if op.is_terminator(ctx) || !uses_only_outside(ctx, op, region) {
            continue;
        }
        let ok = is_memory_effect_free(ctx, op) && (runs || is_speculatable(ctx, op))
            || !opaque && is_movable(ctx, op, &known, runs);
        if ok {
            op.move_before(ctx, l.op());
            moved += 1;
        }
    }
    moved
}

/// Whether the bounds say that there is an iteration.
fn runs_at_least_once(ctx: &Context, l: ForOp) -> bool {
    trip_count_of_all_bounds(ctx, l).is_some_and(|count| {
        let ranges = Ranges::default().of_results(ctx, &count.map, &count.operands);
        ranges.iter().all(|r| r.lo.is_some_and(|lo| lo >= 1))
    })
}

/// What a loop does to memory.
#[derive(Default)]
struct Touched {
    /// The op, the memory, and whether it writes it.
    known: Vec<(Op, Value, bool)>,
    /// Whether there is an op of which that is not known.
    opaque: bool,
}

impl Touched {
    fn by(ctx: &Context, l: ForOp) -> Touched {
        let mut all = Touched::default();
        l.op().walk(ctx, &mut |op| {
            let Some(effects) = own_effects(ctx, op) else {
                let recursive = op.has_trait(ctx, traits::RECURSIVE_EFFECTS);
                let prefetch = op.name(ctx) == affine::PrefetchOp::NAME;
                all.opaque |= !(recursive || prefetch || is_view(ctx, op));
                return;
            };
            for e in effects {
                let writes = match e.kind {
                    EffectKind::Read => false,
                    EffectKind::Write | EffectKind::Free => true,
                    EffectKind::Alloc => continue,
                };
                match e.on {
                    Some(v) => all.known.push((op, base(ctx, v), writes)),
                    None => all.opaque = true,
                }
            }
        });
        all
    }
}

/// Whether an op that touches memory may move with all that is nested in it.
fn is_movable(ctx: &Context, op: Op, touched: &[(Op, Value, bool)], runs: bool) -> bool {
    let mut ok = true;
    op.walk(ctx, &mut |o| {
        if !ok {
            return;
        }
        let nests = matches!(
            o.name(ctx),
            ForOp::NAME | affine::IfOp::NAME | affine::ParallelOp::NAME | affine::YieldOp::NAME
        );
        ok = match Access::of(ctx, o) {
            _ if nests => runs || o.name(ctx) != ForOp::NAME || ForOp::wrap(o).step(ctx) == 1,
            Some(a) if a.kind == AccessKind::Prefetch => false,
            Some(a) => {
                let writes = a.kind == AccessKind::Write;
                let memory = base(ctx, a.memref);
                let clash = |(other, m, w): &(Op, Value, bool)| {
                    *other != o && (writes || *w) && may_be_same(ctx, memory, *m)
                };
                (runs || !writes && is_within(ctx, &a)) && !touched.iter().any(clash)
            }
            None => {
                o.num_regions(ctx) == 0
                    && is_memory_effect_free(ctx, o)
                    && (runs || is_speculatable(ctx, o))
            }
        };
    });
    ok
}

/// Whether an access of one element is known to be within its memref.
fn is_within(ctx: &Context, a: &Access) -> bool {
    let c = a.composed(ctx);
    let ranges = Ranges::default().of_results(ctx, &c.map, &c.operands);
    let shape = a.memref.ty(ctx).shape(ctx).unwrap_or(&[]);
    a.vector.is_none()
        && ranges.len() == shape.len()
        && ranges
            .iter()
            .zip(shape)
            .all(|(r, size)| r.lo.is_some_and(|lo| lo >= 0) && r.hi.is_some_and(|hi| hi < *size))
}
