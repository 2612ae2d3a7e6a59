//! `xfer-overlap`: copies and launches go on while the host does something else.
//!
//! Kernels go on one queue, copies to the device on a second, copies to the host on a
//! third, so that the three and the host overlap. `order.rs` finds what must come after
//! what: ops that touch the same memory, one of which writes it. An op on another queue
//! takes a token; the host waits in front of the first of its ops that has to, and where
//! the function ends. A function in which anything is asynchronous already is left as it
//! is: its author ordered it.
//!
//! ```text
//! xfer.copy %A to %a                  %s = xfer.copy async %A to %a on queue(%c1)
//! xfer.copy %B to %b                  %t = xfer.copy async %B to %b on queue(%c1)
//! gpu.launch ... { uses %a }          %0 = xfer.wait async queue(%c0)
//! gpu.launch ... { uses %b }    =>    %k = gpu.launch async [%0, %s] ... { uses %a }
//!                                     %1 = xfer.wait async [%k] on queue(%c0)
//!                                     ...
//! xfer.copy %a to %A                  %u = xfer.copy async [%1] %a to %A on queue(%c2)
//! use(%A)                             xfer.wait [%u]
//!                                     use(%A)
//! ```
//!
//! Legal because each pair of ops whose order matters keeps it; `xfer-check` holds the
//! result against that. Copies and launches of different elements of one array need no order
//! where `xfer-check` can tell that too (`access.rs`); else they keep it.

pub(super) mod access;
mod order;

use self::order::{Ordered, QUEUES, stands_before};
use super::check;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use terrace_dialects::arith;
use terrace_dialects::gpu::async_token;
use terrace_dialects::xfer::{self, CopyOp, Order, WaitOp};
use terrace_dialects::{func, gpu};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, OpState, Value};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-overlap",
    title: "XferOverlap",
    summary: "Make copies and launches asynchronous, with waits as late as they may be",
    description: "Puts kernels, copies to the device and copies to the host on a queue each, orders what touches the same memory by tokens, and lets the host wait in front of the first of its ops that has to.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-asynchronous",
        "Number of copies and launches made asynchronous",
    )],
    make: |_| Ok(Box::new(Overlap)),
    ..PassInfo::EMPTY
};

struct Overlap;

impl Pass for Overlap {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let made = overlap(ctx, function);
        ctx.count("num-asynchronous", made as u64);
        Ok(())
    }
}

/// Makes the copies and launches of a function asynchronous; how many.
pub fn overlap(ctx: &mut Context, function: Op) -> usize {
    let token = async_token(ctx);
    let asynchronous = |o: &Op| o.result_types(ctx).contains(&token);
    if function.pre_order(ctx).iter().any(asynchronous) {
        return 0;
    }
    let mut ordered = order::of(ctx, function, false);
    let exact = order::of(ctx, function, true);
    if exact != ordered && is_followed(ctx, function) {
        ordered = exact;
    }
    emit(ctx, function, &ordered);
    ordered.tasks.len()
}

/// Whether `xfer-check` finds the order right that goes by elements: tried with a copy.
fn is_followed(ctx: &mut Context, function: Op) -> bool {
    if function.parent(ctx).is_none() {
        return false;
    }
    let copy = clone_op(ctx, function, &mut IrMapping::new());
    copy.insert_after(ctx, function);
    let name = function.symbol_name(ctx).unwrap_or_default().to_string();
    copy.set_attr(ctx, "sym_name", ctx.string_attr(&format!("{name}.overlap")));
    let ordered = order::of(ctx, copy, true);
    emit(ctx, copy, &ordered);
    let right = check::check(ctx, copy).is_ok();
    copy.erase(ctx);
    right
}

fn emit(ctx: &mut Context, function: Op, ordered: &Ordered) {
    if ordered.tasks.is_empty() {
        return;
    }
    let mut emit = Emit {
        queues: queues(ctx, function),
        tokens: vec![None; ordered.tasks.len()],
        ops: ordered.tasks.iter().map(|t| t.op).collect(),
        ordered,
    };
    for op in function.pre_order(ctx) {
        if let Some(after) = ordered.waits.get(&op) {
            emit.wait(ctx, op, after);
        }
        if let Some(task) = ordered.tasks.iter().position(|t| t.op == op) {
            emit.start(ctx, task);
        }
    }
}

/// The numbers of the queues, where the function begins.
fn queues(ctx: &mut Context, function: Op) -> [Value; QUEUES] {
    let (entry, loc) = (function.body(ctx, 0), function.loc(ctx));
    let mut b = Builder::at_start(ctx, entry, loc);
    std::array::from_fn(|k| arith::constant_index(&mut b, k as i64))
}

struct Emit<'a> {
    ordered: &'a Ordered,
    queues: [Value; QUEUES],
    /// What each task became, and its token.
    ops: Vec<Op>,
    tokens: Vec<Option<Value>>,
}

