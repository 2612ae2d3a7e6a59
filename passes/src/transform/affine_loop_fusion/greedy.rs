//! Which nests of a block are fused, in which order.
//!
//! For each nest as the destination, the last first: all nests that produce what it
//! reads, again and again until nothing changes; then nests that read what it reads.

use super::cost::{additional, best_depth};
use super::private::{Buffers, privatise};
use super::slices::{Outcome, Strategy, common_depth, produced, slice_at};
use crate::analysis::fusion_legality::Fusion;
use crate::analysis::memory::is_view;
use crate::analysis::memref_graph::{MemrefGraph, Node};
use crate::analysis::memref_region::element_bytes;
use crate::analysis::pair::{has_cycle, scoped_ivs};
use crate::analysis::slice::Slice;
use crate::loops::fuse_slice::fuse_slice;
use crate::loops::sink::sink_sequential;
use terrace_dialects::affine::{Access, AccessKind, ForOp};
use terrace_dialects::memref::{AllocOp, AllocaOp};
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// What is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Policy {
    pub maximal: bool,
    /// The part of additional operations that is put up with.
    pub tolerance: f64,
    pub buffers: Buffers,
}

pub(super) struct Greedy {
    pub(super) graph: MemrefGraph,
    policy: Policy,
    /// Blocks of nests that are gone.
    pub erased_blocks: Vec<Block>,
}

/// A fusion that is going to be made.
pub(super) struct Choice {
    pub(super) slice: Slice,
    /// Loops of the destination around the slice.
    depth: usize,
}

impl Greedy {
    /// `None` where not all is known of what the ops of the block do.
    pub fn new(ctx: &Context, block: Block, policy: Policy) -> Option<Greedy> {
        Some(Greedy {
            graph: MemrefGraph::new(ctx, block)?,
            policy,
            erased_blocks: Vec::new(),
        })
    }

    /// Put producers into their consumers, those with at most `most_users` users of a
    /// memref.
    pub fn producers(&mut self, ctx: &mut Context, most_users: usize) {
        for id in self.order() {
            self.producers_into(ctx, id, most_users);
        }
    }

