//! The tests in front of a nest.

use super::Wants;
use super::form::{Form, MAX_SIZE};
use super::nest::{CheckedNest, Number};
use crate::loops::build::binary;
use terrace_dialects::arith::{
    self, AddIOp, AndIOp, CmpIOp, CmpIPredicate, MulIOp, OrIOp, constant_index,
};
use terrace_dialects::memref::DimOp;
use terrace_ir::{Builder, Value};

/// Whether all that accesses want holds.
pub fn conjunction(b: &mut Builder, nest: &CheckedNest, all: &[Wants]) -> Value {
    let mut done: Vec<&Vec<Form>> = Vec::new();
    let mut holds = arith::constant_bool(b, true);
    // Sums of numbers of this size do not wrap, so that the tests below, and the
    // subscripts themselves, are the sums that they look like.
    for number in nest.outside() {
        let v = value(b, number);
        let (up, twice) = (constant_index(b, MAX_SIZE), constant_index(b, 2 * MAX_SIZE));
        let shifted = binary::<AddIOp>(b, v, up);
        let small = CmpIOp::build(b, CmpIPredicate::Ule, shifted, twice);
        holds = binary::<AndIOp>(b, holds, small);
    }
    for ways in all.iter().flat_map(|w| &w.any) {
        if done.contains(&ways) {
            continue;
        }
        done.push(ways);
        let mut some = None;
        for way in ways {
            let v = sum(b, nest, way);
            let zero = constant_index(b, 0);
            let one = CmpIOp::build(b, CmpIPredicate::Sge, v, zero);
            some = Some(match some {
                None => one,
                Some(other) => binary::<OrIOp>(b, other, one),
            });
        }
        if let Some(some) = some {
            holds = binary::<AndIOp>(b, holds, some);
        }
    }
    holds
}

fn value(b: &mut Builder, number: Number) -> Value {
    match number {
        Number::Counter(v) | Number::Value(v) => v,
        Number::Size(array, k) => {
            let k = constant_index(b, k as i64);
            let index = b.ctx.index();
            b.value::<DimOp>(&[array, k], index, &[])
        }
    }
}

fn sum(b: &mut Builder, nest: &CheckedNest, form: &Form) -> Value {
    let mut total = constant_index(b, form.constant);
    for (number, factor) in &form.terms {
        let v = value(b, nest.number(*number));
        let v = match factor {
            1 => v,
            _ => {
                let factor = constant_index(b, *factor);
                binary::<MulIOp>(b, v, factor)
            }
        };
        total = binary::<AddIOp>(b, total, v);
    }
    total
}
