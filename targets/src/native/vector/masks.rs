//! Comparisons of vectors, and selects by them.
//!
//! A mask has lanes of all ones or all zeros. They are as wide as those that were compared,
//! which the type `vector<4xi1>` does not tell: the registers themselves do, and whatever uses a
//! mask brings it to the width it needs. So masks are no arguments of blocks, but blocks inside
//! may use those of the blocks around.

use super::{as_type, lanes_of, shuffle, unsupported};
use crate::native::abi::Scalar;
use crate::native::compare::float_compare;
use crate::native::lower::{Lower, R};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{self, InstBuilder, Type, types};
use terrace_dialects::arith::{CmpFOp, CmpIOp};
use terrace_ir::{Op, OpKind};

pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    let ctx = l.ctx;
    if name == "select" {
        return select(l, op);
    }
    let (a, b) = (l.many(op.operand(ctx, 0))?, l.many(op.operand(ctx, 1))?);
    if lanes_of(l, op.operand(ctx, 0))?.elem == Scalar::Int(1) {
        return Err(unsupported(l, op));
    }
    let mut all = Vec::new();
    for (a, b) in a.iter().zip(b.iter()) {
        all.push(match name {
            "cmpf" => {
                let p = CmpFOp::wrap(op).predicate(ctx);
                let cc = p.and_then(crate::native::compare::float_condition);
                let cc = cc.ok_or_else(|| unsupported(l, op))?;
                float_mask(l, cc, *a, *b)
            }
            _ => {
                let p = CmpIOp::wrap(op).predicate(ctx);
                let p = p.ok_or("has an unknown predicate")?;
                l.b.ins()
                    .icmp(crate::native::compare::int_condition(p), *a, *b)
            }
        });
    }
    l.bind_many(op, all);
    Ok(())
}

fn select(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let v = op.operands(ctx);
    let lanes = lanes_of(l, v[1])?;
    if lanes.elem == Scalar::Int(1) {
        return Err(unsupported(l, op));
    }
    let (a, b) = (l.many(v[1])?, l.many(v[2])?);
    let both = a.iter().zip(b.iter());
    let all = match v[0].ty(ctx).is_vector(ctx) {
        true => {
            let mask = l.many(v[0])?;
            let mask = of_width(l, &mask, lanes.elem.bytes());
            let one = |((a, b), m): ((&ir::Value, &ir::Value), ir::Value)| {
                let m = as_type(l, lanes.clif(), m);
                l.b.ins().bitselect(m, *a, *b)
            };
            both.zip(mask).map(one).collect()
        }
        false => {
            let c = l.one(v[0])?;
            both.map(|(a, b)| l.b.ins().select(c, *a, *b)).collect()
        }
    };
    l.bind_many(op, all);
    Ok(())
}

/// Which lanes compare so. Two conditions need two instructions.
fn float_mask(l: &mut Lower, cc: FloatCC, a: ir::Value, b: ir::Value) -> ir::Value {
    let parts = match cc {
        FloatCC::OrderedNotEqual => [FloatCC::Ordered, FloatCC::NotEqual],
        FloatCC::UnorderedOrEqual => {
            let other = float_mask(l, FloatCC::OrderedNotEqual, a, b);
            return l.b.ins().bnot(other);
        }
        _ => return float_compare(l, cc, a, b),
    };
    let [x, y] = parts.map(|cc| l.b.ins().fcmp(cc, a, b));
    l.b.ins().band(x, y)
}

/// The type of masks with lanes of so many bytes.
fn mask_type(bytes: u32) -> Type {
    match bytes {
        1 => types::I8X16,
        2 => types::I16X8,
        4 => types::I32X4,
        _ => types::I64X2,
    }
}

/// A mask with lanes of so many bytes.
pub(super) fn of_width(l: &mut Lower, mask: &[ir::Value], bytes: u32) -> Vec<ir::Value> {
    let mut all = mask.to_vec();
    let mut have = l.b.func.dfg.value_type(mask[0]).lane_type().bytes();
    while have < bytes {
        let halves = all
            .iter()
            .flat_map(|v| [l.b.ins().swiden_low(*v), l.b.ins().swiden_high(*v)]);
        all = halves.collect();
        have *= 2;
    }
    while have > bytes {
        all = all.chunks(2).map(|p| narrower(l, p, have)).collect();
        have /= 2;
    }
    all
}

/// One register of the lanes of up to two, half as wide.
fn narrower(l: &mut Lower, pair: &[ir::Value], bytes: u32) -> ir::Value {
    // What is missing has lanes that nobody asks for.
    let (a, b) = (pair[0], *pair.last().unwrap_or(&pair[0]));
    if bytes > 4 {
        let v = even_words(l, a, b);
        return as_type(l, mask_type(4), v);
    }
    l.b.ins().snarrow(a, b)
}

/// The words of four bytes at even places of two registers.
pub(super) fn even_words(l: &mut Lower, a: ir::Value, b: ir::Value) -> ir::Value {
    let at = std::array::from_fn(|i| (i / 4 * 8 + i % 4) as u8);
    shuffle(l, a, b, at)
}

/// Both masks with lanes of the narrower one's width.
pub(super) fn alike(l: &mut Lower, a: &[ir::Value], b: &[ir::Value]) -> [Vec<ir::Value>; 2] {
    let bytes = |l: &Lower, v: ir::Value| l.b.func.dfg.value_type(v).lane_type().bytes();
    let width = bytes(l, a[0]).min(bytes(l, b[0]));
    [of_width(l, a, width), of_width(l, b, width)]
}
