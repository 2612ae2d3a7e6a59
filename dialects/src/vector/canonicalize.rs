//! Patterns of the ops that take vectors apart, put them together and reshape them: what an op
//! takes is looked for in what made its operand.

mod constants;
mod extract;
mod masks;
mod shape;
mod slice;
mod transfer;

pub(super) use constants::{from_elements, insert, to_elements};
pub(super) use extract::extract;
pub(super) use masks::{constant_mask, create_mask, mask, step};
pub(super) use shape::{broadcast, reduction, shape_cast, shuffle, transpose};
pub(super) use slice::{extract_strided_slice, insert_strided_slice};
pub(super) use transfer::{transfer_read, transfer_write};

use super::shape::BroadcastOp;
use super::types::{scalable, shape as dims_of};
use crate::ub::PoisonOp;
use terrace_ir::rewrite::Rewriter;
use terrace_ir::{Attr, AttrData, Context, DenseData, Op, OpKind, Type, Value};

/// The op of kind `K` that defines a value.
fn made_by<K: OpKind>(ctx: &Context, v: Value) -> Option<Op> {
    v.def_op().filter(|o| o.isa::<K>(ctx))
}

/// Puts a value in the place of the only result of an op.
fn replace(rw: &mut Rewriter, op: Op, with: Value) -> bool {
    rw.replace_op(op, &[with]);
    true
}

/// Puts poison in the place of the only result of an op.
fn replace_with_poison(rw: &mut Rewriter, op: Op) -> bool {
    let ty = op.result(rw.ctx, 0).ty(rw.ctx);
    let v = rw.value::<PoisonOp>(&[], ty, &[]);
    replace(rw, op, v)
}

/// Poison of a vector is poison in each part and each shape of it.
fn of_poison(rw: &mut Rewriter, op: Op) -> bool {
    made_by::<PoisonOp>(rw.ctx, op.operand(rw.ctx, 0)).is_some() && replace_with_poison(rw, op)
}

/// Puts a constant in the place of the only result of an op.
fn replace_with_constant(rw: &mut Rewriter, op: Op, value: Attr) -> bool {
    let ty = op.result(rw.ctx, 0).ty(rw.ctx);
    let Some(made) = rw.constant(op, value, ty) else {
        return false;
    };
    let v = made.result(rw.ctx, 0);
    replace(rw, op, v)
}

/// Numbers of an attribute.
fn ints(ctx: &Context, op: Op, name: &str) -> Vec<i64> {
    op.attr(ctx, name)
        .and_then(|a| a.as_i64_array(ctx))
        .unwrap_or_default()
}

/// Numbers as an array of attributes.
fn i64s(ctx: &Context, v: &[i64]) -> Attr {
    let ty = ctx.i64();
    ctx.array_attr(v.iter().map(|n| ctx.int_attr(ty, *n)).collect())
}

/// Whether `vector.broadcast` takes a value of one type to the other: the last dimensions are equal,
/// or 1 in the source.
fn broadcasts(ctx: &Context, from: Type, to: Type) -> bool {
    if !from.is_vector(ctx) {
        return from == to.element_or_self(ctx);
    }
    let (s, d) = (dims_of(ctx, from), dims_of(ctx, to));
    let (fs, fd) = (scalable(ctx, from), scalable(ctx, to));
    let Some(lead) = d.len().checked_sub(s.len()) else {
        return false;
    };
    (0..s.len()).all(|i| {
        let same = s[i] == d[lead + i] && fs[i] == fd[lead + i];
        same || s[i] == 1 && !fs[i]
    })
}

/// A value as a vector of a type that it broadcasts to.
fn broadcast_to(rw: &mut Rewriter, v: Value, ty: Type) -> Value {
    match v.ty(rw.ctx) == ty {
        true => v,
        false => rw.value::<BroadcastOp>(&[v], ty, &[]),
    }
}

/// The product of sizes; `None` where it does not fit.
fn product(dims: &[i64]) -> Option<i64> {
    dims.iter().try_fold(1i64, |n, d| n.checked_mul(*d))
}

