//! The kernels: sums of parts, and the scan.

use super::body::{copy, finish, init, init_is_read};
use super::emit::{Frame, Parts};
use super::find::needed;
use super::policy::{LANES, WARPS};
use super::shape::{Combining, Scan};
use super::state::{State, load, store};
use crate::gpu::branches::when;
use crate::gpu::combine::{Place, combine_in_block};
use crate::loops::build::index::*;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate};
use terrace_dialects::attributes::GPU_NOTE;
use terrace_dialects::{gpu, memref, scf};
use terrace_ir::clone::IrMapping;
use terrace_ir::{Builder, InsertPoint, Op, OpKind, Type, Value};

/// What a thread has all along.
#[derive(Clone)]
pub struct Kernel<'k> {
    pub s: &'k Scan,
    pub frame: &'k Frame<'k>,
    pub warps: i64,
    /// Elements of a thread in a tile.
    pub items: i64,
    pub lane: Value,
    pub warp: Value,
    pub thread: Value,
    /// Of all rows, or of as many of them as a tile has side by side.
    pub group: Value,
    /// Of all rows, and the part in it.
    pub row: Value,
    pub part: Value,
    /// The place in a tile of rows side by side.
    pub column: Option<Column>,
    /// The part's first element, and the one behind its last.
    pub start: Value,
    pub end: Value,
    /// The counters of rows, and what stands in front of the scan.
    pub map: IrMapping,
    /// Workgroup memory for the sums of warps: of tiles, two of which are in use, and of
    /// parts. Each has a buffer for each value of a state.
    pub sums: Vec<Vec<Value>>,
}

/// The place of a thread in a tile of rows that lie side by side.
#[derive(Clone, Copy)]
pub struct Column {
    /// Rows of a tile.
    pub width: i64,
    /// The thread's among them, and whether there is such a row.
    pub number: Value,
    pub is: Value,
    /// Whether all of the tile's rows are there.
    pub full: Value,
    /// Threads with the same row have pieces of it: the thread's among these.
    pub group: Value,
}

/// What a block does.
pub struct Piece {
    /// Of all rows, or of as many of them as a tile has side by side.
    pub group: Value,
    /// Of all rows.
    pub row: Value,
    pub part: Value,
    pub start: Value,
    pub end: Value,
    pub column: Option<Column>,
}

impl<'k> Kernel<'k> {
    /// The launch in which each block adds up its part. The first of a row also keeps what
    /// the row begins with, which its own scan may overwrite.
    pub fn sums(b: &mut Builder, frame: &'k Frame<'k>, parts: &Parts) {
        let s = frame.s;
        let buffers = s.buffers(b.ctx, &[WARPS]);
        let words = "sums of the parts of a scan";
        let shape = (frame.blocks(b, Some(parts)), WARPS);
        let piece = frame.piece(Some(parts));
        Kernel::launch(b, frame, words, shape, &buffers, piece, |b, k| {
            let sum = k.all_of_part(b, &k.sums[0]);
            let zero = constant(b, 0);
            let is_first = CmpIOp::build(b, CmpIPredicate::Eq, k.thread, zero);
            when(b, is_first, |b| {
                let at = k.entry(b, parts);
                let behind = add_constant(b, at, 1);
                store(b, &sum, &parts.sums, &[behind]);
                let begins = CmpIOp::build(b, CmpIPredicate::Eq, k.part, zero);
                when(b, begins, |b| {
                    let v = init(b, s, &k.map, frame.first);
                    memref::StoreOp::build(b, v, parts.sums[0], &[at]);
                });
            });
        });
    }

