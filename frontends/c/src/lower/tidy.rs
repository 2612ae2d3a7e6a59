//! Removes what a lowering made and nobody uses: values carried around loops that no
//! iteration reads, results that nobody reads, arithmetic without uses.
//!
//! Dependence analysis wants loops that carry nothing; the lowering hands every
//! variable around that is assigned in a loop, private temporaries included.

use rustc_hash::FxHashSet;
use terrace_dialects::attributes::ACC_REDUCTIONS;
use terrace_dialects::func::FuncOp;
use terrace_dialects::memref;
use terrace_dialects::{affine, scf};
use terrace_ir::effects::would_be_trivially_dead;
use terrace_ir::{Block, Context, Op, OpKind, OpState, Value};

/// Cleans up a function.
pub fn tidy(ctx: &mut Context, func: Op) {
    while forward(ctx, func) {}
    let live = Live::of(ctx, func);
    remove(ctx, func, &live);
}

// ---- values that do not change ----

/// Replaces what loops and conditions hand on unchanged by what it is; whether anything
/// was.
fn forward(ctx: &mut Context, func: Op) -> bool {
    let mut changed = false;
    for op in func.post_order(ctx) {
        match op.name(ctx) {
            affine::ForOp::NAME | scf::ForOp::NAME => {
                let (first, args) = (first_init(ctx, op), op.body(ctx, 0).args(ctx));
                let yielded = terminator(ctx, op.body(ctx, 0));
                for k in 0..op.num_results(ctx) {
                    let (init, arg) = (op.operand(ctx, first + k), args[k + 1]);
                    let out = yielded.operand(ctx, k);
                    if out == arg || out == init {
                        changed |= replace(ctx, arg, init);
                        changed |= replace(ctx, op.result(ctx, k), init);
                    }
                }
            }
            scf::WhileOp::NAME => {
                let before = op.body(ctx, 0).args(ctx);
                let after = op.body(ctx, 1).args(ctx);
                let condition = terminator(ctx, op.body(ctx, 0));
                let yielded = terminator(ctx, op.body(ctx, 1));
                for k in 0..op.num_results(ctx) {
                    let init = op.operand(ctx, k);
                    let (passed, out) = (condition.operand(ctx, k + 1), yielded.operand(ctx, k));
                    if (passed == before[k] || passed == init) && (out == after[k] || out == init) {
                        for v in [before[k], after[k], op.result(ctx, k)] {
                            changed |= replace(ctx, v, init);
                        }
                    }
                }
            }
            scf::IfOp::NAME if op.num_results(ctx) > 0 => {
                let then = terminator(ctx, op.body(ctx, 0));
                let other = terminator(ctx, op.body(ctx, 1));
                for k in 0..op.num_results(ctx) {
                    let (a, b) = (then.operand(ctx, k), other.operand(ctx, k));
                    // The same value comes from outside of both.
                    if a == b {
                        changed |= replace(ctx, op.result(ctx, k), a);
                    }
                }
            }
            _ => {}
        }
    }
    changed
}

fn replace(ctx: &Context, v: Value, with: Value) -> bool {
    let used = v != with && v.has_uses(ctx);
    v.replace_all_uses(ctx, with);
    used
}

/// The number of the operand that the first carried value starts as.
fn first_init(ctx: &Context, op: Op) -> usize {
    op.num_operands(ctx) - op.num_results(ctx)
}

/// The last op of a block of finished IR.
fn terminator(ctx: &Context, b: Block) -> Op {
    match b.last_op(ctx) {
        Some(op) => op,
        None => unreachable!("a block that the lowering did not end"),
    }
}

// ---- what is used ----

/// Values and ops that matter to stores, calls, returns and conditions of loops.
#[derive(Default)]
struct Live {
    values: FxHashSet<Value>,
    ops: FxHashSet<Op>,
    todo: Vec<Value>,
}

fn is_structured(ctx: &Context, op: Op) -> bool {
    matches!(
        op.name(ctx),
        affine::ForOp::NAME
            | scf::ForOp::NAME
            | scf::WhileOp::NAME
            | scf::IfOp::NAME
            | affine::IfOp::NAME
    )
}

fn is_plain_terminator(ctx: &Context, op: Op) -> bool {
    matches!(
        op.name(ctx),
        affine::YieldOp::NAME
            | scf::YieldOp::NAME
            | scf::ConditionOp::NAME
            | memref::AtomicYieldOp::NAME
    )
}

