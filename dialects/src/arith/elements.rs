//! Constants as numbers: of a scalar, or of every element of a vector or tensor.

use crate::ub::is_poison;
use terrace_ir::num::{Float, Int};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Attr, AttrData, Context, DenseData, Type};

/// A number that constants are made of.
pub trait Number: Clone + PartialEq {
    /// The scalar in an attribute.
    fn of_scalar(ctx: &Context, a: Attr) -> Option<Self>;
    /// Bytes of one element of type `elem`; `None` for a type of other numbers.
    fn size(ctx: &Context, elem: Type) -> Option<usize>;
    /// From as many bytes as [`Self::size`] says.
    fn read(ctx: &Context, elem: Type, bytes: &[u8]) -> Option<Self>;
    /// Append the `size` bytes of one element.
    fn write(&self, size: usize, out: &mut Vec<u8>);
    /// The attribute of this number as a scalar of type `ty`.
    fn scalar_attr(self, ctx: &Context, ty: Type) -> Attr;
}

impl Number for Int {
    fn of_scalar(ctx: &Context, a: Attr) -> Option<Int> {
        a.as_int(ctx).cloned()
    }
    fn size(ctx: &Context, elem: Type) -> Option<usize> {
        let bits = if elem.is_index(ctx) {
            64
        } else {
            elem.int_width(ctx)?
        };
        Some((bits as usize).div_ceil(8).max(1))
    }
    fn read(ctx: &Context, elem: Type, bytes: &[u8]) -> Option<Int> {
        let bits = if elem.is_index(ctx) {
            64
        } else {
            elem.int_width(ctx)?
        };
        Some(Int::from_le_bytes(bits, bytes))
    }
    fn write(&self, size: usize, out: &mut Vec<u8>) {
        let mut bytes = self.to_le_bytes();
        bytes.resize(size, 0);
        out.append(&mut bytes);
    }
    fn scalar_attr(self, ctx: &Context, ty: Type) -> Attr {
        ctx.attr(AttrData::Integer { ty, value: self })
    }
}

impl Number for Float {
    fn of_scalar(ctx: &Context, a: Attr) -> Option<Float> {
        a.as_float(ctx).copied()
    }
    fn size(ctx: &Context, elem: Type) -> Option<usize> {
        Some((elem.float_kind(ctx)?.width() as usize).div_ceil(8))
    }
    fn read(ctx: &Context, elem: Type, bytes: &[u8]) -> Option<Float> {
        let mut all = [0; 16];
        all.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(Float::from_bits(
            elem.float_kind(ctx)?,
            u128::from_le_bytes(all),
        ))
    }
    fn write(&self, size: usize, out: &mut Vec<u8>) {
        out.extend(self.to_bits().to_le_bytes().iter().take(size));
    }
    fn scalar_attr(self, ctx: &Context, ty: Type) -> Attr {
        ctx.attr(AttrData::Float { ty, value: self })
    }
}

/// The numbers of a constant.
pub struct Elements<T> {
    /// The type of the constant.
    pub ty: Type,
    /// One for a scalar or a splat, else one for each element.
    pub values: Vec<T>,
    /// Whether one value stands for all.
    pub uniform: bool,
}

impl<T: Number> Elements<T> {
    /// The numbers of an integer, float or dense elements attribute.
    pub fn of(ctx: &Context, a: Attr) -> Option<Self> {
        if let Some(v) = T::of_scalar(ctx, a) {
            return Some(Elements {
                ty: a.typed(ctx)?,
                values: vec![v],
                uniform: true,
            });
        }
        let AttrData::Dense {
            ty,
            data: DenseData::Raw { splat, bytes },
        } = a.data(ctx)
        else {
            return None;
        };
        let elem = ty.element(ctx)?;
        let size = T::size(ctx, elem)?;
        let values = bytes.chunks_exact(size).map(|c| T::read(ctx, elem, c));
        Some(Elements {
            ty: *ty,
            values: values.collect::<Option<_>>()?,
            uniform: *splat,
        })
    }

    /// The number of a scalar or of every element of a splat.
    pub fn one(self) -> Option<T> {
        if self.uniform {
            self.values.into_iter().next()
        } else {
            None
        }
    }

