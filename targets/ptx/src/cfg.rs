//! The control-flow graph of a function, dominators and post-dominators.

use super::ids::{BlockId, InstId};
use super::module::Func;
use smallvec::SmallVec;

/// Edges and orders. Blocks are named by their position in the layout.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// The blocks by position.
    pub blocks: Vec<BlockId>,
    /// Position of each block of the arena; none if it is not in the layout.
    position: Vec<Option<u32>>,
    pub succs: Vec<SmallVec<[u32; 2]>>,
    pub preds: Vec<SmallVec<[u32; 2]>>,
    /// Whether the block may leave the function.
    pub exits: Vec<bool>,
    /// Reachable blocks in reverse post-order.
    pub rpo: Vec<u32>,
    /// Immediate dominator; the entry is its own; none for unreachable blocks.
    pub idom: Vec<Option<u32>>,
    /// Number of each reachable block in a walk of the dominator tree, parents
    /// first, and that of the last block below it.
    first: Vec<u32>,
    last: Vec<u32>,
}

impl Cfg {
    /// Builds it. Branches to blocks outside the layout are left out.
    pub fn new(func: &Func) -> Cfg {
        let n = func.layout.len();
        let mut position = vec![None; func.blocks.len()];
        for (i, block) in func.layout.iter().enumerate() {
            if let Some(slot) = position.get_mut(block.index()) {
                *slot = Some(i as u32);
            }
        }
        let mut succs: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); n];
        let mut preds: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); n];
        let mut exits = vec![false; n];
        for (i, block) in func.layout.iter().enumerate() {
            let Some(body) = func.blocks.get(*block) else {
                continue;
            };
            let mut ended = false;
            for inst in body.insts.iter().filter_map(|id| func.insts.get(*id)) {
                if let Some(target) = inst.branch_target() {
                    let to = position.get(target.index()).copied().flatten();
                    if let Some(to) = to
                        && !succs[i].contains(&to)
                    {
                        succs[i].push(to);
                        preds[to as usize].push(i as u32);
                    }
                } else if inst.op.is_terminator() {
                    exits[i] = true;
                }
                if inst.ends_block() {
                    ended = true;
                    break;
                }
            }
            // Broken code that runs off its end; the checker says so.
            exits[i] |= !ended;
        }
        let rpo = reverse_post_order(&succs);
        let idom = dominators(&rpo, &preds, 0, n);
        let (first, last) = intervals(&rpo, &idom);
        Cfg {
            blocks: func.layout.clone(),
            position,
            succs,
            preds,
            exits,
            rpo,
            idom,
            first,
            last,
        }
    }

    /// Position of a block in the layout.
    pub fn position(&self, block: BlockId) -> Option<u32> {
        self.position.get(block.index()).copied().flatten()
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Whether the entry reaches a block.
    pub fn is_reachable(&self, at: u32) -> bool {
        self.idom.get(at as usize).is_some_and(Option::is_some)
    }

    /// Whether every path from the entry to `b` passes `a`. False if either
    /// is unreachable.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        if !self.is_reachable(a) || !self.is_reachable(b) {
            return false;
        }
        let (first, last) = self.interval(a);
        (first..=last).contains(&self.first[b as usize])
    }

    /// The numbers of a reachable block and all that it dominates, first and
    /// last, in a walk of the dominator tree: of several dominators of one block
    /// the nearest has the greatest first number.
    pub fn interval(&self, at: u32) -> (u32, u32) {
        (self.first[at as usize], self.last[at as usize])
    }

    /// The blocks that each block dominates immediately, in reverse post-order.
    pub fn dominator_tree(&self) -> Tree {
        let parent = |b: u32| self.idom[b as usize].filter(|up| *up != b);
        let mut starts = vec![0u32; self.len() + 1];
        for up in self.rpo.iter().filter_map(|b| parent(*b)) {
            starts[up as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut children = vec![0; self.rpo.len()];
        for &b in &self.rpo {
            if let Some(up) = parent(b) {
                children[next[up as usize] as usize] = b;
                next[up as usize] += 1;
            }
        }
        Tree { starts, children }
    }

    /// The immediate post-dominator of each block, by position; none where
    /// paths meet only at the end of the function, or never end.
    pub fn post_dominators(&self) -> Vec<Option<u32>> {
        let n = self.len();
        // The same algorithm on the reversed graph, with one more node that
        // all exits lead to.
        let end = n as u32;
        let mut back: Vec<SmallVec<[u32; 2]>> = self.preds.clone();
        back.push((0..end).filter(|b| self.exits[*b as usize]).collect());
        let mut ahead = self.succs.clone();
        for (i, list) in ahead.iter_mut().enumerate() {
            if self.exits[i] {
                list.push(end);
            }
        }
        ahead.push(SmallVec::new());
        let rpo = reverse_post_order_from(&back, end);
        let idom = dominators(&rpo, &ahead, end, n + 1);
        (0..n).map(|b| idom[b].filter(|up| *up != end)).collect()
    }
}

/// The blocks below each block of a tree, by position.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Where the children of each block start among all, and the end.
    starts: Vec<u32>,
    children: Vec<u32>,
}

