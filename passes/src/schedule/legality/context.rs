//! What decides which iterations run an op: to tell whether it has changed.

use crate::analysis::loop_names::ivs;
use terrace_dialects::schedule::InstanceOp;
use terrace_ir::effects::is_pure;
use terrace_ir::opdef::traits;
use terrace_ir::{Attr, Context, Op, Value};

/// How deep the computation of a bound is followed.
const MAX_DEPTH: u32 = 16;

/// The loops and conditions around an op up to a root, with everything that decides
/// their iterations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Surroundings(Vec<Frame>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Frame {
    op: Op,
    /// Which of its regions the way leads through.
    region: usize,
    /// How many loop variables it has.
    dims: usize,
    attrs: Vec<Attr>,
    operands: Vec<Value>,
    /// The ops inside loops that compute the operands.
    computed: Vec<(Op, Vec<Attr>, Vec<Value>)>,
}

impl Surroundings {
    pub(super) fn of(ctx: &Context, op: Op, root: Op) -> Surroundings {
        let mut frames = Vec::new();
        let mut inner = op;
        while let Some(parent) = inner.parent(ctx) {
            let region = inner.region_of(ctx);
            let region = parent.regions(ctx).iter().position(|r| Some(*r) == region);
            if parent != root {
                frames.push(frame(ctx, parent, region.unwrap_or(0)));
            }
            inner = parent;
            if parent == root {
                break;
            }
        }
        frames.reverse();
        Surroundings(frames)
    }

    /// How many of the outermost loop variables are the same in both, with everything
    /// that decides their values.
    pub(super) fn shared(&self, other: &Surroundings) -> usize {
        let same = self.0.iter().zip(&other.0).take_while(|(a, b)| a == b);
        same.map(|(f, _)| f.dims).sum()
    }
}

fn frame(ctx: &Context, op: Op, region: usize) -> Frame {
    let operands = op.operands(ctx);
    let mut computed = Vec::new();
    for v in &operands {
        follow(ctx, *v, MAX_DEPTH, &mut computed);
    }
    Frame {
        op,
        region,
        dims: ivs(ctx, op).len(),
        attrs: attrs(ctx, op),
        operands,
        computed,
    }
}

fn attrs(ctx: &Context, op: Op) -> Vec<Attr> {
    op.attrs(ctx).into_iter().map(|a| a.1).collect()
}

fn follow(ctx: &Context, v: Value, depth: u32, out: &mut Vec<(Op, Vec<Attr>, Vec<Value>)>) {
    let Some(op) = v.def_op() else { return };
    let top_level = op
        .parent(ctx)
        .and_then(|p| p.def(ctx))
        .is_some_and(|d| d.has(traits::FUNCTION_LIKE));
    if top_level || depth == 0 || out.iter().any(|o| o.0 == op) {
        return;
    }
    let operands = op.operands(ctx);
    for o in &operands {
        follow(ctx, *o, depth - 1, out);
    }
    out.push((op, attrs(ctx, op), operands));
}

/// What an op itself says: its attributes and operands.
pub(super) fn own(ctx: &Context, op: Op) -> (Vec<Attr>, Vec<Value>) {
    (attrs(ctx, op), op.operands(ctx))
}

/// The op that a mark is in front of: the first that does more than compute. None
/// where that is another mark.
pub(super) fn marked(ctx: &Context, mark: Op) -> Option<Op> {
    let mut next = mark.next(ctx);
    while let Some(op) = next {
        if op.isa::<InstanceOp>(ctx) {
            return None;
        }
        if op.num_regions(ctx) > 0 || !is_pure(ctx, op) {
            return Some(op);
        }
        next = op.next(ctx);
    }
    None
}
