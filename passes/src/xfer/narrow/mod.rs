//! `xfer-narrow`: copies of whole arrays become copies of boxes, where that is all that
//! is used behind them, or all that was written before them.
//!
//! The subscripts of loads and stores in kernels and on the host are sums of counters;
//! what bounds these are the loops, the sizes of the launch and the conditions around the
//! access. With the counters that cannot be named at a copy replaced by their bounds, the
//! copy can be cut to the least box around all accesses (`reach` has the rule).
//!
//! ```text
//! xfer.copy %A to %d                    %a = memref.subview %A[2] [8] [1]
//! gpu.launch ... {                      %b = memref.subview %d[2] [8] [1]
//!   uses %d[2] ... %d[9]         =>     xfer.copy %a to %b
//! }                                     gpu.launch ... { uses %d[2] ... %d[9] }
//! ```
//!
//! A function that is called touches what its accesses touch, by sums of the arguments that
//! it is given (`called`): functions that are handed an array, or the array and its mirror.
//!
//! Copies in a function of arrays that it is handed are narrowed as far as what it says of them
//! stays so: a side that it leaves valid is valid as a whole, if it was where that was needed.
//!
//! Arrays with an `xfer.ensure` stay as they are, as do those that functions are handed which
//! ask flags: the flags are of the whole. So do those of which `xfer-check`, which has its own
//! reasons, could not tell that it is right.

pub(super) mod bounds;
mod called;
pub(super) mod emit;
pub(super) mod expand;
pub(super) mod footprint;
mod reach;
mod region;

use super::arrays::{Array, Arrays, Side, Touch, handed_by, is_on_device};
use super::check;
use super::flow::Flow;
use super::optimize::{is_asynchronous, views};
use crate::analysis::memory::{base, is_root, may_be_same};
use emit::Undo;
use reach::{Copy, Problem};
use region::Region;
use terrace_dialects::func::{CallOp, FuncOp};
use terrace_dialects::xfer;
use terrace_ir::pass::{Pass, PassContext, PassFailed, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-narrow",
    title: "XferNarrow",
    summary: "Copy only the boxes of arrays that are used or were written",
    description: "Cuts copies of whole arrays between host and device to the least box around what is used behind them, or around what was written before them.",
    anchor: Some(FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-narrowed",
        "Number of copies that became copies of boxes",
    )],
    make: |_| Ok(Box::new(Narrow)),
    ..PassInfo::EMPTY
};

struct Narrow;

impl Pass for Narrow {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        match narrow(ctx, op) {
            Ok(n) => {
                ctx.count("num-narrowed", n);
                Ok(())
            }
            Err((at, why)) => {
                at.error(ctx, why);
                Err(PassFailed)
            }
        }
    }
}

/// Narrows the copies of a function; how many.
///
/// # Errors
///
/// Where the flow of control cannot be told; nothing is changed then.
pub fn narrow(ctx: &mut Context, function: Op) -> Result<u64, (Op, String)> {
    if is_asynchronous(ctx, function) {
        return Ok(0);
    }
    let mut found = boxes(ctx, function, None)?;
    // What uses see is as before only where every use sees the last write.
    if found.is_empty() || check::check(ctx, function).is_err() {
        return Ok(0);
    }
    // Of an array that the function is handed others may use what it leaves.
    let others = match found.iter().any(|(a, _)| a.handed.is_some()) {
        true => callers(ctx, function),
        false => Vec::new(),
    };
    let are_right = |ctx: &Context| others.iter().all(|f| check::check(ctx, *f).is_ok());
    if !are_right(ctx) {
        found.retain(|(a, _)| a.handed.is_none());
    }
    let is_right = |ctx: &Context, handed: bool| {
        check::check(ctx, function).is_ok() && (!handed || are_right(ctx))
    };
    let arrays: Vec<Array> = found.iter().map(|(a, _)| *a).collect();
    // One check is enough where nothing is wrong, which is so nearly always.
    let undo: Vec<Undo> = (found.into_iter())
        .flat_map(|(a, boxes)| emit::narrow(ctx, &a, boxes))
        .collect();
    if is_right(ctx, arrays.iter().any(|a| a.handed.is_some())) {
        return Ok(undo.len() as u64);
    }
    emit::undo(ctx, undo);
    let mut narrowed = 0;
    for a in arrays {
        for (_, boxes) in boxes(ctx, function, Some(a.mirror))? {
            let undo = emit::narrow(ctx, &a, boxes);
            match is_right(ctx, a.handed.is_some()) {
                true => narrowed += undo.len() as u64,
                false => emit::undo(ctx, undo),
            }
        }
    }
    Ok(narrowed)
}

/// The boxes of the copies of each array that can be narrowed; of one array alone where its mirror
/// is given.
///
/// # Errors
///
/// Where the flow of control cannot be told.
fn boxes(
    ctx: &Context,
    function: Op,
    of: Option<Value>,
) -> Result<Vec<(Array, Vec<(Op, Region)>)>, (Op, String)> {
    let mut arrays = Arrays::of(ctx, function);
    let open = |arrays: &Arrays, k: usize| {
        let a = &arrays.list[k];
        of.is_none_or(|m| m == a.mirror) && is_simple(ctx, a) && !is_shared(ctx, arrays, k)
    };
    let open: Vec<usize> = (0..arrays.list.len())
        .filter(|k| open(&arrays, *k))
        .collect();
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let flow = Flow::of(ctx, function, &mut arrays)?;
    let mut all = Vec::new();
    for k in open {
        let boxes = of_array(ctx, function, &flow, &mut arrays, k).unwrap_or_default();
        if !boxes.is_empty() {
            all.push((arrays.list[k], boxes));
        }
    }
    Ok(all)
}

