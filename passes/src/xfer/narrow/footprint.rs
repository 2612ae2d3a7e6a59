//! Which elements of an array and its mirror an op touches, access by access.

use super::bounds::Known;
use super::called::{Called, Part};
use super::expand::expand;
use super::region::{Region, Side as Range};
use crate::analysis::linear::Linear;
use crate::analysis::memory::{base, may_be_same, uncast};
use crate::xfer::arrays::{Array, Arrays, Handed, Side, handed_by, roots};
use terrace_dialects::func::CallOp;
use terrace_dialects::gpu;
use terrace_dialects::memref::{
    AssumeAlignmentOp, CastOp, LoadOp, MemorySpaceCastOp, StoreOp, SubViewOp,
};
use terrace_dialects::offsets::{Mixed, Slice};
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// One access: where it stands, and what of the array it touches.
#[derive(Debug, Clone)]
pub struct Access {
    pub block: Block,
    pub of: Touched,
    pub write: bool,
}

/// Elements that an access touches.
#[derive(Debug, Clone)]
pub enum Touched {
    /// The one with these subscripts.
    Element(Vec<Linear>),
    /// Those that a function touches which is called.
    Part(Region),
}

impl Access {
    /// The least box, with bounds of allowed values, around what is touched.
    pub fn region(&self, ctx: &Context, known: &Known, allowed: &dyn Fn(Value) -> bool) -> Region {
        match &self.of {
            Touched::Element(subscripts) => region(ctx, known, subscripts, allowed),
            Touched::Part(part) => translated(ctx, known, part, allowed),
        }
    }
}

/// The accesses of array `k` on a side by `op` with all that is in it; `None` where some
/// of them are neither loads or stores of single elements nor calls of which it is known.
pub fn accesses(
    ctx: &Context,
    arrays: &mut Arrays,
    called: &mut Called,
    k: usize,
    op: Op,
    side: Side,
) -> Option<Vec<Access>> {
    let array = arrays.list[k];
    let in_launch = op.isa::<gpu::LaunchOp>(ctx);
    let mut out = Vec::new();
    for o in op.pre_order(ctx) {
        if o.num_regions(ctx) > 0 {
            continue;
        }
        let touches = arrays.touched_by(ctx, o);
        let Some((_, t)) = touches.iter().find(|t| t.0 == k) else {
            continue;
        };
        // Memory of the host is none that a kernel could use.
        if !t.uses(side) || in_launch && side == Side::Host {
            continue;
        }
        match o.isa::<CallOp>(ctx) && !in_launch {
            true => out.extend(of_call(ctx, arrays, called, k, o, side)?),
            false => out.push(access(ctx, &array, o, side)?),
        }
    }
    Some(out)
}

fn access(ctx: &Context, array: &Array, op: Op, side: Side) -> Option<Access> {
    let whole = match side {
        Side::Host => array.host,
        Side::Device => array.mirror,
    };
    let (subscripts, write) = element(ctx, op, whole)?;
    Some(Access {
        block: op.block(ctx)?,
        of: Touched::Element(subscripts),
        write,
    })
}

/// What a function that is called does to array `k` or its mirror.
fn of_call(
    ctx: &Context,
    arrays: &mut Arrays,
    called: &mut Called,
    k: usize,
    call: Op,
    side: Side,
) -> Option<Vec<Access>> {
    let array = arrays.list[k];
    // Of a pair that it is handed a function knows no other name.
    let is_handed = |h: &Handed| base(ctx, call.operand(ctx, h.mirror)) == array.mirror;
    if !handed_by(ctx, call).iter().any(is_handed) && arrays.may_reach(ctx, k, call) {
        return None;
    }
    let whole = match side {
        Side::Host => array.host,
        Side::Device => array.mirror,
    };
    let mut out = Vec::new();
    for (i, v) in call.operands(ctx).into_iter().enumerate() {
        let memref = v.ty(ctx).is_memref(ctx);
        if !memref || !roots(ctx, v).iter().any(|r| may_be_same(ctx, *r, whole)) {
            continue;
        }
        if uncast(ctx, v) != whole {
            return None;
        }
        let block = call.block(ctx)?;
        let access = |p: Part| Access {
            block,
            of: Touched::Part(p.region),
            write: p.write,
        };
        out.extend(called.by(ctx, call, i)?.into_iter().map(access));
    }
    Some(out)
}

