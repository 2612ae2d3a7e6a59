//! The asynchronous ops of a function: who starts and who waits, and who comes too early.

use super::super::trail::Trail;
use super::super::uses::{Summaries, Use};
use super::clash::{Clash, Memories, accesses, here, named, there};
use super::order::{By, Handle, has_token, order, queue_of};
use super::running::{Pending, Running};
use crate::xfer::check::disjoint;
use crate::xfer::overlap::access::is_called;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use terrace_dialects::gpu;
use terrace_dialects::xfer;
use terrace_ir::{Context, Op, Value};

/// What an op does about asynchronous work.
#[derive(Debug, Clone)]
pub(in crate::xfer::check) enum Role {
    /// It is asynchronous: its number, what it comes after, and its handles.
    Starts(usize, By),
    /// It gives a token for others; its handles.
    Joins(By),
    /// The host waits.
    Waits(By),
    /// Something asynchronous is inside an op that counts as one step.
    Hides(Op),
}

/// The asynchronous ops of a function, and who clashes with them.
pub(in crate::xfer::check) struct Tasks {
    sites: Vec<(Op, Vec<Use>)>,
    number: FxHashMap<Op, usize>,
    clashes: FxHashMap<Op, Rc<Vec<Clash>>>,
    memories: Memories,
    function: Op,
    /// Why it may not be known that something was waited for.
    pub lost: Option<(Op, &'static str)>,
}

/// Whether an op with a token does something of its own meanwhile.
fn is_task(ctx: &Context, op: Op) -> bool {
    let does = matches!(
        op.name(ctx),
        xfer::CopyOp::NAME
            | xfer::PrefetchOp::NAME
            | gpu::LaunchOp::NAME
            | gpu::LaunchFuncOp::NAME
            | gpu::MemcpyOp::NAME
            | gpu::MemsetOp::NAME
            | gpu::DeallocOp::NAME
    );
    does && has_token(ctx, op)
}

/// Whether a function has anything to do with asynchronous work.
pub(in crate::xfer::check) fn is_asynchronous(ctx: &Context, function: Op) -> bool {
    let ops = function.pre_order(ctx);
    ops.iter().any(|o| is_task(ctx, *o))
}

impl Tasks {
    /// As if nothing were asynchronous.
    pub(crate) fn none(function: Op) -> Tasks {
        Tasks {
            sites: Vec::new(),
            number: FxHashMap::default(),
            clashes: FxHashMap::default(),
            memories: Memories::new(false),
            function,
            lost: None,
        }
    }