/// The functions of the module that call this one, by others too.
fn callers(ctx: &Context, function: Op) -> Vec<Op> {
    let Some(module) = function.parent(ctx) else {
        return Vec::new();
    };
    let functions = module.find_all::<FuncOp>(ctx);
    let mut all = vec![function];
    let mut at = 0;
    while at < all.len() {
        for f in &functions {
            let calls = f.op().find_all::<CallOp>(ctx);
            let mut callees = calls.into_iter().filter_map(|c| c.function(ctx));
            if !all.contains(&f.op()) && callees.any(|c| c.op() == all[at]) {
                all.push(f.op());
            }
        }
        at += 1;
    }
    all.split_off(1)
}

/// Whether all transfers of the array are plain copies of the whole.
fn is_simple(ctx: &Context, a: &Array) -> bool {
    let whole = a.create.is_none_or(|c| c.array(ctx) == a.host) && is_root(ctx, a.host);
    let names = [a.host, a.mirror].map(|v| views(ctx, v));
    whole
        && names.iter().flatten().all(|v| {
            v.users(ctx).into_iter().all(|op| match op.name(ctx) {
                // On the device it uses the mirror as a kernel does.
                xfer::CopyOp::NAME => {
                    let copy = op.cast::<xfer::CopyOp>(ctx);
                    copied_to(ctx, a, op).is_some() || copy.is_some_and(|c| is_on_device(ctx, c))
                }
                xfer::CreateOp::NAME | xfer::DiscardOp::NAME | xfer::FreeOp::NAME => true,
                CallOp::NAME => handed_by(ctx, op)
                    .iter()
                    .all(|h| !h.flags || base(ctx, op.operand(ctx, h.mirror)) != a.mirror),
                _ => op.dialect(ctx) != "xfer",
            })
        })
}

/// Whether the array may be that of another mirror too.
fn is_shared(ctx: &Context, arrays: &Arrays, k: usize) -> bool {
    let host = arrays.list[k].host;
    let all = arrays.list.iter().enumerate();
    all.filter(|(i, _)| *i != k)
        .any(|(_, a)| may_be_same(ctx, a.host, host))
}

/// The side that an op copies the whole array to.
fn copied_to(ctx: &Context, a: &Array, op: Op) -> Option<Side> {
    let c = op.cast::<xfer::CopyOp>(ctx)?;
    match (c.src(ctx), c.dst(ctx)) {
        ends if ends == (a.host, a.mirror) => Some(Side::Device),
        ends if ends == (a.mirror, a.host) => Some(Side::Host),
        _ => None,
    }
}

/// The copies of array `k` that need not be of the whole, with their boxes; `None` where
/// that cannot be told.
fn of_array(
    ctx: &Context,
    function: Op,
    flow: &Flow,
    arrays: &mut Arrays,
    k: usize,
) -> Option<Vec<(Op, Region)>> {
    let array = arrays.list[k];
    let mut touches = touches_of(flow, k);
    let mut copies = Vec::new();
    let mut ops = Vec::new();
    for (n, node) in flow.nodes.iter().enumerate() {
        if let Some(op) = node.op
            && let Some(to) = copied_to(ctx, &array, op)
        {
            touches[n] = Touch::default();
            copies.push(Copy { node: n, to });
            ops.push(op);
        }
    }
    let regions = Problem::new(ctx, function, flow, arrays, k, touches, copies)?.solve()?;
    let all = ops.into_iter().zip(regions);
    Some(all.filter(|(_, r)| matches!(r, Region::Box(_))).collect())
}

/// What each node does to array `k`.
fn touches_of(flow: &Flow, k: usize) -> Vec<Touch> {
    let of = |n: &super::flow::Node| n.touches.iter().find(|t| t.0 == k).map(|t| t.1);
    flow.nodes
        .iter()
        .map(|n| of(n).unwrap_or_default())
        .collect()
}

/// How much of an array a copy has to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    All,
    Elements(u64),
    /// A part, of which only the run tells the size.
    Unknown,
}

/// What copies of array `k` would have to move, each at the entry of a node to a side, in
/// a graph without any; `None` where that cannot be told.
pub(super) fn sizes(
    ctx: &Context,
    function: Op,
    flow: &Flow,
    arrays: &mut Arrays,
    k: usize,
    places: &[(usize, Side)],
) -> Option<Vec<Size>> {
    let array = arrays.list[k];
    if is_shared(ctx, arrays, k) || is_asynchronous(ctx, function) {
        return None;
    }
    let shape = array.host.ty(ctx).shape(ctx)?.to_vec();
    let copies = places.iter().map(|(node, to)| Copy {
        node: *node,
        to: *to,
    });
    let touches = touches_of(flow, k);
    let problem = Problem::new(ctx, function, flow, arrays, k, touches, copies.collect())?;
    let size = |r: Region| match &r {
        Region::All => Size::All,
        _ => r.elements(&shape).map_or(Size::Unknown, Size::Elements),
    };
    Some(problem.solve()?.into_iter().map(size).collect())
}
