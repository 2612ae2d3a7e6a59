//! Values of an interpreted program, and the element types they have in memory.

use super::error::{Fault, Run};
use super::memref::MemRef;
use super::tasks::Tasks;
use std::rc::Rc;
use terrace_ir::num::{Float, FloatKind, Int};
use terrace_ir::{Context, Op, Type, TypeData};

/// A value of the program. 16 bytes; what does not fit is shared.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing was computed here.
    Unset,
    /// An integer of at most 64 bits; the bits above the width are zero.
    Int {
        width: u32,
        bits: u64,
    },
    /// An integer of more than 64 bits.
    Wide(Rc<Int>),
    /// An index: 64 bits, signed unless an op says otherwise.
    Index(i64),
    F32(f32),
    F64(f64),
    /// A float of another format of at most 64 bits, as its bit pattern.
    Float {
        kind: FloatKind,
        bits: u64,
    },
    /// A float of a wider format.
    WideFloat(Rc<Float>),
    Vector(Rc<VectorValue>),
    MemRef(Rc<MemRef>),
    /// A function, the op that defines it.
    Func(Op),
    /// An async token: the ops whose completion it is.
    Token(Tasks),
}

/// A vector: its elements in row-major order.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorValue {
    pub shape: Vec<i64>,
    pub elem: Elem,
    pub lanes: Vec<Value>,
}

/// A scalar type that memory can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elem {
    /// An integer of this width.
    Int(u32),
    Index,
    Float(FloatKind),
}

impl Elem {
    /// The scalar type that `ty` is.
    pub fn of(ctx: &Context, ty: Type) -> Option<Elem> {
        match ty.data(ctx) {
            TypeData::Integer { width, .. } => Some(Elem::Int(*width)),
            TypeData::Index => Some(Elem::Index),
            TypeData::Float(kind) => Some(Elem::Float(*kind)),
            _ => None,
        }
    }

    /// Bits of a value; 64 for an index.
    pub fn bits(self) -> u32 {
        match self {
            Elem::Int(width) => width,
            Elem::Index => 64,
            Elem::Float(kind) => kind.width(),
        }
    }

    /// Bytes of a value in memory: whole bytes, at least one.
    pub fn size(self) -> usize {
        self.bits().div_ceil(8).max(1) as usize
    }

    /// The value stored as these little-endian bytes, [`Self::size`] of them.
    pub fn read(self, bytes: &[u8]) -> Value {
        let word = || {
            let mut w = [0u8; 8];
            let n = bytes.len().min(8);
            w[..n].copy_from_slice(&bytes[..n]);
            u64::from_le_bytes(w)
        };
        match self {
            Elem::Int(width) if width <= 64 => Value::int(width, word()),
            Elem::Int(width) => Value::Wide(Rc::new(Int::from_le_bytes(width, bytes))),
            Elem::Index => Value::Index(word() as i64),
            Elem::Float(FloatKind::F32) => Value::F32(f32::from_bits(word() as u32)),
            Elem::Float(FloatKind::F64) => Value::F64(f64::from_bits(word())),
            Elem::Float(kind) => {
                let mut w = [0u8; 16];
                let n = bytes.len().min(16);
                w[..n].copy_from_slice(&bytes[..n]);
                Value::float(Float::from_bits(kind, u128::from_le_bytes(w)))
            }
        }
    }

    /// Stores `v` as little-endian bytes; a value of another type is refused.
    pub(super) fn write(self, v: &Value, out: &mut [u8]) -> Run<()> {
        let mut put = |word: u64| {
            let n = out.len().min(8);
            out[..n].copy_from_slice(&word.to_le_bytes()[..n]);
        };
        match (self, v) {
            (Elem::Int(w), Value::Int { width, bits }) if w == *width => put(*bits),
            (Elem::Index, Value::Index(i)) => put(*i as u64),
            (Elem::Float(FloatKind::F32), Value::F32(f)) => put(u64::from(f.to_bits())),
            (Elem::Float(FloatKind::F64), Value::F64(f)) => put(f.to_bits()),
            (Elem::Float(k), Value::Float { kind, bits }) if k == *kind => put(*bits),
            (Elem::Int(w), Value::Wide(i)) if w == i.width() => {
                out.copy_from_slice(&i.to_le_bytes())
            }
            (Elem::Float(k), Value::WideFloat(f)) if k == f.kind() => {
                out.copy_from_slice(&f.to_bits().to_le_bytes()[..out.len()]);
            }
            (_, v) => return Err(wrong("a scalar of the element type", v)),
        }
        Ok(())
    }

    /// Zero.
    pub fn zero(self) -> Value {
        match self {
            Elem::Int(w) if w <= 64 => Value::int(w, 0),
            Elem::Int(w) => Value::Wide(Rc::new(Int::zero(w))),
            Elem::Index => Value::Index(0),
            Elem::Float(kind) => Value::float(Float::zero(kind)),
        }
    }
}

