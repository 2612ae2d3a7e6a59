//! `gpu-kernel-outlining`: the body of each `gpu.launch` becomes a kernel in a
//! `gpu.module` of its own, and the launch a `gpu.launch_func`.
//!
//! Always legal: what the body captures becomes the kernel's parameters, and the
//! functions it calls are copied into the kernel's module.
//!
//! ```text
//! func.func @f(%x: f32) {                    module attributes {gpu.container_module} {
//!   gpu.launch ... { use(%x) }         =>      func.func @f(%x: f32) {
//! }                                              gpu.launch_func @f_kernel::@f_kernel ... args(%x : f32)
//!                                              }
//!                                              gpu.module @f_kernel {
//!                                                gpu.func @f_kernel(%x: f32) kernel { use(%x) }
//!                                              }
//!                                            }
//! ```

use crate::analysis::captured::captured;
use terrace_dialects::attributes::{GPU_NEST, NVVM_MAXNREG, NVVM_MAXNTID};
use terrace_dialects::builtin;
use terrace_dialects::gpu;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::opdef::traits;
use terrace_ir::pass::{OptionInfo, Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::symbols::{SymbolTable, op_symbol_refs};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "gpu-kernel-outlining",
    title: "GpuKernelOutliningPass",
    summary: "Outline gpu.launch bodies to kernel functions",
    description: "Makes a kernel function of each launch body, in a module of its own behind the function with the launch.",
    anchor: Some(builtin::ModuleOp::NAME),
    options: &[OptionInfo::flag(
        "unique-kernel-names",
        "Name each kernel like its module, whose name is unique, so that kernels of several modules can be linked",
    )],
    statistics: &[StatisticInfo::new("num-kernels", "Number of kernels made")],
    make: |o| {
        Ok(Box::new(Outlining {
            unique_names: o.bool("unique-kernel-names"),
        }))
    },
};

struct Outlining {
    unique_names: bool,
}

impl Pass for Outlining {
    fn run(&mut self, ctx: &mut PassContext, module: Op) -> PassResult {
        let mut table = SymbolTable::new(ctx, module);
        let mut made = 0;
        for f in module.body(ctx, 0).ops(ctx) {
            let is_function = f.has_trait(ctx, traits::FUNCTION_LIKE);
            if !is_function {
                continue;
            }
            // Kernels stand behind the function, in the order of their launches.
            let mut behind = f;
            for l in f.find_all::<gpu::LaunchOp>(ctx) {
                behind = outline(ctx, f, l, &mut table, behind, self.unique_names);
                made += 1;
            }
        }
        if made > 0 {
            let unit = ctx.unit();
            module.set_attr(ctx, "gpu.container_module", unit);
        }
        ctx.count("num-kernels", made);
        Ok(())
    }
}

fn outline(
    ctx: &mut Context,
    f: Op,
    l: gpu::LaunchOp,
    table: &mut SymbolTable,
    behind: Op,
    unique_names: bool,
) -> Op {
    let base = match l
        .op()
        .attr(ctx, "function")
        .and_then(|a| a.as_flat_symbol(ctx))
    {
        Some(name) => name.to_string(),
        None => format!("{}_kernel", f.symbol_name(ctx).unwrap_or("launch")),
    };
    let operands = captured(ctx, l.op());
    let types: Vec<_> = operands.iter().map(|v| v.ty(ctx)).collect();
    let (workgroup, private) = (l.workgroup_attributions(ctx), l.private_attributions(ctx));
    let ty = |ctx: &Context, v: &[Value]| v.iter().map(|v| v.ty(ctx)).collect::<Vec<_>>();
    let (workgroup_types, private_types) = (ty(ctx, &workgroup), ty(ctx, &private));
    let (grid, block) = (l.grid_size(ctx), l.block_size(ctx));
    let loc = l.op().loc(ctx);

    let mut b = Builder::new(ctx, InsertPoint::Detached, loc);
    let (module, body) = gpu::ModuleOp::build(&mut b, &base);
    module.op().insert_after(b.ctx, behind);
    let name = table.insert(b.ctx, module.op());
    let kernel_name = if unique_names { name.clone() } else { base };
    b.at = InsertPoint::End(body);
    let (kernel, entry) = gpu::FuncOp::build(
        &mut b,
        &kernel_name,
        &types,
        &[],
        &workgroup_types,
        &private_types,
        true,
    );
    note_known_sizes(b.ctx, l, kernel);
    for name in [NVVM_MAXNREG, NVVM_MAXNTID] {
        if let Some(most) = l.op().attr(b.ctx, name) {
            kernel.op().set_attr(b.ctx, name, most);
        }
    }

    b.at = InsertPoint::End(entry);
    let buffers: Vec<Value> = workgroup.into_iter().chain(private).collect();
    take_body(&mut b, l, kernel, &operands, &buffers);

    b.at = InsertPoint::Before(l.op());
    let dynamic = l.dynamic_shared_memory(b.ctx);
    let (tokens, token) = (l.async_dependencies(b.ctx), l.async_token(b.ctx));
    let order = (&tokens[..], token.is_some());
    let new = gpu::LaunchFuncOp::build_in_order(
        &mut b,
        &name,
        &kernel_name,
        grid,
        block,
        dynamic,
        &operands,
        order,
    );
    if let Some(number) = l.op().attr(b.ctx, GPU_NEST) {
        new.op().set_attr(b.ctx, GPU_NEST, number);
    }
    if let (Some(old), Some(new)) = (token, new.async_token(b.ctx)) {
        old.replace_all_uses(b.ctx, new);
    }
    let ctx = b.ctx;
    l.op().erase(ctx);
    copy_symbols(ctx, module.op(), table);
    module.op()
}

