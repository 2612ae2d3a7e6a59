//! What must come after what, where copies and launches go on meanwhile.
//!
//! The set of tasks that the host has not waited for is followed through the function,
//! over all paths. A task comes after those of them that it conflicts with; in front of
//! an op of the host that conflicts with some, the host waits for these.

use super::access::{self, Access, Elements, conflict, is_called, is_opaque};
use super::{Numbers, queue_of};
use crate::xfer::summary::Summaries;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;
use terrace_dialects::func;
use terrace_dialects::{affine, scf};
use terrace_ir::{Block, Context, Op, Region};

pub const KERNELS: usize = 0;
pub const IN: usize = 1;
pub const OUT: usize = 2;
pub const QUEUES: usize = 3;

/// Something that can be asynchronous.
#[derive(Debug, PartialEq)]
pub struct Task {
    pub op: Op,
    pub queue: usize,
    /// The tasks that it comes after.
    pub after: BTreeSet<usize>,
}

/// What comes after what.
#[derive(Debug, Default, PartialEq)]
pub struct Ordered {
    /// In the order of the text.
    pub tasks: Vec<Task>,
    /// The tasks that the host waits for in front of an op.
    pub waits: FxHashMap<Op, BTreeSet<usize>>,
}

/// The order of the copies and launches of a function; `exact` with a look at which elements
/// they use.
pub fn of(ctx: &Context, function: Op, exact: bool) -> Ordered {
    let mut walk = Walk {
        ctx,
        function,
        summaries: Summaries::default(),
        numbers: Numbers::default(),
        accesses: FxHashMap::default(),
        ordered: Ordered::default(),
        called: is_called(ctx, function),
        exact,
    };
    walk.number(function.region(ctx, 0));
    if !walk.ordered.tasks.is_empty() {
        walk.function(function);
    }
    walk.ordered
}

struct Walk<'c> {
    ctx: &'c Context,
    function: Op,
    summaries: Summaries,
    numbers: Numbers,
    accesses: FxHashMap<Op, Rc<Vec<Access>>>,
    ordered: Ordered,
    /// Whether the function's arguments may be each other.
    called: bool,
    exact: bool,
}

/// The tasks that the host has not waited for.
type Running = BTreeSet<usize>;

/// Whether control runs through the regions of an op one after another, so that there is
/// an order in which its ops happen.
fn is_followed(ctx: &Context, op: Op) -> bool {
    let named = matches!(
        op.name(ctx),
        scf::IfOp::NAME
            | scf::ForOp::NAME
            | scf::WhileOp::NAME
            | scf::IndexSwitchOp::NAME
            | scf::ExecuteRegionOp::NAME
            | affine::IfOp::NAME
            | affine::ForOp::NAME
    );
    let regions = op.regions(ctx);
    named
        && regions
            .iter()
            .all(|r| r.is_empty(ctx) || r.has_one_block(ctx))
}