    /// The launch that scans: a block, or a warp, for each part, or row.
    pub fn scan(b: &mut Builder, frame: &'k Frame<'k>, parts: Option<&Parts>, warps: i64) {
        let s = frame.s;
        let mut buffers = Vec::new();
        if warps > 1 {
            buffers.extend(s.buffers(b.ctx, &[2, warps]));
        }
        if parts.is_some() {
            buffers.extend(s.buffers(b.ctx, &[warps]));
        }
        let words = match (parts, warps) {
            (Some(_), _) => "scan, a block for each part",
            (None, 1) => "scan, a warp for each row",
            (None, _) => "scan, a block for each row",
        };
        let shape = (frame.blocks(b, parts), warps);
        let piece = frame.piece(parts);
        Kernel::launch(b, frame, words, shape, &buffers, piece, |b, k| {
            let begin = match parts {
                Some(parts) => k.begin_of_part(b, parts, &k.sums[1]),
                None => {
                    let v = init(b, s, &k.map, frame.first);
                    if init_is_read(b, s) {
                        // All have read it before one overwrites it.
                        gpu::BarrierOp::build(b);
                    }
                    v
                }
            };
            let last = k.tiles(b, begin);
            let zero = constant(b, 0);
            let mut does = CmpIOp::build(b, CmpIPredicate::Eq, k.thread, zero);
            if let Some(parts) = parts {
                let part = add_constant(b, k.part, 1);
                let is_last = CmpIOp::build(b, CmpIPredicate::Eq, part, parts.count);
                does = and(b, does, is_last);
            }
            k.behind(b, does, last);
        });
    }

    /// The launch that only makes the last running value of each row: of the parts, where there are
    /// some.
    pub fn last(b: &mut Builder, frame: &'k Frame<'k>, parts: Option<&Parts>, warps: i64) {
        let s = frame.s;
        let buffers = match warps {
            1 => Vec::new(),
            _ => s.buffers(b.ctx, &[warps]),
        };
        let words = match (parts, warps) {
            (Some(_), _) => "last value of a recurrence, of its parts",
            (None, 1) => "last value of a recurrence, a warp for each row",
            (None, _) => "last value of a recurrence, a block for each row",
        };
        let shape = (frame.count, warps);
        Kernel::launch(
            b,
            frame,
            words,
            shape,
            &buffers,
            frame.piece(None),
            |b, k| {
                let last = match parts {
                    Some(parts) => {
                        let mut k = k.clone();
                        k.part = parts.count;
                        k.begin_of_part(b, parts, &k.sums[0])
                    }
                    None => {
                        let steps = k.all_of_part(b, &k.sums[0]);
                        let begin = init(b, s, &k.map, frame.first);
                        k.apply(b, begin, &steps)
                    }
                };
                if init_is_read(b, s) {
                    // All have read it before one overwrites it.
                    gpu::BarrierOp::build(b);
                }
                let zero = constant(b, 0);
                let is_first = CmpIOp::build(b, CmpIPredicate::Eq, k.thread, zero);
                k.behind(b, is_first, last);
            },
        );
    }

    /// A launch of so many blocks of so many warps. `piece` says what a block does, from its number, the
    /// thread's, and the buffers in workgroup memory.
    pub fn launch(
        b: &mut Builder,
        frame: &'k Frame<'k>,
        words: &str,
        (blocks, warps): (Value, i64),
        buffers: &[Type],
        piece: impl FnOnce(&mut Builder, Value, Value, &[Value]) -> Piece,
        f: impl FnOnce(&mut Builder, &Kernel),
    ) {
        let (one, threads) = (constant(b, 1), constant(b, warps * LANES));
        let (launch, entry) =
            gpu::LaunchOp::build(b, [blocks, one, one], [threads, one, one], buffers, &[]);
        let words = b.ctx.string_attr(words);
        launch.op().set_attr(b.ctx, GPU_NOTE, words);
        let (block, thread) = (launch.block_ids(b.ctx)[0], launch.thread_ids(b.ctx)[0]);
        b.with_point(InsertPoint::End(entry), |b| {
            let all = launch.workgroup_attributions(b.ctx);
            let piece = piece(b, block, thread, &all);
            let (warp, lane) = match warps {
                1 => (constant(b, 0), thread),
                _ => split(b, thread, LANES),
            };
            let components = frame.s.components(b.ctx);
            let mut sums: Vec<Vec<Value>> = all.chunks(components).map(<[_]>::to_vec).collect();
            // A warp alone meets no others.
            sums.resize(sums.len().max(2), Vec::new());
            let mut k = Kernel {
                s: frame.s,
                frame,
                warps,
                items: frame.s.items(b.ctx),
                lane,
                warp,
                thread,
                group: piece.group,
                row: piece.row,
                part: piece.part,
                column: piece.column,
                start: piece.start,
                end: piece.end,
                map: IrMapping::new(),
                sums,
            };
            k.enter_row(b);
            f(b, &k);
            b.op::<gpu::TerminatorOp>(&[], &[], &[]);
        });
    }

