//! `gpu-infer-kernel-promises`: `llvm.noalias` and `llvm.align` on the parameters
//! of kernels, where all launches keep them.
//!
//! A memref is in no other way reached by a kernel if it is
//! - memory that was allocated, and no other argument of the launch is a view of it;
//! - an argument of a function that promises so: by `llvm.noalias`, or by
//!   `acc.region` with `noalias`, for all arrays of the region.
//!
//! Device memory is aligned to 256 bytes.
//!
//! ```text
//! %d = gpu.alloc () : memref<64xf32>
//! gpu.launch_func @m::@k ... args(%d : memref<64xf32>)
//! gpu.func @k(%a: memref<64xf32>) kernel
//!   =>
//! gpu.func @k(%a: memref<64xf32> {llvm.align = 256 : i64, llvm.noalias}) kernel
//! ```

use crate::analysis::directive::Region;
use crate::analysis::memory::{argument_has, base};
use rustc_hash::FxHashMap;
use terrace_dialects::attributes::{ACC_ANYWHERE, LLVM_ALIGN, LLVM_NOALIAS};
use terrace_dialects::func;
use terrace_dialects::function::{arg_attr, arg_attrs};
use terrace_dialects::gpu;
use terrace_dialects::{builtin, memref, xfer};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "gpu-infer-kernel-promises",
    title: "GpuInferKernelPromises",
    summary: "Mark kernel parameters llvm.noalias and llvm.align where all launches keep that",
    description: "Looks at what every gpu.launch_func passes: allocations of their own, or arguments that promise to be.",
    anchor: Some(builtin::ModuleOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-noalias",
        "Number of parameters marked llvm.noalias",
    )],
    make: |_| Ok(Box::new(Promises)),
    ..PassInfo::EMPTY
};

/// Alignment of what the device's allocator gives, in bytes (CUDA C++ Programming
/// Guide, "Device Memory Accesses").
const ALLOCATED: i64 = 256;

struct Promises;

impl Pass for Promises {
    fn run(&mut self, ctx: &mut PassContext, module: Op) -> PassResult {
        // What holds of each parameter in all launches so far.
        let mut kernels: FxHashMap<Op, Vec<Promise>> = FxHashMap::default();
        let mut order = Vec::new();
        for l in module.find_all::<gpu::LaunchFuncOp>(ctx) {
            let Some(kernel) = l.kernel_func(ctx) else {
                continue;
            };
            let here = of_launch(ctx, &l.kernel_operands(ctx));
            match kernels.get_mut(&kernel.op()) {
                Some(all) => {
                    for (a, b) in all.iter_mut().zip(here) {
                        a.noalias &= b.noalias;
                        a.align = a.align.min(b.align);
                    }
                }
                None => {
                    order.push(kernel.op());
                    kernels.insert(kernel.op(), here);
                }
            }
        }
        let mut marked = 0;
        for kernel in order {
            if let Some(promises) = kernels.get(&kernel) {
                marked += mark(ctx, kernel, promises);
            }
        }
        ctx.count("num-noalias", marked);
        Ok(())
    }
}

#[derive(Clone, Copy, Default)]
struct Promise {
    noalias: bool,
    /// Bytes; 1 promises nothing.
    align: i64,
}

/// Where the memory of a memref comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Allocated,
    /// An argument that promises to be reached in no other way.
    Promised,
    /// An argument, or a global: not what was allocated, nor what is promised.
    Other,
    Unknown,
}

fn origin(ctx: &Context, root: Value) -> Origin {
    if let Some(op) = root.def_op() {
        return match op.name(ctx) {
            gpu::AllocOp::NAME
            | memref::AllocOp::NAME
            | xfer::AllocOp::NAME
            | xfer::CreateOp::NAME => Origin::Allocated,
            memref::GetGlobalOp::NAME => Origin::Other,
            _ => Origin::Unknown,
        };
    }
    let Some(function) = root
        .arg_block()
        .filter(|b| b.is_entry(ctx))
        .and_then(|b| b.parent_op(ctx))
        .filter(|f| f.name(ctx) == func::FuncOp::NAME)
    else {
        return Origin::Unknown;
    };
    let promised = argument_has(ctx, root, LLVM_NOALIAS) || Region::of(ctx, function).noalias;
    match promised {
        // All memory, where the other arrays may lie.
        _ if argument_has(ctx, root, ACC_ANYWHERE) => Origin::Unknown,
        true => Origin::Promised,
        false => Origin::Other,
    }
}

fn of_launch(ctx: &Context, operands: &[Value]) -> Vec<Promise> {
    let roots: Vec<Option<(Value, Origin)>> = (operands.iter())
        .map(|v| {
            let root = v.ty(ctx).is_memref(ctx).then(|| base(ctx, *v))?;
            Some((root, origin(ctx, root)))
        })
        .collect();
    let any_unknown = roots.iter().flatten().any(|r| r.1 == Origin::Unknown);
    (operands.iter().zip(&roots))
        .map(|(v, root)| {
            let Some((root, origin)) = root else {
                return Promise::default();
            };
            let alone = roots.iter().flatten().filter(|r| r.0 == *root).count() == 1;
            let own = matches!(origin, Origin::Allocated | Origin::Promised);
            let device = (root.def_op()).is_some_and(|o| o.isa::<gpu::AllocOp>(ctx));
            // A view may begin in the middle.
            let aligned = device && (v == root || is_cast(ctx, *v, *root));
            Promise {
                noalias: own && alone && !any_unknown,
                align: if aligned { ALLOCATED } else { 1 },
            }
        })
        .collect()
}

fn is_cast(ctx: &Context, v: Value, root: Value) -> bool {
    v.def_op()
        .is_some_and(|o| o.name(ctx) == memref::CastOp::NAME && o.operand(ctx, 0) == root)
}

/// Adds the attributes; returns how many parameters are `noalias` that were not.
fn mark(ctx: &mut PassContext, kernel: Op, promises: &[Promise]) -> u64 {
    let mut marked = 0;
    let mut changed = false;
    let mut dicts = Vec::with_capacity(promises.len());
    for (i, promise) in promises.iter().enumerate() {
        let mut entries = arg_attrs(ctx, kernel, i).to_vec();
        if promise.noalias && arg_attr(ctx, kernel, i, LLVM_NOALIAS).is_none() {
            entries.push((ctx.intern(LLVM_NOALIAS), ctx.unit()));
            marked += 1;
            changed = true;
        }
        if promise.align > 1 && arg_attr(ctx, kernel, i, LLVM_ALIGN).is_none() {
            entries.push((ctx.intern(LLVM_ALIGN), ctx.i64_attr(promise.align)));
            changed = true;
        }
        dicts.push(ctx.dict_attr(entries));
    }
    if changed {
        let list = ctx.array_attr(dicts);
        kernel.set_attr(ctx, "arg_attrs", list);
    }
    marked
}
