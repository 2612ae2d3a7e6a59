//! Symbol references inside attributes and types, at any depth.

use crate::attr::{Attr, AttrData};
use crate::context::Context;
use crate::types::{Type, TypeData};

/// Call `f` with every symbol reference in `attr`.
pub(crate) fn symbol_refs(ctx: &Context, attr: Attr, f: &mut dyn FnMut(Attr)) {
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
