//! What an iteration computes and the next one would compute again is handed on.
//!
//! Legal in a loop of one block whose loads see memory that nothing in the loop writes: the values are
//! the same to the last bit. The loop has to run its iterations in order from then on, which is why
//! this is an option.
//!
//! ```text
//!                                          %0 = f(lower bound)
//! affine.for %i = 0 to 9 {                 affine.for %i = 0 to 9 iter_args(%here = %0) {
//!   %here = f(%i)                    =>
//!   %next = f(%i + 1)                        %next = f(%i + 1)
//!   use(%here, %next)                        use(%here, %next)
//! }                                          affine.yield %next
//! ```

use crate::analysis::alike::alike;
use crate::analysis::memory::may_be_same;
use crate::loops::carry::{carry, set_yielded};
use crate::loops::promote::runs::Runs;
use rustc_hash::FxHashMap;
use terrace_dialects::affine::{Access, AccessKind, ApplyOp, ForOp};
use terrace_ir::affine::AffineExpr;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// Values handed on by one loop, at most.
const MOST: usize = 8;

/// Ops that a value is made of, at most.
const LARGE: usize = 256;

/// Hands values on in `l`. Returns how many.
pub fn hand_on(ctx: &mut Context, l: ForOp) -> u64 {
    let mut l = l;
    let mut done = 0;
    while done < MOST {
        let Some((here, next)) = pair(ctx, l) else {
            break;
        };
        match replace(ctx, l, here, next) {
            Some(new) => l = new,
            None => break,
        }
        done += 1;
    }
    done as u64
}

/// A value of the body and the one that is its next iteration's, the largest there are.
fn pair(ctx: &Context, l: ForOp) -> Option<(Value, Value)> {
    let body = l.body(ctx);
    let ops = body.ops(ctx);
    let simple = ops.iter().all(|op| op.num_regions(ctx) == 0);
    if !simple || !reads_alone(ctx, &ops) {
        return None;
    }
    // From the last op on: what is made of others comes first.
    let floats: Vec<Value> = (ops.iter().rev())
        .filter(|op| op.num_results(ctx) == 1 && is_pure(ctx, **op))
        .map(|op| op.result(ctx, 0))
        .filter(|v| v.ty(ctx).is_float(ctx) && v.has_uses(ctx))
        .collect();
    let mut by_name: FxHashMap<&str, Vec<Value>> = FxHashMap::default();
    for v in &floats {
        let name = v.def_op()?.name(ctx);
        by_name.entry(name).or_default().push(*v);
    }
    for here in &floats {
        let alike = by_name.get(here.def_op()?.name(ctx))?;
        for next in alike.iter().filter(|next| *next != here) {
            let mut left = LARGE;
            let mut moved = false;
            if follows(ctx, l, *here, *next, &mut left, &mut moved) && moved {
                return Some((*here, *next));
            }
        }
    }
    None
}

/// Whether nothing in the loop writes what something in it loads.
fn reads_alone(ctx: &Context, ops: &[Op]) -> bool {
    let mut loads = Vec::new();
    let mut stores = Vec::new();
    for op in ops {
        match Access::of(ctx, *op) {
            Some(a) if a.kind == AccessKind::Read => loads.push(a.memref),
            Some(a) => stores.push(a.memref),
            None if is_pure(ctx, *op) || op.is_terminator(ctx) => {}
            None => return false,
        }
    }
    loads
        .iter()
        .all(|x| stores.iter().all(|y| !may_be_same(ctx, *x, *y)))
}

/// Whether `next` is in each iteration what `here` is in the one behind it.
fn follows(
    ctx: &Context,
    l: ForOp,
    here: Value,
    next: Value,
    left: &mut usize,
    moved: &mut bool,
) -> bool {
    let mut open = vec![(here, next)];
    while let Some((here, next)) = open.pop() {
        let inside = |v: Value| v.block(ctx) == Some(l.body(ctx));
        if !inside(here) && here == next {
            continue;
        }
        if *left == 0 || !inside(here) || !inside(next) {
            return false;
        }
        *left -= 1;
        let (Some(x), Some(y)) = (here.def_op(), next.def_op()) else {
            return false;
        };
        match (Access::of(ctx, x), Access::of(ctx, y)) {
            (Some(a), Some(b)) => {
                if !is_next(ctx, l, &a, &b) {
                    return false;
                }
                *moved = true;
            }
            _ if is_pure(ctx, x) && !here.ty(ctx).is_index(ctx) => match alike(ctx, here, next) {
                Some(operands) => open.extend(operands),
                None => return false,
            },
            _ => return false,
        }
    }
    true
}

/// Whether `next` loads what `here` loads one iteration later.
fn is_next(ctx: &Context, l: ForOp, here: &Access, next: &Access) -> bool {
    if here.kind != AccessKind::Read || next.kind != here.kind || here.memref != next.memref {
        return false;
    }
    let (a, b) = (here.composed(ctx), next.composed(ctx));
    let dims = a.map.num_dims() as usize;
    let Some(iv) = a.operands.iter().take(dims).position(|v| *v == l.iv(ctx)) else {
        // What does not depend on the loop is the same load.
        return a.map == b.map && a.operands == b.operands && !a.operands.contains(&l.iv(ctx));
    };
    if a.operands != b.operands || a.map.num_dims() != b.map.num_dims() {
        return false;
    }
    let mut later: Vec<AffineExpr> = (0..a.map.num_dims()).map(AffineExpr::dim).collect();
    later[iv] = AffineExpr::dim(iv as u32) + l.step(ctx);
    let moved = a.map.results().iter().map(|e| e.replace_dims(&later) - 0);
    moved.zip(b.map.results()).all(|(x, y)| {
        terrace_ir::affine::simplify_affine_expr(
            &(x - y.clone()),
            a.map.num_dims(),
            a.map.num_symbols(),
        ) == AffineExpr::constant(0)
    })
}

/// Hands `next` on in the place of `here`. The new loop; `None` where it is not known how the loop begins.
fn replace(ctx: &mut Context, l: ForOp, here: Value, next: Value) -> Option<ForOp> {
    let runs = Runs::of(ctx, l, 1)?;
    let (lower, operands) = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
    if lower.results().len() != 1 {
        return None;
    }
    let ty = here.ty(ctx);
    // The ops that make the value, in their order.
    let mut needed = vec![here.def_op()?];
    let mut seen = 0;
    while let Some(op) = needed.get(seen).copied() {
        seen += 1;
        for v in op.operands(ctx) {
            let def = v.def_op().filter(|o| o.block(ctx) == Some(l.body(ctx)));
            if let Some(o) = def
                && !needed.contains(&o)
            {
                needed.push(o);
            }
        }
    }
    let ops: Vec<Op> = (l.body(ctx).ops(ctx).into_iter())
        .filter(|op| needed.contains(op))
        .collect();
    let iv = l.iv(ctx);
    let mut b = Builder::before(ctx, l.op());
    let first = runs.value(
        &mut b,
        |b| {
            let start = ApplyOp::build(b, lower, &operands);
            let mut map = IrMapping::new();
            map.map(iv, start);
            for op in &ops {
                let copy = clone_op(b.ctx, *op, &mut map);
                b.insert(copy);
            }
            map.value(here)
        },
        ty,
    )?;
    let new = carry(ctx, l, &[first]);
    let arg = *new.iter_args(ctx).last()?;
    here.replace_all_uses(ctx, arg);
    let mut yielded = new.yielded(ctx);
    *yielded.last_mut()? = next;
    set_yielded(ctx, new, &yielded);
    Some(new)
}
