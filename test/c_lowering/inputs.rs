//! Arguments of functions: values at the edges of their types.

use super::rng::Rng;
use terrace_c::types::{Float, Type};

/// The elements of an array argument, in every dimension that the type leaves open.
pub const ELEMENTS: usize = 64;

/// The bits of a scalar of an arithmetic type.
pub fn scalar(rng: &mut Rng, ty: &Type) -> u64 {
    match ty {
        Type::Bool => rng.below(2) as u64,
        Type::Int(i) => {
            let m = u64::MAX >> (64 - u32::from(i.bits));
            let top = 1u64 << (i.bits - 1);
            let edges = [
                0,
                1,
                m,
                2,
                7,
                13,
                100,
                m - 99,
                top,
                top - 1,
                top + 1,
                0x5555_5555_5555_5555,
                3,
                31,
            ];
            match rng.chance(70) {
                true => rng.pick(&edges) & m,
                false => (rng.between(i64::MIN / 2, i64::MAX / 2 - 1) as u64) & m,
            }
        }
        Type::Float(f) => {
            let edges = [
                0.0,
                -0.0,
                1.0,
                -1.5,
                0.1,
                1e10,
                -1e-10,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
                123_456.789,
                3e38,
                -7.75,
                2.5,
                1e-310,
            ];
            float_bits(*rng.pick(&edges), *f)
        }
        other => panic!("no argument of type {other:?}"),
    }
}

/// The bytes of `n` elements, moderate numbers.
pub fn elements(rng: &mut Rng, ty: &Type, n: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..n {
        match ty {
            Type::Bool => out.push(rng.below(2) as u8),
            Type::Int(i) => {
                let v = rng.between(-60, 200).to_le_bytes();
                out.extend(&v[..usize::from(i.bits) / 8]);
            }
            Type::Float(f) => {
                let x = rng.between(-1000, 1000) as f64 / 16.0;
                let bytes = match f {
                    Float::F32 => 4,
                    Float::F64 => 8,
                };
                out.extend(&float_bits(x, *f).to_le_bytes()[..bytes]);
            }
            other => panic!("no elements of type {other:?}"),
        }
    }
    out
}

fn float_bits(x: f64, f: Float) -> u64 {
    match f {
        Float::F32 => u64::from((x as f32).to_bits()),
        Float::F64 => x.to_bits(),
    }
}

/// Bytes of a value.
pub fn size(ty: &Type) -> usize {
    match ty {
        Type::Bool => 1,
        Type::Int(i) => usize::from(i.bits) / 8,
        Type::Float(Float::F32) => 4,
        Type::Float(Float::F64) => 8,
        other => panic!("no value of type {other:?}"),
    }
}

/// The type in C.
pub fn name(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "_Bool",
        Type::Int(i) => match (i.bits, i.signed) {
            (8, true) => "signed char",
            (8, false) => "unsigned char",
            (16, true) => "short",
            (16, false) => "unsigned short",
            (32, true) => "int",
            (32, false) => "unsigned",
            (_, true) => "long",
            (_, false) => "unsigned long",
        },
        Type::Float(Float::F32) => "float",
        Type::Float(Float::F64) => "double",
        other => panic!("no value of type {other:?}"),
    }
}
