//! Bands of loops as the mechanics take them, and the building of new ones.
//!
//! Besides the next loop, a loop of a band may hold ops that only compute, such as an
//! `affine.apply`: where the order of the loops changes they move to the innermost
//! body, or vanish into the bounds.

use super::{Refusal, names};
use crate::analysis::captured::is_in_body;
use terrace_dialects::affine::{ForOp, YieldOp};
use terrace_ir::affine::ValueMap;
use terrace_ir::effects::is_pure;
use terrace_ir::{Builder, Context, InsertPoint, Loc, Op, OpKind, Value};

/// `root` and the loops nested in it, each with nothing beside it but ops that only
/// compute; the outermost first.
pub fn band_of(ctx: &Context, root: ForOp) -> Vec<ForOp> {
    let mut band = vec![root];
    let mut l = root;
    while let Some(inner) = inner_loop(ctx, l) {
        band.push(inner);
        l = inner;
    }
    band
}

/// The only loop that `l` holds, if all beside it only computes, before it.
fn inner_loop(ctx: &Context, l: ForOp) -> Option<ForOp> {
    let ops = l.body(ctx).ops(ctx);
    let (_, rest) = ops.split_last()?;
    let (inner, before) = rest.split_last()?;
    let movable = |o: &Op| o.num_regions(ctx) == 0 && is_pure(ctx, *o);
    before
        .iter()
        .all(movable)
        .then(|| inner.cast::<ForOp>(ctx))?
}

/// A band, checked: every loop is all that the one before it does.
#[derive(Debug, Clone)]
pub(crate) struct Band {
    pub(crate) loops: Vec<ForOp>,
    /// What the bodies hold beside the next loop and does not depend on the band.
    hoisted: Vec<Op>,
    /// The rest of what they hold, from the outside in.
    sunk: Vec<Op>,
}

impl Band {
    /// # Errors
    ///
    /// Where there is no loop, where a loop is not directly in the one before it, or
    /// not all of it; where carried values are not handed straight through.
    pub(crate) fn new(ctx: &Context, loops: &[ForOp]) -> Result<Band, Refusal> {
        if loops.is_empty() {
            return Err(Refusal::new(Loc::Unknown, "there is no loop to transform"));
        }
        let (mut hoisted, mut sunk) = (Vec::new(), Vec::new());
        for pair in loops.windows(2) {
            let (outer, inner) = (pair[0], pair[1]);
            let (on, inn) = (names::describe(ctx, outer), names::describe(ctx, inner));
            if inner.op().block(ctx) != Some(outer.body(ctx)) {
                let m = format!(
                    "{inn} is not directly in {on}: the loops must be a perfect nest, the outermost first"
                );
                return Err(Refusal::new(inner.op().loc(ctx), m).note(outer.op().loc(ctx), on));
            }
            for op in outer.body(ctx).ops(ctx) {
                if op == inner.op() || op.isa::<YieldOp>(ctx) {
                    continue;
                }
                let ahead = op.is_before(ctx, inner.op());
                if !ahead || op.num_regions(ctx) > 0 || !is_pure(ctx, op) {
                    let m = format!(
                        "'{}' stands beside {inn} in {on}: the loops must be a perfect nest",
                        op.name(ctx)
                    );
                    return Err(Refusal::new(op.loc(ctx), m)
                        .note(inner.op().loc(ctx), inn)
                        .note(outer.op().loc(ctx), on));
                }
                let free = |v: Value| {
                    !is_in_body(ctx, loops[0].op(), v)
                        || v.def_op().is_some_and(|d: Op| hoisted.contains(&d))
                };
                if op.operands(ctx).into_iter().all(free) {
                    hoisted.push(op);
                } else {
                    sunk.push(op);
                }
            }
            let carried = outer.iter_args(ctx);
            let straight = inner.inits(ctx) == carried
                && outer.yielded(ctx) == inner.op().results(ctx)
                && carried
                    .iter()
                    .all(|v| v.users(ctx).iter().all(|u| *u == inner.op()));
            if !straight {
                let m = format!(
                    "{on} carries values that {inn} does not carry on in the same order, so that the two cannot change places"
                );
                return Err(Refusal::new(outer.op().loc(ctx), m).note(inner.op().loc(ctx), inn));
            }
        }
        Ok(Band {
            loops: loops.to_vec(),
            hoisted,
            sunk,
        })
    }

    pub(crate) fn outermost(&self) -> ForOp {
        self.loops[0]
    }

    pub(crate) fn innermost(&self) -> ForOp {
        self.loops[self.loops.len() - 1]
    }

    pub(crate) fn ivs(&self, ctx: &Context) -> Vec<Value> {
        self.loops.iter().map(|l| l.iv(ctx)).collect()
    }

    /// Whether `v` can be used before the band once [`Self::hoist`] is done.
    pub(crate) fn is_available(&self, ctx: &Context, v: Value) -> bool {
        !is_in_body(ctx, self.outermost().op(), v)
            || v.def_op().is_some_and(|d| self.hoisted.contains(&d))
    }

    /// Move what does not depend on the band to before it.
    pub(crate) fn hoist(&self, ctx: &Context) {
        for op in &self.hoisted {
            op.move_before(ctx, self.outermost().op());
        }
    }

    /// Put what the band does into the block at `end`, a point before a terminator,
    /// and give what it hands to the next iteration. `carried` stands for the carried
    /// values. The induction variables still are those of the old loops.
    pub(crate) fn move_body(&self, ctx: &Context, end: Op, carried: &[Value]) -> Vec<Value> {
        let inner = self.innermost();
        for (old, new) in inner.iter_args(ctx).into_iter().zip(carried) {
            old.replace_all_uses(ctx, *new);
        }
        let yielded = inner.yielded(ctx);
        for op in &self.sunk {
            op.move_before(ctx, end);
        }
        for op in inner.body(ctx).ops(ctx) {
            if !op.isa::<YieldOp>(ctx) {
                op.move_before(ctx, end);
            }
        }
        yielded
    }
}

/// A new loop at the builder's place, which moves to before the terminator of its
/// body. The loop hands on what it carries as it is, until told otherwise.
pub(crate) fn open(
    b: &mut Builder,
    lower: ValueMap<Value>,
    upper: ValueMap<Value>,
    step: i64,
    inits: &[Value],
) -> ForOp {
    let l = ForOp::build(
        b,
        (lower.map, &lower.operands),
        (upper.map, &upper.operands),
        step,
        inits,
        |_, _, carried| carried.to_vec(),
    );
    let body = l.body(b.ctx);
    b.at = match body.last_op(b.ctx) {
        Some(end) => InsertPoint::Before(end),
        None => InsertPoint::End(body),
    };
    l
}
