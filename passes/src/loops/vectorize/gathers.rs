//! Loads whose subscripts are computed from values, for each lane.
//!
//! ```text
//! %x = affine.load %in[%i]                     %xs = vector.transfer_read %in[%i]
//! %k = arith.index_cast %x           =>        %k0 = arith.index_cast (lane 0 of %xs), ...
//! %t = memref.load %table[%k]                  %t0 = memref.load %table[%k0], ...
//!                                              %ts = vector.from_elements %t0, ...
//! ```
//!
//! Where the index of each lane is the one behind that of the lane before, as in a row whose number is
//! computed, `%a[%row * %n + %i]`, they are one load.
//!
//! Otherwise each lane loads for itself: registers of 16 bytes have no instruction for it. The rest of the loop
//! runs in vectors nevertheless. What only subscripts are computed from is done for each lane, too, where
//! a load wants it.

use super::check::{Checker, Form};
use super::emit::Emit;
use super::lanes::growth;
use crate::loops::Refusal;
use terrace_dialects::affine::ApplyOp;
use terrace_dialects::arith::{AddIOp, IndexCastOp, IndexCastUIOp, MulIOp, SubIOp};
use terrace_dialects::memref::LoadOp;
use terrace_dialects::vector::{ExtractOp, FromElementsOp};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::builder::OpState;
use terrace_ir::effects::{is_memory_effect_free, is_speculatable};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// How many sums and products an index is followed through.
const MAX_DEPTH: u32 = 16;

/// Whether an op computes one index and does nothing else.
pub(crate) fn computes_index(ctx: &Context, op: Op) -> bool {
    op.num_results(ctx) == 1
        && op.num_regions(ctx) == 0
        && op.result(ctx, 0).ty(ctx).is_index(ctx)
        && is_memory_effect_free(ctx, op)
        && is_speculatable(ctx, op)
}

/// Whether an op makes an index of a number.
pub(crate) fn is_cast(ctx: &Context, op: Op) -> bool {
    op.isa::<IndexCastOp>(ctx) || op.isa::<IndexCastUIOp>(ctx)
}

/// Whether the elements at these indices, of which `step` knows some, are one behind the other.
pub(crate) fn is_row(
    ctx: &Context,
    indices: &[Value],
    step: &dyn Fn(Value) -> Option<i64>,
) -> bool {
    let Some((last, others)) = indices.split_last() else {
        return false;
    };
    let is = |v: &Value, n| index_step(ctx, *v, step) == Some(n);
    is(last, 1) && others.iter().all(|v| is(v, 0))
}

/// How much larger an index is in each lane than in the one before, where that is always the same.
pub(crate) fn index_step(
    ctx: &Context,
    v: Value,
    step: &dyn Fn(Value) -> Option<i64>,
) -> Option<i64> {
    step_within(ctx, v, step, MAX_DEPTH)
}

fn step_within(
    ctx: &Context,
    v: Value,
    step: &dyn Fn(Value) -> Option<i64>,
    depth: u32,
) -> Option<i64> {
    if let Some(known) = step(v) {
        return Some(known);
    }
    let op = v.def_op().filter(|_| depth > 0)?;
    if !v.ty(ctx).is_index(ctx) || op.num_operands(ctx) != 2 {
        return None;
    }
    let of = |i| step_within(ctx, op.operand(ctx, i), step, depth - 1);
    match op.name(ctx) {
        AddIOp::NAME => of(0)?.checked_add(of(1)?),
        SubIOp::NAME => of(0)?.checked_sub(of(1)?),
        MulIOp::NAME => match (of(0)?, of(1)?) {
            (0, 0) => Some(0),
            (x, 0) => x.checked_mul(ctx.constant_int(op.operand(ctx, 1))?),
            (0, y) => y.checked_mul(ctx.constant_int(op.operand(ctx, 0))?),
            _ => None,
        },
        _ => None,
    }
}

