//! The ops of a block as a graph: an edge where one op has to stay before another,
//! because of memory that both touch or a value that one computes for the other.

use super::memory::{base, is_view};
use super::pair::{may_overlap, pair, scoped_ivs};
use super::staging::escapes;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use terrace_dialects::affine::{Access, AccessKind, ForOp, IfOp, ParallelOp};
use terrace_ir::effects::{is_memory_effect_free, own_effects};
use terrace_ir::opdef::{EffectKind, traits};
use terrace_ir::{Block, Context, Op, Value};

/// What an op does to one memref, itself or by ops inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Touch {
    memref: Value,
    write: bool,
}

/// An op of the block.
#[derive(Debug, Clone)]
pub struct Node {
    pub id: usize,
    pub op: Op,
    pub loads: Vec<Access>,
    pub stores: Vec<Access>,
    /// Memory touched other than by affine accesses.
    others: Vec<Touch>,
    /// Whether it may touch all memory that is known outside, as a call does.
    clobbers: bool,
}

impl Node {
    pub fn is_loop(&self, ctx: &Context) -> bool {
        self.op.isa::<ForOp>(ctx)
    }

    pub fn loads_of(&self, memref: Value) -> Vec<Access> {
        let all = self.loads.iter();
        all.filter(|a| a.memref == memref).cloned().collect()
    }

    /// How many loads of a memref there are.
    pub fn load_count(&self, memref: Value) -> usize {
        self.loads.iter().filter(|a| a.memref == memref).count()
    }

    /// How many ops write a memref.
    pub fn store_count(&self, memref: Value) -> usize {
        self.stores.iter().filter(|a| a.memref == memref).count()
            + self
                .others
                .iter()
                .filter(|t| t.memref == memref && t.write)
                .count()
    }

    fn writes(&self, memref: Value) -> bool {
        self.store_count(memref) > 0
    }

    fn memrefs(&self) -> Vec<Value> {
        let mut all: Vec<Value> = Vec::new();
        let affine = self.loads.iter().chain(&self.stores).map(|a| a.memref);
        for m in affine.chain(self.others.iter().map(|t| t.memref)) {
            if !all.contains(&m) {
                all.push(m);
            }
        }
        all
    }
}

/// The other end of an edge, and the memref or value that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    pub id: usize,
    pub value: Value,
}

/// The graph of a block.
#[derive(Debug, Clone)]
pub struct MemrefGraph {
    pub block: Block,
    pub nodes: BTreeMap<usize, Node>,
    ins: FxHashMap<usize, Vec<Edge>>,
    outs: FxHashMap<usize, Vec<Edge>>,
    next: usize,
}

impl MemrefGraph {
    /// The graph of a block; `None` where an op has regions that are not known to run in
    /// a known order, or does to memory nobody knows what.
    pub fn new(ctx: &Context, block: Block) -> Option<MemrefGraph> {
        let mut g = MemrefGraph {
            block,
            nodes: BTreeMap::new(),
            ins: FxHashMap::default(),
            outs: FxHashMap::default(),
            next: 0,
        };
        for op in block.ops(ctx) {
            let affine = op.isa::<ForOp>(ctx) || Access::of(ctx, op).is_some();
            let used = op.num_results(ctx) > 0 && op.has_uses(ctx);
            let free = is_memory_effect_free(ctx, op);
            if op.num_regions(ctx) > 0 && !affine && !runs_in_order(ctx, op) && !free {
                return None;
            }
            if affine || used || !free {
                g.add_node(ctx, op)?;
            }
        }
        g.add_value_edges(ctx);
        g.add_memory_edges(ctx);
        Some(g)
    }

    /// A new node for an op of the block.
    pub fn add_node(&mut self, ctx: &Context, op: Op) -> Option<usize> {
        let mut node = Node {
            id: self.next,
            op,
            loads: Vec::new(),
            stores: Vec::new(),
            others: Vec::new(),
            clobbers: false,
        };
        collect(ctx, &mut node)?;
        self.next += 1;
        let id = node.id;
        self.nodes.insert(id, node);
        Some(id)
    }

    /// Look at the accesses of a node again, after its op has changed.
    pub fn refresh(&mut self, ctx: &Context, id: usize) {
        if let Some(node) = self.nodes.get_mut(&id) {
            node.loads.clear();
            node.stores.clear();
            node.others.clear();
            // What it holds was collected before, so this cannot fail.
            let _ = collect(ctx, node);
        }
    }

