//! The one kernel: the host's loop, and in it what was launched, thread after thread.

use super::find::{block_sizes, launches, used};
use super::touched::{Pending, touched};
use crate::gpu::numbers::{constant, div, rem, split, times};
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::{gpu, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_trivially_dead;
use terrace_ir::opdef::traits;
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, Value};

/// Builds a launch of one block of `threads` threads that does what the loop does. The loop
/// is left as it is.
pub(super) fn build(b: &mut Builder, l: scf::ForOp, threads: i64) {
    b.loc = l.op().loc(b.ctx);
    let one = constant(b, 1);
    let size = constant(b, threads);
    let (launch, entry) = gpu::LaunchOp::build(b, [one; 3], [size, one, one], &[], &[]);
    // Profiles call it by the first of its parts.
    let first = launches(b.ctx, l.op()).into_iter().find_map(|part| {
        let name = part.op().attr(b.ctx, "function")?;
        Some(name.as_flat_symbol(b.ctx)?.to_string())
    });
    if let Some(first) = first {
        let name = b.ctx.symbol_attr(&format!("{first}_steps"));
        launch.op().set_attr(b.ctx, "function", name);
    }
    let thread = launch.thread_ids(b.ctx)[0];
    let mut k = Kernel {
        thread,
        threads,
        map: IrMapping::new(),
        pending: Pending::default(),
    };
    b.with_point(InsertPoint::End(entry), |b| {
        k.host_loop(b, l);
        b.op::<gpu::TerminatorOp>(&[], &[], &[]);
    });
}

struct Kernel {
    /// The number of the thread, and how many there are.
    thread: Value,
    threads: i64,
    /// Values of the host's loop as the kernel has them.
    map: IrMapping,
    pending: Pending,
}

impl Kernel {
    /// What the host does in a block; the values at its end.
    fn host_block(&mut self, b: &mut Builder, block: Block) -> Vec<Value> {
        let mut end = Vec::new();
        for op in block.ops(b.ctx) {
            b.loc = op.loc(b.ctx);
            let ctx = &*b.ctx;
            if op.def(ctx).is_some_and(|d| d.has(traits::TERMINATOR)) {
                end = self.all(&op.operands(ctx));
            } else if let Some(l) = op.cast::<gpu::LaunchOp>(ctx) {
                self.launch(b, l);
            } else if let Some(l) = op.cast::<scf::ForOp>(ctx) {
                self.host_loop(b, l);
            } else if let Some(i) = op.cast::<scf::IfOp>(ctx) {
                self.host_if(b, i);
            } else if op.dialect(ctx) != "xfer" {
                let copy = clone_op(b.ctx, op, &mut self.map);
                b.insert(copy);
            }
        }
        end
    }

