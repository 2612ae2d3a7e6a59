//! `xfer-optimize`: the copies between arrays and their mirrors, taken out and put where
//! they are needed.
//!
//! The coherence rule says what a program means whatever copies it has: every use sees
//! the last write. So all copies of whole arrays go, and new ones are made where
//! [`motion`](super::motion) wants them. Where some paths come to such a place with the
//! array valid and others without, the copy is an `xfer.ensure`, and what leads there is
//! marked (`xfer.mark_written`): no path copies what it has.
//!
//! ```text
//! scf.for %t = ... {                                xfer.copy %A to %d
//!   xfer.copy %A to %d                              scf.for %t = ... {
//!   gpu.launch ... { uses %d }              =>        gpu.launch ... { uses %d }
//!   xfer.copy %d to %A                              }
//! }                                                 xfer.copy %d to %A
//! ```

use super::arrays::{Array, Arrays, Side};
use super::flow::Flow;
use super::guard;
use super::motion::{Problem, places};
use crate::analysis::memory::{base, is_root};
use terrace_dialects::xfer;
use terrace_ir::pass::{Pass, PassContext, PassFailed, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-optimize",
    title: "XferOptimize",
    summary: "Place copies between host and device where they are needed",
    description: "Takes out the copies of whole arrays to and from their mirrors, and makes new ones by lazy code motion: as few on every path as the uses need.",
    anchor: Some("func.func"),
    statistics: &[
        StatisticInfo {
            name: "num-copies",
            doc: "Number of copies placed",
        },
        StatisticInfo {
            name: "num-ensures",
            doc: "Number of places that copy by what is known at run time",
        },
    ],
    make: |_| Ok(Box::new(Optimize)),
    ..PassInfo::EMPTY
};

struct Optimize;

impl Pass for Optimize {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        match optimize(ctx, op) {
            Ok(made) => {
                ctx.count("num-copies", made.copies);
                ctx.count("num-ensures", made.ensures);
                Ok(())
            }
            Err((at, why)) => {
                at.error(ctx, why);
                Err(PassFailed)
            }
        }
    }
}

/// What was placed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Made {
    pub copies: u64,
    pub ensures: u64,
}

/// Places the copies of a function anew.
///
/// # Errors
///
/// Where the flow of control cannot be told; nothing is changed then.
pub fn optimize(ctx: &mut Context, function: Op) -> Result<Made, (Op, String)> {
    let mut arrays = Arrays::of(ctx, function);
    arrays.list.retain(|a| is_simple(ctx, a));
    if arrays.list.is_empty() || is_asynchronous(ctx, function) {
        return Ok(Made::default());
    }
    // What refuses the graph refuses it before anything was changed.
    Flow::of(ctx, function, &mut arrays)?;
    let tests = guard::add(ctx, function);
    take_out(ctx, function, &arrays.list);
    let mut arrays = Arrays::of(ctx, function);
    arrays.list.retain(|a| is_simple(ctx, a));
    let flow = Flow::of(ctx, function, &mut arrays)?;
    let mut made = Made::default();
    for k in 0..arrays.list.len() {
        let placed = place(&flow, k);
        emit(ctx, &flow, arrays.list[k], &placed, &mut made);
    }
    guard::remove_idle(ctx, &tests);
    Ok(made)
}

/// Whether anything in a function goes on while the host does something else: what is
/// placed there would have to be in order with it.
pub(super) fn is_asynchronous(ctx: &Context, function: Op) -> bool {
    let token = terrace_dialects::gpu::async_token(ctx);
    let ops = function.pre_order(ctx).into_iter();
    let mut types = ops.flat_map(|o| o.result_types(ctx));
    types.any(|t| t == token)
}