impl Emit<'_> {
    /// Tokens and queues for the completion of tasks, at `op`; of the queue `own` none.
    ///
    /// A queue runs in order, so of each the token of the task that was put there last is
    /// enough. That is known where all of the tasks stand before `op` in its block or in
    /// one around it; else it is the queue.
    fn handles(
        &self,
        ctx: &Context,
        op: Op,
        after: &BTreeSet<usize>,
        own: Option<usize>,
    ) -> (Vec<Value>, Vec<Value>) {
        let (mut tokens, mut queues) = (Vec::new(), Vec::new());
        for q in (0..QUEUES).filter(|q| Some(*q) != own) {
            let of_queue = after.iter().filter(|t| self.ordered.tasks[**t].queue == q);
            let of_queue: Vec<usize> = of_queue.copied().collect();
            // Tasks are numbered in the order of the text.
            let Some(last) = of_queue.last() else {
                continue;
            };
            let before = |t: &usize| stands_before(ctx, self.ops[*t], op);
            match self.tokens[*last].filter(|_| of_queue.iter().all(before)) {
                Some(token) => tokens.push(token),
                None => queues.push(self.queues[q]),
            }
        }
        (tokens, queues)
    }

    /// The host waits in front of `op`.
    fn wait(&self, ctx: &mut Context, op: Op, after: &BTreeSet<usize>) {
        let (tokens, queues) = self.handles(ctx, op, after, None);
        if !tokens.is_empty() || !queues.is_empty() {
            let mut b = Builder::before(ctx, op);
            WaitOp::build(&mut b, &tokens, &queues);
        }
    }

    fn start(&mut self, ctx: &mut Context, task: usize) {
        let t = &self.ordered.tasks[task];
        let (mut tokens, queues) = self.handles(ctx, t.op, &t.after, Some(t.queue));
        let own = self.queues[t.queue];
        let mut b = Builder::before(ctx, t.op);
        let copy = t.op.cast::<CopyOp>(b.ctx);
        if copy.is_none() {
            // A launch is put on a queue by tokens, that of the queue first.
            let all = [&[own], &queues[..]].concat();
            tokens.insert(0, WaitOp::build_async(&mut b, &[], &all[..1], None));
            if all.len() > 1 {
                tokens.push(WaitOp::build_async(&mut b, &[], &all[1..], None));
            }
        } else if !queues.is_empty() {
            tokens.push(WaitOp::build_async(&mut b, &[], &queues, None));
        }
        let (op, token) = match copy {
            Some(c) => {
                let order = Order {
                    tokens,
                    queue: Some(own),
                };
                let (src, dst) = (c.src(b.ctx), c.dst(b.ctx));
                let token = CopyOp::build_async(&mut b, src, dst, &order);
                t.op.erase(ctx);
                (token.def_op(), token)
            }
            None => {
                let launch = asynchronous(&mut b, t.op, &tokens);
                let token = launch.result(b.ctx, 0);
                let mut b = Builder::after(ctx, launch);
                let on = WaitOp::build_async(&mut b, &[token], &[], Some(own));
                (Some(launch), on)
            }
        };
        self.ops[task] = op.unwrap_or(t.op);
        self.tokens[task] = Some(token);
    }
}

/// The launch `op`, which neither has a token nor takes any, with tokens and one.
fn asynchronous(b: &mut Builder, op: Op, tokens: &[Value]) -> Op {
    let ctx = &*b.ctx;
    let Some(def) = op.def(ctx) else { return op };
    let mut state = OpState::new(def, op.loc(ctx));
    let operands = [tokens, &op.operands(ctx)[..]].concat();
    state = state
        .operands(&operands)
        .results(&[async_token(ctx)])
        .regions(op.num_regions(ctx));
    for (name, value) in op.attrs(ctx) {
        let name = ctx.str(name).to_string();
        let value = match name.as_str() {
            "operandSegmentSizes" => {
                let mut sizes = value.as_i64_array(ctx).unwrap_or_default().to_vec();
                if let Some(first) = sizes.first_mut() {
                    *first += tokens.len() as i64;
                }
                let sizes: Vec<i32> = sizes.iter().map(|s| *s as i32).collect();
                ctx.i32_array(&sizes)
            }
            _ => value,
        };
        state.set_attr(ctx, &name, value);
    }
    let new = b.create(state);
    for (from, to) in op.regions(b.ctx).iter().zip(new.regions(b.ctx)) {
        from.move_blocks_to(b.ctx, to);
    }
    op.erase(b.ctx);
    new
}

/// What is asynchronous, for [`order`].
fn queue_of(ctx: &Context, op: Op) -> Option<usize> {
    if let Some(c) = op.cast::<CopyOp>(ctx) {
        let order = c.order(ctx);
        let plain = order.tokens.is_empty() && order.queue.is_none();
        let queue = match c.direction(ctx)? {
            xfer::Direction::HostToDevice(_) => order::IN,
            xfer::Direction::DeviceToHost(_) => order::OUT,
            // Kernels stand before and behind it.
            xfer::Direction::DeviceToDevice { .. } => order::KERNELS,
        };
        return plain.then_some(queue);
    }
    let launch = matches!(op.name(ctx), gpu::LaunchOp::NAME | gpu::LaunchFuncOp::NAME);
    let plain = op.operand_group(ctx, "asyncDependencies").is_empty()
        && op.operand_group(ctx, "asyncObject").is_empty();
    (launch && plain).then_some(order::KERNELS)
}

/// Tasks by op.
type Numbers = FxHashMap<Op, usize>;
