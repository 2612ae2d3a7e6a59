//! Which vectors are tiles: those that come from an op of the tile dialect or go to one, through
//! ops that become loops and through loops and conditions.

use super::carry::Carrier;
use super::expansion;
use rustc_hash::FxHashSet;
use terrace_dialects::tile;
use terrace_ir::{Context, Op, Type, TypeData, Value};

/// The tiles of a function.
pub(super) fn tiles(ctx: &Context, function: Op) -> FxHashSet<Value> {
    let mut found = FxHashSet::default();
    let mut open = Vec::new();
    for op in function.pre_order(ctx) {
        if is_tile_op(ctx, op) {
            open.extend(vectors(ctx, op));
        }
    }
    while let Some(v) = open.pop() {
        if !found.insert(v) {
            continue;
        }
        let users = v.users(ctx).into_iter();
        for op in users.chain(v.def_op()) {
            if expansion(ctx, op).is_some() {
                open.extend(vectors(ctx, op));
            }
        }
        open.extend(Carrier::others(ctx, v));
    }
    found
}

/// Whether an op becomes loops.
pub(super) fn is_expanded(ctx: &Context, op: Op, tiles: &FxHashSet<Value>) -> bool {
    let values = [op.operands(ctx), op.results(ctx)].concat();
    is_tile_op(ctx, op) || values.iter().any(|v| tiles.contains(v)) && expansion(ctx, op).is_some()
}

/// Whether a type is one that tiles have: a vector of static size.
pub(super) fn is_vector(ctx: &Context, ty: Type) -> bool {
    matches!(ty.data(ctx), TypeData::Vector { scalable, .. } if !scalable.contains(&true))
}

fn is_tile_op(ctx: &Context, op: Op) -> bool {
    op.isa::<tile::ConvertOp>(ctx)
        || op.isa::<tile::LoadOp>(ctx)
        || op.isa::<tile::StoreOp>(ctx)
        || op.isa::<tile::ReduceOp>(ctx)
        || op.isa::<tile::MaskOp>(ctx)
}

/// The vectors that an op works on or computes.
fn vectors(ctx: &Context, op: Op) -> Vec<Value> {
    let mut all = [op.operands(ctx), op.results(ctx)].concat();
    all.retain(|v| is_vector(ctx, v.ty(ctx)));
    all
}

#[cfg(test)]
mod tests {
    use terrace_dialects::tile;

    #[test]
    fn all_ops_of_the_dialect_become_loops() {
        let known = [
            tile::ConvertOp::NAME,
            tile::LoadOp::NAME,
            tile::StoreOp::NAME,
            tile::ReduceOp::NAME,
            tile::MaskOp::NAME,
        ];
        for op in tile::DIALECT.ops {
            assert!(known.contains(&op.name), "{} has no loops", op.name);
        }
    }
}
