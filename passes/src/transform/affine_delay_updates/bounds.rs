//! Bounds of the loops that are made.

use super::find::{Counter, Steps};
use crate::analysis::linear::Linear;
use terrace_dialects::affine::compose::compose;
use terrace_dialects::memref;
use terrace_ir::affine::{AffineMap, ValueMap};
use terrace_ir::clone::IrMapping;
use terrace_ir::{Context, Value};

/// What tiles of steps are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tiles {
    /// Steps of a tile.
    pub size: i64,
    /// How many steps must be left where a tile begins.
    pub least: i64,
}

/// A linear form as a bound.
pub(super) fn bound(ctx: &Context, form: &Linear) -> ValueMap<Value> {
    let (map, operands) = form.as_map();
    compose(ctx, &map, &operands)
}

/// A bound with other values in the place of those that were mapped.
pub(super) fn renamed(ctx: &Context, b: &ValueMap<Value>, map: &IrMapping) -> ValueMap<Value> {
    let operands: Vec<Value> = b.operands.iter().map(|v| map.value(*v)).collect();
    compose(ctx, &b.map, &operands)
}

/// The first number of a counter that is beyond the tile of `k0`: where its loop begins in the
/// last step of the tile.
pub(super) fn beyond(k0: Value, counter: &Counter, tiles: Tiles) -> Option<Linear> {
    Linear::value(k0).plus(counter.behind?.checked_add(tiles.size - 1)?)
}

/// The end of a counter's numbers in the tile of `k0`: what is beyond it, or where its loop ends,
/// as far as that may be less.
/// Those of `others` are beyond the tile.
pub(super) fn inside(
    ctx: &Context,
    steps: &Steps,
    counter: &Counter,
    others: &[&Counter],
    tiles: Tiles,
    (k0, map): (Value, &IrMapping),
) -> Option<ValueMap<Value>> {
    let mut ends = vec![bound(ctx, &beyond(k0, counter, tiles)?)];
    let more = ends_in_tile(ctx, steps, counter, others, tiles);
    ends.extend(more.iter().map(|end| renamed(ctx, end, map)));
    Some(least_of(ctx, &ends))
}

/// The ends of a counter that may be in a tile, where those of `others` are beyond it.
pub(super) fn ends_in_tile(
    ctx: &Context,
    steps: &Steps,
    counter: &Counter,
    others: &[&Counter],
    tiles: Tiles,
) -> Vec<ValueMap<Value>> {
    let all = (0..counter.upper.map.num_results()).map(|i| ValueMap {
        map: counter.upper.map.sub_map(&[i]),
        operands: counter.upper.operands.clone(),
    });
    all.filter(|end| {
        !is_beyond(ctx, steps, counter, tiles, end) && !is_behind_another(counter, others, end)
    })
    .collect()
}

/// Whether an end of a counter is known not to be in the tile as it is that of another counter,
/// which is beyond it, and a constant.
fn is_behind_another(counter: &Counter, others: &[&Counter], end: &ValueMap<Value>) -> bool {
    let all = Linear::of_map(&end.map, &end.operands);
    let Some(Ok([form])) = all.map(<[Linear; 1]>::try_from) else {
        return false;
    };
    others.iter().any(|o| {
        let ahead = || {
            let ahead = form.minus(&Linear::value(o.iv))?.as_constant()?;
            // Both begin to be beyond the tile so far behind its last step.
            ahead.checked_add(o.behind?)?.checked_sub(counter.behind?)
        };
        ahead().is_some_and(|n| n >= 0)
    })
}

/// Whether an end of a counter is known not to be in a tile: not before the steps' own end, or
/// so little before that the steps that are left make up for it.
fn is_beyond(
    ctx: &Context,
    steps: &Steps,
    counter: &Counter,
    tiles: Tiles,
    end: &ValueMap<Value>,
) -> bool {
    let ahead = || {
        // The end is `steps.end + ahead`, and `k0 + least <= steps.end`.
        let split = counter.behind?.checked_add(tiles.size - 1)?;
        let ahead = ahead_of(ctx, end, &steps.end)?;
        ahead.checked_add(tiles.least)?.checked_sub(split)
    };
    ahead().is_some_and(|n| n >= 0)
}

