//! What of an array each copy must move: the elements that are used behind it, or those
//! that were written before it on the other side.
//!
//! Copies may be of boxes once their boxes satisfy, for each copy to a side S:
//!
//! - it holds all that S is used for before the next copy to S (what copies back from S
//!   counts as a use of their boxes), so that every use finds what it found before; or
//! - it holds all that is stale on S, so that S is valid as a whole behind it, as it was.
//!
//! The boxes depend on each other and are found together, by going around until nothing
//! changes.

use super::bounds::Known;
use super::called::Called;
use super::footprint::{Access, accesses, translated};
use super::region::Region;
use crate::xfer::arrays::{Arrays, Handed, Leaves, Side, Touch};
use crate::xfer::flow::{CopyPoint, Flow};
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::{affine, scf};
use terrace_ir::{Block, Context, Op, Value};

/// A copy at the entry of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copy {
    pub node: usize,
    /// The side it is copied to.
    pub to: Side,
}

/// The copies of one array.
pub struct Problem<'a> {
    pub ctx: &'a Context,
    pub function: Op,
    pub flow: &'a Flow,
    /// Of each node what its op does to the array; nothing where it is one of the copies.
    pub touches: Vec<Touch>,
    /// In the order in which those of one node are made.
    pub copies: Vec<Copy>,
    pub shape: Vec<i64>,
    /// The accesses on each side by the op of each node, where they are known.
    accesses: FxHashMap<(usize, Side), Option<Vec<Access>>>,
    known: FxHashMap<Block, Known>,
    heads: Vec<FxHashSet<Block>>,
    /// What the function says of the pair, where it is handed it.
    handed: Option<Handed>,
}

/// Rounds after which an array is left as it is.
const ROUNDS: usize = 12;

/// How much of its copy is needed, in the end.
#[derive(Debug, Clone)]
struct Choice {
    region: Region,
    /// Whether its side is valid as a whole behind it.
    restores: bool,
}