/// Whether the mirror is only copied as a whole to and from its array, so that its
/// copies can be placed. Copies of parts are the author's.
fn is_simple(ctx: &Context, a: &Array) -> bool {
    let fixed = a.create.op().attr(ctx, xfer::FIXED).is_some();
    let whole = a.create.array(ctx) == a.host && is_root(ctx, a.host) && !fixed;
    let ours = |op: Op| match op.cast::<xfer::CopyOp>(ctx) {
        Some(c) => {
            let (src, dst) = (c.src(ctx), c.dst(ctx));
            (src == a.host && dst == a.mirror) || (src == a.mirror && dst == a.host)
        }
        None => true,
    };
    whole
        && views(ctx, a.mirror)
            .into_iter()
            .all(|v| v.users(ctx).into_iter().all(ours))
}

/// A memref and the views of it.
pub(super) fn views(ctx: &Context, v: terrace_ir::Value) -> Vec<terrace_ir::Value> {
    let mut out = vec![v];
    let mut at = 0;
    while at < out.len() {
        for user in out[at].users(ctx) {
            if crate::analysis::memory::is_view(ctx, user) && user.operand(ctx, 0) == out[at] {
                out.extend(user.results(ctx));
            }
        }
        at += 1;
    }
    out
}

/// Takes out the copies, and what the flags were told.
fn take_out(ctx: &mut Context, function: Op, arrays: &[Array]) {
    for op in function.pre_order(ctx) {
        let ours = op.isa::<xfer::CopyOp>(ctx)
            || op.isa::<xfer::EnsureOp>(ctx)
            || op.isa::<xfer::MarkWrittenOp>(ctx);
        if ours {
            let roots: Vec<_> = op.operands(ctx).iter().map(|v| base(ctx, *v)).collect();
            if arrays.iter().any(|a| roots.contains(&a.mirror)) {
                op.erase(ctx);
            }
        }
    }
}

/// Which of the two copies of an array are valid; a set of these is what the paths to a
/// place come with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct States(u8);

impl States {
    const HOST: States = States(1);
    const DEVICE: States = States(2);
    const BOTH: States = States(4);

    fn or(self, o: States) -> States {
        States(self.0 | o.0)
    }

    fn has(self, o: States) -> bool {
        self.0 & o.0 != 0
    }

    fn only(side: Side) -> States {
        match side {
            Side::Host => States::HOST,
            Side::Device => States::DEVICE,
        }
    }

    /// After a copy to `side` wherever it is stale there.
    fn ensured(self, side: Side) -> States {
        match self.has(States::only(side.other())) {
            true => States(self.0 & !States::only(side.other()).0).or(States::BOTH),
            false => self,
        }
    }
}

/// What happens at the entry of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Copy(Side),
    Ensure(Side),
}

/// The copies of an array and the marks.
#[derive(Debug, Default)]
pub(super) struct Placed {
    /// By node.
    pub(super) steps: Vec<Vec<Step>>,
    /// Nodes whose op is followed by a mark.
    marks: Vec<(usize, Side)>,
}

pub(super) fn place(flow: &Flow, k: usize) -> Placed {
    let n = flow.nodes.len();
    let touch = |node: usize| {
        let t = flow.nodes[node].touches.iter().find(|t| t.0 == k);
        t.map(|t| t.1).unwrap_or_default()
    };
    let needed = needed_later(flow, k);
    let mut wanted = vec![Vec::new(); n];
    for side in [Side::Host, Side::Device] {
        let problem = Problem {
            uses: (0..n)
                .map(|i| {
                    // Where the mirror ends, what only it has goes to the array.
                    let last = side == Side::Host && touch(i).free && needed[i];
                    last || touch(i).uses(side)
                })
                .collect(),
            kills: (0..n)
                .map(|i| touch(i).writes(side.other()) || side == Side::Device && touch(i).create)
                .collect(),
            renews: (0..n)
                .map(|i| touch(i).discard || touch(i).end || side == Side::Host && touch(i).create)
                .collect(),
            at_entry: side == Side::Host,
        };
        for (i, here) in places(flow, &problem).into_iter().enumerate() {
            if here {
                wanted[i].push(side);
            }
        }
    }
    let before = states(flow, k, &wanted);
    let mut placed = Placed {
        steps: vec![Vec::new(); n],
        marks: Vec::new(),
    };
    for i in 0..n {
        let mut s = before[i];
        for side in &wanted[i] {
            let stale = States::only(side.other());
            if s == stale {
                placed.steps[i].push(Step::Copy(*side));
            } else if s.has(stale) {
                placed.steps[i].push(Step::Ensure(*side));
            }
            s = s.ensured(*side);
        }
    }
    // Writes after which an ensure may go by the flags.
    let ensures: Vec<usize> = (0..n)
        .filter(|i| {
            placed.steps[*i]
                .iter()
                .any(|s| matches!(s, Step::Ensure(_)))
        })
        .collect();
    if ensures.is_empty() {
        return placed;
    }
    for i in 0..n {
        let reachable = flow.reachable(i);
        if !ensures.iter().any(|e| reachable[*e]) {
            continue;
        }
        let mut s = before[i];
        for side in &wanted[i] {
            s = s.ensured(*side);
        }
        for side in [Side::Host, Side::Device] {
            if touch(i).writes(side) && s != States::only(side) {
                placed.marks.push((i, side));
            }
        }
    }
    placed
}