impl Live {
    fn of(ctx: &Context, func: Op) -> Live {
        let mut l = Live::default();
        l.ops.insert(func);
        for op in func.pre_order(ctx) {
            if op == func || is_plain_terminator(ctx, op) {
                continue;
            }
            let essential = match is_structured(ctx, op) {
                // It may not end; who knows is not asked here.
                true => op.name(ctx) == scf::WhileOp::NAME,
                false => !would_be_trivially_dead(ctx, op),
            };
            if essential {
                l.op(ctx, op);
            }
        }
        while let Some(v) = l.todo.pop() {
            l.value(ctx, v);
        }
        l
    }

    fn mark(&mut self, v: Value) {
        if self.values.insert(v) {
            self.todo.push(v);
        }
    }

    /// The op stays, with what decides whether and how often it runs.
    fn op(&mut self, ctx: &Context, op: Op) {
        let mut next = Some(op);
        while let Some(op) = next {
            if !self.ops.insert(op) {
                return;
            }
            let operands = op.operands(ctx);
            match op.name(ctx) {
                affine::ForOp::NAME | scf::ForOp::NAME => {
                    for v in &operands[..first_init(ctx, op)] {
                        self.mark(*v);
                    }
                }
                scf::WhileOp::NAME => self.mark(terminator(ctx, op.body(ctx, 0)).operand(ctx, 0)),
                _ => {
                    for v in operands {
                        self.mark(v);
                    }
                    // What such an op holds belongs to it.
                    if !is_structured(ctx, op) && op.name(ctx) != FuncOp::NAME {
                        for inner in op.pre_order(ctx) {
                            self.ops.insert(inner);
                            for v in inner.operands(ctx) {
                                self.mark(v);
                            }
                        }
                    }
                }
            }
            next = op.parent(ctx);
        }
    }

    /// What a value in use is made of stays too.
    fn value(&mut self, ctx: &Context, v: Value) {
        let k = v.index(ctx);
        if let Some(op) = v.def_op() {
            self.op(ctx, op);
            match op.name(ctx) {
                affine::ForOp::NAME | scf::ForOp::NAME => self.carried(ctx, op, k),
                scf::WhileOp::NAME => self.slot(ctx, op, k),
                scf::IfOp::NAME => {
                    for i in 0..2 {
                        let y = terminator(ctx, op.body(ctx, i));
                        self.mark(y.operand(ctx, k));
                    }
                }
                _ => {}
            }
            return;
        }
        let Some(block) = v.arg_block() else { return };
        let Some(op) = block.parent_op(ctx) else {
            return;
        };
        match op.name(ctx) {
            affine::ForOp::NAME | scf::ForOp::NAME if k > 0 => self.carried(ctx, op, k - 1),
            scf::WhileOp::NAME => self.slot(ctx, op, k),
            _ => {}
        }
    }

    fn carried(&mut self, ctx: &Context, op: Op, k: usize) {
        self.mark(op.operand(ctx, first_init(ctx, op) + k));
        self.mark(terminator(ctx, op.body(ctx, 0)).operand(ctx, k));
    }

    /// Value `k` of an `scf.while`: what it starts as, what is passed on, what comes
    /// back. They go together or not at all.
    fn slot(&mut self, ctx: &Context, op: Op, k: usize) {
        self.mark(op.operand(ctx, k));
        self.mark(terminator(ctx, op.body(ctx, 0)).operand(ctx, k + 1));
        self.mark(terminator(ctx, op.body(ctx, 1)).operand(ctx, k));
    }

    /// Whether carried value `k` of a loop, or result `k` of a condition, is used.
    fn keeps(&self, ctx: &Context, op: Op, k: usize) -> bool {
        let used = |v: Value| self.values.contains(&v);
        if used(op.result(ctx, k)) {
            return true;
        }
        match op.name(ctx) {
            affine::ForOp::NAME | scf::ForOp::NAME => used(op.body(ctx, 0).arg(ctx, k + 1)),
            scf::WhileOp::NAME => {
                used(op.body(ctx, 0).arg(ctx, k)) || used(op.body(ctx, 1).arg(ctx, k))
            }
            _ => false,
        }
    }
}

// ---- taking it out ----

