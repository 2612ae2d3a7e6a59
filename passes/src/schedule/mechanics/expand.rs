//! Expansion: each iteration of a loop gets an array of its own, all of them in one array
//! of one more dimension.
//!
//! ```text
//! %t = memref.alloc() : memref<4xf32>        %t = memref.alloc() : memref<100x4xf32>
//! affine.for %i = 0 to 100 {                 affine.for %i = 0 to 100 {
//!   affine.store %x, %t[%j]             =>     affine.store %x, %t[%i, %j]
//!   affine.load %t[%j]                         affine.load %t[%i, %j]
//! }                                          }
//! ```
//!
//! The array is allocated here, and nothing but loads and stores in the loop uses it, and
//! what frees it. Legal where every element that an iteration reads was written before in
//! that iteration (D. Padua, M. Wolfe, "Advanced Compiler Optimizations for
//! Supercomputers", 1986), which is for others to know.

use super::{Refusal, names};
use terrace_dialects::affine::{Access, ForOp, MaxOp};
use terrace_dialects::memref::AllocOp;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::types::{DYNAMIC, TypeData};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// Give each iteration of `l` an array of its own in place of `array`. Gives the new
/// array.
///
/// # Errors
///
/// Where the loop does not count from 0 by 1 to a single bound, the array is not
/// allocated before the loop or has a layout, or something else uses it.
pub fn expand(ctx: &mut Context, l: ForOp, array: Value) -> Result<Value, Refusal> {
    let at = l.op().loc(ctx);
    let name = names::describe(ctx, l);
    if l.constant_lower(ctx) != Some(0) || l.step(ctx) != 1 {
        let m = format!(
            "{name} does not count from 0 by 1, so that its variable is no subscript; normalize it"
        );
        return Err(Refusal::new(at, m));
    }
    if l.upper_map(ctx).num_results() != 1 {
        return Err(Refusal::new(at, format!("{name} ends at a minimum")));
    }
    let Some(alloc) = array.def_op().and_then(|o| o.cast::<AllocOp>(ctx)) else {
        let m = "the array is not allocated by a memref.alloc, so that its size is not for us to choose";
        return Err(Refusal::new(array.loc(ctx), m));
    };
    let TypeData::MemRef {
        shape,
        elem,
        layout: None,
        space,
    } = array.ty(ctx).data(ctx).clone()
    else {
        return Err(Refusal::new(array.loc(ctx), "the array has a layout"));
    };
    let (accesses, frees) = uses(ctx, l, array)?;
    let home = alloc.op();
    let before = home.block(ctx).and_then(|b| l.op().ancestor_in(ctx, b));
    let bounds_are_there = l
        .upper_operands(ctx)
        .iter()
        .all(|v| is_before(ctx, *v, home));
    if before.is_none() || !bounds_are_there {
        let m = "the array is allocated where the bounds of the loop are not yet known";
        return Err(Refusal::new(home.loc(ctx), m).note(at, name));
    }

    let (size, mut sizes) = match l.constant_upper(ctx) {
        Some(n) => (n.max(0), Vec::new()),
        None => {
            let map = l.upper_map(ctx).clone();
            let results = vec![map.results()[0].clone(), AffineExpr::constant(0)];
            let map = AffineMap::new(map.num_dims(), map.num_symbols(), results);
            let operands = l.upper_operands(ctx);
            let mut b = Builder::before(ctx, home);
            let n = MaxOp::build(&mut b, map, &operands);
            (DYNAMIC, vec![n])
        }
    };
    sizes.extend(alloc.dynamic_sizes(ctx));
    let ty = ctx.ty(TypeData::MemRef {
        shape: [&[size], &shape[..]].concat(),
        elem,
        layout: None,
        space,
    });
    let mut b = Builder::before(ctx, home);
    let new = AllocOp::build(&mut b, ty, &sizes);
    let iv = l.iv(ctx);
    for a in accesses {
        let n = a.map.num_dims();
        let results = [&[AffineExpr::dim(n)], a.map.results()].concat();
        let (dims, symbols) = a.operands.split_at((n as usize).min(a.operands.len()));
        let operands = [dims, &[iv], symbols].concat();
        let map = AffineMap::new(n + 1, a.map.num_symbols(), results);
        a.op.set_operand(ctx, a.memref_index, new);
        Access::set_subscripts(ctx, a.op, map, &operands);
    }
    for f in frees {
        f.set_operand(ctx, 0, new);
    }
    home.erase(ctx);
    Ok(new)
}

/// The accesses of an array in `l`, and what frees it.
fn uses(ctx: &Context, l: ForOp, array: Value) -> Result<(Vec<Access>, Vec<Op>), Refusal> {
    let (mut accesses, mut frees) = (Vec::new(), Vec::new());
    for u in array.users(ctx) {
        match Access::of(ctx, u) {
            Some(a) if a.memref == array && a.stored(ctx) != Some(array) => {
                if !l.op().is_ancestor_of(ctx, u) {
                    let m = "the array is used outside the loop, too";
                    return Err(Refusal::new(u.loc(ctx), m));
                }
                accesses.push(a);
            }
            _ if u.name(ctx) == "memref.dealloc" && !l.op().is_ancestor_of(ctx, u) => frees.push(u),
            _ => {
                let m = format!(
                    "'{}' uses the array, which is no affine access",
                    u.name(ctx)
                );
                return Err(Refusal::new(u.loc(ctx), m));
            }
        }
    }
    Ok((accesses, frees))
}

/// Whether a value is there where `op` stands: it is defined before it in its block, or
/// around it.
fn is_before(ctx: &Context, v: Value, op: Op) -> bool {
    match v.def_op() {
        Some(d) => match d.block(ctx).and_then(|b| op.ancestor_in(ctx, b)) {
            Some(at) => d != at && d.is_before(ctx, at),
            None => false,
        },
        None => v
            .arg_block()
            .is_some_and(|b| op.ancestor_in(ctx, b).is_some()),
    }
}
