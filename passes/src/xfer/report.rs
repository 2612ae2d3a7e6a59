//! `xfer-report`: what is copied between an array and its mirror, where, how often, and
//! why: the writes that a copy brings over, and the uses that it is for. Beside it stands
//! what the best placement would copy (see [`optimize`](super::optimize)).
//!
//! ```text
//! @lu
//!   %A (argument 0), 512 bytes
//!     to the device at 8:3, once: from the caller; for the kernel at 10:5
//!     to the host at 20:3, once: from the kernel at 10:5; for the caller at 21:3
//!     in all 2 copies, 1024 bytes; the least are 2 copies, 1024 bytes
//! ```

use super::arrays::{Array, Arrays, Side, is_on_device};
use super::check::report::array_words;
use super::flow::{CopyPoint, Flow, Node};
use super::narrow;
use super::optimize::{Entry, Step, place};
use crate::analysis::memory::base;
use std::fmt::Write;
use terrace_dialects::memref;
use terrace_dialects::{affine, func, gpu, scf, xfer};
use terrace_ir::pass::{Pass, PassContext, PassFailed, PassInfo, PassResult};
use terrace_ir::{Context, Op, Type};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-report",
    title: "XferReport",
    summary: "Say what is copied between host and device, how often and why",
    description: "Lists the copies of each array with a mirror: place, direction, bytes, the writes that they bring over and the uses that they are for, and what the best placement would copy.",
    anchor: Some(func::FuncOp::NAME),
    make: |_| Ok(Box::new(Report)),
    ..PassInfo::EMPTY
};

struct Report;

impl Pass for Report {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        match report(ctx, op) {
            Ok(text) => {
                ctx.show(&text);
                Ok(())
            }
            Err((at, why)) => {
                at.error(ctx, why);
                Err(PassFailed)
            }
        }
    }
}

/// How often a place is come to, in a run of the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Times {
    /// Where constants tell it.
    count: Option<u64>,
    /// A condition may keep it from being come to.
    at_most: bool,
}

impl Times {
    /// Of what stands in `op`'s block.
    fn of(ctx: &Context, function: Op, op: Op) -> Times {
        let mut times = Times {
            count: Some(1),
            at_most: false,
        };
        let mut at = op;
        while let Some(parent) = at.parent(ctx).filter(|p| *p != function) {
            let trips = if let Some(l) = parent.cast::<scf::ForOp>(ctx) {
                l.trip_count(ctx)
            } else if let Some(l) = parent.cast::<affine::ForOp>(ctx) {
                l.constant_trip_count(ctx)
            } else if parent.isa::<scf::WhileOp>(ctx) {
                None
            } else {
                times.at_most |= !parent.isa::<scf::ExecuteRegionOp>(ctx);
                Some(1)
            };
            times.count = times.count.zip(trips).and_then(|(a, b)| a.checked_mul(b));
            at = parent;
        }
        // Blocks that branch may come again, or not at all.
        if at.block(ctx).is_some_and(|b| !b.is_entry(ctx)) {
            times = Times {
                count: None,
                at_most: true,
            };
        }
        times
    }

    fn words(self) -> String {
        match (self.count, self.at_most) {
            (Some(1), false) => "once".into(),
            (Some(1), true) => "at most once".into(),
            (Some(n), false) => format!("{n} times"),
            (Some(n), true) => format!("at most {n} times"),
            (None, _) => "as often as it is come to".into(),
        }
    }
}

/// A number of copies.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    count: u64,
    /// Some of it only where a condition holds.
    at_most: bool,
    /// And more, of which the number is not known.
    open: bool,
    bytes: u64,
    /// And more, of which the size is not known.
    open_bytes: bool,
}

impl Sum {
    /// Copies of so many bytes each.
    fn add(&mut self, t: Times, bytes: Option<u64>) {
        match t.count {
            Some(n) => self.count = self.count.saturating_add(n),
            None => self.open = true,
        }
        let all = t.count.zip(bytes).and_then(|(n, b)| n.checked_mul(b));
        match all.and_then(|b| self.bytes.checked_add(b)) {
            Some(sum) => self.bytes = sum,
            None => self.open_bytes = true,
        }
        self.at_most |= t.at_most;
    }

    fn words(self) -> String {
        let most = if self.at_most && !self.open {
            "at most "
        } else {
            ""
        };
        let more = if self.open { " and those in loops" } else { "" };
        let s = if self.count == 1 { "copy" } else { "copies" };
        let size = match self.open || self.open_bytes {
            true => String::new(),
            false => format!(", {} bytes", self.bytes),
        };
        format!("{most}{} {s}{more}{size}", self.count)
    }
}

