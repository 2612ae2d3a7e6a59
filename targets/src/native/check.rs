//! Finds all ops of a module that have no native code before any is made.

use super::abi::{Repr, scalar};
use super::{cast, float, math, vector, view};
use terrace_dialects::builtin;
use terrace_ir::{Context, Loc, Op, Type, TypeData};

/// The rest of the sentence `'NAME' op ...` for an op without native code: what would
/// be right.
pub(super) fn advice(name: &str) -> String {
    let dialect = name.split('.').next().unwrap_or("");
    let how = match (dialect, name) {
        ("affine", _) => "run --lower-affine first",
        (_, terrace_dialects::scf::ForallOp::NAME) => "turn it into scf.parallel first",
        (_, terrace_dialects::gpu::LaunchOp::NAME) => "run --gpu-kernel-outlining first",
        ("gpu", _) => "it belongs into a kernel, inside a gpu.module",
        ("vector", _) => NO_VECTORS,
        ("linalg", _) => "run --convert-linalg-to-affine-loops first",
        ("tensor" | "bufferization", _) => "turn tensors into memrefs first",
        ("llvm" | "nvvm", _) => "give the program as it was before it was converted",
        (
            _,
            terrace_dialects::memref::DmaStartOp::NAME | terrace_dialects::memref::DmaWaitOp::NAME,
        ) => "use memref.copy",
        ("schedule", _) => "apply the schedule first",
        _ => "native code is made of func, cf, scf, arith, math, memref, and the host side of gpu",
    };
    format!("has no native code; {how}")
}

/// What to do about vectors that no instruction works on.
const NO_VECTORS: &str = "lower vector ops to scalar ones first";

/// The rest of the sentence `'NAME' op ...` for an op that has no native code on vectors.
pub(super) fn no_vectors(name: &str) -> String {
    match name.starts_with("vector.") {
        true => format!("has no native code; {NO_VECTORS}"),
        false => format!("has no native code on vectors; {NO_VECTORS}"),
    }
}

fn is_supported(name: &str) -> bool {
    let Some((dialect, rest)) = name.split_once('.') else {
        return false;
    };
    match dialect {
        "arith" => {
            cast::is_cast(rest)
                || float::is_float_op(rest)
                || matches!(
                    rest,
                    "addi"
                        | "addui_extended"
                        | "andi"
                        | "ceildivsi"
                        | "ceildivui"
                        | "cmpf"
                        | "cmpi"
                        | "constant"
                        | "divsi"
                        | "divui"
                        | "floordivsi"
                        | "maxsi"
                        | "maxui"
                        | "minsi"
                        | "minui"
                        | "muli"
                        | "mulsi_extended"
                        | "mului_extended"
                        | "ori"
                        | "remsi"
                        | "remui"
                        | "select"
                        | "shli"
                        | "shrsi"
                        | "shrui"
                        | "subi"
                        | "xori"
                )
        }
        "math" => math::is_supported(rest),
        "func" => matches!(rest, "call" | "call_indirect" | "constant" | "return"),
        "scf" => matches!(
            rest,
            "condition"
                | "execute_region"
                | "for"
                | "if"
                | "index_switch"
                | "parallel"
                | "reduce"
                | "reduce.return"
                | "while"
                | "yield"
        ),
        "cf" => matches!(rest, "assert" | "br" | "cond_br" | "switch"),
        "memref" => {
            view::is_view(rest)
                || matches!(
                    rest,
                    "alloc"
                        | "alloca"
                        | "alloca_scope"
                        | "alloca_scope.return"
                        | "atomic_rmw"
                        | "atomic_yield"
                        | "copy"
                        | "dealloc"
                        | "generic_atomic_rmw"
                        | "get_global"
                        | "load"
                        | "prefetch"
                        | "realloc"
                        | "store"
                )
        }
        "gpu" => matches!(
            rest,
            "alloc" | "dealloc" | "launch_func" | "memcpy" | "memset" | "wait"
        ),
        "xfer" => {
            matches!(
                rest,
                "alloc" | "copy" | "free" | "note_work" | "profiled" | "wait"
            ) || super::data::is_data_op(rest)
        }
        "rows" => rest == "row",
        "vector" => vector::is_supported(rest),
        "builtin" => rest == "unrealized_conversion_cast",
        _ => false,
    }
}