impl Checker<'_> {
    /// Whether `op` is a load, or computes an index, that lanes do on their own.
    pub(super) fn check_gather(&mut self, op: Op) -> Result<bool, Refusal> {
        let ctx = self.ctx;
        if !self.takes_conditions() {
            return Ok(false);
        }
        if computes_index(ctx, op) && !op.isa::<ApplyOp>(ctx) {
            let of_number = is_cast(ctx, op);
            let known = |v: &Value| match self.form(*v) {
                Some(Form::Vector) => of_number,
                _ => self.is_index_of_lane(*v),
            };
            let is_own = op.operands(ctx).iter().all(known);
            if is_own {
                self.found.each_lane.insert(op);
                self.forms.insert(op.result(ctx, 0), Form::EachLane);
            }
            return Ok(is_own);
        }
        let Some(load) = op.cast::<LoadOp>(ctx) else {
            return Ok(false);
        };
        let operands = load.op().operands(ctx);
        let Some((memref, indices)) = operands.split_first() else {
            return Ok(false);
        };
        if !self.is_shared(*memref) || !indices.iter().all(|v| self.is_index_of_lane(*v)) {
            return self.refuse(
                op,
                "a subscript is computed in a way that lanes do not follow",
            );
        }
        if self.strategy.checked {
            return self.refuse(op, "the access may be out of bounds, and is checked");
        }
        if self.conditional.is_some() {
            return self.refuse(op, "the element may not be there where the condition fails");
        }
        if indices.iter().all(|v| self.is_shared(*v)) {
            self.stays_uniform(op);
        } else if is_row(ctx, indices, &|v| self.step_of_lane(v)) {
            self.found.rows.insert(op);
            self.forms.insert(op.result(ctx, 0), Form::Vector);
        } else {
            self.found.gathers.insert(op);
            self.forms.insert(op.result(ctx, 0), Form::Vector);
        }
        Ok(true)
    }

    /// How much larger an index is in each lane than in the one before, if it is no sum of others.
    fn step_of_lane(&self, v: Value) -> Option<i64> {
        match self.form(v)? {
            Form::Uniform => Some(0),
            Form::FirstLane => growth(self.ctx, v, *self.around.first()?),
            Form::Vector | Form::EachLane => None,
        }
    }

    /// Whether each lane can have this index: all the same, its own, or one that grows from lane to lane.
    fn is_index_of_lane(&self, v: Value) -> bool {
        match self.form(v) {
            Some(Form::Uniform | Form::EachLane) => true,
            Some(Form::FirstLane) => {
                let around = self.around.first();
                around.is_some_and(|l| growth(self.ctx, v, *l).is_some())
            }
            Some(Form::Vector) | None => false,
        }
    }
}

impl Emit<'_> {
    /// The elements that lanes load, each for itself.
    pub(super) fn gather(&mut self, b: &mut Builder, op: Op) {
        let operands = op.operands(b.ctx);
        let result = op.result(b.ctx, 0);
        let memref = self.scalars.value(operands[0]);
        let mut elements = Vec::new();
        for lane in 0..self.strategy.sizes[0] {
            let mut own = vec![memref];
            for v in &operands[1..] {
                own.push(self.of_lane(b, *v, lane));
            }
            b.loc = op.loc(b.ctx);
            elements.push(again(b, op, own));
        }
        let ty = self.vector_of(b.ctx, result.ty(b.ctx));
        let all = b.value::<FromElementsOp>(&elements, ty, &[]);
        self.vectors.insert(result, all);
    }

    /// The elements that lanes load, one behind the other.
    pub(super) fn row(&mut self, b: &mut Builder, op: Op) {
        let operands = op.operands(b.ctx);
        let result = op.result(b.ctx, 0);
        let memref = self.scalars.value(operands[0]);
        let first = operands[1..].iter().map(|v| self.of_lane(b, *v, 0));
        let first: Vec<Value> = first.collect();
        b.loc = op.loc(b.ctx);
        let ty = self.vector_of(b.ctx, result.ty(b.ctx));
        let all = self.read_row(b, memref, first, ty);
        self.vectors.insert(result, all);
    }

    /// What an index is in one lane.
    fn of_lane(&mut self, b: &mut Builder, v: Value, lane: i64) -> Value {
        let own = v.def_op().filter(|op| self.checked.each_lane.contains(op));
        match own {
            Some(op) => {
                let operands = op.operands(b.ctx).into_iter();
                let operands = operands.map(|x| match self.vectors.get(&x).copied() {
                    Some(vector) if is_cast(b.ctx, op) => ExtractOp::build(b, vector, &[lane]),
                    _ => self.of_lane(b, x, lane),
                });
                let operands: Vec<Value> = operands.collect();
                b.loc = op.loc(b.ctx);
                again(b, op, operands)
            }
            None => {
                let first = self.scalars.value(v);
                let around = self.around.last().map(|(old, _)| *old);
                match around.and_then(|l| growth(b.ctx, v, l)) {
                    Some(step) if step != 0 && lane != 0 => {
                        let ahead = AffineExpr::dim(0) + lane.wrapping_mul(step);
                        ApplyOp::build(b, AffineMap::new(1, 0, vec![ahead]), &[first])
                    }
                    _ => first,
                }
            }
        }
    }
}

/// An op once more, on other operands.
fn again(b: &mut Builder, op: Op, operands: Vec<Value>) -> Value {
    let mut s = OpState::like(b.ctx, op);
    s.operands = operands;
    s.result_types = op.result_types(b.ctx);
    b.create(s).result(b.ctx, 0)
}
