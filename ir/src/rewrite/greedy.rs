//! The greedy driver: folds and patterns, again and again, until nothing changes.

use super::folder::ConstantFolder;
use super::pattern::{ByRoot, PatternSet};
use super::regions::{erase_unreachable_inside, simplify_regions};
use super::rewriter::Rewriter;
use super::worklist::Worklist;
use crate::builder::InsertPoint;
use crate::context::Context;
use crate::effects::is_trivially_dead;
use crate::fold::try_fold;
use crate::op::Op;
use crate::opdef::{Fold, FoldResult};
use crate::value::Value;
use rustc_hash::FxHashSet;

/// How [`apply_greedily`] goes about it.
#[derive(Debug, Clone)]
pub struct GreedyOptions {
    /// Fold ops; else only patterns apply and dead ops go.
    pub fold: bool,
    /// Make constants unique and move them up.
    pub unique_constants: bool,
    /// Start with the outermost, first ops; else with the innermost, last ones.
    pub top_down: bool,
    /// Rounds over all ops before giving up; `None` for no limit.
    pub max_iterations: Option<usize>,
    /// Pattern applications before giving up; `None` for no limit.
    pub max_rewrites: Option<u64>,
    /// Erase unreachable blocks and dead block arguments.
    pub simplify_regions: bool,
    /// Merge blocks that do the same, where regions are simplified.
    pub merge_blocks: bool,
}

impl Default for GreedyOptions {
    fn default() -> Self {
        GreedyOptions {
            fold: true,
            unique_constants: true,
            top_down: true,
            max_iterations: Some(10),
            max_rewrites: None,
            simplify_regions: true,
            merge_blocks: false,
        }
    }
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GreedyResult {
    /// The last round changed nothing: no pattern or fold applies any more.
    pub converged: bool,
    /// Whether the IR is another than before.
    pub changed: bool,
    /// Rounds over all ops, the last without effect included.
    pub iterations: usize,
    /// Pattern applications.
    pub rewrites: u64,
    /// Ops folded, in place or away.
    pub folds: u64,
    /// Dead ops erased.
    pub erased: u64,
}

/// Apply folds and `patterns` to the ops inside `root` (not `root` itself) until
/// nothing changes or a limit of `options` is met.
pub fn apply_greedily(
    ctx: &mut Context,
    root: Op,
    patterns: &PatternSet,
    options: &GreedyOptions,
) -> GreedyResult {
    let mut driver = Driver::new(root, patterns, options);
    driver.run(ctx);
    driver.result
}

/// As [`apply_greedily`], to `ops`, all inside `root`, and the ops that folds and
/// patterns make, and to no others. There are no rounds, and regions are not
/// simplified: it ends when none of these ops changes any more.
pub fn apply_to_ops(
    ctx: &mut Context,
    root: Op,
    ops: &[Op],
    patterns: &PatternSet,
    options: &GreedyOptions,
) -> GreedyResult {
    let mut driver = Driver::new(root, patterns, options);
    driver.only = Some(ops.iter().copied().collect());
    // What is pushed last is popped first.
    for op in ops.iter().rev() {
        driver.worklist.push(*op);
    }
    driver.result.iterations = 1;
    driver.result.changed = driver.process(ctx);
    driver.result.converged = !driver.out_of_rewrites();
    driver.result
}

struct Driver<'p> {
    root: Op,
    options: &'p GreedyOptions,
    patterns: ByRoot<'p>,
    worklist: Worklist,
    folder: ConstantFolder,
    result: GreedyResult,
    created: Vec<Op>,
    touched: Vec<Op>,
    /// The ops that may change; `None` for all inside the root.
    only: Option<FxHashSet<Op>>,
}

impl<'p> Driver<'p> {
    fn new(root: Op, patterns: &'p PatternSet, options: &'p GreedyOptions) -> Self {
        Driver {
            root,
            options,
            patterns: patterns.by_root(),
            worklist: Worklist::default(),
            folder: ConstantFolder::new(),
            result: GreedyResult {
                converged: false,
                changed: false,
                iterations: 0,
                rewrites: 0,
                folds: 0,
                erased: 0,
            },
            created: Vec::new(),
            touched: Vec::new(),
            only: None,
        }
    }

    fn run(&mut self, ctx: &mut Context) {
        loop {
            if self
                .options
                .max_iterations
                .is_some_and(|m| self.result.iterations >= m)
            {
                return;
            }
            self.result.iterations += 1;
            // Ops in blocks that nothing reaches may use themselves, which patterns do not expect.
            let first = self.result.iterations == 1 && self.options.simplify_regions;
            let mut changed = first && erase_unreachable_inside(ctx, self.root);
            self.seed(ctx);
            changed |= self.process(ctx);
            if self.options.simplify_regions {
                changed |= simplify_regions(ctx, self.root, self.options.merge_blocks);
            }
            self.result.changed |= changed;
            if !changed {
                self.result.converged = true;
                return;
            }
            if self.out_of_rewrites() {
                return;
            }
        }
    }