/// Errors for what in `module` has no native code, in the order of the text.
pub(super) fn module(ctx: &Context, module: Op) -> Vec<(Loc, String)> {
    let mut errors = Vec::new();
    for region in module.regions(ctx) {
        for block in region.blocks(ctx) {
            for op in block.ops(ctx) {
                match op.name(ctx) {
                    terrace_dialects::func::FuncOp::NAME => function(ctx, op, &mut errors),
                    // Code for the device, and declarations.
                    terrace_dialects::gpu::ModuleOp::NAME
                    | "gpu.binary"
                    | terrace_dialects::memref::GlobalOp::NAME => {}
                    builtin::ModuleOp::NAME => report(
                        ctx,
                        op,
                        "is inside another module; compile each on its own".into(),
                        &mut errors,
                    ),
                    name => report(ctx, op, advice(name), &mut errors),
                }
            }
        }
    }
    errors
}

fn report(ctx: &Context, op: Op, message: String, errors: &mut Vec<(Loc, String)>) {
    errors.push((op.loc(ctx), format!("'{}' op {message}", op.name(ctx))));
}

fn function(ctx: &Context, func: Op, errors: &mut Vec<(Loc, String)>) {
    // The types of a declaration stand in its type only.
    let signature = func.attr(ctx, "function_type").and_then(|a| a.as_type(ctx));
    if let Some((inputs, results)) = signature.and_then(|t| t.function_parts(ctx)) {
        let bad = inputs
            .iter()
            .chain(results)
            .find_map(|t| match Repr::of(ctx, *t) {
                Ok(Repr::Vector(_)) => Some("takes or gives vectors; pass them in memory".into()),
                Ok(_) => None,
                Err(m) => Some(m),
            });
        if let Some(m) = bad {
            report(ctx, func, m, errors);
            return;
        }
    }
    if let Some(m) = carried_mask(ctx, func) {
        report(ctx, func, m, errors);
    }
    let mut next: Vec<Op> = vec![];
    func.walk(ctx, &mut |op| {
        if op != func {
            next.push(op);
        }
    });
    for op in next {
        let name = op.name(ctx);
        if !is_supported(name) {
            report(ctx, op, advice(name), errors);
            continue;
        }
        if let Some(m) = bad_type(ctx, op) {
            report(ctx, op, m, errors);
        }
    }
}

/// Why an op with regions cannot be compiled that hands masks from block to block: they are as
/// wide as what was compared, which their type does not tell.
fn carried_mask(ctx: &Context, op: Op) -> Option<String> {
    let regions = op.regions(ctx);
    let blocks = regions.iter().flat_map(|r| r.blocks(ctx));
    let mut types: Vec<Type> = blocks.flat_map(|b| b.arg_types(ctx)).collect();
    if !regions.is_empty() {
        types.extend(op.result_types(ctx));
    }
    let is_mask = |t: &Type| t.is_vector(ctx) && t.element(ctx) == Some(ctx.i1());
    types.iter().any(is_mask).then(|| {
        "carries a vector of truth values, which does not leave its block; carry numbers and \
         compare them there"
            .into()
    })
}

/// Why a result, a block argument or an operand of `op` cannot be held.
fn bad_type(ctx: &Context, op: Op) -> Option<String> {
    let mut types = op.result_types(ctx);
    for r in op.regions(ctx) {
        for b in r.blocks(ctx) {
            types.extend(b.arg_types(ctx));
        }
    }
    if let Some(m) = carried_mask(ctx, op) {
        return Some(m);
    }
    for v in op.operands(ctx) {
        types.push(v.ty(ctx));
    }
    if op.name(ctx).starts_with("arith.") || op.name(ctx).starts_with("math.") {
        // Casts of memrefs of integers are allowed upstream; here only numbers are.
        let memref = types
            .iter()
            .any(|t| matches!(t.data(ctx), TypeData::MemRef { .. }));
        if memref && op.name(ctx) != terrace_dialects::arith::SelectOp::NAME {
            return types.iter().find_map(|t| scalar(ctx, *t).err());
        }
    }
    types.into_iter().find_map(|t| Repr::of(ctx, t).err())
}