fn report(ctx: &Context, function: Op) -> Result<String, (Op, String)> {
    let mut arrays = Arrays::of(ctx, function);
    if arrays.list.is_empty() {
        return Ok(String::new());
    }
    let flow = Flow::of(ctx, function, &mut arrays)?;
    let name = function.symbol_name(ctx).unwrap_or("a function");
    let mut text = format!("@{name}\n");
    for k in 0..arrays.list.len() {
        of_array(ctx, function, &flow, &mut arrays, k, &mut text);
    }
    Ok(text)
}

fn of_array(
    ctx: &Context,
    function: Op,
    flow: &Flow,
    arrays: &mut Arrays,
    k: usize,
    text: &mut String,
) {
    let a = &arrays.list[k].clone();
    let bytes = bytes_of(ctx, a.host.ty(ctx));
    let size = match bytes {
        Some(n) => format!("{n} bytes"),
        None => ctx.type_text(a.host.ty(ctx)).to_string(),
    };
    let _ = writeln!(text, "  {}, {size}", array_words(ctx, a.host));
    let mut sum = Sum::default();
    for (n, node) in flow.nodes.iter().enumerate() {
        let Some(copy) = node.op.and_then(|o| copies(ctx, a, o)) else {
            continue;
        };
        let (to, dynamic) = (copy.to, copy.dynamic);
        let Some(op) = node.op else { continue };
        let mut times = Times::of(ctx, function, op);
        times.at_most |= dynamic;
        let moved = if copy.is_box { copy.bytes } else { bytes };
        sum.add(times, moved);
        let part = match (copy.is_box, moved) {
            (true, Some(n)) => format!(", a box of {n} bytes"),
            (true, None) => ", a box".to_string(),
            (false, _) => String::new(),
        };
        let from = sources(ctx, flow, k, a, n, to.other());
        let uses = uses(ctx, flow, k, n, to);
        let _ = writeln!(
            text,
            "    to the {} at {}, {}{}{part}: from {}; for {}",
            to.word(),
            position(ctx, op),
            times.words(),
            if dynamic { " where it is stale" } else { "" },
            listed(from),
            listed(uses)
        );
    }
    let least = least(ctx, function, flow, arrays, k);
    let _ = writeln!(
        text,
        "    in all {}; the least are {}",
        sum.words(),
        least.words()
    );
}

fn bytes_of(ctx: &Context, ty: Type) -> Option<u64> {
    let count = u64::try_from(ty.num_elements(ctx)?).ok()?;
    count.checked_mul(each(ctx, ty)?)
}

/// The bytes of an element.
fn each(ctx: &Context, ty: Type) -> Option<u64> {
    Some(u64::from(ty.element(ctx)?.bit_width(ctx)?.div_ceil(8)))
}

/// What an op copies between an array and its mirror.
struct Copied {
    to: Side,
    /// Only where it is stale there.
    dynamic: bool,
    /// Whether it may be less than the whole, and then how much.
    is_box: bool,
    bytes: Option<u64>,
}

fn copies(ctx: &Context, a: &Array, op: Op) -> Option<Copied> {
    let whole = |to, dynamic| Copied {
        to,
        dynamic,
        is_box: false,
        bytes: None,
    };
    if let Some(c) = op.cast::<xfer::CopyOp>(ctx) {
        let ends = (c.src(ctx), c.dst(ctx));
        let to = match (base(ctx, ends.0), base(ctx, ends.1)) {
            roots if roots == (a.host, a.mirror) => Side::Device,
            roots if roots == (a.mirror, a.host) => Side::Host,
            _ => return None,
        };
        if ends == (a.host, a.mirror) || ends == (a.mirror, a.host) {
            return Some(whole(to, false));
        }
        return Some(Copied {
            is_box: true,
            bytes: bytes_of(ctx, ends.0.ty(ctx)),
            ..whole(to, false)
        });
    }
    let e = op.cast::<xfer::EnsureOp>(ctx)?;
    let side = e.sides(ctx).first().copied()?;
    (e.mirror(ctx) == a.mirror).then(|| whole(side, true))
}

fn is_transfer(ctx: &Context, node: &Node) -> bool {
    node.op.is_some_and(|o| {
        let copy = o.cast::<xfer::CopyOp>(ctx);
        copy.is_some_and(|c| !is_on_device(ctx, c))
            || o.isa::<xfer::EnsureOp>(ctx)
            || o.isa::<xfer::MarkWrittenOp>(ctx)
    })
}

/// The last writes on a side on the ways to a node.
fn sources(ctx: &Context, flow: &Flow, k: usize, a: &Array, at: usize, side: Side) -> Vec<String> {
    let mut out = Vec::new();
    let mut entered = at == 0;
    walk(flow, at, false, &mut |node| {
        entered |= node.pred.is_empty();
        let Some((_, t)) = node.touches.iter().find(|t| t.0 == k) else {
            return true;
        };
        if is_transfer(ctx, node) {
            return true;
        }
        if t.create {
            let own = a
                .host
                .def_op()
                .is_some_and(|o| o.name(ctx) != memref::GetGlobalOp::NAME);
            out.push(
                if own {
                    "before its mirror"
                } else {
                    "the caller"
                }
                .to_string(),
            );
            return false;
        }
        if t.writes(side) {
            out.extend(node.op.map(|o| who(ctx, o)));
        }
        !t.writes(side) && !t.discard && !t.renews(side)
    });
    if entered && a.handed.is_some() {
        out.push("the caller".to_string());
    }
    out
}