    /// The constant of these numbers; elements that are all equal become a splat.
    pub(crate) fn into_attr(self, ctx: &Context) -> Option<Attr> {
        let Some(elem) = self.ty.element(ctx) else {
            let ty = self.ty;
            return Some(self.one()?.scalar_attr(ctx, ty));
        };
        let size = T::size(ctx, elem)?;
        let mut values = self.values;
        let splat = self.uniform || (!values.is_empty() && values.windows(2).all(|w| w[0] == w[1]));
        if splat {
            values.truncate(1);
        }
        let mut bytes = Vec::with_capacity(values.len() * size);
        for v in &values {
            v.write(size, &mut bytes);
        }
        let data = DenseData::Raw {
            splat,
            bytes: bytes.into(),
        };
        Some(ctx.attr(AttrData::Dense { ty: self.ty, data }))
    }

    /// Every number through `f`, as a constant of type `ty`; `None` where `f` has no
    /// result for one of them.
    pub fn map<R: Number>(
        self,
        ctx: &Context,
        ty: Type,
        f: impl Fn(&T) -> Option<R>,
    ) -> Option<Attr> {
        let values = self.values.iter().map(f).collect::<Option<_>>()?;
        Elements {
            ty,
            values,
            uniform: self.uniform,
        }
        .into_attr(ctx)
    }
}

/// `f` of one constant operand; of poison it is poison.
pub fn unary<T: Number, R: Number>(
    ctx: &Context,
    operand: Option<Attr>,
    ty: Type,
    f: impl Fn(&T) -> Option<R>,
) -> Option<Attr> {
    if is_poison(ctx, operand?) {
        return operand;
    }
    Elements::of(ctx, operand?)?.map(ctx, ty, f)
}

/// `f` of two constant operands of one type, element by element, as a constant of
/// type `ty`. Where one is poison, so is the result.
pub fn binary<T: Number, R: Number>(
    ctx: &Context,
    operands: &[Option<Attr>],
    ty: Type,
    f: impl Fn(&T, &T) -> Option<R>,
) -> Option<Attr> {
    if let Some(poison) = operands.iter().flatten().find(|a| is_poison(ctx, **a)) {
        return Some(*poison);
    }
    let &[Some(a), Some(b)] = operands else {
        return None;
    };
    let (a, b) = (Elements::<T>::of(ctx, a)?, Elements::<T>::of(ctx, b)?);
    if a.ty != b.ty {
        return None;
    }
    let n = if a.uniform {
        b.values.len()
    } else {
        a.values.len()
    };
    let at = |e: &Elements<T>, i: usize| e.values.get(if e.uniform { 0 } else { i }).cloned();
    let values = (0..n)
        .map(|i| f(&at(&a, i)?, &at(&b, i)?))
        .collect::<Option<Vec<R>>>()?;
    Elements {
        ty,
        values,
        uniform: a.uniform && b.uniform,
    }
    .into_attr(ctx)
}

/// The integer of a scalar or splat constant.
pub fn int_of(ctx: &Context, a: Option<Attr>) -> Option<Int> {
    Elements::of(ctx, a?)?.one()
}

/// The float of a scalar or splat constant.
pub(crate) fn float_of(ctx: &Context, a: Option<Attr>) -> Option<Float> {
    Elements::of(ctx, a?)?.one()
}

/// Whether a constant is 0, or is 0 in every element of a splat.
pub fn is_zero(ctx: &Context, a: Option<Attr>) -> bool {
    int_of(ctx, a).is_some_and(|v| v.is_zero())
}

/// Whether a constant is 1, or is 1 in every element of a splat.
pub fn is_one(ctx: &Context, a: Option<Attr>) -> bool {
    int_of(ctx, a).is_some_and(|v| v.is_one())
}

/// Whether a constant of `ty` can be written down: its sizes are all known.
pub(crate) fn has_constants(ctx: &Context, ty: Type) -> bool {
    match (ty.element(ctx), ty.shape(ctx)) {
        (None, _) => true,
        (Some(_), Some(shape)) => !shape.contains(&DYNAMIC),
        (Some(_), None) => false,
    }
}

/// The constant zero of a type, where it has one.
pub fn zero(ctx: &Context, ty: Type) -> Option<Attr> {
    if has_constants(ctx, ty) {
        ctx.zero_attr(ty)
    } else {
        None
    }
}