impl Walk<'_> {
    /// Finds the tasks, where there is an order.
    fn number(&mut self, region: Region) {
        for op in region.blocks(self.ctx).iter().flat_map(|b| b.ops(self.ctx)) {
            if let Some(queue) = queue_of(self.ctx, op) {
                self.numbers.insert(op, self.ordered.tasks.len());
                self.ordered.tasks.push(Task {
                    op,
                    queue,
                    after: BTreeSet::new(),
                });
            } else if is_followed(self.ctx, op) {
                op.regions(self.ctx)
                    .into_iter()
                    .for_each(|r| self.number(r));
            }
        }
    }

    fn has_tasks(&self, op: Op) -> bool {
        let inside = |t: &Task| op.is_ancestor_of(self.ctx, t.op);
        self.ordered.tasks.iter().any(inside)
    }

    /// Blocks that branch to each other hand nothing on that still runs.
    fn function(&mut self, function: Op) {
        for block in function.region(self.ctx, 0).blocks(self.ctx) {
            let mut running = Running::new();
            self.block(block, &mut running);
        }
    }

    fn block(&mut self, block: Block, running: &mut Running) {
        for op in block.ops(self.ctx) {
            self.op(op, running);
        }
    }

    fn region(&mut self, region: Region, running: &mut Running) {
        for block in region.blocks(self.ctx) {
            self.block(block, running);
        }
    }

    fn op(&mut self, op: Op, running: &mut Running) {
        let ctx = self.ctx;
        if let Some(task) = self.numbers.get(&op).copied() {
            let mut after = self.conflicting(op, running);
            let implied = self.implied(op, &after);
            after.retain(|t| !implied.contains(t));
            self.ordered.tasks[task].after.extend(after);
            running.insert(task);
            return;
        }
        let leaves = op.name(ctx) == func::ReturnOp::NAME || op.num_successors(ctx) > 0;
        if leaves {
            self.wait(op, running.clone(), running);
            return;
        }
        if !is_followed(ctx, op) || !self.has_tasks(op) {
            let after = match is_opaque(ctx, op) {
                true => running.clone(),
                false => self.conflicting(op, running),
            };
            self.wait(op, after, running);
            return;
        }
        let regions = op.regions(ctx);
        match op.name(ctx) {
            scf::ForOp::NAME | affine::ForOp::NAME => loop {
                let before = running.clone();
                let mut end = before.clone();
                self.region(regions[0], &mut end);
                running.extend(end);
                if *running == before {
                    break;
                }
            },
            scf::WhileOp::NAME => loop {
                let before = running.clone();
                let mut decided = before.clone();
                self.region(regions[0], &mut decided);
                let mut end = decided.clone();
                self.region(regions[1], &mut end);
                running.extend(end);
                if *running == before {
                    *running = decided;
                    break;
                }
            },
            _ => {
                let before = running.clone();
                let mut ends = Vec::new();
                for r in &regions {
                    let mut end = before.clone();
                    self.region(*r, &mut end);
                    ends.push(end);
                }
                let all = regions.len() > 1 || op.name(ctx) == scf::ExecuteRegionOp::NAME;
                if all {
                    running.clear();
                }
                ends.into_iter().for_each(|e| running.extend(e));
            }
        }
    }

    /// The host waits in front of `op`.
    fn wait(&mut self, op: Op, mut after: BTreeSet<usize>, running: &mut Running) {
        let implied = self.implied(op, &after);
        running.retain(|t| !after.contains(t) && !implied.contains(t));
        after.retain(|t| !implied.contains(t));
        if after.is_empty() {
            return;
        }
        self.ordered.waits.entry(op).or_default().extend(after);
    }

    /// What is done at `op` when the tasks `after` are: what they come after, where that
    /// stands in front of them and they in front of `op`, so that its last run came before
    /// their last one.
    fn implied(&self, op: Op, after: &BTreeSet<usize>) -> BTreeSet<usize> {
        let ctx = self.ctx;
        let ops = |t: usize| self.ordered.tasks[t].op;
        let mut work: Vec<usize> = after.iter().copied().collect();
        work.retain(|t| stands_before(ctx, ops(*t), op));
        let mut implied = BTreeSet::new();
        while let Some(t) = work.pop() {
            for before in &self.ordered.tasks[t].after {
                if stands_before(ctx, ops(*before), ops(t)) && implied.insert(*before) {
                    work.push(*before);
                }
            }
        }
        implied
    }

    /// The tasks among `running` that use what `op` uses, where one of the two writes.
    fn conflicting(&mut self, op: Op, running: &Running) -> BTreeSet<usize> {
        if running.is_empty() {
            return BTreeSet::new();
        }
        let ctx = self.ctx;
        let mine = self.of(op);
        let tasks: Vec<(usize, Op)> = running
            .iter()
            .map(|t| (*t, self.ordered.tasks[*t].op))
            .collect();
        let mut out = BTreeSet::new();
        for (t, other) in tasks {
            let theirs = self.of(other);
            let clash = |m: &Access| theirs.iter().any(|t| conflict(ctx, m, t, self.called));
            if mine.iter().any(clash) {
                out.insert(t);
            }
        }
        out
    }

    /// What an op, with all that is in it, does to memory.
    fn of(&mut self, op: Op) -> Rc<Vec<Access>> {
        if let Some(known) = self.accesses.get(&op) {
            return known.clone();
        }
        let mut all = access::of(self.ctx, self.function, &mut self.summaries, op);
        if !self.exact {
            all.iter_mut().for_each(|a| a.place = Elements::All);
        }
        let all = Rc::new(all);
        self.accesses.insert(op, all.clone());
        all
    }
}

/// Whether `task` stands in front of `op` in its block or one around it, so that it has
/// run whenever `op` runs.
pub(super) fn stands_before(ctx: &Context, task: Op, op: Op) -> bool {
    let around = task.block(ctx).and_then(|b| op.ancestor_in(ctx, b));
    around.is_some_and(|a| a != task && task.is_before(ctx, a))
}
