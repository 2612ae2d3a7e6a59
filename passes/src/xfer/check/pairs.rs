//! The arrays of a function that have mirrors, and which memrefs may be theirs.

use super::origins::origins;
use super::uses::{Summaries, memory_of};
use crate::analysis::memory::{base, is_root, is_view, may_be_same};
use rustc_hash::FxHashSet;
use terrace_dialects::func;
use terrace_dialects::memref::{
    AllocOp, AllocaOp, AssumeAlignmentOp, CastOp, CollapseShapeOp, ExpandShapeOp, GetGlobalOp,
    MemorySpaceCastOp, ReshapeOp, SubViewOp,
};
use terrace_dialects::xfer::handed::{Handed, handed};
use terrace_dialects::xfer::{CreateOp, Side};
use terrace_ir::{Attr, Context, Op, OpKind, Value};

/// An array and a mirror of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub array: Value,
    pub mirror: Value,
    /// What the array is a view of.
    pub base: Value,
    /// Whether the array can be reached from outside of the function while it runs.
    pub is_shared: bool,
    /// Whether it can be reached after the function has returned.
    pub outlives: bool,
    /// Whether the mirror goes under other names too.
    pub mirror_is_shared: bool,
    /// What the function says of the pair, where it is handed it.
    pub handed: Option<Handed>,
}

/// Views that show all of an array and each element once.
const WHOLE_VIEWS: &[&str] = &[
    AssumeAlignmentOp::NAME,
    CastOp::NAME,
    CollapseShapeOp::NAME,
    ExpandShapeOp::NAME,
    MemorySpaceCastOp::NAME,
    ReshapeOp::NAME,
];

/// The memref that `v` shows all of.
pub(super) fn whole(ctx: &Context, v: Value) -> Value {
    let mut v = v;
    while let Some(op) = v.def_op().filter(|o| WHOLE_VIEWS.contains(&o.name(ctx))) {
        v = op.operand(ctx, 0);
    }
    v
}

/// Whether two memrefs are one, by the same or by two mentions of a global.
pub(super) fn is_same(ctx: &Context, a: Value, b: Value) -> bool {
    a == b || global(ctx, a).is_some_and(|g| global(ctx, b) == Some(g))
}

fn global(ctx: &Context, v: Value) -> Option<Attr> {
    let op = v.def_op()?;
    match op.name(ctx) == GetGlobalOp::NAME {
        true => op.attr(ctx, "name"),
        false => None,
    }
}

/// The memref that `v` is under another type of the same shape.
pub(super) fn uncast(ctx: &Context, v: Value) -> Value {
    let mut v = v;
    while let Some(op) = v.def_op().filter(|o| {
        matches!(
            o.name(ctx),
            AssumeAlignmentOp::NAME | CastOp::NAME | MemorySpaceCastOp::NAME
        )
    }) {
        v = op.operand(ctx, 0);
    }
    v
}

/// The pairs of a function, in the order of the text.
pub(super) fn pairs(ctx: &Context, function: Op, summaries: &mut Summaries) -> Vec<Pair> {
    let creates = function.find_all::<CreateOp>(ctx);
    let mut all = Vec::with_capacity(creates.len());
    for c in creates {
        let array = whole(ctx, c.array(ctx));
        let base = base(ctx, array);
        let fate = fate(ctx, base, summaries);
        let allocated = base
            .def_op()
            .is_some_and(|o| matches!(o.name(ctx), AllocOp::NAME | AllocaOp::NAME));
        let mirror = fate_of_mirror(ctx, c.op().result(ctx, 0), summaries);
        all.push(Pair {
            array,
            mirror: c.mirror(ctx),
            base,
            is_shared: !allocated || fate.kept,
            outlives: !allocated || fate.kept || fate.returned,
            mirror_is_shared: mirror,
            handed: None,
        });
    }
    let args = function.body(ctx, 0).args(ctx);
    for h in handed(ctx, function).unwrap_or_default() {
        let (array, mirror) = (args[h.array], args[h.mirror]);
        all.push(Pair {
            array,
            mirror,
            base: array,
            is_shared: true,
            outlives: false,
            mirror_is_shared: fate_of_mirror(ctx, mirror, summaries),
            handed: Some(h),
        });
    }
    all
}

fn fate_of_mirror(ctx: &Context, mirror: Value, summaries: &mut Summaries) -> bool {
    let f = fate(ctx, mirror, summaries);
    f.kept || f.returned
}

