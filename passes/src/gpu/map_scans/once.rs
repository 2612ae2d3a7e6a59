//! Scans of long rows in one pass: each element is loaded once and stored once.
//!
//! ```text
//! loop {
//!   load the next tile, scan it, tell what it comes to, keep it in workgroup memory
//!   of the tile before: learn what comes in front of it, and store its elements
//! }
//! ```
//!
//! What comes in front of a tile a block learns from words that the others wrote (`front`). It knows that some
//! microseconds after the tile itself, in which it reads the next one: a block has two tiles.
//! D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016.
//!
//! Tiles are taken by a counter, so that all tiles in front of one were taken by blocks that run: none waits
//! for one that has not begun.

use super::body::init;
use super::emit::{Frame, array};
use super::kernel::Kernel;
use super::policy::{self, LANES, WARPS};
use super::state::State;
use super::vectors::Layout;
use super::words;
use crate::gpu::branches::{either, values_of, when};
use crate::loops::build::index::*;
use terrace_dialects::arith::{self, AtomicRmwKind, CmpIOp, CmpIPredicate, SelectOp};
use terrace_dialects::attributes::{GPU_NOTE, NVVM_MAXNREG};
use terrace_dialects::memref::{self, AtomicRmwOp, DeallocOp};
use terrace_dialects::{gpu, scf};
use terrace_ir::clone::IrMapping;
use terrace_ir::{Attr, Builder, InsertPoint, OpKind, Type, Value};

/// Tiles whose sums are combined first.
pub const GROUP: i64 = LANES;

/// What the tiles of a scan have in common.
pub struct Once<'f> {
    pub frame: &'f Frame<'f>,
    pub layout: Layout,
    /// By how many elements the first tile of a row is shorter.
    shift: Value,
    /// Tiles and groups of a row, and tiles of all.
    pub tiles: Value,
    pub groups: Value,
    entries: Value,
    /// Words of all tiles, of all rows' groups; from `ends` on, for each group and row, of the running value in
    /// front of the group.
    pub words: Value,
    ends: Value,
    counter: Value,
}

/// Workgroup memory of a block.
pub struct Buffers {
    /// What a thread keeps of its elements of two tiles, an array for each value.
    held: Vec<Value>,
    /// What groups in front of the tile come to, one for each warp; whether the running value behind the group
    /// is known, and it.
    pub groups: Vec<Value>,
    pub known: Value,
    pub running: Value,
    ticket: Value,
}

/// A tile as a block knows it from one round to the next.
struct Taken {
    number: Value,
    /// What the block's warps in front of the thread's come to.
    in_front: State,
    /// Which of the thread's elements something starts again at or before, in its warp.
    flags: Option<Value>,
}

/// The launches of a scan in one pass.
pub fn emit(b: &mut Builder, frame: &Frame, (sm, marks): (u32, bool)) {
    let s = frame.s;
    let layout = Layout::of(b.ctx, s);
    let shift = layout.shift(b, frame.first);
    let size = layout.size();
    let length = add(b, frame.length, shift);
    let more = add_constant(b, length, size - 1);
    let (tiles, _) = split(b, more, size);
    let more = add_constant(b, tiles, GROUP - 1);
    let (groups, _) = split(b, more, GROUP);
    let entries = mul(b, tiles, frame.count);
    let step = words::of_step(b.ctx, s);
    let run = words::count(b.ctx, &[s.ty]);
    let all_groups = mul(b, groups, frame.count);
    let ends = times(b, all_groups, GROUP * step);
    let first = times(b, frame.count, run);
    let behind = mul(b, groups, first);
    let cleared = add(b, ends, behind);
    let count = add(b, cleared, first);
    let (i32, i64) = (b.ctx.i32(), b.ctx.i64());
    let words = array(b, i64, &[count], marks);
    let counter = array(b, i32, &[], marks);
    let once = Once {
        frame,
        layout,
        shift,
        tiles,
        groups,
        entries,
        words,
        ends,
        counter,
    };
    once.clear(b, cleared, first);
    once.scan(b, sm);
    DeallocOp::build(b, counter);
    DeallocOp::build(b, words);
}

fn equals(b: &mut Builder, x: Value, n: i64) -> Value {
    let n = constant(b, n);
    CmpIOp::build(b, CmpIPredicate::Eq, x, n)
}

/// An array of workgroup memory behind those before it, of which `used` bytes are.
fn carve(b: &mut Builder, memory: Value, used: &mut i64, ty: Type) -> Value {
    let at = constant(b, *used);
    let shape = ty.shape(b.ctx).unwrap_or_default();
    let bits = ty.element_or_self(b.ctx).bit_width(b.ctx).unwrap_or(64);
    let bytes = shape.iter().product::<i64>() * i64::from(bits) / 8;
    *used += (bytes + 15) / 16 * 16;
    b.value::<memref::ViewOp>(&[memory, at], ty, &[])
}

