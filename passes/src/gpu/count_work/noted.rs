//! What a mapping pass has noted in a kernel.
//!
//! Tiled products and stencils do more than the program: tiles reach over edges, and overlap.
//! And what threads of a block bring to its memory together, of iterations that several of them
//! share, are no sums of counters. The passes that make such kernels know what the program does,
//! and leave an `gpu.note_work` in the kernel, of values that the host knows in front of the
//! launch.

use rustc_hash::FxHashSet;
use terrace_dialects::attributes::GPU_BYTES;
use terrace_dialects::gpu;
use terrace_ir::effects::is_pure;
use terrace_ir::{Context, Op, OpKind, Value};

use super::form::Forms;

/// Flops of at most 32 bits, of 64, and bytes, on the host, where they are noted; and whether
/// that is so of the flops, too.
pub(super) fn noted(f: &mut Forms, kernel: gpu::FuncOp) -> Option<([Value; 3], bool)> {
    let notes = kernel.op().find_all::<gpu::NoteWorkOp>(f.ctx());
    let note = notes.first()?.op();
    let all = note.attr(f.ctx(), GPU_BYTES).is_none();
    let operands = note.operands(f.ctx());
    let values: Option<Vec<Value>> = operands.into_iter().map(|v| f.on_host(v)).collect();
    Some((values?.try_into().ok()?, all))
}

/// The ops of a kernel that only a note needs.
pub(super) fn of_note(ctx: &Context, kernel: gpu::FuncOp) -> FxHashSet<Op> {
    let mut out: FxHashSet<Op> = FxHashSet::default();
    let mut work: Vec<Op> = Vec::new();
    for note in kernel.op().find_all::<gpu::NoteWorkOp>(ctx) {
        out.insert(note.op());
        work.push(note.op());
    }
    while let Some(op) = work.pop() {
        for made in op.operands(ctx).iter().filter_map(|v| v.def_op()) {
            let users = || made.results(ctx).into_iter().flat_map(|r| r.users(ctx));
            if is_pure(ctx, made) && users().all(|u| out.contains(&u)) && out.insert(made) {
                work.push(made);
            }
        }
    }
    out
}

/// Takes the notes out of the kernels of a module.
pub(super) fn forget(ctx: &mut Context, module: Op) {
    for kernel in module.find_all::<gpu::FuncOp>(ctx) {
        for note in kernel.op().find_all::<gpu::NoteWorkOp>(ctx) {
            note.op().erase(ctx);
        }
    }
}
