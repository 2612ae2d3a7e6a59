//! What an op does to memory: which, on which side, and of copies and launches which
//! elements, as far as that can be told.

use crate::analysis::captured::is_inside;
use crate::analysis::linear::Linear;
use crate::analysis::memory::may_be_same;
use crate::analysis::memory::side_of;
use crate::xfer::arrays::{Side, for_each_effect, roots};
use crate::xfer::narrow::bounds::Known;
use crate::xfer::narrow::footprint::{element, number, slice_of};
use crate::xfer::summary::Summaries;
use std::rc::Rc;
use terrace_dialects::func::CallOp;
use terrace_dialects::memref;
use terrace_dialects::xfer::CopyOp;
use terrace_dialects::{func, gpu};
use terrace_dialects::{scf, xfer};
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// Memory that is used: of a memref, or of the host's whatever it is.
#[derive(Debug, Clone)]
pub struct Access {
    pub of: Option<Value>,
    pub side: Side,
    pub write: bool,
    pub place: Elements,
}

/// The elements of a memref that are used. Sums are of values that are the same in all of
/// a call of the function, or, of an element, of values inside the launch.
#[derive(Debug, Clone)]
pub enum Elements {
    /// Any of them.
    All,
    /// In each dimension from the one up to below the other.
    Box(Vec<(Linear, Linear)>),
    /// One after the other with these subscripts, where that is known.
    Element(Vec<Linear>, Rc<Known>),
}

impl Elements {
    /// Whether none of these elements is surely in the box `other`.
    fn is_apart(&self, ctx: &Context, other: &Elements) -> bool {
        let Elements::Box(other) = other else {
            return false;
        };
        let none = Known::default();
        let before = |known: &Known, a: &Linear, b: &Linear| {
            let distance = a.plus_times(b, -1);
            distance.is_some_and(|d| known.at_most_zero(ctx, &d))
        };
        match self {
            Elements::All => false,
            Elements::Box(sides) => sides
                .iter()
                .zip(other)
                .any(|(a, b)| before(&none, &a.1, &b.0) || before(&none, &b.1, &a.0)),
            Elements::Element(at, known) => at.iter().zip(other).any(|(s, b)| {
                let next = s.plus(1);
                next.is_some_and(|n| before(known, &n, &b.0)) || before(known, &b.1, s)
            }),
        }
    }
}

/// What an op of `function`, with all that is in it, does to memory.
pub fn of(ctx: &Context, function: Op, summaries: &mut Summaries, op: Op) -> Vec<Access> {
    let mut out = Vec::new();
    for o in op.pre_order(ctx) {
        // They move and touch nothing, but say what counts as valid.
        let silent = matches!(
            o.name(ctx),
            xfer::DiscardOp::NAME
                | xfer::MarkWrittenOp::NAME
                | xfer::AssertValidOp::NAME
                | xfer::CreateOp::NAME
        );
        if silent {
            continue;
        }
        for_each_effect(ctx, summaries, o, &mut |kind, on, side| {
            let write = match kind {
                EffectKind::Alloc => return,
                EffectKind::Read => false,
                EffectKind::Write | EffectKind::Free => true,
            };
            match on {
                None => out.push(Access {
                    of: None,
                    side,
                    write,
                    place: Elements::All,
                }),
                Some(v) => out.extend(roots(ctx, v).into_iter().map(|root| Access {
                    of: Some(root),
                    side: side_of(ctx, root),
                    write,
                    place: place(ctx, function, op, o, v, root).unwrap_or(Elements::All),
                })),
            }
        });
    }
    if op.isa::<gpu::LaunchOp>(ctx) {
        // Memory of blocks and threads, and what has no name, is not the host's.
        out.retain(|a| {
            let outside = a.of.is_some_and(|v| !is_inside(ctx, op, v));
            a.side == Side::Device || outside
        });
    }
    out
}

/// The elements of `root` that the copy `op`, or `o` in the launch `op`, uses as `v`.
fn place(ctx: &Context, function: Op, op: Op, o: Op, v: Value, root: Value) -> Option<Elements> {
    let once = |l: &Linear| {
        let known = |t: &(Value, i64)| is_inside(ctx, op, t.0) || is_once(ctx, function, t.0);
        l.terms.iter().all(known)
    };
    if op == o && op.isa::<CopyOp>(ctx) {
        let slice = slice_of(ctx, v, root)?;
        let mut sides = Vec::new();
        for (offset, size) in slice.offsets.iter().zip(&slice.sizes) {
            let low = number(ctx, *offset);
            let high = low.plus_times(&number(ctx, *size), 1)?;
            sides.push((low, high));
        }
        let all = sides.iter().all(|(l, h)| once(l) && once(h));
        return all.then_some(Elements::Box(sides));
    }
    if !op.isa::<gpu::LaunchOp>(ctx) {
        return None;
    }
    let (at, _) = element(ctx, o, root)?;
    let known = Known::plainly_in_block(ctx, function, o.block(ctx)?);
    at.iter()
        .all(once)
        .then(|| Elements::Element(at, Rc::new(known)))
}

