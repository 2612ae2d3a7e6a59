//! Dominance: which blocks have run by the time another one runs.
//!
//! Blocks of one region are ordered by a dominator tree (Cooper, Harvey and
//! Kennedy, "A simple, fast dominance algorithm").

use crate::block::{Block, Region};
use crate::context::Context;
use crate::opdef::traits;
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
    /// Computes the tree of the blocks that the entry of `region` reaches.
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

    /// Whether the entry reaches `b`.
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

    /// The closest other block that dominates `b`; `None` for the entry and what it does not
    /// reach.
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
