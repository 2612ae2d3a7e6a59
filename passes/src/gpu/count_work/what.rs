//! What single ops of a kernel are.

use terrace_dialects::gpu;
use terrace_dialects::{func, scf};
use terrace_ir::{Context, Op, TypeData};

use crate::analysis::memory::base;
use crate::analysis::source;

/// Whether ops only put together what threads of a block have made, in their own memory.
pub(super) fn joins_threads(ctx: &Context, ops: &[Op]) -> bool {
    let mut touches = false;
    let mut only_shared = true;
    for op in ops {
        if let Some((memref, _)) = source::indices(ctx, *op) {
            touches = true;
            let space = match base(ctx, memref).ty(ctx).data(ctx) {
                TypeData::MemRef { space, .. } => *space,
                _ => None,
            };
            only_shared &= gpu::is_workgroup_space(ctx, space);
        }
    }
    touches && only_shared
}

/// Whether what an op does to floats is not known.
pub(super) fn is_unknown(ctx: &Context, op: Op) -> bool {
    let name = op.name(ctx);
    name == func::CallOp::NAME
        || name == scf::WhileOp::NAME
        || (name.starts_with("nvgpu.") && !name.starts_with("nvgpu.device_async"))
        || name.starts_with("gpu.subgroup_mma")
}
