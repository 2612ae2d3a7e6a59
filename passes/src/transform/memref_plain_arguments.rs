//! `memref-plain-arguments`: arrays among the arguments of functions lie in row-major order.
//!
//! ```text
//! func.func @f(%a: memref<?x4xf32, strided<[?, 1], offset: ?>>)  =>  func.func @f(%a: memref<?x4xf32>)
//! ```
//!
//! Legal where whoever calls the function passes such arrays: `terrace run` does, whose arguments
//! are values. So only functions are changed that others may call, and that nothing in the module
//! refers to. Accesses say subscripts, and mean the same elements. What else uses an argument gets it
//! cast to its old type; where no cast may do that, because the old type tells other strides, the
//! argument stays as it is.

use terrace_dialects::memref::layout::{cast_compatible, has_identity_layout, strides_and_offset};
use terrace_dialects::memref::{self, CastOp};
use terrace_dialects::{affine, builtin, func, vector};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::symbols::symbol_is_used;
use terrace_ir::{Builder, Context, Op, OpKind, Type, TypeData, Value};

/// The pass.
pub static INFO: PassInfo = PassInfo {
    name: "memref-plain-arguments",
    title: "MemRefPlainArguments",
    summary: "Let arrays that functions are called with lie in row-major order",
    description: "Takes the layouts from the memrefs among the arguments of public functions that nothing in the module refers to.",
    anchor: Some(builtin::ModuleOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-arguments",
        "Number of arguments whose layout is taken away",
    )],
    make: |_| Ok(Box::new(PlainArguments)),
    ..PassInfo::EMPTY
};

struct PlainArguments;

impl Pass for PlainArguments {
    fn run(&mut self, ctx: &mut PassContext, module: Op) -> PassResult {
        let mut changed = 0;
        for op in module.body(ctx, 0).ops(ctx) {
            let Some(f) = op.cast::<func::FuncOp>(ctx) else {
                continue;
            };
            if f.is_private(ctx) || f.is_declaration(ctx) || symbol_is_used(ctx, op, module) {
                continue;
            }
            changed += plain_arguments(ctx, f);
        }
        ctx.count("num-arguments", changed);
        Ok(())
    }
}

/// Takes layouts from the arguments of a function; gives how many.
fn plain_arguments(ctx: &mut Context, f: func::FuncOp) -> u64 {
    let entry = f.entry(ctx);
    let mut changed = 0;
    for v in entry.args(ctx) {
        let old = v.ty(ctx);
        let Some(new) = plain(ctx, old) else { continue };
        let others: Vec<Op> = (v.users(ctx).into_iter())
            .filter(|u| !is_access(ctx, *u, v))
            .collect();
        if !others.is_empty() && !cast_compatible(ctx, new, old) {
            continue;
        }
        v.set_type(ctx, new);
        if !others.is_empty() {
            let loc = v.loc(ctx);
            let cast = Builder::at_start(ctx, entry, loc).value::<CastOp>(&[v], old, &[]);
            v.replace_uses_if(ctx, cast, |u| others.contains(&u.op));
        }
        changed += 1;
    }
    if changed > 0 {
        let inputs: Vec<Type> = entry.args(ctx).iter().map(|a| a.ty(ctx)).collect();
        let results = f.results(ctx).to_vec();
        let ty = ctx.function_type(&inputs, &results);
        let ty = ctx.type_attr(ty);
        f.op().set_attr(ctx, "function_type", ty);
    }
    changed
}

/// The type of the same array without its layout; `None` where it has none, or one that strides do
/// not tell.
fn plain(ctx: &Context, ty: Type) -> Option<Type> {
    let TypeData::MemRef {
        shape, elem, space, ..
    } = ty.data(ctx)
    else {
        return None;
    };
    if has_identity_layout(ctx, ty) || strides_and_offset(ctx, ty).is_none() {
        return None;
    }
    Some(ctx.ty(TypeData::MemRef {
        shape: shape.clone(),
        elem: *elem,
        layout: None,
        space: *space,
    }))
}

/// Whether an op only reads or writes elements of a memref, by subscripts, or asks for its sizes.
fn is_access(ctx: &Context, op: Op, v: Value) -> bool {
    let loads = op.isa::<affine::LoadOp>(ctx)
        || op.isa::<memref::LoadOp>(ctx)
        || op.isa::<memref::DimOp>(ctx)
        || op.isa::<affine::VectorLoadOp>(ctx)
        || op.isa::<vector::TransferReadOp>(ctx);
    let stores = op.isa::<affine::StoreOp>(ctx)
        || op.isa::<memref::StoreOp>(ctx)
        || op.isa::<affine::VectorStoreOp>(ctx)
        || op.isa::<vector::TransferWriteOp>(ctx);
    let copies = op.isa::<memref::CopyOp>(ctx);
    (loads && op.operand(ctx, 0) == v)
        || (stores && op.operand(ctx, 1) == v && op.operand(ctx, 0) != v)
        || copies
}
