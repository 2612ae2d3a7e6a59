//! Which calls to inline, in which order.

use super::legality::is_legal;
use super::uses::Uses;
use crate::analysis::call_graph::CallGraph;
use crate::loops::splice::splice;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use terrace_ir::opdef::traits;
use terrace_ir::pass::{PassFailed, PassManager, PassOutput, PassRegistry, PassResult};
use terrace_ir::{Block, Context, Op};

/// The pipelines that simplify functions, by the name of the function op.
pub(super) struct Pipelines {
    default: String,
    registry: PassRegistry,
    of: FxHashMap<String, PassManager>,
}

impl Pipelines {
    /// # Errors
    ///
    /// What is wrong with the text of a pipeline.
    pub fn new(default: &str, of: &[String]) -> Result<Self, String> {
        let mut registry = PassRegistry::new();
        crate::register_all(&mut registry);
        let mut p = Pipelines {
            default: default.to_string(),
            registry,
            of: FxHashMap::default(),
        };
        for text in of {
            let pm = PassManager::parse(&p.registry, text)?;
            let anchor = pm.root.anchor().to_string();
            if !pm.root.is_empty() {
                p.of.entry(anchor).or_insert(quiet(pm));
            }
        }
        // The default one is for any function; what is wrong with it shows now.
        PassManager::new("any")
            .root
            .parse_into(&p.registry, default)?;
        Ok(p)
    }

    fn run(&mut self, ctx: &mut Context, op: Op) -> PassResult {
        let name = op.name(ctx).to_string();
        if !self.of.contains_key(&name) {
            let mut pm = PassManager::new(&name);
            if let Err(e) = pm.root.parse_into(&self.registry, &self.default) {
                op.error(ctx, e);
                return Err(PassFailed);
            }
            self.of.insert(name.clone(), quiet(pm));
        }
        match self.of.get_mut(&name) {
            Some(pm) if !pm.root.is_empty() => pm.run(ctx, op, &mut Nowhere),
            _ => Ok(()),
        }
    }
}

/// The pass around verifies.
fn quiet(mut pm: PassManager) -> PassManager {
    pm.verify_each = false;
    pm
}

/// Where the text of inner pipelines goes, which print nothing.
struct Nowhere;

impl PassOutput for Nowhere {
    fn show(&mut self, _: &str) {}
    fn save(&mut self, _: &Path, _: &str) -> Result<(), String> {
        Ok(())
    }
}

/// A call that may be inlined.
#[derive(Clone, Copy)]
struct Call {
    op: Op,
    /// The function it is in.
    source: Op,
    target: Op,
    /// The inlining that brought it here, an index into the history.
    from: Option<usize>,
}

pub(super) struct Inliner {
    graph: CallGraph,
    uses: Uses,
    threshold: Option<u64>,
    dead: FxHashSet<Op>,
    /// Calls inlined so far.
    pub inlined: u64,
}

impl Inliner {
    pub fn new(ctx: &Context, root: Op, threshold: Option<u64>) -> Self {
        let mut graph = CallGraph::new(ctx, root);
        let uses = Uses::new(ctx, root, &mut graph);
        Inliner {
            graph,
            uses,
            threshold,
            dead: FxHashSet::default(),
            inlined: 0,
        }
    }