impl<'f> Once<'f> {
    /// The launch in front: no word is there but those of what rows begin with, `first` of them.
    fn clear(&self, b: &mut Builder, cleared: Value, first: Value) {
        let s = self.frame.s;
        let threads = WARPS * LANES;
        let more = add_constant(b, cleared, threads - 1);
        let (blocks, _) = split(b, more, threads);
        let (one, size) = (constant(b, 1), constant(b, threads));
        let (launch, entry) =
            gpu::LaunchOp::build(b, [blocks, one, one], [size, one, one], &[], &[]);
        let note = b.ctx.string_attr("words of a scan");
        gpu_note(b, launch, note);
        let (block, thread) = (launch.block_ids(b.ctx)[0], launch.thread_ids(b.ctx)[0]);
        b.with_point(InsertPoint::End(entry), |b| {
            let before = mul(b, block, size);
            let number = add(b, before, thread);
            let is = less(b, number, cleared);
            when(b, is, |b| {
                let i64 = b.ctx.i64();
                let zero = arith::constant_int(b, 0, i64);
                let far = add(b, number, first);
                let near = less(b, number, self.ends);
                let at = SelectOp::build(b, near, number, far);
                memref::StoreOp::build(b, zero, self.words, &[at]);
            });
            // There are at least as many words of tiles as rows.
            let is = less(b, number, self.frame.count);
            when(b, is, |b| {
                let mut k = self.kernel(b, thread, Vec::new());
                k.row = number;
                k.count_rows(b);
                let v = init(b, s, &k.map, self.frame.first);
                let at = self.end(b, number, None);
                words::tell(b, s, &vec![v], self.words, at);
            });
            let is = equals(b, number, 0);
            when(b, is, |b| {
                let (i32, zero) = (b.ctx.i32(), constant(b, 0));
                let none = arith::constant_int(b, 0, i32);
                memref::StoreOp::build(b, none, self.counter, &[zero]);
            });
            b.op::<gpu::TerminatorOp>(&[], &[], &[]);
        });
    }