/// Whether a counter has, in the steps that are in no tile, not many more numbers than there are
/// of these steps.
pub(super) fn is_bounded(ctx: &Context, steps: &Steps, counter: &Counter) -> bool {
    const FEW: i64 = 8;
    let ahead = ahead_of(ctx, &counter.upper, &steps.end);
    counter.behind.is_some_and(|n| n >= 0) && ahead.is_some_and(|n| n <= FEW)
}

/// How far an end, if it is one linear form, is ahead of another.
fn ahead_of(ctx: &Context, end: &ValueMap<Value>, of: &Linear) -> Option<i64> {
    let all = Linear::of_map(&end.map, &end.operands)?;
    let [form] = <[Linear; 1]>::try_from(all).ok()?;
    with_sizes_of(ctx, &form, of).minus(of)?.as_constant()
}

/// Whether two ends of counters are surely the same.
pub(super) fn is_same_end(ctx: &Context, a: &ValueMap<Value>, b: &ValueMap<Value>) -> bool {
    let form = |m: &ValueMap<Value>| {
        let all = Linear::of_map(&m.map, &m.operands)?;
        let [form] = <[Linear; 1]>::try_from(all).ok()?;
        Some(form)
    };
    let same = |a: Linear, b: Linear| with_sizes_of(ctx, &a, &b).equals(&b);
    form(a).zip(form(b)).is_some_and(|(a, b)| same(a, b))
}

/// A form with the sizes of arrays that are in `other` too in the place of the same asked for
/// again.
fn with_sizes_of(ctx: &Context, form: &Linear, other: &Linear) -> Linear {
    let mut pairs = Vec::new();
    for (v, _) in &form.terms {
        let known = other.terms.iter().any(|(w, _)| w == v);
        let same = other.terms.iter().find(|(w, _)| is_same_size(ctx, *v, *w));
        if let (false, Some((w, _))) = (known, same) {
            pairs.push((*v, *w));
        }
    }
    form.named(&pairs)
}

fn is_same_size(ctx: &Context, a: Value, b: Value) -> bool {
    let size = |v: Value| {
        let op = v.def_op().filter(|o| o.name(ctx) == memref::DimOp::NAME)?;
        Some((op.operand(ctx, 0), ctx.constant_int(op.operand(ctx, 1))?))
    };
    a == b || size(a).is_some_and(|s| size(b) == Some(s))
}

/// The least, or as a lower bound the greatest, of bounds.
fn least_of(ctx: &Context, all: &[ValueMap<Value>]) -> ValueMap<Value> {
    let (mut dims, mut symbols) = (Vec::new(), Vec::new());
    let mut results = Vec::new();
    for m in all {
        let at = (m.map.num_dims() as usize).min(m.operands.len());
        let (first_dim, first_symbol) = (dims.len() as u32, symbols.len() as u32);
        let moved = m.map.shift_dims(first_dim).shift_symbols(first_symbol);
        results.extend(moved.results().iter().cloned());
        dims.extend_from_slice(&m.operands[..at]);
        symbols.extend_from_slice(&m.operands[at..]);
    }
    let map = AffineMap::new(dims.len() as u32, symbols.len() as u32, results);
    compose(ctx, &map, &[dims, symbols].concat())
}

/// Where the steps begin that are in no tile: behind the last tile, if there is one.
pub(super) fn rest(ctx: &Context, steps: &Steps, tiles: Tiles) -> Option<ValueMap<Value>> {
    // Of the numbers that a tile may begin with how far the last one is.
    let last = steps.end.plus(-tiles.least)?.minus(&steps.first)?;
    if let (Some(first), Some(last)) = (steps.first.as_constant(), last.as_constant()) {
        let tiles_of = |last: i64| {
            last.div_euclid(tiles.size)
                .checked_add(1)?
                .max(0)
                .checked_mul(tiles.size)
        };
        let map = AffineMap::constant(first.checked_add(tiles_of(last)?)?);
        return Some(ValueMap {
            map,
            operands: Vec::new(),
        });
    }
    let (map, operands) = Linear::map_of(&[steps.first.clone(), last]);
    let [first, last] = map.results() else {
        return None;
    };
    let behind = first.clone() + (last.clone().floor_div(tiles.size) + 1) * tiles.size;
    let map = AffineMap::new(map.num_dims(), 0, vec![first.clone(), behind]);
    Some(compose(ctx, &map, &operands))
}
