//! Strides and offsets of memref types, and the types of views of memrefs.

mod reshape;
mod slice;

pub use reshape::Groups;
pub(crate) use reshape::{collapsed_type, compose_groups, expanded_type, find_collapse};
pub(crate) use slice::is_rank_reduction;
pub use slice::{dropped_dims, rank_reduced_subview, subview_type};

use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Attr, AttrData, Context, Type, TypeData};

/// Where the elements of a strided memref lie: element `i` at
/// `offset + sum(strides[k] * i[k])`, in elements. [`DYNAMIC`] marks what is known
/// only at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strides {
    /// One for each dimension, outermost first.
    pub strides: Vec<i64>,
    /// Place of the element with all subscripts 0.
    pub offset: i64,
}

impl Strides {
    /// Strides and an offset, all known, that an array of these sizes may have: those of the layout,
    /// and where it leaves them open the least that keep elements apart, innermost dimensions first.
    /// Of sizes alone these are those of rows one behind the other. `None` where they do not fit.
    pub fn closed(&self, sizes: &[i64]) -> Option<Strides> {
        let steps = |k: usize| sizes.get(k).map(|n| (*n).max(1) - 1);
        let mut strides = self.strides.clone();
        let mut taken = 1i64;
        for (k, stride) in strides.iter().enumerate() {
            if *stride != DYNAMIC {
                taken = taken.checked_add(stride.checked_abs()?.checked_mul(steps(k)?)?)?;
            }
        }
        for k in (0..strides.len()).rev() {
            if strides[k] == DYNAMIC {
                strides[k] = taken;
                taken = taken.checked_add(taken.checked_mul(steps(k)?)?)?;
            }
        }
        let closed = Strides { strides, offset: 0 };
        let offset = match self.offset {
            DYNAMIC => closed.range(sizes)?.0.checked_neg()?,
            known => known,
        };
        Some(Strides { offset, ..closed })
    }

    /// The first and the last place that an element of these sizes has; `None` where that does not
    /// fit, or a stride or the offset is open. An array without elements has those of one element.
    pub fn range(&self, sizes: &[i64]) -> Option<(i64, i64)> {
        let (mut first, mut last) = (self.offset, self.offset);
        if self.offset == DYNAMIC || sizes.len() != self.strides.len() {
            return None;
        }
        for (stride, size) in self.strides.iter().zip(sizes) {
            if *stride == DYNAMIC {
                return None;
            }
            let far = stride.checked_mul((*size).max(1) - 1)?;
            first = first.checked_add(far.min(0))?;
            last = last.checked_add(far.max(0))?;
        }
        Some((first, last))
    }
}

/// Whether a layout attribute of a memref of this rank maps indices to themselves.
pub(crate) fn is_identity_layout(ctx: &Context, layout: Option<Attr>) -> bool {
    let Some(layout) = layout else { return true };
    match layout.data(ctx) {
        AttrData::AffineMap(m) => m.is_identity(),
        AttrData::Strided { strides, offset } => strides[..] == [1] && *offset == 0,
        _ => false,
    }
}

/// Whether `ty` is a memref whose elements lie in row-major order without gaps,
/// starting at its base, by its layout attribute alone.
pub fn has_identity_layout(ctx: &Context, ty: Type) -> bool {
    matches!(ty.data(ctx), TypeData::MemRef { layout, .. } if is_identity_layout(ctx, *layout))
}

/// How many symbols the layout of a memref type has: values an allocation of it takes
/// besides its sizes.
pub fn num_symbols(ctx: &Context, ty: Type) -> usize {
    let TypeData::MemRef {
        layout: Some(layout),
        ..
    } = ty.data(ctx)
    else {
        return 0;
    };
    match layout.data(ctx) {
        AttrData::AffineMap(m) if !m.is_identity() => m.num_symbols() as usize,
        AttrData::Strided { strides, offset } => strides
            .iter()
            .chain([offset])
            .filter(|s| **s == DYNAMIC)
            .count(),
        _ => 0,
    }
}

