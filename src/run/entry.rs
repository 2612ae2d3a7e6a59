//! The function that a run starts in, and its parameters.

use super::RunError;
use super::executor::Program;
use crate::dialects::attributes::{
    ACC_REGION, TERRACE_DIMS, TERRACE_FLOPS, TERRACE_INIT, TERRACE_NAME, TERRACE_SHAPE,
};
use crate::dialects::func::FuncOp;
use crate::dialects::function::arg_attr;
use crate::dialects::memref::layout::{Strides, has_identity_layout, strides_and_offset};
use crate::dialects::upstream;
use crate::ir::affine::AffineMap;
use crate::ir::types::DYNAMIC;
use crate::ir::{Context, Op, OpKind, Type, TypeData};
use crate::runtime::dtype::DType;

/// A parameter of the entry function.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// From `terrace.name`, or as the source has it, or the position.
    pub name: String,
    /// What it takes.
    pub kind: ParamKind,
    /// The `terrace.init` attribute: an argument for when none is given.
    pub init: Option<String>,
    /// The `terrace.shape` attribute: the sizes of an array by the first parameters.
    pub sizes: Option<AffineMap>,
    /// Where the elements of an array are to lie, unless that is in row-major order without gaps.
    pub layout: Option<Strides>,
}

#[derive(Debug, Clone, PartialEq)]
/// What a parameter takes: a number or an array.
pub enum ParamKind {
    /// A number of this type.
    Scalar(DType),
    /// A `memref` in memory of the host.
    Array {
        /// The type of its elements.
        dtype: DType,
        /// The size of each dimension, outermost first; `None` where the size is open.
        shape: Vec<Option<usize>>,
        /// The names of its sizes, outermost first, from `terrace.dims`; empty without it.
        dims: Vec<String>,
    },
}

/// The words behind the address of an array in row-major order: its sizes that the type leaves open,
/// and then the strides that are open for that.
pub(crate) fn open_words(shape: &[Option<usize>], sizes: &[usize]) -> impl Iterator<Item = u64> {
    let open = shape.iter().zip(sizes).filter(|(d, _)| d.is_none());
    let inside = (1..shape.len()).filter(|k| shape[*k..].contains(&None));
    // A product that no memory has elements for is that of an empty array.
    let stride = |k: usize| sizes[k..].iter().fold(1usize, |n, s| n.wrapping_mul(*s));
    open.map(|(_, n)| *n as u64)
        .chain(inside.map(move |k| stride(k) as u64))
}

/// The entry function as the run sees it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The function's symbol, without `@`.
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// What it returns, in order: numbers and arrays.
    pub results: Vec<ParamKind>,
    /// The operation count as a formula over dimension and scalar names.
    pub flops: Option<String>,
}

/// The element type of a scalar type that can cross the boundary.
fn dtype_of(ctx: &Context, t: Type) -> Option<DType> {
    match t.data(ctx) {
        TypeData::Index => Some(DType::Index),
        TypeData::Integer { .. } | TypeData::Float(_) => DType::parse(&ctx.type_text(t)),
        _ => None,
    }
}

/// What a value of a type is outside of the program, and the layout of an array that does not lie in
/// row-major order without gaps. `None` for what cannot be passed or returned.
fn kind_of(ctx: &Context, t: Type) -> Option<(ParamKind, Option<Strides>)> {
    let TypeData::MemRef {
        shape, elem, space, ..
    } = t.data(ctx)
    else {
        return dtype_of(ctx, t).map(|d| (ParamKind::Scalar(d), None));
    };
    // Space 0 is the memory that there is without one.
    if space.is_some_and(|s| s.as_i64(ctx) != Some(0)) {
        return None;
    }
    let strides = strides_and_offset(ctx, t)?;
    let plain = has_identity_layout(ctx, t);
    // What symbols of a map have in common would be lost.
    if !plain && layout_is_map_with_symbols(ctx, t) {
        return None;
    }
    let size = |d: &i64| (*d != DYNAMIC).then_some(*d as usize);
    let kind = ParamKind::Array {
        dtype: dtype_of(ctx, *elem)?,
        shape: shape.iter().map(size).collect(),
        dims: Vec::new(),
    };
    Some((kind, (!plain).then_some(strides)))
}

fn layout_is_map_with_symbols(ctx: &Context, t: Type) -> bool {
    let TypeData::MemRef {
        layout: Some(layout),
        ..
    } = t.data(ctx)
    else {
        return false;
    };
    layout.as_map(ctx).is_some_and(|m| m.num_symbols() > 0)
}

/// What to do about tensors, which have no memory.
fn of_tensors(ctx: &Context, t: Type) -> String {
    match t.data(ctx) {
        TypeData::Tensor { .. } => format!("; {}", upstream::TENSORS_TO_MEMORY),
        _ => String::new(),
    }
}

