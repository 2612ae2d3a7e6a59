//! Atomic updates of memory: instructions for integers, else compare and swap until
//! nobody was in between.

use super::abi::{Desc, Part, Scalar};
use super::arith::mask;
use super::float::{half_bits, half_value};
use super::lower::{Lower, R};
use super::scf::args;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, AtomicRmwOp, InstBuilder, MemFlagsData, types};
use terrace_dialects::memref::GenericAtomicRmwOp;
use terrace_ir::{Op, Value};

/// The bytes of an element as an integer.
fn raw_type(elem: Scalar) -> R<ir::Type> {
    Ok(match elem.bytes() {
        1 => types::I8,
        2 => types::I16,
        4 => types::I32,
        8 => types::I64,
        n => {
            return Err(format!(
                "updates an element of {n} bytes; atomics have at most 8"
            ));
        }
    })
}

/// The element that these bytes are.
fn value_of(l: &mut Lower, elem: Scalar, raw: ir::Value) -> R<ir::Value> {
    Ok(match elem {
        Scalar::Int(bits) => mask(l, raw, bits),
        Scalar::F16 | Scalar::BF16 => half_value(l, raw, elem)?,
        _ => l.b.ins().bitcast(elem.clif(), MemFlagsData::new(), raw),
    })
}

/// Replace the element at `address` by `f` of it, as one step; gives old and new.
fn update(
    l: &mut Lower,
    elem: Scalar,
    address: ir::Value,
    f: impl FnOnce(&mut Lower, ir::Value) -> R<ir::Value>,
) -> R<(ir::Value, ir::Value)> {
    let raw = raw_type(elem)?;
    let flags = MemFlagsData::trusted();
    let first = l.b.ins().atomic_load(raw, flags, address);
    let (head, params) = l.block_with(&[raw]);
    let (done, results) = l.block_with(&[elem.clif(), elem.clif()]);
    let entry = l.b.ins().jump(head, &args(&[first]));
    l.scopes.push(super::address::Scope::entered_by(entry));
    l.b.switch_to_block(head);
    let old = value_of(l, elem, params[0])?;
    let new = f(l, old)?;
    let bits = match elem {
        Scalar::Int(_) => new,
        Scalar::F16 | Scalar::BF16 => half_bits(l, new, elem)?,
        _ => l.b.ins().bitcast(raw, MemFlagsData::new(), new),
    };
    let seen = l.b.ins().atomic_cas(flags, address, params[0], bits);
    let same = l.b.ins().icmp(IntCC::Equal, seen, params[0]);
    l.b.ins()
        .brif(same, done, &args(&[old, new]), head, &args(&[seen]));
    l.scopes.pop();
    l.b.switch_to_block(done);
    Ok((results[0], results[1]))
}

fn element_address(l: &mut Lower, op: Op, d: &Desc, indices: &[Value]) -> R<ir::Value> {
    l.check_bounds(op, d, indices)?;
    let (base, at) = l.address(d, indices)?;
    let p = l.add(Part::Val(base), Part::Const(i64::from(at)));
    Ok(l.part(p))
}

