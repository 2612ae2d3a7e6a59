//! Symbol references inside attributes and types, at any depth.

use crate::attr::{Attr, AttrData};
use crate::context::Context;
use crate::types::{Type, TypeData};

/// Call `f` with every symbol reference in `attr`.
pub fn symbol_refs(ctx: &Context, attr: Attr, f: &mut dyn FnMut(Attr)) {
    match attr.data(ctx) {
        AttrData::SymbolRef(_) => f(attr),
        AttrData::Array(v) | AttrData::Dialect { params: v, .. } => {
            v.iter().for_each(|a| symbol_refs(ctx, *a, f));
        }
        AttrData::Dict(v) => v.iter().for_each(|(_, a)| symbol_refs(ctx, *a, f)),
        AttrData::Type(t) => type_refs(ctx, *t, f),
        AttrData::Distinct { value, .. } => symbol_refs(ctx, *value, f),
        _ => {}
    }
}

fn type_refs(ctx: &Context, ty: Type, f: &mut dyn FnMut(Attr)) {
    match ty.data(ctx) {
        TypeData::Complex(t) | TypeData::UnrankedTensor(t) => type_refs(ctx, *t, f),
        TypeData::Vector { elem, .. } => type_refs(ctx, *elem, f),
        TypeData::Function { inputs, results } => {
            inputs
                .iter()
                .chain(results)
                .for_each(|t| type_refs(ctx, *t, f));
        }
        TypeData::Tuple(v) => v.iter().for_each(|t| type_refs(ctx, *t, f)),
        TypeData::Tensor {
            elem, encoding: a, ..
        }
        | TypeData::UnrankedMemRef { elem, space: a } => {
            type_refs(ctx, *elem, f);
            a.iter().for_each(|a| symbol_refs(ctx, *a, f));
        }
        TypeData::MemRef {
            elem,
            layout,
            space,
            ..
        } => {
            type_refs(ctx, *elem, f);
            layout
                .iter()
                .chain(space)
                .for_each(|a| symbol_refs(ctx, *a, f));
        }
        TypeData::Dialect { params, .. } => {
            params.iter().for_each(|a| symbol_refs(ctx, *a, f));
        }
        _ => {}
    }
}

/// `attr` with every attribute inside it (itself first) for which `f` has a
/// replacement replaced. Types are left as they are.
pub fn replace_in_attr(ctx: &Context, attr: Attr, f: &dyn Fn(Attr) -> Option<Attr>) -> Attr {
    if let Some(new) = f(attr) {
        return new;
    }
    let list = |v: &[Attr]| -> Option<Vec<Attr>> {
        let new: Vec<Attr> = v.iter().map(|a| replace_in_attr(ctx, *a, f)).collect();
        (new != v).then_some(new)
    };
    match attr.data(ctx) {
        AttrData::Array(v) => list(v).map_or(attr, |v| ctx.attr(AttrData::Array(v))),
        AttrData::Dialect {
            dialect,
            mnemonic,
            params,
        } => list(params).map_or(attr, |params| {
            ctx.attr(AttrData::Dialect {
                dialect,
                mnemonic,
                params,
            })
        }),
        AttrData::Dict(v) => {
            let new: Vec<_> = v
                .iter()
                .map(|(k, a)| (*k, replace_in_attr(ctx, *a, f)))
                .collect();
            if new == *v {
                attr
            } else {
                ctx.attr(AttrData::Dict(new))
            }
        }
        _ => attr,
    }
}
