//! Steps and running values as words of 64 bits, by which blocks tell each other.
//!
//! A word has 32 bits of the value below, and above them a 1 and whether a step starts again. So it says
//! itself whether it is there, and no order of memory accesses is needed. Values of 64 bits have two words,
//! each of which is written once.

use super::shape::Scan;
use super::state::State;
use crate::gpu::branches::values_of;
use crate::loops::build::index::*;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::gpu;
use terrace_ir::{Builder, Context, Type, Value};

/// The lowest bit of a word above the value: that it is there.
const THERE: i64 = 32;
/// The bit that says that a step starts again.
const STARTS: i64 = 33;

/// Words of a value.
fn words_of(ctx: &Context, ty: Type) -> i64 {
    match ty.bit_width(ctx) {
        Some(32) => 1,
        _ => 2,
    }
}

/// Words of values of these types.
pub fn count(ctx: &Context, types: &[Type]) -> i64 {
    types.iter().map(|t| words_of(ctx, *t)).sum()
}

/// Words of a step.
pub fn of_step(ctx: &Context, s: &Scan) -> i64 {
    count(ctx, &s.held_types(ctx))
}

fn number(b: &mut Builder, n: i64) -> Value {
    let i64 = b.ctx.i64();
    arith::constant_int(b, n, i64)
}

/// The words of a value, with `tag` above.
fn split_up(b: &mut Builder, v: Value, tag: Value) -> Vec<Value> {
    let (ty, i32, i64) = (v.ty(b.ctx), b.ctx.i32(), b.ctx.i64());
    if words_of(b.ctx, ty) == 1 {
        let bits = match ty.is_float(b.ctx) {
            true => b.value::<arith::BitcastOp>(&[v], i32, &[]),
            false => v,
        };
        let low = b.value::<arith::ExtUIOp>(&[bits], i64, &[]);
        return vec![b.value::<arith::OrIOp>(&[low, tag], i64, &[])];
    }
    let bits = match (ty.is_float(b.ctx), ty.is_index(b.ctx)) {
        (true, _) => b.value::<arith::BitcastOp>(&[v], i64, &[]),
        (_, true) => b.value::<arith::IndexCastOp>(&[v], i64, &[]),
        _ => v,
    };
    let (half, mask) = (number(b, 32), number(b, 0xffff_ffff));
    let low = b.value::<arith::AndIOp>(&[bits, mask], i64, &[]);
    let high = b.value::<arith::ShRUIOp>(&[bits, half], i64, &[]);
    [low, high]
        .map(|w| b.value::<arith::OrIOp>(&[w, tag], i64, &[]))
        .to_vec()
}

/// The value that words have.
fn together(b: &mut Builder, words: &[Value], ty: Type) -> Value {
    let (i32, i64) = (b.ctx.i32(), b.ctx.i64());
    let [low, high] = words[..] else {
        let bits = b.value::<arith::TruncIOp>(&[words[0]], i32, &[]);
        return match ty.is_float(b.ctx) {
            true => b.value::<arith::BitcastOp>(&[bits], ty, &[]),
            false => bits,
        };
    };
    let (half, mask) = (number(b, 32), number(b, 0xffff_ffff));
    let low = b.value::<arith::AndIOp>(&[low, mask], i64, &[]);
    let high = b.value::<arith::ShLIOp>(&[high, half], i64, &[]);
    let bits = b.value::<arith::OrIOp>(&[low, high], i64, &[]);
    match (ty.is_float(b.ctx), ty.is_index(b.ctx)) {
        (true, _) => b.value::<arith::BitcastOp>(&[bits], ty, &[]),
        (_, true) => b.value::<arith::IndexCastOp>(&[bits], ty, &[]),
        _ => bits,
    }
}

/// Tells a step, or a running value, whose words begin at `at`.
pub fn tell(b: &mut Builder, s: &Scan, state: &State, array: Value, at: Value) {
    let i64 = b.ctx.i64();
    let mut tag = number(b, 1 << THERE);
    // A running value alone starts nothing.
    if let (true, Some(flag)) = (s.restarts(), state.get(1)) {
        let wide = b.value::<arith::ExtUIOp>(&[*flag], i64, &[]);
        let by = number(b, STARTS);
        let high = b.value::<arith::ShLIOp>(&[wide, by], i64, &[]);
        tag = b.value::<arith::OrIOp>(&[tag, high], i64, &[]);
    }
    let held = if s.restarts() {
        &state[..1]
    } else {
        &state[..]
    };
    let words: Vec<Value> = held.iter().flat_map(|v| split_up(b, *v, tag)).collect();
    for (n, word) in words.into_iter().enumerate() {
        let place = add_constant(b, at, n as i64);
        gpu::StoreRelaxedOp::build(b, word, array, &[place]);
    }
}

/// Whether values of these types are there whose words begin at `at`, and them; `flag` is whether
/// that of a step that starts again follows.
fn look(b: &mut Builder, types: &[Type], flag: bool, array: Value, at: Value) -> (Value, State) {
    let (i32, i64) = (b.ctx.i32(), b.ctx.i64());
    let words: Vec<Value> = (0..count(b.ctx, types))
        .map(|n| {
            let place = add_constant(b, at, n);
            gpu::LoadRelaxedOp::build(b, array, &[place])
        })
        .collect();
    let least = number(b, 1 << THERE);
    let mut all: Option<Value> = None;
    for w in &words {
        let is = CmpIOp::build(b, CmpIPredicate::Uge, *w, least);
        all = Some(match all {
            Some(a) => and(b, a, is),
            None => is,
        });
    }
    let all = all.unwrap_or_else(|| arith::constant_bool(b, true));
    let mut rest = &words[..];
    let mut state = Vec::new();
    for ty in types {
        let (own, others) = rest.split_at(words_of(b.ctx, *ty) as usize);
        state.push(together(b, own, *ty));
        rest = others;
    }
    if flag {
        let by = number(b, STARTS);
        let high = b.value::<arith::ShRUIOp>(&[words[0], by], i64, &[]);
        state.push(b.value::<arith::TruncIOp>(&[high], i32, &[]));
    }
    (all, state)
}

/// Whether a step is there whose words begin at `at`, and it.
pub fn step(b: &mut Builder, s: &Scan, array: Value, at: Value) -> (Value, State) {
    let types = s.held_types(b.ctx);
    look(b, &types, s.restarts(), array, at)
}

/// Whether a running value is there whose words begin at `at`, and it.
pub fn running(b: &mut Builder, s: &Scan, array: Value, at: Value) -> (Value, Value) {
    let (is, state) = look(b, &[s.ty], false, array, at);
    (is, state[0])
}

/// The same under a condition; otherwise `is` and `state`.
pub fn step_where(
    b: &mut Builder,
    s: &Scan,
    condition: Value,
    (array, at): (Value, Value),
    (is, state): (Value, &State),
) -> (Value, State) {
    let types = [vec![is.ty(b.ctx)], s.types(b.ctx)].concat();
    let found = values_of(
        b,
        condition,
        &types,
        |b| {
            let (is, state) = step(b, s, array, at);
            [vec![is], state].concat()
        },
        |_| [vec![is], state.clone()].concat(),
    );
    (found[0], found[1..].to_vec())
}