impl Tree {
    /// The children of a block.
    pub fn of(&self, block: u32) -> &[u32] {
        let start = self.starts.get(block as usize).copied();
        let end = self.starts.get(block as usize + 1).copied();
        match (start, end) {
            (Some(start), Some(end)) => &self.children[start as usize..end as usize],
            _ => &[],
        }
    }
}

/// Where an instruction stands: block by position, and index in the block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Point {
    pub block: u32,
    pub index: u32,
}

/// The instructions of a function with their places.
pub fn points(func: &Func) -> impl Iterator<Item = (Point, InstId)> {
    func.layout.iter().enumerate().flat_map(move |(b, block)| {
        let insts = func.blocks.get(*block).map_or(&[][..], |body| &body.insts);
        insts.iter().enumerate().map(move |(i, id)| {
            let point = Point {
                block: b as u32,
                index: i as u32,
            };
            (point, *id)
        })
    })
}

/// First and last numbers of subtrees of the dominator tree, by the sizes of the
/// subtrees: a block comes before all that it dominates in reverse post-order.
fn intervals(rpo: &[u32], idom: &[Option<u32>]) -> (Vec<u32>, Vec<u32>) {
    let n = idom.len();
    let mut size = vec![1u32; n];
    for &b in rpo.iter().rev() {
        if let Some(up) = idom[b as usize].filter(|up| *up != b) {
            size[up as usize] += size[b as usize];
        }
    }
    let (mut first, mut last) = (vec![0; n], vec![0; n]);
    let mut next = vec![0; n];
    for &b in rpo {
        let b = b as usize;
        if let Some(up) = idom[b].filter(|up| *up as usize != b) {
            first[b] = next[up as usize];
            next[up as usize] += size[b];
        }
        next[b] = first[b] + 1;
        last[b] = first[b] + size[b] - 1;
    }
    (first, last)
}

fn reverse_post_order(succs: &[SmallVec<[u32; 2]>]) -> Vec<u32> {
    if succs.is_empty() {
        return Vec::new();
    }
    reverse_post_order_from(succs, 0)
}