/// Whether a value is made at most once in a call of the function, so that it is the same
/// wherever it is used.
pub fn is_once(ctx: &Context, function: Op, v: Value) -> bool {
    let home = match v.def_op() {
        Some(op) => op.block(ctx),
        None => v.arg_block(),
    };
    home.is_some_and(|b| runs_once(ctx, function, b))
}

/// Whether a block runs at most once in a call of the function.
pub fn runs_once(ctx: &Context, function: Op, block: Block) -> bool {
    let mut at = block;
    loop {
        let Some(op) = at.parent_op(ctx) else {
            return false;
        };
        if op == function {
            return at.is_entry(ctx);
        }
        let straight = matches!(op.name(ctx), scf::IfOp::NAME | scf::ExecuteRegionOp::NAME)
            && at.region(ctx).is_some_and(|r| r.has_one_block(ctx));
        match op.block(ctx).filter(|_| straight) {
            Some(outer) => at = outer,
            None => return false,
        }
    }
}

/// Whether it cannot be told what an op of the host does on the device.
pub fn is_opaque(ctx: &Context, op: Op) -> bool {
    let hidden = |o: &Op| {
        matches!(
            o.name(ctx),
            gpu::LaunchOp::NAME
                | gpu::LaunchFuncOp::NAME
                | gpu::MemcpyOp::NAME
                | gpu::MemsetOp::NAME
        ) || matches!(
            o.name(ctx),
            xfer::DataOp::NAME | xfer::EnterDataOp::NAME | xfer::ExitDataOp::NAME
        ) || matches!(
            o.name(ctx),
            xfer::UpdateOp::NAME | xfer::PresentOp::NAME | func::CallIndirectOp::NAME
        ) || !o.is_registered(ctx)
            || o.name(ctx) == CallOp::NAME
                && (o.operands(ctx).iter().any(|v| is_on_device(ctx, *v))
                    || looks_up(ctx, *o, &mut Vec::new()))
    };
    op.pre_order(ctx).iter().any(hidden)
}

/// Whether a function that is called, or one that it calls, finds buffers in the table of
/// present arrays, which may be those that tasks use.
pub fn looks_up(ctx: &Context, call: Op, seen: &mut Vec<Op>) -> bool {
    let callee = CallOp::wrap(call).function(ctx).map(|f| f.op());
    let Some(callee) = callee.filter(|f| !seen.contains(f)) else {
        return false;
    };
    seen.push(callee);
    callee.pre_order(ctx).into_iter().any(|o| {
        matches!(
            o.name(ctx),
            xfer::DataOp::NAME
                | xfer::EnterDataOp::NAME
                | xfer::ExitDataOp::NAME
                | xfer::UpdateOp::NAME
                | xfer::PresentOp::NAME
        ) || o.name(ctx) == func::CallIndirectOp::NAME
            || o.isa::<CallOp>(ctx) && looks_up(ctx, o, seen)
    })
}

fn is_on_device(ctx: &Context, v: Value) -> bool {
    v.ty(ctx).is_memref(ctx) && side_of(ctx, v) == Side::Device
}

/// Whether two uses are of memory that may be the same, and one of them changes it. Where
/// the function is called, two of its arguments may be one array, or a global.
pub fn conflict(ctx: &Context, a: &Access, b: &Access, called: bool) -> bool {
    if !(a.write || b.write) || a.side != b.side {
        return false;
    }
    if a.of.is_some()
        && a.of == b.of
        && (a.place.is_apart(ctx, &b.place) || b.place.is_apart(ctx, &a.place))
    {
        return false;
    }
    let argument = |v: Value| v.arg_block().is_some_and(|b| b.is_entry(ctx));
    let global = |v: Value| {
        let op = v.def_op();
        op.is_some_and(|o| o.name(ctx) == memref::GetGlobalOp::NAME)
    };
    let alike = |x, y| argument(x) && (argument(y) || global(y));
    match (a.of, b.of) {
        (Some(x), Some(y)) => may_be_same(ctx, x, y) || called && (alike(x, y) || alike(y, x)),
        _ => true,
    }
}

/// Whether another function of the module calls this one.
pub fn is_called(ctx: &Context, function: Op) -> bool {
    let Some(module) = function.parent(ctx) else {
        return false;
    };
    let calls = module.find_all::<func::CallOp>(ctx);
    let mut called = calls.into_iter().filter_map(|c| c.function(ctx));
    called.any(|f| f.op() == function)
}
