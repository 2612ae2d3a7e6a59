//! The tiles, what runs in their steps and behind them, and the steps that are in none.

use super::DELAYED;
use super::bounds::{Tiles, beyond, bound, inside, renamed, rest};
use super::find::{Counter, Steps, Update, is_fixed};
use super::legal::{Part, When};
use crate::gpu::linear::Linear;
use terrace_dialects::affine::{ForOp, ParallelOp, YieldOp};
use terrace_ir::affine::ValueMap;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// Puts tiles in front of the steps, which then are those that are left. `None`, with nothing
/// changed but numbers computed earlier, where numbers are out of range.
pub(super) fn build(
    ctx: &mut Context,
    steps: &Steps,
    update: &Update,
    tiles: Tiles,
    parts: &[(Part, When)],
) -> Option<()> {
    let l = steps.of;
    let (fixed, moving): (Vec<Op>, Vec<Op>) =
        (update.needed.iter().copied()).partition(|o| is_fixed(ctx, l, *o));
    for op in fixed {
        op.move_before(ctx, l.op());
    }
    let left = rest(ctx, steps, tiles)?;
    let end = steps.end.plus(-tiles.least)?.plus(1)?;
    for c in &update.counters {
        // As far as the loops that are made need it.
        c.behind.unwrap_or(0).checked_add(tiles.size)?;
    }
    let (first, end) = (bound(ctx, &steps.first), bound(ctx, &end));
    let mut b = Builder::before(ctx, l.op());
    let mut made = Some(());
    let tile = ForOp::build(
        &mut b,
        (first.map, &first.operands),
        (end.map, &end.operands),
        tiles.size,
        &[],
        |b, k0, _| {
            let tile = Tile {
                steps,
                update,
                moving: &moving,
                tiles,
                k0,
            };
            made = tile.fill(b, parts);
            Vec::new()
        },
    );
    if made.is_none() {
        tile.op().erase(b.ctx);
        return None;
    }
    named(b.ctx, tile.iv(b.ctx), l.iv(b.ctx));
    l.set_lower(b.ctx, left.map, &left.operands);
    Some(())
}

/// One tile of steps.
struct Tile<'a> {
    steps: &'a Steps,
    update: &'a Update,
    /// The ops of a step that the update needs.
    moving: &'a [Op],
    tiles: Tiles,
    k0: Value,
}

