//! Memory effects of memref ops, as lists for [`terrace_ir::OpDef::effects`].

use terrace_ir::opdef::{Effect, EffectKind};
use terrace_ir::{Context, Op};

/// One effect on operand `i`, where the op has it.
fn on_operand(ctx: &Context, op: Op, kind: EffectKind, i: usize) -> Option<Effect> {
    (i < op.num_operands(ctx)).then(|| Effect {
        kind,
        on: Some(op.operand(ctx, i)),
    })
}

pub(super) fn alloc_result(ctx: &Context, op: Op) -> Vec<Effect> {
    vec![Effect {
        kind: EffectKind::Alloc,
        on: Some(op.result(ctx, 0)),
    }]
}

/// Frees operand 0 and allocates the result.
pub(super) fn realloc(ctx: &Context, op: Op) -> Vec<Effect> {
    let mut v = free_0(ctx, op);
    v.extend(alloc_result(ctx, op));
    v
}

pub(super) fn free_0(ctx: &Context, op: Op) -> Vec<Effect> {
    on_operand(ctx, op, EffectKind::Free, 0)
        .into_iter()
        .collect()
}

pub(super) fn read_0(ctx: &Context, op: Op) -> Vec<Effect> {
    on_operand(ctx, op, EffectKind::Read, 0)
        .into_iter()
        .collect()
}

pub(super) fn read_1(ctx: &Context, op: Op) -> Vec<Effect> {
    on_operand(ctx, op, EffectKind::Read, 1)
        .into_iter()
        .collect()
}

pub(super) fn write_0(ctx: &Context, op: Op) -> Vec<Effect> {
    on_operand(ctx, op, EffectKind::Write, 0)
        .into_iter()
        .collect()
}

pub(super) fn write_1(ctx: &Context, op: Op) -> Vec<Effect> {
    on_operand(ctx, op, EffectKind::Write, 1)
        .into_iter()
        .collect()
}

/// Reads operand 0, writes operand 1.
pub(super) fn copy(ctx: &Context, op: Op) -> Vec<Effect> {
    [(EffectKind::Read, 0), (EffectKind::Write, 1)]
        .into_iter()
        .filter_map(|(k, i)| on_operand(ctx, op, k, i))
        .collect()
}

/// Reads and writes operand `i`.
pub(super) fn update(ctx: &Context, op: Op, i: usize) -> Vec<Effect> {
    [EffectKind::Read, EffectKind::Write]
        .into_iter()
        .filter_map(|k| on_operand(ctx, op, k, i))
        .collect()
}
