//! The fixed point: what is reachable and what is known, until nothing is new.

use super::calls::{Functions, returns};
use super::lattice::{Known, Lattice};
use super::structured::{Truth, Way, truth, ways_in, ways_out};
use crate::analysis::call_graph::is_callable;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use terrace_dialects::{cf, func};
use terrace_ir::opdef::{Fold, FoldResult};
use terrace_ir::{Attr, Block, Context, Op, OpKind, Value};

/// What was found out.
pub(super) struct Facts {
    pub known: Lattice,
    pub reachable: FxHashSet<Block>,
}

pub(super) struct Solver<'c> {
    ctx: &'c Context,
    functions: Functions,
    known: Lattice,
    reachable: FxHashSet<Block>,
    /// The reachable calls of each function.
    calls: FxHashMap<Op, Vec<Op>>,
    /// Ops that folded to a value which is no operand of theirs.
    followers: FxHashMap<Value, Vec<Op>>,
    work: VecDeque<Op>,
    queued: FxHashSet<Op>,
}

impl<'c> Solver<'c> {
    pub fn solve(ctx: &'c Context, root: Op) -> Facts {
        let mut s = Solver {
            ctx,
            functions: Functions::new(ctx, root),
            known: Lattice::default(),
            reachable: FxHashSet::default(),
            calls: FxHashMap::default(),
            followers: FxHashMap::default(),
            work: VecDeque::new(),
            queued: FxHashSet::default(),
        };
        for r in root.regions(ctx) {
            if let Some(entry) = r.entry(ctx) {
                s.begin_unknown(entry);
            }
        }
        while let Some(op) = s.work.pop_front() {
            s.queued.remove(&op);
            if op.block(ctx).is_some_and(|b| s.reachable.contains(&b)) {
                s.visit(op);
            }
        }
        Facts {
            known: s.known,
            reachable: s.reachable,
        }
    }

    fn push(&mut self, op: Op) {
        if self.queued.insert(op) {
            self.work.push_back(op);
        }
    }

    fn reach(&mut self, block: Block) {
        if self.reachable.insert(block) {
            for op in block.ops(self.ctx) {
                self.push(op);
            }
        }
    }

    /// `block` begins with arguments of which nothing is known.
    fn begin_unknown(&mut self, block: Block) {
        self.reach(block);
        for a in block.args(self.ctx) {
            self.join(a, Known::Anything);
        }
    }

    fn join(&mut self, v: Value, k: Known) {
        if !self.known.join(v, k) {
            return;
        }
        for user in v.users(self.ctx) {
            self.push(user);
        }
        for op in self.followers.get(&v).cloned().unwrap_or_default() {
            self.push(op);
        }
    }

    /// `to` takes the value of `from`.
    fn pass(&mut self, from: Value, to: Value) {
        self.join(to, self.known.get(from));
    }

    fn anything(&mut self, values: Vec<Value>) {
        for v in values {
            self.join(v, Known::Anything);
        }
    }

    fn visit(&mut self, op: Op) {
        let ctx = self.ctx;
        if op.num_successors(ctx) > 0 {
            self.branch(op);
            self.anything(op.results(ctx));
        } else if op.isa::<func::CallOp>(ctx) {
            self.call(op);
        } else if op.isa::<func::ReturnOp>(ctx) {
            self.ends(op);
        } else if let Some(ways) = ways_out(ctx, op, &self.known) {
            self.go(ways);
        } else if is_callable(ctx, op) {
            // A function with unknown callers may be called; others wait for a call.
            if !self.functions.is_closed(op)
                && let Some(entry) = op.region(ctx, 0).entry(ctx)
            {
                self.begin_unknown(entry);
            }
        } else if op.num_regions(ctx) > 0 {
            match ways_in(ctx, op, &self.known) {
                Some(ways) => self.go(ways),
                None => {
                    for entry in op.regions(ctx).iter().filter_map(|r| r.entry(ctx)) {
                        self.begin_unknown(entry);
                    }
                    self.anything(op.results(ctx));
                }
            }
        } else {
            self.compute(op);
        }
    }

    fn go(&mut self, ways: Vec<Way>) {
        let ctx = self.ctx;
        for way in ways {
            match way {
                Way::Enter {
                    block,
                    skip,
                    values,
                } => {
                    self.reach(block);
                    for (i, a) in block.args(ctx).into_iter().enumerate() {
                        match i.checked_sub(skip).and_then(|i| values.get(i)) {
                            Some(v) => self.pass(*v, a),
                            None => self.join(a, Known::Anything),
                        }
                    }
                }
                Way::Leave { op, values } => {
                    for (i, r) in op.results(ctx).into_iter().enumerate() {
                        match values.get(i) {
                            Some(v) => self.pass(*v, r),
                            None => self.join(r, Known::Anything),
                        }
                    }
                }
            }
        }
    }

    fn branch(&mut self, op: Op) {
        let ctx = self.ctx;
        let taken = match self.successors(op) {
            Some(t) => t,
            None => return,
        };
        let handed = op.def(ctx).and_then(|d| d.successor_operands);
        for i in taken {
            let block = op.successor(ctx, i);
            self.reach(block);
            let range = handed.map(|f| f(ctx, op, i));
            let operands = op.operands(ctx);
            let values = range.and_then(|r| operands.get(r)).unwrap_or(&[]);
            for (k, a) in block.args(ctx).into_iter().enumerate() {
                match values.get(k) {
                    Some(v) => self.pass(*v, a),
                    None => self.join(a, Known::Anything),
                }
            }
        }
    }

