//! How often what a kernel does is done, by all threads of a launch together.

use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::{gpu, nvgpu, scf};
use terrace_ir::{Block, Builder, Context, Op, OpKind, TypeData, Value};

use super::form::{Axis, Form, Forms};
use crate::analysis::memory::base;
use crate::analysis::region::element_bytes;
use crate::gpu::aligned::EITHER;
use crate::gpu::stencils::ROWS;
use crate::offload::estimate::number::{F, Numbers};
use crate::offload::estimate::single::flops;
use crate::offload::source;

/// How deep blocks are followed.
const MAX_DEPTH: u32 = 64;

const ZERO: F = F::Known(0.0);
const ONE: F = F::Known(1.0);

/// The numbers that a counter runs through.
#[derive(Debug, Clone, Copy)]
struct Range {
    /// The first, and how far it is to the next.
    first: F,
    step: F,
    count: F,
    /// Whether how many there are depends on another counter.
    varies: bool,
}

/// What is so at a place in the kernel.
#[derive(Debug, Clone)]
struct Around {
    ranges: FxHashMap<Axis, Range>,
    /// Threads along x, y and z that come here, without what loops took over.
    threads: [F; 3],
    /// How often loops and conditions come here for each of them.
    times: F,
    /// Counters that the number of another depends on: once is linear.
    used: Vec<Axis>,
}

/// An access: its array, its elements, and whether it writes.
type Access = (Value, F, bool);

struct Counter<'a, 'n, 'c> {
    f: &'a mut Forms<'n, 'c>,
    /// Of at most 32 bits, and of 64; none once something is not known.
    flops: Option<[F; 2]>,
    accesses: Vec<Access>,
    /// Arrays that are copied to memory of the block, to where, and their elements.
    copies: Vec<(Value, Value, F)>,
}

/// What a launch does: flops of at most 32 bits, of 64, and bytes; and whether the flops are
/// known.
pub(super) fn of_launch(
    b: &mut Builder,
    launch: gpu::LaunchFuncOp,
    kernel: gpu::FuncOp,
) -> ([Value; 3], bool) {
    let inner = Builder::new(b.ctx, b.at, b.loc);
    let mut n = Numbers::new(inner, FxHashMap::default(), None);
    let mut f = Forms::new(&mut n, launch, kernel);
    let mut c = Counter {
        f: &mut f,
        flops: Some([ZERO; 2]),
        accesses: Vec::new(),
        copies: Vec::new(),
    };
    let region = kernel.op().region(c.f.ctx(), 0);
    match (region.blocks(c.f.ctx()).as_slice(), c.at_entry()) {
        ([entry], Some(around)) => c.block(*entry, &around, MAX_DEPTH),
        // Blocks that branch to each other.
        _ => c.flops = None,
    }
    let bytes = c.bytes();
    let known = c.flops.is_some();
    let [small, large] = c.flops.unwrap_or([F::Known(f64::NAN); 2]);
    let numbers = [small, large, bytes].map(|x| n.value(x));
    (numbers, known)
}

