//! What is combined: of an associative op one value, of `a * x + b` the two values `b` and `a`.
//!
//! A running value needs no `a`: nothing stands in front of it.

use super::body::copy;
use super::choice::nothing;
use super::kernel::Kernel;
use super::shape::Combining;
use crate::gpu::combine::shuffle;
use crate::loops::build::index::*;
use terrace_dialects::arith::{
    self, AddFOp, AddIOp, CmpFOp, CmpFPredicate, CmpIOp, CmpIPredicate, MulFOp, MulIOp, OrIOp,
    SelectOp,
};
use terrace_dialects::memref;
use terrace_ir::clone::IrMapping;
use terrace_ir::{Builder, Context, Type, Value};

/// What some iterations behind each other do to a running value.
pub type State = Vec<Value>;

impl Kernel<'_> {
    pub fn types(&self, ctx: &Context) -> Vec<Type> {
        self.s.types(ctx)
    }

    /// What changes nothing.
    pub fn identity(&self, b: &mut Builder) -> State {
        let ty = self.s.ty;
        match &self.s.how {
            Combining::Op(kind, _) => match kind.identity(b.ctx, ty) {
                Some(a) => vec![arith::constant(b, a)],
                // `find` takes no others.
                None => vec![constant(b, 0)],
            },
            Combining::Restart(r) => {
                let nothing = match r.kind.identity(b.ctx, ty) {
                    Some(a) => arith::constant(b, a),
                    // `find` takes no others.
                    None => constant(b, 0),
                };
                let i32 = b.ctx.i32();
                vec![nothing, arith::constant_int(b, 0, i32)]
            }
            Combining::Choice(p, _) => vec![arith::constant_float(b, nothing(*p), ty)],
            Combining::Linear(_) => {
                let all = [0, 1].map(|v| number(b, v, ty));
                all[..self.s.components(b.ctx)].to_vec()
            }
        }
    }

    /// What an iteration does to the running value; `map` gets what is computed for it.
    pub fn contribution(&self, b: &mut Builder, map: &mut IrMapping) -> State {
        copy(b, &self.s.slice, map);
        self.step(b, map)
    }

    /// The same, from the values of the iteration that `map` has.
    pub fn step(&self, b: &mut Builder, map: &mut IrMapping) -> State {
        match &self.s.how {
            Combining::Op(_, v) => vec![map.value(*v)],
            Combining::Choice(_, v) => {
                let x = map.value(*v);
                let replaces = CmpFOp::build(b, CmpFPredicate::Ord, x, x);
                let nothing = self.identity(b);
                selected(b, replaces, &vec![x], &nothing)
            }
            Combining::Restart(r) => r.step(b, map, self.s.ty),
            Combining::Linear(r) => {
                let nothing = self.identity(b);
                let product = nothing.get(1).copied();
                let (sum, product) = r.follow(b, &mut map.clone(), nothing[0], product, nothing[0]);
                [sum].into_iter().chain(product).collect()
            }
        }
    }

    /// What is done by `old` first and by `new` then.
    pub fn combine(&self, b: &mut Builder, old: &State, new: &State) -> State {
        let mut all = vec![self.apply(b, old[0], new)];
        if let (Some(x), Some(y)) = (old.get(1), new.get(1)) {
            if self.s.restarts() {
                let i32 = b.ctx.i32();
                all.push(b.value::<OrIOp>(&[*x, *y], i32, &[]));
                return all;
            }
            let product = self.product(b, *y, *x);
            all.push(self.unless_reset(b, *y, (product, *y)));
        }
        all
    }

    /// What `new` makes of a running value.
    pub fn apply(&self, b: &mut Builder, running: Value, new: &State) -> Value {
        let ty = self.s.ty;
        match &self.s.how {
            Combining::Op(kind, _) => kind.combine(b, running, new[0], ty),
            Combining::Restart(r) => {
                let combined = r.kind.combine(b, running, new[0], ty);
                let starts = starts_again(b, new[1]);
                SelectOp::build(b, starts, new[0], combined)
            }
            Combining::Choice(p, _) => {
                let replaces = CmpFOp::build(b, *p, new[0], running);
                SelectOp::build(b, replaces, new[0], running)
            }
            Combining::Linear(_) => {
                let Some(a) = new.get(1) else {
                    return self.sum(b, running, new[0]);
                };
                let scaled = self.product(b, *a, running);
                let sum = self.sum(b, scaled, new[0]);
                self.unless_reset(b, *a, (sum, new[0]))
            }
        }
    }

    /// Where a condition starts the running value again, what stood in front of it does not count,
    /// not even if that is infinite: `started` in place of `whole`.
    fn unless_reset(&self, b: &mut Builder, a: Value, (whole, started): (Value, Value)) -> Value {
        let ty = self.s.ty;
        let resets = matches!(&self.s.how, Combining::Linear(r) if r.resets(b.ctx));
        if !resets || !ty.is_float(b.ctx) {
            return whole;
        }
        let zero = number(b, 0, ty);
        let starts = CmpFOp::build(b, CmpFPredicate::Oeq, a, zero);
        SelectOp::build(b, starts, started, whole)
    }

    fn sum(&self, b: &mut Builder, x: Value, y: Value) -> Value {
        let ty = self.s.ty;
        match ty.is_float(b.ctx) {
            true => b.value::<AddFOp>(&[x, y], ty, &[]),
            false => b.value::<AddIOp>(&[x, y], ty, &[]),
        }
    }

    fn product(&self, b: &mut Builder, x: Value, y: Value) -> Value {
        let ty = self.s.ty;
        match ty.is_float(b.ctx) {
            true => b.value::<MulFOp>(&[x, y], ty, &[]),
            false => b.value::<MulIOp>(&[x, y], ty, &[]),
        }
    }
}

/// Whether a step starts again, from its last value.
fn starts_again(b: &mut Builder, flag: Value) -> Value {
    let i32 = b.ctx.i32();
    let zero = arith::constant_int(b, 0, i32);
    CmpIOp::build(b, CmpIPredicate::Ne, flag, zero)
}

/// A number of a type.
fn number(b: &mut Builder, v: i32, ty: Type) -> Value {
    match (ty.is_float(b.ctx), ty.is_index(b.ctx)) {
        (true, _) => arith::constant_float(b, f64::from(v), ty),
        (_, true) => constant(b, i64::from(v)),
        _ => arith::constant_int(b, i64::from(v), ty),
    }
}

/// The state of another lane.
pub fn shuffled(b: &mut Builder, mode: &str, state: &State, by: i64) -> State {
    let of = |v: &Value| shuffle(b, mode, *v, by);
    state.iter().map(of).collect()
}

pub fn selected(b: &mut Builder, condition: Value, then: &State, other: &State) -> State {
    let pairs = then.iter().zip(other);
    pairs
        .map(|(x, y)| SelectOp::build(b, condition, *x, *y))
        .collect()
}

/// Stores a state, with an array for each of its values.
pub fn store(b: &mut Builder, state: &State, arrays: &[Value], at: &[Value]) {
    for (v, array) in state.iter().zip(arrays) {
        memref::StoreOp::build(b, *v, *array, at);
    }
}

pub fn load(b: &mut Builder, arrays: &[Value], at: &[Value]) -> State {
    let of = |array: &Value| memref::LoadOp::build(b, *array, at);
    arrays.iter().map(of).collect()
}