impl Tile<'_> {
    fn fill(&self, b: &mut Builder, parts: &[(Part, When)]) -> Option<()> {
        let (first, end) = self.all_steps(b.ctx)?;
        let l = self.steps.of;
        let mut made = Some(());
        let steps = ForOp::build(
            b,
            (first.map, &first.operands),
            (end.map, &end.operands),
            1,
            &[],
            |b, k, _| {
                made = self.step(b, k, parts);
                Vec::new()
            },
        );
        named(b.ctx, steps.iv(b.ctx), l.iv(b.ctx));
        made?;
        let mut delayed: Vec<&(Part, When)> = parts.iter().collect();
        delayed.retain(|(_, when)| *when != When::InStep);
        // Those of the rows are used by those that are last.
        delayed.sort_by_key(|(_, when)| *when == When::Last);
        for (part, when) in delayed {
            self.delayed(b, part, *when)?;
        }
        Some(())
    }

    fn all_steps(&self, ctx: &Context) -> Option<(ValueMap<Value>, ValueMap<Value>)> {
        let first = Linear::value(self.k0);
        let end = first.plus(self.tiles.size)?;
        Some((bound(ctx, &first), bound(ctx, &end)))
    }

    /// A step as it was, with those parts of the update that stay.
    fn step(&self, b: &mut Builder, k: Value, parts: &[(Part, When)]) -> Option<()> {
        let l = self.steps.of;
        let mut map = IrMapping::new();
        map.map(l.iv(b.ctx), k);
        for op in l.body(b.ctx).ops(b.ctx) {
            if op.isa::<YieldOp>(b.ctx) {
                continue;
            }
            if op != self.update.nest {
                let copy = clone_op(b.ctx, op, &mut map);
                b.insert(copy);
                continue;
            }
            for (part, _) in parts.iter().filter(|p| p.1 == When::InStep) {
                let all: Vec<usize> = (0..self.update.counters.len()).collect();
                let mut map = map.clone();
                self.nest(b, &all, part, &mut map, &mut |b, map| {
                    copies(b, &self.update.body, map);
                    Some(())
                })?;
            }
        }
        Some(())
    }

    /// A part of the update of all steps of the tile.
    fn delayed(&self, b: &mut Builder, part: &Part, when: When) -> Option<()> {
        let k = self.steps.counter(b.ctx);
        let in_order = match when {
            When::InOrderOf(p) => Some(p),
            _ => None,
        };
        let parallel: Vec<usize> = (0..self.update.counters.len())
            .filter(|c| Some(*c) != in_order)
            .collect();
        let body = &mut |b: &mut Builder, map: &mut IrMapping| {
            let (first, end) = self.all_steps(b.ctx)?;
            let Some(p) = in_order else {
                self.over_steps(b, k, first, end, map);
                return Some(());
            };
            let counter = &self.update.counters[p];
            let from = Linear::value(self.k0).plus(counter.behind?)?;
            let from = bound(b.ctx, &from);
            let to = inside(b.ctx, self.steps, counter, self.tiles, (self.k0, map))?;
            let mut made = Some(());
            let ordered = ForOp::build(
                b,
                (from.map, &from.operands),
                (to.map, &to.operands),
                1,
                &[],
                |b, iv, _| {
                    map.map(counter.iv, iv);
                    // Steps in which the loop has begun.
                    let end = Linear::value(iv);
                    let end = counter.behind.and_then(|n| end.plus(1)?.plus(-n));
                    match end {
                        Some(end) => {
                            let end = bound(b.ctx, &end);
                            self.over_steps(b, k, first, end, map);
                        }
                        None => made = None,
                    }
                    Vec::new()
                },
            );
            named(b.ctx, ordered.iv(b.ctx), counter.iv);
            made
        };
        let nest = self.nest(b, &parallel, part, &mut IrMapping::new(), body)?;
        if when == When::Last {
            let unit = b.ctx.unit();
            nest.set_attr(b.ctx, DELAYED, unit);
        }
        Some(())
    }

    /// The body for steps from one bound to the other.
    fn over_steps(
        &self,
        b: &mut Builder,
        k: Value,
        first: ValueMap<Value>,
        end: ValueMap<Value>,
        map: &mut IrMapping,
    ) {
        let steps = ForOp::build(
            b,
            (first.map, &first.operands),
            (end.map, &end.operands),
            1,
            &[],
            |b, now, _| {
                map.map(k, now);
                copies(b, self.moving, map);
                copies(b, &self.update.body, map);
                Vec::new()
            },
        );
        named(b.ctx, steps.iv(b.ctx), k);
    }

    /// Parallel loops of these counters around what `body` makes; the outermost.
    fn nest(
        &self,
        b: &mut Builder,
        counters: &[usize],
        part: &Part,
        map: &mut IrMapping,
        body: &mut dyn FnMut(&mut Builder, &mut IrMapping) -> Option<()>,
    ) -> Option<Op> {
        let (at, inner) = counters.split_first()?;
        let counter = &self.update.counters[*at];
        let (lower, upper) = self.bounds(b.ctx, *at, part, map)?;
        let mut made = Some(());
        let p = ParallelOp::build(
            b,
            (&[lower.map], &lower.operands),
            (&[upper.map], &upper.operands),
            &[counter.step],
            &[],
            &[],
            |b, ivs| {
                map.map_all(&[counter.iv], ivs);
                made = match inner.is_empty() {
                    true => body(b, map),
                    false => self.nest(b, inner, part, map, body).map(|_| ()),
                };
                Vec::new()
            },
        );
        let op = p.op();
        op.set_loc(b.ctx, counter.of.op().loc(b.ctx));
        for iv in p.ivs(b.ctx) {
            named(b.ctx, iv, counter.iv);
        }
        made.map(|()| op)
    }

    fn bounds(
        &self,
        ctx: &Context,
        at: usize,
        part: &Part,
        map: &IrMapping,
    ) -> Option<(ValueMap<Value>, ValueMap<Value>)> {
        let counter: &Counter = &self.update.counters[at];
        let lower = match part.beyond.contains(&at) {
            true => bound(ctx, &beyond(self.k0, counter, self.tiles)?),
            false => renamed(ctx, &counter.lower, map),
        };
        let upper = match part.inside.contains(&at) {
            true => inside(ctx, self.steps, counter, self.tiles, (self.k0, map))?,
            false => renamed(ctx, &counter.upper, map),
        };
        Some((lower, upper))
    }
}

fn copies(b: &mut Builder, ops: &[Op], map: &mut IrMapping) {
    for op in ops {
        let copy = clone_op(b.ctx, *op, map);
        b.insert(copy);
    }
}

/// Calls a counter what another is called.
fn named(ctx: &mut Context, iv: Value, like: Value) {
    let loc = like.loc(ctx);
    if let Some(block) = iv.arg_block() {
        block.set_arg_loc(ctx, iv.index(ctx), loc);
    }
}