impl<'a> Problem<'a> {
    /// The problem of array `k`; nothing where functions that it is handed to, or that it
    /// comes from, ask its flags, which are of the whole.
    pub fn new(
        ctx: &'a Context,
        function: Op,
        flow: &'a Flow,
        arrays: &mut Arrays,
        k: usize,
        touches: Vec<Touch>,
        copies: Vec<Copy>,
    ) -> Option<Problem<'a>> {
        let handed = arrays.list[k].handed;
        let calls = touches.iter().filter_map(|t| t.call);
        if calls.chain(handed).any(|h| h.flags) {
            return None;
        }
        let shape = arrays.list[k].host.ty(ctx).shape(ctx)?.to_vec();
        let mut called = Called::default();
        let mut found = FxHashMap::default();
        let mut known = FxHashMap::default();
        for (n, node) in flow.nodes.iter().enumerate() {
            let Some(op) = node.op else { continue };
            for side in [Side::Host, Side::Device] {
                if !touches[n].uses(side) {
                    continue;
                }
                let list = accesses(ctx, arrays, &mut called, k, op, side);
                for a in list.iter().flatten() {
                    known
                        .entry(a.block)
                        .or_insert_with(|| Known::in_block(ctx, function, a.block));
                }
                found.insert((n, side), list);
            }
        }
        let mut heads = Vec::new();
        for c in &copies {
            let block = block_of(ctx, flow.nodes[c.node].place)?;
            known
                .entry(block)
                .or_insert_with(|| Known::in_block(ctx, function, block));
            heads.push(heads_of(ctx, function, block));
        }
        Some(Problem {
            ctx,
            function,
            flow,
            touches,
            copies,
            shape,
            accesses: found,
            known,
            heads,
            handed,
        })
    }

    /// What each copy has to move; `None` where no boxes are found that fit together.
    pub fn solve(&self) -> Option<Vec<Region>> {
        let n = self.copies.len();
        let mut restores = vec![true; n];
        let mut stale: Vec<Region> = (0..n).map(|c| self.stale(c, &restores)).collect();
        for _ in 0..ROUNDS {
            let chosen = self.choose(&stale)?;
            if chosen.iter().any(|c| matches!(c.region, Region::Nothing)) {
                return None;
            }
            let now: Vec<bool> = chosen.iter().map(|c| c.restores).collect();
            let again: Vec<Region> = (0..n).map(|c| self.stale(c, &now)).collect();
            let same = |(a, b): (&Region, &Region)| a.same(b, &self.shape);
            if now == restores && again.iter().zip(&stale).all(same) {
                return Some(chosen.into_iter().map(|c| c.region).collect());
            }
            restores = now;
            stale = again;
        }
        None
    }

    /// The boxes, given what is stale before each copy.
    fn choose(&self, stale: &[Region]) -> Option<Vec<Choice>> {
        let nothing = Choice {
            region: Region::Nothing,
            restores: false,
        };
        let mut chosen = vec![nothing; self.copies.len()];
        for _ in 0..ROUNDS {
            let mut changed = false;
            for c in 0..chosen.len() {
                let needed = self.needed(c, &chosen);
                let new = self.choice(needed, &stale[c]);
                let old = &chosen[c];
                if new.restores != old.restores || !new.region.same(&old.region, &self.shape) {
                    changed = true;
                    chosen[c] = new;
                }
            }
            if !changed {
                return Some(chosen);
            }
        }
        None
    }

    fn choice(&self, needed: Region, stale: &Region) -> Choice {
        let needed = needed.normal(&self.shape);
        let stale = stale.clone().normal(&self.shape);
        let shape = &self.shape;
        let by_stale = match (&needed, &stale) {
            (_, Region::Nothing | Region::All) => false,
            (Region::Nothing, _) => false,
            (Region::All, _) => true,
            // The smaller, if that is known; else what leaves the side valid.
            (n, s) => n.covers(s, shape) || !s.covers(n, shape),
        };
        match by_stale {
            true => Choice {
                region: stale,
                restores: true,
            },
            false => Choice {
                restores: matches!(needed, Region::All),
                region: needed,
            },
        }
    }

    /// Whether a value can be named at copy `c`, and is there what it is at places that
    /// are reached from it, or that it is reached from; `crossed`: around a loop that
    /// the copy stands in.
    fn allowed(&self, c: usize, crossed: bool) -> impl Fn(Value) -> bool {
        let place = self.flow.nodes[self.copies[c].node].place;
        move |v| {
            v.ty(self.ctx) == self.ctx.index()
                && available(self.ctx, self.function, v, place)
                && (!crossed || is_outermost(self.ctx, self.function, v))
        }
    }

    fn enters(&self, c: usize, node: usize) -> bool {
        match self.flow.nodes[node].place {
            CopyPoint::Start(block) => self.heads[c].contains(&block),
            _ => false,
        }
    }

    /// The copies at the entry of a node.
    fn copies_at(&self, node: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
        (0..self.copies.len()).filter(move |c| self.copies[*c].node == node)
    }

    fn region_at(&self, c: usize, list: &[&Access], crossed: bool) -> Region {
        let allowed = self.allowed(c, crossed);
        let mut all = Region::Nothing;
        for a in list {
            let known = &self.known[&a.block];
            all.join(&a.region(self.ctx, known, &allowed));
        }
        all
    }

    /// What the side of copy `c` is used for behind it, up to the next copy to it.
    fn needed(&self, c: usize, chosen: &[Choice]) -> Region {
        let Copy { node, to } = self.copies[c];
        let mut all = Region::Nothing;
        let mut seen = FxHashSet::default();
        // The first visit is behind the copy itself.
        let mut work = vec![(node, false, true)];
        while let Some((n, crossed, first)) = work.pop() {
            if !first && !seen.insert((n, crossed)) {
                continue;
            }
            if matches!(all, Region::All) {
                return all;
            }
            let mut ended = false;
            for other in self.copies_at(n).filter(|o| !first || *o > c) {
                if self.copies[other].to == to {
                    ended = true;
                    break;
                }
                let from = self.flow.nodes[n].place;
                let known = block_of(self.ctx, from).and_then(|b| self.known.get(&b));
                let read = match known {
                    Some(k) => {
                        let allowed = self.allowed(c, crossed);
                        translated(self.ctx, k, &chosen[other].region, &allowed)
                    }
                    None => Region::All,
                };
                all.join(&read);
            }
            let t = self.touches[n];
            if ended || t.discard || t.end || to == Side::Device && (t.free || t.create) {
                continue;
            }
            if t.create {
                // A mirror is made of what the whole array has.
                return Region::All;
            }
            // Whoever called may count on what was valid before.
            let kept = |h: Handed| h.leaves(to) == Leaves::Kept;
            if t.leave && self.handed.is_some_and(kept) {
                return Region::All;
            }
            if t.uses(to) {
                match self.accesses.get(&(n, to)) {
                    Some(Some(list)) => {
                        let list: Vec<&Access> = list.iter().collect();
                        all.join(&self.region_at(c, &list, crossed));
                    }
                    _ => return Region::All,
                }
            }
            for s in &self.flow.nodes[n].succ {
                work.push((*s, crossed || self.enters(c, *s), false));
            }
        }
        all
    }

    /// What may be stale on the side of copy `c` before it, where some copies leave
    /// nothing stale.
    fn stale(&self, c: usize, restores: &[bool]) -> Region {
        let Copy { node, to } = self.copies[c];
        let mut all = Region::Nothing;
        let mut seen = FxHashSet::default();
        let mut work = vec![(node, false)];
        let mut first = true;
        while let Some((n, crossed)) = work.pop() {
            // Backwards through the copies at the entry of the node.
            let before = |o: &usize| !first || *o < c;
            let restored = self
                .copies_at(n)
                .filter(before)
                .any(|o| self.copies[o].to == to && restores[o]);
            first = false;
            if restored {
                continue;
            }
            let crossed = crossed || self.enters(c, n);
            for p in &self.flow.nodes[n].pred {
                if !seen.insert((*p, crossed)) {
                    continue;
                }
                let t = self.touches[*p];
                if t.discard || t.end || t.create && to == Side::Host {
                    continue;
                }
                if t.create {
                    return Region::All;
                }
                if t.writes(to.other()) {
                    match self.accesses.get(&(*p, to.other())) {
                        Some(Some(list)) => {
                            let list: Vec<&Access> = list.iter().filter(|a| a.write).collect();
                            all.join(&self.region_at(c, &list, crossed));
                        }
                        _ => return Region::All,
                    }
                }
                work.push((*p, crossed));
            }
            let valid = self.handed.map_or(to == Side::Host, |h| h.needs(to));
            if self.flow.nodes[n].pred.is_empty() && !valid {
                return Region::All;
            }
        }
        all
    }
}

