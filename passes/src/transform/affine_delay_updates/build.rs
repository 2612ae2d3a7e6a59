//! The tiles, what runs in their steps and behind them, and the steps that are in none.

use super::bounds::{Tiles, beyond, bound, inside, is_bounded, renamed, rest};
use super::find::{Counter, Steps, UpdateNest, is_fixed};
use super::legal::{Part, Piece, When};
use crate::analysis::linear::Linear;
use crate::loops::mapper::LOOPS;
use terrace_dialects::affine::{ForOp, ParallelOp, YieldOp};
use terrace_dialects::attributes::{AFFINE_DELAYED, GPU_MAPPER};
use terrace_ir::affine::ValueMap;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// Puts tiles in front of the steps, which then are those that are left. `None`, with nothing
/// changed but numbers computed earlier, where numbers are out of range.
pub(super) fn build(
    ctx: &mut Context,
    steps: &Steps,
    nests: &[UpdateNest],
    tiles: Tiles,
    pieces: &[Piece],
) -> Option<()> {
    let l = steps.of;
    let needed: Vec<Op> = nests.iter().flat_map(|n| n.needed.clone()).collect();
    let mut moving: Vec<Op> = Vec::new();
    for op in l.body(ctx).ops(ctx) {
        match needed.contains(&op) {
            true if is_fixed(ctx, l, op) => op.move_before(ctx, l.op()),
            true => moving.push(op),
            false => {}
        }
    }
    let left = rest(ctx, steps, tiles)?;
    let end = steps.end.plus(-tiles.least)?.plus(1)?;
    for c in nests.iter().flat_map(|n| &n.counters) {
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
                nests,
                moving: &moving,
                tiles,
                k0,
            };
            made = tile.fill(b, pieces);
            Vec::new()
        },
    );
    if made.is_none() {
        tile.op().erase(b.ctx);
        return None;
    }
    named(b.ctx, tile.iv(b.ctx), l.iv(b.ctx));
    l.set_lower(b.ctx, left.map, &left.operands);
    for n in nests {
        if n.counters.iter().all(|c| is_bounded(b.ctx, steps, c)) {
            is_small(b.ctx, n.root);
        }
    }
    Some(())
}

/// Lets a nest of few iterations have a thread for each: what several of them load in common is
/// little, and one block may run such nests of many steps, one after another.
fn is_small(ctx: &Context, nest: Op) {
    nest.set_attr(ctx, GPU_MAPPER, ctx.string_attr(LOOPS));
}

/// One tile of steps.
struct Tile<'a> {
    steps: &'a Steps,
    /// The update, and what goes with it.
    nests: &'a [UpdateNest],
    /// The ops of a step that these need, which compute from numbers alone.
    moving: &'a [Op],
    tiles: Tiles,
    k0: Value,
}

