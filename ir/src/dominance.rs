//! Dominance: which values are computed by the time an op runs.
//!
//! Blocks of one region are ordered by a dominator tree (Cooper, Harvey and
//! Kennedy, "A simple, fast dominance algorithm"), ops of one block by their place,
//! and ops of nested regions by the ancestor that lies in the common region.

use crate::block::{Block, Region};
use crate::context::Context;
use crate::dense::OpNumbers;
use crate::op::Op;
use crate::opdef::traits;
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// The dominator tree of the blocks of one region.
#[derive(Debug)]
pub struct DomTree {
    /// Place of each block that the entry reaches, in reverse post-order.
    number: FxHashMap<Block, u32>,
    blocks: Vec<Block>,
    /// Immediate dominator by number; the entry is its own.
    idom: Vec<u32>,
    /// When a walk of the tree enters and leaves each block.
    span: Vec<(u32, u32)>,
}

impl DomTree {
    pub fn new(ctx: &Context, region: Region) -> Self {
        let blocks = reverse_post_order(ctx, region);
        let number: FxHashMap<Block, u32> = blocks
            .iter()
            .enumerate()
            .map(|(i, b)| (*b, i as u32))
            .collect();
        let n = blocks.len();
        let mut preds: Vec<Vec<u32>> = vec![Vec::new(); n];
        for (i, b) in blocks.iter().enumerate() {
            for s in b.successors(ctx) {
                if let Some(s) = number.get(&s) {
                    preds[*s as usize].push(i as u32);
                }
            }
        }
        const NONE: u32 = u32::MAX;
        let mut idom = vec![NONE; n];
        if n > 0 {
            idom[0] = 0;
        }
        let mut changed = n > 1;
        while changed {
            changed = false;
            for b in 1..n {
                let mut new = NONE;
                for &p in &preds[b] {
                    if idom[p as usize] == NONE {
                        continue;
                    }
                    new = if new == NONE {
                        p
                    } else {
                        intersect(&idom, new, p)
                    };
                }
                if idom[b] != new {
                    idom[b] = new;
                    changed = true;
                }
            }
        }
        let span = spans(&idom);
        DomTree {
            number,
            blocks,
            idom,
            span,
        }
    }

    pub fn is_reachable(&self, b: Block) -> bool {
        self.number.contains_key(&b)
    }

    /// Whether every way from the entry to `b` goes through `a`. A block that the
    /// entry does not reach is dominated by all.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let Some(&nb) = self.number.get(&b) else {
            return true;
        };
        let Some(&na) = self.number.get(&a) else {
            return a == b;
        };
        let (sa, sb) = (self.span[na as usize], self.span[nb as usize]);
        sa.0 <= sb.0 && sb.1 <= sa.1
    }

    pub fn immediate_dominator(&self, b: Block) -> Option<Block> {
        let n = *self.number.get(&b)?;
        (n != 0).then(|| self.blocks[self.idom[n as usize] as usize])
    }

    /// The blocks that the entry reaches, in reverse post-order.
    pub fn reverse_post_order(&self) -> &[Block] {
        &self.blocks
    }
}

fn intersect(idom: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = idom[a as usize];
        }
        while b > a {
            b = idom[b as usize];
        }
    }
    a
}

