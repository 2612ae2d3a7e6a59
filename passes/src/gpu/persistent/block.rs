//! A launch by the threads of one block: each takes threads of the launch in turns, along each
//! dimension as many apart as the block has.

use super::find::used;
use super::kernel::{Kernel, Part};
use crate::loops::build::index::{constant, div, rem, split, times};
use terrace_dialects::{arith, scf};
use terrace_ir::effects::is_trivially_dead;
use terrace_ir::{Builder, Context, InsertPoint, Op, Value};

/// All threads of a launch that has more than one.
pub(super) fn launch(k: &mut Kernel, b: &mut Builder, p: &Part) {
    let used = used(b.ctx, p.launch);
    let zero = constant(b, 0);
    let shape = shape(used, p.sizes, k.team.threads);
    let mut at = [zero; 3];
    let mut rest = k.team.thread;
    let last = used.iter().rposition(|u| *u).unwrap_or(0);
    for d in (0..3).filter(|d| used[*d]) {
        if d == last {
            at[d] = rest;
        } else if shape[d] > 1 {
            (rest, at[d]) = split(b, rest, shape[d]);
        }
    }
    let ends: [Value; 3] = std::array::from_fn(|d| times(b, p.grid[d], p.sizes[d]));
    let steps = shape.map(|n| constant(b, n));
    let outside = b.at;
    let mut ids = [zero; 3];
    for d in (0..3).rev().filter(|d| used[*d]) {
        let (_, body) = scf::ForOp::build(b, at[d], ends[d], steps[d], &[]);
        b.with_point(InsertPoint::End(body), |b| {
            scf::YieldOp::build(b, &[]);
        });
        ids[d] = body.arg(b.ctx, 0);
        b.at = InsertPoint::Start(body);
    }
    body(k, b, p, ids);
    b.at = outside;
}

/// What the thread of the numbers `ids` does; of these the block is the quotient by the
/// size of a block, the thread in it the remainder.
fn body(k: &mut Kernel, b: &mut Builder, p: &Part, ids: [Value; 3]) {
    let size: [Value; 3] = p.sizes.map(|n| constant(b, n));
    let of_block: [Value; 3] = std::array::from_fn(|d| div(b, ids[d], size[d]));
    let of_thread: [Value; 3] = std::array::from_fn(|d| rem(b, ids[d], size[d]));
    let copies = k.body(b, p, of_block, of_thread);
    let mut unused = Vec::new();
    for d in 0..3 {
        let parts = (of_block[d], of_thread[d], p.sizes[d]);
        join(b.ctx, &copies, parts, ids[d], &mut unused);
    }
    unused.extend(of_thread.into_iter().chain(of_block));
    for v in unused {
        erase_unused(b.ctx, v);
    }
}

/// `block * size + thread` is the number that both were made from. What nothing uses then goes to
/// `unused`, users first.
fn join(
    ctx: &mut Context,
    ops: &[Op],
    (block, thread, size): (Value, Value, i64),
    id: Value,
    unused: &mut Vec<Value>,
) {
    let mut products = Vec::new();
    let product = |ctx: &Context, v: Value| {
        let op = v.def_op().filter(|o| o.isa::<arith::MulIOp>(ctx))?;
        let (x, y) = (op.operand(ctx, 0), op.operand(ctx, 1));
        let is = |v, by| v == block && ctx.constant_int(by) == Some(size);
        (is(x, y) || is(y, x)).then_some(op)
    };
    for op in ops
        .iter()
        .flat_map(|o| o.pre_order(ctx))
        .collect::<Vec<_>>()
    {
        if !op.isa::<arith::AddIOp>(ctx) {
            continue;
        }
        let (x, y) = (op.operand(ctx, 0), op.operand(ctx, 1));
        let found = match (x == thread, y == thread) {
            (false, true) => product(ctx, x),
            (true, false) => product(ctx, y),
            _ => None,
        };
        if let Some(product) = found {
            op.result(ctx, 0).replace_all_uses(ctx, id);
            unused.push(op.result(ctx, 0));
            let product = product.result(ctx, 0);
            if !products.contains(&product) {
                products.push(product);
            }
        }
    }
    unused.extend(products);
}

fn erase_unused(ctx: &mut Context, v: Value) {
    if let Some(op) = v.def_op().filter(|o| is_trivially_dead(ctx, *o)) {
        op.erase(ctx);
    }
}

/// How many threads of the block go along x, y and z: along all but the last dimension that
/// is used as many as a block of the launch has, so that neighbours stay neighbours.
fn shape(used: [bool; 3], sizes: [i64; 3], threads: i64) -> [i64; 3] {
    let mut shape = [1; 3];
    let mut rest = threads;
    let last = used.iter().rposition(|u| *u).unwrap_or(0);
    for d in (0..3).filter(|d| used[*d]) {
        shape[d] = match d == last {
            true => rest,
            false => 1 << sizes[d].min(rest).max(1).ilog2(),
        };
        rest /= shape[d];
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::shape;

    #[test]
    fn the_last_dimension_gets_what_is_left() {
        assert_eq!(shape([true, false, false], [256, 1, 1], 1024), [1024, 1, 1]);
        assert_eq!(shape([true, true, false], [32, 8, 1], 1024), [32, 32, 1]);
        assert_eq!(shape([true, true, true], [32, 4, 2], 1024), [32, 4, 8]);
        assert_eq!(shape([true, false, true], [96, 1, 1], 1024), [64, 1, 16]);
        assert_eq!(shape([false, true, false], [1, 64, 1], 128), [1, 128, 1]);
        assert_eq!(shape([true, true, false], [1024, 1, 1], 256), [256, 1, 1]);
    }
}