/// The subscripts in `root` of the load or store `op`, and whether it writes; `None` where
/// it is neither, or not of a view of `root` that is followed.
pub fn element(ctx: &Context, op: Op, root: Value) -> Option<(Vec<Linear>, bool)> {
    let (first, write) = match op.name(ctx) {
        LoadOp::NAME => (0, false),
        StoreOp::NAME => (1, true),
        _ => return None,
    };
    let operands = op.operands(ctx);
    let indices = operands[first + 1..].iter().map(|v| expand(ctx, *v));
    let at = in_array(ctx, operands[first], root, indices.collect())?;
    Some((at, write))
}

/// The slice of `root` that a view is: in as many dimensions, every element of it; `None`
/// where it is none, or all of it.
pub fn slice_of(ctx: &Context, view: Value, root: Value) -> Option<Slice> {
    let view = view.def_op()?.cast::<SubViewOp>(ctx)?;
    let slice = view.slice(ctx)?;
    let dense = slice.strides.iter().all(|s| s.constant(ctx) == Some(1));
    let whole = view.source(ctx) == root && !view.dropped_dims(ctx)?.contains(&true);
    (dense && whole).then_some(slice)
}

/// Subscripts of a view as those of the array.
fn in_array(
    ctx: &Context,
    view: Value,
    whole: Value,
    subscripts: Vec<Linear>,
) -> Option<Vec<Linear>> {
    if base(ctx, view) != whole {
        return None;
    }
    let (mut v, mut at) = (view, subscripts);
    while v != whole {
        let op = v.def_op()?;
        match op.name(ctx) {
            CastOp::NAME | MemorySpaceCastOp::NAME | AssumeAlignmentOp::NAME => {}
            SubViewOp::NAME => {
                let view = SubViewOp::wrap(op);
                let slice = view.slice(ctx)?;
                let dropped = view.dropped_dims(ctx)?;
                let mut inner = at.into_iter();
                let mut outer = Vec::with_capacity(dropped.len());
                for (d, dropped) in dropped.iter().enumerate() {
                    let start = number(ctx, slice.offsets[d]);
                    outer.push(match dropped {
                        true => start,
                        false => {
                            start.plus_times(&inner.next()?, slice.strides[d].constant(ctx)?)?
                        }
                    });
                }
                at = outer;
            }
            _ => return None,
        }
        v = op.operand(ctx, 0);
    }
    Some(at)
}

/// A number of a slice as a sum.
pub fn number(ctx: &Context, m: Mixed) -> Linear {
    match m {
        Mixed::Static(n) => Linear::constant(n),
        Mixed::Value(v) => expand(ctx, v),
    }
}

/// The least box, with bounds of allowed values, around one subscript a dimension.
pub fn region(
    ctx: &Context,
    known: &Known,
    subscripts: &[Linear],
    allowed: &dyn Fn(Value) -> bool,
) -> Region {
    let side = |s: &Linear| {
        let low = known.lower(ctx, s, allowed)?;
        let high = known.upper(ctx, s, allowed)?.plus(1)?;
        Some(Range {
            low: vec![low],
            high: vec![high],
        })
    };
    bounded(subscripts.iter().map(side).collect())
}

/// A box with its bounds in other, allowed values.
pub fn translated(
    ctx: &Context,
    known: &Known,
    region: &Region,
    allowed: &dyn Fn(Value) -> bool,
) -> Region {
    let Region::Box(sides) = region else {
        return region.clone();
    };
    let side = |s: &Range| {
        let low = s.low.iter().map(|l| known.lower(ctx, l, allowed));
        let high = s.high.iter().map(|h| known.upper(ctx, h, allowed));
        Some(Range {
            low: low.collect::<Option<_>>()?,
            high: high.collect::<Option<_>>()?,
        })
    };
    bounded(sides.iter().map(side).collect())
}

/// A box of which some sides may not be known: those are whole dimensions.
fn bounded(sides: Vec<Option<Range>>) -> Region {
    if sides.iter().all(Option::is_none) {
        return Region::All;
    }
    let whole = || Range {
        low: vec![Linear::constant(0)],
        high: vec![Linear::constant(i64::MAX)],
    };
    Region::Box(sides.into_iter().map(|s| s.unwrap_or_else(whole)).collect())
}
