//! Which memory a memref is.

use terrace_dialects::attributes::{ACC_ANYWHERE, ACC_OVERLAPS, ACC_POINTERS};
use terrace_dialects::memref;
use terrace_dialects::xfer::Side;
use terrace_dialects::{gpu, xfer};
use terrace_ir::opdef::traits::FUNCTION_LIKE;
use terrace_ir::{Attr, Context, Op, Value};

/// The ops that give another view of the memory of their first operand.
const VIEWS: &[&str] = &[
    memref::AssumeAlignmentOp::NAME,
    memref::CastOp::NAME,
    memref::CollapseShapeOp::NAME,
    memref::ExpandShapeOp::NAME,
    memref::MemorySpaceCastOp::NAME,
    memref::ReinterpretCastOp::NAME,
    memref::ReshapeOp::NAME,
    memref::SubViewOp::NAME,
    memref::TransposeOp::NAME,
    memref::ViewOp::NAME,
];

/// Whether `op` only looks at the memory of its first operand in another way.
pub(crate) fn is_view(ctx: &Context, op: Op) -> bool {
    VIEWS.contains(&op.name(ctx))
}

/// The memref that `v` is under another type.
pub(crate) fn uncast(ctx: &Context, v: Value) -> Value {
    let mut v = v;
    while let Some(op) = v.def_op().filter(|o| o.name(ctx) == memref::CastOp::NAME) {
        v = op.operand(ctx, 0);
    }
    v
}

/// The memref that `v` is a view of, through any number of views; `v` itself where
/// it is none.
pub fn base(ctx: &Context, v: Value) -> Value {
    let mut v = v;
    while let Some(op) = v.def_op().filter(|op| is_view(ctx, *op)) {
        v = op.operand(ctx, 0);
    }
    v
}

/// Whether two base memrefs may be the same memory. As upstream's affine analyses,
/// two different arguments, allocations or globals are taken to be different memory.
pub(crate) fn may_be_same(ctx: &Context, a: Value, b: Value) -> bool {
    if a == b {
        return true;
    }
    let global = |v: Value| {
        let op = v.def_op()?;
        (op.name(ctx) == memref::GetGlobalOp::NAME).then(|| op.attr(ctx, "name"))?
    };
    if let (Some(x), Some(y)) = (global(a), global(b)) {
        return x == y;
    }
    !(is_root(ctx, a) && is_root(ctx, b)) || is_anywhere(ctx, a, b) || is_anywhere(ctx, b, a)
}

/// Whether two base memrefs may be the same memory, or two arrays of C of which the call of a region
/// only knows that they lie apart or are the same from the first byte to the last.
pub(crate) fn may_coincide(ctx: &Context, a: Value, b: Value) -> bool {
    let listed = |a: Value, b: Value| {
        let list = argument_attr(ctx, a, ACC_OVERLAPS).and_then(|l| l.as_i64_array(ctx));
        b.def_op().is_none() && list.is_some_and(|l| l.contains(&(b.index(ctx) as i64)))
    };
    may_be_same(ctx, a, b) || listed(a, b) || listed(b, a)
}

/// Whether `a` is an argument that stands for all memory (`acc.anywhere`), where `b` may
/// lie. It holds no pointers (`acc.pointers`), and nothing of the function's own.
fn is_anywhere(ctx: &Context, a: Value, b: Value) -> bool {
    argument_has(ctx, a, ACC_ANYWHERE)
        && !argument_has(ctx, b, ACC_POINTERS)
        && b.def_op()
            .is_none_or(|op| op.name(ctx) == memref::GetGlobalOp::NAME)
}

/// Whether a value is an argument of a function with this attribute.
pub fn argument_has(ctx: &Context, v: Value, name: &str) -> bool {
    argument_attr(ctx, v, name).is_some()
}

/// The attribute of a value that is an argument of a function.
fn argument_attr(ctx: &Context, v: Value, name: &str) -> Option<Attr> {
    let function = v.arg_block().filter(|b| b.is_entry(ctx))?.parent_op(ctx)?;
    let attrs = function.attr(ctx, "arg_attrs")?;
    let own = attrs.as_array(ctx)?.get(v.index(ctx)).copied()?;
    let found = own.as_dict(ctx)?.iter().find(|(k, _)| ctx.str(*k) == name);
    found.map(|(_, attr)| *attr)
}

/// Whether `v` is an allocation, a global or an argument of a function.
pub(crate) fn is_root(ctx: &Context, v: Value) -> bool {
    match v.def_op() {
        Some(op) => matches!(
            op.name(ctx),
            memref::AllocOp::NAME
                | memref::AllocaOp::NAME
                | memref::GetGlobalOp::NAME
                | gpu::AllocOp::NAME
                | xfer::AllocOp::NAME
                | xfer::CreateOp::NAME
        ),
        None => v.arg_block().is_some_and(|b| {
            b.is_entry(ctx)
                && b.parent_op(ctx)
                    .is_some_and(|p| p.has_trait(ctx, FUNCTION_LIKE))
        }),
    }
}

/// On which side a memref lies.
pub(crate) fn side_of(ctx: &Context, v: Value) -> Side {
    let root = base(ctx, v);
    let device = xfer::is_device(ctx, root.ty(ctx))
        || root.def_op().is_some_and(|o| o.isa::<gpu::AllocOp>(ctx));
    if device { Side::Device } else { Side::Host }
}
