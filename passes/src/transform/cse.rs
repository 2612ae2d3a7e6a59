//! `cse`: an op that computes what an op before it has computed goes, and its uses
//! take the earlier result. Ops that nothing uses and that do nothing else go too.
//!
//! Legal where both ops have no effect on memory, or only read and nothing is
//! written between them, and the earlier dominates the later. Of ops that read, the
//! later stands in the block of the earlier, or under conditions in it.
//!
//! ```text
//! %0 = arith.muli %a, %b : index
//! %1 = arith.muli %a, %b : index     =>    %0 = arith.muli %a, %b : index
//! use(%0, %1)                              use(%0, %0)
//! ```

use crate::analysis::same_regions::same_regions;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::rc::Rc;
use terrace_dialects::{affine, scf};
use terrace_ir::dominance::{DomTree, is_graph_region};
use terrace_ir::effects::{effects, is_memory_effect_free, is_trivially_dead, only_reads};
use terrace_ir::opdef::{EffectKind, OpDef, traits};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Attr, Block, Context, Op, Region, Str, Type, Value};

pub static INFO: PassInfo = PassInfo {
    name: "cse",
    title: "CSE",
    summary: "Eliminate common sub-expressions",
    description: "Merges ops that compute the same value from the same operands, where one dominates the other.",
    statistics: &[
        StatisticInfo::new("num-cse'd", "Number of operations CSE'd"),
        StatisticInfo::new("num-dce'd", "Number of operations DCE'd"),
    ],
    make: |_| Ok(Box::new(Cse)),
    ..PassInfo::EMPTY
};

struct Cse;

impl Pass for Cse {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let (merged, dropped) = merge_in(ctx, op);
        ctx.count("num-cse'd", merged);
        ctx.count("num-dce'd", dropped);
        Ok(())
    }
}

/// Merges what is computed twice in the regions of `op`. Gives how many ops were merged, and how many
/// were dropped that nothing used.
pub(crate) fn merge_in(ctx: &mut Context, op: Op) -> (u64, u64) {
    let mut state = State::default();
    for r in op.regions(ctx) {
        state.region(ctx, r);
    }
    for op in state.dead.drain(..) {
        op.erase(ctx);
    }
    (state.merged, state.dropped)
}

/// All that makes two ops the same computation. Ops with regions are compared by
/// [`same_regions`] besides.
#[derive(PartialEq, Eq, Hash, Clone)]
struct Key {
    name: &'static str,
    operands: Vec<Value>,
    attrs: Vec<(Str, Attr)>,
    types: Vec<Type>,
}

fn key(ctx: &Context, op: Op, def: &OpDef) -> Key {
    let mut operands = op.operands(ctx);
    if def.has(traits::COMMUTATIVE) {
        // Any order will do that is the same for all.
        operands.sort_by_cached_key(|v| FxBuildHasher.hash_one(v));
    }
    Key {
        name: def.name,
        operands,
        attrs: op.attrs(ctx),
        types: op.result_types(ctx),
    }
}

#[derive(Default)]
struct State {
    known: FxHashMap<Rc<Key>, Vec<Op>>,
    /// Keys added in each open scope.
    scopes: Vec<Vec<Rc<Key>>>,
    /// Out of their blocks, and erased at the end, so that handles in `known` stay good.
    dead: Vec<Op>,
    merged: u64,
    dropped: u64,
}

impl State {
    fn region(&mut self, ctx: &mut Context, r: Region) {
        let blocks = r.blocks(ctx);
        match blocks[..] {
            [] => {}
            [only] => {
                self.scopes.push(Vec::new());
                self.block(ctx, only, is_graph_region(ctx, r));
                self.close();
            }
            _ => {
                let tree = DomTree::new(ctx, r);
                let mut children: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
                for b in tree.reverse_post_order() {
                    if let Some(d) = tree.immediate_dominator(*b) {
                        children.entry(d).or_default().push(*b);
                    }
                }
                // Depth first over the dominator tree, without recursion.
                let mut work = vec![(blocks[0], false)];
                while let Some((b, done)) = work.pop() {
                    if done {
                        self.close();
                        continue;
                    }
                    self.scopes.push(Vec::new());
                    self.block(ctx, b, false);
                    work.push((b, true));
                    for c in children.get(&b).into_iter().flatten().rev() {
                        work.push((*c, false));
                    }
                }
            }
        }
    }