/// The first uses on a side on the ways from a node.
fn uses(ctx: &Context, flow: &Flow, k: usize, at: usize, side: Side) -> Vec<String> {
    let mut out = Vec::new();
    walk(flow, at, true, &mut |node| {
        let Some((_, t)) = node.touches.iter().find(|t| t.0 == k) else {
            return true;
        };
        if is_transfer(ctx, node) {
            return true;
        }
        if t.uses(side) {
            out.extend(node.op.map(|o| who(ctx, o)));
        }
        !t.uses(side) && !t.writes(side.other()) && !t.discard && !t.create
    });
    out
}

/// Visits the nodes on the ways from or to `at`, each once; `f` says whether to go on.
fn walk(flow: &Flow, at: usize, forward: bool, f: &mut dyn FnMut(&Node) -> bool) {
    let next = |n: usize| match forward {
        true => &flow.nodes[n].succ,
        false => &flow.nodes[n].pred,
    };
    let mut seen = vec![false; flow.nodes.len()];
    let mut work = next(at).clone();
    while let Some(n) = work.pop() {
        if !std::mem::replace(&mut seen[n], true) && f(&flow.nodes[n]) {
            work.extend(next(n));
        }
    }
}

fn who(ctx: &Context, op: Op) -> String {
    let at = position(ctx, op);
    if op.isa::<gpu::LaunchOp>(ctx) || op.isa::<gpu::LaunchFuncOp>(ctx) {
        return format!("the kernel at {at}");
    }
    match op.isa::<func::ReturnOp>(ctx) {
        true => format!("the caller at {at}"),
        false => format!("'{}' at {at}", op.name(ctx)),
    }
}

fn position(ctx: &Context, op: Op) -> String {
    match op.loc(ctx).file_pos(ctx) {
        Some((_, line, column)) => format!("{line}:{column}"),
        None => "an unknown place".into(),
    }
}

fn listed(mut words: Vec<String>) -> String {
    words.sort();
    words.dedup();
    match &words[..] {
        [] => "nothing".into(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// What the best placement copies, with the loops as they are, and of boxes where those
/// do.
fn least(ctx: &Context, function: Op, flow: &Flow, arrays: &mut Arrays, k: usize) -> Sum {
    let a = arrays.list[k];
    let mut bare = Flow {
        nodes: flow.nodes.clone(),
    };
    for node in &mut bare.nodes {
        if is_transfer(ctx, node) {
            node.touches.retain(|t| {
                t.0 != k
                    || node
                        .op
                        .is_some_and(|o| copies(ctx, &a, o).is_none() && !is_mark(ctx, o))
            });
        }
    }
    let steps = place(&bare, k, a.handed.map(Entry::of)).steps;
    let all = steps.iter().enumerate().flat_map(|(n, steps)| {
        let to = |s: &Step| match s {
            Step::Copy(side) | Step::Ensure(side) => (n, *side, matches!(s, Step::Ensure(_))),
        };
        steps.iter().map(to).collect::<Vec<_>>()
    });
    let all: Vec<(usize, Side, bool)> = all.collect();
    let bytes = bytes_of(ctx, a.host.ty(ctx));
    let sizes = match all.iter().any(|s| s.2) {
        // The flags are of the whole.
        true => None,
        false => {
            let places: Vec<(usize, Side)> = all.iter().map(|s| (s.0, s.1)).collect();
            narrow::sizes(ctx, function, &bare, arrays, k, &places)
        }
    };
    let mut sum = Sum::default();
    for (i, (n, _, dynamic)) in all.iter().enumerate() {
        let mut times = match flow.nodes[*n].place {
            CopyPoint::Before(op) | CopyPoint::After(op) => Times::of(ctx, function, op),
            CopyPoint::Start(block) | CopyPoint::End(block) => match block.first_op(ctx) {
                Some(op) => Times::of(ctx, function, op),
                None => continue,
            },
            CopyPoint::Else(op) => Times {
                at_most: true,
                ..Times::of(ctx, function, op)
            },
        };
        times.at_most |= dynamic;
        let moved = match sizes.as_ref().map(|s| s[i]) {
            Some(narrow::Size::Elements(e)) => {
                each(ctx, a.host.ty(ctx)).and_then(|b| b.checked_mul(e))
            }
            Some(narrow::Size::Unknown) => None,
            Some(narrow::Size::All) | None => bytes,
        };
        sum.add(times, moved);
    }
    sum
}

fn is_mark(ctx: &Context, op: Op) -> bool {
    op.isa::<xfer::MarkWrittenOp>(ctx)
}
