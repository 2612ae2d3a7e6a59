//! Scans in one pass, of rows that lie side by side: each element is read once.
//!
//! A block takes the next tile, scans it, and makes known what the tile comes to. What comes in front of
//! it the block learns from the tiles before: from the last one whose end is known, and from what those
//! behind that come to. D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled
//! look-back", 2016. What those behind come to is added in their order, so that each run gives the same
//! bits. Few tiles of a row are under way at a time.
//!
//! Tiles are taken by a counter, so that a block waits for none that has not begun. A word for each tile
//! says what is known of it.

use super::body::init;
use super::emit::{Frame, array};
use super::kernel::{Column, Kernel, Piece};
use super::policy::{LANES, WARPS};
use super::shape::Scan;
use super::state::{State, load, store};
use crate::gpu::branches::{either, when};
use crate::loops::build::index::*;
use terrace_dialects::arith::{self, AtomicRmwKind, CmpIOp, CmpIPredicate};
use terrace_dialects::attributes::GPU_NOTE;
use terrace_dialects::memref::{self, AtomicRmwOp, DeallocOp};
use terrace_dialects::{gpu, scf};
use terrace_ir::{Builder, Context, InsertPoint, OpKind, Value};

/// What a word says of its tile: what it comes to is known, or the running value behind it.
const KNOWN: i64 = 1;
const ENDED: i64 = 2;

/// What the tiles of a scan have in common.
pub struct Chain {
    /// Rows that a tile has side by side, of so many.
    width: i64,
    columns: Value,
    /// Tiles of a row, and as many rows as a tile has.
    tiles: Value,
    groups: Value,
    /// A word for each tile, and the counter of those that are taken.
    words: Value,
    counter: Value,
    /// For each row and tile what it comes to, an array for each value of a state, and the running value
    /// behind it.
    sums: Vec<Value>,
    ends: Value,
}

/// Elements of a row in a tile.
fn tile_length(ctx: &Context, s: &Scan, width: i64) -> i64 {
    WARPS * LANES / width * items_of_column(ctx, s)
}

/// Elements of a thread where rows lie side by side. Twice as many as along a row: they take no shuffles,
/// and there are half as many tiles to wait for.
pub fn items_of_column(ctx: &Context, s: &Scan) -> i64 {
    2 * s.items(ctx)
}

/// The launches of a scan in one pass.
pub fn emit(b: &mut Builder, frame: &Frame, width: i64, marks: bool) {
    let s = frame.s;
    let Some((columns, _)) = frame.rows.last().copied() else {
        return;
    };
    let size = tile_length(b.ctx, s, width);
    let more = add_constant(b, frame.length, size - 1);
    let (tiles, _) = split(b, more, size);
    let more = add_constant(b, columns, width - 1);
    let (strips, _) = split(b, more, width);
    let others = div(b, frame.count, columns);
    let groups = mul(b, others, strips);
    let entries = mul(b, tiles, groups);
    let i32 = b.ctx.i32();
    let all = add_constant(b, entries, 1);
    let words = array(b, i32, &[all], marks);
    let states = times(b, entries, width);
    let types = s.types(b.ctx).into_iter();
    let sums: Vec<Value> = types.map(|t| array(b, t, &[states], marks)).collect();
    let ends = array(b, s.ty, &[states], marks);
    clear(b, words, all);
    let chain = Chain {
        width,
        columns,
        tiles,
        groups,
        words,
        counter: entries,
        sums,
        ends,
    };
    chain.scan(b, frame, entries);
    for array in [vec![chain.words, chain.ends], chain.sums].concat() {
        DeallocOp::build(b, array);
    }
}

/// The launch that sets words to 0.
fn clear(b: &mut Builder, words: Value, count: Value) {
    let threads = WARPS * LANES;
    let more = add_constant(b, count, threads - 1);
    let (blocks, _) = split(b, more, threads);
    let (one, threads) = (constant(b, 1), constant(b, threads));
    let (launch, entry) =
        gpu::LaunchOp::build(b, [blocks, one, one], [threads, one, one], &[], &[]);
    let note = b.ctx.string_attr("words of a scan");
    launch.op().set_attr(b.ctx, GPU_NOTE, note);
    let (block, thread) = (launch.block_ids(b.ctx)[0], launch.thread_ids(b.ctx)[0]);
    b.with_point(InsertPoint::End(entry), |b| {
        let first = mul(b, block, threads);
        let at = add(b, first, thread);
        let is = less(b, at, count);
        when(b, is, |b| {
            let zero = word(b, 0);
            memref::StoreOp::build(b, zero, words, &[at]);
        });
        b.op::<gpu::TerminatorOp>(&[], &[], &[]);
    });
}

