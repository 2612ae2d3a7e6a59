//! Which `memref.copy` between arrays with mirrors is done on the device.
//!
//! ```text
//! gpu.launch ... { writes %T_d }            gpu.launch ... { writes %T_d }
//! memref.copy %T, %A                 =>     xfer.discard %A
//! gpu.launch ... { reads %A_d }             xfer.copy %T_d to %A_d
//!                                           gpu.launch ... { reads %A_d }
//! ```
//!
//! It reads the one array on the device and leaves nothing of what was in the other, which
//! the discard says. The copies of `xfer-insert` and `xfer-optimize` stand around it as around
//! a kernel.
//!
//! Done where that is no more between the two memories than a copy by the host, on any path. By
//! the host the source has to be there, and what the device uses next of the target is brought to
//! it; on the device the source has to be there, and what the host uses of the target is brought
//! back. So one of these must hold:
//!
//! - the source was written on the device since the host last had it, and the host does not
//!   need it afterwards: it would be copied for this alone;
//! - the target is used on the device next, and the source is there already;
//! - the target is used on the device next, on all paths, and not by the host before it
//!   changes: then the source is copied in its place.

use super::arrays::{Arrays, Side, Touch};
use super::flow::{Flow, Refusal};
use terrace_dialects::{memref, xfer};
use terrace_ir::{Builder, Context, Op, Value};

/// A copy that is done on the device: the op, and the numbers of the two arrays.
struct DeviceCopy {
    copy: Op,
    from: usize,
    to: usize,
}

/// Puts copies on the device in place of those of the host that pay, between arrays whose
/// mirrors are `made` and last.
///
/// # Errors
///
/// As [`Flow::of`]; nothing is changed then.
pub fn on_device(ctx: &mut Context, function: Op, made: &[(Value, Value)]) -> Result<(), Refusal> {
    if function.find_all::<memref::CopyOp>(ctx).is_empty() {
        return Ok(());
    }
    // One may be a reason for another: what it writes is on the device then.
    loop {
        let mut arrays = Arrays::of(ctx, function);
        let flow = Flow::of(ctx, function, &mut arrays)?;
        let there = flow.there(&arrays);
        let Some(found) = first(ctx, &flow, &arrays, made, &there) else {
            return Ok(());
        };
        let (from, to) = (arrays.list[found.from], arrays.list[found.to]);
        let mut b = Builder::before(ctx, found.copy);
        xfer::DiscardOp::build(&mut b, to.host);
        xfer::CopyOp::build(&mut b, from.mirror, to.mirror);
        found.copy.erase(ctx);
    }
}

fn first(
    ctx: &Context,
    flow: &Flow,
    arrays: &Arrays,
    made: &[(Value, Value)],
    there: &[Vec<bool>],
) -> Option<DeviceCopy> {
    (0..flow.nodes.len()).find_map(|n| {
        let copy = flow.nodes[n].op.filter(|o| o.isa::<memref::CopyOp>(ctx))?;
        let number = |v: Value| match arrays.whole(ctx, v).as_slice() {
            // With another mirror beside it the array may be newer there.
            [k] => Some(*k),
            _ => None,
        };
        let (from, to) = (number(copy.operand(ctx, 0))?, number(copy.operand(ctx, 1))?);
        let lasts = |k: usize| {
            let mirror = arrays.list[k].mirror;
            there[k][n] && made.iter().any(|m| m.1 == mirror)
        };
        let (a, b) = (arrays.list[from].mirror, arrays.list[to].mirror);
        let same_device =
            xfer::device_number(ctx, a.ty(ctx)) == xfer::device_number(ctx, b.ty(ctx));
        let fine = from != to && lasts(from) && lasts(to) && same_device;
        (fine && pays(flow, from, to, n)).then_some(DeviceCopy { copy, from, to })
    })
}

