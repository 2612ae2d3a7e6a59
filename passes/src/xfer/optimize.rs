//! `xfer-optimize`: the copies between arrays and their mirrors, taken out and put where
//! they are needed.
//!
//! The coherence rule says what a program means whatever copies it has: every use sees
//! the last write. So all copies of whole arrays go, and new ones are made where
//! [`motion`](super::motion) wants them. Where some paths come to such a place with the
//! array valid and others without, the copy is an `xfer.ensure`, and what leads there is
//! marked (`xfer.mark_written`): no path copies what it has.
//!
//! In a module functions are looked at before those that call them. One that is handed a
//! mirror, and of which all calls are known ([`hand`](super::hand)), then says what it
//! needs valid and how it leaves the pair, so that its callers can do the rest.
//!
//! ```text
//! scf.for %t = ... {                                xfer.copy %A to %d
//!   xfer.copy %A to %d                              scf.for %t = ... {
//!   gpu.launch ... { uses %d }              =>        gpu.launch ... { uses %d }
//!   xfer.copy %d to %A                              }
//! }                                                 xfer.copy %d to %A
//! ```

use super::arrays::{Array, Arrays, Handed, Leaves, Side};
use super::flow::Flow;
use super::guard;
use super::hand::open_pairs;
use super::motion::{Problem, places, wanted};
use super::peel;
use crate::analysis::call_graph::CallGraph;
use crate::analysis::memory::{base, is_root};
use terrace_dialects::func::FuncOp;
use terrace_dialects::xfer::{self, handed};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassFailed, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Builder, Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-optimize",
    title: "XferOptimize",
    summary: "Place copies between host and device where they are needed",
    description: "Takes out the copies of whole arrays to and from their mirrors, and makes new ones by lazy code motion: as few on every path as the uses need.",
    statistics: &[
        StatisticInfo {
            name: "num-copies",
            doc: "Number of copies placed",
        },
        StatisticInfo {
            name: "num-ensures",
            doc: "Number of places that copy by what is known at run time",
        },
        StatisticInfo {
            name: "num-splits",
            doc: "Number of loops taken apart, so that no copy stays in them",
        },
    ],
    options: &[OptionInfo {
        name: "peel",
        kind: OptionKind::Bool,
        default: "true",
        doc: "take loops apart where that takes copies out of them",
    }],
    make: |o| {
        Ok(Box::new(Optimize {
            peel: o.bool("peel"),
        }))
    },
    ..PassInfo::EMPTY
};

/// How copies are placed.
#[derive(Debug, Clone, Copy)]
struct Optimize {
    peel: bool,
}