/// Where a memref and its views go.
struct Fate {
    kept: bool,
    returned: bool,
}

fn fate(ctx: &Context, memref: Value, summaries: &mut Summaries) -> Fate {
    let mut fate = Fate {
        kept: false,
        returned: false,
    };
    let mut seen = FxHashSet::default();
    let mut work = vec![memref];
    while let Some(v) = work.pop() {
        if !seen.insert(v) {
            continue;
        }
        for u in v.uses(ctx) {
            if is_view(ctx, u.op) {
                if u.index == 0 {
                    work.push(u.op.result(ctx, 0));
                }
            } else if u.op.name(ctx) == func::ReturnOp::NAME {
                fate.returned = true;
            } else {
                fate.kept |= summaries.keeps(ctx, u.op);
            }
        }
    }
    fate
}

impl Pair {
    /// Whether a view of the array and one of the mirror are of the same elements, in the
    /// same order; for all that can be told without numbers.
    pub(crate) fn are_twins(&self, ctx: &Context, array: Value, mirror: Value) -> bool {
        let (mut a, mut m) = (array, mirror);
        loop {
            a = uncast(ctx, a);
            m = uncast(ctx, m);
            if m == self.mirror && is_same(ctx, a, self.array) {
                return true;
            }
            let (Some(x), Some(y)) = (a.def_op(), m.def_op()) else {
                return false;
            };
            let views = x.isa::<SubViewOp>(ctx) && y.isa::<SubViewOp>(ctx);
            if !views
                || x.attrs(ctx) != y.attrs(ctx)
                || x.operands(ctx)[1..] != y.operands(ctx)[1..]
            {
                return false;
            }
            a = x.operand(ctx, 0);
            m = y.operand(ctx, 0);
        }
    }

    /// Whether memory of the host may be the array or a part of it.
    pub(crate) fn may_be_array(&self, ctx: &Context, base: Value) -> bool {
        memory_of(ctx, base) == Side::Host && may_share(ctx, self.base, base)
    }

    /// Whether memory of a device may be the mirror or a part of it.
    pub(crate) fn may_be_mirror(&self, ctx: &Context, base: Value) -> bool {
        let mut all = origins(ctx, base).into_iter();
        all.any(|b| {
            b == self.mirror || self.mirror_is_shared && is_of_unknown_device_memory(ctx, b)
        })
    }

    /// Whether a global may be the array.
    pub(crate) fn may_be_global(&self, ctx: &Context, name: Attr) -> bool {
        may_be_named(ctx, self.base, name)
    }
}

/// Whether a global may be what a memref is.
pub(super) fn may_be_named(ctx: &Context, v: Value, name: Attr) -> bool {
    let mut all = origins(ctx, v).into_iter();
    all.any(|b| match global(ctx, b) {
        Some(g) => g == name,
        None => !is_root(ctx, b),
    })
}

/// Whether code that is not known may reach the memory of a memref.
pub(super) fn is_reachable(ctx: &Context, v: Value, summaries: &mut Summaries) -> bool {
    origins(ctx, v).into_iter().any(|b| {
        let own = b.def_op().is_some() && is_root(ctx, b) && global(ctx, b).is_none();
        !own || fate(ctx, b, summaries).kept
    })
}

/// Whether a memref may be an argument of the function.
pub(super) fn may_be_argument(ctx: &Context, v: Value) -> bool {
    let mut all = origins(ctx, v).into_iter();
    all.any(|b| b.arg_block().is_some_and(|block| block.is_entry(ctx)))
}

/// Whether a memref may be an argument of the function or a global.
pub(super) fn may_be_outer(ctx: &Context, v: Value) -> bool {
    may_be_argument(ctx, v)
        || origins(ctx, v)
            .into_iter()
            .any(|b| global(ctx, b).is_some())
}

/// Whether two memrefs may share memory.
pub(super) fn may_share(ctx: &Context, a: Value, b: Value) -> bool {
    if a == b {
        return true;
    }
    let others = origins(ctx, b);
    let may = |x: Value| others.iter().any(|y| may_be_same(ctx, x, *y));
    origins(ctx, a).into_iter().any(may)
}

/// Whether a base memref on a device is none that an op allocates here and none that was
/// passed in, which no mirror made later can be.
fn is_of_unknown_device_memory(ctx: &Context, base: Value) -> bool {
    let made_here = base.def_op().is_some_and(|o| o.isa::<CreateOp>(ctx));
    memory_of(ctx, base) == Side::Device && !is_root(ctx, base) && !made_here
}
