//! What comes in front of a tile of a scan in one pass.
//!
//! ```text
//! groups of 32 tiles    g - 7   ...    g - 1    g
//! warp                    7              1      0    reads what their tiles come to, and combines it
//!                         ^ running value in front of the first group that counts
//! ```
//!
//! Tiles are combined by 32 in an order that is always the same, and groups one after the other, behind the running
//! value that the last tile of an earlier group made known. So each run gives the same bits, and a block
//! waits for one word of each tile in front of it, not for a chain of blocks.

use super::kernel::Kernel;
use super::once::{Buffers, GROUP, Once};
use super::policy::WARPS;
use super::state::{State, load, selected, store};
use super::words;
use crate::gpu::branches::{values_of, when};
use crate::loops::build::index::*;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate as P, SelectOp};
use terrace_dialects::gpu::{self, ALL_REDUCE};
use terrace_dialects::{memref, scf};
use terrace_ir::{Builder, InsertPoint, OpKind, Type, Value};

impl Once<'_> {
    /// The running value in front of the tile of `k`, for all threads. The last tile of a group makes
    /// known that behind the group.
    pub fn in_front(&self, b: &mut Builder, k: &Kernel, buffers: &Buffers) -> Value {
        let s = self.frame.s;
        let (group, number) = split(b, k.part, GROUP);
        let own = sub(b, group, k.warp);
        let (zero, last) = (constant(b, 0), constant(b, WARPS - 1));
        let is_own = CmpIOp::build(b, P::Eq, k.warp, zero);
        let (steps, known) = self.group(b, k, (own, number), (is_own, last));

        // One lane that knows the running value behind the group keeps it, and the number of one does as
        // the word for that.
        let (i32, least) = (b.ctx.i32(), constant(b, -1));
        let lane = SelectOp::build(b, known.0, k.lane, least);
        let lane = b.value::<arith::IndexCastOp>(&[lane], i32, &[]);
        let greatest = ALL_REDUCE.parse("maxsi").map(|v| ALL_REDUCE.attr(b.ctx, v));
        let knows = match greatest {
            Some(op) => b.value::<gpu::SubgroupReduceOp>(&[lane], i32, &[("op", op)]),
            None => lane,
        };
        let nothing = k.identity(b);
        let before = less(b, k.lane, number);
        let others = CmpIOp::build(b, P::Ne, k.warp, zero);
        let counts = or(b, before, others);
        let mut sum = selected(b, counts, &steps, &nothing);
        for distance in [1, 2, 4, 8, 16] {
            sum = k.met(b, &sum, distance);
        }
        let index = b.ctx.index();
        let keeper = b.value::<arith::IndexCastOp>(&[knows], index, &[]);
        let keeper = max(b, keeper, zero);
        let keeps = CmpIOp::build(b, P::Eq, k.lane, keeper);
        when(b, keeps, |b| {
            store(b, &sum, &buffers.groups, &[k.warp]);
            memref::StoreOp::build(b, knows, buffers.known, &[k.warp]);
            memref::StoreOp::build(b, known.1, buffers.running, &[k.warp]);
        });
        gpu::BarrierOp::build(b);

        let mut running = memref::LoadOp::build(b, buffers.running, &[last]);
        for w in (1..WARPS).rev() {
            let at = constant(b, w);
            let none = arith::constant_int(b, 0, i32);
            let knows = memref::LoadOp::build(b, buffers.known, &[at]);
            let knows = CmpIOp::build(b, P::Sge, knows, none);
            let told = memref::LoadOp::build(b, buffers.running, &[at]);
            running = SelectOp::build(b, knows, told, running);
            if w > 1 {
                let next = constant(b, w - 1);
                let steps = load(b, &buffers.groups, &[next]);
                running = k.apply(b, running, &steps);
            }
        }
        let ends = constant(b, GROUP - 1);
        let ends = CmpIOp::build(b, P::Eq, number, ends);
        let tells = and(b, ends, is_own);
        when(b, tells, |b| {
            let mut all = steps.clone();
            for distance in [1, 2, 4, 8, 16] {
                all = k.met(b, &all, distance);
            }
            let is_first = CmpIOp::build(b, P::Eq, k.lane, zero);
            when(b, is_first, |b| {
                let end = k.apply(b, running, &all);
                let behind = add_constant(b, group, 1);
                let at = self.end(b, k.row, Some(behind));
                words::tell(b, s, &vec![end], self.words, at);
            });
        });
        let steps = load(b, &buffers.groups, &[zero]);
        let begin = k.apply(b, running, &steps);
        let begins = CmpIOp::build(b, P::Eq, number, zero);
        SelectOp::build(b, begins, running, begin)
    }

    /// What the lanes' tiles of the warp's group `own` come to; in its place, where it is known, whether the running
    /// value behind the group is, and that.
    fn group(
        &self,
        b: &mut Builder,
        k: &Kernel,
        (own, number): (Value, Value),
        (is_own, last): (Value, Value),
    ) -> (State, (Value, Value)) {
        let s = self.frame.s;
        let bit = b.ctx.i1();
        let states = s.types(b.ctx);
        let types: Vec<Type> = [states.clone(), vec![bit, s.ty]].concat();
        let nothing = k.identity(b);
        let least = constant(b, -1);
        // In front of the first group is what the row begins with.
        let is = CmpIOp::build(b, P::Sge, own, least);
        let found = values_of(
            b,
            is,
            &types,
            |b| {
                let there = not_negative(b, own);
                let read = less(b, k.warp, last);
                let read = and(b, read, there);
                let is_tile = CmpIOp::build(b, P::Sle, k.lane, number);
                let yes = arith::constant_bool(b, true);
                let tile = SelectOp::build(b, is_own, is_tile, yes);
                let read = and(b, read, tile);
                let zero = constant(b, 0);
                let group = max(b, own, zero);
                let at = self.entry(b, k.row, group, k.lane);
                let behind = add_constant(b, own, 1);
                let end = self.end(b, k.row, Some(behind));
                let results = [vec![bit], types.clone()].concat();
                let (l, before, after) = scf::WhileOp::build(b, &[], &results);
                b.with_point(InsertPoint::End(before), |b| {
                    let words = (self.words, at);
                    let (is, steps) = words::step_where(b, s, read, words, (is_own, &nothing));
                    let no = arith::constant_bool(b, false);
                    let running = values_of(
                        b,
                        is_own,
                        &[bit, s.ty],
                        |_| vec![no, nothing[0]],
                        |b| {
                            let (is, v) = words::running(b, s, self.words, end);
                            vec![is, v]
                        },
                    );
                    let done = or(b, is, running[0]);
                    let goes_on = b.value::<arith::XOrIOp>(&[done, yes], bit, &[]);
                    let steps = selected(b, is, &steps, &nothing);
                    let all = [vec![is], steps, running].concat();
                    scf::ConditionOp::build(b, goes_on, &all);
                });
                b.with_point(InsertPoint::End(after), |b| {
                    scf::YieldOp::build(b, &[]);
                });
                l.op().results(b.ctx)[1..].to_vec()
            },
            |b| {
                let no = arith::constant_bool(b, false);
                [nothing.clone(), vec![no, nothing[0]]].concat()
            },
        );
        let (steps, known) = found.split_at(states.len());
        (steps.to_vec(), (known[0], known[1]))
    }

    /// Waits for the step whose words begin at `at`.
    pub fn wait(&self, b: &mut Builder, at: Value) -> State {
        let s = self.frame.s;
        let types = s.types(b.ctx);
        let (l, before, after) = scf::WhileOp::build(b, &[], &types);
        b.with_point(InsertPoint::End(before), |b| {
            let (is, steps) = words::step(b, s, self.words, at);
            let (bit, yes) = (b.ctx.i1(), arith::constant_bool(b, true));
            let waits = b.value::<arith::XOrIOp>(&[is, yes], bit, &[]);
            scf::ConditionOp::build(b, waits, &steps);
        });
        b.with_point(InsertPoint::End(after), |b| {
            scf::YieldOp::build(b, &[]);
        });
        l.op().results(b.ctx)
    }
}
