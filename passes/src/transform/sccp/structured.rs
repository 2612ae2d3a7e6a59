//! The ways through ops with regions: which region runs next, and with which values.

use super::lattice::{Known, Lattice};
use terrace_dialects::{affine, memref, scf};
use terrace_ir::{Block, Context, Op, Value};

/// Where control goes on.
pub(super) enum Way {
    /// A block begins; its arguments from `skip` on are these values, those before
    /// may be anything.
    Enter {
        block: Block,
        skip: usize,
        values: Vec<Value>,
    },
    /// The op with regions ends; its results are these values.
    Leave { op: Op, values: Vec<Value> },
}

fn enter(block: Block, values: Vec<Value>) -> Way {
    Way::Enter {
        block,
        skip: 0,
        values,
    }
}

/// The ways from the start of `op`, where this knows its kind.
pub(super) fn ways_in(ctx: &Context, op: Op, facts: &Lattice) -> Option<Vec<Way>> {
    let leave = |values| Way::Leave { op, values };
    if let Some(o) = op.cast::<scf::IfOp>(ctx) {
        let (then, other) = (o.then_block(ctx), o.else_block(ctx));
        let otherwise = || match other {
            Some(b) => enter(b, Vec::new()),
            None => leave(Vec::new()),
        };
        return Some(match truth(ctx, facts, o.condition(ctx)) {
            Truth::NotYet => Vec::new(),
            Truth::Known(true) => vec![enter(then, Vec::new())],
            Truth::Known(false) => vec![otherwise()],
            Truth::Either => vec![enter(then, Vec::new()), otherwise()],
        });
    }
    if let Some(o) = op.cast::<scf::IndexSwitchOp>(ctx) {
        let cases = o.cases(ctx);
        let taken = match facts.get(o.arg(ctx)) {
            Known::Nothing => return Some(Vec::new()),
            Known::Constant(a) => a.as_i64(ctx),
            Known::Anything => None,
        };
        let block = |i: Option<usize>| match i {
            Some(i) => o.case_region(ctx, i).entry(ctx),
            None => o.default_region(ctx).entry(ctx),
        };
        let blocks: Vec<Option<Block>> = match taken {
            Some(v) => vec![block(cases.iter().position(|c| *c == v))],
            None => std::iter::once(None)
                .chain((0..cases.len()).map(Some))
                .map(block)
                .collect(),
        };
        let found = blocks.into_iter().flatten();
        return Some(found.map(|b| enter(b, Vec::new())).collect());
    }
    if let Some(o) = op.cast::<scf::ForOp>(ctx) {
        return Some(loop_ways(
            op,
            o.body(ctx),
            o.init_args(ctx),
            o.trip_count(ctx),
        ));
    }
    if let Some(o) = op.cast::<affine::ForOp>(ctx) {
        let trips = o.constant_trip_count(ctx);
        return Some(loop_ways(op, o.body(ctx), o.inits(ctx), trips));
    }
    if let Some(o) = op.cast::<scf::WhileOp>(ctx) {
        return Some(vec![enter(o.before(ctx), o.inits(ctx))]);
    }
    if let Some(o) = op.cast::<affine::IfOp>(ctx) {
        let other = o.else_block(ctx);
        return Some(vec![
            enter(o.then_block(ctx), Vec::new()),
            other.map_or_else(|| leave(Vec::new()), |b| enter(b, Vec::new())),
        ]);
    }
    if op.isa::<scf::ExecuteRegionOp>(ctx)
        || op.isa::<memref::AllocaScopeOp>(ctx)
        || op.isa::<affine::ScopeOp>(ctx)
    {
        let entry = op.region(ctx, 0).entry(ctx);
        return Some(entry.map(|b| enter(b, Vec::new())).into_iter().collect());
    }
    None
}

fn loop_ways(op: Op, body: Block, inits: Vec<Value>, trips: Option<u64>) -> Vec<Way> {
    let mut ways = Vec::new();
    if trips != Some(0) {
        ways.push(Way::Enter {
            block: body,
            skip: 1,
            values: inits.clone(),
        });
    }
    if trips.is_none_or(|n| n == 0) {
        ways.push(Way::Leave { op, values: inits });
    }
    ways
}

/// The ways from `end`, the terminator of a block in a region of an op that
/// [`ways_in`] knows; `None` for other terminators.
pub(super) fn ways_out(ctx: &Context, end: Op, facts: &Lattice) -> Option<Vec<Way>> {
    let op = end.parent(ctx)?;
    let values = end.operands(ctx);
    let leave = |values| Way::Leave { op, values };
    if let Some(c) = end.cast::<scf::ConditionOp>(ctx) {
        let o = op.cast::<scf::WhileOp>(ctx)?;
        let again = enter(o.after(ctx), c.args(ctx));
        let stop = leave(c.args(ctx));
        return Some(match truth(ctx, facts, c.condition(ctx)) {
            Truth::NotYet => Vec::new(),
            Truth::Known(true) => vec![again],
            Truth::Known(false) => vec![stop],
            Truth::Either => vec![again, stop],
        });
    }
    let is_yield = end.isa::<scf::YieldOp>(ctx)
        || end.isa::<affine::YieldOp>(ctx)
        || end.isa::<memref::AllocaScopeReturnOp>(ctx);
    if !is_yield {
        return None;
    }
    if let Some(o) = op.cast::<scf::WhileOp>(ctx) {
        return Some(vec![enter(o.before(ctx), values)]);
    }
    let trips = if let Some(o) = op.cast::<scf::ForOp>(ctx) {
        o.trip_count(ctx)
    } else if let Some(o) = op.cast::<affine::ForOp>(ctx) {
        o.constant_trip_count(ctx)
    } else if knows(ctx, op) {
        return Some(vec![leave(values)]);
    } else {
        return None;
    };
    let mut ways = vec![leave(values.clone())];
    if trips != Some(1) {
        ways.push(Way::Enter {
            block: end.block(ctx)?,
            skip: 1,
            values,
        });
    }
    Some(ways)
}

/// Whether every way out of the regions of `op` gives its results.
fn knows(ctx: &Context, op: Op) -> bool {
    op.isa::<scf::IfOp>(ctx)
        || op.isa::<scf::IndexSwitchOp>(ctx)
        || op.isa::<scf::ExecuteRegionOp>(ctx)
        || op.isa::<affine::IfOp>(ctx)
        || op.isa::<affine::ScopeOp>(ctx)
        || op.isa::<memref::AllocaScopeOp>(ctx)
}

/// What is known of a condition.
pub(super) enum Truth {
    NotYet,
    Known(bool),
    Either,
}

pub(super) fn truth(ctx: &Context, facts: &Lattice, v: Value) -> Truth {
    match facts.get(v) {
        Known::Nothing => Truth::NotYet,
        Known::Constant(a) => match a.as_bool(ctx).or_else(|| a.as_i64(ctx).map(|i| i != 0)) {
            Some(b) => Truth::Known(b),
            None => Truth::Either,
        },
        Known::Anything => Truth::Either,
    }
}
