//! The launch, which tile is a block's, and the loop over the slabs.

use super::batch::Batch;
use super::describe::{Choice, describe};
use super::elements::AtElement;
use super::number::Number;
use super::pairs::Pairs;
use super::passes::{Pass, Places, Reach, wait};
use super::slabs::Slab;
use super::units::Threads;
use super::work;
use crate::analysis::linear::Linear;
use crate::gpu::contraction::instead::Cost;
use crate::gpu::contraction::plan::{MIN_FILLED, Tiling};
use crate::gpu::contraction::shape::{Contraction, Range, Sum};
use crate::loops::build::index::*;
use terrace_dialects::attributes::{GPU_EITHER, GPU_NOTE, GPU_PRODUCT};
use terrace_dialects::{arith, gpu, scf};
use terrace_ir::{Attr, Builder, Context, InsertPoint, OpKind, Value};

/// Elements of a thread, for which a tile that is wholly inside has a way of its own: without
/// conditions on each, what is read of some elements is under way together.
const MANY: usize = 64;
/// Elements that are read before the first of them is stored.
const TOGETHER: usize = 16;

/// The numbers of the whole product.
pub struct Frame<'x> {
    pub x: &'x Contraction,
    pub plan: &'x Tiling,
    /// Of each product.
    pub slabs: Vec<[Slab<'x>; 2]>,
    /// First and end of rows and columns. Rows by two counters are numbered from 0.
    pub rows: [Value; 2],
    pub cols: [Value; 2],
    pairs: Option<Pairs>,
    /// First and end of k, where that is the same for all elements.
    pub depth: Option<[Value; 2]>,
    /// Tiles along rows and columns.
    tiles: [Value; 2],
    pub batch: Option<Batch>,
}

