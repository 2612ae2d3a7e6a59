//! `xfer-insert`: mirrors on the device of the arrays that kernels use, and copies by one
//! of the three plain schemes of Allazov, Guda and Morylev (2017). Each is correct by
//! itself, and `xfer-optimize` makes the same of all of them.
//!
//! - `kernel`: the array is at home on the host. In before each kernel, out after it
//!   where it writes.
//! - `host`: the array is at home on the device. Out before each use by the host, in
//!   after it where it writes.
//! - `mixed`: both copies are kept alike. Out after each kernel that writes, in after
//!   each write of the host.
//!
//! ```text
//! func.func @f(%A: memref<?xf32>) {     func.func @f(%A: memref<?xf32>) {
//!   gpu.launch ... { uses %A }            %d = xfer.create %A
//!                                 =>      xfer.copy %A to %d
//!                                         gpu.launch ... { uses %d }
//!                                         xfer.copy %d to %A
//!                                         xfer.free %d
//! }                                     }
//! ```
//!
//! A mirror lasts as long as its array: arguments and globals have theirs in the whole
//! function, allocations until they are freed or their block ends. A memref that may be
//! any of several arrays gets one for the launch alone.
//!
//! A `memref.copy` between two of them is done on the device where that is no more to copy
//! ([`device_copies`]).
//!
//! In a module, functions with kernels on their arguments are handed mirrors by those that
//! call them ([`hand`]). `mirrors` makes the mirrors and `scheme` the copies.

mod mirrors;
mod scheme;

use super::arrays::{Arrays, Side};
use super::device_copies;
use super::flow::Flow;
use super::hand::{self, HandedMirrors};
use crate::analysis::captured::captured;
use crate::analysis::memory::side_of;
use crate::analysis::memory::{base, is_root};
use crate::gpu::sink::is_table;
use mirrors::{Mirrors, around, free, is_same_array};
pub use scheme::Scheme;
use scheme::copies;
use terrace_dialects::memref::layout::has_identity_layout;
use terrace_dialects::{func, gpu, memref, xfer};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassFailed, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind, Value, symbols};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-insert",
    title: "XferInsert",
    summary: "Give the arrays that kernels use mirrors on the device, and copies",
    description: "Makes an xfer.create for each array of the host that a launch uses, lets the launch use that, and copies by a plain scheme.",
    options: &[OptionInfo::new(
        "scheme",
        OptionKind::Str,
        "kernel",
        "kernel: around each kernel; host: around each use by the host; mixed: after each write, wherever it is",
    )],
    statistics: &[StatisticInfo::new(
        "num-mirrors",
        "Number of arrays that got a mirror",
    )],
    anchor: None,
    make: |o| {
        let scheme = match o.str("scheme") {
            "kernel" => Scheme::Kernel,
            "host" => Scheme::Host,
            "mixed" => Scheme::Mixed,
            other => {
                return Err(format!(
                    "scheme '{other}' is unknown, expected kernel, host or mixed"
                ));
            }
        };
        Ok(Box::new(Insert { scheme }))
    },
};

struct Insert {
    scheme: Scheme,
}

impl Pass for Insert {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let made = match op.isa::<func::FuncOp>(ctx) {
            true => insert(ctx, op, self.scheme),
            false => insert_all(ctx, op, self.scheme),
        };
        match made {
            Ok(mirrors) => {
                ctx.count("num-mirrors", mirrors);
                Ok(())
            }
            Err(errors) => {
                for (at, why) in errors {
                    at.error(ctx, why);
                }
                Err(PassFailed)
            }
        }
    }
}

/// Mirrors and copies for a function; the number of mirrors.
///
/// # Errors
///
/// Every launch that takes what cannot be copied; nothing is changed then.
pub fn insert(ctx: &mut Context, function: Op, scheme: Scheme) -> Result<u64, Vec<(Op, String)>> {
    in_function(ctx, function, scheme, &HandedMirrors::default())
}

/// Mirrors and copies for the functions of a module, with mirrors handed to those that are
/// called; the number of mirrors that were made.
///
/// # Errors
///
/// As [`insert`], of all functions.
pub fn insert_all(ctx: &mut Context, module: Op, scheme: Scheme) -> Result<u64, Vec<(Op, String)>> {
    let plan = hand::plan(ctx, module);
    let (mut made, mut errors) = (0, Vec::new());
    for f in module.find_all::<func::FuncOp>(ctx) {
        if f.is_declaration(ctx) {
            continue;
        }
        match in_function(ctx, f.op(), scheme, &plan) {
            Ok(n) => made += n,
            Err(e) => errors.extend(e),
        }
    }
    match errors.is_empty() {
        true => Ok(made),
        false => Err(errors),
    }
}

