//! Ops on numbers, on all lanes at once.

use super::{apart, lanes_of, masks, together, unsupported};
use crate::native::abi::{Lanes, Scalar};
use crate::native::float::is_number;
use crate::native::lower::{Lower, R};
use crate::native::math;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self, InstBuilder, types};
use std::rc::Rc;
use terrace_dialects::math::library_function;
use terrace_dialects::vector::BroadcastOp;
use terrace_ir::{Op, Value};

pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    let ctx = l.ctx;
    let lanes = lanes_of(l, op.result(ctx, 0))?;
    let operands = op.operands(ctx);
    if matches!(name, "shli" | "shrsi" | "shrui") {
        return shift(l, op, name, lanes);
    }
    if matches!(name, "divsi" | "divui" | "remsi" | "remui") {
        return super::divide::lower(l, op, name, lanes);
    }
    let args = operands.iter().map(|v| l.many(*v));
    let args = args.collect::<R<Vec<Rc<[ir::Value]>>>>()?;
    if lanes.elem == Scalar::Int(1) {
        return on_masks(l, op, name, &args);
    }
    if let Some(f) = library_function(name).filter(|_| lanes.elem.is_float()) {
        return by_library(l, op, f, lanes, &args);
    }
    if let Some(terms) = crate::native::fused::terms(l, op)? {
        let all = crate::native::fused::vectors(l, &terms)?;
        l.bind_many(op, all);
        return Ok(());
    }
    let mut all = Vec::new();
    let known = operands.get(1).is_some_and(|b| is_number(ctx, *b));
    for i in 0..lanes.registers() {
        let one: Vec<ir::Value> = args.iter().map(|a| a[i]).collect();
        if let ("maxnumf" | "minnumf", [a, b]) = (name, &one[..]) {
            all.push(number(l, lanes, (*a, *b), (name == "maxnumf", known)));
            continue;
        }
        let v = register(l, name, lanes, &one).ok_or_else(|| unsupported(l, op))?;
        all.push(v);
    }
    l.bind_many(op, all);
    Ok(())
}

/// Masks have lanes of all ones, which sums and the like are no longer.
fn on_masks(l: &mut Lower, op: Op, name: &str, args: &[Rc<[ir::Value]>]) -> R {
    let [a, b] = args else {
        return Err(unsupported(l, op));
    };
    let [a, b] = masks::alike(l, a, b);
    let mut all = Vec::new();
    for (a, b) in a.into_iter().zip(b) {
        all.push(match name {
            "andi" => l.b.ins().band(a, b),
            "ori" => l.b.ins().bor(a, b),
            "xori" => l.b.ins().bxor(a, b),
            _ => return Err(unsupported(l, op)),
        });
    }
    l.bind_many(op, all);
    Ok(())
}

/// A function of the C library, called for one lane after the other, which gives what the
/// scalar op gives.
fn by_library(l: &mut Lower, op: Op, name: &str, lanes: Lanes, args: &[Rc<[ir::Value]>]) -> R {
    let args: Vec<_> = args.iter().map(|a| apart(l, lanes, a)).collect();
    let mut all = Vec::new();
    for i in 0..lanes.count as usize {
        let one: Vec<ir::Value> = args.iter().map(|a| a[i]).collect();
        all.push(math::call(l, name, &one, lanes.elem)?);
    }
    let all = together(l, lanes, &all);
    l.bind_many(op, all);
    Ok(())
}

/// The number that all lanes of a vector are.
fn same_in_all_lanes(l: &mut Lower, v: Value) -> Option<ir::Value> {
    let ctx = l.ctx;
    let def = v.def_op()?;
    if def.isa::<BroadcastOp>(ctx) {
        // A body that is a function of its own has the vector, and may not have the number.
        return l.one(def.operand(ctx, 0)).ok().or_else(|| {
            let first = *l.many(v).ok()?.first()?;
            Some(l.b.ins().extractlane(first, 0))
        });
    }
    // No lane has as many bits as a byte counts.
    let by = *super::splat_bytes(ctx, v)?.first()?;
    Some(l.iconst(types::I32, i64::from(by)))
}

/// Machines shift all lanes by one number.
fn shift(l: &mut Lower, op: Op, name: &str, lanes: Lanes) -> R {
    let ctx = l.ctx;
    let (value, by) = (l.many(op.operand(ctx, 0))?, op.operand(ctx, 1));
    let Some(by) = same_in_all_lanes(l, by).filter(|_| lanes.elem != Scalar::Int(1)) else {
        return Err(
            "shifts each lane by another number; lower vector ops to scalar ones first".into(),
        );
    };
    let one = |v: &ir::Value| match name {
        "shli" => l.b.ins().ishl(*v, by),
        "shrsi" => l.b.ins().sshr(*v, by),
        _ => l.b.ins().ushr(*v, by),
    };
    let all = value.iter().map(one).collect();
    l.bind_many(op, all);
    Ok(())
}

