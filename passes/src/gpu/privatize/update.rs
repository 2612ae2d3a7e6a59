//! An update of a copy.

use super::find::Target;
use super::host::Sizes;
use super::kernel::shifted;
use super::policy::is_tried;
use super::spread::spread;
use crate::gpu::branches::{either, when};
use crate::gpu::combine::{shuffle, travels};
use crate::loops::build::index::*;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::gpu;
use terrace_dialects::memref::AtomicRmwOp;
use terrace_ir::{Builder, Context, Op, Value};

/// The copies of an array in a block.
pub(super) struct Copies<'a> {
    pub target: &'a Target,
    pub sizes: &'a Sizes,
    /// Copies of an element lie side by side.
    pub view: Value,
    /// Elements of all copies.
    pub size: Value,
    /// The copy that the thread updates.
    pub own: Value,
    /// One less than there are copies, which is all bits of the number of one.
    pub rest: Value,
    pub shift: Value,
    pub reaches_beyond: bool,
}

/// The copies of all arrays.
pub(super) struct Updates<'a> {
    pub all: Vec<Copies<'a>>,
    /// The thread's place in its warp.
    pub lane: Value,
}

impl Updates<'_> {
    /// The copies that an op updates when the nest would update their array.
    pub fn of(&self, ctx: &Context, op: Op) -> Option<&Copies<'_>> {
        let update = op.cast::<AtomicRmwOp>(ctx)?;
        let array = update.memref(ctx);
        self.all.iter().find(|c| c.target.memref == array)
    }

    /// Lets updates of arrays in `root`, which is of a thread, be of copies.
    pub fn within(&self, ctx: &mut Context, root: Op) {
        let there = spread(ctx, self, root).into_iter();
        let all: Vec<Op> = there.flat_map(|o| o.pre_order(ctx)).collect();
        for op in all {
            let Some(copies) = self.of(ctx, op) else {
                continue;
            };
            let operands = op.operands(ctx);
            copies.update(&mut Builder::before(ctx, op), operands[0], &operands[2..]);
            op.erase(ctx);
        }
    }
}

impl Copies<'_> {
    /// What changes nothing.
    pub fn identity(&self, b: &mut Builder) -> Value {
        match self.target.kind.identity(b.ctx, self.target.elem) {
            Some(a) => arith::constant(b, a),
            // `find` takes no others.
            None => arith::constant_int(b, 0, self.target.elem),
        }
    }

    /// The number of an element in the order of memory.
    fn number(&self, b: &mut Builder, at: &[Value]) -> Value {
        let mut all = at.iter().zip(&self.sizes.dims);
        let mut number = all.next().map_or_else(|| constant(b, 0), |(i, _)| *i);
        for (i, n) in all {
            let rows = mul(b, number, *n);
            number = add(b, rows, *i);
        }
        number
    }

    /// The subscripts of the element of a number.
    pub fn subscripts(&self, b: &mut Builder, number: Value) -> Vec<Value> {
        let mut rest = number;
        let mut all = Vec::new();
        for (d, n) in self.sizes.dims.iter().enumerate().rev() {
            if d == 0 {
                all.push(rest);
            } else {
                all.push(rem(b, rest, *n));
                rest = div(b, rest, *n);
            }
        }
        all.reverse();
        all
    }

    /// Combines a value with an element of the array.
    pub fn update_array(&self, b: &mut Builder, value: Value, at: &[Value]) {
        self.atomic(b, value, self.target.memref, at);
    }

    fn atomic(&self, b: &mut Builder, value: Value, memref: Value, at: &[Value]) {
        let kind = b.ctx.i64_attr(self.target.kind as i64);
        let operands = [&[value, memref], at].concat();
        b.value::<AtomicRmwOp>(&operands, self.target.elem, &[("kind", kind)]);
    }

    /// Combines a value with the element of the thread's copy. One that no copy has is the
    /// array's.
    pub fn update(&self, b: &mut Builder, value: Value, at: &[Value]) {
        let number = self.number(b, at);
        self.update_number(b, value, number, at);
    }

    fn update_number(&self, b: &mut Builder, value: Value, number: Value, at: &[Value]) {
        let of_copy = |b: &mut Builder| {
            let first = shifted(b, number, self.shift);
            let own = add(b, first, self.own);
            self.atomic(b, value, self.view, &[own]);
        };
        if !self.reaches_beyond {
            return of_copy(b);
        }
        let within = CmpIOp::build(b, CmpIPredicate::Ult, number, self.sizes.elements);
        either(b, within, of_copy, |b| self.update_array(b, value, at));
    }

    /// Several updates of each thread, which all threads of a warp come to. Where shared memory
    /// would have them try again and again, and all are of one element, one thread does what
    /// all of them would.
    pub fn update_together(&self, b: &mut Builder, each: &[(Value, Vec<Value>)], lane: Value) {
        let (kind, ty) = (self.target.kind, self.target.elem);
        let numbers: Vec<Value> = each.iter().map(|(_, at)| self.number(b, at)).collect();
        let one_by_one = |b: &mut Builder| {
            for ((value, at), number) in each.iter().zip(&numbers) {
                self.update_number(b, *value, *number, at);
            }
        };
        if !is_tried(b.ctx, kind, ty) || !travels(b.ctx, ty) {
            return one_by_one(b);
        }
        let first = shuffle(b, "idx", numbers[0], 0);
        let mut same = arith::constant_bool(b, true);
        for n in &numbers {
            let own = CmpIOp::build(b, CmpIPredicate::Eq, *n, first);
            same = and(b, same, own);
        }
        let all = of_all_lanes(b, same);
        let at_once = |b: &mut Builder| {
            let mut values = each.iter().map(|(v, _)| *v);
            let Some(mut sum) = values.next() else { return };
            for v in values {
                sum = kind.combine(b, sum, v, ty);
            }
            for distance in [16, 8, 4, 2, 1] {
                let other = shuffle(b, "xor", sum, distance);
                sum = kind.combine(b, sum, other, ty);
            }
            let zero = constant(b, 0);
            let is_first = CmpIOp::build(b, CmpIPredicate::Eq, lane, zero);
            when(b, is_first, |b| {
                self.update_number(b, sum, numbers[0], &each[0].1);
            });
        };
        either(b, all, at_once, one_by_one);
    }
}

/// Whether a condition holds in all lanes of the warp, all of which ask.
fn of_all_lanes(b: &mut Builder, holds: Value) -> Value {
    let i32 = b.ctx.i32();
    let word = b.value::<arith::ExtUIOp>(&[holds], i32, &[]);
    let and = gpu::ALL_REDUCE.attr(b.ctx, gpu::ALL_REDUCE.parse("and").unwrap_or_default());
    let all = b.value::<gpu::SubgroupReduceOp>(&[word], i32, &[("op", and)]);
    let none = arith::constant_int(b, 0, i32);
    CmpIOp::build(b, CmpIPredicate::Ne, all, none)
}
