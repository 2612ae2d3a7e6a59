//! `gpu-merge-identical-kernels`: one kernel for all launches that run the same code.
//!
//! Legal where the modules of two kernels hold the same ops but for the kernels' names:
//! what differs between the launches is in their arguments and sizes. Pieces of a launch,
//! which `xfer-chunk` makes, and loops that are peeled or versioned launch the same kernel
//! several times; each would cost the driver its own compilation.
//!
//! ```text
//! gpu.launch_func @k_0::@k_0 args(%a, %0)      gpu.launch_func @k_0::@k_0 args(%a, %0)
//! gpu.launch_func @k_1::@k_1 args(%a, %1)  =>  gpu.launch_func @k_0::@k_0 args(%a, %1)
//! ```

use crate::analysis::same_regions::same_regions;
use rustc_hash::FxHashMap;
use terrace_dialects::builtin;
use terrace_dialects::gpu;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Attr, AttrData, Context, Op, OpKind, Str};

pub static INFO: PassInfo = PassInfo {
    name: "gpu-merge-identical-kernels",
    title: "GpuMergeIdenticalKernels",
    summary: "Keep one of several kernels that are the same",
    description: "Redirects launches of a kernel whose gpu.module is equal to an earlier one, but for names, to that one, and removes the module.",
    anchor: Some(builtin::ModuleOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-merged",
        "Number of kernels removed",
    )],
    make: |_| Ok(Box::new(MergeIdentical)),
    ..PassInfo::EMPTY
};

struct MergeIdentical;

impl Pass for MergeIdentical {
    fn run(&mut self, ctx: &mut PassContext, module: Op) -> PassResult {
        let modules = module.body(ctx, 0).ops(ctx).into_iter();
        let modules: Vec<Op> = modules
            .filter(|o| o.isa::<gpu::ModuleOp>(ctx) && kernel(ctx, *o).is_some())
            .collect();
        // By size and signature, so that few are compared.
        let mut kept: FxHashMap<(usize, Vec<(Str, Attr)>), Vec<Op>> = FxHashMap::default();
        let mut instead: FxHashMap<[Str; 2], [Str; 2]> = FxHashMap::default();
        for m in modules {
            let Some(k) = kernel(ctx, m) else { continue };
            let alike = kept
                .entry((m.pre_order(ctx).len(), unnamed(ctx, k)))
                .or_default();
            match alike.iter().find(|other| is_same(ctx, **other, m)) {
                None => alike.push(m),
                Some(same) => {
                    if let (Some(from), Some(to)) = (path(ctx, m), path(ctx, *same)) {
                        instead.insert(from, to);
                        m.erase(ctx);
                        ctx.count("num-merged", 1);
                    }
                }
            }
        }
        for launch in module.find_all::<gpu::LaunchFuncOp>(ctx) {
            let op = launch.op();
            let symbol = op.attr(ctx, "kernel").and_then(|a| a.as_symbol(ctx));
            let Some([m, k]) = symbol else { continue };
            if let Some(to) = instead.get(&[*m, *k]) {
                let symbol = ctx.attr(AttrData::SymbolRef(to.to_vec()));
                op.set_attr(ctx, "kernel", symbol);
            }
        }
        Ok(())
    }
}

/// The one kernel of a `gpu.module`.
fn kernel(ctx: &Context, module: Op) -> Option<Op> {
    let ops = module.body(ctx, 0).ops(ctx).into_iter();
    let mut kernels = ops.filter(|o| o.cast::<gpu::FuncOp>(ctx).is_some_and(|f| f.is_kernel(ctx)));
    let first = kernels.next()?;
    kernels.next().is_none().then_some(first)
}

/// What launches call a module's kernel.
fn path(ctx: &mut Context, module: Op) -> Option<[Str; 2]> {
    let names =
        [module, kernel(ctx, module)?].map(|o| o.symbol_name(ctx).unwrap_or_default().to_string());
    Some(names.map(|n| ctx.intern(&n)))
}

/// An op's attributes but for its name.
fn unnamed(ctx: &Context, op: Op) -> Vec<(Str, Attr)> {
    let all = op.attrs(ctx).into_iter();
    all.filter(|(k, _)| ctx.str(*k) != "sym_name").collect()
}

fn is_same(ctx: &Context, a: Op, b: Op) -> bool {
    let (ops, others) = (a.body(ctx, 0).ops(ctx), b.body(ctx, 0).ops(ctx));
    let kernels = [kernel(ctx, a), kernel(ctx, b)];
    unnamed(ctx, a) == unnamed(ctx, b)
        && ops.len() == others.len()
        && ops.into_iter().zip(others).all(|(x, y)| {
            let alike = match [Some(x), Some(y)] == kernels {
                true => unnamed(ctx, x) == unnamed(ctx, y),
                false => x.attrs(ctx) == y.attrs(ctx),
            };
            x.name(ctx) == y.name(ctx) && alike && same_regions(ctx, x, y)
        })
}