    pub fn run(&mut self, ctx: &mut Context, pipelines: &mut Pipelines, rounds: u64) -> PassResult {
        for mut group in self.graph.components() {
            let mut round = 0;
            loop {
                self.simplify(ctx, pipelines, &group)?;
                if !self.inline_calls(ctx, &mut group) {
                    break;
                }
                round += 1;
                if round >= rounds {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Erase the functions that nothing refers to any more; how many those were.
    pub fn erase_dead(self, ctx: &mut Context) -> u64 {
        let nodes = self.graph.nodes.iter().rev();
        let dead: Vec<Op> = nodes.copied().filter(|n| self.dead.contains(n)).collect();
        for op in &dead {
            op.erase(ctx);
        }
        dead.len() as u64
    }

    fn simplify(
        &mut self,
        ctx: &mut Context,
        pipelines: &mut Pipelines,
        group: &[Op],
    ) -> PassResult {
        for node in group {
            // A pipeline could erase the functions inside, which the graph names.
            let isolated = node.has_trait(ctx, traits::ISOLATED);
            if self.graph.has_nested(*node) || !isolated {
                continue;
            }
            pipelines.run(ctx, *node)?;
            self.uses.recompute(ctx, &mut self.graph, *node);
        }
        Ok(())
    }

    /// Inline the calls in the functions of `group`, from which functions that died
    /// go. Whether any was inlined.
    fn inline_calls(&mut self, ctx: &mut Context, group: &mut Vec<Op>) -> bool {
        let mut dead = FxHashSet::default();
        let mut calls: Vec<Call> = Vec::new();
        for node in group.iter() {
            if self.uses.is_dead(*node) {
                dead.insert(*node);
            } else {
                let blocks = node.region(ctx, 0).blocks(ctx);
                collect(ctx, &mut self.graph, &blocks, *node, false, &mut calls);
            }
        }
        // What was inlined, and through which earlier inlining its call came.
        let mut history: Vec<(Op, Option<usize>)> = Vec::new();
        let mut any = false;
        let mut i = 0;
        while let Some(call) = calls.get(i).copied() {
            i += 1;
            if dead.contains(&call.source)
                || came_through(&history, call.from, call.target)
                || !self.wanted(ctx, &call)
                || !is_legal(ctx, call.op, call.target)
            {
                continue;
            }
            // The last call takes the body itself.
            let take = self.uses.has_one(call.target);
            let first_new = calls.len();
            self.uses
                .drop_call(ctx, &mut self.graph, call.source, call.op);
            let graph = &mut self.graph;
            splice(ctx, call.op, call.target, take, &mut |ctx, blocks| {
                collect(ctx, graph, blocks, call.source, true, &mut calls);
            });
            any = true;
            self.inlined += 1;
            for c in &mut calls[first_new..] {
                c.from = Some(history.len());
            }
            history.push((call.target, call.from));
            self.uses.merge(call.target, call.source);
            if take {
                self.uses.erase(&self.graph, call.target);
                dead.insert(call.target);
            }
        }
        group.retain(|n| !dead.contains(n));
        self.dead.extend(dead);
        any
    }

    /// Whether inlining this call ends, and pays.
    fn wanted(&self, ctx: &Context, call: &Call) -> bool {
        let recursive = self
            .graph
            .edges(call.target)
            .iter()
            .any(|t| *t == call.target || *t == call.source);
        !recursive
            && !call.target.is_ancestor_of(ctx, call.op)
            && !call.target.region(ctx, 0).is_empty(ctx)
            && self.pays(ctx, call)
    }

    fn pays(&self, ctx: &Context, call: &Call) -> bool {
        let Some(threshold) = self.threshold else {
            return true;
        };
        let count = |f: Op| f.pre_order(ctx).len() as u64 - 1;
        let (callee, caller) = (count(call.target), count(call.source));
        threshold != 0 && (caller == 0 || callee * 100 / caller <= threshold)
    }
}

fn came_through(history: &[(Op, Option<usize>)], from: Option<usize>, target: Op) -> bool {
    let mut at = from;
    while let Some((inlined, before)) = at.and_then(|i| history.get(i)) {
        if *inlined == target {
            return true;
        }
        at = *before;
    }
    false
}

/// The calls in `blocks`, which are in the function `source`. Those inside nested
/// functions only where `nested` says so.
fn collect(
    ctx: &Context,
    graph: &mut CallGraph,
    blocks: &[Block],
    source: Op,
    nested: bool,
    out: &mut Vec<Call>,
) {
    let mut work: Vec<(Block, Op)> = blocks.iter().map(|b| (*b, source)).collect();
    while let Some((block, source)) = work.pop() {
        for op in block.ops(ctx) {
            if let Some(target) = graph.callee(ctx, op) {
                out.push(Call {
                    op,
                    source,
                    target,
                    from: None,
                });
                continue;
            }
            let function = graph.is_node(op);
            if function && !nested {
                continue;
            }
            let source = if function { op } else { source };
            for r in op.regions(ctx) {
                work.extend(r.blocks(ctx).into_iter().map(|b| (b, source)));
            }
        }
    }
}