    fn all(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|v| self.map.value(*v)).collect()
    }

    fn host_loop(&mut self, b: &mut Builder, l: scf::ForOp) {
        let ctx = &*b.ctx;
        let [low, high, step] = [l.lower_bound(ctx), l.upper_bound(ctx), l.step(ctx)];
        let bounds = [low, high, step].map(|v| self.map.value(v));
        let inits = self.all(&l.init_args(ctx));
        let old = l.body(ctx);
        let (new, body) = scf::ForOp::build(b, bounds[0], bounds[1], bounds[2], &inits);
        self.map.map_all(&old.args(b.ctx), &body.args(b.ctx));
        let before = self.pending.clone();
        self.pending.enter(b.ctx, l.op());
        b.with_point(InsertPoint::End(body), |b| {
            let end = self.host_block(b, old);
            scf::YieldOp::build(b, &end);
        });
        // It may not have run.
        self.pending.join(&before);
        let results = new.op().results(b.ctx);
        self.map.map_all(&l.op().results(b.ctx), &results);
    }

    fn host_if(&mut self, b: &mut Builder, i: scf::IfOp) {
        let ctx = &*b.ctx;
        let condition = self.map.value(i.condition(ctx));
        let types = i.op().result_types(ctx);
        let (old_then, old_other) = (i.then_block(ctx), i.else_block(ctx));
        let (new, then, other) = scf::IfOp::build(b, condition, &types, old_other.is_some());
        let before = self.pending.clone();
        let mut after = match old_other {
            Some(_) => Pending::default(),
            None => before.clone(),
        };
        for (old, new) in [(Some(old_then), Some(then)), (old_other, other)] {
            let (Some(old), Some(new)) = (old, new) else {
                continue;
            };
            self.pending = before.clone();
            b.with_point(InsertPoint::End(new), |b| {
                let end = self.host_block(b, old);
                scf::YieldOp::build(b, &end);
            });
            after.join(&self.pending);
        }
        self.pending = after;
        let results = new.op().results(b.ctx);
        self.map.map_all(&i.op().results(b.ctx), &results);
    }

    /// All threads of a launch, by those of the block.
    fn launch(&mut self, b: &mut Builder, l: gpu::LaunchOp) {
        let all = touched(b.ctx, l).unwrap_or_default();
        if self.pending.must_wait(b.ctx, &all) {
            gpu::BarrierOp::build(b);
            self.pending.clear();
        }
        self.pending.add(&all);
        let used = used(b.ctx, l);
        let sizes = block_sizes(b.ctx, l).unwrap_or([1; 3]);
        let grid = l.grid_size(b.ctx).map(|v| self.map.value(v));
        let zero = constant(b, 0);
        if used == [false; 3] {
            let first = CmpIOp::build(b, CmpIPredicate::Eq, self.thread, zero);
            let (_, then, _) = scf::IfOp::build(b, first, &[], false);
            b.with_point(InsertPoint::End(then), |b| {
                self.body(b, l, [zero; 3], grid, sizes);
                scf::YieldOp::build(b, &[]);
            });
            return;
        }
        let shape = shape(used, sizes, self.threads);
        let mut at = [zero; 3];
        let mut rest = self.thread;
        let last = used.iter().rposition(|u| *u).unwrap_or(0);
        for d in (0..3).filter(|d| used[*d]) {
            if d == last {
                at[d] = rest;
            } else if shape[d] > 1 {
                (rest, at[d]) = split(b, rest, shape[d]);
            }
        }
        let ends: [Value; 3] = std::array::from_fn(|d| times(b, grid[d], sizes[d]));
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
        self.body(b, l, ids, grid, sizes);
        b.at = outside;
    }

    /// What the thread of the numbers `ids` does; of these the block is the quotient by the
    /// size of a block, the thread in it the remainder.
    fn body(
        &mut self,
        b: &mut Builder,
        l: gpu::LaunchOp,
        ids: [Value; 3],
        grid: [Value; 3],
        sizes: [i64; 3],
    ) {
        let block: [Value; 3] = sizes.map(|n| constant(b, n));
        let of_block: [Value; 3] = std::array::from_fn(|d| div(b, ids[d], block[d]));
        let of_thread: [Value; 3] = std::array::from_fn(|d| rem(b, ids[d], block[d]));
        let ctx = &*b.ctx;
        let places = [
            (l.block_ids(ctx), of_block),
            (l.thread_ids(ctx), of_thread),
            (l.grid_size_args(ctx), grid),
            (l.block_size_args(ctx), block),
        ];
        for (old, new) in places {
            self.map.map_all(&old, &new);
        }
        let mut copies = Vec::new();
        for op in l.body(b.ctx).ops(b.ctx) {
            if !op.isa::<gpu::TerminatorOp>(b.ctx) {
                let copy = clone_op(b.ctx, op, &mut self.map);
                copies.push(b.insert(copy));
            }
        }
        let mut unused = Vec::new();
        for d in 0..3 {
            let parts = (of_block[d], of_thread[d], sizes[d]);
            join(b.ctx, &copies, parts, ids[d], &mut unused);
        }
        unused.extend(of_thread.into_iter().chain(of_block));
        for v in unused {
            erase_unused(b.ctx, v);
        }
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
