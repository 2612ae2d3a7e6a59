//! Loops and arrays in the words of the source.

use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_ir::{Context, Op, Value};

/// The induction variables of an affine loop; none where `op` is something else.
pub fn ivs(ctx: &Context, op: Op) -> Vec<Value> {
    if let Some(l) = op.cast::<ForOp>(ctx) {
        vec![l.iv(ctx)]
    } else if let Some(p) = op.cast::<ParallelOp>(ctx) {
        p.ivs(ctx)
    } else {
        Vec::new()
    }
}

/// Whether `op` is a loop that schedules are about.
pub fn is_loop(ctx: &Context, op: Op) -> bool {
    op.isa::<ForOp>(ctx) || op.isa::<ParallelOp>(ctx)
}

/// The names of a loop: its attribute `schedule.iv`, or those of its induction
/// variables.
pub fn iv_names(ctx: &Context, op: Op) -> Vec<String> {
    if let Some(n) = op.str_attr(ctx, "schedule.iv") {
        return vec![n.to_string()];
    }
    let names = ivs(ctx, op).into_iter();
    names
        .filter_map(|v| Some(v.loc(ctx).name(ctx)?.to_string()))
        .collect()
}

/// The line of the source that an op stands in.
pub fn line(ctx: &Context, op: Op) -> Option<u32> {
    let (_, line, _) = op.loc(ctx).file_pos(ctx)?;
    (line > 0).then_some(line)
}

/// A loop as messages call it: `loop 'i' at line 12`.
pub fn loop_name(ctx: &Context, op: Op) -> String {
    let mut s = String::from("loop");
    let names = iv_names(ctx, op);
    if !names.is_empty() {
        s.push_str(&format!(" '{}'", names.join(", ")));
    } else if let Some(l) = op.str_attr(ctx, "schedule.label") {
        s.push_str(&format!(" labelled '{l}'"));
    }
    if let Some(l) = line(ctx, op) {
        s.push_str(&format!(" at line {l}"));
    }
    s
}