    fn add_value_edges(&mut self, ctx: &Context) {
        let of_op: FxHashMap<Op, usize> = self.nodes.values().map(|n| (n.op, n.id)).collect();
        let ids: Vec<usize> = self.nodes.keys().copied().collect();
        for id in ids {
            let op = self.nodes[&id].op;
            for v in op.results(ctx) {
                for user in v.users(ctx) {
                    let Some(there) = user.ancestor_in(ctx, self.block) else {
                        continue;
                    };
                    if let Some(to) = of_op.get(&there) {
                        self.add_edge(id, *to, v);
                    }
                }
            }
        }
    }

    fn add_memory_edges(&mut self, ctx: &Context) {
        let ids: Vec<usize> = self.nodes.keys().copied().collect();
        let mut memrefs: Vec<Value> = Vec::new();
        for n in self.nodes.values() {
            for m in n.memrefs() {
                if !memrefs.contains(&m) {
                    memrefs.push(m);
                }
            }
        }
        for m in &memrefs {
            for (i, from) in ids.iter().enumerate() {
                for to in &ids[i + 1..] {
                    let (a, b) = (&self.nodes[from], &self.nodes[to]);
                    if conflict(ctx, a, b, *m, *m) {
                        self.add_edge(*from, *to, *m);
                    }
                }
            }
        }
        // Different memrefs that may be the same memory.
        for (i, m) in memrefs.iter().enumerate() {
            for n in &memrefs[i + 1..] {
                if !may_overlap(ctx, *m, *n) {
                    continue;
                }
                for (i, from) in ids.iter().enumerate() {
                    for to in &ids[i + 1..] {
                        for (x, y) in [(*m, *n), (*n, *m)] {
                            let (a, b) = (&self.nodes[from], &self.nodes[to]);
                            if conflict(ctx, a, b, x, y) {
                                self.add_edge(*from, *to, x);
                            }
                        }
                    }
                }
            }
        }
    }

    pub fn ins(&self, id: usize) -> Vec<Edge> {
        self.ins.get(&id).cloned().unwrap_or_default()
    }

    pub fn outs(&self, id: usize) -> Vec<Edge> {
        self.outs.get(&id).cloned().unwrap_or_default()
    }

    pub fn add_edge(&mut self, from: usize, to: usize, value: Value) {
        let edge = Edge { id: to, value };
        let outs = self.outs.entry(from).or_default();
        if from != to && !outs.contains(&edge) {
            outs.push(edge);
            self.ins
                .entry(to)
                .or_default()
                .push(Edge { id: from, value });
        }
    }

    fn remove_edge(&mut self, from: usize, to: usize, value: Value) {
        if let Some(v) = self.outs.get_mut(&from) {
            v.retain(|e| *e != Edge { id: to, value });
        }
        if let Some(v) = self.ins.get_mut(&to) {
            v.retain(|e| *e != Edge { id: from, value });
        }
    }

    pub fn remove_node(&mut self, id: usize) {
        for e in self.ins(id) {
            self.remove_edge(e.id, id, e.value);
        }
        for e in self.outs(id) {
            self.remove_edge(id, e.id, e.value);
        }
        self.nodes.remove(&id);
    }

    /// Whether `to` can be reached from `from`.
    pub fn has_path(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![from];
        let mut todo = vec![from];
        while let Some(n) = todo.pop() {
            if n == to {
                return true;
            }
            for e in self.outs(n) {
                if !seen.contains(&e.id) {
                    seen.push(e.id);
                    todo.push(e.id);
                }
            }
        }
        false
    }

    /// How many nodes that write `memref` have edges on it to a node.
    pub fn incoming_writers(&self, id: usize, memref: Value) -> usize {
        let writes = |e: &&Edge| {
            e.value == memref && self.nodes.get(&e.id).is_some_and(|n| n.writes(memref))
        };
        self.ins(id).iter().filter(writes).count()
    }

    /// How many edges on `memref` a node has to others.
    pub fn outgoing(&self, id: usize, memref: Value) -> usize {
        self.outs(id).iter().filter(|e| e.value == memref).count()
    }

    /// The op of the block before which the fusion of a node into a later one can stand:
    /// after everything that the later one depends on, before everything that depends on
    /// the first. `None` where there is no such place.
    pub fn fusion_point(&self, ctx: &Context, first: usize, second: usize) -> Option<Op> {
        let (a, b) = (self.nodes.get(&first)?.op, self.nodes.get(&second)?.op);
        let after: Vec<Op> = self.ops_of(&self.outs(first), second);
        let before: Vec<Op> = self.ops_of(&self.ins(second), first);
        // A value that the second uses and that depends on the first cannot move.
        let values = self.ins(second).into_iter();
        let mut defining = values.filter(|e| !e.value.ty(ctx).is_memref(ctx));
        if defining.any(|e| e.id != first && self.has_path(first, e.id)) {
            return None;
        }
        let mut earliest: Option<Op> = None;
        let mut next = a.next(ctx);
        while let Some(op) = next.filter(|op| *op != b) {
            if earliest.is_some() && before.contains(&op) {
                return None;
            }
            if earliest.is_none() && after.contains(&op) {
                if before.contains(&op) {
                    return None;
                }
                earliest = Some(op);
            }
            next = op.next(ctx);
        }
        Some(earliest.unwrap_or(b))
    }