impl Counter<'_, '_, '_> {
    /// All threads of the launch.
    fn at_entry(&mut self) -> Option<Around> {
        let mut ranges = FxHashMap::default();
        let mut threads = [ONE; 3];
        let (grids, blocks) = (self.f.grid, self.f.block);
        for (d, (grid, block)) in grids.into_iter().zip(blocks).enumerate() {
            let (grid, block) = (self.f.float(grid)?, self.f.float(block)?);
            let together = self.f.n.mul(grid, block);
            threads[d] = together;
            let all = |count| Range {
                first: ZERO,
                step: ONE,
                count,
                varies: false,
            };
            ranges.insert(Axis::Global(d), all(together));
            ranges.insert(Axis::Thread(d), all(block));
            ranges.insert(Axis::Block(d), all(grid));
        }
        Some(Around {
            ranges,
            threads,
            times: ONE,
            used: Vec::new(),
        })
    }

    /// How often a place is met.
    fn executions(&mut self, around: &Around) -> F {
        let mut all = around.times;
        for t in around.threads {
            all = self.f.n.mul(all, t);
        }
        all
    }

    fn block(&mut self, block: Block, around: &Around, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            self.flops = None;
            return;
        };
        for op in block.ops(self.f.ctx()) {
            let ctx = self.f.ctx();
            if let Some(l) = op.cast::<scf::ForOp>(ctx) {
                match self.in_loop(l, around) {
                    Some(inside) => self.block(l.body(self.f.ctx()), &inside, depth),
                    None => self.not_known(op),
                }
            } else if let Some(i) = op.cast::<scf::IfOp>(ctx) {
                self.condition(i, around, depth);
            } else if op.num_regions(ctx) > 0 {
                self.not_known(op);
            } else {
                self.leaf(op, around);
            }
        }
    }

    /// What is in an op is done nobody knows how often.
    fn not_known(&mut self, op: Op) {
        let ctx = self.f.ctx();
        let inside = op.pre_order(ctx);
        if joins_threads(ctx, &inside) {
            return;
        }
        let counts = |o: &Op| is_unknown(ctx, *o) || flops(ctx, *o) != [0.0; 2];
        if inside.iter().any(counts) {
            self.flops = None;
        }
    }

    fn leaf(&mut self, op: Op, around: &Around) {
        let ctx = self.f.ctx();
        if let Some((memref, at)) = source::indices(ctx, op) {
            let array = base(ctx, memref);
            if self.f.is_passed(array) {
                let (reads, writes) = match op.name(ctx) {
                    "memref.load" => (true, false),
                    "memref.store" => (false, true),
                    _ => (true, true),
                };
                let elements = self.elements(&at, around);
                for (_, w) in [(reads, false), (writes, true)]
                    .iter()
                    .filter(|(does, _)| *does)
                {
                    self.accesses.push((array, elements, *w));
                }
            }
            return;
        }
        if let Some(copy) = op.cast::<nvgpu::DeviceAsyncCopyOp>(ctx) {
            self.copied(copy, around);
            return;
        }
        if is_unknown(ctx, op) {
            self.flops = None;
            return;
        }
        let once = flops(ctx, op);
        let from_others = |v: &Value| v.def_op().is_some_and(|o| o.name(ctx) == "gpu.shuffle");
        if once == [0.0; 2] || op.operands(ctx).iter().any(from_others) || self.f.adds_nothing(op) {
            return;
        }
        let ty = op.results(ctx).first().map(|r| r.ty(ctx));
        let lanes = ty
            .and_then(|t| t.shape(ctx))
            .map_or(1, |s| s.iter().product());
        let times = self.executions(around);
        let Some(mut flops) = self.flops else { return };
        for (sum, once) in flops.iter_mut().zip(once) {
            let all = self.f.n.mul(times, F::Known(once * lanes as f64));
            *sum = self.f.n.add(*sum, all);
        }
        self.flops = Some(flops);
    }

    /// A copy to memory of the block: as many elements as copies, once for all blocks where
    /// they copy the same.
    fn copied(&mut self, copy: nvgpu::DeviceAsyncCopyOp, around: &Around) {
        let ctx = self.f.ctx();
        let Some(array) = copy.src(ctx).map(|v| base(ctx, v)) else {
            return;
        };
        if !self.f.is_passed(array) {
            return;
        }
        let each = copy.dst_elements(ctx) as f64;
        let of_block = depends_on_block(ctx, copy.src_indices(ctx));
        let mut all = self.executions(around);
        if !of_block {
            for grid in self.f.grid {
                let Some(blocks) = self.f.float(grid) else {
                    return;
                };
                let some = self.f.n.max(blocks, ONE);
                all = self.f.n.div(all, some);
            }
        }
        let elements = self.f.n.mul(all, F::Known(each));
        // What goes to one buffer is copied in parts.
        let to = copy.dst(self.f.ctx()).unwrap_or(array);
        match self.copies.iter_mut().find(|c| c.0 == array && c.1 == to) {
            Some(c) => c.2 = self.f.n.add(c.2, elements),
            None => self.copies.push((array, to, elements)),
        }
    }

    /// What is so in a loop.
    fn in_loop(&mut self, l: scf::ForOp, around: &Around) -> Option<Around> {
        let ctx = self.f.ctx();
        let (iv, lower, upper, step) = (
            l.induction_var(ctx),
            l.lower_bound(ctx),
            l.upper_bound(ctx),
            l.step(ctx),
        );
        let mut inside = around.clone();
        if let Some(trips) = self.f.trips(lower, upper, step) {
            let (first, step) = (self.f.on_host(lower)?, self.f.on_host(step)?);
            let range = Range {
                first: self.f.float(first)?,
                step: self.f.float(step)?,
                count: trips,
                varies: false,
            };
            inside.ranges.insert(Axis::Loop(iv), range);
            inside.times = self.f.n.mul(inside.times, trips);
            return Some(inside);
        }
        if let Some(inside) = self.in_part(l, around) {
            return Some(inside);
        }
        let (low, high) = (self.f.form(lower)?, self.f.form(upper)?);
        // A loop that goes round with the threads does the iterations of all of them.
        if let [(axis @ (Axis::Global(d) | Axis::Thread(d)), F::Known(1.0))] = low.terms[..]
            && self.f.goes_round(step, d, axis)
            && !around.ranges.get(&axis)?.varies
        {
            let bound = self.mean(&high, &mut inside)?;
            let room = self.f.n.sub(bound, low.rest);
            let count = self.f.n.max(room, ZERO);
            let range = Range {
                first: low.rest,
                step: ONE,
                count,
                varies: !high.terms.is_empty(),
            };
            inside.ranges.insert(Axis::Loop(iv), range);
            inside.threads[d] = match axis {
                Axis::Thread(_) => around.ranges.get(&Axis::Block(d))?.count,
                _ => ONE,
            };
            // Threads that were left out before would be met again.
            for gone in [Axis::Global(d), Axis::Thread(d)] {
                inside.ranges.remove(&gone);
            }
            inside.times = self.f.n.mul(inside.times, count);
            return Some(inside);
        }
        let step = self.f.on_host(step)?;
        if self.f.ctx().constant_int(step) != Some(1) {
            return None;
        }
        let length = self.f.sum(high, low.clone(), -1.0);
        let mean = self.mean(&length, &mut inside)?;
        let count = self.f.n.max(mean, ZERO);
        let mut middle = inside.clone();
        middle.used.clear();
        let range = Range {
            first: self.mean(&low, &mut middle)?,
            step: ONE,
            count,
            varies: !length.terms.is_empty(),
        };
        inside.ranges.insert(Axis::Loop(iv), range);
        inside.times = self.f.n.mul(inside.times, count);
        Some(inside)
    }

    /// A loop over a part of the loop around it, which goes by parts: from 0 to the length of a
    /// part, of the last part to what is left. All of them together go over the whole.
    fn in_part(&mut self, l: scf::ForOp, around: &Around) -> Option<Around> {
        let ctx = self.f.ctx();
        let (iv, step) = (l.induction_var(ctx), l.step(ctx));
        let least = l.upper_bound(ctx).def_op();
        let least = least.filter(|o| o.isa::<arith::MinSIOp>(ctx))?;
        let is_left = |v: &Value| v.def_op().is_some_and(|o| o.isa::<arith::SubIOp>(ctx));
        let (left, part) = match (least.operand(ctx, 0), least.operand(ctx, 1)) {
            (a, b) if is_left(&a) => (a.def_op()?, b),
            (a, b) if is_left(&b) => (b.def_op()?, a),
            _ => return None,
        };
        let (end, begin) = (left.operand(ctx, 0), left.operand(ctx, 1));
        let outer = begin.arg_block()?.parent_op(ctx)?.cast::<scf::ForOp>(ctx)?;
        let (by, part) = (ctx.constant_int(step)?, ctx.constant_int(part)?);
        let fits = ctx.constant_int(l.lower_bound(ctx)) == Some(0)
            && outer.induction_var(ctx) == begin
            && outer.upper_bound(ctx) == end
            && ctx.constant_int(outer.step(ctx)) == Some(part)
            && by > 0
            && part % by == 0;
        let parts = around
            .ranges
            .get(&Axis::Loop(begin))
            .filter(|_| fits)?
            .count;
        let first = outer.lower_bound(ctx);
        let all = self.f.trips(first, end, step)?;
        let parts = self.f.n.max(parts, ONE);
        let count = self.f.n.div(all, parts);
        let mut inside = around.clone();
        inside.times = self.f.n.mul(inside.times, count);
        let range = Range {
            first: ZERO,
            step: F::Known(by as f64),
            count,
            varies: false,
        };
        inside.ranges.insert(Axis::Loop(iv), range);
        Some(inside)
    }

    /// A sum of counters in the middle of what they run through, for how many of another there
    /// are. None where that is not linear.
    fn mean(&mut self, form: &Form, around: &mut Around) -> Option<F> {
        let mut sum = form.rest;
        for (axis, c) in &form.terms {
            let range = *around.ranges.get(axis)?;
            if range.varies || around.used.contains(axis) {
                return None;
            }
            around.used.push(*axis);
            let last = self.f.n.sub(range.count, ONE);
            let half = self.f.n.mul(last, F::Known(0.5));
            let way = self.f.n.mul(half, range.step);
            let middle = self.f.n.add(range.first, way);
            let part = self.f.n.mul(middle, *c);
            sum = self.f.n.add(sum, part);
        }
        Some(sum)
    }

    fn condition(&mut self, op: scf::IfOp, around: &Around, depth: u32) {
        let ctx = self.f.ctx();
        if op.op().attr(ctx, ROWS).is_some()
            && let Some((body, inside)) = self.in_rows(op, around)
        {
            self.block(body, &inside, depth);
            return;
        }
        let ctx = self.f.ctx();
        let then = op.then_block(ctx);
        let other = op.op().region(ctx, 1).entry(ctx);
        if op.op().attr(ctx, EITHER).is_some() {
            self.block(then, around, depth);
            return;
        }
        let Some(inside) = self.where_true(op.condition(ctx), around) else {
            self.not_known(op.op());
            return;
        };
        self.block(then, &inside, depth);
        let Some(other) = other else { return };
        // The rest of the executions, whose counters have no range of their own.
        let ctx = self.f.ctx();
        let ops = other.ops(ctx);
        if ops.iter().all(|o| o.num_regions(ctx) == 0) {
            let (all, some) = (self.executions(around), self.executions(&inside));
            let rest = self.f.n.sub(all, some);
            let outside = Around {
                ranges: FxHashMap::default(),
                threads: [ONE; 3],
                times: rest,
                used: Vec::new(),
            };
            for o in ops {
                self.leaf(o, &outside);
            }
        } else {
            let holder = op.op();
            let inside: Vec<Op> = ops.iter().flat_map(|o| o.pre_order(ctx)).collect();
            if inside.iter().any(|o| flops(ctx, *o) != [0.0; 2]) {
                self.not_known(holder);
            }
        }
    }

    /// Iterations that a thread runs at once or one by one: the body of the latter, with all
    /// iterations of all threads.
    fn in_rows(&mut self, op: scf::IfOp, around: &Around) -> Option<(Block, Around)> {
        let ctx = self.f.ctx();
        let other = op.op().region(ctx, 1).entry(ctx)?;
        let each = (other.ops(ctx).into_iter()).find_map(|o| o.cast::<scf::ForOp>(ctx))?;
        let stop = each.upper_bound(ctx);
        let ends = match stop.def_op().filter(|o| o.isa::<arith::MinSIOp>(ctx)) {
            Some(o) => o.operands(ctx),
            None => vec![stop],
        };
        let (iv, body) = (each.induction_var(ctx), each.body(ctx));
        let low = self.f.form(each.lower_bound(ctx))?;
        let end = ends.into_iter().find_map(|v| self.f.on_host(v))?;
        let end = self.f.float(end)?;
        let axis = match low.terms[..] {
            [(axis, _)] => axis,
            // The number of the thread, times the iterations of each.
            [(Axis::Block(d), _), (Axis::Thread(t), _)]
            | [(Axis::Thread(t), _), (Axis::Block(d), _)]
                if d == t =>
            {
                Axis::Global(d)
            }
            _ => return None,
        };
        let chunks = around.ranges.get(&axis)?.count;
        let n = &mut *self.f.n;
        let room = n.sub(end, low.rest);
        let count = n.max(room, ZERO);
        let of = n.max(chunks, ONE);
        let each = n.div(count, of);
        let mut inside = around.clone();
        inside.times = n.mul(inside.times, each);
        let range = Range {
            first: low.rest,
            step: ONE,
            count,
            varies: false,
        };
        inside.ranges.insert(Axis::Loop(iv), range);
        Some((body, inside))
    }

    /// What is so where a condition holds.
    fn where_true(&mut self, condition: Value, around: &Around) -> Option<Around> {
        if let Some(truth) = self.f.truth(condition) {
            let mut inside = around.clone();
            inside.times = self.f.n.mul(inside.times, truth);
            return Some(inside);
        }
        let ctx = self.f.ctx();
        let op = condition.def_op()?;
        if op.isa::<arith::AndIOp>(ctx) {
            let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
            let both = self.where_true(a, around)?;
            return self.where_true(b, &both);
        }
        let predicate = op.cast::<arith::CmpIOp>(ctx)?.predicate(ctx)?;
        let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
        let (a, b) = (self.f.form(a)?, self.f.form(b)?);
        use CmpIPredicate as P;
        match predicate {
            P::Slt | P::Ult => self.where_negative(a, b, 0.0, around),
            P::Sle | P::Ule => self.where_negative(a, b, -1.0, around),
            P::Sgt | P::Ugt => self.where_negative(b, a, 0.0, around),
            P::Sge | P::Uge => self.where_negative(b, a, -1.0, around),
            _ => None,
        }
    }

    /// What is so where `a - b + more < 0`: one counter has fewer numbers.
    fn where_negative(&mut self, a: Form, b: Form, more: f64, around: &Around) -> Option<Around> {
        let mut form = self.f.sum(a, b, -1.0);
        form.rest = self.f.n.add(form.rest, F::Known(more));
        let unit = |t: &(Axis, F)| matches!(t.1, F::Known(c) if c.abs() == 1.0);
        // One that runs through its numbers one by one, and is as others need it.
        let at = form.terms.iter().position(|t| {
            let range = around.ranges.get(&t.0);
            let free = range.is_some_and(|r| !r.varies && r.step == ONE);
            unit(t) && free && !around.used.contains(&t.0) && !matches!(t.0, Axis::Block(_))
        })?;
        let (axis, sign) = form.terms.remove(at);
        let mut inside = around.clone();
        let rest = self.mean(&form, &mut inside)?;
        let range = *around.ranges.get(&axis)?;
        let n = &mut *self.f.n;
        let end = n.add(range.first, range.count);
        let (first, end) = match sign == ONE {
            // Below `-rest`.
            true => {
                let bound = n.sub(ZERO, rest);
                (range.first, n.min(end, bound))
            }
            // Above `rest`.
            false => {
                let bound = n.add(rest, ONE);
                (n.max(range.first, bound), end)
            }
        };
        let room = n.sub(end, first);
        let count = n.max(room, ZERO);
        let new = Range {
            first,
            count,
            varies: !form.terms.is_empty(),
            ..range
        };
        inside.ranges.insert(axis, new);
        match axis {
            Axis::Loop(_) => {
                // Of the iterations so many; of none, none.
                let of = n.max(range.count, ONE);
                let share = n.div(count, of);
                inside.times = n.mul(inside.times, share);
            }
            Axis::Global(d) => {
                inside.threads[d] = count;
                inside.ranges.remove(&Axis::Thread(d));
                inside.ranges.remove(&Axis::Block(d));
            }
            Axis::Thread(d) => {
                let blocks = around.ranges.get(&Axis::Block(d))?.count;
                inside.threads[d] = n.mul(blocks, count);
                inside.ranges.remove(&Axis::Global(d));
            }
            Axis::Block(_) => return None,
        }
        Some(inside)
    }

    /// The elements that subscripts surely reach: of each a sum of `k` counters takes as many
    /// values as all of these together, but for `k - 1`; a counter is free in one subscript.
    fn elements(&mut self, at: &[Value], around: &Around) -> F {
        let mut product = ONE;
        let mut seen: Vec<Axis> = Vec::new();
        for v in at {
            let Some(form) = self.f.form(*v) else {
                continue;
            };
            let mut values = ONE;
            for (axis, _) in &form.terms {
                let Some(range) = around.ranges.get(axis).filter(|_| !seen.contains(axis)) else {
                    continue;
                };
                seen.push(*axis);
                let further = self.f.n.sub(range.count, ONE);
                values = self.f.n.add(values, further);
            }
            product = self.f.n.mul(product, values);
        }
        // Not more than there are accesses, of which there may be none.
        let all = self.executions(around);
        self.f.n.min(product, all)
    }

    /// The bytes of all arrays, once for each way.
    fn bytes(&mut self) -> F {
        let copies = std::mem::take(&mut self.copies);
        self.accesses
            .extend(copies.into_iter().map(|(array, _, n)| (array, n, false)));
        let mut most: Vec<Access> = Vec::new();
        for (array, n, writes) in std::mem::take(&mut self.accesses) {
            match most.iter_mut().find(|a| a.0 == array && a.2 == writes) {
                Some(a) => a.1 = self.f.n.max(a.1, n),
                None => most.push((array, n, writes)),
            }
        }
        let mut sum = ZERO;
        for (array, n, _) in most {
            let ctx = self.f.ctx();
            let element = array.ty(ctx).element(ctx);
            let size = element.and_then(|t| element_bytes(ctx, t)).unwrap_or(1) as f64;
            let bytes = self.f.n.mul(n, F::Known(size));
            sum = self.f.n.add(sum, bytes);
        }
        sum
    }
}