/// Say in the kernel which sizes of its launch are constants.
fn note_known_sizes(ctx: &mut Context, l: gpu::LaunchOp, kernel: gpu::FuncOp) {
    // Of a grid whose blocks wait for each other there are as many as the device has room for.
    let cooperative = !l.op().find_all::<gpu::GridBarrierOp>(ctx).is_empty();
    for (attr, sizes) in [
        ("known_block_size", l.block_size(ctx)),
        ("known_grid_size", l.grid_size(ctx)),
    ] {
        if cooperative && attr == "known_grid_size" {
            continue;
        }
        let known: Option<Vec<i32>> = sizes
            .iter()
            .map(|v| i32::try_from(ctx.constant_int(*v)?).ok())
            .collect();
        // A launch of no blocks runs nothing, so that nothing is known of those that run.
        if let Some(k) = known.filter(|k| !k.contains(&0)) {
            let a = ctx.i32_array(&k);
            kernel.op().set_attr(ctx, attr, a);
        }
    }
}

/// Move the body of a launch to the end of its kernel's entry, whose arguments are what
/// the body captures and the buffers.
fn take_body(
    b: &mut Builder,
    l: gpu::LaunchOp,
    kernel: gpu::FuncOp,
    captured: &[Value],
    buffers: &[Value],
) {
    // The ids and sizes that the launch's body has as arguments.
    let mut config: Vec<Value> = Vec::new();
    for build in [
        gpu::BlockIdOp::build,
        gpu::ThreadIdOp::build,
        gpu::GridDimOp::build,
        gpu::BlockDimOp::build,
    ] {
        config.extend((0..3).map(|d| build(b, d)));
    }
    let entry = kernel.op().region(b.ctx, 0).blocks(b.ctx)[0];
    let args = entry.args(b.ctx);
    let launch_body = l.body(b.ctx);
    for (old, new) in launch_body.args(b.ctx).into_iter().zip(&config) {
        old.replace_all_uses(b.ctx, *new);
    }
    for (old, new) in buffers.iter().zip(&args[captured.len()..]) {
        old.replace_all_uses(b.ctx, *new);
    }
    for (old, new) in captured.iter().zip(&args) {
        let root = l.op();
        let ctx: &Context = b.ctx;
        old.replace_uses_if(ctx, *new, |u| {
            u.op != root && root.is_ancestor_of(ctx, u.op)
        });
    }
    // The entry block takes the first block's ops, the kernel the other blocks.
    for op in launch_body.ops(b.ctx) {
        op.move_to_end(b.ctx, entry);
    }
    let target = kernel.op().region(b.ctx, 0);
    for blk in l.op().region(b.ctx, 0).blocks(b.ctx) {
        if blk != launch_body {
            blk.unlink(b.ctx);
            target.push_back(b.ctx, blk);
        }
    }
    for t in kernel.op().find_all::<gpu::TerminatorOp>(b.ctx) {
        let mut at = Builder::before(b.ctx, t.op());
        at.op::<gpu::ReturnOp>(&[], &[], &[]);
        t.op().erase(b.ctx);
    }
}

/// Copy the symbols of `table` that `module` refers to into it, and those that the
/// copies refer to: what is inside a table cannot refer to its surroundings.
fn copy_symbols(ctx: &mut Context, module: Op, table: &SymbolTable) {
    let mut own = SymbolTable::new(ctx, module);
    let mut work = module.body(ctx, 0).ops(ctx);
    while let Some(root) = work.pop() {
        let mut names = Vec::new();
        root.walk(ctx, &mut |op| {
            op_symbol_refs(ctx, op, &mut |s| {
                names.extend(s.as_symbol(ctx).and_then(|p| p.first().copied()));
            });
        });
        for name in names {
            let name = ctx.str(name);
            if own.lookup(name).is_some() {
                continue;
            }
            let Some(symbol) = table.lookup(name) else {
                continue;
            };
            let copy = clone_op(ctx, symbol, &mut IrMapping::new());
            own.insert(ctx, copy);
            work.push(copy);
        }
    }
}