/// An op on the lanes of one register; `None` where the machine has none.
fn register(l: &mut Lower, name: &str, lanes: Lanes, args: &[ir::Value]) -> Option<ir::Value> {
    let float = lanes.elem.is_float();
    let bytes = lanes.elem.bytes();
    Some(match (name, args.len()) {
        ("addf", 2) => l.b.ins().fadd(args[0], args[1]),
        ("subf", 2) => l.b.ins().fsub(args[0], args[1]),
        ("mulf", 2) => l.b.ins().fmul(args[0], args[1]),
        ("divf", 2) => l.b.ins().fdiv(args[0], args[1]),
        ("maximumf", 2) => l.b.ins().fmax(args[0], args[1]),
        ("minimumf", 2) => l.b.ins().fmin(args[0], args[1]),
        ("negf", 1) => l.b.ins().fneg(args[0]),
        ("sqrt", 1) if float => l.b.ins().sqrt(args[0]),
        ("absf", 1) => l.b.ins().fabs(args[0]),
        ("ceil", 1) if float => l.b.ins().ceil(args[0]),
        ("floor", 1) if float => l.b.ins().floor(args[0]),
        ("trunc", 1) if float => l.b.ins().trunc(args[0]),
        ("addi", 2) => l.b.ins().iadd(args[0], args[1]),
        ("subi", 2) => l.b.ins().isub(args[0], args[1]),
        ("muli", 2) if bytes > 1 => l.b.ins().imul(args[0], args[1]),
        ("muli", 2) => product_of_bytes(l, args[0], args[1]),
        ("andi", 2) => l.b.ins().band(args[0], args[1]),
        ("ori", 2) => l.b.ins().bor(args[0], args[1]),
        ("xori", 2) => l.b.ins().bxor(args[0], args[1]),
        ("absi", 1) => l.b.ins().iabs(args[0]),
        ("maxsi" | "minsi" | "maxui" | "minui", 2) => {
            let (x, y) = (args[0], args[1]);
            if bytes == 8 {
                let cc = match name {
                    "maxsi" => IntCC::SignedGreaterThan,
                    "minsi" => IntCC::SignedLessThan,
                    "maxui" => IntCC::UnsignedGreaterThan,
                    _ => IntCC::UnsignedLessThan,
                };
                let c = l.b.ins().icmp(cc, x, y);
                return Some(l.b.ins().bitselect(c, x, y));
            }
            match name {
                "maxsi" => l.b.ins().smax(x, y),
                "minsi" => l.b.ins().smin(x, y),
                "maxui" => l.b.ins().umax(x, y),
                _ => l.b.ins().umin(x, y),
            }
        }
        _ => return None,
    })
}

/// The greater or lesser of two, the number where one of them is NaN, which `b` may be known not
/// to be.
fn number(
    l: &mut Lower,
    lanes: Lanes,
    (a, b): (ir::Value, ir::Value),
    (greater, known): (bool, bool),
) -> ir::Value {
    // The form that is one instruction on x86-64, and chooses `b` where there is a NaN.
    let holds = match greater {
        true => l.b.ins().fcmp(FloatCC::LessThan, b, a),
        false => l.b.ins().fcmp(FloatCC::LessThan, a, b),
    };
    let choose = |l: &mut Lower, c: ir::Value, x: ir::Value, y: ir::Value| {
        let c = super::as_type(l, lanes.clif(), c);
        l.b.ins().bitselect(c, x, y)
    };
    let v = choose(l, holds, a, b);
    // Equal numbers differ in the sign of zero at most.
    let both = match greater {
        true => l.b.ins().band(a, b),
        false => l.b.ins().bor(a, b),
    };
    let equal = l.b.ins().fcmp(FloatCC::Equal, a, b);
    let v = choose(l, equal, both, v);
    if known {
        return v;
    }
    let nan = l.b.ins().fcmp(FloatCC::Unordered, b, b);
    choose(l, nan, a, v)
}

/// Products of bytes by way of 16 bits: there is no instruction for them.
fn product_of_bytes(l: &mut Lower, a: ir::Value, b: ir::Value) -> ir::Value {
    let (x, y) = (l.b.ins().uwiden_low(a), l.b.ins().uwiden_low(b));
    let low = l.b.ins().imul(x, y);
    let (x, y) = (l.b.ins().uwiden_high(a), l.b.ins().uwiden_high(b));
    let high = l.b.ins().imul(x, y);
    super::convert::narrower(l, low, high, 2, 1)
}