    pub(crate) fn of(ctx: &Context, function: Op, summaries: &mut Summaries) -> Tasks {
        let ops = function.pre_order(ctx);
        let lost = ops.iter().find_map(|o| order(ctx, *o).lost);
        let tasks = ops.into_iter().filter(|o| is_task(ctx, *o));
        let sites: Vec<(Op, Vec<Use>)> = tasks.map(|o| (o, accesses(ctx, o, summaries))).collect();
        let number = sites.iter().enumerate().map(|(i, s)| (s.0, i)).collect();
        Tasks {
            sites,
            number,
            clashes: FxHashMap::default(),
            memories: Memories::new(is_called(ctx, function)),
            function,
            lost,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    pub(crate) fn op(&self, site: usize) -> Op {
        self.sites[site].0
    }

    /// What the op of a number uses.
    pub(crate) fn uses(&self, site: usize) -> &[Use] {
        &self.sites[site].1
    }

    /// Whether other functions call this one.
    pub(crate) fn is_called(&self) -> bool {
        self.memories.called
    }

    /// What the op `op` does about asynchronous work. One that has regions and is not
    /// walked through counts with all that is in it.
    pub(crate) fn role(&self, ctx: &Context, op: Op) -> Option<Role> {
        if self.is_empty() {
            return None;
        }
        if let Some(n) = self.number.get(&op) {
            return Some(Role::Starts(*n, order(ctx, op)));
        }
        let inside = |o: &&(Op, Vec<Use>)| op != o.0 && op.is_ancestor_of(ctx, o.0);
        if let Some((hidden, _)) = self.sites.iter().find(inside) {
            return Some(Role::Hides(*hidden));
        }
        match has_token(ctx, op) {
            true => Some(Role::Joins(order(ctx, op))),
            false => {
                let by = order(ctx, op);
                let waits = by.all || !by.handles.is_empty() || by.lost.is_some();
                waits.then_some(Role::Waits(by))
            }
        }
    }

    /// The uses of an op that clash with those of asynchronous ops, itself included.
    pub(crate) fn clashes(
        &mut self,
        ctx: &Context,
        op: Op,
        summaries: &mut Summaries,
    ) -> Rc<Vec<Clash>> {
        if let Some(c) = self.clashes.get(&op) {
            return c.clone();
        }
        let mut found: Vec<Clash> = Vec::new();
        if !self.is_empty() {
            let mine = match self.number.get(&op) {
                Some(n) => self.sites[*n].1.clone(),
                None => accesses(ctx, op, summaries),
            };
            let memories = &mut self.memories;
            for (site, (other, theirs)) in self.sites.iter().enumerate() {
                let clash = mine.iter().find_map(|m| {
                    let t = theirs.iter().find(|t| {
                        memories.clash(ctx, m, t, summaries)
                            && !disjoint::are(ctx, self.function, (op, m), (*other, t))
                    })?;
                    Some(Clash {
                        site,
                        at: m.at,
                        array: named(m.target).or(named(t.target))?,
                        here: here(m.ways, t.ways),
                        there: there(t.ways),
                    })
                });
                found.extend(clash);
            }
        }
        let found = Rc::new(found);
        self.clashes.insert(op, found.clone());
        found
    }

    /// The op `site` starts; those of `clashes` that it does not come after.
    pub(crate) fn start(
        &self,
        ctx: &Context,
        pending: &mut Pending,
        site: usize,
        by: &By,
        clashes: &[Clash],
        trail: Trail,
    ) -> Vec<(Clash, Trail)> {
        let before = pending.covered(by);
        let unordered = clashes.iter().filter(|c| !before.contains(&c.site));
        let wrong = unordered
            .filter_map(|c| Some((*c, pending.0.get(&c.site)?.trail)))
            .collect();
        let own = self.own(ctx, self.op(site));
        self.redefine(ctx, pending, self.op(site));
        pending.add(&before, &own);
        let mut handles: FxHashSet<Handle> = own.into_iter().collect();
        // Its runs before must have ended too.
        if let Some(old) = pending.0.get(&site) {
            handles.retain(|h| old.handles.contains(h));
        }
        pending.0.insert(site, Running { handles, trail });
        wrong
    }

    /// A token for others.
    pub(crate) fn joins(&self, ctx: &Context, pending: &mut Pending, op: Op, by: &By) {
        let before = pending.covered(by);
        self.redefine(ctx, pending, op);
        pending.add(&before, &self.own(ctx, op));
    }

    fn redefine(&self, ctx: &Context, pending: &mut Pending, op: Op) {
        let token = gpu::async_token(ctx);
        for r in op.results(ctx) {
            if r.ty(ctx) == token {
                pending.forget(r);
            }
        }
    }

    /// What stands for the completion of a run of `op`.
    fn own(&self, ctx: &Context, op: Op) -> Vec<Handle> {
        let token = gpu::async_token(ctx);
        let results = op.results(ctx).into_iter();
        let tokens = results.filter(|r| r.ty(ctx) == token).map(Handle::Token);
        let queue = queue_of(ctx, op).and_then(|q| ctx.constant_int(q));
        tokens.chain(queue.map(Handle::Queue)).collect()
    }

    /// What clashes with ops that may still run, of those that an op of the host clashes
    /// with. They count as done from then on: the mistake is reported.
    pub(crate) fn host(&self, pending: &mut Pending, clashes: &[Clash]) -> Vec<(Clash, Trail)> {
        let mut wrong = Vec::new();
        for c in clashes {
            if let Some(r) = pending.0.remove(&c.site) {
                wrong.push((*c, r.trail));
            }
        }
        wrong
    }

    /// Ops that may still run where the function returns.
    pub(crate) fn left(&self, pending: &mut Pending) -> Vec<(usize, Trail)> {
        let left = std::mem::take(&mut pending.0);
        left.into_iter().map(|(s, r)| (s, r.trail)).collect()
    }

    /// An array that a task uses, to name it.
    pub(crate) fn array_of(&self, task: Op) -> Option<Value> {
        let uses = &self.sites[*self.number.get(&task)?].1;
        uses.iter().find_map(|u| named(u.target))
    }
}
