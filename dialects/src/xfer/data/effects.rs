//! Effects of data ops on arrays, and on the table of what is present.

use super::clause::{Clause, clauses};
use terrace_ir::opdef::{Effect, EffectKind};
use terrace_ir::{Context, Op};

/// Effects on each array, and on the table and what it holds, which have no name.
pub(super) fn on_arrays(
    ctx: &Context,
    op: Op,
    each: &[EffectKind],
    table: &[EffectKind],
) -> Vec<Effect> {
    let arrays = op.operands(ctx).into_iter();
    let on = arrays.flat_map(|v| {
        each.iter().map(move |k| Effect {
            kind: *k,
            on: Some(v),
        })
    });
    let unnamed = table.iter().map(|k| Effect { kind: *k, on: None });
    on.chain(unnamed).collect()
}

/// What is copied to the host is written, the rest read; and an effect on the table and
/// what it holds.
pub(super) fn by_clause(ctx: &Context, op: Op, table: EffectKind) -> Vec<Effect> {
    let mut all: Vec<Effect> = clauses(ctx, op)
        .into_iter()
        .map(|(v, clause)| Effect {
            kind: match clause.copies_out() || clause == Clause::UpdateHost {
                true => EffectKind::Write,
                false => EffectKind::Read,
            },
            on: Some(v),
        })
        .collect();
    all.push(Effect {
        kind: table,
        on: None,
    });
    all
}