fn reverse_post_order_from(succs: &[SmallVec<[u32; 2]>], root: u32) -> Vec<u32> {
    let mut seen = vec![false; succs.len()];
    let mut order = Vec::with_capacity(succs.len());
    // An explicit stack: a chain of blocks may be deeper than the call stack.
    let mut stack = vec![(root, 0usize)];
    seen[root as usize] = true;
    while let Some((node, next)) = stack.last_mut() {
        match succs[*node as usize].get(*next) {
            Some(&to) => {
                *next += 1;
                if !seen[to as usize] {
                    seen[to as usize] = true;
                    stack.push((to, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Immediate dominators by the iteration of Cooper, Harvey and Kennedy,
/// "A Simple, Fast Dominance Algorithm" (2001).
fn dominators(rpo: &[u32], preds: &[SmallVec<[u32; 2]>], root: u32, n: usize) -> Vec<Option<u32>> {
    let mut idom: Vec<Option<u32>> = vec![None; n];
    if n == 0 || rpo.is_empty() {
        return idom;
    }
    let mut rank = vec![u32::MAX; n];
    for (i, b) in rpo.iter().enumerate() {
        rank[*b as usize] = i as u32;
    }
    idom[root as usize] = Some(root);
    let meet = |idom: &[Option<u32>], a: u32, b: u32| {
        let (mut a, mut b) = (a, b);
        while a != b {
            let lower = if rank[a as usize] > rank[b as usize] {
                &mut a
            } else {
                &mut b
            };
            match idom[*lower as usize] {
                Some(up) => *lower = up,
                None => return root,
            }
        }
        a
    };
    let mut changed = true;
    while changed {
        changed = false;
        for &b in rpo.iter().filter(|b| **b != root) {
            let mut new = None;
            for &p in &preds[b as usize] {
                if idom[p as usize].is_some() {
                    new = Some(match new {
                        None => p,
                        Some(other) => meet(&idom, p, other),
                    });
                }
            }
            if new.is_some() && idom[b as usize] != new {
                idom[b as usize] = new;
                changed = true;
            }
        }
    }
    idom
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cmp, FuncBuilder, FuncKind, Ty};

    #[test]
    fn a_loop_with_a_diamond() {
        let mut func = Func::new("f", FuncKind::Kernel);
        let mut b = FuncBuilder::new(&mut func);
        let [head, left, right, latch, end] =
            ["head", "left", "right", "latch", "end"].map(|n| b.new_block(n));
        b.bra(head);
        b.switch_to(head);
        let x = b.mov(Ty::S32, 1);
        let p = b.setp(Cmp::Lt, Ty::S32, x, 5);
        b.cond_bra(p, left, right);
        b.switch_to(left);
        b.bra(latch);
        b.switch_to(right);
        b.bra(latch);
        b.switch_to(latch);
        b.cond_bra(p, head, end);
        b.switch_to(end);
        b.ret();
        let cfg = Cfg::new(&func);
        assert_eq!(cfg.idom, [0, 0, 1, 1, 1, 4].map(Some));
        assert!(cfg.dominates(1, 5) && cfg.dominates(3, 3) && !cfg.dominates(2, 4));
        assert_eq!(
            cfg.post_dominators(),
            [Some(1), Some(4), Some(4), Some(4), Some(5), None]
        );
    }

    #[test]
    fn the_dominator_tree_and_its_numbers() {
        let mut func = Func::new("f", FuncKind::Kernel);
        let mut b = FuncBuilder::new(&mut func);
        let [head, left, right, latch, end] =
            ["head", "left", "right", "latch", "end"].map(|n| b.new_block(n));
        b.bra(head);
        b.switch_to(head);
        let x = b.mov(Ty::S32, 1);
        let p = b.setp(Cmp::Lt, Ty::S32, x, 5);
        b.cond_bra(p, left, right);
        b.switch_to(left);
        b.cond_bra(p, latch, end);
        b.switch_to(right);
        b.bra(latch);
        b.switch_to(latch);
        b.bra(head);
        b.switch_to(end);
        b.ret();
        let cfg = Cfg::new(&func);
        let tree = cfg.dominator_tree();
        let above = |mut at: u32, wanted: u32| {
            while at != wanted && at != 0 {
                at = cfg.idom[at as usize].expect("all are reachable");
            }
            at == wanted
        };
        for a in 0..6 {
            let below: Vec<u32> = (0..6).filter(|b| above(*b, a)).collect();
            let (first, last) = cfg.interval(a);
            assert_eq!(below.len() as u32, last - first + 1, "{a}");
            assert!((0..6).all(|b| cfg.dominates(a, b) == above(b, a)), "{a}");
            let up = |b: &u32| *b != 0 && cfg.idom[*b as usize] == Some(a);
            let mut children = tree.of(a).to_vec();
            children.sort_unstable();
            assert_eq!(children, (0..6).filter(up).collect::<Vec<_>>(), "{a}");
        }
    }

    #[test]
    fn an_endless_loop_and_an_unreachable_block() {
        let mut func = Func::new("f", FuncKind::Kernel);
        let mut b = FuncBuilder::new(&mut func);
        let head = b.new_block("head");
        let lost = b.new_block("lost");
        b.bra(head);
        b.switch_to(head);
        b.bra(head);
        b.switch_to(lost);
        b.ret();
        let cfg = Cfg::new(&func);
        assert!(!cfg.is_reachable(2) && !cfg.dominates(0, 2));
        assert_eq!(cfg.post_dominators(), [None, None, None]);
        assert!(Cfg::new(&Func::new("g", FuncKind::Kernel)).is_empty());
    }
}