impl<'x> Frame<'x> {
    pub fn on_host(b: &mut Builder, x: &'x Contraction, plan: &'x Tiling) -> Frame<'x> {
        let ends = |b: &mut Builder, r: &Range| [linear(b, &r.lo, &[]), linear(b, &r.hi, &[])];
        let (rows, cols) = (ends(b, &x.rows), ends(b, &x.cols));
        let depth = x.slope().is_none().then(|| ends(b, &x.depth));
        let slabs = Slab::pairs(b.ctx, x, plan);
        let (rows, pairs) = match &x.outer {
            Some(o) => {
                let copied = slabs.iter().map(|s| s[0].rows_apart(plan.threads()));
                let mut steps: Vec<i64> = copied.chain(plan.rows_apart()).collect();
                steps.retain(|n| *n > 0);
                steps.sort_unstable();
                steps.dedup();
                let outer = ends(b, &o.range);
                let zero = constant(b, 0);
                let counts = [rows, outer].map(|r| {
                    let n = sub(b, r[1], r[0]);
                    max(b, n, zero)
                });
                let all = mul(b, counts[0], counts[1]);
                let one = constant(b, 1);
                let length = max(b, counts[0], one);
                let steps = steps.iter().map(|n| {
                    let rows = constant(b, *n);
                    (*n, [div(b, rows, length), rem(b, rows, length)])
                });
                let pairs = Pairs {
                    steps: steps.collect(),
                    length,
                    inner: rows[0],
                    outer: outer[0],
                    outer_counter: o.counter,
                };
                ([zero, all], Some(pairs))
            }
            None => (rows, None),
        };
        let tiles = |b: &mut Builder, r: [Value; 2], n: i64| {
            let length = sub(b, r[1], r[0]);
            let zero = constant(b, 0);
            let length = max(b, length, zero);
            let length = add_constant(b, length, n - 1);
            let n = constant(b, n);
            div(b, length, n)
        };
        let tiles = [tiles(b, rows, plan.block[0]), tiles(b, cols, plan.block[1])];
        let batch = Batch::on_host(b, x);
        Frame {
            slabs,
            x,
            plan,
            rows,
            cols,
            pairs,
            depth,
            tiles,
            batch,
        }
    }

    /// The same for one of the products side by side, in the kernel.
    pub fn of_one<'y>(&self, ctx: &Context, one: &'y Contraction) -> Frame<'y>
    where
        'x: 'y,
    {
        Frame {
            x: one,
            plan: self.plan,
            slabs: Slab::pairs(ctx, one, self.plan),
            rows: self.rows,
            cols: self.cols,
            pairs: self.pairs.clone(),
            depth: self.depth,
            tiles: self.tiles,
            batch: None,
        }
    }

    /// Whether matrices side by side fill enough of their blocks, on the host.
    pub fn is_filled(&self, b: &mut Builder) -> Value {
        let zero = constant(b, 0);
        let count = |b: &mut Builder, r: [Value; 2]| {
            let n = sub(b, r[1], r[0]);
            max(b, n, zero)
        };
        let (rows, cols) = (count(b, self.rows), count(b, self.cols));
        let elements = mul(b, rows, cols);
        let elements = times(b, elements, 100);
        let blocks = mul(b, self.tiles[0], self.tiles[1]);
        let least = self.plan.block[0] * self.plan.block[1] * MIN_FILLED;
        let room = times(b, blocks, least);
        arith::CmpIOp::build(b, arith::CmpIPredicate::Sge, elements, room)
    }

    /// Blocks of all products side by side, on the host.
    pub fn blocks(&self, b: &mut Builder) -> Value {
        let blocks = mul(b, self.tiles[0], self.tiles[1]);
        match &self.batch {
            Some(batch) => mul(b, blocks, batch.count),
            None => blocks,
        }
    }

    /// What the product costs in blocks of this shape, on the host.
    pub fn costs(&self, b: &mut Builder, cost: &Cost) -> Value {
        let blocks = self.blocks(b);
        let blocks = add_constant(b, blocks, cost.multiprocessors - 1);
        let (blocks, _) = split(b, blocks, cost.multiprocessors);
        let least = constant(b, cost.least);
        let blocks = max(b, blocks, least);
        let blocks = add_constant(b, blocks, cost.more);
        times(b, blocks, cost.time)
    }

    /// What the launch of the one product says of itself, for the cost model.
    pub fn describe(&self, ctx: &Context, choice: Option<Choice>) -> Attr {
        describe(ctx, self, self.shared_bytes(ctx), choice)
    }

    /// The launch of the product, or of all that are side by side.
    pub fn launch(&self, b: &mut Builder, note: Option<Attr>) {
        let words = self.plan.words(self.x);
        let batch = self.batch.as_ref();
        let launch =
            self.launch_batch(
                b,
                batch,
                &words,
                |b, block, thread, (_, counters)| match batch.is_some() {
                    true => {
                        let one = self.x.one_of_batch(counters);
                        self.of_one(b.ctx, &one).kernel(b, block, thread);
                    }
                    false => self.kernel(b, block, thread),
                },
            );
        if let Some(note) = note {
            launch.op().set_attr(b.ctx, GPU_PRODUCT, note);
        }
    }

    /// A launch with so many blocks for each of a batch, told a block's number along x, a
    /// thread's, and the number and counters of the block's product: of one alone 0 and none.
    pub fn launch_batch(
        &self,
        b: &mut Builder,
        batch: Option<&Batch>,
        words: &str,
        kernel: impl FnOnce(&mut Builder, Value, Value, (Value, &[Value])),
    ) -> gpu::LaunchOp {
        let words = b.ctx.string_attr(words);
        let bytes = self.shared_bytes(b.ctx);
        let i32 = b.ctx.i32();
        let bytes = arith::constant_int(b, bytes, i32);
        let one = constant(b, 1);
        let threads = constant(b, self.plan.threads());
        let blocks = mul(b, self.tiles[0], self.tiles[1]);
        let [y, z] = batch.map_or([one, one], |batch| batch.grid);
        let (launch, entry) =
            gpu::LaunchOp::build_dynamic(b, [blocks, y, z], [threads, one, one], bytes);
        launch.op().set_attr(b.ctx, GPU_NOTE, words);
        let (ids, thread) = (launch.block_ids(b.ctx), launch.thread_ids(b.ctx)[0]);
        b.with_point(InsertPoint::End(entry), |b| {
            work::note(b, self);
            match batch {
                Some(batch) => batch.each(b, [ids[1], ids[2]], |b, number, counters| {
                    kernel(b, ids[0], thread, (number, counters));
                }),
                None => {
                    let zero = constant(b, 0);
                    kernel(b, ids[0], thread, (zero, &[]));
                }
            }
            b.op::<gpu::TerminatorOp>(&[], &[], &[]);
        });
        launch
    }

    /// Bytes of workgroup memory of a block.
    fn shared_bytes(&self, ctx: &Context) -> i64 {
        let numbers = match self.keeps_number(ctx) {
            true => Number::bytes(self.plan),
            false => 0,
        };
        self.slab_bytes() + numbers
    }

    /// The counters of a row.
    fn row_places(&self, b: &mut Builder, row: Value) -> Places {
        self.rows_places(b, row, &[0]).concat()
    }

    /// The counters of rows that are so much further on than one, ascending.
    fn rows_places(&self, b: &mut Builder, row: Value, further: &[i64]) -> Vec<Places> {
        let Some(p) = &self.pairs else {
            let one = |n: &i64| vec![(self.x.row, add_constant(b, row, *n))];
            return further.iter().map(one).collect();
        };
        let (mut at, mut now) = (0, p.counters(b, row));
        let mut all = Vec::new();
        for n in further {
            if *n != at {
                now = p.further(b, now, n - at);
                at = *n;
            }
            let (outer, inner) = (add(b, now[0], p.outer), add(b, now[1], p.inner));
            all.push(vec![(self.x.row, inner), (p.outer_counter, outer)]);
        }
        all
    }

    /// Which k a tile needs.
    fn reach(&self, b: &mut Builder, row: Value, col: Value) -> Reach {
        let x = self.x;
        if let Some([first, end]) = self.depth {
            return Reach {
                first,
                end,
                whole: None,
            };
        }
        let by_col = x.slope().is_some_and(|s| s.by_col);
        let (v, corner, size, end) = match by_col {
            true => (x.col, col, self.plan.block[1], self.cols[1]),
            false => (x.row, row, self.plan.block[0], self.rows[1]),
        };
        let last = add_constant(b, corner, size);
        let last = min(b, last, end);
        let last = add_constant(b, last, -1);
        let mut ends = |l: &Linear| {
            let (first, last) = (linear(b, l, &[(v, corner)]), linear(b, l, &[(v, last)]));
            match l.coefficient(v) >= 0 {
                true => (first, last),
                false => (last, first),
            }
        };
        let (lo, hi) = (ends(&x.depth.lo), ends(&x.depth.hi));
        let at_end = x.slope().is_some_and(|s| s.at_end);
        Reach {
            first: lo.0,
            end: hi.1,
            whole: Some(if at_end { hi.0 } else { lo.1 }),
        }
    }

    pub fn kernel(&self, b: &mut Builder, block: Value, thread: Value) {
        let [m, n] = self.tile(b, block);
        let row = times(b, m, self.plan.block[0]);
        let row = add(b, self.rows[0], row);
        let col = times(b, n, self.plan.block[1]);
        let col = add(b, self.cols[0], col);
        let Some(some) = self.any_inside(b, row, col) else {
            return self.tile_at(b, thread, row, col);
        };
        let (_, then, _) = scf::IfOp::build(b, some, &[], false);
        b.with_point(InsertPoint::End(then), |b| {
            self.tile_at(b, thread, row, col);
            scf::YieldOp::build(b, &[]);
        });
    }

    /// Whether rows further on have more to add up: their tiles begin first, so that none
    /// is left for the end.
    pub fn grows(&self) -> bool {
        let x = self.x;
        x.slope().is_some_and(|s| match (s.by_col, s.at_end) {
            (true, _) => false,
            (false, true) => x.depth.hi.coefficient(x.row) > 0,
            (false, false) => x.depth.lo.coefficient(x.row) < 0,
        })
    }

    /// Row and column of a block's tile. Some rows of tiles go together, column after
    /// column: what runs at a time then needs little of both factors.
    fn tile(&self, b: &mut Builder, block: Value) -> [Value; 2] {
        let block = match self.grows() {
            true => {
                let all = mul(b, self.tiles[0], self.tiles[1]);
                let last = add_constant(b, all, -1);
                sub(b, last, block)
            }
            false => block,
        };
        let group = constant(b, self.plan.group);
        let together = mul(b, group, self.tiles[1]);
        let which = div(b, block, together);
        let first = mul(b, which, group);
        let left = sub(b, self.tiles[0], first);
        let high = min(b, left, group);
        let inside = rem(b, block, together);
        let m = rem(b, inside, high);
        [add(b, first, m), div(b, inside, high)]
    }

    /// Whether a tile has an element of the domain; nothing where the domain is all of
    /// the rectangle.
    fn any_inside(&self, b: &mut Builder, row: Value, col: Value) -> Option<Value> {
        let x = self.x;
        let last = |b: &mut Builder, first: Value, n: i64, end: Value| {
            let e = add_constant(b, first, n);
            let e = min(b, e, end);
            add_constant(b, e, -1)
        };
        let mut all: Option<Value> = None;
        for l in &x.inside {
            // The greatest that the form is in the tile.
            let most = |b: &mut Builder, v: Value, lo: Value, n: i64, end: Value| match l
                .coefficient(v)
                > 0
            {
                true => last(b, lo, n, end),
                false => lo,
            };
            let r = most(b, x.row, row, self.plan.block[0], self.rows[1]);
            let c = most(b, x.col, col, self.plan.block[1], self.cols[1]);
            let form = linear(b, l, &[(x.row, r), (x.col, c)]);
            let some = not_negative(b, form);
            all = Some(match all {
                Some(a) => and(b, a, some),
                None => some,
            });
        }
        all
    }

    fn tile_at(&self, b: &mut Builder, thread: Value, row: Value, col: Value) {
        let bytes = gpu::dynamic_workgroup_bytes(b.ctx);
        let memory = b.value::<gpu::DynamicSharedMemoryOp>(&[], bytes, &[]);
        let threads = Threads::new(b, self.plan, thread);
        let number = self
            .keeps_number(b.ctx)
            .then(|| Number::keep(b, self, memory, thread));
        let reach = self.reach(b, row, col);
        let mut sums: Option<Vec<Value>> = None;
        let mut last = None;
        for pair in &self.slabs {
            if let Some(group) = last {
                // Nobody reads or fills the slabs of the product before any more.
                wait(b, group, 0);
                gpu::BarrierOp::build(b);
            }
            let mut all = Pass {
                frame: self,
                pair,
                reach,
                aligned: None,
                rows: self.copied_rows(b, &pair[0], thread, row),
                views: [
                    pair[0].view(b, memory, 0),
                    pair[1].view(b, memory, pair[0].bytes()),
                ],
                thread,
                corner: [row, col],
                number,
            };
            all.aligned = all.are_aligned(b);
            let group = all.fill(b);
            let begin = match sums {
                Some(s) => s,
                None => self.first_sums(b, &threads, row, col),
            };
            sums = Some(all.multiply(b, &threads, group, &begin));
            last = group;
        }
        let threads = match number {
            Some(n) => n.threads(b, self.plan),
            None => threads,
        };
        self.store(b, &threads, &sums.unwrap_or_default(), row, col);
    }

    /// Bytes of workgroup memory for the slabs.
    pub fn slab_bytes(&self) -> i64 {
        let bytes = self.slabs.iter().map(|[a, b]| a.bytes() + b.bytes());
        bytes.max().unwrap_or(0)
    }

    /// Whether rows and columns of single elements are needed in front of the slabs or
    /// between them, and behind.
    fn keeps_number(&self, ctx: &Context) -> bool {
        let x = self.x;
        let is_inside = |v: &Value| {
            let made = v.def_op();
            made.is_some_and(|o| x.root.is_ancestor_of(ctx, o) && !o.operands(ctx).is_empty())
        };
        let reads = match x.sum {
            Sum::Memory => x.before.last().is_none_or(is_inside),
            Sum::Carried { init, .. } => is_inside(&init),
        };
        reads || x.slope().is_some()
    }

    /// The counters of the rows that a thread copies, where they take long to compute.
    fn copied_rows(&self, b: &mut Builder, slab: &Slab, thread: Value, row: Value) -> Vec<Places> {
        if self.pairs.is_none() {
            return Vec::new();
        }
        let places = slab.copied_places(b, thread, self.plan.threads());
        let lists = places.into_iter().map(|(first, further)| {
            let row = add(b, row, first);
            self.rows_places(b, row, &further)
        });
        let lists: Vec<Vec<Places>> = lists.collect();
        let all: usize = lists.iter().map(Vec::len).sum();
        (0..all)
            .map(|i| lists[i % lists.len()][i / lists.len()].clone())
            .collect()
    }

    /// What the sums begin with. Rows and columns outside the matrix take the last one
    /// inside, and are not stored.
    fn first_sums(&self, b: &mut Builder, t: &Threads, row: Value, col: Value) -> Vec<Value> {
        let within = |b: &mut Builder, first: Value, v: Value, end: Value| {
            let at = add(b, first, v);
            let last = add_constant(b, end, -1);
            min(b, at, last)
        };
        let rows: Vec<Value> = (t.rows.iter())
            .map(|r| within(b, row, *r, self.rows[1]))
            .collect();
        let cols: Vec<Value> = (t.cols.iter())
            .map(|c| within(b, col, *c, self.cols[1]))
            .collect();
        let rows: Vec<Places> = rows.into_iter().map(|r| self.row_places(b, r)).collect();
        let elements: Vec<Value> = (t.places.iter())
            .map(|p| AtElement::new(self.x, &rows[p.row], cols[p.col]).begin(b))
            .collect();
        t.pack(b, &elements)
    }

    fn store(&self, b: &mut Builder, t: &Threads, sums: &[Value], row: Value, col: Value) {
        let rows: Vec<Value> = t.rows.iter().map(|r| add(b, row, *r)).collect();
        let cols: Vec<Value> = t.cols.iter().map(|c| add(b, col, *c)).collect();
        let places = match rows.first() {
            Some(first) => self.rows_places(b, *first, &t.row_steps),
            None => return,
        };
        let one_by_one = |b: &mut Builder| {
            for p in &t.places {
                let (r, c) = (rows[p.row], cols[p.col]);
                let valid = self.valid(b, r, c);
                let (_, then, _) = scf::IfOp::build(b, valid, &[], false);
                b.with_point(InsertPoint::End(then), |b| {
                    let sum = t.unpack(b, sums, p);
                    AtElement::new(self.x, &places[p.row], c).end(b, sum);
                    scf::YieldOp::build(b, &[]);
                });
            }
        };
        if t.places.len() < MANY {
            return one_by_one(b);
        }
        let part = self.any_outside(b, row, col);
        let (op, then, other) = scf::IfOp::build(b, part, &[], true);
        let mark = b.ctx.unit();
        op.op().set_attr(b.ctx, GPU_EITHER, mark);
        b.with_point(InsertPoint::End(then), |b| {
            one_by_one(b);
            scf::YieldOp::build(b, &[]);
        });
        let Some(other) = other else { return };
        b.with_point(InsertPoint::End(other), |b| {
            for some in t.places.chunks(TOGETHER) {
                let finished: Vec<(AtElement, Value)> = (some.iter())
                    .map(|p| {
                        let sum = t.unpack(b, sums, p);
                        let mut e = AtElement::new(self.x, &places[p.row], cols[p.col]);
                        let v = e.finish(b, sum);
                        (e, v)
                    })
                    .collect();
                for (e, v) in finished {
                    e.store(b, v);
                }
            }
            scf::YieldOp::build(b, &[]);
        });
    }

    /// Whether an element of a tile may be none of the product's.
    fn any_outside(&self, b: &mut Builder, row: Value, col: Value) -> Value {
        let x = self.x;
        let [rows, cols] = self.plan.block;
        let ends = [add_constant(b, row, rows), add_constant(b, col, cols)];
        let (r, c) = (
            less(b, self.rows[1], ends[0]),
            less(b, self.cols[1], ends[1]),
        );
        let mut any = or(b, r, c);
        for l in &x.inside {
            // The least that the form is in the tile.
            let mut least = |v: Value, first: Value, end: Value| match l.coefficient(v) > 0 {
                true => first,
                false => add_constant(b, end, -1),
            };
            let (r, c) = (least(x.row, row, ends[0]), least(x.col, col, ends[1]));
            let form = linear(b, l, &[(x.row, r), (x.col, c)]);
            let zero = constant(b, 0);
            let outside = less(b, form, zero);
            any = or(b, any, outside);
        }
        any
    }

    /// Whether an element is one of the product's.
    pub fn valid(&self, b: &mut Builder, row: Value, col: Value) -> Value {
        let (r, c) = (less(b, row, self.rows[1]), less(b, col, self.cols[1]));
        let mut valid = and(b, r, c);
        let places = [(self.x.row, row), (self.x.col, col)];
        for l in &self.x.inside {
            let form: Value = linear(b, l as &Linear, &places);
            let more = not_negative(b, form);
            valid = and(b, valid, more);
        }
        valid
    }
}
