//! Lanes in another order: `vector.shuffle`.
//!
//! Two orders have instructions on every machine: lanes the other way round, and every second,
//! third or fourth lane of numbers that stand in turn, such as the red ones of pixels. Any other
//! order takes lanes out one by one.

use super::masks::even_words;
use super::{apart, as_type, lanes_of, shuffle, together, unsupported};
use crate::native::abi::{Lanes, Scalar};
use crate::native::lower::{Lower, R};
use cranelift_codegen::ir::{self, InstBuilder, types};
use terrace_dialects::vector::ShuffleOp;
use terrace_ir::{Op, OpKind};

pub(super) fn lower(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let lanes = lanes_of(l, op.operand(ctx, 0))?;
    let result = lanes_of(l, op.result(ctx, 0))?;
    if lanes.elem == Scalar::Int(1) {
        return Err(unsupported(l, op));
    }
    let mut registers = l.many(op.operand(ctx, 0))?.to_vec();
    // Whatever a lane may hold that is none of them.
    let order: Vec<usize> = (ShuffleOp::wrap(op).order(ctx).into_iter())
        .map(|i| usize::try_from(i).unwrap_or(0))
        .collect();
    let count = lanes.count as usize;
    let bytes = lanes.elem.bytes();
    let all = if order.iter().copied().eq((0..count).rev()) {
        let turned = registers.iter().rev();
        turned.map(|v| reversed(l, *v, bytes)).collect()
    } else if let Some((offset, step)) = in_turn(&order, count) {
        every(l, registers, bytes, offset, step)
    } else {
        registers.extend(l.many(op.operand(ctx, 1))?.iter());
        let both = Lanes {
            elem: lanes.elem,
            count: lanes.count + lanes_of(l, op.operand(ctx, 1))?.count,
            ..lanes
        };
        let scalars = apart(l, both, &registers);
        let chosen: Vec<ir::Value> = order.iter().map(|i| scalars[*i]).collect();
        together(l, result, &chosen)
    };
    l.bind_many(op, all);
    Ok(())
}

/// The offset and the step of an order that takes all lanes of one offset.
fn in_turn(order: &[usize], count: usize) -> Option<(usize, usize)> {
    let step = count / order.len();
    let offset = order[0];
    let fits = matches!(step, 2..=4)
        && step * order.len() == count
        && offset < step
        && order
            .iter()
            .enumerate()
            .all(|(i, at)| *at == offset + i * step);
    fits.then_some((offset, step))
}

/// A register of lanes of so many bytes the other way round.
fn reversed(l: &mut Lower, v: ir::Value, bytes: u32) -> ir::Value {
    let ty = l.b.func.dfg.value_type(v);
    let lane = |i: usize, per: usize, at: usize| (at * per + i % per) as u8;
    let turned = match bytes {
        8 => shuffle(l, v, v, std::array::from_fn(|i| lane(i, 8, 1 - i / 8))),
        4 => shuffle(l, v, v, std::array::from_fn(|i| lane(i, 4, 3 - i / 4))),
        _ => {
            let mut words = v;
            if bytes == 1 {
                let pairs = as_type(l, types::I16X8, v);
                let by = l.iconst(types::I32, 8);
                let (up, down) = (l.b.ins().ishl(pairs, by), l.b.ins().ushr(pairs, by));
                words = l.b.ins().bor(up, down);
            }
            // The words of each half, and then the halves.
            let low = |i: usize| {
                if i < 8 {
                    lane(i, 2, 3 - i / 2)
                } else {
                    i as u8
                }
            };
            let high = |i: usize| {
                if i < 8 {
                    i as u8
                } else {
                    lane(i, 2, 11 - i / 2)
                }
            };
            let half = shuffle(l, words, words, std::array::from_fn(low));
            let both = shuffle(l, half, half, std::array::from_fn(high));
            shuffle(
                l,
                both,
                both,
                std::array::from_fn(|i| lane(i, 8, 1 - i / 8)),
            )
        }
    };
    as_type(l, ty, turned)
}

/// Each `step`-th lane from `offset` on of registers that follow one another.
fn every(
    l: &mut Lower,
    registers: Vec<ir::Value>,
    bytes: u32,
    offset: usize,
    step: usize,
) -> Vec<ir::Value> {
    if step == 3 {
        let groups = registers.chunks(3);
        return groups
            .map(|g| third(l, [g[0], g[1], g[2]], bytes, offset))
            .collect();
    }
    let half: Vec<ir::Value> = registers
        .chunks(2)
        .map(|p| second(l, p[0], p[1], bytes, offset % 2 == 1))
        .collect();
    match step {
        2 => half,
        _ => every(l, half, bytes, offset / 2, step / 2),
    }
}

/// The lanes at even or odd places of two registers.
fn second(l: &mut Lower, a: ir::Value, b: ir::Value, bytes: u32, odd: bool) -> ir::Value {
    let ty = l.b.func.dfg.value_type(a);
    let v = match bytes {
        8 => {
            let from = if odd { 8 } else { 0 };
            let at = |i: usize| (i % 8 + from + i / 8 * 16) as u8;
            shuffle(l, a, b, std::array::from_fn(at))
        }
        4 if odd => {
            let at = |i: usize| (i / 4 * 8 + i % 4 + 4) as u8;
            shuffle(l, a, b, std::array::from_fn(at))
        }
        4 => even_words(l, a, b),
        // What is twice as wide holds one of each, of which its sign or nothing is left.
        _ => {
            let wide = if bytes == 2 {
                types::I32X4
            } else {
                types::I16X8
            };
            let by = l.iconst(types::I32, i64::from(8 * bytes));
            let [x, y] = [a, b].map(|v| {
                let v = as_type(l, wide, v);
                let v = if odd { v } else { l.b.ins().ishl(v, by) };
                match bytes {
                    2 => l.b.ins().sshr(v, by),
                    _ => l.b.ins().ushr(v, by),
                }
            });
            match bytes {
                2 => l.b.ins().snarrow(x, y),
                _ => l.b.ins().unarrow(x, y),
            }
        }
    };
    as_type(l, ty, v)
}

/// Every third lane of three registers. Each round interleaves lower and upper halves, which
/// doubles the distance of lanes that were three apart, until it is one modulo all lanes.
fn third(l: &mut Lower, registers: [ir::Value; 3], bytes: u32, offset: usize) -> ir::Value {
    let ty = l.b.func.dfg.value_type(registers[0]);
    let width = bytes as usize;
    // The lower half of `a` or its upper one, in turn with the same of `b`.
    let mut both = |a: ir::Value, upper_a: bool, b: ir::Value, upper_b: bool| {
        let high = std::array::from_fn(|i| 8 + i as u8 % 8);
        let mut half = |v: ir::Value, upper: bool| match upper {
            true => shuffle(l, v, v, high),
            false => v,
        };
        let (a, b) = (half(a, upper_a), half(b, upper_b));
        let at = |i: usize| {
            let (lane, within) = (i / width, i % width);
            (lane / 2 * width + within + lane % 2 * 16) as u8
        };
        shuffle(l, a, b, std::array::from_fn(at))
    };
    let mut t = registers;
    let mut lanes = Lanes::BYTES / bytes;
    while lanes > 1 {
        t = [
            both(t[0], false, t[1], true),
            both(t[0], true, t[2], false),
            both(t[1], false, t[2], true),
        ];
        lanes /= 2;
    }
    as_type(l, ty, t[offset])
}
