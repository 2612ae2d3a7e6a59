//! How values of the IR are held: which machine values stand for one IR value.
//!
//! An integer of a width that no register has is held zero-extended in the next
//! wider one. `f16` and `bf16` are held as `f32` and rounded after each operation.
//! A memref is a descriptor of which only what its type leaves open is passed along:
//! pointer, offset, sizes, strides, in this order. Tokens take no machine value. A vector is
//! as many machine values of 16 bytes as its lanes need.

use cranelift_codegen::ir::{self, types};
use std::rc::Rc;
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_ir::num::FloatKind;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Type, TypeData};

/// A number that one machine value holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    /// An integer of 1 to 128 bits, or an index (64).
    Int(u32),
    F64,
    F32,
    F16,
    BF16,
}

impl Scalar {
    /// The type of the machine value.
    pub fn clif(self) -> ir::Type {
        match self {
            Scalar::Int(bits) => int_type(bits),
            Scalar::F64 => types::F64,
            Scalar::F32 | Scalar::F16 | Scalar::BF16 => types::F32,
        }
    }

    /// Bytes of an element in memory.
    pub fn bytes(self) -> u32 {
        match self {
            Scalar::Int(bits) => int_type(bits).bytes(),
            Scalar::F64 => 8,
            Scalar::F32 => 4,
            Scalar::F16 | Scalar::BF16 => 2,
        }
    }

    pub fn is_float(self) -> bool {
        !matches!(self, Scalar::Int(_))
    }

    /// Whether it is a float of 16 bits.
    pub fn is_half(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::BF16)
    }
}

/// A vector, which one or several registers hold, the first lanes in the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lanes {
    /// `i1` in masks.
    pub elem: Scalar,
    pub count: u32,
    /// Bytes of each of its registers.
    pub register: u32,
}

impl Lanes {
    /// Bytes of a register where there are none of other sizes.
    pub const BYTES: u32 = 16;
    /// Longer vectors than this many registers would only be spilled.
    const MAX_REGISTERS: u32 = 16;

    /// The lanes of a vector type, or why no registers hold it.
    fn of(ctx: &Context, ty: Type) -> Result<Lanes, String> {
        let no = |what: &str| format!("has the type '{}'; {what}", ctx.type_text(ty));
        let TypeData::Vector {
            shape,
            elem,
            scalable,
        } = ty.data(ctx)
        else {
            return Err(no("it is no vector"));
        };
        let elem = scalar(ctx, *elem)?;
        let ([count], false) = (&shape[..], scalable.contains(&true)) else {
            return Err(no(
                "native code has vectors of one dimension and a fixed size",
            ));
        };
        let is_mask = elem == Scalar::Int(1);
        if !is_mask
            && !matches!(
                elem,
                Scalar::Int(8 | 16 | 32 | 64) | Scalar::F32 | Scalar::F64
            )
        {
            return Err(no(
                "native code has vectors of integers of 8, 16, 32 and 64 bits, f32, f64, and \
                 of i1 where these are compared",
            ));
        }
        let count = u32::try_from(*count).unwrap_or(0);
        let lanes = Lanes {
            elem,
            count,
            register: Lanes::BYTES,
        };
        let bytes = count.saturating_mul(lanes.lane_bytes());
        let whole = match is_mask {
            true => count.is_power_of_two(),
            false => bytes.is_multiple_of(Lanes::BYTES),
        };
        if count < 2 || !whole || bytes > Lanes::BYTES * Lanes::MAX_REGISTERS {
            return Err(no(
                "native code has vectors of 16 bytes, or of several times as many up to 256; \
                 split it into such",
            ));
        }
        Ok(lanes)
    }

    /// Bytes of a lane. Those of a mask are as wide as what was compared; here they fill one
    /// register where they can.
    fn lane_bytes(self) -> u32 {
        match self.elem {
            Scalar::Int(1) => (Lanes::BYTES / self.count.max(1)).clamp(1, 8),
            elem => elem.bytes(),
        }
    }

    /// The same in the longest registers of up to so many bytes that it fills.
    pub fn within(self, most: u32) -> Lanes {
        let all = self.count * self.lane_bytes();
        let mut register = most;
        while register > Lanes::BYTES && !all.is_multiple_of(register) {
            register /= 2;
        }
        Lanes { register, ..self }
    }

    /// How many registers hold it.
    pub fn registers(self) -> usize {
        (self.count * self.lane_bytes()).div_ceil(self.register) as usize
    }

