//! Whether a nest may move behind what follows it.

use crate::analysis::dependence::{self, Program};
use crate::analysis::memory::{base, is_view, may_be_same};
use terrace_dialects::affine;
use terrace_ir::effects::{is_pure, own_effects};
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Context, Op, Value};

/// Memory that an op touches, and whether it writes it.
pub type Touched = Vec<(Value, bool)>;

/// What an op and what is in it touch; `None` where that may be any memory.
pub fn touched(ctx: &Context, op: Op) -> Option<Touched> {
    if op.num_regions(ctx) > 0 {
        if !matches!(
            op.name(ctx),
            affine::ForOp::NAME | affine::IfOp::NAME | affine::ParallelOp::NAME
        ) {
            return None;
        }
        let options = dependence::Options::default();
        let program = Program::of(ctx, op, &options);
        let one = |s: &dependence::AccessSite| Some((base(ctx, s.memref?), s.writes));
        return program.sites.iter().map(one).collect();
    }
    if is_pure(ctx, op) || is_view(ctx, op) {
        return Some(Vec::new());
    }
    let mut all = Vec::new();
    for e in own_effects(ctx, op)? {
        let writes = match e.kind {
            EffectKind::Alloc => continue,
            EffectKind::Read => false,
            EffectKind::Write | EffectKind::Free => true,
        };
        all.push((base(ctx, e.on?), writes));
    }
    Some(all)
}

/// Whether two ops may change places as far as memory is concerned.
pub fn commute(ctx: &Context, a: &Touched, b: &Touched) -> bool {
    let meets = |(x, wx): &(Value, bool)| {
        (b.iter()).any(|(y, wy)| (*wx || *wy) && may_be_same(ctx, *x, *y))
    };
    !a.iter().any(meets)
}
