//! How often functions that could be erased are referred to, kept up to date while
//! calls are inlined.

use crate::analysis::call_graph::{CallGraph, symbol_tables};
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_ir::symbols::{Visibility, visibility};
use terrace_ir::{Context, Op};

/// The references that one function makes.
#[derive(Default)]
struct Made {
    /// On the function itself; how many of them does not matter.
    top: FxHashSet<Op>,
    /// On ops inside it.
    inner: FxHashMap<Op, i64>,
}

pub(super) struct Uses {
    /// The functions that may go when nothing refers to them, with the number of
    /// references.
    counts: FxHashMap<Op, i64>,
    made: FxHashMap<Op, Made>,
}

impl Uses {
    pub fn new(ctx: &Context, root: Op, graph: &mut CallGraph) -> Self {
        let mut counts = FxHashMap::default();
        let mut always = FxHashSet::default();
        for (table, visible) in symbol_tables(ctx, root) {
            for b in table.blocks(ctx) {
                for op in b.ops(ctx) {
                    if !graph.is_node(op) {
                        graph.references(ctx, op, &mut |_, t| {
                            always.insert(t);
                        });
                        continue;
                    }
                    let can_go = match visibility(ctx, op) {
                        Visibility::Public => false,
                        Visibility::Nested => visible,
                        Visibility::Private => true,
                    };
                    if can_go && op.symbol_name(ctx).is_some() {
                        counts.insert(op, 0);
                    }
                }
            }
        }
        counts.retain(|f, _| !always.contains(f));
        let mut uses = Uses {
            counts,
            made: FxHashMap::default(),
        };
        for node in graph.nodes.clone() {
            uses.recompute(ctx, graph, node);
        }
        uses
    }

    /// Count the references that `node` makes anew, after it changed.
    pub fn recompute(&mut self, ctx: &Context, graph: &mut CallGraph, node: Op) {
        self.forget(node);
        let mut made = Made::default();
        let counts = &mut self.counts;
        graph.references(ctx, node, &mut |user, target| {
            let Some(count) = counts.get_mut(&target) else {
                return;
            };
            if user != node {
                *made.inner.entry(target).or_default() += 1;
            } else if !made.top.insert(target) {
                return;
            }
            *count += 1;
        });
        self.made.insert(node, made);
    }

    fn add(&mut self, target: Op, n: i64) {
        if let Some(c) = self.counts.get_mut(&target) {
            *c += n;
        }
    }

    fn forget(&mut self, node: Op) {
        let Some(made) = self.made.remove(&node) else {
            return;
        };
        made.top.iter().for_each(|t| self.add(*t, -1));
        made.inner.iter().for_each(|(t, n)| self.add(*t, -n));
    }

    /// `call`, which is in `node`, goes.
    pub fn drop_call(&mut self, ctx: &Context, graph: &mut CallGraph, node: Op, call: Op) {
        let mut targets = Vec::new();
        graph.references(ctx, call, &mut |_, t| targets.push(t));
        for t in targets {
            let Some(n) = self.made.get_mut(&node).and_then(|m| m.inner.get_mut(&t)) else {
                continue;
            };
            *n -= 1;
            self.add(t, -1);
        }
    }

    /// What is in `from` is now in `into` too.
    pub fn merge(&mut self, from: Op, into: Op) {
        let inner = match self.made.get(&from) {
            Some(m) => m.inner.clone(),
            None => return,
        };
        for (t, n) in inner {
            *self
                .made
                .entry(into)
                .or_default()
                .inner
                .entry(t)
                .or_default() += n;
            self.add(t, n);
        }
    }

    /// `node` and the functions in it are as good as erased.
    pub fn erase(&mut self, graph: &CallGraph, node: Op) {
        self.forget(node);
        self.counts.remove(&node);
        if graph.has_nested(node) {
            for child in graph.edges(node).to_vec() {
                if self.counts.contains_key(&child) && self.counts.get(&child) == Some(&0) {
                    self.erase(graph, child);
                }
            }
        }
    }

    pub fn is_dead(&self, node: Op) -> bool {
        self.counts.get(&node) == Some(&0)
    }

    /// Whether the only reference to `node` is one, and it goes with it.
    pub fn has_one(&self, node: Op) -> bool {
        self.counts.get(&node) == Some(&1)
    }
}
