//! Elements that are there even where the program does not ask for them.

use super::bounds::difference;
use super::constraints::{Bound, System};
use super::intervening::is_same_element;
use super::memory::base;
use terrace_dialects::affine::{Access, AccessKind};
use terrace_dialects::memref::{AllocOp, AllocaOp, DimOp};
use terrace_dialects::scf::IfOp;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// Whether `load`, which runs in one way of the condition `at` only, would find an element in
/// the other way, too. That is so where each subscript is within the shape of an array. The
/// bounds of the loops tell, and subscripts of accesses that run in any case: an element before
/// one that is there, or behind one, does not lie outside on that side.
pub fn is_there(ctx: &Context, load: &Access, at: IfOp) -> bool {
    let Some(shape) = load.memref.ty(ctx).shape(ctx) else {
        return false;
    };
    let others = always_made(ctx, load, at);
    if base(ctx, load.memref) != load.memref {
        // A view of rows says how long they are, and of the last one the array may hold a part.
        return others.iter().any(|o| is_same_element(ctx, o, load));
    }
    let subscripts = subscripts(ctx, load);
    shape.iter().enumerate().all(|(d, size)| {
        let never = |kind, limit| {
            subscripts
                .as_ref()
                .is_some_and(|s| is_never(s, d, kind, limit))
        };
        let away = distances(ctx, load, &others, d);
        let from_below = away.iter().any(|x| *x <= 0) || never(Bound::Upper, -1);
        let from_above =
            || away.iter().any(|x| *x >= 0) || (*size != DYNAMIC && never(Bound::Lower, *size));
        from_below && from_above()
    })
}

/// Whether an access is within its memref in every iteration of the loops around it, as far as
/// their bounds tell. A size that is not constant is a symbol that is known to be that size.
pub fn is_within(ctx: &Context, access: &Access) -> bool {
    let Some(shape) = access.memref.ty(ctx).shape(ctx) else {
        return false;
    };
    let Some(system) = subscripts(ctx, access) else {
        return false;
    };
    shape.iter().enumerate().all(|(d, size)| {
        let never = |kind, limit| is_never(&system, d, kind, limit);
        let sizes = || {
            let values = system.values().iter().enumerate();
            values.filter(|(_, v)| v.is_some_and(|v| is_size(ctx, v, access.memref, d)))
        };
        let not_past = |column: usize| {
            // The subscript less the size is never zero or more.
            let mut s = system.clone();
            let mut row = vec![0; s.num_columns() + 1];
            row[d] = 1;
            row[column] = -1;
            s.add_inequality(row);
            s.is_empty()
        };
        never(Bound::Upper, -1)
            && match *size {
                DYNAMIC => sizes().any(|(column, _)| not_past(column)),
                size => never(Bound::Lower, size),
            }
    })
}

/// Whether the element of `access`, with subscripts over values from outside of `at`, is stored to
/// whenever `at` runs, before it: so it is there, and may be stored to once more.
pub fn is_stored_before(ctx: &Context, access: &Access, at: Op) -> bool {
    let mut inner = Some(at);
    while let Some(op) = inner {
        let Some(block) = op.block(ctx) else {
            return false;
        };
        let before = block.ops(ctx).into_iter().take_while(|o| *o != op);
        let mut before = before.filter_map(|o| Access::of(ctx, o));
        if before.any(|a| a.kind == AccessKind::Write && is_same_element(ctx, &a, access)) {
            return true;
        }
        inner = op.parent(ctx);
    }
    false
}

/// What the loops around an access say of its subscripts, which are the first dimensions.
fn subscripts(ctx: &Context, access: &Access) -> Option<System> {
    let composed = access.composed(ctx);
    let mut system = System::new(&[], &[]);
    for v in &composed.operands {
        system.add_value(ctx, *v)?;
    }
    system.add_results(&composed)?;
    Some(system)
}

/// Whether dimension `d` is never on that side of `limit`, which is on it.
fn is_never(system: &System, d: usize, kind: Bound, limit: i64) -> bool {
    let mut s = system.clone();
    s.add_constant(kind, d, limit);
    s.is_empty()
}

/// Whether `v` is the size of `memref` along dimension `i`, which is dynamic.
pub(crate) fn is_size(ctx: &Context, v: Value, memref: Value, i: usize) -> bool {
    let asked = v.def_op().is_some_and(|op| {
        op.name(ctx) == DimOp::NAME
            && op.operand(ctx, 0) == memref
            && ctx.constant_int(op.operand(ctx, 1)) == i64::try_from(i).ok()
    });
    let given = memref.def_op().is_some_and(|op| {
        let allocates = matches!(op.name(ctx), AllocOp::NAME | AllocaOp::NAME);
        let shape = memref.ty(ctx).shape(ctx).unwrap_or(&[]);
        let before = shape[..i.min(shape.len())].iter();
        let k = before.filter(|s| **s == DYNAMIC).count();
        allocates && op.operand_group(ctx, "dynamicSizes").get(k) == Some(&v)
    });
    asked || given
}

/// The accesses of the same memref that run where the condition does: those in its block and in
/// blocks around, and those that both ways make.
fn always_made(ctx: &Context, load: &Access, at: IfOp) -> Vec<Access> {
    let of = |block: Block| {
        let accesses = block.ops(ctx).into_iter();
        let accesses = accesses.filter_map(|op| Access::of(ctx, op));
        accesses.filter(|a| {
            a.memref == load.memref && a.vector.is_none() && a.kind != AccessKind::Prefetch
        })
    };
    let then = of(at.then_block(ctx)).filter(|a| {
        let other = at.else_block(ctx);
        other.is_some_and(|b| of(b).any(|o| is_same_element(ctx, a, &o)))
    });
    let mut found: Vec<Access> = then.collect();
    let mut inner = Some(at.op());
    while let Some(op) = inner {
        found.extend(op.block(ctx).into_iter().flat_map(of));
        inner = op.parent(ctx);
    }
    found
}

/// How far subscript `d` of each of the others is ahead of that of `load`, where that is
/// constant.
fn distances(ctx: &Context, load: &Access, others: &[Access], d: usize) -> Vec<i64> {
    let own = load.composed(ctx);
    let map = own.map.sub_map(&[d]);
    let distance = |a: &Access| {
        let other = a.composed(ctx);
        let theirs = other.map.sub_map(&[d]);
        difference(ctx, (&theirs, &other.operands), (&map, &own.operands))
            .map
            .single_constant()
    };
    others.iter().filter_map(distance).collect()
}
