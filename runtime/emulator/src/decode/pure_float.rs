//! Float instructions.

use super::code::PureFn;
use super::pure::{bin, tri, un};
use crate::value::float::{
    Format, Mode, NAN_32, Operation, apfloat, bits32, bits64, f32_of, f64_of, flush, min_max,
    quiet64, result64, saturate32, saturate64, sqrt,
};
use crate::value::half::{Half, pairs};
use terrace_ptx::modifiers::{Approx, Ftz, Mods, NanPolicy, Rnd, Sat, TestClass};
use terrace_ptx::{Inst, Op, Ty};

/// The rounding of an arithmetic instruction; to nearest if it names none.
pub(super) const fn mode(mods: &Mods) -> Mode {
    match mods.rnd {
        Rnd::Rz => Mode::Zero,
        Rnd::Rm => Mode::Down,
        Rnd::Rp => Mode::Up,
        _ => Mode::Nearest,
    }
}

pub(super) fn build(inst: &Inst) -> Option<PureFn> {
    match inst.ty() {
        Ty::F32 => single(inst),
        Ty::F64 => double(inst),
        Ty::F16 => half(inst, Half::F16, false),
        Ty::F16x2 => half(inst, Half::F16, true),
        Ty::Bf16 => half(inst, Half::Bf16, false),
        Ty::Bf16x2 => half(inst, Half::Bf16, true),
        _ => None,
    }
}

const fn operation(op: Op) -> Option<Operation> {
    match op {
        Op::Add => Some(Operation::Add),
        Op::Sub => Some(Operation::Sub),
        Op::Mul => Some(Operation::Mul),
        Op::Div => Some(Operation::Div),
        Op::Fma => Some(Operation::Fma),
        _ => None,
    }
}

/// The four operations and fma on singles, to nearest, without flushing.
fn single_operation(op: Op) -> Option<PureFn> {
    Some(match op {
        Op::Add => bin(|a, b| bits32(f32_of(a) + f32_of(b))),
        Op::Sub => bin(|a, b| bits32(f32_of(a) - f32_of(b))),
        Op::Mul => bin(|a, b| bits32(f32_of(a) * f32_of(b))),
        Op::Div => bin(|a, b| bits32(f32_of(a) / f32_of(b))),
        Op::Fma => tri(|a, b, c| bits32(f32_of(a).mul_add(f32_of(b), f32_of(c)))),
        _ => return None,
    })
}

fn double_operation(op: Op) -> Option<PureFn> {
    Some(match op {
        Op::Add => bin(|a, b| result64(f64_of(a) + f64_of(b), [a, b, b])),
        Op::Sub => bin(|a, b| result64(f64_of(a) - f64_of(b), [a, b, b])),
        Op::Mul => bin(|a, b| result64(f64_of(a) * f64_of(b), [a, b, b])),
        Op::Div => bin(|a, b| result64(f64_of(a) / f64_of(b), [a, b, b])),
        Op::Fma => tri(|a, b, c| result64(f64_of(a).mul_add(f64_of(b), f64_of(c)), [a, b, c])),
        _ => return None,
    })
}

/// The approximate functions, by way of double precision.
fn function(op: Op, x: f64) -> f64 {
    match op {
        Op::Rcp => 1.0 / x,
        Op::Sqrt => x.sqrt(),
        Op::Rsqrt => 1.0 / x.sqrt(),
        Op::Sin => x.sin(),
        Op::Cos => x.cos(),
        Op::Ex2 => x.exp2(),
        Op::Lg2 => x.log2(),
        _ => x.tanh(),
    }
}

const fn is_function(op: Op) -> bool {
    matches!(
        op,
        Op::Rcp | Op::Sqrt | Op::Rsqrt | Op::Sin | Op::Cos | Op::Ex2 | Op::Lg2 | Op::Tanh
    )
}

fn single(inst: &Inst) -> Option<PureFn> {
    let mods = inst.mods;
    let (ftz, sat) = (mods.ftz == Ftz::On, mods.sat == Sat::On);
    let mode = mode(&mods);
    let op = inst.op;
    let before = move |v| if ftz { flush(v) } else { v };
    let after = move |v| {
        let v = if ftz { flush(v) } else { v };
        if sat { saturate32(v) } else { v }
    };
    if mode == Mode::Nearest
        && !ftz
        && !sat
        && let Some(f) = single_operation(op)
    {
        return Some(f);
    }
    if let Some(operation) = operation(op) {
        return Some(tri(move |a, b, c| {
            after(apfloat(
                Format::F32,
                operation,
                before(a),
                before(b),
                before(c),
                mode,
            ))
        }));
    }
    let propagate = mods.nan == NanPolicy::Propagate;
    Some(match op {
        Op::Abs => un(move |a| number32(before(a & 0x7fff_ffff))),
        Op::Neg => un(move |a| number32(before(a ^ 0x8000_0000))),
        Op::Min => {
            bin(move |a, b| after(min_max(before(a), before(b), Format::F32, false, propagate)))
        }
        Op::Max => {
            bin(move |a, b| after(min_max(before(a), before(b), Format::F32, true, propagate)))
        }
        Op::Copysign => bin(|sign, v| v & 0x7fff_ffff | sign & 0x8000_0000),
        Op::Sqrt if mods.approx == Approx::Exact => {
            un(move |a| after(sqrt(before(a), Format::F32, mode)))
        }
        Op::Rcp if mods.approx == Approx::Exact => un(move |a| {
            let one = bits32(1.0);
            after(apfloat(
                Format::F32,
                Operation::Div,
                one,
                before(a),
                0,
                mode,
            ))
        }),
        Op::Testp => testp(mods.test, 32),
        _ if is_function(op) => {
            un(move |a| after(bits32(function(op, f64::from(f32_of(before(a)))) as f32)))
        }
        _ => return None,
    })
}