    fn out_of_rewrites(&self) -> bool {
        self.options
            .max_rewrites
            .is_some_and(|m| self.result.rewrites >= m)
    }

    /// Put all ops inside the root on the worklist, and constants in their place.
    fn seed(&mut self, ctx: &mut Context) {
        self.worklist.clear();
        self.folder = ConstantFolder::new();
        let ops = if self.options.top_down {
            self.root.pre_order(ctx)
        } else {
            self.root.post_order(ctx)
        };
        for op in ops {
            if op == self.root {
                continue;
            }
            let constant = match self.options.unique_constants {
                true => ctx.constant_value(op),
                false => None,
            };
            if constant.is_none_or(|value| self.folder.insert(ctx, op, value)) {
                self.worklist.push(op);
            }
        }
        if self.options.top_down {
            self.worklist.reverse();
        }
    }

    fn process(&mut self, ctx: &mut Context) -> bool {
        let mut changed = false;
        let mut rw = Rewriter::new(ctx);
        while !self.out_of_rewrites() {
            let Some(op) = self.worklist.pop() else { break };
            // A pattern may have erased it.
            if !rw.ctx.is_alive(op) {
                continue;
            }
            if is_trivially_dead(rw.ctx, op) {
                self.folder.forget(op);
                rw.erase(op);
                self.result.erased += 1;
                changed = true;
                self.requeue(&mut rw);
                continue;
            }
            if self.options.fold && self.fold(&mut rw, op) {
                self.result.folds += 1;
                changed = true;
                self.requeue(&mut rw);
                continue;
            }
            if self.apply(&mut rw, op) {
                self.result.rewrites += 1;
                changed = true;
            }
            self.requeue(&mut rw);
        }
        changed
    }

    fn fold(&mut self, rw: &mut Rewriter, op: Op) -> bool {
        match try_fold(rw.ctx, op) {
            Fold::No => false,
            Fold::InPlace => {
                rw.modified(op);
                true
            }
            Fold::Results(results) => {
                rw.set_before(op);
                let mut values: Vec<Value> = Vec::with_capacity(results.len());
                let mut made = Vec::new();
                for (i, r) in results.into_iter().enumerate() {
                    let value = match r {
                        FoldResult::Value(v) => v,
                        FoldResult::Attr(a) => {
                            let ty = op.result(rw.ctx, i).ty(rw.ctx);
                            let Some(c) = rw.constant(op, a, ty) else {
                                break;
                            };
                            made.push(c);
                            c.result(rw.ctx, 0)
                        }
                    };
                    values.push(value);
                }
                let types_fit = values.len() == op.num_results(rw.ctx)
                    && values
                        .iter()
                        .enumerate()
                        .all(|(i, v)| v.ty(rw.ctx) == op.result(rw.ctx, i).ty(rw.ctx));
                if !types_fit {
                    // No such constant: as if nothing had folded.
                    for c in made {
                        c.erase(rw.ctx);
                    }
                    return false;
                }
                // An op that has effects keeps having them.
                rw.replace_op(op, &values);
                true
            }
        }
    }

    fn apply(&self, rw: &mut Rewriter, op: Op) -> bool {
        let patterns = self.patterns.of(op.name(rw.ctx));
        for p in patterns {
            rw.set_before(op);
            if p.rewrite(rw, op) {
                if rw.ctx.is_alive(op) {
                    rw.modified(op);
                }
                return true;
            }
        }
        false
    }

    /// Put what the rewriter made and touched on the worklist, each with the ops
    /// around it, which may have become dead or simpler.
    fn requeue(&mut self, rw: &mut Rewriter) {
        rw.take_touched(&mut self.created, &mut self.touched);
        rw.at = InsertPoint::Detached;
        if let Some(only) = &mut self.only {
            only.extend(&self.created);
        }
        for op in self.created.drain(..).chain(self.touched.drain(..)) {
            if !rw.ctx.is_alive(op) || !self.root.is_ancestor_of(rw.ctx, op) {
                continue;
            }
            let mut at = Some(op);
            while let Some(o) = at.filter(|o| *o != self.root) {
                if self.only.as_ref().is_none_or(|only| only.contains(&o)) {
                    self.worklist.push(o);
                }
                at = o.parent(rw.ctx);
            }
        }
    }
}