fn word(b: &mut Builder, n: i64) -> Value {
    let i32 = b.ctx.i32();
    arith::constant_int(b, n, i32)
}

fn is(b: &mut Builder, p: CmpIPredicate, x: Value, n: i64) -> Value {
    let n = match x.ty(b.ctx).is_index(b.ctx) {
        true => constant(b, n),
        false => word(b, n),
    };
    CmpIOp::build(b, p, x, n)
}

impl Chain {
    fn scan(&self, b: &mut Builder, frame: &Frame, blocks: Value) {
        let s = frame.s;
        let components = s.components(b.ctx);
        let shape = [WARPS * LANES / self.width, self.width];
        let sums = s.buffers(b.ctx, &shape);
        let begins = gpu::workgroup_memref(b.ctx, &[self.width], s.ty);
        let i32 = b.ctx.i32();
        let ticket = gpu::workgroup_memref(b.ctx, &[1], i32);
        let buffers = [sums, vec![begins, ticket]].concat();
        let words = "scan in one pass, a block for each tile of rows side by side";
        let piece = |b: &mut Builder, _: Value, thread: Value, all: &[Value]| {
            self.piece(b, frame, thread, all[components + 1])
        };
        Kernel::launch(b, frame, words, (blocks, WARPS), &buffers, piece, |b, k| {
            // The buffer behind those for sums.
            let begins = k.sums[1][0];
            let Some(c) = k.column else { return };
            let size = tile_length(b.ctx, s, self.width);
            let behind = add_constant(b, k.start, size);
            let long = CmpIOp::build(b, CmpIPredicate::Sle, behind, frame.length);
            let whole = and(b, long, c.full);
            either(
                b,
                whole,
                |b| self.tile(b, (k, c), None, begins),
                |b| self.tile(b, (k, c), Some(k.end), begins),
            );
        });
    }

    /// Takes the next tile.
    fn piece(&self, b: &mut Builder, frame: &Frame, thread: Value, ticket: Value) -> Piece {
        let zero = constant(b, 0);
        let is_first = is(b, CmpIPredicate::Eq, thread, 0);
        when(b, is_first, |b| {
            let (one, i32) = (word(b, 1), b.ctx.i32());
            let kind = b.ctx.i64_attr(AtomicRmwKind::AddI as i64);
            let operands = [one, self.words, self.counter];
            let taken = b.value::<AtomicRmwOp>(&operands, i32, &[("kind", kind)]);
            memref::StoreOp::build(b, taken, ticket, &[zero]);
        });
        gpu::BarrierOp::build(b);
        let taken = memref::LoadOp::build(b, ticket, &[zero]);
        let index = b.ctx.index();
        let taken = b.value::<arith::IndexCastUIOp>(&[taken], index, &[]);
        // Those that wait for each other are as far apart as can be.
        let (part, group) = (div(b, taken, self.groups), rem(b, taken, self.groups));
        let size = tile_length(b.ctx, frame.s, self.width);
        let start = times(b, part, size);
        let end = add_constant(b, start, size);
        let end = min(b, end, frame.length);
        let (columns, width) = (self.columns, self.width);
        let (own_group, number) = split(b, thread, width);
        let more = add_constant(b, columns, width - 1);
        let (strips, _) = split(b, more, width);
        let (others, strip) = (div(b, group, strips), rem(b, group, strips));
        let first = times(b, strip, width);
        let at = add(b, first, number);
        let is = less(b, at, columns);
        let behind = add_constant(b, first, width);
        let full = CmpIOp::build(b, CmpIPredicate::Sle, behind, columns);
        // A thread without a row has no elements, and computes what its neighbour does.
        let end = arith::SelectOp::build(b, is, end, zero);
        let last = add_constant(b, columns, -1);
        let at = min(b, at, last);
        let before = mul(b, others, columns);
        let row = add(b, before, at);
        let column = Some(Column {
            width,
            number,
            is,
            full,
            group: own_group,
        });
        Piece {
            group,
            row,
            part,
            start,
            end,
            column,
        }
    }

    /// The block's tile, which ends at `end` where some of it is missing.
    fn tile(&self, b: &mut Builder, (k, c): (&Kernel, Column), end: Option<Value>, begins: Value) {
        let last = k.tile_of_columns(b, c, end, |b, all| self.begin(b, (k, c), all, begins));
        let part = add_constant(b, k.part, 1);
        let is_last = CmpIOp::build(b, CmpIPredicate::Eq, part, self.tiles);
        let is_first = is(b, CmpIPredicate::Eq, c.group, 0);
        let own = and(b, c.is, is_first);
        let does = and(b, is_last, own);
        k.behind(b, does, last);
    }