    /// A thread that has no tile yet.
    fn kernel(&self, b: &mut Builder, thread: Value, sums: Vec<Vec<Value>>) -> Kernel<'f> {
        let (warp, lane) = split(b, thread, LANES);
        let zero = constant(b, 0);
        Kernel {
            s: self.frame.s,
            frame: self.frame,
            warps: WARPS,
            items: self.layout.items(),
            lane,
            warp,
            thread,
            group: zero,
            row: zero,
            part: zero,
            column: None,
            start: zero,
            end: self.frame.length,
            map: IrMapping::new(),
            sums,
        }
    }

    /// Where the words of a step begin, from the numbers of the row, its group and the tile in it.
    pub fn entry(&self, b: &mut Builder, row: Value, group: Value, tile: Value) -> Value {
        let before = mul(b, row, self.groups);
        let group = add(b, before, group);
        let before = times(b, group, GROUP);
        let tile = add(b, before, tile);
        let each = words::of_step(b.ctx, self.frame.s);
        times(b, tile, each)
    }

    /// Where the words of the running value in front of a group begin, or of what the row begins with.
    pub fn end(&self, b: &mut Builder, row: Value, group: Option<Value>) -> Value {
        let each = words::count(b.ctx, &[self.frame.s.ty]);
        let number = match group {
            Some(group) => {
                let before = mul(b, group, self.frame.count);
                add(b, before, row)
            }
            None => row,
        };
        let at = times(b, number, each);
        add(b, self.ends, at)
    }

    fn scan(&self, b: &mut Builder, sm: u32) {
        let s = self.frame.s;
        let (vector, vectors) = (self.layout.vector, self.layout.vectors);
        let shape = [2, vectors, WARPS * LANES, vector];
        let held: Vec<Type> = (s.held_types(b.ctx).into_iter())
            .map(|t| gpu::workgroup_memref(b.ctx, &shape, t))
            .collect();
        let sums = s.buffers(b.ctx, &[WARPS]);
        let [known, ticket] = [WARPS, 1].map(|n| gpu::workgroup_memref(b.ctx, &[n], b.ctx.i32()));
        let running = gpu::workgroup_memref(b.ctx, &[WARPS], s.ty);
        let types = [held, sums.clone(), sums, vec![known, running, ticket]].concat();
        let bytes: i64 = types
            .iter()
            .map(|t| {
                let bits = t.element_or_self(b.ctx).bit_width(b.ctx).unwrap_or(64);
                let shape = t.shape(b.ctx).unwrap_or_default();
                (shape.iter().product::<i64>() * i64::from(bits) / 8 + 15) / 16 * 16
            })
            .sum();
        let most = constant(b, policy::blocks(sm));
        let blocks = min(b, self.entries, most);
        let (one, threads) = (constant(b, 1), constant(b, WARPS * LANES));
        let i32 = b.ctx.i32();
        let bytes = arith::constant_int(b, bytes, i32);
        let (launch, entry) =
            gpu::LaunchOp::build_dynamic(b, [blocks, one, one], [threads, one, one], bytes);
        let note = b
            .ctx
            .string_attr("scan in one pass, a block for each tile and the next");
        gpu_note(b, launch, note);
        let most = b.ctx.int_attr(i32, policy::REGISTERS);
        launch.op().set_attr(b.ctx, NVVM_MAXNREG, most);
        let thread = launch.thread_ids(b.ctx)[0];
        b.with_point(InsertPoint::End(entry), |b| {
            let bytes = gpu::dynamic_workgroup_bytes(b.ctx);
            let memory = b.value::<gpu::DynamicSharedMemoryOp>(&[], bytes, &[]);
            let mut used = 0;
            let mut all: Vec<Value> = (types.iter())
                .map(|t| carve(b, memory, &mut used, *t))
                .collect();
            let components = s.components(b.ctx);
            let held = all.drain(..s.held_types(b.ctx).len()).collect();
            let sums: Vec<Value> = all.drain(..components).collect();
            let groups = all.drain(..components).collect();
            let buffers = Buffers {
                held,
                groups,
                known: all[0],
                running: all[1],
                ticket: all[2],
            };
            let k = self.kernel(b, thread, vec![sums, Vec::new()]);
            self.rounds(b, &k, &buffers);
            b.op::<gpu::TerminatorOp>(&[], &[], &[]);
        });
    }

    /// Takes a tile, if there is one left: its number, for the first thread.
    fn take(&self, b: &mut Builder, k: &Kernel, wanted: Option<Value>) -> Value {
        let (i32, zero) = (b.ctx.i32(), constant(b, 0));
        let mut is = equals(b, k.thread, 0);
        if let Some(wanted) = wanted {
            is = and(b, is, wanted);
        }
        let taken = values_of(
            b,
            is,
            &[i32],
            |b| {
                let one = arith::constant_int(b, 1, i32);
                let kind = b.ctx.i64_attr(AtomicRmwKind::AddI as i64);
                let operands = [one, self.counter, zero];
                vec![b.value::<AtomicRmwOp>(&operands, i32, &[("kind", kind)])]
            },
            |b| vec![arith::constant_int(b, 0, i32)],
        );
        taken[0]
    }

    /// The number of a tile that the first thread took, for all.
    fn share(&self, b: &mut Builder, k: &Kernel, taken: Value, ticket: Value) -> Value {
        let zero = constant(b, 0);
        let is_first = equals(b, k.thread, 0);
        when(b, is_first, |b| {
            memref::StoreOp::build(b, taken, ticket, &[zero]);
        });
        gpu::BarrierOp::build(b);
        let taken = memref::LoadOp::build(b, ticket, &[zero]);
        let index = b.ctx.index();
        b.value::<arith::IndexCastUIOp>(&[taken], index, &[])
    }

    fn rounds(&self, b: &mut Builder, k: &Kernel, buffers: &Buffers) {
        let s = self.frame.s;
        let taken = self.take(b, k, None);
        let first = self.share(b, k, taken, buffers.ticket);
        let zero = constant(b, 0);
        let mut nothing = k.identity(b);
        if s.restarts() {
            let i32 = b.ctx.i32();
            nothing.push(arith::constant_int(b, 0, i32));
        }
        let inits = [vec![first, self.entries, zero], nothing.clone()].concat();
        let types: Vec<Type> = inits.iter().map(|v| v.ty(b.ctx)).collect();
        let (_, before, after) = scf::WhileOp::build(b, &inits, &types);
        b.with_point(InsertPoint::End(before), |b| {
            let args = before.args(b.ctx);
            let [has, had] = [args[0], args[1]].map(|n| less(b, n, self.entries));
            let goes_on = or(b, has, had);
            scf::ConditionOp::build(b, goes_on, &args);
        });
        b.with_point(InsertPoint::End(after), |b| {
            let args = after.args(b.ctx);
            let (next, last, slot) = (args[0], args[1], args[2]);
            let mut carried = args[3..].to_vec();
            let [has, had] = [next, last].map(|n| less(b, n, self.entries));
            let kept = values_of(
                b,
                has,
                &types[3..],
                |b| self.first_half(b, k, next, (buffers, slot)),
                |_| nothing.clone(),
            );
            let flags = s.restarts().then(|| carried.pop()).flatten();
            let tile = Taken {
                number: last,
                in_front: carried,
                flags,
            };
            let i32 = b.ctx.i32();
            let one = constant(b, 1);
            let other = sub(b, one, slot);
            let taken = values_of(
                b,
                had,
                &[i32],
                |b| vec![self.second_half(b, k, &tile, has, (buffers, other))],
                |b| vec![self.take(b, k, Some(has))],
            );
            let taken = self.share(b, k, taken[0], buffers.ticket);
            let taken = SelectOp::build(b, has, taken, self.entries);
            let yielded = [vec![taken, next, other], kept].concat();
            scf::YieldOp::build(b, &yielded);
        });
    }

    /// The thread at a tile.
    fn at(&self, b: &mut Builder, k: &Kernel<'f>, number: Value) -> Kernel<'f> {
        let mut k = k.clone();
        if self.frame.rows.is_empty() {
            k.part = number;
        } else {
            // Those that wait for each other are as far apart as can be.
            k.part = div(b, number, self.frame.count);
            k.row = rem(b, number, self.frame.count);
        }
        let start = times(b, k.part, self.layout.size());
        k.start = sub(b, start, self.shift);
        k.enter_row(b);
        k
    }

    /// Whether all elements of the tile are there, and may be loaded and stored several at once.
    fn is_whole(&self, b: &mut Builder, k: &Kernel) -> Value {
        let end = add_constant(b, k.start, self.layout.size());
        let from = not_negative(b, k.start);
        let to = CmpIOp::build(b, CmpIPredicate::Sle, end, k.end);
        let whole = and(b, from, to);
        let last = add_constant(b, end, -1);
        let step = k.s.l.step(b.ctx);
        let [first, last] = [k.start, last].map(|n| {
            let steps = times(b, n, step);
            add(b, steps, self.frame.first)
        });
        let fits = self.layout.fits(b, (first, last), &k.map);
        and(b, whole, fits)
    }

    /// Loads and scans a tile, tells what it comes to and keeps it; what the warps in front of the
    /// thread's come to, and its flags.
    fn first_half(
        &self,
        b: &mut Builder,
        k: &Kernel<'f>,
        number: Value,
        (buffers, slot): (&Buffers, Value),
    ) -> Vec<Value> {
        let s = self.frame.s;
        let k = self.at(b, k, number);
        let whole = self.is_whole(b, &k);
        let mut types = s.types(b.ctx);
        if s.restarts() {
            types.push(b.ctx.i32());
        }
        let scanned = |b: &mut Builder, whole| {
            let (sum, flags) = k.scan_tile(b, &self.layout, whole, (&buffers.held, slot));
            [sum, flags.into_iter().collect()].concat()
        };
        let mut sum = values_of(
            b,
            whole,
            &types,
            |b| scanned(b, true),
            |b| scanned(b, false),
        );
        let flags = s.restarts().then(|| sum.pop()).flatten();
        let (in_front, all) = k.warps(b, sum, &[]);
        let is_first = equals(b, k.thread, 0);
        when(b, is_first, |b| {
            let (group, tile) = split(b, k.part, GROUP);
            let at = self.entry(b, k.row, group, tile);
            words::tell(b, s, &all, self.words, at);
        });
        let in_front = in_front.unwrap_or(all);
        in_front.into_iter().chain(flags).collect()
    }

    /// Learns what comes in front of a tile, and does with its elements what the program does; the next
    /// tile, for the first thread, if one is `wanted`.
    fn second_half(
        &self,
        b: &mut Builder,
        k: &Kernel<'f>,
        tile: &Taken,
        wanted: Value,
        (buffers, slot): (&Buffers, Value),
    ) -> Value {
        let k = self.at(b, k, tile.number);
        let begin = self.in_front(b, &k, buffers);
        let taken = self.take(b, &k, Some(wanted));
        let is_first = equals(b, k.warp, 0);
        let base = k.apply(b, begin, &tile.in_front);
        let base = SelectOp::build(b, is_first, begin, base);
        let whole = self.is_whole(b, &k);
        let held = (&buffers.held[..], slot, tile.flags);
        either(
            b,
            whole,
            |b| k.finish_tile(b, &self.layout, true, held, base),
            |b| k.finish_tile(b, &self.layout, false, held, base),
        );
        let part = add_constant(b, k.part, 1);
        let is_last = CmpIOp::build(b, CmpIPredicate::Eq, part, self.tiles);
        let is_first = equals(b, k.thread, 0);
        let does = and(b, is_last, is_first);
        k.behind_with(b, does, |b| {
            let (group, tile) = split(b, k.part, GROUP);
            let at = self.entry(b, k.row, group, tile);
            let all = self.wait(b, at);
            k.apply(b, begin, &all)
        });
        taken
    }
}

fn gpu_note(b: &mut Builder, launch: gpu::LaunchOp, note: Attr) {
    launch.op().set_attr(b.ctx, GPU_NOTE, note);
}