    /// The counters of the block's row, and what is computed in front of its scan.
    pub fn enter_row(&mut self, b: &mut Builder) {
        self.count_rows(b);
        let s = self.s;
        let users: Vec<Op> = [&s.slice[..], &s.rest, &s.epilogue].concat();
        let ops = needed(b.ctx, &s.prologue, &users);
        copy(b, &ops, &mut self.map);
    }

    /// The counters of the block's row.
    pub fn count_rows(&mut self, b: &mut Builder) {
        let s = self.s;
        let mut number = self.row;
        for (i, l) in s.rows.iter().enumerate().rev() {
            let (count, first) = self.frame.rows[i];
            let own = match i {
                0 => number,
                _ => rem(b, number, count),
            };
            if i > 0 {
                number = div(b, number, count);
            }
            let steps = times(b, own, l.step(b.ctx));
            let counter = add(b, first, steps);
            self.map.map(l.iv(b.ctx), counter);
        }
    }

    /// Where a row's entries begin among the sums, plus the number of the part.
    fn entry(&self, b: &mut Builder, parts: &Parts) -> Value {
        if self.frame.rows.is_empty() {
            return self.part;
        }
        let each = add_constant(b, parts.count, 1);
        let before = mul(b, self.row, each);
        add(b, before, self.part)
    }

    /// What stands for the values of an iteration.
    pub fn iteration(&self, b: &mut Builder, number: Value) -> IrMapping {
        let l = self.s.l;
        let steps = times(b, number, l.step(b.ctx));
        let counter = add(b, self.frame.first, steps);
        let mut map = self.map.clone();
        map.map(l.iv(b.ctx), counter);
        map
    }

    /// Elements of a tile.
    fn size(&self) -> i64 {
        self.warps * LANES * self.items
    }

    /// What all of the part comes to; all threads get it.
    fn all_of_part(&self, b: &mut Builder, buffers: &[Value]) -> State {
        match self.s.commutes() {
            true => {
                let own = self.sum_of_part(b);
                self.sum_of_block(b, own, buffers)
            }
            false => self.steps_of_part(b, buffers),
        }
    }

    /// A thread's share of the part: whole tiles, then what is left.
    fn sum_of_part(&self, b: &mut Builder) -> State {
        let identity = self.identity(b);
        let (whole, tile) = (self.whole_tiles(b), constant(b, self.size()));
        let bounds = (self.start, whole, tile);
        let l = scf::ForOp::build_with(b, bounds, &identity, |b, at, sum| {
            let own = add(b, at, self.thread);
            let mut all: Vec<State> = (0..self.items)
                .map(|j| {
                    let number = add_constant(b, own, j * WARPS * LANES);
                    let mut map = self.iteration(b, number);
                    self.contribution(b, &mut map)
                })
                .collect();
            // In pairs, so that no long chain of sums has to wait.
            while all.len() > 1 {
                all = all
                    .chunks(2)
                    .map(|two| match two {
                        [x, y] => self.combine(b, x, y),
                        _ => two[0].clone(),
                    })
                    .collect();
            }
            self.combine(b, &sum.to_vec(), &all[0])
        });
        let sum = l.op().results(b.ctx);
        let (own, step) = (add(b, whole, self.thread), constant(b, WARPS * LANES));
        let l = scf::ForOp::build_with(b, (own, self.end, step), &sum, |b, number, sum| {
            let mut map = self.iteration(b, number);
            let x = self.contribution(b, &mut map);
            self.combine(b, &sum.to_vec(), &x)
        });
        l.op().results(b.ctx)
    }

    /// The first element behind the whole tiles of the part.
    fn whole_tiles(&self, b: &mut Builder) -> Value {
        let length = sub(b, self.end, self.start);
        let (_, rest) = split(b, length, self.size());
        sub(b, self.end, rest)
    }