    /// The number of the first tile of the block's rows.
    fn first(&self, b: &mut Builder, k: &Kernel) -> Value {
        mul(b, k.group, self.tiles)
    }

    fn publish(&self, b: &mut Builder, entry: Value, what: i64) {
        let what = word(b, what);
        gpu::StoreReleaseOp::build(b, what, self.words, &[entry]);
    }

    /// Waits until something is known of a tile, and says what.
    fn wait(&self, b: &mut Builder, entry: Value) -> Value {
        let i32 = b.ctx.i32();
        let (l, before, after) = scf::WhileOp::build(b, &[], &[i32]);
        b.with_point(InsertPoint::End(before), |b| {
            let v = gpu::LoadAcquireOp::build(b, self.words, &[entry]);
            let nothing = is(b, CmpIPredicate::Eq, v, 0);
            scf::ConditionOp::build(b, nothing, &[v]);
        });
        b.with_point(InsertPoint::End(after), |b| {
            scf::YieldOp::build(b, &[]);
        });
        l.op().result(b.ctx, 0)
    }

    /// The running value in front of the thread's part of its row; `all` is what the tile comes to.
    fn begin(
        &self,
        b: &mut Builder,
        (k, c): (&Kernel, Column),
        all: &State,
        begins: Value,
    ) -> Value {
        let first = self.first(b, k);
        let entry = add(b, first, k.part);
        let place = |b: &mut Builder, entry: Value| {
            let before = times(b, entry, c.width);
            add(b, before, c.number)
        };
        let own = place(b, entry);
        let has_row = is(b, CmpIPredicate::Slt, k.thread, c.width);
        let is_first = is(b, CmpIPredicate::Eq, k.thread, 0);
        when(b, has_row, |b| store(b, all, &self.sums, &[own]));
        // The word is for all of the block's rows.
        gpu::BarrierOp::build(b);
        // Behind the first tile nobody may look for another.
        let follows = is(b, CmpIPredicate::Ne, k.part, 0);
        let tells = and(b, is_first, follows);
        when(b, tells, |b| self.publish(b, entry, KNOWN));
        when(b, has_row, |b| {
            let begins_row = is(b, CmpIPredicate::Eq, k.part, 0);
            let ty = k.s.ty;
            let (op, then, other) = scf::IfOp::build(b, begins_row, &[ty], true);
            b.with_point(InsertPoint::End(then), |b| {
                let begin = init(b, k.s, &k.map, k.frame.first);
                scf::YieldOp::build(b, &[begin]);
            });
            if let Some(other) = other {
                b.with_point(InsertPoint::End(other), |b| {
                    let begin = self.look_back(b, k, first, place);
                    scf::YieldOp::build(b, &[begin]);
                });
            }
            let begin = op.op().result(b.ctx, 0);
            let end = k.apply(b, begin, all);
            memref::StoreOp::build(b, end, self.ends, &[own]);
            memref::StoreOp::build(b, begin, begins, &[c.number]);
        });
        gpu::BarrierOp::build(b);
        when(b, is_first, |b| self.publish(b, entry, ENDED));
        memref::LoadOp::build(b, begins, &[c.number])
    }

    /// The running value in front of the thread's row, from the tiles before. `place` is where something of
    /// the row lies, from the number of the tile.
    fn look_back(
        &self,
        b: &mut Builder,
        k: &Kernel,
        first: Value,
        place: impl Fn(&mut Builder, Value) -> Value,
    ) -> Value {
        let index = b.ctx.index();
        let own = add(b, first, k.part);
        let nearest = add_constant(b, own, -1);
        let (l, before, after) = scf::WhileOp::build(b, &[nearest], &[index]);
        let entry = before.args(b.ctx)[0];
        b.with_point(InsertPoint::End(before), |b| {
            let known = self.wait(b, entry);
            let goes_on = is(b, CmpIPredicate::Eq, known, KNOWN);
            scf::ConditionOp::build(b, goes_on, &[entry]);
        });
        let entry = after.args(b.ctx)[0];
        b.with_point(InsertPoint::End(after), |b| {
            let next = add_constant(b, entry, -1);
            scf::YieldOp::build(b, &[next]);
        });
        let ended = l.op().result(b.ctx, 0);
        let at = place(b, ended);
        let end = memref::LoadOp::build(b, self.ends, &[at]);
        let (next, one) = (add_constant(b, ended, 1), constant(b, 1));
        let l = scf::ForOp::build_with(b, (next, own, one), &[end], |b, entry, so_far| {
            let at = place(b, entry);
            let next = load(b, &self.sums, &[at]);
            vec![k.apply(b, so_far[0], &next)]
        });
        l.op().result(b.ctx, 0)
    }
}