    /// The successors that the branch may go to; `None` while that is not known.
    fn successors(&self, op: Op) -> Option<Vec<usize>> {
        let ctx = self.ctx;
        let all = (0..op.num_successors(ctx)).collect();
        if let Some(c) = op.cast::<cf::CondBranchOp>(ctx) {
            return match truth(ctx, &self.known, c.condition(ctx)) {
                Truth::NotYet => None,
                Truth::Known(t) => Some(vec![usize::from(!t)]),
                Truth::Either => Some(all),
            };
        }
        if let Some(s) = op.cast::<cf::SwitchOp>(ctx) {
            return match self.known.get(op.operand(ctx, 0)) {
                Known::Nothing => None,
                Known::Anything => Some(all),
                Known::Constant(a) => match a.as_int(ctx) {
                    Some(flag) if s.cases(ctx).len() + 1 == op.num_successors(ctx) => {
                        let case = s.cases(ctx).iter().position(|c| c.value == *flag);
                        Some(vec![case.map_or(0, |i| i + 1)])
                    }
                    _ => Some(all),
                },
            };
        }
        Some(all)
    }

    fn call(&mut self, call: Op) {
        let ctx = self.ctx;
        let Some(f) = self.functions.callee(ctx, call) else {
            self.enter_open(call);
            self.anything(call.results(ctx));
            return;
        };
        self.enter(call, f);
        let list = self.calls.entry(f).or_default();
        if !list.contains(&call) {
            list.push(call);
        }
        for (end, values) in returns(ctx, f) {
            if end.block(ctx).is_some_and(|b| self.reachable.contains(&b)) {
                self.give(call, &values);
            }
        }
    }

    /// A call of a function of which not all is known reaches it all the same.
    fn enter_open(&mut self, call: Op) {
        let ctx = self.ctx;
        let callee = call.cast::<func::CallOp>(ctx).and_then(|c| c.function(ctx));
        if let Some(f) = callee
            .map(|f| f.op())
            .filter(|f| self.functions.is_closed(*f))
        {
            self.enter(call, f);
        }
    }

    fn enter(&mut self, call: Op, f: Op) {
        let ctx = self.ctx;
        let Some(entry) = f.region(ctx, 0).entry(ctx) else {
            return;
        };
        if !self.functions.is_closed(f) {
            self.begin_unknown(entry);
            return;
        }
        self.reach(entry);
        let operands = call.operands(ctx);
        for (i, a) in entry.args(ctx).into_iter().enumerate() {
            match operands.get(i) {
                Some(v) => self.pass(*v, a),
                None => self.join(a, Known::Anything),
            }
        }
    }

    /// `end` returns from its function to all calls of it.
    fn ends(&mut self, end: Op) {
        let ctx = self.ctx;
        let Some(f) = end.parent(ctx) else { return };
        let values = end.operands(ctx);
        for call in self.calls.get(&f).cloned().unwrap_or_default() {
            self.give(call, &values);
        }
    }

    fn give(&mut self, call: Op, values: &[Value]) {
        for (i, r) in call.results(self.ctx).into_iter().enumerate() {
            match values.get(i) {
                Some(v) => self.pass(*v, r),
                None => self.join(r, Known::Anything),
            }
        }
    }

    /// An op without regions: constants give constants where it folds.
    fn compute(&mut self, op: Op) {
        let ctx = self.ctx;
        let results = op.results(ctx);
        if results.is_empty()
            || results
                .iter()
                .all(|r| self.known.get(*r) == Known::Anything)
        {
            return;
        }
        if let Some(value) = ctx.constant_value(op) {
            self.join(results[0], Known::Constant(value));
            return;
        }
        let operands = op.operands(ctx);
        let known: Vec<Known> = operands.iter().map(|v| self.known.get(*v)).collect();
        if known.contains(&Known::Nothing) {
            return;
        }
        let constants: Vec<Option<Attr>> = known.iter().map(|k| k.constant()).collect();
        let Some(folded) = fold(ctx, op, &constants).filter(|f| f.len() == results.len()) else {
            self.anything(results);
            return;
        };
        for (r, f) in results.into_iter().zip(folded) {
            match f {
                FoldResult::Attr(a) => self.join(r, Known::Constant(a)),
                FoldResult::Value(v) if v.ty(ctx) != r.ty(ctx) => self.join(r, Known::Anything),
                FoldResult::Value(v) => {
                    if !operands.contains(&v) {
                        let list = self.followers.entry(v).or_default();
                        if !list.contains(&op) {
                            list.push(op);
                        }
                    }
                    self.pass(v, r);
                }
            }
        }
    }
}

/// What `op` folds to with these constants for its operands. The op stays as it was.
fn fold(ctx: &Context, op: Op, constants: &[Option<Attr>]) -> Option<Vec<FoldResult>> {
    let f = op.def(ctx)?.fold?;
    let (operands, attrs) = (op.operands(ctx), op.attrs(ctx));
    match f(ctx, op, constants) {
        Fold::Results(r) => Some(r),
        Fold::No => None,
        Fold::InPlace => {
            // Not a value, and what is known now need not hold in the end.
            op.set_operands(ctx, &operands);
            op.set_attrs(ctx, &attrs);
            None
        }
    }
}