/// `a * b` where either may be dynamic; dynamic too where the product does not fit.
/// Zero times anything is zero.
pub fn mul(a: i64, b: i64) -> i64 {
    if a == 0 || b == 0 {
        0
    } else if a == DYNAMIC || b == DYNAMIC {
        DYNAMIC
    } else {
        a.checked_mul(b).unwrap_or(DYNAMIC)
    }
}

/// `a + b` where either may be dynamic; dynamic too where the sum does not fit.
pub fn add(a: i64, b: i64) -> i64 {
    if a == DYNAMIC || b == DYNAMIC {
        DYNAMIC
    } else {
        a.checked_add(b).unwrap_or(DYNAMIC)
    }
}

/// The strides of a row-major array of this shape.
pub fn row_major_strides(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    let mut running = 1;
    for (s, size) in strides.iter_mut().zip(shape).rev() {
        *s = running;
        running = mul(running, *size);
    }
    strides
}

/// How far elements are apart in a memref of one dimension that begins with the first of them, where
/// that is a known number of elements.
pub fn even_stride(ctx: &Context, ty: Type) -> Option<i64> {
    let layout = strides_and_offset(ctx, ty)?;
    match layout.strides[..] {
        [stride] if stride > 0 && layout.offset == 0 => Some(stride),
        _ => None,
    }
}

/// Strides and offset of a ranked memref; `None` for layouts that are not strided
/// (several results, or a division or remainder of an index).
pub fn strides_and_offset(ctx: &Context, ty: Type) -> Option<Strides> {
    let TypeData::MemRef { shape, layout, .. } = ty.data(ctx) else {
        return None;
    };
    let Some(layout) = layout else {
        return Some(Strides {
            strides: row_major_strides(shape),
            offset: 0,
        });
    };
    match layout.data(ctx) {
        AttrData::Strided { strides, offset } => Some(Strides {
            strides: strides.clone(),
            offset: *offset,
        }),
        AttrData::AffineMap(m) if m.is_identity() => Some(Strides {
            strides: row_major_strides(shape),
            offset: 0,
        }),
        AttrData::AffineMap(m) => of_map(m),
        _ => None,
    }
}

pub(crate) fn is_strided(ctx: &Context, ty: Type) -> bool {
    strides_and_offset(ctx, ty).is_some()
}

/// Strides and offset of a map with one result that is linear in its dimensions.
fn of_map(m: &AffineMap) -> Option<Strides> {
    let [e] = m.results() else { return None };
    if !e.within_limits() {
        return None;
    }
    let mut sum = Linear {
        strides: vec![AffineExpr::constant(0); m.num_dims() as usize],
        offset: AffineExpr::constant(0),
    };
    sum.add(e, &AffineExpr::constant(1))?;
    let known = |e: &AffineExpr| e.as_constant().unwrap_or(DYNAMIC);
    Some(Strides {
        strides: sum.strides.iter().map(known).collect(),
        offset: known(&sum.offset),
    })
}

/// A sum of multiples of the dimensions, the factors in terms of symbols.
struct Linear {
    strides: Vec<AffineExpr>,
    offset: AffineExpr,
}

impl Linear {
    /// Add `e * factor`; `None` where that is not linear.
    fn add(&mut self, e: &AffineExpr, factor: &AffineExpr) -> Option<()> {
        let times =
            |f: &AffineExpr| AffineExpr::try_binary(AffineOp::Mul, factor.clone(), f.clone()).ok();
        match e {
            AffineExpr::Dim(d) => {
                let s = self.strides.get_mut(*d as usize)?;
                *s = AffineExpr::try_binary(AffineOp::Add, s.clone(), factor.clone()).ok()?;
                Some(())
            }
            AffineExpr::Symbol(_) | AffineExpr::Constant(_) => {
                let o = self.offset.clone();
                self.offset = AffineExpr::try_binary(AffineOp::Add, o, times(e)?).ok()?;
                Some(())
            }
            AffineExpr::Binary(b) => match b.op() {
                AffineOp::Add => {
                    self.add(b.lhs(), factor)?;
                    self.add(b.rhs(), factor)
                }
                AffineOp::Mul if b.lhs().is_symbolic_or_constant() => {
                    self.add(b.rhs(), &times(b.lhs())?)
                }
                AffineOp::Mul => self.add(b.lhs(), &times(b.rhs())?),
                _ => None,
            },
        }
    }
}