    /// The type of each of its registers.
    pub fn clif(self) -> ir::Type {
        let lane = match self.elem {
            Scalar::Int(1) => int_type(8 * self.lane_bytes()),
            elem => elem.clif(),
        };
        lane.by(self.register / lane.bytes())
            .unwrap_or(types::I8X16)
    }
}

/// The least machine integer type of at least `bits` bits.
pub(super) fn int_type(bits: u32) -> ir::Type {
    match bits {
        0..=8 => types::I8,
        9..=16 => types::I16,
        17..=32 => types::I32,
        33..=64 => types::I64,
        _ => types::I128,
    }
}

/// What a memref type fixes; [`DYNAMIC`] marks what it leaves open. In elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MemTy {
    pub elem: Scalar,
    pub offset: i64,
    pub shape: Vec<i64>,
    pub strides: Vec<i64>,
    /// Row-major without gaps, whatever the sizes are.
    pub contiguous: bool,
}

impl MemTy {
    /// How many machine values a descriptor of this type takes, without the pointer.
    fn num_open(&self) -> usize {
        self.fixed().filter(|v| *v == DYNAMIC).count()
    }

    /// Offset, sizes and strides.
    fn fixed(&self) -> impl Iterator<Item = i64> + '_ {
        std::iter::once(self.offset)
            .chain(self.shape.iter().copied())
            .chain(self.strides.iter().copied())
    }
}

/// How values of a type are held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Repr {
    Scalar(Scalar),
    Vector(Lanes),
    Mem(MemTy),
    /// An address of code.
    Func,
    /// An async token: a number of the runtime's, 0 for what is done.
    Token,
}

impl Repr {
    /// How values of `ty` are held, or why they cannot be.
    pub fn of(ctx: &Context, ty: Type) -> Result<Repr, String> {
        match ty.data(ctx) {
            TypeData::MemRef { shape, elem, .. } => {
                let elem = scalar(ctx, *elem)?;
                let Some(s) = strides_and_offset(ctx, ty) else {
                    return Err(format!(
                        "has a memref whose layout is not strided, '{}'; \
                         give it a strided or the identity layout",
                        ctx.type_text(ty)
                    ));
                };
                let identity = terrace_dialects::memref::layout::has_identity_layout(ctx, ty);
                let contiguous = identity || is_row_major(shape, &s.strides);
                Ok(Repr::Mem(MemTy {
                    elem,
                    offset: s.offset,
                    shape: shape.clone(),
                    strides: s.strides,
                    contiguous,
                }))
            }
            TypeData::Function { .. } => Ok(Repr::Func),
            TypeData::Vector { .. } => Lanes::of(ctx, ty).map(Repr::Vector),
            TypeData::Dialect {
                dialect: "gpu",
                mnemonic: "async.token",
                ..
            } => Ok(Repr::Token),
            _ => scalar(ctx, ty).map(Repr::Scalar),
        }
    }

    /// The machine types of a value, in order.
    pub fn parts(&self) -> Vec<ir::Type> {
        match self {
            Repr::Scalar(s) => vec![s.clif()],
            Repr::Vector(lanes) => vec![lanes.clif(); lanes.registers()],
            Repr::Mem(m) => vec![types::I64; 1 + m.num_open()],
            Repr::Func | Repr::Token => vec![types::I64],
        }
    }
}

/// Whether static sizes and strides are those of a row-major array without gaps.
fn is_row_major(shape: &[i64], strides: &[i64]) -> bool {
    let mut want = 1i64;
    for i in (0..shape.len()).rev() {
        if strides[i] != want {
            return false;
        }
        // The outermost size does not matter.
        if i > 0 {
            if shape[i] == DYNAMIC {
                return false;
            }
            want = want.wrapping_mul(shape[i]);
        }
    }
    true
}

