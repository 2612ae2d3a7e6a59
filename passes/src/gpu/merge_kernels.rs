//! `offload-merge-kernels`: the kernels of a module in one `gpu.module`.
//!
//! Legal where kernels have different names, as `gpu-kernel-outlining` gives them with
//! `unique-kernel-names`. Functions and globals that were copied into several modules
//! are there once: copies of one symbol are equal. One text for the driver to load,
//! and one table of kernels for the runtime, is what an object file has.
//!
//! ```text
//! gpu.module @a { func @f  gpu.func @a kernel }        gpu.module @a {
//! gpu.module @b { func @f  gpu.func @b kernel }   =>     func @f  gpu.func @a kernel
//! gpu.launch_func @b::@b                                 gpu.func @b kernel
//!                                                      }
//!                                                      gpu.launch_func @a::@b
//! ```

use rustc_hash::FxHashMap;
use terrace_dialects::builtin;
use terrace_dialects::gpu;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult};
use terrace_ir::{AttrData, Op, OpKind, Str};

pub static INFO: PassInfo = PassInfo {
    name: "offload-merge-kernels",
    title: "OffloadMergeKernels",
    summary: "Put all kernels of a module into one gpu.module",
    description: "Moves what gpu.modules hold into the first of them, functions that several have once, and redirects the launches.",
    anchor: Some(builtin::ModuleOp::NAME),
    make: |_| Ok(Box::new(Merge)),
    ..PassInfo::EMPTY
};

struct Merge;

impl Pass for Merge {
    fn run(&mut self, ctx: &mut PassContext, module: Op) -> PassResult {
        let parts: Vec<Op> = module
            .body(ctx, 0)
            .ops(ctx)
            .into_iter()
            .filter(|o| o.isa::<gpu::ModuleOp>(ctx))
            .collect();
        let Some((target, others)) = parts.split_first() else {
            return Ok(());
        };
        let home = ctx.intern(target.symbol_name(ctx).unwrap_or_default());
        let body = target.body(ctx, 0);
        let mut have: FxHashMap<String, Op> = FxHashMap::default();
        for o in body.ops(ctx) {
            if let Some(n) = o.symbol_name(ctx) {
                have.insert(n.to_string(), o);
            }
        }
        // Modules whose content went home.
        let mut moved: Vec<Str> = Vec::new();
        for part in others {
            let ops = part.body(ctx, 0).ops(ctx);
            let taken = |ctx: &PassContext, o: &Op| {
                o.isa::<gpu::FuncOp>(ctx)
                    && o.symbol_name(ctx).is_some_and(|n| have.contains_key(n))
            };
            // Two different kernels of one name: each keeps its module.
            if ops.iter().any(|o| taken(ctx, o)) {
                continue;
            }
            for o in ops {
                let Some(name) = o.symbol_name(ctx).map(str::to_string) else {
                    continue;
                };
                if have.contains_key(&name) {
                    continue;
                }
                o.move_to_end(ctx, body);
                have.insert(name, o);
            }
            moved.push(ctx.intern(part.symbol_name(ctx).unwrap_or_default()));
            part.erase(ctx);
        }
        for l in module.find_all::<gpu::LaunchFuncOp>(ctx) {
            let op = l.op();
            let path = op.attr(ctx, "kernel").and_then(|a| a.as_symbol(ctx));
            let Some([m, rest @ ..]) = path else { continue };
            if !moved.contains(m) {
                continue;
            }
            let path = [&[home][..], rest].concat();
            let a = ctx.attr(AttrData::SymbolRef(path));
            op.set_attr(ctx, "kernel", a);
        }
        Ok(())
    }
}