    /// Combines a value of each thread; all threads get the result.
    fn sum_of_block(&self, b: &mut Builder, own: State, buffers: &[Value]) -> State {
        let Combining::Op(kind, _) = self.s.how else {
            return self.steps_of_block(b, own, buffers);
        };
        let place = Place {
            lane: self.lane,
            warp: self.warp,
            warps: self.warps,
        };
        vec![combine_in_block(b, place, kind, own[0], buffers[0])]
    }

    /// The running value in front of the block's part.
    fn begin_of_part(&self, b: &mut Builder, parts: &Parts, buffers: &[Value]) -> Value {
        let identity = self.identity(b);
        let end = self.entry(b, parts);
        let first = sub(b, end, self.part);
        let threads = self.warps * LANES;
        let (begin, behind, step) = match self.s.commutes() {
            true => {
                let begin = add(b, first, self.thread);
                (begin, add_constant(b, end, 1), constant(b, threads))
            }
            // Behind what the row begins with, each thread has some that lie together.
            false => {
                let more = add_constant(b, self.part, threads - 1);
                let (each, _) = split(b, more, threads);
                let before = mul(b, each, self.thread);
                let begin = add(b, first, before);
                let begin = add_constant(b, begin, 1);
                let behind = add(b, begin, each);
                let end = add_constant(b, end, 1);
                (begin, min(b, behind, end), constant(b, 1))
            }
        };
        let l = scf::ForOp::build_with(b, (begin, behind, step), &identity, |b, at, sum| {
            let v = load(b, &parts.sums, &[at]);
            self.combine(b, &sum.to_vec(), &v)
        });
        let own = l.op().results(b.ctx);
        let all = self.sum_of_block(b, own, buffers);
        match self.s.commutes() {
            true => all[0],
            false => {
                let begin = memref::LoadOp::build(b, parts.sums[0], &[first]);
                self.apply(b, begin, &all)
            }
        }
    }

    /// Scans the part; the running value behind it.
    fn tiles(&self, b: &mut Builder, begin: Value) -> Value {
        let whole = self.whole_tiles(b);
        let (zero, one, step) = (constant(b, 0), constant(b, 1), constant(b, self.size()));
        let bounds = (self.start, whole, step);
        // Of the two rows of sums of warps one may still be read while the other is written.
        let l = scf::ForOp::build_with(b, bounds, &[begin, zero], |b, at, carried| {
            let next = self.tile(b, at, None, &[carried[1]], |_, _| carried[0]);
            vec![next, sub(b, one, carried[1])]
        });
        let (running, slot) = (l.op().result(b.ctx, 0), l.op().result(b.ctx, 1));
        let is_left = less(b, whole, self.end);
        let (op, then, other) = scf::IfOp::build(b, is_left, &[self.s.ty], true);
        b.with_point(InsertPoint::End(then), |b| {
            let next = self.tile(b, whole, Some(self.end), &[slot], |_, _| running);
            scf::YieldOp::build(b, &[next]);
        });
        if let Some(other) = other {
            b.with_point(InsertPoint::End(other), |b| {
                scf::YieldOp::build(b, &[running]);
            });
        }
        op.op().result(b.ctx, 0)
    }

    /// What is done behind a row, by the thread for which `does` holds.
    pub fn behind(&self, b: &mut Builder, does: Value, last: Value) {
        self.behind_with(b, does, |_| last);
    }

    /// The same, with a last running value that is made for it.
    pub fn behind_with(
        &self,
        b: &mut Builder,
        does: Value,
        last: impl FnOnce(&mut Builder) -> Value,
    ) {
        let s = self.s;
        if self.frame.last.is_none() && s.kept.is_none() && s.epilogue.is_empty() {
            return;
        }
        when(b, does, |b| {
            let last = last(b);
            finish(b, s, &self.map, self.frame.first, last);
            if let Some(array) = self.frame.last {
                let zero = constant(b, 0);
                memref::StoreOp::build(b, last, array, &[zero]);
            }
        });
    }
}