/// For each node, whether the host may read what is in the array after it, before all
/// of it is discarded.
fn needed_later(flow: &Flow, k: usize) -> Vec<bool> {
    let n = flow.nodes.len();
    let mut live_in = vec![false; n];
    let mut live_out = vec![false; n];
    loop {
        let mut changed = false;
        for i in (0..n).rev() {
            let out = flow.nodes[i].succ.iter().any(|s| live_in[*s]);
            let t = flow.nodes[i].touches.iter().find(|t| t.0 == k);
            let t = t.map(|t| t.1).unwrap_or_default();
            let new = !t.create && (t.uses(Side::Host) || !t.discard && !t.end && out);
            changed |= std::mem::replace(&mut live_in[i], new) != new;
            live_out[i] = out;
        }
        if !changed {
            return live_out;
        }
    }
}

/// The states with which paths come to each node.
fn states(flow: &Flow, k: usize, wanted: &[Vec<Side>]) -> Vec<States> {
    let n = flow.nodes.len();
    let mut before = vec![States::default(); n];
    let mut work: Vec<usize> = (0..n).rev().collect();
    while let Some(i) = work.pop() {
        let mut s = before[i];
        for side in &wanted[i] {
            s = s.ensured(*side);
        }
        if let Some((_, t)) = flow.nodes[i].touches.iter().find(|t| t.0 == k) {
            if t.create {
                s = States::HOST;
            }
            if t.discard || t.end {
                s = States::BOTH;
            }
            s = match (t.host_write, t.device_write) {
                (true, true) => States::HOST.or(States::DEVICE),
                (true, false) => States::HOST,
                (false, true) => States::DEVICE,
                (false, false) => s,
            };
        }
        for next in &flow.nodes[i].succ {
            let joined = before[*next].or(s);
            if joined != before[*next] {
                before[*next] = joined;
                work.push(*next);
            }
        }
    }
    before
}

fn emit(ctx: &mut Context, flow: &Flow, a: Array, placed: &Placed, made: &mut Made) {
    for (i, steps) in placed.steps.iter().enumerate() {
        for step in steps {
            let place = flow.nodes[i].place;
            let mut b = place.builder(ctx);
            match step {
                Step::Copy(Side::Device) => {
                    xfer::CopyOp::build(&mut b, a.host, a.mirror);
                    made.copies += 1;
                }
                Step::Copy(Side::Host) => {
                    xfer::CopyOp::build(&mut b, a.mirror, a.host);
                    made.copies += 1;
                }
                Step::Ensure(side) => {
                    xfer::EnsureOp::build(&mut b, a.host, a.mirror, *side);
                    made.ensures += 1;
                }
            }
        }
    }
    for (i, side) in &placed.marks {
        if let Some(op) = flow.nodes[*i].op {
            let mut b = Builder::after(ctx, op);
            xfer::MarkWrittenOp::build(&mut b, a.host, a.mirror, *side);
        }
    }
}
