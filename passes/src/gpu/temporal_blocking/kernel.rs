//! The launch, which tile is a block's, and the march over its planes.

use super::cells::{Cells, Plane, Slot, Tile};
use super::find::{Stencil, Sweep};
use super::host::tiles;
use super::plan::{LANES, TimeTiling};
use super::work;
pub(crate) use crate::gpu::branches::when;
use crate::loops::build::index::*;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate, SelectOp};
use terrace_dialects::attributes::GPU_NOTE;
use terrace_dialects::{arith, gpu, memref, scf};
use terrace_ir::{Builder, InsertPoint, OpKind, Value};

/// What the host knows of all launches.
pub struct Frame<'x> {
    pub s: &'x Stencil,
    pub plan: &'x TimeTiling,
    /// The box.
    pub lo: Vec<Value>,
    pub hi: Vec<Value>,
    pub lengths: Vec<Value>,
    /// Planes that a block marches over.
    pub march: Value,
}

/// A launch of `plan.steps` sweeps, the first of which is that of this number in a step.
pub fn launch(b: &mut Builder, f: &Frame, first: usize) {
    let (s, plan) = (f.s, f.plan);
    let useful = plan.useful();
    let last = s.rank() - 1;
    let one = constant(b, 1);
    // The first tile begins at an aligned element, which may be before the box.
    let origin = constant(b, plan.vector);
    let before = rem(b, f.lo[last], origin);
    let columns = add(b, f.lengths[last], before);
    let grid = [
        tiles(b, columns, useful[1] * plan.tiles_of_block()),
        match s.rank() {
            3 => tiles(b, f.lengths[1], useful[0]),
            _ => one,
        },
        {
            let [first, last] = plan.rim(s);
            let long = long_marches(b, f);
            let rims = i64::from(first > 0) + i64::from(last > 0);
            add_constant(b, long, rims)
        },
    ];
    let threads = constant(b, LANES * plan.warps);
    let i32 = b.ctx.i32();
    let shape = shared_shape(s, plan);
    let bytes = shape.iter().product::<i64>() * s.bytes;
    let words = b.ctx.string_attr(&plan.words());
    let block = [threads, one, one];
    let (launch, entry) = match plan.slots {
        0 => gpu::LaunchOp::build(b, grid, block, &[], &[]),
        _ => {
            let bytes = arith::constant_int(b, bytes, i32);
            gpu::LaunchOp::build_dynamic(b, grid, block, bytes)
        }
    };
    launch.op().set_attr(b.ctx, GPU_NOTE, words);
    let (at, thread) = (launch.block_ids(b.ctx), launch.thread_ids(b.ctx)[0]);
    b.with_point(InsertPoint::End(entry), |b| {
        let kernel = Kernel { f, first };
        work::note(b, &kernel);
        kernel.body(b, [at[0], at[1], at[2]], thread);
        b.op::<gpu::TerminatorOp>(&[], &[], &[]);
    });
}

/// Marches over planes that lie so far inside the box that nothing which they need of later
/// versions is outside.
fn long_marches(b: &mut Builder, f: &Frame) -> Value {
    let [first, last] = f.plan.rim(f.s);
    let zero = constant(b, 0);
    let inner = add_constant(b, f.lengths[0], -first - last);
    let inner = max(b, inner, zero);
    let more = add(b, inner, f.march);
    let more = add_constant(b, more, -1);
    div(b, more, f.march)
}

/// Planes in workgroup memory: slot, sweep, warp, row of the warp, column.
fn shared_shape(s: &Stencil, plan: &TimeTiling) -> Vec<i64> {
    let rows = if s.rank() == 3 {
        plan.shared_rows(s.radius(1))
    } else {
        0
    };
    vec![
        plan.slots,
        plan.steps,
        plan.row_warps(),
        rows,
        plan.tile()[1],
    ]
}

pub struct Kernel<'k, 'x> {
    pub f: &'k Frame<'x>,
    pub first: usize,
}

