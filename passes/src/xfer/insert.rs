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
//! call them ([`hand`]).

use super::arrays::{Arrays, Side, handed};
use super::device_copies;
use super::flow::{CopyPoint, Flow};
use super::hand::{self, HandedMirrors};
use crate::analysis::captured::captured;
use crate::analysis::memory::side_of;
use crate::analysis::memory::{base, is_root, is_view};
use crate::gpu::sink::is_table;
use rustc_hash::FxHashMap;
use terrace_dialects::memref::MemorySpaceCastOp;
use terrace_dialects::memref::layout::has_identity_layout;
use terrace_dialects::{func, gpu, memref, xfer};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassFailed, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Builder, Context, Op, OpKind, Value, symbols};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-insert",
    title: "XferInsert",
    summary: "Give the arrays that kernels use mirrors on the device, and copies",
    description: "Makes an xfer.create for each array of the host that a launch uses, lets the launch use that, and copies by a plain scheme.",
    options: &[OptionInfo {
        name: "scheme",
        kind: OptionKind::Str,
        default: "kernel",
        doc: "kernel: around each kernel; host: around each use by the host; mixed: after each write, wherever it is",
    }],
    statistics: &[StatisticInfo {
        name: "num-mirrors",
        doc: "Number of arrays that got a mirror",
    }],
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    Kernel,
    Host,
    Mixed,
}

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
    let launches = launches(ctx, function);
    let mut errors = Vec::new();
    let mut uses = Vec::new();
    let mut devices = Vec::new();
    for l in &launches {
        let used = host_memrefs(ctx, *l);
        if l.num_results(ctx) > 0 && !used.is_empty() {
            errors.push((
                *l,
                "is asynchronous: transfers are placed around launches that are waited for"
                    .to_string(),
            ));
        }
        let device = device_of(ctx, *l);
        for v in used {
            match check(ctx, v).and_then(|()| on_one_device(ctx, &mut devices, v, device)) {
                Ok(()) => uses.push((*l, v, device)),
                Err(why) => errors.push((*l, why)),
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
    let global = |v: Value| {
        let op = v.def_op()?;
        (op.name(ctx) == memref::GetGlobalOp::NAME).then(|| op.attr(ctx, "name"))?
    };
    let name = global(root);
    let same = |k: &&(Value, u32)| k.0 == root || name.is_some() && global(k.0) == name;
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

/// The mirrors of a function's arrays.
struct Mirrors {
    function: Op,
    /// Root and mirror.
    made: Vec<(Value, Value)>,
    /// The same of those that the function is handed.
    handed: Vec<(Value, Value)>,
    /// By root: the mirror as kernels see it, in the array's own type.
    seen: FxHashMap<Value, Value>,
    /// By memref of the host: the same part of the mirror.
    views: FxHashMap<Value, Value>,
    /// Where new ones are.
    device: u32,
}

impl Mirrors {
    fn of(ctx: &Context, function: Op) -> Mirrors {
        let args = function.body(ctx, 0).args(ctx);
        let handed = handed(ctx, function).unwrap_or_default();
        Mirrors {
            function,
            made: Vec::new(),
            handed: handed
                .iter()
                .map(|h| (args[h.array], args[h.mirror]))
                .collect(),
            seen: FxHashMap::default(),
            views: FxHashMap::default(),
            device: 0,
        }
    }

    /// Gives a call the mirrors of some of its operands.
    fn hand_on(&mut self, ctx: &mut Context, call: Op, arrays: &[usize]) {
        self.device = 0;
        for i in arrays {
            let v = call.operand(ctx, *i);
            let root = base(ctx, v);
            let (array, mut mirror) = self.mirror(ctx, root);
            if array != root {
                // Another mention of a global than that with the mirror.
                let mut b = Builder::before(ctx, call);
                let ty = v.ty(b.ctx);
                let same = match array.ty(b.ctx) == ty {
                    true => array,
                    false => b.value::<memref::CastOp>(&[array], ty, &[]),
                };
                call.set_operand(ctx, *i, same);
            }
            let space = xfer::device_space(ctx, 0);
            let ty = v.ty(ctx);
            let ty = xfer::in_space(ctx, ty, Some(space));
            if mirror.ty(ctx) != ty {
                let mut b = Builder::before(ctx, call);
                mirror = b.value::<memref::CastOp>(&[mirror], ty, &[]);
            }
            call.push_operand(ctx, mirror);
        }
    }

    /// The part of the mirror that `v`, a view of `root`, is of the array.
    fn view(&mut self, ctx: &mut Context, root: Value, v: Value) -> Option<Value> {
        if v == root {
            return Some(self.seen(ctx, root));
        }
        if let Some(known) = self.views.get(&v) {
            return Some(*known);
        }
        let op = v.def_op().filter(|o| is_view(ctx, *o))?;
        let source = self.view(ctx, root, op.operand(ctx, 0))?;
        let mut map = IrMapping::default();
        map.map(op.operand(ctx, 0), source);
        let copy = clone_op(ctx, op, &mut map);
        copy.insert_after(ctx, op);
        let view = copy.result(ctx, v.index(ctx));
        self.views.insert(v, view);
        Some(view)
    }

    /// The mirror of `root` in the type of its array.
    fn seen(&mut self, ctx: &mut Context, root: Value) -> Value {
        let (root, mirror) = self.mirror(ctx, root);
        if let Some(seen) = self.seen.get(&root) {
            return *seen;
        }
        let ty = root.ty(ctx);
        let mut b = match mirror.def_op() {
            // What was in a new array is given up first.
            Some(op) => match op.next(ctx).filter(|o| o.isa::<xfer::DiscardOp>(ctx)) {
                Some(discard) => Builder::after(ctx, discard),
                None => Builder::after(ctx, op),
            },
            None => {
                let (entry, loc) = (self.function.body(ctx, 0), mirror.loc(ctx));
                Builder::at_start(ctx, entry, loc)
            }
        };
        let seen = b.value::<MemorySpaceCastOp>(&[mirror], ty, &[]);
        self.seen.insert(root, seen);
        seen
    }

    /// An array that is `root`, and its mirror.
    fn mirror(&mut self, ctx: &mut Context, root: Value) -> (Value, Value) {
        let global = |ctx: &Context, v: Value| {
            let op = v.def_op()?;
            (op.name(ctx) == memref::GetGlobalOp::NAME).then(|| op.attr(ctx, "name"))?
        };
        let name = global(ctx, root);
        let mut known = self.handed.iter().chain(&self.made);
        let same = known.find(|m| m.0 == root || name.is_some() && global(ctx, m.0) == name);
        if let Some(same) = same {
            return *same;
        }
        let entry = self.function.body(ctx, 0);
        let root = match root.def_op() {
            // The address of a global is taken where the function begins.
            Some(op) if name.is_some() => {
                let copy = clone_op(ctx, op, &mut IrMapping::default());
                entry.push_front(ctx, copy);
                copy.result(ctx, 0)
            }
            _ => root,
        };
        let space = xfer::device_space(ctx, self.device);
        let mut b = match root.def_op() {
            Some(op) => Builder::after(ctx, op),
            None => {
                let loc = root.loc(ctx);
                Builder::at_start(ctx, entry, loc)
            }
        };
        let mirror = xfer::CreateOp::build(&mut b, root, space);
        if name.is_none() && root.def_op().is_some() {
            // Nothing was written there yet.
            xfer::DiscardOp::build(&mut b, root);
        }
        self.made.push((root, mirror));
        (root, mirror)
    }
}

/// A mirror for one launch, of a memref that may be any of several arrays.
fn around(ctx: &mut Context, launch: Op, v: Value, device: u32) -> Option<Value> {
    let space = xfer::device_space(ctx, device);
    let ty = v.ty(ctx);
    let mut b = Builder::before(ctx, launch);
    let mirror = xfer::CreateOp::build(&mut b, v, space);
    xfer::CopyOp::build(&mut b, v, mirror);
    let seen = b.value::<MemorySpaceCastOp>(&[mirror], ty, &[]);
    let mut b = Builder::after(ctx, launch);
    xfer::CopyOp::build(&mut b, mirror, v);
    xfer::FreeOp::build(&mut b, mirror);
    Some(seen)
}

/// Copies by the scheme for the arrays with the mirrors `made`.
fn copies(
    ctx: &mut Context,
    function: Op,
    scheme: Scheme,
    made: &[(Value, Value)],
) -> Result<(), (Op, String)> {
    let mut arrays = Arrays::of(ctx, function);
    let flow = Flow::of(ctx, function, &mut arrays)?;
    // What is copied where: into the device or out of it, at a place.
    let mut wanted: Vec<(CopyPoint, usize, Side)> = Vec::new();
    let handed: Vec<bool> = arrays.list.iter().map(|a| a.handed.is_some()).collect();
    let there = flow.there(&arrays);
    if scheme != Scheme::Kernel {
        for (k, _) in handed.iter().enumerate().filter(|h| *h.1) {
            wanted.push((flow.nodes[0].place, k, Side::Device));
        }
    }
    for (n, node) in flow.nodes.iter().enumerate() {
        let Some(op) = node.op else { continue };
        let ends = op
            .def(ctx)
            .is_some_and(|d| d.has(terrace_ir::opdef::traits::TERMINATOR));
        for (k, t) in &node.touches {
            let a = &arrays.list[*k];
            if !made.iter().any(|m| m.1 == a.mirror) || !t.create && !there[*k][n] {
                continue;
            }
            let mut add = |place, to| wanted.push((place, *k, to));
            let new = a
                .host
                .def_op()
                .is_some_and(|o| o.name(ctx) != memref::GetGlobalOp::NAME);
            if t.create && !new && scheme != Scheme::Kernel {
                add(CopyPoint::After(op), Side::Device);
            }
            let (host, device) = (t.uses(Side::Host), t.uses(Side::Device));
            match scheme {
                Scheme::Kernel => {
                    if device {
                        add(CopyPoint::Before(op), Side::Device);
                    }
                    if t.writes(Side::Device) {
                        add(CopyPoint::After(op), Side::Host);
                    }
                }
                Scheme::Host => {
                    if host {
                        add(CopyPoint::Before(op), Side::Host);
                    }
                    if t.writes(Side::Host) && !ends {
                        add(CopyPoint::After(op), Side::Device);
                    }
                }
                Scheme::Mixed => {
                    if t.writes(Side::Device) {
                        add(CopyPoint::After(op), Side::Host);
                    }
                    if t.writes(Side::Host) && !ends {
                        add(CopyPoint::After(op), Side::Device);
                    }
                }
            }
        }
    }
    for (place, k, to) in wanted {
        let a = arrays.list[k];
        let mut b = place.builder(ctx);
        match to {
            Side::Device => xfer::CopyOp::build(&mut b, a.host, a.mirror),
            Side::Host => xfer::CopyOp::build(&mut b, a.mirror, a.host),
        };
    }
    Ok(())
}

/// Frees a mirror where its array ends.
fn free(ctx: &mut Context, function: Op, root: Value, mirror: Value) {
    let own = root
        .def_op()
        .filter(|o| o.name(ctx) != memref::GetGlobalOp::NAME);
    let freed: Vec<Op> = root
        .users(ctx)
        .into_iter()
        .filter(|u| u.name(ctx) == memref::DeallocOp::NAME)
        .collect();
    let block = own.and_then(|o| o.block(ctx));
    let nested = block.filter(|b| b.parent_op(ctx) != Some(function));
    let ends: Vec<Op> = match (own, nested) {
        (Some(_), _) if !freed.is_empty() => freed,
        (Some(_), Some(block)) => block.terminator(ctx).into_iter().collect(),
        // An allocation further down that nobody frees leaks, and its mirror with it.
        (Some(_), None) if block.is_some_and(|b| !b.is_entry(ctx)) => Vec::new(),
        _ => function
            .find_all::<func::ReturnOp>(ctx)
            .into_iter()
            .map(|r| r.op())
            .collect(),
    };
    for end in ends {
        let mut b = Builder::before(ctx, end);
        xfer::FreeOp::build(&mut b, mirror);
    }
}