    /// The order in which nodes are destinations. Any would do; this is the one in which
    /// MLIR comes upon them, so that the same nests are fused: its table of nodes has
    /// a power of two of places, at least 64 and a quarter of them free, and node `i` is
    /// at place `37 * i`. The last comes first.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut ids: Vec<usize> = self.graph.nodes.keys().copied().collect();
        let most = ids.last().map_or(0, |last| last + 1);
        let mut places: usize = 64;
        while most * 4 >= places * 3 {
            places *= 2;
        }
        ids.sort_by_key(|id| std::cmp::Reverse(id.wrapping_mul(37) % places));
        ids
    }

    pub(super) fn node(&self, id: usize) -> Option<&Node> {
        self.graph.nodes.get(&id)
    }

    pub(super) fn nest(&self, ctx: &Context, id: usize) -> Option<ForOp> {
        self.node(id)?.op.cast::<ForOp>(ctx)
    }

    fn producers_into(&mut self, ctx: &mut Context, id: usize, most_users: usize) {
        let Some(nest) = self.nest(ctx, id) else {
            return;
        };
        if nest.op().num_results(ctx) > 0 {
            return;
        }
        let nest = sink_sequential(ctx, nest);
        if let Some(node) = self.graph.nodes.get_mut(&id) {
            node.op = nest.op();
        }
        self.graph.refresh(ctx, id);
        loop {
            let mut changed = false;
            for source in self.producers_of(ctx, id).into_iter().rev() {
                match self.fuse_producer(ctx, source, id, most_users) {
                    Step::Fused => changed = true,
                    Step::Not => {}
                    Step::Stop => return,
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The nests that write what a node reads, in the order of their numbers.
    fn producers_of(&self, ctx: &Context, id: usize) -> Vec<usize> {
        let Some(node) = self.node(id) else {
            return Vec::new();
        };
        let mut all: Vec<usize> = Vec::new();
        for e in self.graph.ins(id) {
            let Some(source) = self.node(e.id).filter(|n| n.is_loop(ctx)) else {
                continue;
            };
            let feeds = source.stores.iter().any(|s| node.load_count(s.memref) > 0);
            if feeds && !all.contains(&e.id) {
                all.push(e.id);
            }
        }
        all.sort_unstable();
        all
    }

    fn fuse_producer(
        &mut self,
        ctx: &mut Context,
        from: usize,
        to: usize,
        most_users: usize,
    ) -> Step {
        let (Some(source), Some(destination)) = (self.nest(ctx, from), self.nest(ctx, to)) else {
            return Step::Not;
        };
        let (Some(a), Some(b)) = (self.node(from).cloned(), self.node(to).cloned()) else {
            return Step::Not;
        };
        if source.op().num_results(ctx) > 0 {
            return Step::Not;
        }
        let loads_and_stores = [&a.stores[..], &a.loads[..]].concat();
        let theirs = [&b.loads[..], &b.stores[..]].concat();
        let memrefs = produced(&loads_and_stores, &theirs);
        let many = |m: &Value| self.graph.outgoing(from, *m) > most_users;
        if memrefs.iter().any(many) {
            return Step::Not;
        }
        let Some(place) = self.graph.fusion_point(ctx, from, to) else {
            return Step::Not;
        };
        let around = scoped_ivs(ctx, destination.op()).len();
        let mut about = theirs;
        about.retain(|x| memrefs.contains(&x.memref));
        let deepest = common_depth(ctx, destination, &about);
        let slices: Vec<Option<Slice>> = (1..=deepest)
            .map(
                |d| match slice_at(ctx, source, destination, d + around, Strategy::Producer) {
                    Outcome::Slice(s) => Some(*s),
                    _ => None,
                },
            )
            .collect();
        let stores: Vec<Access> = a
            .stores
            .iter()
            .filter(|s| memrefs.contains(&s.memref))
            .cloned()
            .collect();
        let chosen = match self.choose(ctx, source, &stores, destination, slices) {
            Ok(Some(c)) => c,
            Ok(None) => return Step::Not,
            Err(()) => return Step::Stop,
        };
        self.fuse_at(
            ctx,
            (from, source),
            (to, destination),
            &memrefs,
            chosen,
            place,
        )
    }

    /// The depth to fuse at. An error means that the destination is done with.
    pub(super) fn choose(
        &self,
        ctx: &Context,
        source: ForOp,
        stores: &[Access],
        destination: ForOp,
        mut slices: Vec<Option<Slice>>,
    ) -> Result<Option<Choice>, ()> {
        let Some(deepest) = slices.iter().rposition(Option::is_some) else {
            return Ok(None);
        };
        let mut tolerance = self.policy.tolerance;
        if has_cycle(ctx, source) {
            // Nothing may be run twice.
            if self.policy.maximal {
                let more = slices[deepest]
                    .as_ref()
                    .and_then(|s| additional(ctx, source, destination, s));
                if more.is_none_or(|m| m > 0.0) {
                    return Err(());
                }
            }
            tolerance = 0.0;
        }
        let depth = if self.policy.maximal {
            deepest + 1
        } else {
            match best_depth(ctx, source, stores, destination, &slices, tolerance) {
                Some(d) => d,
                None => return Ok(None),
            }
        };
        Ok(slices[depth - 1]
            .take()
            .map(|slice| Choice { slice, depth }))
    }

    fn fuse_at(
        &mut self,
        ctx: &mut Context,
        (from, source): (usize, ForOp),
        (to, destination): (usize, ForOp),
        memrefs: &[Value],
        chosen: Choice,
        place: Op,
    ) -> Step {
        let Choice { slice, depth } = chosen;
        let escaping = self.escaping(ctx, from, to);
        let removed = self.can_remove(ctx, from, to, &slice, place, &escaping);
        let fusion = Fusion {
            source,
            destination,
            slice: &slice,
            removed,
        };
        if fusion.check(ctx).is_none() {
            return Step::Not;
        }
        let mut private: Vec<Value> = memrefs.to_vec();
        private.retain(|m| {
            self.can_be_private(ctx, *m, &escaping, from, to, removed)
                && self.is_filled(ctx, &fusion, *m, from, to)
        });
        if !removed && self.has_unregistered_order(ctx, from) {
            return Step::Not;
        }

        let around_slice = slice.before.block(ctx);
        fuse_slice(ctx, source, &slice);
        if place != destination.op() {
            destination.op().move_before(ctx, place);
        }
        let around = scoped_ivs(ctx, destination.op()).len();
        let mut buffers = Vec::new();
        private.retain(|m| {
            let new = around_slice.and_then(|block| {
                let at = (block, depth + around);
                privatise(ctx, destination, *m, at, self.policy.buffers)
            });
            buffers.extend(new);
            new.is_some()
        });
        self.graph.fused(from, to, &private, removed);
        for new in buffers {
            let node = new.def_op().and_then(|op| self.graph.add_node(ctx, op));
            if let Some(id) = node {
                self.graph.add_edge(id, to, new);
            }
        }
        self.graph.refresh(ctx, to);
        if removed {
            self.remove(ctx, from, source.op());
        }
        Step::Fused
    }

    pub(super) fn remove(&mut self, ctx: &mut Context, id: usize, op: Op) {
        for o in op.pre_order(ctx) {
            let blocks = o.blocks(ctx).into_iter();
            self.erased_blocks.extend(blocks);
        }
        self.graph.remove_node(id);
        op.erase(ctx);
    }

    /// Ops of unknown dialects must not be run more often; that the source is removed is
    /// what the proof of that rests on.
    fn has_unregistered_order(&self, ctx: &Context, id: usize) -> bool {
        let Some(node) = self.node(id) else {
            return true;
        };
        node.op
            .pre_order(ctx)
            .into_iter()
            .any(|o| !o.is_registered(ctx))
    }

    /// The memrefs that a node writes and that others than affine accesses in ops of the
    /// block may see.
    fn escaping(&self, ctx: &Context, id: usize, _to: usize) -> Vec<Value> {
        let Some(node) = self.node(id) else {
            return Vec::new();
        };
        let mut all: Vec<Value> = Vec::new();
        for s in &node.stores {
            if !all.contains(&s.memref) && self.is_escaping(ctx, s.memref) {
                all.push(s.memref);
            }
        }
        all
    }

    fn is_escaping(&self, ctx: &Context, memref: Value) -> bool {
        let Some(op) = memref.def_op() else {
            return true;
        };
        if is_view(ctx, op) || !matches!(op.name(ctx), AllocOp::NAME | AllocaOp::NAME) {
            return true;
        }
        memref.users(ctx).into_iter().any(|u| {
            let here = u.ancestor_in(ctx, self.graph.block).is_some();
            let stored = Access::of(ctx, u).is_some_and(|a| a.stored(ctx) == Some(memref));
            !here || Access::of(ctx, u).is_none() || stored
        })
    }

    /// Whether the source is not needed any more.
    fn can_remove(
        &self,
        ctx: &Context,
        from: usize,
        to: usize,
        slice: &Slice,
        place: Op,
        escaping: &[Value],
    ) -> bool {
        let mut needed = !escaping.is_empty();
        for e in self.graph.outs(from) {
            let Some(op) = self.node(e.id).map(|n| n.op).filter(|_| e.id != to) else {
                continue;
            };
            if place != op && !place.is_before(ctx, op) {
                return false;
            }
            needed = true;
        }
        !needed || slice.is_maximal(ctx) == Some(true)
    }

    /// Whether a memref may be replaced by a private one, going by who else uses it.
    fn can_be_private(
        &self,
        ctx: &Context,
        memref: Value,
        escaping: &[Value],
        from: usize,
        to: usize,
        removed: bool,
    ) -> bool {
        let ty = memref.ty(ctx);
        let sized = ty.element(ctx).and_then(|e| element_bytes(ctx, e));
        let writes = self.node(to).is_some_and(|n| n.store_count(memref) > 0);
        let others = || {
            let outs = self.graph.outs(from);
            outs.iter().any(|e| e.value == memref && e.id != to)
        };
        sized.is_some()
            && ty.shape(ctx).is_some_and(|s| !s.is_empty())
            && !(escaping.contains(&memref) && (removed || writes))
            && self.graph.incoming_writers(from, memref) == 0
            && self.graph.outgoing(to, memref) == 0
            && !(removed && others())
    }

    /// Whether all that the fused nest reads of a memref has been written by the slice
    /// before: else a private memref has nothing there.
    fn is_filled(
        &self,
        ctx: &Context,
        fusion: &Fusion,
        memref: Value,
        from: usize,
        to: usize,
    ) -> bool {
        let (Some(a), Some(b)) = (self.node(from), self.node(to)) else {
            return false;
        };
        // Nobody else has written it: what the source has not is nowhere.
        let only_here = memref.block(ctx) == Some(self.graph.block)
            && memref.users(ctx).into_iter().all(|u| {
                let inside = |n: &Node| n.op.is_ancestor_of(ctx, u);
                Access::of(ctx, u)
                    .is_some_and(|x| x.kind != AccessKind::Write || inside(a) || inside(b))
            });
        let own = a.loads.iter().filter(|r| r.memref == memref);
        let stores = a.stores.iter().filter(|w| w.memref == memref);
        // What is read before anything was written has to be in the buffer at least.
        let harmless =
            |r: &Access| only_here && stores.clone().all(|w| w.composed(ctx) == r.composed(ctx));
        let kept =
            |r: &Access| fusion.reads_own_writes(ctx, r) || fusion.reads_old(ctx, r) || harmless(r);
        if !own.clone().all(kept) {
            return false;
        }
        only_here
            || b.loads.iter().filter(|r| r.memref == memref).all(|r| {
                let writes = a.stores.iter().filter(|w| w.memref == memref);
                writes
                    .clone()
                    .any(|w| fusion.writes_what_is_read(ctx, w, r))
            })
    }

    /// Erase allocations that nothing uses any more.
    pub fn erase_unused(&mut self, ctx: &mut Context) {
        let nodes: Vec<(usize, Op)> = self.graph.nodes.values().map(|n| (n.id, n.op)).collect();
        for (id, op) in nodes {
            if op.name(ctx) == AllocOp::NAME && !op.has_uses(ctx) {
                self.graph.remove_node(id);
                op.erase(ctx);
            }
        }
    }
}

enum Step {
    Fused,
    Not,
    /// The destination is done with.
    Stop,
}
