//! How control runs: structured control flow as it is nested, each loop until nothing new
//! comes around; blocks that branch to each other by a work list.

use super::super::pending;
use super::super::trail::What;
use super::super::trips;
use super::Walk;
use super::known::State;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use terrace_dialects::func;
use terrace_dialects::{affine, memref, scf};
use terrace_ir::{Block, Context, Op, Region};

/// How control runs through the regions of an op.
enum Flow {
    /// Through one of the regions; or past all of them.
    Branches {
        or_none: bool,
    },
    /// Through the only region, once.
    Sequence,
    /// Through the only region, again and again.
    Loop,
    While,
    /// The op counts as one step.
    Step,
}

fn flow(ctx: &Context, op: Op) -> Flow {
    match op.name(ctx) {
        scf::IfOp::NAME | affine::IfOp::NAME => Flow::Branches {
            or_none: op.num_regions(ctx) < 2 || op.region(ctx, 1).is_empty(ctx),
        },
        scf::IndexSwitchOp::NAME => Flow::Branches { or_none: false },
        scf::ExecuteRegionOp::NAME | memref::AllocaScopeOp::NAME => Flow::Sequence,
        scf::ForOp::NAME | affine::ForOp::NAME => Flow::Loop,
        scf::WhileOp::NAME => Flow::While,
        _ => Flow::Step,
    }
}

impl Walk<'_> {
    /// The state where a region is left by a terminator without successors.
    pub(in crate::xfer::check) fn region(&mut self, region: Region, start: State) -> State {
        let blocks = region.blocks(self.ctx);
        if let [only] = blocks[..] {
            let mut end = self.block(only, start);
            if let Some(last) = only.last_op(self.ctx) {
                end.rename(self.ctx, &self.renamed(last, None));
            }
            return end;
        }
        let number: FxHashMap<Block, usize> =
            blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        let mut before: Vec<State> = vec![State::NOWHERE; blocks.len()];
        let mut end = State::NOWHERE;
        let mut work = BTreeSet::new();
        if let Some(first) = before.first_mut() {
            *first = start;
            work.insert(0);
        }
        while let Some(i) = work.pop_first() {
            let after = self.block(blocks[i], before[i].clone());
            let Some(last) = blocks[i].last_op(self.ctx) else {
                continue;
            };
            let successors = last.successors(self.ctx);
            if successors.is_empty() {
                let mut after = after.clone();
                after.rename(self.ctx, &self.renamed(last, None));
                end.join(&after);
            }
            for (k, to) in successors.iter().enumerate() {
                let mut taken = match successors.len() {
                    1 => after.clone(),
                    _ => self.passed(after.clone(), last, What::Branch(k)),
                };
                taken.rename(self.ctx, &self.renamed(last, Some(k)));
                if let Some(n) = number.get(to)
                    && before[*n].join(&taken)
                {
                    work.insert(*n);
                }
            }
        }
        end
    }

    fn block(&mut self, block: Block, start: State) -> State {
        let mut state = start;
        if let Some(list) = self.changes.at_blocks.get(&block) {
            self.mix(list, &mut state);
        }
        let mut next = block.first_op(self.ctx);
        while let Some(op) = next {
            state = self.op(op, state);
            next = op.next(self.ctx);
        }
        state
    }

    fn op(&mut self, op: Op, state: State) -> State {
        if op.name(self.ctx) == func::ReturnOp::NAME {
            let state = self.step(op, state);
            self.leaves_table(&state);
            self.returns(op, state);
            return State::NOWHERE;
        }
        if state.0.is_none() || !self.matters(op) {
            return state;
        }
        let flow = flow(self.ctx, op);
        if let Flow::Step = flow {
            return self.step(op, state);
        }
        if let Some((before, after)) = self.walked.get(&op)
            && before.is_as(&state)
        {
            return after.clone();
        }
        let before = state.clone();
        let mut after = match flow {
            Flow::Branches { or_none } => self.branches(op, or_none, state),
            Flow::Loop => self.repeat(op, state),
            Flow::While => self.repeat_while(op, state),
            Flow::Sequence | Flow::Step => self.region(op.region(self.ctx, 0), state),
        };
        if let Some(list) = self.changes.at_ops.get(&op) {
            self.mix(list, &mut after);
        }
        self.walked.insert(op, (before, after.clone()));
        after
    }

    fn matters(&mut self, op: Op) -> bool {
        if let Some(m) = self.matters.get(&op) {
            return *m;
        }
        let m = match flow(self.ctx, op) {
            _ if self.changes.at_ops.contains_key(&op) => true,
            Flow::Step => {
                !self.effects(op).is_empty()
                    || !self.of_table(op).is_empty()
                    || self.tasks.role(self.ctx, op).is_some()
                    || !self.clashes(op).is_empty()
            }
            _ => {
                let regions = op.regions(self.ctx);
                let blocks = regions.iter().flat_map(|r| r.blocks(self.ctx));
                let mut ops = blocks.flat_map(|b| b.ops(self.ctx));
                pending::has_token(self.ctx, op) || ops.any(|o| self.matters(o))
            }
        };
        self.matters.insert(op, m);
        m
    }

    fn branches(&mut self, op: Op, or_none: bool, before: State) -> State {
        let mut ends = Vec::new();
        for (k, r) in op.regions(self.ctx).into_iter().enumerate() {
            if !r.is_empty(self.ctx) {
                let mut start = self.passed(before.clone(), op, What::Into(k));
                self.asked(op, k == 0, &mut start);
                ends.push(self.region(r, start));
            }
        }
        if or_none {
            let mut past = self.passed(before.clone(), op, What::Past);
            self.asked(op, false, &mut past);
            ends.push(past);
        }
        self.meet(&before, &ends)
    }

    fn repeat(&mut self, op: Op, before: State) -> State {
        let body = op.region(self.ctx, 0);
        let mut start = before.clone();
        start.rename(self.ctx, &self.entered(op));
        let end = loop {
            let end = self.region(body, start.clone());
            let again = self.passed(end.clone(), op, What::Again);
            if !start.join(&again) {
                break end;
            }
        };
        if trips::runs(self.ctx, op) {
            return self.meet(&before, &[end]);
        }
        let mut none = self.passed(before.clone(), op, What::NoIterations);
        none.rename(self.ctx, &self.entered(op));
        self.meet(&before, &[none, end])
    }

    fn repeat_while(&mut self, op: Op, before: State) -> State {
        let (condition, body) = (op.region(self.ctx, 0), op.region(self.ctx, 1));
        let mut start = before.clone();
        start.rename(self.ctx, &self.entered(op));
        loop {
            let decided = self.region(condition, start.clone());
            let end = self.region(body, decided.clone());
            let again = self.passed(end, op, What::Again);
            if !start.join(&again) {
                return self.meet(&before, &[decided]);
            }
        }
    }
}