/// Whether a copy of array `from` to array `to` in node `n` belongs on the device.
fn pays(flow: &Flow, from: usize, to: usize, n: usize) -> bool {
    let all = |said: &[Says]| said.contains(&Says::Yes) && !said.contains(&Says::No);
    let by_host_later = |k: usize| used_by_host_later(flow, k, n).contains(&Says::Yes);
    if all(&newer_on_device(flow, from, n)) && !by_host_later(from) {
        return true;
    }
    let next = used_on_device_next(flow, to, n);
    all(&next)
        && (all(&on_device_already(flow, from, n))
            || !next.contains(&Says::Nothing) && !by_host_later(to))
}

fn touch(flow: &Flow, n: usize, k: usize) -> Option<&Touch> {
    let found = flow.nodes[n].touches.iter().find(|t| t.0 == k);
    found.map(|t| &t.1)
}

/// What the first op on a path that matters says of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    Yes,
    No,
    /// Nobody needs what is in the array there.
    Nothing,
}

/// Of each path to node `n`, whether array `k` was written on the device last, and not used by the
/// host since.
fn newer_on_device(flow: &Flow, k: usize, n: usize) -> Vec<Says> {
    on_paths(flow, n, false, &|at| {
        let Some(t) = touch(flow, at, k) else {
            return (at == 0).then_some(Says::No);
        };
        if t.discard {
            return Some(Says::Nothing);
        }
        if t.create || t.call.is_some() || t.uses(Side::Host) {
            return Some(Says::No);
        }
        t.writes(Side::Device).then_some(Says::Yes)
    })
}

/// Of each path to node `n`, whether array `k` was used on the device, and not written by the
/// host since.
fn on_device_already(flow: &Flow, k: usize, n: usize) -> Vec<Says> {
    on_paths(flow, n, false, &|at| {
        let Some(t) = touch(flow, at, k) else {
            return (at == 0).then_some(Says::No);
        };
        if t.discard {
            return Some(Says::Nothing);
        }
        if t.create || t.call.is_some() || t.writes(Side::Host) {
            return Some(Says::No);
        }
        t.uses(Side::Device).then_some(Says::Yes)
    })
}

/// Of each path from node `n`, whether array `k` is used on the device next.
fn used_on_device_next(flow: &Flow, k: usize, n: usize) -> Vec<Says> {
    on_paths(flow, n, true, &|at| {
        let Some(t) = touch(flow, at, k) else {
            return flow.nodes[at].succ.is_empty().then_some(Says::Nothing);
        };
        // What a function does with a pair that it is handed is not known yet.
        if t.call.is_some() || t.uses(Side::Host) {
            return Some(Says::No);
        }
        if t.uses(Side::Device) {
            return Some(Says::Yes);
        }
        let gone = t.discard || t.end || t.free || flow.nodes[at].succ.is_empty();
        gone.then_some(Says::Nothing)
    })
}

/// Of each path from node `n`, whether the host may need what is in array `k`, before the device
/// changes it.
fn used_by_host_later(flow: &Flow, k: usize, n: usize) -> Vec<Says> {
    on_paths(flow, n, true, &|at| {
        let t = touch(flow, at, k)?;
        if t.call.is_some() || t.uses(Side::Host) {
            return Some(Says::Yes);
        }
        let gone = t.writes(Side::Device) || t.discard || t.end || t.free;
        gone.then_some(Says::Nothing)
    })
}

/// What is said of the paths that leave node `n`, or lead to it: on each by the first node
/// that says something.
fn on_paths(
    flow: &Flow,
    n: usize,
    forward: bool,
    says: &dyn Fn(usize) -> Option<Says>,
) -> Vec<Says> {
    let next = |n: usize| match forward {
        true => &flow.nodes[n].succ,
        false => &flow.nodes[n].pred,
    };
    let mut out = Vec::new();
    let mut seen = vec![false; flow.nodes.len()];
    // Around a loop to itself the copy is the same once more.
    seen[n] = true;
    let mut work = next(n).clone();
    while let Some(at) = work.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        match says(at) {
            Some(s) => out.push(s),
            None => work.extend(next(at)),
        }
    }
    out
}
