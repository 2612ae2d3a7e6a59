//! Sizes of arrays that are surely the same, however they are written.
//!
//! The size of a dimension is named by where it comes from: a constant, a dimension of an
//! argument or what `terrace.dims` calls that, or the value that an array was allocated with.
//! Of `max(n, 0)`, as array expansion writes it, nothing but `n` is left where `n` is a size
//! itself and so is not negative.

use terrace_dialects::affine::MaxOp;
use terrace_dialects::arith::MaxSIOp;
use terrace_dialects::attributes::TERRACE_DIMS;
use terrace_dialects::function::arg_attr;
use terrace_dialects::memref::DimOp;
use terrace_dialects::{memref, xfer};
use terrace_ir::affine::AffineExpr;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Attr, Context, Op, Value};

/// Where a size comes from. Equal ones are the same number in each run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    Constant(i64),
    /// A name in `terrace.dims`.
    Name(Attr),
    /// A dimension of an array that is not allocated here.
    Dim(Value, usize),
    /// Any other number.
    Value(Value),
}

/// The size of a dimension of an array; `None` where it has no such dimension.
pub fn of_dim(ctx: &Context, array: Value, dim: usize) -> Option<Size> {
    let shape = array.ty(ctx).shape(ctx)?;
    let size = *shape.get(dim)?;
    if size != DYNAMIC {
        return Some(Size::Constant(size));
    }
    let nth = shape[..dim].iter().filter(|d| **d == DYNAMIC).count();
    let made = array.def_op().filter(|o| is_allocation(ctx, *o));
    if let Some(made) = made {
        return Some(of_value(ctx, *made.operands(ctx).get(nth)?));
    }
    let name = dim_name(ctx, array, dim);
    Some(name.map_or(Size::Dim(array, dim), Size::Name))
}

/// The size that a value is.
pub fn of_value(ctx: &Context, v: Value) -> Size {
    if let Some(n) = ctx.constant_int(v) {
        return Size::Constant(n);
    }
    let found = || {
        let op = v.def_op()?;
        if let Some(dim) = op.cast::<DimOp>(ctx) {
            let k = usize::try_from(ctx.constant_int(dim.index(ctx))?).ok()?;
            return of_dim(ctx, dim.source(ctx), k);
        }
        let size = of_value(ctx, or_zero(ctx, op)?);
        let negative = matches!(size, Size::Constant(i64::MIN..0) | Size::Value(_));
        (!negative).then_some(size)
    };
    found().unwrap_or(Size::Value(v))
}

/// Whether two arrays surely have the same sizes in each run.
pub fn same_sizes(ctx: &Context, a: Value, b: Value) -> bool {
    let (x, y) = (a.ty(ctx).rank(ctx), b.ty(ctx).rank(ctx));
    let same = |k| {
        let size = of_dim(ctx, a, k);
        size.is_some() && size == of_dim(ctx, b, k)
    };
    x.is_some() && x == y && (0..x.unwrap_or(0)).all(same)
}

/// What `terrace.dims` calls a dimension of an argument.
pub fn dim_name(ctx: &Context, array: Value, dim: usize) -> Option<Attr> {
    let function = array
        .arg_block()
        .filter(|b| b.is_entry(ctx))?
        .parent_op(ctx)?;
    let names = arg_attr(ctx, function, array.index(ctx), TERRACE_DIMS)?;
    names.as_array(ctx)?.get(dim).copied()
}

/// Whether the operands of an op are, in order, the sizes that its type leaves open.
fn is_allocation(ctx: &Context, op: Op) -> bool {
    let sizes = match op.name(ctx) {
        memref::AllocOp::NAME | memref::AllocaOp::NAME => op.operand_group(ctx, "dynamicSizes"),
        xfer::AllocOp::NAME => return true,
        _ => return false,
    };
    sizes == op.operands(ctx)
}

/// `x`, where the op is `max(x, 0)`.
fn or_zero(ctx: &Context, op: Op) -> Option<Value> {
    if op.isa::<MaxSIOp>(ctx) {
        let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
        return match (ctx.constant_int(a), ctx.constant_int(b)) {
            (_, Some(0)) => Some(a),
            (Some(0), _) => Some(b),
            _ => None,
        };
    }
    let max = op.cast::<MaxOp>(ctx)?;
    let map = max.map(ctx);
    let (zero, other): (Vec<AffineExpr>, Vec<AffineExpr>) =
        (map.results().iter().cloned()).partition(|e| e.as_constant() == Some(0));
    let at = match other.as_slice() {
        [AffineExpr::Dim(d)] => *d as usize,
        [AffineExpr::Symbol(s)] => (map.num_dims() + *s) as usize,
        _ => return None,
    };
    let v = max.operands(ctx).get(at).copied()?;
    (!zero.is_empty()).then_some(v)
}