fn double(inst: &Inst) -> Option<PureFn> {
    let mods = inst.mods;
    let mode = mode(&mods);
    let op = inst.op;
    if mode == Mode::Nearest
        && let Some(f) = double_operation(op)
    {
        return Some(f);
    }
    if let Some(operation) = operation(op) {
        return Some(tri(move |a, b, c| {
            apfloat(Format::F64, operation, a, b, c, mode)
        }));
    }
    const SIGN: u64 = 1 << 63;
    let propagate = mods.nan == NanPolicy::Propagate;
    let sat = mods.sat == Sat::On;
    let after = move |v| if sat { saturate64(v) } else { v };
    Some(match op {
        Op::Abs => un(|a| quiet64(a, a & !SIGN)),
        Op::Neg => un(|a| quiet64(a, a ^ SIGN)),
        Op::Min => bin(move |a, b| after(min_max(a, b, Format::F64, false, propagate))),
        Op::Max => bin(move |a, b| after(min_max(a, b, Format::F64, true, propagate))),
        Op::Copysign => bin(|sign, v| v & !SIGN | sign & SIGN),
        Op::Sqrt if mods.approx == Approx::Exact => un(move |a| sqrt(a, Format::F64, mode)),
        Op::Rcp if mods.approx == Approx::Exact => {
            un(move |a| apfloat(Format::F64, Operation::Div, bits64(1.0), a, a, mode))
        }
        Op::Testp => testp(mods.test, 64),
        _ if is_function(op) => un(move |a| bits64(function(op, f64_of(a)))),
        _ => return None,
    })
}

/// A single, or the one NaN.
pub(super) fn number32(v: u64) -> u64 {
    if f32_of(v).is_nan() { NAN_32 } else { v }
}

fn testp(test: TestClass, bits: u32) -> PureFn {
    use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};
    un(move |a| {
        let class = match bits {
            32 => f32_of(a).classify(),
            _ => f64_of(a).classify(),
        };
        u64::from(match test {
            TestClass::Finite => !matches!(class, Infinite | Nan),
            TestClass::Infinite => class == Infinite,
            TestClass::Number => class != Nan,
            TestClass::NotANumber => class == Nan,
            // The machine counts zeros in.
            TestClass::Normal => matches!(class, Normal | Zero),
            TestClass::Subnormal => class == Subnormal,
            TestClass::Default => false,
        })
    })
}

/// f16 and bf16, one or a pair.
fn half(inst: &Inst, half: Half, pair: bool) -> Option<PureFn> {
    let mods = inst.mods;
    let op = inst.op;
    let (ftz, sat) = (mods.ftz == Ftz::On, mods.sat == Sat::On);
    let propagate = mods.nan == NanPolicy::Propagate;
    let fraction = match half {
        Half::F16 => 0x7c00,
        Half::Bf16 => 0x7f80,
    };
    let flush = move |v: u64| {
        if ftz && v & fraction == 0 {
            v & 0x8000
        } else {
            v
        }
    };
    let after = move |v: u64| {
        let v = flush(v);
        let x = half.to_f32(v);
        match sat {
            true if x.is_nan() || x <= 0.0 => 0,
            true if x > 1.0 => half.of_f32(1.0, Mode::Nearest),
            _ => v,
        }
    };
    let one = move |a: u64, b: u64, c: u64| -> u64 {
        let (a, b, c) = (flush(a), flush(b), flush(c));
        if let Some(operation) = operation(op) {
            return after(half.compute(operation, a, b, c));
        }
        match op {
            Op::Abs | Op::Neg if half.to_f32(a).is_nan() => half.nan(),
            Op::Abs => a & 0x7fff,
            Op::Neg => a ^ 0x8000,
            Op::Min | Op::Max => after(half.min_max(a, b, op == Op::Max, propagate)),
            _ => {
                let x = f64::from(half.to_f32(a));
                after(half.of_f32(function(op, x) as f32, Mode::Nearest))
            }
        }
    };
    let known = operation(op).is_some()
        || is_function(op)
        || matches!(op, Op::Abs | Op::Neg | Op::Min | Op::Max);
    match (known, pair) {
        (false, _) => None,
        (true, false) => Some(tri(move |a, b, c| one(a & 0xffff, b & 0xffff, c & 0xffff))),
        (true, true) => Some(tri(move |a, b, c| pairs(one, a, b, c))),
    }
}