/// The map of indices to a position that strides and offset stand for, a symbol for
/// each dynamic one: first the offset's, then those of the strides in order.
pub(crate) fn strided_map(s: &Strides) -> AffineMap {
    let mut symbols = 0;
    let mut known = |v: i64| {
        if v != DYNAMIC {
            return AffineExpr::constant(v);
        }
        symbols += 1;
        AffineExpr::symbol(symbols - 1)
    };
    let mut e = known(s.offset);
    for (d, stride) in (0u32..).zip(&s.strides) {
        let term = AffineExpr::binary(AffineOp::Mul, AffineExpr::dim(d), known(*stride));
        e = AffineExpr::binary(AffineOp::Add, e, term);
    }
    let dims = s.strides.len() as u32;
    AffineMap::new(dims, symbols, vec![e]).simplify()
}

/// The memref type with other shape and layout.
pub fn with_shape_and_layout(
    ctx: &Context,
    ty: Type,
    new_shape: Vec<i64>,
    new_layout: Option<Attr>,
) -> Type {
    let mut data = ty.data(ctx).clone();
    if let TypeData::MemRef { shape, layout, .. } = &mut data {
        *shape = new_shape;
        *layout = new_layout;
    }
    ctx.ty(data)
}

/// The memref type with another shape and these strides.
pub(crate) fn with_strides(ctx: &Context, ty: Type, shape: Vec<i64>, s: Strides) -> Type {
    let layout = ctx.attr(AttrData::Strided {
        strides: s.strides,
        offset: s.offset,
    });
    with_shape_and_layout(ctx, ty, shape, Some(layout))
}

/// The memory space of a memref type, ranked or not.
pub fn memory_space(ctx: &Context, ty: Type) -> Option<Attr> {
    ty.memref_parts(ctx).and_then(|p| p.1)
}

/// Whether `memref.cast` may turn one type into the other: sizes, strides and offsets
/// that both know are the same.
pub fn cast_compatible(ctx: &Context, a: Type, b: Type) -> bool {
    if a.element(ctx) != b.element(ctx) || memory_space(ctx, a) != memory_space(ctx, b) {
        return false;
    }
    let agree = |x: &[i64], y: &[i64]| {
        x.len() == y.len()
            && x.iter()
                .zip(y)
                .all(|(x, y)| *x == DYNAMIC || *y == DYNAMIC || x == y)
    };
    match (a.data(ctx), b.data(ctx)) {
        (
            TypeData::MemRef {
                shape: sa,
                layout: la,
                ..
            },
            TypeData::MemRef {
                shape: sb,
                layout: lb,
                ..
            },
        ) => {
            if la != lb {
                let (Some(x), Some(y)) = (strides_and_offset(ctx, a), strides_and_offset(ctx, b))
                else {
                    return false;
                };
                if !agree(&[x.offset], &[y.offset]) || !agree(&x.strides, &y.strides) {
                    return false;
                }
            }
            agree(sa, sb)
        }
        (TypeData::MemRef { .. }, TypeData::UnrankedMemRef { .. })
        | (TypeData::UnrankedMemRef { .. }, TypeData::MemRef { .. }) => true,
        _ => false,
    }
}

/// Whether a cast from `from` to `to` only forgets static facts, so that an op on its
/// result works as well on its source.
pub(crate) fn cast_forgets(ctx: &Context, from: Type, to: Type) -> bool {
    let (
        TypeData::MemRef {
            shape: sf,
            elem: ef,
            ..
        },
        TypeData::MemRef {
            shape: st,
            elem: et,
            ..
        },
    ) = (from.data(ctx), to.data(ctx))
    else {
        return false;
    };
    if ef != et || sf.len() != st.len() {
        return false;
    }
    let (Some(f), Some(t)) = (strides_and_offset(ctx, from), strides_and_offset(ctx, to)) else {
        return false;
    };
    let forgets = |f: &i64, t: &i64| f == t || *f != DYNAMIC || *t == DYNAMIC;
    sf.iter().zip(st).all(|(f, t)| forgets(f, t))
        && forgets(&f.offset, &t.offset)
        && f.strides.iter().zip(&t.strides).all(|(f, t)| forgets(f, t))
}