/// The low `width` bits of `bits`, extended by the sign.
pub(super) fn sign_extend(bits: u64, width: u32) -> i64 {
    match width {
        0 => 0,
        w if w >= 64 => bits as i64,
        w => ((bits << (64 - w)) as i64) >> (64 - w),
    }
}

/// The low `width` bits of `bits`.
pub(super) fn mask(bits: u64, width: u32) -> u64 {
    if width >= 64 {
        bits
    } else {
        bits & ((1 << width) - 1)
    }
}

impl Value {
    /// An integer of at most 64 bits: the low `width` bits of `bits`.
    pub fn int(width: u32, bits: u64) -> Value {
        Value::Int {
            width,
            bits: mask(bits, width),
        }
    }

    pub fn bool(v: bool) -> Value {
        Value::Int {
            width: 1,
            bits: u64::from(v),
        }
    }

    /// An integer of any width.
    pub fn from_int(v: Int) -> Value {
        match (v.width(), v.to_u64()) {
            (w, Some(bits)) if w <= 64 => Value::Int { width: w, bits },
            _ => Value::Wide(Rc::new(v)),
        }
    }

    /// A float of any format.
    pub fn float(v: Float) -> Value {
        match v.kind() {
            FloatKind::F32 => Value::F32(f32::from_bits(v.to_bits() as u32)),
            FloatKind::F64 => Value::F64(f64::from_bits(v.to_bits() as u64)),
            kind if kind.width() <= 64 => Value::Float {
                kind,
                bits: v.to_bits() as u64,
            },
            _ => Value::WideFloat(Rc::new(v)),
        }
    }

    /// `v` rounded to a float format.
    pub fn from_f64(kind: FloatKind, v: f64) -> Value {
        match kind {
            FloatKind::F32 => Value::F32(v as f32),
            FloatKind::F64 => Value::F64(v),
            kind => Value::float(Float::from_f64(kind, v)),
        }
    }

    /// The value as an integer of its width (an index has 64 bits).
    pub fn to_int(&self) -> Option<Int> {
        match self {
            Value::Int { width, bits } => Some(Int::from_u64(*width, *bits)),
            Value::Index(i) => Some(Int::from_i64(64, *i)),
            Value::Wide(i) => Some(Int::clone(i)),
            _ => None,
        }
    }

    /// The value as a float of its format.
    pub fn to_float(&self) -> Option<Float> {
        match self {
            Value::F32(f) => Some(Float::from_f32(*f)),
            Value::F64(f) => Some(Float::from_f64(FloatKind::F64, *f)),
            Value::Float { kind, bits } => Some(Float::from_bits(*kind, u128::from(*bits))),
            Value::WideFloat(f) => Some(**f),
            _ => None,
        }
    }

    /// A float as the nearest `f64`.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::F32(f) => Some(f64::from(*f)),
            Value::F64(f) => Some(*f),
            v => v.to_float().map(|f| f.to_f64()),
        }
    }

    /// An index or integer of at most 64 bits, read as signed.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Index(i) => Some(*i),
            Value::Int { width, bits } => Some(sign_extend(*bits, *width)),
            _ => None,
        }
    }

    pub(super) fn i64(&self) -> Run<i64> {
        self.as_i64()
            .ok_or_else(|| wrong("an index or integer", self))
    }

    pub(super) fn is_true(&self) -> Run<bool> {
        match self {
            Value::Int { bits, .. } => Ok(*bits != 0),
            v => Err(wrong("a boolean", v)),
        }
    }

    pub(super) fn memref(&self) -> Run<&Rc<MemRef>> {
        match self {
            Value::MemRef(m) => Ok(m),
            v => Err(wrong("a memref", v)),
        }
    }

    pub(super) fn vector(&self) -> Run<&Rc<VectorValue>> {
        match self {
            Value::Vector(v) => Ok(v),
            v => Err(wrong("a vector", v)),
        }
    }

    /// The type in words, for messages.
    pub fn describe(&self) -> String {
        match self {
            Value::Unset => "a value that was never computed".into(),
            Value::Int { width, .. } => format!("an i{width}"),
            Value::Wide(i) => format!("an i{}", i.width()),
            Value::Index(_) => "an index".into(),
            Value::F32(_) => "an f32".into(),
            Value::F64(_) => "an f64".into(),
            Value::Float { kind, .. } => format!("a value of type {}", kind.name()),
            Value::WideFloat(f) => format!("a value of type {}", f.kind().name()),
            Value::Vector(_) => "a vector".into(),
            Value::MemRef(m) => format!("a memref of rank {}", m.sizes.len()),
            Value::Func(_) => "a function".into(),
            Value::Token(_) => "an async token".into(),
        }
    }
}

pub(super) fn wrong(wanted: &str, found: &Value) -> Fault {
    Fault::new(format!("expected {wanted}, found {}", found.describe()))
}
