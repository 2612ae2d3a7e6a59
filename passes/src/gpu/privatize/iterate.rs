//! The nest's iterations in a thread.

use super::kernel::Kernel;
use super::share::At;
use crate::gpu::branches::{either, when};
use crate::loops::build::index::*;
use terrace_dialects::scf;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Op, Value};

/// Goes on behind what is around an iteration, with what stands for its values.
type Inside<'f> = &'f mut dyn FnMut(&mut Builder, &mut IrMapping);

impl Kernel<'_> {
    /// The block's pieces, one after another.
    pub fn iterations(&self, b: &mut Builder, block: Value, blocks: Value) {
        let all = self.launched.iterations;
        let place = all.place(b, self.thread);
        let aligned = match all.group {
            1 => None,
            _ => Some(self.is_aligned(b)),
        };
        all.each_piece(b, (block, blocks), |b, corner| {
            let first = At {
                row: add(b, corner.row, place.row),
                column: add(b, corner.column, place.column),
            };
            if let Some(aligned) = aligned {
                self.group(b, first, aligned);
            } else if self.jams {
                let full = all.is_full(b, corner);
                either(
                    b,
                    full,
                    |b| self.jammed(b, first),
                    |b| self.one_by_one(b, first),
                );
            } else {
                self.one_by_one(b, first);
            }
        });
    }

    /// A thread's column: its neighbouring iterations side by side, and what they load by one access
    /// where rows are aligned. The last column of a row may have fewer.
    fn group(&self, b: &mut Builder, at: At, aligned: Value) {
        let all = self.launched.iterations;
        let whole = all.is_whole(b, at);
        either(
            b,
            whole,
            |b| {
                either(
                    b,
                    aligned,
                    |b| self.side_by_side(b, at, true),
                    |b| self.side_by_side(b, at, false),
                );
            },
            |b| {
                let [zero, one, end] = [0, 1, all.group].map(|n| constant(b, n));
                scf::ForOp::build_with(b, (zero, end, one), &[], |b, number, _| {
                    let at = all.of_group(b, at, number);
                    let inside = all.is_inside(b, at);
                    when(b, inside, |b| self.one(b, at));
                    Vec::new()
                });
            },
        );
    }

    /// What stands for the values of so many iterations, by number.
    fn maps(
        &self,
        b: &mut Builder,
        count: i64,
        place: impl Fn(&mut Builder, Value) -> At,
    ) -> Vec<IrMapping> {
        let mut maps = Vec::new();
        for number in 0..count {
            let number = constant(b, number);
            let at = place(b, number);
            let numbers = self.launched.iterations.numbers(b, at);
            self.enter(b, &numbers, &mut |_, map| maps.push(map.clone()));
        }
        maps
    }

    fn side_by_side(&self, b: &mut Builder, at: At, aligned: bool) {
        let all = self.launched.iterations;
        let mut maps = self.maps(b, all.group, |b, number| all.of_group(b, at, number));
        for op in &self.body {
            if let Some(copies) = self.updates.of(b.ctx, *op) {
                let operands = op.operands(b.ctx);
                for m in &maps {
                    let now: Vec<Value> = operands.iter().map(|v| m.value(*v)).collect();
                    copies.update(b, now[0], &now[2..]);
                }
            } else if aligned && self.is_wide(b.ctx, *op) {
                self.load_at_once(b, *op, &mut maps);
            } else {
                copy_for_all(b, *op, &mut maps);
            }
        }
    }

    /// A thread's iterations in a piece of which some may be none.
    fn one_by_one(&self, b: &mut Builder, first: At) {
        let all = self.launched.iterations;
        let [zero, one, steps] = [0, 1, all.steps].map(|n| constant(b, n));
        scf::ForOp::build_with(b, (zero, steps, one), &[], |b, step, _| {
            let at = all.step(b, first, step);
            let inside = all.is_inside(b, at);
            when(b, inside, |b| self.one(b, at));
            Vec::new()
        });
    }

    fn one(&self, b: &mut Builder, at: At) {
        let numbers = self.launched.iterations.numbers(b, at);
        self.enter(b, &numbers, &mut |b, map| {
            for op in &self.body {
                let copy = clone_op(b.ctx, *op, map);
                b.insert(copy);
                self.updates.within(b.ctx, copy);
            }
        });
    }

    /// A thread's iterations in a full piece, op by op: what all of them load is under way
    /// before the first updates anything.
    fn jammed(&self, b: &mut Builder, first: At) {
        let all = self.launched.iterations;
        let mut maps = self.maps(b, all.steps, |b, step| all.step(b, first, step));
        for op in &self.body {
            if let Some(copies) = self.updates.of(b.ctx, *op) {
                let operands = op.operands(b.ctx);
                let each = maps.iter().map(|m| {
                    let now: Vec<Value> = operands.iter().map(|v| m.value(*v)).collect();
                    (now[0], now[2..].to_vec())
                });
                let each: Vec<_> = each.collect();
                copies.update_together(b, &each, self.updates.lane);
                continue;
            }
            copy_for_all(b, *op, &mut maps);
        }
    }

    /// The counters of all levels in the iterations of these numbers, and what stands between
    /// the loops.
    fn enter(&self, b: &mut Builder, numbers: &[Value], inside: Inside) {
        self.level(b, 0, numbers, IrMapping::new(), inside);
    }

    fn level(
        &self,
        b: &mut Builder,
        at: usize,
        numbers: &[Value],
        mut map: IrMapping,
        inside: Inside,
    ) {
        let Some(l) = self.launched.band.levels.get(at) else {
            return inside(b, &mut map);
        };
        let steps = match b.ctx.constant_int(l.step) {
            Some(1) => numbers[at],
            _ => mul(b, numbers[at], l.step),
        };
        let lower = map.value(l.lower);
        let counter = add(b, lower, steps);
        map.map(l.iv, counter);
        let deeper = |b: &mut Builder, mut map: IrMapping, inside: Inside| {
            for op in &l.between {
                let copy = clone_op(b.ctx, *op, &mut map);
                b.insert(copy);
            }
            self.level(b, at + 1, numbers, map, inside);
        };
        if l.guarded {
            let upper = map.value(l.upper);
            let is_one = less(b, counter, upper);
            when(b, is_one, |b| deeper(b, map, inside));
        } else {
            deeper(b, map, inside);
        }
    }
}

/// Copies an op of one iteration for each.
fn copy_for_all(b: &mut Builder, op: Op, maps: &mut [IrMapping]) {
    for map in maps {
        let copy = clone_op(b.ctx, op, map);
        b.insert(copy);
    }
}
