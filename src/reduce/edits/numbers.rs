//! Numbers: constants, steps, and sizes in all places at once.

use super::types::{self, Change};
use super::{Pick, backwards};
use crate::ir::affine::{AffineExpr, AffineMap, Constraint, IntegerSet};
use crate::ir::num::Float;
use crate::ir::types::DYNAMIC;
use crate::ir::{Attr, AttrData, Context, DenseData, Op};
use std::collections::BTreeSet;

/// Numbers nearer to zero than `v`, the nearest first.
pub fn smaller(v: i64) -> impl Iterator<Item = i64> {
    let less = |by: u32| v - (v >> by);
    let steps = (2..63).map(less).take_while(move |s| *s != v);
    let last = (v != 0).then(|| v - v.signum());
    let mut all: Vec<i64> = [0, 1, v / 2].into_iter().chain(steps).chain(last).collect();
    all.retain(|s| s.unsigned_abs() < v.unsigned_abs());
    let mut seen = BTreeSet::new();
    all.retain(|s| seen.insert(*s));
    all.into_iter()
}

/// Integers and floats of attributes, of constants above all.
pub fn shrink(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for op in backwards(ctx, module) {
        for (name, attr) in op.attrs(ctx) {
            let name = ctx.str(name).to_string();
            if let Some(less) = less(ctx, attr, pick) {
                op.set_attr(ctx, &name, less);
            }
        }
    }
}

fn less(ctx: &Context, attr: Attr, pick: &mut Pick) -> Option<Attr> {
    match attr.data(ctx) {
        AttrData::Integer { ty, value } => {
            // One that does not fit has no neighbours, but there is zero.
            let v = attr
                .as_i64(ctx)
                .unwrap_or(if value.is_zero() { 0 } else { 1 });
            let found = smaller(v).find(|_| pick.wants())?;
            Some(ctx.int_attr(*ty, found))
        }
        AttrData::Float { ty, value } => {
            let v = value.to_f64();
            let kind = value.kind();
            let simple = [0.0, 1.0, v.trunc(), (v / 2.0).trunc()].into_iter();
            let mut simple = simple.filter(|s| {
                let s = Float::from_f64(kind, *s);
                !s.is_nan() && s.to_bits() != value.to_bits()
            });
            let found = simple.find(|_| pick.wants())?;
            Some(ctx.float_attr(*ty, found))
        }
        AttrData::Dense {
            ty,
            data: DenseData::Raw { splat, bytes },
        } => {
            let n = ty.num_elements(ctx).and_then(|n| usize::try_from(n).ok())?;
            let size = if *splat {
                bytes.len()
            } else {
                bytes.len().checked_div(n)?
            };
            let first = bytes.get(..size)?.to_vec();
            let zero = vec![0; size];
            let found = [zero, first]
                .into_iter()
                .find(|b| (!*splat || **b != **bytes) && pick.wants())?;
            let data = DenseData::Raw {
                splat: true,
                bytes: found.into(),
            };
            Some(ctx.attr(AttrData::Dense { ty: *ty, data }))
        }
        _ => None,
    }
}

/// A size that types have, in all types, maps, sets and integers.
pub fn shrink_everywhere(ctx: &mut Context, module: Op, pick: &mut Pick) {
    let mut sizes = BTreeSet::new();
    for ty in types::all(ctx, module) {
        let shape = ty.shape(ctx).unwrap_or_default();
        sizes.extend(shape.iter().filter(|d| **d != DYNAMIC && **d > 1));
    }
    for size in sizes.into_iter().rev() {
        for less in smaller(size).filter(|s| *s > 0) {
            if pick.wants() {
                put(ctx, module, size, less);
                break;
            }
        }
    }
}

fn put(ctx: &mut Context, module: Op, size: i64, less: i64) {
    let number = |n: i64| if n == size { less } else { n };
    let ty = |ctx: &Context, ty| {
        types::with_shape(ctx, ty, |shape| {
            for d in shape {
                *d = number(*d);
            }
        })
    };
    let attr = |ctx: &Context, attr: Attr| match attr.data(ctx) {
        AttrData::Integer { ty, .. } if attr.as_i64(ctx) == Some(size) => {
            Some(ctx.int_attr(*ty, less))
        }
        AttrData::AffineMap(m) => {
            let results = m.results().iter().map(|e| in_expr(e, &number));
            let (dims, symbols) = (m.num_dims(), m.num_symbols());
            Some(ctx.map_attr(AffineMap::new(dims, symbols, results.collect())))
        }
        AttrData::IntegerSet(s) => {
            let all = s.constraints().iter().map(|c| Constraint {
                expr: in_expr(&c.expr, &number),
                is_eq: c.is_eq,
            });
            let (dims, symbols) = (s.num_dims(), s.num_symbols());
            Some(ctx.set_attr(IntegerSet::new(dims, symbols, all.collect())))
        }
        AttrData::DenseArray { elem, .. } if *elem == ctx.i64() => {
            let list = attr.as_i64_array(ctx)?;
            Some(ctx.i64_array(&list.into_iter().map(number).collect::<Vec<_>>()))
        }
        _ => None,
    };
    types::change(
        ctx,
        module,
        &Change {
            ty: &ty,
            attr: &attr,
        },
    );
}

fn in_expr(e: &AffineExpr, number: &dyn Fn(i64) -> i64) -> AffineExpr {
    match e {
        AffineExpr::Constant(c) => AffineExpr::Constant(number(*c)),
        AffineExpr::Dim(_) | AffineExpr::Symbol(_) => e.clone(),
        AffineExpr::Binary(b) => {
            AffineExpr::binary(b.op(), in_expr(b.lhs(), number), in_expr(b.rhs(), number))
        }
    }
}