/// All functions with a body that other programs may call.
pub fn public_functions(ctx: &Context, module: Op) -> Vec<FuncOp> {
    let body = module.body(ctx, 0);
    let funcs = body
        .ops(ctx)
        .into_iter()
        .filter_map(|op| op.cast::<FuncOp>(ctx));
    funcs
        .filter(|f| !f.is_private(ctx) && !f.is_declaration(ctx))
        .collect()
}

impl Entry {
    /// Nothing, where all arrays lie in row-major order without gaps.
    ///
    /// # Errors
    ///
    /// Which do not, for callers that pass no others.
    pub(crate) fn without_layouts(&self) -> Result<(), String> {
        match self.params.iter().find(|p| p.layout.is_some()) {
            None => Ok(()),
            Some(p) => Err(format!(
                "parameter {} of @{} is an array with a layout; expected one whose elements lie in row-major order without gaps",
                p.name, self.name
            )),
        }
    }

    /// The function of this name as `program` has it: arguments are checked against what
    /// stands there, whatever an entry was made of or from.
    ///
    /// # Errors
    ///
    /// As [`Entry::find`].
    pub(crate) fn of(&self, program: &Program) -> Result<Entry, RunError> {
        program.callable(Some(&self.name))
    }

    /// Gives parameters without a name the one that the source has for them, as C's have.
    pub(crate) fn name_as_written(&mut self, ctx: &Context, module: Op) {
        let all = public_functions(ctx, module);
        let Some(f) = all.iter().find(|f| f.name(ctx) == self.name) else {
            return;
        };
        let entry = f.op().body(ctx, 0);
        for (i, p) in self.params.iter_mut().enumerate() {
            if p.name == i.to_string()
                && let Some(name) = entry.arg_loc(ctx, i).name(ctx)
            {
                p.name = name.to_string();
            }
        }
    }

    /// The function called `name`, or the first public one.
    ///
    /// # Errors
    ///
    /// Which functions there are, or which parameter cannot be passed from outside.
    pub fn find(ctx: &Context, module: Op, name: Option<&str>) -> Result<Entry, String> {
        let all = public_functions(ctx, module);
        let f = match name {
            Some(n) => all
                .iter()
                .find(|f| f.name(ctx) == n.trim_start_matches('@')),
            // A region is part of the function around it, which is what a program calls.
            None => {
                let whole = |f: &&FuncOp| f.op().attr(ctx, ACC_REGION).is_none();
                all.iter().find(whole).or(all.first())
            }
        };
        let Some(f) = f else {
            let names: Vec<String> = all.iter().map(|f| format!("@{}", f.name(ctx))).collect();
            return Err(match (name, names.is_empty()) {
                (_, true) => "the program has no public function with a body to run".to_string(),
                (n, false) => format!(
                    "no function '@{}' to run; there is {}",
                    n.unwrap_or("").trim_start_matches('@'),
                    names.join(", ")
                ),
            });
        };
        let mut params = Vec::new();
        for (i, t) in f.inputs(ctx).iter().enumerate() {
            params.push(param(ctx, *f, i, *t)?);
        }
        let mut results = Vec::new();
        for (i, t) in f.results(ctx).iter().enumerate() {
            let Some((kind, _)) = kind_of(ctx, *t) else {
                return Err(format!(
                    "result {i} of @{} has type '{}', which cannot be returned from a run: expected a number or a memref of numbers in memory of the host, its layout strides and an offset{}",
                    f.name(ctx),
                    ctx.type_text(*t),
                    of_tensors(ctx, *t)
                ));
            };
            results.push(kind);
        }
        let flops = f.op().str_attr(ctx, TERRACE_FLOPS).map(str::to_string);
        Ok(Entry {
            name: f.name(ctx).to_string(),
            params,
            results,
            flops,
        })
    }
}

fn param(ctx: &Context, f: FuncOp, i: usize, t: Type) -> Result<Param, String> {
    let text = |name: &str| {
        arg_attr(ctx, f.op(), i, name)
            .and_then(|a| a.as_str(ctx))
            .map(str::to_string)
    };
    let name = text(TERRACE_NAME).unwrap_or_else(|| i.to_string());
    let unusable = || {
        format!(
            "parameter {name} of @{} has type '{}', which cannot be passed to a run: expected a number or a memref of numbers in memory of the host, its layout strides and an offset{}",
            f.name(ctx),
            ctx.type_text(t),
            of_tensors(ctx, t)
        )
    };
    let (mut kind, layout) = kind_of(ctx, t).ok_or_else(unusable)?;
    if let ParamKind::Array { dims, .. } = &mut kind {
        let named = arg_attr(ctx, f.op(), i, TERRACE_DIMS).and_then(|a| a.as_array(ctx));
        let named = named.map(|v| v.iter().filter_map(|a| a.as_str(ctx).map(str::to_string)));
        *dims = named.map(Iterator::collect).unwrap_or_default();
    }
    Ok(Param {
        name,
        kind,
        init: text(TERRACE_INIT),
        sizes: arg_attr(ctx, f.op(), i, TERRACE_SHAPE).and_then(|a| a.as_map(ctx).cloned()),
        layout,
    })
}
