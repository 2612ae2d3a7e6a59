//! `gpu-naive-transfers`: device memory and copies around each launch.
//!
//! Every array that a kernel takes gets device memory before the launch, the whole
//! array is copied in, and, where the kernel writes it, back after. Correct by itself
//! whatever the host does in between: the host's copy is the good one except while
//! the kernel runs. (The kernel-oriented scheme of Allazov, Guda and Morylev 2017;
//! better placements are the business of the xfer passes.)
//!
//!     gpu.launch_func @k ... args(%A : memref<?xf32>)
//!       =>
//!     %d = gpu.alloc (%n) : memref<?xf32>
//!     gpu.memcpy %d, %A : memref<?xf32>, memref<?xf32>
//!     gpu.launch_func @k ... args(%d : memref<?xf32>)
//!     gpu.memcpy %A, %d : memref<?xf32>, memref<?xf32>
//!     gpu.dealloc %d : memref<?xf32>

use crate::analysis::memory::base;
use terrace_dialects::gpu;
use terrace_ir::effects::own_effects;
use terrace_ir::opdef::EffectKind;
use terrace_ir::pass::{Pass, PassContext, PassFailed, PassInfo, PassResult};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, OpKind, TypeData, Value};

pub static INFO: PassInfo = PassInfo {
    name: "gpu-naive-transfers",
    title: "GpuNaiveTransfers",
    summary: "Allocate device memory and copy arrays around each gpu.launch_func",
    description: "Copies every array argument to the device before each launch, and back after it where the kernel writes to it.",
    make: |_| Ok(Box::new(Transfers)),
    ..PassInfo::EMPTY
};

struct Transfers;

impl Pass for Transfers {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut failed = false;
        for l in op.find_all::<gpu::LaunchFuncOp>(ctx) {
            if let Err(m) = around(ctx, l) {
                l.op().error(ctx, m);
                failed = true;
            }
        }
        if failed { Err(PassFailed) } else { Ok(()) }
    }
}

fn around(ctx: &mut Context, l: gpu::LaunchFuncOp) -> Result<(), String> {
    let op = l.op();
    let operands = l.kernel_operands(ctx);
    let written = match l.kernel_func(ctx) {
        Some(k) => written_params(ctx, k),
        None => vec![true; operands.len()],
    };
    // The same array may be passed twice; it has one copy on the device.
    let mut copies: Vec<(Value, Value, bool)> = Vec::new();
    for (v, w) in operands.iter().zip(&written) {
        if !v.ty(ctx).is_memref(ctx) || is_on_device(ctx, *v) {
            continue;
        }
        match copies.iter_mut().find(|c| c.0 == *v) {
            Some(c) => c.2 |= w,
            None => {
                let device = allocate(ctx, op, *v)?;
                copies.push((*v, device, *w));
            }
        }
    }
    for (host, device, _) in &copies {
        let mut b = Builder::before(ctx, op);
        gpu::MemcpyOp::build(&mut b, *device, *host);
        for i in 0..op.num_operands(ctx) {
            if op.operand(ctx, i) == *host {
                op.set_operand(ctx, i, *device);
            }
        }
    }
    let mut b = Builder::after(ctx, op);
    for (host, device, w) in &copies {
        if *w {
            gpu::MemcpyOp::build(&mut b, *host, *device);
        }
    }
    for (_, device, _) in &copies {
        gpu::DeallocOp::build(&mut b, *device);
    }
    Ok(())
}

fn is_on_device(ctx: &Context, v: Value) -> bool {
    base(ctx, v)
        .def_op()
        .is_some_and(|o| o.isa::<gpu::AllocOp>(ctx))
}

/// Device memory like `host`, in front of `before`.
fn allocate(ctx: &mut Context, before: Op, host: Value) -> Result<Value, String> {
    let ty = host.ty(ctx);
    let TypeData::MemRef { shape, layout, .. } = ty.data(ctx).clone() else {
        return Err(format!("cannot pass '{}' to a kernel", ctx.type_text(ty)));
    };
    if layout.is_some() {
        return Err(format!(
            "cannot copy '{}' to the device: its elements are not in a row; pass the memref it is a view of",
            ctx.type_text(ty)
        ));
    }
    let mut b = Builder::before(ctx, before);
    let mut sizes = Vec::new();
    for (i, d) in shape.iter().enumerate() {
        if *d == DYNAMIC {
            let at = terrace_dialects::arith::constant_index(&mut b, i as i64);
            let index = b.ctx.index();
            sizes.push(b.value::<terrace_dialects::memref::DimOp>(&[host, at], index, &[]));
        }
    }
    Ok(gpu::AllocOp::build(&mut b, ty, &sizes))
}

/// Which parameters of a kernel it may write to.
fn written_params(ctx: &Context, kernel: gpu::FuncOp) -> Vec<bool> {
    let op = kernel.op();
    let args = op.body(ctx, 0).args(ctx);
    let mut written = vec![false; args.len()];
    for o in op.pre_order(ctx) {
        match own_effects(ctx, o) {
            Some(effects) => {
                for e in effects {
                    if !matches!(e.kind, EffectKind::Write | EffectKind::Free) {
                        continue;
                    }
                    match e.on.map(|v| base(ctx, v)) {
                        Some(v) => {
                            if let Some(i) = args.iter().position(|a| *a == v) {
                                written[i] = true;
                            }
                        }
                        None => written.fill(true),
                    }
                }
            }
            // A call may write whatever it is handed.
            None if o != op && o.name(ctx) == "func.call" => {
                for v in o.operands(ctx) {
                    if let Some(i) = args.iter().position(|a| *a == base(ctx, v)) {
                        written[i] = true;
                    }
                }
            }
            None => {}
        }
    }
    written
}
