//! What many steps behind each other come to, where they must not change places.
//!
//! Each warp of the block has a contiguous piece, which it goes along by tiles. Lanes have every 32nd
//! element of a tile, so that what a warp loads at once lies together.

use super::kernel::Kernel;
use super::policy::LANES;
use super::state::{State, load, selected, shuffled, store};
use crate::gpu::branches::when;
use crate::loops::build::index::*;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate};
use terrace_dialects::{gpu, scf};
use terrace_ir::{Builder, InsertPoint, OpKind, Value};

impl Kernel<'_> {
    /// All steps of the part in their order; all threads get what they come to.
    pub fn steps_of_part(&self, b: &mut Builder, buffers: &[Value]) -> State {
        let size = LANES * self.items;
        let length = sub(b, self.end, self.start);
        let more = add_constant(b, length, size - 1);
        let (tiles, _) = split(b, more, size);
        let warps = constant(b, self.warps);
        let each = ceiling(b, tiles, warps);
        let each = times(b, each, size);
        let before = mul(b, each, self.warp);
        let first = add(b, self.start, before);
        let first = min(b, first, self.end);
        let end = add(b, first, each);
        let end = min(b, end, self.end);
        let length = sub(b, end, first);
        let (_, rest) = split(b, length, size);
        let whole = sub(b, end, rest);

        let nothing = self.identity(b);
        let step = constant(b, size);
        let l = scf::ForOp::build_with(b, (first, whole, step), &nothing, |b, at, so_far| {
            let next = self.steps_of_tile(b, at, None);
            self.combine(b, &so_far.to_vec(), &next)
        });
        let so_far = l.op().results(b.ctx);
        let types: Vec<_> = so_far.iter().map(|v| v.ty(b.ctx)).collect();
        let is_left = less(b, whole, end);
        let (op, then, other) = scf::IfOp::build(b, is_left, &types, true);
        b.with_point(InsertPoint::End(then), |b| {
            let next = self.steps_of_tile(b, whole, Some(end));
            let all = self.combine(b, &so_far, &next);
            scf::YieldOp::build(b, &all);
        });
        if let Some(other) = other {
            b.with_point(InsertPoint::End(other), |b| {
                scf::YieldOp::build(b, &so_far);
            });
        }
        let own = op.op().results(b.ctx);
        self.steps_of_warps(b, own, buffers)
    }

    /// The steps of a warp's tile at `at`, which ends at `end` where it is cut off.
    fn steps_of_tile(&self, b: &mut Builder, at: Value, end: Option<Value>) -> State {
        let first = add(b, at, self.lane);
        let rows = (0..self.items)
            .map(|j| {
                let number = add_constant(b, first, j * LANES);
                self.item(b, number, end).contribution
            })
            .collect();
        self.steps_of_rows(b, rows)
    }

    /// The steps of rows of 32 lanes each behind each other, of which there is a power of two.
    ///
    /// Two lanes that meet each give away what they have of one of two rows, so that there are half
    /// as many rows after each meeting.
    fn steps_of_rows(&self, b: &mut Builder, mut rows: Vec<State>) -> State {
        let mut distance = 1;
        while distance < LANES {
            rows = match &rows[..] {
                [one] => vec![self.met(b, one, distance)],
                _ => rows
                    .chunks(2)
                    .map(|two| {
                        let upper = self.is_upper(b, distance);
                        let away = selected(b, upper, &two[0], &two[1]);
                        let kept = selected(b, upper, &two[1], &two[0]);
                        let got = shuffled(b, "xor", &away, distance);
                        let old = selected(b, upper, &got, &kept);
                        let new = selected(b, upper, &kept, &got);
                        self.combine(b, &old, &new)
                    })
                    .collect(),
            };
            distance *= 2;
        }
        // The row of a lane is the lowest bits of its number.
        let mut all = rows.swap_remove(0);
        let mut distance = 1;
        while distance < self.items {
            all = self.met(b, &all, distance);
            distance *= 2;
        }
        all
    }

    /// The steps of two lanes whose numbers differ by `distance`, in both.
    pub fn met(&self, b: &mut Builder, own: &State, distance: i64) -> State {
        let upper = self.is_upper(b, distance);
        let got = shuffled(b, "xor", own, distance);
        let old = selected(b, upper, &got, own);
        let new = selected(b, upper, own, &got);
        self.combine(b, &old, &new)
    }

    fn is_upper(&self, b: &mut Builder, distance: i64) -> Value {
        let (_, within) = split(b, self.lane, 2 * distance);
        let distance = constant(b, distance);
        CmpIOp::build(b, CmpIPredicate::Sge, within, distance)
    }

    /// The steps of all warps, from those of each, which all its lanes have.
    pub fn steps_of_warps(&self, b: &mut Builder, own: State, buffers: &[Value]) -> State {
        if self.warps == 1 {
            return own;
        }
        let zero = constant(b, 0);
        let is_first = CmpIOp::build(b, CmpIPredicate::Eq, self.lane, zero);
        when(b, is_first, |b| store(b, &own, buffers, &[self.warp]));
        gpu::BarrierOp::build(b);
        let mut all = load(b, buffers, &[zero]);
        for w in 1..self.warps {
            let w = constant(b, w);
            let next = load(b, buffers, &[w]);
            all = self.combine(b, &all, &next);
        }
        all
    }

    /// The steps of all threads of the block, from those of each.
    pub fn steps_of_block(&self, b: &mut Builder, own: State, buffers: &[Value]) -> State {
        let mut all = own;
        for distance in [1, 2, 4, 8, 16] {
            all = self.met(b, &all, distance);
        }
        self.steps_of_warps(b, all, buffers)
    }
}