fn remove(ctx: &mut Context, func: Op, live: &Live) {
    let all = func.post_order(ctx);
    let is_dead = |ctx: &Context, op: Op| !live.ops.contains(&op) && !is_plain_terminator(ctx, op);
    let dead: Vec<Op> = all.iter().copied().filter(|o| is_dead(ctx, *o)).collect();
    for op in &dead {
        op.drop_all_references(ctx);
    }
    let dead_set: FxHashSet<Op> = dead.iter().copied().collect();
    let structured: Vec<Op> = all
        .into_iter()
        .filter(|o| !dead_set.contains(o) && is_structured(ctx, *o) && o.num_results(ctx) > 0)
        .collect();
    let keep: Vec<(Op, Vec<bool>)> = structured
        .into_iter()
        .map(|o| {
            let n = o.num_results(ctx);
            (o, (0..n).map(|k| live.keeps(ctx, o, k)).collect())
        })
        .collect();
    // First nobody hands on what goes, then nobody takes it.
    for (op, keep) in &keep {
        for (i, r) in op.regions(ctx).into_iter().enumerate() {
            let Some(last) = r.entry(ctx).and_then(|b| b.last_op(ctx)) else {
                continue;
            };
            let skip = usize::from(op.name(ctx) == scf::WhileOp::NAME && i == 0);
            let kept = kept_operands(ctx, last, skip, keep);
            last.set_operands(ctx, &kept);
        }
        if !matches!(op.name(ctx), scf::IfOp::NAME | affine::IfOp::NAME) {
            let first = first_init(ctx, *op);
            if let Some(f) = op.cast::<affine::ForOp>(ctx) {
                let sizes = [
                    f.lower_operands(ctx).len(),
                    f.upper_operands(ctx).len(),
                    keep.iter().filter(|k| **k).count(),
                ];
                let sizes = ctx.i32_array(&sizes.map(|s| s as i32));
                op.set_attr(ctx, "operandSegmentSizes", sizes);
            }
            let kept = kept_operands(ctx, *op, first, keep);
            op.set_operands(ctx, &kept);
        }
    }
    for (op, keep) in keep {
        if keep.iter().any(|k| !k) {
            shrink(ctx, op, &keep);
        }
    }
    for op in dead {
        // What lies in another dead op goes with it.
        let inside = op.parent(ctx).is_some_and(|p| dead_set.contains(&p));
        if !inside {
            op.erase(ctx);
        }
    }
}

fn kept_operands(ctx: &Context, op: Op, skip: usize, keep: &[bool]) -> Vec<Value> {
    op.operands(ctx)
        .into_iter()
        .enumerate()
        .filter(|(i, _)| *i < skip || keep.get(i - skip).copied().unwrap_or(true))
        .map(|(_, v)| v)
        .collect()
}

/// The op with the carried values or results that are kept.
fn shrink(ctx: &mut Context, op: Op, keep: &[bool]) {
    let name = op.name(ctx).to_string();
    let is_for = name == affine::ForOp::NAME || name == scf::ForOp::NAME;
    let types: Vec<_> = op
        .result_types(ctx)
        .into_iter()
        .zip(keep)
        .filter(|(_, k)| **k)
        .map(|(t, _)| t)
        .collect();
    let Some(def) = op.def(ctx) else { return };
    let n = op.num_regions(ctx);
    let mut state = OpState::new(def, op.loc(ctx))
        .operands(&op.operands(ctx))
        .results(&types)
        .regions(n);
    state.attrs = op.attrs(ctx);
    let new = state.create(ctx);
    new.insert_before(ctx, op);
    let kinds = op.attr(ctx, ACC_REDUCTIONS);
    if let Some(kinds) = kinds.and_then(|a| a.as_i64_array(ctx)) {
        let kinds = kinds.into_iter().zip(keep);
        let kinds: Vec<i64> = kinds.filter(|(_, k)| **k).map(|(n, _)| n).collect();
        let kinds = ctx.i64_array(&kinds);
        new.set_attr(ctx, ACC_REDUCTIONS, kinds);
    }
    for i in 0..n {
        let to = new.region(ctx, i);
        op.region(ctx, i).move_blocks_to(ctx, to);
        let Some(block) = to.entry(ctx) else { continue };
        if is_for || name == scf::WhileOp::NAME {
            let skip = usize::from(is_for);
            for k in (0..keep.len()).rev() {
                if !keep[k] {
                    block.erase_arg(ctx, k + skip);
                }
            }
        }
    }
    let mut next = 0;
    for (k, keep) in keep.iter().enumerate() {
        if *keep {
            let v = new.result(ctx, next);
            op.result(ctx, k).replace_all_uses(ctx, v);
            next += 1;
        }
    }
    op.erase(ctx);
    // An else without results and without ops says nothing.
    if name == scf::IfOp::NAME && types.is_empty() {
        drop_empty_else(ctx, new);
    }
}

fn drop_empty_else(ctx: &mut Context, op: Op) {
    let Some(b) = scf::IfOp::wrap(op).else_block(ctx) else {
        return;
    };
    if b.ops(ctx).len() <= 1 {
        b.erase(ctx);
    }
}
