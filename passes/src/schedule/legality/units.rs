//! What is marked: the ops whose iterations have to keep their order.

use super::context::{Surroundings, own};
use crate::analysis::dependence::{Program, Reason};
use crate::analysis::memory;
use terrace_dialects::affine;
use terrace_dialects::affine::{Access, AccessKind, ForOp};
use terrace_dialects::memref::{LoadOp, StoreOp};
use terrace_ir::affine::ValueMap;
use terrace_ir::{Attr, Context, Loc, Op, OpKind, Value};
use terrace_presburger::Conjunct;

/// An op that touches memory, or holds ops that do in loops that are not affine, or
/// ends the body of a loop that carries values.
pub(super) struct Unit {
    pub(super) op: Op,
    pub(super) loc: Loc,
    /// What it does, for messages: `store to 'A'`.
    pub(super) what: String,
    /// The variables of the affine loops around, the outermost first.
    pub(super) ivs: Vec<Value>,
    /// Their names.
    pub(super) names: Vec<String>,
    /// What else the subscripts of its element are made of. A step may make copies of
    /// the ops that compute these, so the mark carries them along.
    pub(super) symbols: Vec<Value>,
    /// The iterations that run it, over parameters and those variables.
    pub(super) domain: Vec<Conjunct>,
    /// Why it may run in fewer iterations than these.
    pub(super) doubt: Option<Reason>,
    pub(super) context: Surroundings,
    /// Its name, attributes and operands.
    pub(super) name: String,
    pub(super) own: (Vec<Attr>, Vec<Value>),
    /// Which element it touches; for what is no affine access, nothing.
    pub(super) access: Option<Touch>,
    /// Of how many loops it ends the bodies, the innermost loops around, whose carried
    /// values go from one into the next; 0 for what is no end.
    pub(super) ends: usize,
}

/// An access before the step.
pub(super) struct Touch {
    pub(super) kind: AccessKind,
    pub(super) memref: Value,
    /// Subscripts over loop variables and symbols.
    pub(super) subscripts: ValueMap<Value>,
}

/// The op that stands for `op` in a program: the outermost one around it, up to the
/// affine loops and conditions in the root.
pub(super) fn unit_of(ctx: &Context, op: Op, root: Op) -> Op {
    let mut unit = op;
    let mut at = op;
    while let Some(parent) = at.parent(ctx).filter(|p| *p != root) {
        let name = parent.name(ctx);
        if !matches!(
            name,
            ForOp::NAME | affine::ParallelOp::NAME | affine::IfOp::NAME
        ) {
            unit = parent;
        }
        at = parent;
    }
    unit
}

/// All units of a program, in the order of the text.
pub(super) fn of(ctx: &Context, program: &mut Program) -> Vec<Unit> {
    let root = program.root;
    let touching: Vec<Op> = program
        .sites
        .iter()
        .map(|s| unit_of(ctx, s.op, root))
        .collect();
    let mut ops: Vec<(Op, usize)> = Vec::new();
    root.walk(ctx, &mut |op| {
        if touching.contains(&op) {
            ops.push((op, 0));
        }
        if op.name(ctx) == affine::YieldOp::NAME
            && let Some(l) = op.parent(ctx).and_then(|p| p.cast::<ForOp>(ctx))
            && l.op().num_results(ctx) > 0
            && unit_of(ctx, l.op(), root) == l.op()
            && !hands_on(ctx, l)
        {
            let mut depth = 1;
            let mut at = l;
            while let Some(outer) = at.op().parent(ctx).and_then(|p| p.cast::<ForOp>(ctx))
                && hands_on(ctx, outer)
            {
                (at, depth) = (outer, depth + 1);
            }
            ops.push((op, depth));
        }
    });
    ops.into_iter()
        .map(|(op, ends)| unit(ctx, program, op, ends))
        .collect()
}

/// Whether all that a loop does with the values it carries is to hand them to a loop
/// in it, and its results on: the inner loop says then how they go along.
fn hands_on(ctx: &Context, l: ForOp) -> bool {
    let carried = l.iter_args(ctx);
    let last = l.yielded(ctx).first().and_then(|v| v.def_op());
    let Some(inner) = last.and_then(|o| o.cast::<ForOp>(ctx)) else {
        return false;
    };
    inner.op().parent(ctx) == Some(l.op())
        && inner.inits(ctx) == carried
        && l.yielded(ctx) == inner.op().results(ctx)
        && carried
            .iter()
            .all(|v| v.users(ctx).iter().all(|u| *u == inner.op()))
}

fn unit(ctx: &Context, program: &mut Program, op: Op, ends: usize) -> Unit {
    let point = program.point(ctx, op, &[]);
    let ivs = point.domain.ivs();
    let names = ivs
        .iter()
        .enumerate()
        .map(|(i, v)| match v.loc(ctx).name(ctx) {
            Some(n) => n.to_string(),
            None => format!("loop {}", i + 1),
        })
        .collect();
    let access = Access::of(ctx, op).map(|a| Touch {
        kind: a.kind,
        memref: a.memref,
        subscripts: a.composed(ctx),
    });
    let mut symbols = Vec::new();
    for v in access.iter().flat_map(|a: &Touch| &a.subscripts.operands) {
        if !ivs.contains(v) && !symbols.contains(v) {
            symbols.push(*v);
        }
    }
    Unit {
        op,
        loc: op.loc(ctx),
        what: what(ctx, op, access.as_ref()),
        names,
        domain: point.domain.conjuncts(&program.params),
        doubt: point.domain.inexact.clone(),
        context: Surroundings::of(ctx, op, program.root),
        name: op.name(ctx).to_string(),
        own: own(ctx, op),
        ivs,
        symbols,
        access,
        ends,
    }
}

fn what(ctx: &Context, op: Op, access: Option<&Touch>) -> String {
    let Some(a) = access else {
        let of = |i: usize| {
            op.operands(ctx)
                .get(i)
                .map_or(String::new(), |v| array(ctx, *v))
        };
        return match op.name(ctx) {
            LoadOp::NAME => format!("load from {}", of(0)),
            StoreOp::NAME => format!("store to {}", of(1)),
            affine::YieldOp::NAME => "value that is carried".to_string(),
            name => format!("'{name}'"),
        };
    };
    let verb = match a.kind {
        AccessKind::Write => "store to",
        AccessKind::Read => "load from",
        AccessKind::Prefetch => "prefetch of",
    };
    format!("{verb} {}", array(ctx, a.memref))
}

/// An array as messages call it.
pub(super) fn array(ctx: &Context, memref: Value) -> String {
    let root = memory::base(ctx, memref);
    match root.loc(ctx).name(ctx) {
        Some(n) => format!("'{n}'"),
        None => "the array".to_string(),
    }
}