impl Tile<'_> {
    fn fill(&self, b: &mut Builder, pieces: &[Piece]) -> Option<()> {
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
                made = self.step(b, k, pieces);
                Vec::new()
            },
        );
        named(b.ctx, steps.iv(b.ctx), l.iv(b.ctx));
        made?;
        self.threads(b, pieces)?;
        for p in pieces {
            if let When::InOrderOf(counter) = p.when {
                self.in_order(b, p, counter)?;
            }
        }
        for p in pieces.iter().filter(|p| p.when == When::Last) {
            self.last(b, p)?;
        }
        Some(())
    }

    fn all_steps(&self, ctx: &Context) -> Option<(ValueMap<Value>, ValueMap<Value>)> {
        let first = Linear::value(self.k0);
        let end = first.plus(self.tiles.size)?;
        Some((bound(ctx, &first), bound(ctx, &end)))
    }

    /// A step as it was, with those parts of nests that stay.
    fn step(&self, b: &mut Builder, k: Value, pieces: &[Piece]) -> Option<()> {
        let l = self.steps.of;
        let mut map = IrMapping::new();
        map.map(l.iv(b.ctx), k);
        for op in l.body(b.ctx).ops(b.ctx) {
            if op.isa::<YieldOp>(b.ctx) {
                continue;
            }
            let of = |p: &&Piece| self.nests[p.of].root == op;
            if !pieces.iter().any(|p| of(&p)) {
                let copy = clone_op(b.ctx, op, &mut map);
                b.insert(copy);
                continue;
            }
            for p in pieces.iter().filter(of).filter(|p| p.when == When::InStep) {
                let nest = &self.nests[p.of];
                let all: Vec<usize> = (0..nest.counters.len()).collect();
                let mut map = map.clone();
                let made = self.parallel(b, nest, &all, &p.part, &mut map, &mut |b, map| {
                    copies(b, &nest.body, map);
                    Some(())
                })?;
                if p.part.inside.len() == nest.counters.len() {
                    is_small(b.ctx, made);
                }
            }
        }
        Some(())
    }

    /// What a thread does of all steps of the tile, for each number of a counter beyond it.
    fn threads(&self, b: &mut Builder, pieces: &[Piece]) -> Option<()> {
        let l = self.steps.of;
        let mut of_threads: Vec<(&Piece, usize)> = Vec::new();
        // In the order of the text.
        for op in l.body(b.ctx).ops(b.ctx) {
            for p in pieces.iter().filter(|p| self.nests[p.of].root == op) {
                if let Some(counter) = p.when.thread() {
                    of_threads.push((p, counter));
                }
            }
        }
        let Some((first, counter)) = of_threads.first().copied() else {
            return Some(());
        };
        let nest = &self.nests[first.of];
        let (from, to) = self.all_steps(b.ctx)?;
        let mut map = IrMapping::new();
        let ordered = of_threads.iter().find_map(|(p, _)| match p.when {
            When::ThreadInOrder(_, by) => Some((*p, by)),
            _ => None,
        });
        self.parallel(b, nest, &[counter], &first.part, &mut map, &mut |b, map| {
            let thread = map.value(nest.counters[counter].iv);
            for (p, counter) in &of_threads {
                map.map(self.nests[p.of].counters[*counter].iv, thread);
            }
            if let Some((update, by)) = ordered {
                return self.thread_in_order(b, (update, by), &of_threads, map);
            }
            let mut made = Some(());
            let (from, to) = (from.clone(), to.clone());
            self.over_steps(b, (from, to), map, &mut |b, map| {
                for (p, counter) in &of_threads {
                    let nest = &self.nests[p.of];
                    let rest: Vec<usize> =
                        (0..nest.counters.len()).filter(|c| c != counter).collect();
                    if self
                        .one_after_another(b, nest, &rest, &p.part, map)
                        .is_none()
                    {
                        made = None;
                    }
                }
            });
            made
        })?;
        Some(())
    }

    /// What a thread does, for one number of a counter after the other: the update in all steps
    /// in which its loop has begun, and then what belongs behind it in the number's own step.
    fn thread_in_order(
        &self,
        b: &mut Builder,
        (update, by): (&Piece, usize),
        of_threads: &[(&Piece, usize)],
        map: &mut IrMapping,
    ) -> Option<()> {
        let nest = &self.nests[update.of];
        let counter = &nest.counters[by];
        let (first, end) = self.all_steps(b.ctx)?;
        let mut made = Some(());
        let l = ForOp::build(
            b,
            (first.map.clone(), &first.operands),
            (end.map, &end.operands),
            1,
            &[],
            |b, now, _| {
                map.map(counter.iv, now);
                // The loop begins one behind the step.
                let end = bound(b.ctx, &Linear::value(now));
                let mut rest: Vec<usize> = (0..nest.counters.len()).collect();
                rest.retain(|c| *c != by && Some(*c) != update.when.thread());
                self.over_steps(b, (first.clone(), end), map, &mut |b, map| {
                    if self
                        .one_after_another(b, nest, &rest, &update.part, map)
                        .is_none()
                    {
                        made = None;
                    }
                });
                map.map(self.steps.counter(b.ctx), now);
                copies(b, self.moving, map);
                for (p, _) in of_threads.iter().filter(|(p, _)| p.of != update.of) {
                    copies(b, &self.nests[p.of].body, map);
                }
                Vec::new()
            },
        );
        named(b.ctx, l.iv(b.ctx), counter.iv);
        made
    }

    /// The body of a nest in loops of these counters, one iteration after another.
    fn one_after_another(
        &self,
        b: &mut Builder,
        nest: &UpdateNest,
        counters: &[usize],
        part: &Part,
        map: &mut IrMapping,
    ) -> Option<()> {
        let Some((at, inner)) = counters.split_first() else {
            copies(b, &nest.body, map);
            return Some(());
        };
        let counter = &nest.counters[*at];
        let (lower, upper) = self.bounds(b.ctx, nest, *at, part, map)?;
        let mut made = None;
        let l = ForOp::build(
            b,
            (lower.map, &lower.operands),
            (upper.map, &upper.operands),
            counter.step,
            &[],
            |b, iv, _| {
                map.map(counter.iv, iv);
                made = self.one_after_another(b, nest, inner, part, map);
                Vec::new()
            },
        );
        named(b.ctx, l.iv(b.ctx), counter.iv);
        made
    }

    /// What a thread does for all numbers of a counter, which are in the tile.
    fn in_order(&self, b: &mut Builder, p: &Piece, ordered: usize) -> Option<()> {
        let nest = &self.nests[p.of];
        let counter = &nest.counters[ordered];
        let rest: Vec<usize> = (0..nest.counters.len()).filter(|c| *c != ordered).collect();
        let (first, _) = self.all_steps(b.ctx)?;
        let mut map = IrMapping::new();
        self.parallel(b, nest, &rest, &p.part, &mut map, &mut |b, map| {
            let from = Linear::value(self.k0).plus(counter.behind?)?;
            let from = bound(b.ctx, &from);
            let others: Vec<&Counter> = p.part.beyond.iter().map(|c| &nest.counters[*c]).collect();
            let to = inside(
                b.ctx,
                self.steps,
                counter,
                &others,
                self.tiles,
                (self.k0, map),
            )?;
            let mut made = Some(());
            let l = ForOp::build(
                b,
                (from.map, &from.operands),
                (to.map, &to.operands),
                1,
                &[],
                |b, iv, _| {
                    map.map(counter.iv, iv);
                    // The steps in which the loop has begun.
                    let end = Linear::value(iv).plus(1);
                    let Some(end) = end.and_then(|e| e.plus(-counter.behind?)) else {
                        made = None;
                        return Vec::new();
                    };
                    let end = bound(b.ctx, &end);
                    self.over_steps(b, (first.clone(), end), map, &mut |b, map| {
                        copies(b, &nest.body, map);
                    });
                    Vec::new()
                },
            );
            named(b.ctx, l.iv(b.ctx), counter.iv);
            made
        })?;
        Some(())
    }

    /// What is beyond the tile, an element a thread.
    fn last(&self, b: &mut Builder, p: &Piece) -> Option<()> {
        let nest = &self.nests[p.of];
        let all: Vec<usize> = (0..nest.counters.len()).collect();
        let bounds = self.all_steps(b.ctx)?;
        let mut map = IrMapping::new();
        let made = self.parallel(b, nest, &all, &p.part, &mut map, &mut |b, map| {
            self.over_steps(b, bounds.clone(), map, &mut |b, map| {
                copies(b, &nest.body, map);
            });
            Some(())
        })?;
        let unit = b.ctx.unit();
        made.set_attr(b.ctx, AFFINE_DELAYED, unit);
        Some(())
    }

    /// What `body` makes, for steps from one bound to the other.
    fn over_steps(
        &self,
        b: &mut Builder,
        (first, end): (ValueMap<Value>, ValueMap<Value>),
        map: &mut IrMapping,
        body: &mut dyn FnMut(&mut Builder, &mut IrMapping),
    ) {
        let k = self.steps.counter(b.ctx);
        let steps = ForOp::build(
            b,
            (first.map, &first.operands),
            (end.map, &end.operands),
            1,
            &[],
            |b, now, _| {
                map.map(k, now);
                copies(b, self.moving, map);
                body(b, map);
                Vec::new()
            },
        );
        named(b.ctx, steps.iv(b.ctx), k);
    }

    /// Parallel loops of these counters of a nest around what `body` makes; the outermost.
    fn parallel(
        &self,
        b: &mut Builder,
        nest: &UpdateNest,
        counters: &[usize],
        part: &Part,
        map: &mut IrMapping,
        body: &mut dyn FnMut(&mut Builder, &mut IrMapping) -> Option<()>,
    ) -> Option<Op> {
        let (at, inner) = counters.split_first()?;
        let counter = &nest.counters[*at];
        let (lower, upper) = self.bounds(b.ctx, nest, *at, part, map)?;
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
                    false => self.parallel(b, nest, inner, part, map, body).map(|_| ()),
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
        nest: &UpdateNest,
        at: usize,
        part: &Part,
        map: &IrMapping,
    ) -> Option<(ValueMap<Value>, ValueMap<Value>)> {
        let counter = &nest.counters[at];
        let lower = match part.beyond.contains(&at) {
            true => bound(ctx, &beyond(self.k0, counter, self.tiles)?),
            false => renamed(ctx, &counter.lower, map),
        };
        let upper = match part.inside.contains(&at) {
            true => {
                let others: Vec<&Counter> =
                    part.beyond.iter().map(|c| &nest.counters[*c]).collect();
                inside(
                    ctx,
                    self.steps,
                    counter,
                    &others,
                    self.tiles,
                    (self.k0, map),
                )?
            }
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