/// Whether ops only put together what threads of a block have made, in their own memory.
fn joins_threads(ctx: &Context, ops: &[Op]) -> bool {
    let mut touches = false;
    let mut only_shared = true;
    for op in ops {
        if let Some((memref, _)) = source::indices(ctx, *op) {
            touches = true;
            let space = match base(ctx, memref).ty(ctx).data(ctx) {
                TypeData::MemRef { space, .. } => *space,
                _ => None,
            };
            only_shared &= gpu::is_workgroup_space(ctx, space);
        }
    }
    touches && only_shared
}

/// Whether values are computed from the number of the block.
fn depends_on_block(ctx: &Context, values: Vec<Value>) -> bool {
    let mut seen: FxHashSet<Op> = FxHashSet::default();
    let mut work = values;
    while let Some(v) = work.pop() {
        let Some(op) = v.def_op().filter(|o| seen.insert(*o)) else {
            continue;
        };
        if op.isa::<gpu::BlockIdOp>(ctx) {
            return true;
        }
        work.extend(op.operands(ctx));
    }
    false
}

/// Whether what an op does to floats is not known.
fn is_unknown(ctx: &Context, op: Op) -> bool {
    let name = op.name(ctx);
    name == "func.call"
        || name == "scf.while"
        || (name.starts_with("nvgpu.") && !name.starts_with("nvgpu.device_async"))
        || name.starts_with("gpu.subgroup_mma")
}
