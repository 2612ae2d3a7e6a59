//! Nests that read the same memory become one.

use super::greedy::{Choice, Greedy};
use super::slices::{Outcome, Strategy, depth_in, slice_at};
use crate::analysis::fusion_legality::Fusion;
use crate::analysis::memref_graph::Node;
use crate::analysis::pair::scoped_ivs;
use crate::analysis::slice::Slice;
use crate::loops::fuse_slice::fuse_slice;
use terrace_dialects::affine::{Access, AccessKind};
use terrace_ir::{Context, OpKind, Value};

impl Greedy {
    /// Put nests that read the same memory, and do not depend on each other, into one
    /// another.
    pub fn siblings(&mut self, ctx: &mut Context) {
        for id in self.order() {
            let mut seen: Vec<usize> = Vec::new();
            while self.nest(ctx, id).is_some()
                && let Some((sibling, memref)) = self.sibling_of(ctx, id, &mut seen)
            {
                if !self.fuse_sibling(ctx, sibling, id, memref) {
                    break;
                }
            }
        }
    }

    /// A nest that reads what `id` reads and may be put into it.
    fn sibling_of(
        &self,
        ctx: &Context,
        id: usize,
        seen: &mut Vec<usize>,
    ) -> Option<(usize, Value)> {
        let node = self.node(id)?;
        let fits = |other: &Node, memref: Value| {
            other.id != id
                && other.is_loop(ctx)
                && other.load_count(memref) == 1
                && !self.graph.has_path(other.id, id)
                && !self.graph.has_path(id, other.id)
                && !other.loads.iter().any(|r| {
                    other.store_count(r.memref) > 0
                        && self.graph.incoming_writers(other.id, r.memref) > 0
                })
                && other.stores.windows(2).all(|w| w[0].memref == w[1].memref)
        };
        // Readers of the same argument, in the order of the uses.
        for arg in self.graph.block.args(ctx) {
            if node.load_count(arg) == 0 {
                continue;
            }
            for user in arg.users(ctx) {
                let read = Access::of(ctx, user).is_some_and(|a| a.kind == AccessKind::Read);
                let Some(top) = user.ancestor_in(ctx, self.graph.block).filter(|_| read) else {
                    continue;
                };
                let mut nodes = self.graph.nodes.values();
                let Some(other) = nodes.find(|n| n.op == top && n.is_loop(ctx)) else {
                    continue;
                };
                if !seen.contains(&other.id) && fits(other, arg) {
                    seen.push(other.id);
                    return Some((other.id, arg));
                }
            }
        }
        // Readers of what the same node has written or made.
        for e in self.graph.ins(id) {
            let from = self.node(e.id)?;
            let made = e.value.def_op() == Some(from.op);
            if node.load_count(e.value) == 0 || !(from.store_count(e.value) > 0 || made) {
                continue;
            }
            for o in self.graph.outs(e.id) {
                if o.value != e.value || seen.contains(&o.id) {
                    continue;
                }
                if self.node(o.id).is_some_and(|n| fits(n, o.value)) {
                    seen.push(o.id);
                    return Some((o.id, o.value));
                }
            }
        }
        None
    }

    /// Returns whether to look for further siblings.
    fn fuse_sibling(&mut self, ctx: &mut Context, from: usize, to: usize, memref: Value) -> bool {
        let (Some(source), Some(destination)) = (self.nest(ctx, from), self.nest(ctx, to)) else {
            return true;
        };
        let first = source.op().is_before(ctx, destination.op());
        let point = if first {
            self.graph.fusion_point(ctx, from, to)
        } else {
            self.graph.fusion_point(ctx, to, from)
        };
        let (Some(place), Some(a), Some(b)) =
            (point, self.node(from).cloned(), self.node(to).cloned())
        else {
            return true;
        };
        let loads = a.loads_of(memref);
        let theirs = b.loads_of(memref);
        let Some(theirs) = theirs.first() else {
            return true;
        };
        let around = scoped_ivs(ctx, destination.op()).len();
        let deepest = depth_in(ctx, destination, theirs);
        let strategy = Strategy::Sibling(memref);
        let slices: Vec<Option<Slice>> = (1..=deepest)
            .map(
                |d| match slice_at(ctx, source, destination, d + around, strategy) {
                    Outcome::Slice(s) => Some(*s),
                    _ => None,
                },
            )
            .collect();
        let Choice { slice, .. } = match self.choose(ctx, source, &loads, destination, slices) {
            Ok(Some(c)) => c,
            Ok(None) => return true,
            Err(()) => return false,
        };
        let fusion = Fusion {
            source,
            destination,
            slice: &slice,
            removed: true,
        };
        let has_results = source.op().num_results(ctx) > 0;
        if has_results || slice.is_maximal(ctx) != Some(true) || fusion.check(ctx).is_none() {
            return true;
        }
        fuse_slice(ctx, source, &slice);
        if place != destination.op() {
            destination.op().move_before(ctx, place);
        }
        self.graph.fused_sibling(from, to);
        self.graph.refresh(ctx, to);
        self.remove(ctx, from, source.op());
        true
    }
}