    /// Take an op out. It must not stay in its block without its operands, where the
    /// effects of the ops around it are asked for.
    fn bury(&mut self, ctx: &Context, op: Op) {
        op.drop_all_references(ctx);
        op.unlink(ctx);
        self.dead.push(op);
    }

    fn close(&mut self) {
        for k in self.scopes.pop().unwrap_or_default() {
            if let Some(v) = self.known.get_mut(&k) {
                v.pop();
                if v.is_empty() {
                    self.known.remove(&k);
                }
            }
        }
    }

    fn block(&mut self, ctx: &mut Context, b: Block, graph: bool) {
        for op in b.ops(ctx) {
            if is_trivially_dead(ctx, op) {
                self.bury(ctx, op);
                self.dropped += 1;
                continue;
            }
            if op.num_regions(ctx) > 0 {
                // Of an unregistered op nothing is known, so it may be isolated.
                let isolated = op.def(ctx).is_none_or(|d| d.has(traits::ISOLATED));
                let outer = isolated.then(|| {
                    (
                        std::mem::take(&mut self.known),
                        std::mem::take(&mut self.scopes),
                    )
                });
                for r in op.regions(ctx) {
                    self.region(ctx, r);
                }
                if let Some(o) = outer {
                    (self.known, self.scopes) = o;
                }
            }
            self.op(ctx, op, graph);
        }
    }

    fn op(&mut self, ctx: &mut Context, op: Op, graph: bool) {
        let Some(def) = op.def(ctx) else { return };
        if def.is_terminator() || def.has(traits::SYMBOL) || op.num_results(ctx) == 0 {
            return;
        }
        let free = is_memory_effect_free(ctx, op);
        if !free && !only_reads(ctx, op) {
            return;
        }
        let k = key(ctx, op, def);
        for earlier in self.known.get(&k).into_iter().flatten().copied().rev() {
            if !same_regions(ctx, earlier, op) {
                continue;
            }
            if !free && !nothing_written_between(ctx, earlier, op) {
                continue;
            }
            // In a graph region an earlier op may be used before it stands.
            if graph && op.operands(ctx).iter().any(|v| v.def_op() == Some(earlier)) {
                continue;
            }
            for (old, new) in op.results(ctx).into_iter().zip(earlier.results(ctx)) {
                old.replace_all_uses(ctx, new);
            }
            self.bury(ctx, op);
            self.merged += 1;
            return;
        }
        let k = Rc::new(k);
        self.known.entry(k.clone()).or_default().push(op);
        if let Some(s) = self.scopes.last_mut() {
            s.push(k);
        }
    }
}

/// Whether no op between two may write to memory, of which the second stands in the block of the first,
/// or under conditions in it.
fn nothing_written_between(ctx: &Context, a: Op, b: Op) -> bool {
    let mut behind = b;
    while behind.block(ctx) != a.block(ctx) {
        let Some(first) = behind.block(ctx).and_then(|x| x.first_op(ctx)) else {
            return false;
        };
        let around = behind.parent(ctx).filter(|o| chooses(ctx, *o));
        let Some(around) = around.filter(|_| first == behind || only_read(ctx, first, behind))
        else {
            return false;
        };
        behind = around;
    }
    (a.next(ctx)).is_some_and(|first| first == behind || only_read(ctx, first, behind))
}

/// Whether an op runs one of its blocks, once at most.
fn chooses(ctx: &Context, op: Op) -> bool {
    op.isa::<scf::IfOp>(ctx) || op.isa::<affine::IfOp>(ctx)
}

/// Whether none of the ops from `first` on writes, up to `end`, which stands behind it in its block.
fn only_read(ctx: &Context, first: Op, end: Op) -> bool {
    let mut next = Some(first);
    while let Some(op) = next {
        if op == end {
            return true;
        }
        let writes = match effects(ctx, op) {
            Some(e) => e
                .iter()
                .any(|e| matches!(e.kind, EffectKind::Write | EffectKind::Free)),
            None => true,
        };
        if writes {
            return false;
        }
        next = op.next(ctx);
    }
    false
}