fn in_function(
    ctx: &mut Context,
    function: Op,
    scheme: Scheme,
    plan: &HandedMirrors,
) -> Result<u64, Vec<(Op, String)>> {
    let uses = uses(ctx, function)?;
    let mut mirrors = Mirrors::of(ctx, function);
    for (launch, v, device) in uses {
        let root = base(ctx, v);
        mirrors.device = device;
        let alias = match is_root(ctx, root) {
            true => mirrors.view(ctx, root, v),
            false => around(ctx, launch, v, device),
        };
        if let Some(alias) = alias {
            v.replace_uses_if(ctx, alias, |u| launch.is_ancestor_of(ctx, u.op));
        }
    }
    for call in function.find_all::<func::CallOp>(ctx) {
        if let Some(arrays) = plan.calls.get(&call.op()) {
            mirrors.hand_on(ctx, call.op(), arrays);
        }
    }
    let made = mirrors.made.clone();
    let all: Vec<(Value, Value)> = mirrors.handed.iter().chain(&made).copied().collect();
    device_copies::on_device(ctx, function, &all).map_err(|e| vec![e])?;
    copies(ctx, function, scheme, &all).map_err(|e| vec![e])?;
    for (root, mirror) in &made {
        free(ctx, function, *root, *mirror);
    }
    Ok(made.len() as u64)
}

/// The memrefs of the host that each launch takes, with the launch and its device.
fn uses(ctx: &Context, function: Op) -> Result<Vec<(Op, Value, u32)>, Vec<(Op, String)>> {
    let mut errors = Vec::new();
    let mut uses = Vec::new();
    let mut devices = Vec::new();
    for l in launches(ctx, function) {
        let used = host_memrefs(ctx, l);
        if l.num_results(ctx) > 0 && !used.is_empty() {
            errors.push((
                l,
                "is asynchronous: transfers are placed around launches that are waited for"
                    .to_string(),
            ));
        }
        let device = device_of(ctx, l);
        for v in used {
            match check(ctx, v).and_then(|()| on_one_device(ctx, &mut devices, v, device)) {
                Ok(()) => uses.push((l, v, device)),
                Err(why) => errors.push((l, why)),
            }
        }
    }
    if errors.is_empty()
        && let Err(e) = Flow::of(ctx, function, &mut Arrays::of(ctx, function))
    {
        errors.push(e);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(uses)
}

/// The launches of a function.
pub(super) fn launches(ctx: &Context, function: Op) -> Vec<Op> {
    let is = |o: &Op| o.isa::<gpu::LaunchOp>(ctx) || o.isa::<gpu::LaunchFuncOp>(ctx);
    function.pre_order(ctx).into_iter().filter(is).collect()
}

/// The memrefs of the host that a launch takes.
pub(super) fn host_memrefs(ctx: &Context, launch: Op) -> Vec<Value> {
    let all = match launch.cast::<gpu::LaunchFuncOp>(ctx) {
        Some(l) => l.kernel_operands(ctx),
        None => captured(ctx, launch),
    };
    let mut out: Vec<Value> = Vec::new();
    for v in all {
        let is = v.ty(ctx).is_memref(ctx)
            && side_of(ctx, v) == Side::Host
            && !becomes_the_kernels(ctx, launch, v);
        if is && !out.contains(&v) {
            out.push(v);
        }
    }
    out
}

/// Whether `v` is a table of constants that the kernel gets for itself when it is
/// outlined.
fn becomes_the_kernels(ctx: &Context, launch: Op, v: Value) -> bool {
    let get = base(ctx, v)
        .def_op()
        .and_then(|o| o.cast::<memref::GetGlobalOp>(ctx));
    let table = get.and_then(|g| symbols::lookup(ctx, launch, g.op().attr(ctx, "name")?));
    launch.isa::<gpu::LaunchOp>(ctx)
        && table
            .and_then(|t| t.cast::<memref::GlobalOp>(ctx))
            .is_some_and(|t| is_table(ctx, t))
}

/// The device that a launch runs on: the one whose memory it takes, else device 0.
pub(super) fn device_of(ctx: &Context, launch: Op) -> u32 {
    let all = match launch.cast::<gpu::LaunchFuncOp>(ctx) {
        Some(l) => l.kernel_operands(ctx),
        None => captured(ctx, launch),
    };
    let number = |v: Value| xfer::device_number(ctx, base(ctx, v).ty(ctx));
    all.into_iter().find_map(number).unwrap_or(0)
}

/// Notes that a launch on `device` uses an array, which has one mirror.
fn on_one_device(
    ctx: &Context,
    known: &mut Vec<(Value, u32)>,
    v: Value,
    device: u32,
) -> Result<(), String> {
    let root = base(ctx, v);
    if !is_root(ctx, root) {
        return Ok(());
    }
    let same = |k: &&(Value, u32)| is_same_array(ctx, k.0, root);
    match known.iter().find(same) {
        Some((_, other)) if *other != device => Err(format!(
            "uses an array on device {device} that another launch uses on device {other}; copy it \
             to each by xfer.copy"
        )),
        Some(_) => Ok(()),
        None => {
            known.push((root, device));
            Ok(())
        }
    }
}

/// Why an array cannot be copied to the device.
fn check(ctx: &Context, v: Value) -> Result<(), String> {
    let root = base(ctx, v);
    let copied = if is_root(ctx, root) { root } else { v };
    let ty = copied.ty(ctx);
    if has_identity_layout(ctx, ty) {
        return Ok(());
    }
    Err(format!(
        "cannot copy '{}' to the device: its elements are not in a row; pass the memref it is a view of",
        ctx.type_text(ty)
    ))
}