/// The blocks that the entry of `region` reaches, each before those it dominates.
pub fn reverse_post_order(ctx: &Context, region: Region) -> Vec<Block> {
    let Some(entry) = region.entry(ctx) else {
        return Vec::new();
    };
    let mut order = Vec::new();
    let mut seen: FxHashSet<Block> = FxHashSet::default();
    seen.insert(entry);
    let mut stack = vec![(entry, entry.successors(ctx), 0)];
    while let Some((block, succ, i)) = stack.last_mut() {
        match succ.get(*i).copied() {
            Some(s) => {
                *i += 1;
                // A malformed branch may leave the region.
                if s.region(ctx) == Some(region) && seen.insert(s) {
                    stack.push((s, s.successors(ctx), 0));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Enter and leave times of each node in a walk of the tree. In reverse post-order
/// a node comes after its immediate dominator, so sizes add up from the back.
fn spans(idom: &[u32]) -> Vec<(u32, u32)> {
    let n = idom.len();
    let mut size = vec![1u32; n];
    for b in (1..n).rev() {
        size[idom[b] as usize] += size[b];
    }
    let mut span = vec![(0, 0); n];
    let mut free: Vec<u32> = vec![0; n];
    for b in 0..n {
        let start = if b == 0 {
            0
        } else {
            let p = idom[b] as usize;
            let at = free[p];
            free[p] += size[b];
            at
        };
        span[b] = (start, start + size[b]);
        free[b] = start + 1;
    }
    span
}

/// Whether values in `region` may be used before they are defined.
pub fn is_graph_region(ctx: &Context, region: Region) -> bool {
    region
        .parent_op(ctx)
        .def(ctx)
        .is_some_and(|d| d.has(traits::GRAPH_REGION))
}

/// Dominance between ops, computed as asked for and kept.
///
/// Erasing ops is fine at any time. After blocks or branches of a region change,
/// call [`Self::invalidate_region`]; after ops move or are added within a block,
/// [`Self::invalidate_block`].
#[derive(Debug, Default)]
pub struct Dominance {
    trees: FxHashMap<Region, DomTree>,
    /// Blocks whose ops are numbered.
    numbered: FxHashSet<Block>,
    order: OpNumbers,
}

impl Dominance {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn invalidate_region(&mut self, region: Region) {
        self.trees.remove(&region);
    }

    pub fn invalidate_block(&mut self, block: Block) {
        self.numbered.remove(&block);
    }

    /// The dominator tree of a region.
    pub fn tree(&mut self, ctx: &Context, region: Region) -> &DomTree {
        self.trees
            .entry(region)
            .or_insert_with(|| DomTree::new(ctx, region))
    }

    pub fn is_reachable(&mut self, ctx: &Context, block: Block) -> bool {
        match block.region(ctx) {
            Some(r) => block.is_entry(ctx) || self.tree(ctx, r).is_reachable(block),
            None => false,
        }
    }

    /// Whether `a` comes before `b` in their common block.
    pub fn is_before(&mut self, ctx: &Context, a: Op, b: Op) -> bool {
        let Some(block) = a.block(ctx) else {
            return false;
        };
        if self.numbered.insert(block) {
            let mut next = block.first_op(ctx);
            let mut n = 0;
            while let Some(op) = next {
                n += 1;
                self.order.set(op, n);
                next = op.next(ctx);
            }
        }
        self.order.get(a) < self.order.get(b)
    }

    /// Whether block `a` dominates block `b`, which may be nested in it or in a
    /// block that `a` dominates.
    pub fn block_dominates(&mut self, ctx: &Context, a: Block, b: Block) -> bool {
        let Some(region) = a.region(ctx) else {
            return a == b;
        };
        let mut b = b;
        while b.region(ctx) != Some(region) {
            match b.parent_op(ctx).and_then(|p| p.block(ctx)) {
                Some(outer) => b = outer,
                None => return false,
            }
        }
        a == b || self.tree(ctx, region).dominates(a, b)
    }

    /// Whether `a` has run whenever `b` runs. An op does not properly dominate
    /// itself nor, unless `enclosing` is set, the ops nested in it.
    pub fn op_properly_dominates(&mut self, ctx: &Context, a: Op, b: Op, enclosing: bool) -> bool {
        if a == b {
            return false;
        }
        let (Some(block), Some(region)) = (a.block(ctx), a.region_of(ctx)) else {
            return false;
        };
        // The ancestor of `b` that lies in the region of `a`.
        let mut anc = b;
        let anc_block = loop {
            let Some(bb) = anc.block(ctx) else {
                return false;
            };
            if bb.region(ctx) == Some(region) {
                break bb;
            }
            match bb.parent_op(ctx) {
                Some(p) => anc = p,
                None => return false,
            }
        };
        if anc == a {
            return enclosing;
        }
        if anc_block == block {
            return is_graph_region(ctx, region) || self.is_before(ctx, a, anc);
        }
        self.tree(ctx, region).dominates(block, anc_block)
    }

    /// Whether `v` is defined whenever `op` runs, so that `op` may use it.
    pub fn value_dominates(&mut self, ctx: &Context, v: Value, op: Op) -> bool {
        match (v.def_op(), v.arg_block()) {
            (Some(def), _) => self.op_properly_dominates(ctx, def, op, false),
            (None, Some(block)) => op
                .block(ctx)
                .is_some_and(|b| self.block_dominates(ctx, block, b)),
            (None, None) => false,
        }
    }
}