/// Elements of a constant vector: their bytes in row-major order, and how many bytes each has.
struct Elements {
    bytes: Vec<u8>,
    size: usize,
}

/// Constants of more elements than this are not taken apart.
const MOST_ELEMENTS: usize = 4096;

impl Elements {
    /// Those of a constant, of a vector or of one number.
    fn of(ctx: &Context, v: Value) -> Option<Elements> {
        let a = ctx.constant_of(v)?;
        let ty = v.ty(ctx);
        if scalable(ctx, ty).contains(&true) {
            return None;
        }
        let count = usize::try_from(product(dims_of(ctx, ty))?).ok()?;
        let (splat, bytes) = match a.data(ctx) {
            AttrData::Dense {
                data: DenseData::Raw { splat, bytes },
                ..
            } => (*splat, bytes.clone()),
            _ => {
                let one = super::shape::splat(ctx, a, ty)?;
                let AttrData::Dense {
                    data: DenseData::Raw { bytes, .. },
                    ..
                } = one.data(ctx)
                else {
                    return None;
                };
                (true, bytes.clone())
            }
        };
        if count == 0 || count > MOST_ELEMENTS {
            return None;
        }
        let bytes = match splat {
            true => bytes.repeat(count),
            false => bytes.to_vec(),
        };
        let size = bytes.len() / count;
        (size > 0 && bytes.len() == size * count).then_some(Elements { bytes, size })
    }

    fn get(&self, i: usize) -> Option<&[u8]> {
        self.bytes.get(i * self.size..(i + 1) * self.size)
    }

    fn set(&mut self, i: usize, to: &[u8]) -> Option<()> {
        let place = self.bytes.get_mut(i * self.size..(i + 1) * self.size)?;
        (place.len() == to.len()).then(|| place.copy_from_slice(to))
    }

    /// These of the elements.
    fn chosen(&self, which: impl IntoIterator<Item = usize>) -> Option<Elements> {
        let mut bytes = Vec::new();
        for i in which {
            bytes.extend_from_slice(self.get(i)?);
        }
        Some(Elements {
            bytes,
            size: self.size,
        })
    }

    /// A constant of a vector type with these elements.
    fn attr(self, ctx: &Context, ty: Type) -> Option<Attr> {
        let count = usize::try_from(product(dims_of(ctx, ty))?).ok()?;
        if self.bytes.len() != count * self.size {
            return None;
        }
        let splat = self
            .bytes
            .chunks(self.size)
            .all(|c| c == &self.bytes[..self.size]);
        let bytes = match splat {
            true => self.bytes[..self.size].into(),
            false => self.bytes.into_boxed_slice(),
        };
        let data = DenseData::Raw { splat, bytes };
        Some(ctx.attr(AttrData::Dense { ty, data }))
    }
}

/// The numbers, in row-major order, of the elements of a box of an array of this shape.
fn in_box(dims: &[i64], offsets: &[i64], sizes: &[i64]) -> Option<Vec<usize>> {
    let mut all = vec![0i64];
    for (k, n) in dims.iter().enumerate() {
        let (first, size) = (
            offsets.get(k).copied().unwrap_or(0),
            sizes.get(k).copied().unwrap_or(*n),
        );
        if first < 0 || size < 0 || first.checked_add(size)? > *n {
            return None;
        }
        all = (all.iter())
            .flat_map(|at| (first..first + size).map(move |i| at * n + i))
            .collect();
        if all.len() > MOST_ELEMENTS {
            return None;
        }
    }
    all.into_iter().map(|i| usize::try_from(i).ok()).collect()
}

/// Which element of a source of one shape stands in a place of what it was broadcast to.
fn source_place(own: &[i64], dims: &[i64], place: usize) -> usize {
    let lead = dims.len() - own.len();
    let (mut rest, mut at, mut step) = (place as i64, 0, 1);
    for k in (0..dims.len()).rev() {
        let i = rest % dims[k].max(1);
        rest /= dims[k].max(1);
        if k >= lead {
            let n = own[k - lead];
            at += if n == 1 { 0 } else { i * step };
            step *= n;
        }
    }
    at as usize
}