    fn ops_of(&self, edges: &[Edge], but: usize) -> Vec<Op> {
        let nodes = edges.iter().filter(|e| e.id != but);
        nodes
            .filter_map(|e| self.nodes.get(&e.id).map(|n| n.op))
            .collect()
    }

    /// What is known after `from` has been fused into `to`: accesses of `private` memrefs
    /// in `to` go to memrefs of its own now.
    pub fn fused(&mut self, from: usize, to: usize, private: &[Value], removed: bool) {
        for e in self.ins(from) {
            if !private.contains(&e.value) && e.id != to {
                self.add_edge(e.id, to, e.value);
            }
        }
        for e in self.outs(from) {
            if e.id == to {
                self.remove_edge(from, to, e.value);
            } else if removed {
                self.add_edge(to, e.id, e.value);
                self.remove_edge(from, e.id, e.value);
            }
        }
        for e in self.ins(to) {
            if private.contains(&e.value) {
                self.remove_edge(e.id, to, e.value);
            }
        }
    }

    /// What is known after a sibling has been fused into `to`, which takes over its edges.
    pub fn fused_sibling(&mut self, from: usize, to: usize) {
        for e in self.ins(from) {
            self.add_edge(e.id, to, e.value);
            self.remove_edge(e.id, from, e.value);
        }
        for e in self.outs(from) {
            self.add_edge(to, e.id, e.value);
            self.remove_edge(from, e.id, e.value);
        }
    }
}

/// Whether the regions of an op run one after another as control flow says.
fn runs_in_order(ctx: &Context, op: Op) -> bool {
    op.name(ctx).starts_with("scf.") || matches!(op.name(ctx), IfOp::NAME | ParallelOp::NAME)
}

/// Fill in what a node touches.
fn collect(ctx: &Context, node: &mut Node) -> Option<()> {
    for op in node.op.pre_order(ctx) {
        if let Some(a) = Access::of(ctx, op) {
            match a.kind {
                AccessKind::Read => node.loads.push(a),
                AccessKind::Write => node.stores.push(a),
                AccessKind::Prefetch => {}
            }
            continue;
        }
        let Some(effects) = own_effects(ctx, op) else {
            let recursive = op.has_trait(ctx, traits::RECURSIVE_EFFECTS);
            if recursive || is_view(ctx, op) {
                continue;
            }
            // An op of no known dialect is taken to touch what it gets.
            node.clobbers |= op.def(ctx).is_some();
            for v in op.operands(ctx) {
                if v.ty(ctx).is_memref(ctx) {
                    let memref = v;
                    node.others.push(Touch {
                        memref,
                        write: true,
                    });
                }
            }
            continue;
        };
        for e in effects {
            let write = match e.kind {
                EffectKind::Read => false,
                EffectKind::Write | EffectKind::Free => true,
                EffectKind::Alloc => continue,
            };
            let memref = e.on?;
            node.others.push(Touch { memref, write });
        }
    }
    Some(())
}

/// Whether `a` has to stay before `b` because `a` touches `m` and `b` touches `n`, which
/// are the same memref or may be the same memory.
fn conflict(ctx: &Context, a: &Node, b: &Node, m: Value, n: Value) -> bool {
    let clobbers = |node: &Node, memref: Value| node.clobbers && escapes(ctx, base(ctx, memref));
    let touches = |node: &Node, v: Value| node.memrefs().contains(&v) || clobbers(node, v);
    let writes = |node: &Node, v: Value| node.writes(v) || clobbers(node, v);
    if !touches(a, m) || !touches(b, n) || !(writes(a, m) || writes(b, n)) {
        return false;
    }
    let opaque = |node: &Node, memref: Value| {
        clobbers(node, memref) || node.others.iter().any(|t| t.memref == memref)
    };
    if m != n || !a.is_loop(ctx) || !b.is_loop(ctx) || opaque(a, m) || opaque(b, n) {
        return true;
    }
    let depth = scoped_ivs(ctx, a.op).len() + 1;
    let all = |node: &Node| -> Vec<Access> {
        let all = node.stores.iter().chain(&node.loads);
        all.filter(|x| x.memref == m).cloned().collect()
    };
    let (xs, ys) = (all(a), all(b));
    xs.iter().any(|x| {
        ys.iter()
            .any(|y| pair(ctx, x, y, depth, false).may_depend())
    })
}