impl<'x> Kernel<'_, 'x> {
    /// The sweep that computes a version from the one before; version 0 is what is there.
    pub fn sweep(&self, version: i64) -> &'x Sweep {
        &self.f.s.sweeps[(self.first + version as usize + 1) % 2]
    }

    /// The array that a version is in.
    pub fn array(&self, version: i64) -> Value {
        self.sweep(version).target
    }

    fn body(&self, b: &mut Builder, block: [Value; 3], thread: Value) {
        let (s, plan) = (self.f.s, self.f.plan);
        let last = s.rank() - 1;
        let useful = plan.useful();
        let (warp, lane) = split(b, thread, LANES);
        // Columns.
        let mut which = times(b, block[0], plan.tiles_of_block());
        if plan.row_warps() == 1 {
            which = add(b, which, warp);
        }
        let vector = constant(b, plan.vector);
        let before = rem(b, self.f.lo[last], vector);
        let origin = sub(b, self.f.lo[last], before);
        let shift = times(b, which, useful[1]);
        let stored = add(b, origin, shift);
        let column = add_constant(b, stored, -plan.halo[1]);
        // Rows.
        let row = (s.rank() == 3).then(|| {
            let shift = times(b, block[1], useful[0]);
            let stored = add(b, self.f.lo[1], shift);
            add_constant(b, stored, -plan.halo[0])
        });
        let planes = self.planes(b, block[2]);
        let tile = Tile {
            warp,
            lane,
            column,
            row,
            planes,
        };
        let some = less(b, stored, self.f.hi[last]);
        if plan.row_warps() > 1 {
            // All tiles of a grid have columns, as a block is one tile.
            return self.either(b, &tile);
        }
        when(b, some, |b| self.either(b, &tile));
    }

    /// The planes that a block stores: from, and to below. Long marches come first, then
    /// those at the begin and at the end of the box, which look where it ends and so are
    /// as short as can be.
    fn planes(&self, b: &mut Builder, block: Value) -> [Value; 2] {
        let (f, [first, last]) = (self.f, self.f.plan.rim(self.f.s));
        let (lo, hi) = (f.lo[0], f.hi[0]);
        let long = long_marches(b, f);
        let inner = add_constant(b, lo, first);
        let inner = min(b, inner, hi);
        let outer = add_constant(b, hi, -last);
        let outer = max(b, outer, inner);
        let shift = mul(b, block, f.march);
        let begin = add(b, inner, shift);
        let end = add(b, begin, f.march);
        let end = min(b, end, outer);
        let mut planes = [begin, end];
        let mut number = long;
        for (size, rim) in [(first, [lo, inner]), (last, [outer, hi])] {
            if size > 0 {
                let is_rim = CmpIOp::build(b, CmpIPredicate::Eq, block, number);
                for (plane, of_rim) in planes.iter_mut().zip(rim) {
                    *plane = SelectOp::build(b, is_rim, of_rim, *plane);
                }
                number = add_constant(b, number, 1);
            }
        }
        planes
    }

    /// Tiles inside the box need not look where it ends.
    fn either(&self, b: &mut Builder, tile: &Tile) {
        let inside = self.is_inside(b, tile);
        let (_, then, other) = scf::IfOp::build(b, inside, &[], true);
        for (block, inside) in [(Some(then), true), (other, false)] {
            let Some(block) = block else { continue };
            b.with_point(InsertPoint::End(block), |b| {
                self.march(b, tile, inside);
                scf::YieldOp::build(b, &[]);
            });
        }
    }

    /// Whether all that a tile loads is there, and all that it needs of later versions is
    /// in the box.
    fn is_inside(&self, b: &mut Builder, tile: &Tile) -> Value {
        let (s, plan) = (self.f.s, self.f.plan);
        let last = s.rank() - 1;
        let [height, width] = plan.tile();
        let reads = self.sweep(1);
        let mut all: Option<Value> = None;
        let mut need = |b: &mut Builder, small: Value, great: Value| {
            let holds = CmpIOp::build(b, CmpIPredicate::Sle, small, great);
            all = Some(match all {
                Some(a) => and(b, a, holds),
                None => holds,
            });
        };
        let mut within = |b: &mut Builder, d: usize, first: Value, size: i64, halo: i64| {
            let end = add_constant(b, first, size);
            let lo = add_constant(b, self.f.lo[d], reads.least(d));
            let hi = add_constant(b, self.f.hi[d], reads.most(d));
            need(b, lo, first);
            need(b, end, hi);
            let spare = halo - (plan.steps - 1) * s.radius(d);
            let first = add_constant(b, first, spare);
            let end = add_constant(b, end, -spare);
            need(b, self.f.lo[d], first);
            need(b, end, self.f.hi[d]);
        };
        within(b, last, tile.column, width, plan.halo[1]);
        if let Some(row) = tile.row {
            within(b, 1, row, height, plan.halo[0]);
        }
        let [begin, end] = tile.planes;
        let first = add_constant(b, begin, -plan.steps * plan.down);
        let next = add_constant(b, end, plan.steps * s.most(0));
        let lo = add_constant(b, self.f.lo[0], reads.least(0));
        let hi = add_constant(b, self.f.hi[0], reads.most(0));
        need(b, lo, first);
        need(b, next, hi);
        let first = add_constant(b, begin, -(plan.steps - 1) * plan.down);
        let next = add_constant(b, end, (plan.steps - 1) * s.most(0));
        need(b, self.f.lo[0], first);
        need(b, next, self.f.hi[0]);
        all.unwrap_or_else(|| arith::constant_bool(b, true))
    }

    /// All planes of a tile, one after the other.
    fn march(&self, b: &mut Builder, tile: &Tile, inside: bool) {
        let (s, plan) = (self.f.s, self.f.plan);
        let shared = (plan.slots > 0).then(|| {
            let bytes = gpu::dynamic_workgroup_bytes(b.ctx);
            let ty = gpu::workgroup_memref(b.ctx, &shared_shape(s, plan), s.element);
            let memory = b.value::<gpu::DynamicSharedMemoryOp>(&[], bytes, &[]);
            let zero = constant(b, 0);
            b.value::<memref::ViewOp>(&[memory, zero], ty, &[])
        });
        let mut cells = Cells::new(b, self, tile, inside, shared);
        let [begin, end] = tile.planes;
        let base = add_constant(b, begin, -plan.steps * plan.down);
        let length = sub(b, end, begin);
        let count = add_constant(b, length, plan.steps * (plan.down + plan.lag));
        let each = (plan.rows * plan.cells) as usize;
        let kept = (plan.down + plan.lag) as usize;
        let nothing = arith::constant_float(b, 0.0, s.element);
        let mut inits = vec![nothing; plan.steps as usize * kept * each];
        for n in 0..plan.ahead {
            let plane = add_constant(b, base, n);
            inits.extend(cells.load(b, plane));
        }
        cells.clear(b, nothing);
        inits.push(constant(b, 0));
        // Tiles at the rim are few, and what they test takes registers in every plane.
        let unroll = if inside { plan.unroll } else { 1 };
        let bounds = [0, unroll].map(|n| constant(b, n));
        scf::ForOp::build_with(
            b,
            (bounds[0], count, bounds[1]),
            &inits,
            |b, at, carried| {
                cells.forget();
                let Some((slot, carried)) = carried.split_last() else {
                    return Vec::new();
                };
                let mut planes = carried.chunks(each).map(|c| cells.plane(c.to_vec()));
                // The planes of each version that are kept, the oldest first.
                let mut of: Vec<Vec<Plane>> = (0..plan.steps)
                    .map(|_| planes.by_ref().take(kept).collect())
                    .collect();
                let mut loaded: Vec<Plane> = planes.collect();
                for n in 0..unroll {
                    let first = add_constant(b, at, n);
                    cells.begin(if inside {
                        Slot::Constant(n)
                    } else {
                        Slot::Carried(*slot)
                    });
                    let first = add(b, base, first);
                    let ahead = add_constant(b, first, plan.ahead);
                    let more = cells.load(b, ahead);
                    loaded.push(cells.plane(more));
                    let mut new = loaded.remove(0);
                    for version in 1..=plan.steps {
                        let before = &mut of[version as usize - 1];
                        before.push(new);
                        let plane = add_constant(b, first, -version * plan.lag);
                        let now = cells.compute(b, version, before, plane);
                        new = cells.plane(now);
                    }
                    let plane = add_constant(b, first, -plan.steps * plan.lag);
                    cells.store(b, &new, plane);
                    for (version, kept) in of.iter().enumerate() {
                        if let Some(newest) = kept.last() {
                            cells.hand_out(b, version as i64, newest);
                        }
                    }
                    cells.meet(b);
                    for kept in &mut of {
                        kept.remove(0);
                    }
                }
                let all = of.into_iter().flatten().chain(loaded);
                let mut all: Vec<Value> = all.flat_map(|p| p.values).collect();
                all.push(match inside {
                    true => *slot,
                    false => cells.next_slot(b, *slot),
                });
                all
            },
        );
    }
}