impl Pass for Optimize {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let made = match op.isa::<FuncOp>(ctx) {
            true => of_function(ctx, op, &[], *self),
            false => optimize_all(ctx, op, *self),
        };
        match made {
            Ok(made) => {
                ctx.count("num-copies", made.copies);
                ctx.count("num-ensures", made.ensures);
                ctx.count("num-splits", made.splits);
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
    /// Loops taken apart.
    pub splits: u64,
}

impl Made {
    fn add(&mut self, o: Made) {
        self.copies += o.copies;
        self.ensures += o.ensures;
        self.splits += o.splits;
    }
}

/// Places the copies of all functions of a module anew, those of callees first.
///
/// # Errors
///
/// As `of_function`; functions before the one in question are changed.
fn optimize_all(ctx: &mut Context, module: Op, how: Optimize) -> Result<Made, (Op, String)> {
    let open = open_pairs(ctx, module);
    let mut made = Made::default();
    for function in CallGraph::new(ctx, module).components().concat() {
        if function.isa::<FuncOp>(ctx) {
            let pairs: Vec<usize> = open
                .iter()
                .filter(|o| o.0 == function)
                .map(|o| o.1)
                .collect();
            made.add(of_function(ctx, function, &pairs, how)?);
        }
    }
    Ok(made)
}

/// Places the copies of a function anew, with its loops as they are.
///
/// # Errors
///
/// Where the flow of control cannot be told; nothing is changed then.
pub fn optimize(ctx: &mut Context, function: Op) -> Result<Made, (Op, String)> {
    of_function(ctx, function, &[], Optimize { peel: false })
}

/// Places the copies of a function anew. Those of pairs that it is handed stay, since its
/// callers count on what it says of them; but for the mirrors among its arguments with the
/// numbers `open`, which may come in any state.
///
/// # Errors
///
/// Where the flow of control cannot be told; nothing is changed then.
fn of_function(
    ctx: &mut Context,
    function: Op,
    open: &[usize],
    how: Optimize,
) -> Result<Made, (Op, String)> {
    let ours = |ctx: &Context, a: &Array| {
        is_simple(ctx, a) && a.handed.is_none_or(|h| open.contains(&h.mirror))
    };
    let mut arrays = Arrays::of(ctx, function);
    arrays.retain(|a| ours(ctx, a));
    if arrays.list.is_empty() || is_asynchronous(ctx, function) {
        return Ok(Made::default());
    }
    // What refuses the graph refuses it before anything was changed.
    Flow::of(ctx, function, &mut arrays)?;
    guard::add(ctx, function);
    take_out(ctx, function, &arrays.list);
    // Nothing is asked of the end of the function until its callers are looked at.
    for a in &arrays.list {
        if let Some(h) = a.handed {
            handed::set_handed(
                ctx,
                function,
                &Handed {
                    leaves: [Leaves::Unknown; 2],
                    ..h
                },
            );
        }
    }
    let mut made = Made {
        splits: match how.peel {
            true => peel::improve(ctx, function, &ours),
            false => 0,
        },
        ..Made::default()
    };
    let mut arrays = Arrays::of(ctx, function);
    arrays.retain(|a| ours(ctx, a));
    let flow = Flow::of(ctx, function, &mut arrays)?;
    for k in 0..arrays.list.len() {
        let a = arrays.list[k];
        let placed = place(&flow, k, a.handed.map(|_| Entry::Open));
        if let (Some(h), Some((needs, leaves, flags))) = (a.handed, placed.says) {
            let h = Handed {
                needs,
                leaves,
                flags,
                ..h
            };
            handed::set_handed(ctx, function, &h);
        }
        emit(ctx, &flow, a, &placed, &mut made);
    }
    guard::remove_idle(ctx, function);
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
pub(super) fn is_simple(ctx: &Context, a: &Array) -> bool {
    let whole = a
        .create
        .is_none_or(|c| c.array(ctx) == a.host && c.op().attr(ctx, xfer::FIXED).is_none())
        && is_root(ctx, a.host);
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

    const ALL: [States; 3] = [States::HOST, States::DEVICE, States::BOTH];

    /// The states in which all of these sides are valid.
    fn that_have(sides: [bool; 2]) -> States {
        let mut all = States::BOTH;
        if !sides[1] {
            all = all.or(States::HOST);
        }
        if !sides[0] {
            all = all.or(States::DEVICE);
        }
        match sides {
            [true, true] => States::BOTH,
            _ => all,
        }
    }

    /// Whether a side is valid in all of the states.
    fn all_valid(self, side: Side) -> bool {
        !self.has(States::only(side.other()))
    }

    /// After a call of a function that is handed the pair.
    fn called(self, h: &Handed) -> States {
        let mut out = States::default();
        let in_these = States::ALL.into_iter().filter(|s| self.has(*s));
        for s in in_these {
            for to in States::ALL {
                let may = |side: Side| match h.leaves(side) {
                    Leaves::Valid => to.all_valid(side),
                    Leaves::Stale => !to.all_valid(side),
                    Leaves::Kept => to.all_valid(side) == s.all_valid(side),
                    Leaves::Unknown => true,
                };
                if may(Side::Host) && may(Side::Device) {
                    out = out.or(to);
                }
            }
        }
        out
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
    /// What a function that is handed the mirror says of it: what it needs, how it leaves
    /// the sides, whether it asks the flags.
    says: Option<([bool; 2], [Leaves; 2], bool)>,
}

/// How a function comes to a mirror that it is handed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Entry {
    /// With these sides valid at least.
    Needs([bool; 2]),
    /// With whatever it is found best to need.
    Open,
}

impl Entry {
    pub(super) fn of(h: Handed) -> Entry {
        Entry::Needs(h.needs)
    }
}

pub(super) fn place(flow: &Flow, k: usize, entry: Option<Entry>) -> Placed {
    let n = flow.nodes.len();
    let touch = |node: usize| {
        let t = flow.nodes[node].touches.iter().find(|t| t.0 == k);
        t.map(|t| t.1).unwrap_or_default()
    };
    let needed = needed_later(flow, k);
    let mut wanted_at = vec![Vec::new(); n];
    let mut needs = [false; 2];
    for side in [Side::Host, Side::Device] {
        let mut problem = Problem {
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
                .map(|i| {
                    touch(i).discard
                        || touch(i).end
                        || touch(i).renews(side)
                        || side == Side::Host && touch(i).create
                })
                .collect(),
            at_entry: side == Side::Host,
        };
        match entry {
            None => {}
            Some(Entry::Needs(sides)) => problem.at_entry = sides[side as usize],
            // What all paths want, the caller may have already, or can make earlier.
            Some(Entry::Open) => problem.at_entry = wanted(flow, &problem).first() == Some(&true),
        }
        needs[side as usize] = problem.at_entry;
        for (i, here) in places(flow, &problem).into_iter().enumerate() {
            if here {
                wanted_at[i].push(side);
            }
        }
    }
    let start = entry.map_or(States::default(), |_| States::that_have(needs));
    let wanted = wanted_at;
    let before = states(flow, k, &wanted, start);
    let mut placed = Placed {
        steps: vec![Vec::new(); n],
        marks: Vec::new(),
        says: None,
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
    let mut ensures: Vec<usize> = (0..n)
        .filter(|i| {
            let steps = &placed.steps[*i];
            touch(*i).call.is_some_and(|c| c.flags)
                || steps.iter().any(|s| matches!(s, Step::Ensure(_)))
        })
        .collect();
    if entry.is_some() {
        let leaves = leaves(flow, k, &wanted, needs);
        let flags = !ensures.is_empty() || leaves.contains(&Leaves::Unknown);
        placed.says = Some((needs, leaves, flags));
        if flags {
            ensures.extend((0..n).filter(|i| touch(*i).leave));
        }
    }
    if ensures.is_empty() {
        return placed;
    }
    for i in 0..n {
        let reachable = flow.reachable(i);
        if !ensures.iter().any(|e| reachable[*e]) {
            continue;
        }
        let mut s = before[i];
        if s == States::default() {
            continue;
        }
        for side in &wanted[i] {
            s = s.ensured(*side);
        }
        for side in [Side::Host, Side::Device] {
            // A function that is called sets the flags if it is handed them; else its copies
            // may have left them anyhow.
            let (marked, known) = match touch(i).call {
                Some(c) => (c.flags, false),
                None => (false, s == States::only(side)),
            };
            if touch(i).writes(side) && !marked && !known {
                placed.marks.push((i, side));
            }
        }
    }
    placed
}

/// How the sides are left by a function that is called with the sides `needs` valid.
fn leaves(flow: &Flow, k: usize, wanted: &[Vec<Side>], needs: [bool; 2]) -> [Leaves; 2] {
    let mut ends = Vec::new();
    for start in States::ALL {
        if !States::that_have(needs).has(start) {
            continue;
        }
        let before = states(flow, k, wanted, start);
        let mut at_end = States::default();
        for (i, s) in before.iter().enumerate() {
            if flow.nodes[i].touches.iter().any(|t| t.0 == k && t.1.leave) {
                at_end = at_end.or(*s);
            }
        }
        ends.push((start, at_end));
    }
    [Side::Host, Side::Device].map(|side| {
        let valid = |s: States| s.all_valid(side);
        let stale = |s: States| s == States::only(side.other());
        if ends.iter().all(|e| valid(e.1)) {
            Leaves::Valid
        } else if ends.iter().all(|e| stale(e.1)) {
            Leaves::Stale
        } else if ends
            .iter()
            .all(|(from, to)| valid(*from) && valid(*to) || stale(*from) && stale(*to))
        {
            Leaves::Kept
        } else {
            Leaves::Unknown
        }
    })
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
            let new = !t.create && (t.uses(Side::Host) || t.leave || !t.discard && !t.end && out);
            changed |= std::mem::replace(&mut live_in[i], new) != new;
            live_out[i] = out;
        }
        if !changed {
            return live_out;
        }
    }
}

/// The states with which paths come to each node; none where there is no mirror.
/// Where the function is handed the mirror it comes in the states `start`.
fn states(flow: &Flow, k: usize, wanted: &[Vec<Side>], start: States) -> Vec<States> {
    let n = flow.nodes.len();
    let mut before = vec![States::default(); n];
    if let Some(first) = before.first_mut() {
        *first = start;
    }
    let mut work: Vec<usize> = (0..n).rev().collect();
    while let Some(i) = work.pop() {
        let mut s = before[i];
        for side in &wanted[i] {
            s = s.ensured(*side);
        }
        let touch = flow.nodes[i].touches.iter().find(|t| t.0 == k);
        // Without a mirror there is nothing that could be stale.
        let exists = s != States::default();
        if let Some((_, t)) = touch.filter(|t| exists || t.1.create) {
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
            if let Some(h) = &t.call {
                s = s.called(h);
            }
            if t.free {
                s = States::default();
            }
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