/// The number type `ty`, or why there are no machine values for it.
pub(super) fn scalar(ctx: &Context, ty: Type) -> Result<Scalar, String> {
    let text = || ctx.type_text(ty);
    match ty.data(ctx) {
        TypeData::Index => Ok(Scalar::Int(64)),
        TypeData::Integer { width: 1..=128, .. } => {
            Ok(Scalar::Int(ty.int_width(ctx).unwrap_or(64)))
        }
        TypeData::Integer { .. } => Err(format!(
            "has the type '{}'; native code has integers of 1 to 128 bits",
            text()
        )),
        TypeData::Float(FloatKind::F64) => Ok(Scalar::F64),
        TypeData::Float(FloatKind::F32) => Ok(Scalar::F32),
        TypeData::Float(FloatKind::F16) => Ok(Scalar::F16),
        TypeData::Float(FloatKind::BF16) => Ok(Scalar::BF16),
        TypeData::Float(_) => Err(format!(
            "has the type '{}'; native code has f16, bf16, f32 and f64",
            text()
        )),
        TypeData::Vector { .. } => Err(format!(
            "has the type '{}' where native code has scalars; lower vector ops to scalar ones first",
            text()
        )),
        TypeData::Tensor { .. } | TypeData::UnrankedTensor(_) => Err(format!(
            "has the type '{}'; turn tensors into memrefs first",
            text()
        )),
        TypeData::UnrankedMemRef { .. } => Err(format!(
            "has the type '{}'; native code has ranked memrefs only",
            text()
        )),
        _ => Err(format!(
            "has the type '{}'; native code has integers, index, f16, bf16, f32, f64 and \
             ranked memrefs of them",
            text()
        )),
    }
}

/// A number known now or at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Const(i64),
    Val(ir::Value),
}

/// A memref at run time. Element `i` lies at
/// `ptr + (offset + sum(i[k] * strides[k])) * elem.bytes()`.
#[derive(Debug, Clone)]
pub(super) struct Desc {
    pub elem: Scalar,
    pub ptr: ir::Value,
    pub offset: Part,
    pub sizes: Vec<Part>,
    pub strides: Vec<Part>,
}

impl Desc {
    pub fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// The descriptor with everything that `ty` fixes as constants.
    pub fn conform(mut self, ty: &MemTy) -> Desc {
        let fix = |p: &mut Part, known: i64| {
            if known != DYNAMIC {
                *p = Part::Const(known);
            }
        };
        fix(&mut self.offset, ty.offset);
        for (p, k) in self.sizes.iter_mut().zip(&ty.shape) {
            fix(p, *k);
        }
        for (p, k) in self.strides.iter_mut().zip(&ty.strides) {
            fix(p, *k);
        }
        self
    }
}

/// What stands for a value of the IR.
#[derive(Debug, Clone)]
pub(super) enum Val {
    One(ir::Value),
    /// The registers of a vector.
    Many(Rc<[ir::Value]>),
    Mem(Rc<Desc>),
}

/// The machine values that make up `v`, a value of type `repr`; constants that the
/// type leaves open are made by `constant`.
pub(super) fn flatten(
    repr: &Repr,
    v: &Val,
    mut constant: impl FnMut(i64) -> ir::Value,
) -> Vec<ir::Value> {
    match (repr, v) {
        (Repr::Mem(ty), Val::Mem(d)) => {
            let mut out = vec![d.ptr];
            let parts = std::iter::once(&d.offset).chain(&d.sizes).chain(&d.strides);
            for (p, known) in parts.zip(ty.fixed()) {
                if known == DYNAMIC {
                    out.push(match p {
                        Part::Const(c) => constant(*c),
                        Part::Val(v) => *v,
                    });
                }
            }
            out
        }
        (_, Val::One(v)) => vec![*v],
        (_, Val::Many(all)) => all.to_vec(),
        _ => vec![],
    }
}

/// The inverse of [`flatten`]: takes the machine values of one value off `parts`.
pub(super) fn unflatten(repr: &Repr, parts: &mut impl Iterator<Item = ir::Value>) -> Option<Val> {
    Some(match repr {
        Repr::Scalar(_) | Repr::Func | Repr::Token => Val::One(parts.next()?),
        Repr::Vector(lanes) => {
            let all = (0..lanes.registers()).map(|_| parts.next());
            Val::Many(all.collect::<Option<_>>()?)
        }
        Repr::Mem(ty) => {
            let ptr = parts.next()?;
            let mut open = ty.fixed().map(|known| match known {
                DYNAMIC => parts.next().map(Part::Val),
                c => Some(Part::Const(c)),
            });
            let offset = open.next()??;
            let rank = ty.shape.len();
            let rest: Vec<Part> = open.collect::<Option<_>>()?;
            Val::Mem(Rc::new(Desc {
                elem: ty.elem,
                ptr,
                offset,
                sizes: rest[..rank].to_vec(),
                strides: rest[rank..].to_vec(),
            }))
        }
    })
}
