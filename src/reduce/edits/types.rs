//! Types: changed in the whole module at once, so that it stays consistent.

use super::Pick;
use super::numbers::smaller;
use crate::ir::types::DYNAMIC;
use crate::ir::{Attr, AttrData, Context, DenseData, Op, Type, TypeData};

/// What becomes of types and attributes, the inner ones first; none to leave one.
pub struct Change<'c> {
    pub ty: &'c dyn Fn(&Context, Type) -> Option<Type>,
    pub attr: &'c dyn Fn(&Context, Attr) -> Option<Attr>,
}

/// Every type in the module, also inside of others and of attributes, each once, in the
/// order in which they are met.
pub fn all(ctx: &Context, module: Op) -> Vec<Type> {
    let found = std::cell::RefCell::new(Vec::new());
    let see = |_: &Context, ty: Type| {
        let mut found = found.borrow_mut();
        if !found.contains(&ty) {
            found.push(ty);
        }
        None
    };
    let change = Change {
        ty: &see,
        attr: &|_, _| None,
    };
    walk(ctx, module, &change, false);
    found.into_inner()
}

/// Changes types and attributes everywhere.
pub fn change(ctx: &Context, module: Op, change: &Change) {
    walk(ctx, module, change, true);
}

fn walk(ctx: &Context, module: Op, change: &Change, set: bool) {
    for op in module.pre_order(ctx) {
        let blocks = op.blocks(ctx).into_iter();
        let arguments = blocks.flat_map(|b| b.args(ctx));
        for value in op.results(ctx).into_iter().chain(arguments) {
            let ty = value.ty(ctx);
            let new = in_type(ctx, ty, change);
            if set && new != ty {
                value.set_type(ctx, new);
            }
        }
        for (name, attr) in op.attrs(ctx) {
            let new = in_attr(ctx, attr, change);
            if set && new != attr {
                op.set_attr(ctx, ctx.str(name), new);
            }
        }
    }
}

fn in_type(ctx: &Context, ty: Type, c: &Change) -> Type {
    let mut data = ty.data(ctx).clone();
    match &mut data {
        TypeData::Complex(t) | TypeData::UnrankedTensor(t) => *t = in_type(ctx, *t, c),
        TypeData::Function { inputs, results } => {
            for t in inputs.iter_mut().chain(results) {
                *t = in_type(ctx, *t, c);
            }
        }
        TypeData::Tuple(all) => {
            for t in all {
                *t = in_type(ctx, *t, c);
            }
        }
        TypeData::Vector { elem, .. }
        | TypeData::Tensor { elem, .. }
        | TypeData::MemRef { elem, .. }
        | TypeData::UnrankedMemRef { elem, .. } => *elem = in_type(ctx, *elem, c),
        TypeData::Dialect { params, .. } => {
            for a in params {
                *a = in_attr(ctx, *a, c);
            }
        }
        _ => {}
    }
    let inner = if data == *ty.data(ctx) {
        ty
    } else {
        ctx.ty(data)
    };
    (c.ty)(ctx, inner).unwrap_or(inner)
}

fn in_attr(ctx: &Context, attr: Attr, c: &Change) -> Attr {
    let mut data = attr.data(ctx).clone();
    match &mut data {
        AttrData::Type(t) => *t = in_type(ctx, *t, c),
        AttrData::Array(all) | AttrData::Dialect { params: all, .. } => {
            for a in all {
                *a = in_attr(ctx, *a, c);
            }
        }
        AttrData::Dict(all) => {
            for (_, a) in all {
                *a = in_attr(ctx, *a, c);
            }
        }
        AttrData::Dense { ty, data } => {
            let new = in_type(ctx, *ty, c);
            cut(ctx, *ty, new, data);
            *ty = new;
        }
        _ => {}
    }
    let inner = if data == *attr.data(ctx) {
        attr
    } else {
        ctx.attr(data)
    };
    (c.attr)(ctx, inner).unwrap_or(inner)
}

/// The first elements, as many as the new type has.
fn cut(ctx: &Context, old: Type, new: Type, data: &mut DenseData) {
    if let DenseData::Raw {
        splat: false,
        bytes,
    } = data
        && let (Some(n), Some(m)) = (old.num_elements(ctx), new.num_elements(ctx))
        && let (Ok(n), Ok(m)) = (usize::try_from(n), usize::try_from(m))
        && let Some(size) = bytes.len().checked_div(n)
        && let Some(first) = bytes.get(..size * m)
    {
        *bytes = first.into();
    }
}

/// The type with another shape, where it has one.
pub fn with_shape(ctx: &Context, ty: Type, f: impl FnOnce(&mut [i64])) -> Option<Type> {
    let mut data = ty.data(ctx).clone();
    match &mut data {
        TypeData::Vector { shape, .. }
        | TypeData::Tensor { shape, .. }
        | TypeData::MemRef { shape, .. } => f(shape),
        _ => return None,
    }
    Some(ctx.ty(data))
}

/// One type everywhere, by one with a smaller size, without its layout or memory space.
pub fn shrink(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for ty in all(ctx, module) {
        for simpler in simpler(ctx, ty) {
            if pick.wants() {
                let put = |_: &Context, t| (t == ty).then_some(simpler);
                let whole = Change {
                    ty: &put,
                    attr: &|_, _| None,
                };
                change(ctx, module, &whole);
                break;
            }
        }
    }
}

fn simpler(ctx: &Context, ty: Type) -> Vec<Type> {
    let mut found = Vec::new();
    if let TypeData::MemRef {
        shape,
        elem,
        layout,
        space,
    } = ty.data(ctx)
    {
        for (layout, space) in [(None, None), (None, *space), (*layout, None)] {
            let (shape, elem) = (shape.clone(), *elem);
            found.push(ctx.ty(TypeData::MemRef {
                shape,
                elem,
                layout,
                space,
            }));
        }
    }
    let shape = ty.shape(ctx).unwrap_or_default();
    for (i, size) in shape.iter().enumerate() {
        if *size != DYNAMIC {
            for less in smaller(*size).filter(|s| *s > 0) {
                found.extend(with_shape(ctx, ty, |s| s[i] = less));
            }
        }
    }
    found.retain(|t| *t != ty);
    found.dedup();
    found
}