pub(super) fn atomic_rmw(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let operands = op.operands(ctx);
    let v = l.one(operands[0])?;
    let d = l.mem(operands[1])?;
    let kind = op
        .int_attr(ctx, "kind")
        .and_then(|k| {
            let cases = terrace_dialects::arith::ATOMIC_RMW_KIND.cases;
            cases.iter().find(|c| c.1 == k).map(|c| c.0)
        })
        .ok_or("has an unknown kind")?;
    let address = element_address(l, op, &d, &operands[2..])?;
    let native = match (kind, d.elem) {
        ("assign", Scalar::Int(_)) => Some(AtomicRmwOp::Xchg),
        (k, Scalar::Int(8 | 16 | 32 | 64)) => match k {
            "addi" => Some(AtomicRmwOp::Add),
            "andi" => Some(AtomicRmwOp::And),
            "ori" => Some(AtomicRmwOp::Or),
            "xori" => Some(AtomicRmwOp::Xor),
            "maxs" => Some(AtomicRmwOp::Smax),
            "maxu" => Some(AtomicRmwOp::Umax),
            "mins" => Some(AtomicRmwOp::Smin),
            "minu" => Some(AtomicRmwOp::Umin),
            _ => None,
        },
        _ => None,
    };
    if let Some(n) = native.filter(|_| d.elem.bytes() <= 8) {
        let ty = d.elem.clif();
        let flags = MemFlagsData::trusted();
        let old = l.b.ins().atomic_rmw(ty, flags, n, address, v);
        l.bind_one(op, old);
        return Ok(());
    }
    let (old, _) = update(l, d.elem, address, |l, old| {
        combine(l, kind, d.elem, old, v)
    })?;
    l.bind_one(op, old);
    Ok(())
}

/// One step of an atomic update that the machine has no instruction for.
fn combine(l: &mut Lower, kind: &str, elem: Scalar, a: ir::Value, b: ir::Value) -> R<ir::Value> {
    use super::float::{number, round};
    if let Scalar::Int(bits) = elem {
        let (sa, sb) = (
            super::arith::sext(l, a, bits),
            super::arith::sext(l, b, bits),
        );
        let pick = |l: &mut Lower, cc, x, y| {
            let c = l.b.ins().icmp(cc, x, y);
            l.b.ins().select(c, a, b)
        };
        let v = match kind {
            "addi" => l.b.ins().iadd(a, b),
            "muli" => l.b.ins().imul(a, b),
            "andi" => l.b.ins().band(a, b),
            "ori" => l.b.ins().bor(a, b),
            "xori" => l.b.ins().bxor(a, b),
            "maxs" => pick(l, IntCC::SignedGreaterThan, sa, sb),
            "mins" => pick(l, IntCC::SignedLessThan, sa, sb),
            "maxu" => pick(l, IntCC::UnsignedGreaterThan, a, b),
            "minu" => pick(l, IntCC::UnsignedLessThan, a, b),
            _ => return Err(format!("has the kind '{kind}' on integers")),
        };
        return Ok(mask(l, v, bits));
    }
    match kind {
        "assign" => Ok(b),
        "addf" => {
            let v = l.b.ins().fadd(a, b);
            round(l, v, elem)
        }
        "mulf" => {
            let v = l.b.ins().fmul(a, b);
            round(l, v, elem)
        }
        "maximumf" => Ok(l.b.ins().fmax(a, b)),
        "minimumf" => Ok(l.b.ins().fmin(a, b)),
        "maxnumf" => Ok(number(l, a, b, (true, false))),
        "minnumf" => Ok(number(l, a, b, (false, false))),
        _ => Err(format!("has the kind '{kind}' on floats")),
    }
}

/// The op gives the value from before, as `memref.atomic_rmw` does.
pub(super) fn generic_atomic_rmw(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let operands = op.operands(ctx);
    let d = l.mem(operands[0])?;
    let address = element_address(l, op, &d, &operands[1..])?;
    let is_read = op.cast::<GenericAtomicRmwOp>(ctx);
    if is_read.is_some_and(|o| o.only_reads(ctx)) {
        let raw = raw_type(d.elem)?;
        let raw = l.b.ins().atomic_load(raw, MemFlagsData::trusted(), address);
        let old = value_of(l, d.elem, raw)?;
        l.bind_one(op, old);
        return Ok(());
    }
    let block = op.body(ctx, 0);
    let (old, _) = update(l, d.elem, address, |l, old| {
        l.bind(block.arg(ctx, 0), super::abi::Val::One(old));
        let y = l.block_body(block)?;
        l.one(y.operand(ctx, 0))
    })?;
    l.bind_one(op, old);
    Ok(())
}