/// The block that a place is in.
pub fn block_of(ctx: &Context, place: CopyPoint) -> Option<Block> {
    match place {
        CopyPoint::Before(op) | CopyPoint::After(op) | CopyPoint::Else(op) => op.block(ctx),
        CopyPoint::Start(block) | CopyPoint::End(block) => Some(block),
    }
}

/// Where another iteration of a loop around a block begins; blocks that branch count as
/// loops.
fn heads_of(ctx: &Context, function: Op, block: Block) -> FxHashSet<Block> {
    let body = function.region(ctx, 0);
    let mut heads: FxHashSet<Block> = body
        .blocks(ctx)
        .into_iter()
        .filter(|b| !b.is_entry(ctx))
        .collect();
    let mut at = block;
    while let Some(op) = at.parent_op(ctx).filter(|o| *o != function) {
        if matches!(
            op.name(ctx),
            scf::ForOp::NAME | affine::ForOp::NAME | scf::WhileOp::NAME
        ) {
            heads.extend(op.region(ctx, 0).entry(ctx));
        }
        match op.block(ctx) {
            Some(outer) => at = outer,
            None => break,
        }
    }
    heads
}

/// Whether a value is made before a place, in a block around it.
fn available(ctx: &Context, function: Op, v: Value, place: CopyPoint) -> bool {
    let Some(home) = (match v.def_op() {
        Some(op) => op.block(ctx),
        None => v.arg_block(),
    }) else {
        return false;
    };
    let (Some(block), before) = (match place {
        CopyPoint::Before(op) | CopyPoint::Else(op) => (op.block(ctx), Some((op, false))),
        CopyPoint::After(op) => (op.block(ctx), Some((op, true))),
        CopyPoint::Start(block) => (Some(block), block.first_op(ctx).map(|o| (o, false))),
        CopyPoint::End(block) => (Some(block), block.terminator(ctx).map(|o| (o, false))),
    }) else {
        return false;
    };
    // The op in the value's block that the place is in, or behind.
    let (mut at, mut mark) = (block, before);
    while at != home {
        let Some(op) = at.parent_op(ctx).filter(|o| *o != function) else {
            // Another block of the function: only its entry comes before all of them.
            return home.is_entry(ctx) && home.parent_op(ctx) == Some(function);
        };
        match op.block(ctx) {
            Some(outer) => at = outer,
            None => return false,
        }
        mark = Some((op, false));
    }
    match (v.def_op(), mark) {
        (None, _) => true,
        (Some(def), Some((op, after))) => def.is_before(ctx, op) || after && def == op,
        (Some(_), None) => true,
    }
}

/// Whether a value never changes while the function runs.
fn is_outermost(ctx: &Context, function: Op, v: Value) -> bool {
    let home = match v.def_op() {
        Some(op) => op.block(ctx),
        None => v.arg_block(),
    };
    home.is_some_and(|b| b.is_entry(ctx) && b.parent_op(ctx) == Some(function))
}
