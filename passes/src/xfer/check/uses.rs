//! Which memory an op uses, how, and on which side it runs.
//!
//! Calls and launches are looked through: a [`Summary`] says what a function does to its
//! parameters and to globals. What is not known is taken to read and write all that it
//! can reach.

use super::contract::Contract;
use super::held::{self, FoundClauses};
use super::table::functions::Tables;
use crate::analysis::memory::{base, is_view};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use terrace_dialects::xfer::{EnterDataOp, ExitDataOp, Side, is_device};
use terrace_dialects::{affine, memref, xfer};
use terrace_dialects::{func, gpu};
use terrace_ir::effects::own_effects;
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Attr, Context, Op, OpKind, Value};

/// What is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// The memory of a base memref.
    Memory(Value),
    /// A global, by the symbol that names it.
    Global(Attr),
    /// All that can be reached from outside of the function.
    Everything,
}

/// Ways of using memory, as a set of bits.
pub(super) type Ways = u8;

pub(super) const HOST_READ: Ways = 1;
pub(super) const HOST_WRITE: Ways = 2;
pub(super) const DEVICE_READ: Ways = 4;
pub(super) const DEVICE_WRITE: Ways = 8;
/// The flags of an array may be set.
pub(super) const FLAGS: Ways = 16;
pub(super) const FREED: Ways = 32;

const ON_HOST: Ways = HOST_READ | HOST_WRITE;
const ON_DEVICE: Ways = DEVICE_READ | DEVICE_WRITE;

/// Reading and writing by what runs on a side.
fn any(by: Side) -> Ways {
    match by {
        Side::Host => ON_HOST,
        Side::Device => ON_DEVICE,
    }
}

/// What host code does, done by device code.
fn on_device(ways: Ways) -> Ways {
    (ways & !ON_HOST) | (ways & ON_HOST) << 2
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub target: Target,
    pub ways: Ways,
    /// The op to name in messages.
    pub at: Op,
}

/// What a function does to the memory it is given.
#[derive(Debug, Clone)]
pub(super) struct Summary {
    params: Vec<Ways>,
    globals: Vec<(Attr, Ways)>,
    everything: Ways,
    /// Whether a parameter may be reachable afterwards in ways that do not show.
    pub keeps: bool,
}

/// The deepest chain of calls that is followed.
pub(super) const DEPTH: usize = 64;

/// The summaries of the functions of a module.
#[derive(Default)]
pub(super) struct Summaries {
    /// `None` while a function is being looked at: it calls itself.
    known: FxHashMap<Op, Option<Rc<Summary>>>,
    depth: usize,
    /// By function, the clauses of `xfer.enter_data` that surely find their array.
    held: FxHashMap<Op, Rc<FoundClauses>>,
    /// What functions do to the pairs that they are handed; `None` while one is walked.
    pub contracts: FxHashMap<Op, Option<Rc<Contract>>>,
    /// How many functions are being walked, each of which calls the next.
    pub walks: usize,
    /// What they do to the table of present arrays.
    pub tables: Tables,
}

/// The memory that a memref lies in.
pub(super) fn memory_of(ctx: &Context, base: Value) -> Side {
    let allocated = base.def_op().is_some_and(|o| o.isa::<gpu::AllocOp>(ctx));
    match allocated || is_device(ctx, base.ty(ctx)) {
        true => Side::Device,
        false => Side::Host,
    }
}

pub(super) fn memrefs(ctx: &Context, op: Op) -> impl Iterator<Item = Value> {
    let all = op.operands(ctx).into_iter();
    all.filter(|v| v.ty(ctx).is_memref(ctx))
        .collect::<Vec<_>>()
        .into_iter()
}

impl Summaries {
    /// The uses of memory by `op`, run on the side `by`, and by all ops inside it.
    pub(crate) fn all_uses(&mut self, ctx: &Context, op: Op, by: Side, out: &mut Vec<Use>) {
        self.uses(ctx, op, by, out);
        let inside = match op.isa::<gpu::LaunchOp>(ctx) {
            true => Side::Device,
            false => by,
        };
        for block in op.blocks(ctx) {
            for o in block.ops(ctx) {
                self.all_uses(ctx, o, inside, out);
            }
        }
    }

    /// The uses of memory by `op` alone, without those of ops inside it.
    pub(crate) fn uses(&mut self, ctx: &Context, op: Op, by: Side, out: &mut Vec<Use>) {
        let held = op.isa::<EnterDataOp>(ctx).then(|| self.held(ctx, op));
        let mut touch = |v: Value, ways: Ways| {
            out.push(Use {
                target: Target::Memory(base(ctx, v)),
                ways,
                at: op,
            });
        };
        match op.name(ctx) {
            xfer::EnsureOp::NAME | xfer::PrefetchOp::NAME => {
                for v in [op.operand(ctx, 0), op.operand(ctx, 1)] {
                    touch(v, any(memory_of(ctx, base(ctx, v))) | FLAGS);
                }
            }
            xfer::MarkWrittenOp::NAME => op.operands(ctx).iter().for_each(|v| touch(*v, FLAGS)),
            xfer::AssertValidOp::NAME => {
                touch(op.operand(ctx, 0), HOST_READ);
                touch(op.operand(ctx, 1), DEVICE_READ);
            }
            xfer::DiscardOp::NAME => {
                let v = op.operand(ctx, 0);
                touch(
                    v,
                    any(memory_of(ctx, base(ctx, v))) & !HOST_READ & !DEVICE_READ | FLAGS,
                );
            }
            // What they do to buffers of the table is for its arrays.
            EnterDataOp::NAME => {
                let found = held.unwrap_or_default();
                let list = EnterDataOp::wrap(op).clauses(ctx).into_iter().enumerate();
                for (i, (v, clause)) in list {
                    if clause.copies_in() && !found.contains(&(op, i)) {
                        touch(v, HOST_READ);
                    }
                }
            }
            ExitDataOp::NAME => {
                for (v, clause) in ExitDataOp::wrap(op).clauses(ctx) {
                    if clause.copies_out() {
                        touch(v, HOST_WRITE);
                    }
                }
            }
            xfer::UpdateOp::NAME | xfer::PresentOp::NAME | xfer::IsPresentOp::NAME => {
                for e in own_effects(ctx, op).into_iter().flatten() {
                    match (e.kind, e.on) {
                        (EffectKind::Read, Some(v)) => touch(v, HOST_READ),
                        (EffectKind::Write, Some(v)) => touch(v, HOST_WRITE),
                        _ => {}
                    }
                }
            }
            gpu::LaunchFuncOp::NAME => {
                let launch = gpu::LaunchFuncOp::wrap(op);
                let operands = launch.kernel_operands(ctx);
                let kernel = launch.kernel_func(ctx).map(|k| k.op());
                let summary = self.of(ctx, kernel, &operands);
                call(ctx, &summary, &operands, Side::Device, op, out);
            }
            func::CallOp::NAME => {
                let callee = func::CallOp::wrap(op).function(ctx).map(|f| f.op());
                let operands = op.operands(ctx);
                let summary = self.of(ctx, callee, &operands);
                call(ctx, &summary, &operands, by, op, out);
            }
            func::CallIndirectOp::NAME => {
                let operands = op.operands(ctx);
                let summary = self.of(ctx, None, &operands);
                call(ctx, &summary, &operands, by, op, out);
            }
            // The function around is what is looked at.
            func::FuncOp::NAME | gpu::FuncOp::NAME => {}
            name => {
                // Copies run on neither side.
                let engine = matches!(
                    name,
                    xfer::CopyOp::NAME | gpu::MemcpyOp::NAME | gpu::MemsetOp::NAME
                );
                effects(ctx, op, by, engine, out);
            }
        }
    }

    /// The clauses that surely find their array in the function around `op`.
    fn held(&mut self, ctx: &Context, op: Op) -> Rc<FoundClauses> {
        let mut at = op.parent(ctx);
        while let Some(f) = at.filter(|f| !f.isa::<func::FuncOp>(ctx)) {
            at = f.parent(ctx);
        }
        let Some(function) = at else {
            return Rc::default();
        };
        let known = self.held.entry(function);
        known
            .or_insert_with(|| Rc::new(held::of_function(ctx, function)))
            .clone()
    }

    /// The summary of a function; what can be said of any that is unknown or has no body.
    pub(crate) fn of(
        &mut self,
        ctx: &Context,
        function: Option<Op>,
        operands: &[Value],
    ) -> Rc<Summary> {
        let body = |f: &Op| f.num_regions(ctx) == 1 && !f.region(ctx, 0).is_empty(ctx);
        let Some(function) = function.filter(body) else {
            return Rc::new(unknown(ctx, operands, 0));
        };
        match self.known.get(&function) {
            Some(Some(s)) => return s.clone(),
            // It calls itself.
            Some(None) => return Rc::new(unknown(ctx, operands, FLAGS)),
            None if self.depth >= DEPTH => return Rc::new(unknown(ctx, operands, FLAGS)),
            None => {}
        }
        self.known.insert(function, None);
        self.depth += 1;
        let summary = Rc::new(self.summarise(ctx, function));
        self.depth -= 1;
        self.known.insert(function, Some(summary.clone()));
        summary
    }

    fn summarise(&mut self, ctx: &Context, function: Op) -> Summary {
        let params = function.body(ctx, 0).args(ctx);
        let mut s = Summary {
            params: vec![0; params.len()],
            globals: Vec::new(),
            everything: 0,
            keeps: false,
        };
        let mut uses = Vec::new();
        self.all_uses(ctx, function, Side::Host, &mut uses);
        for u in uses {
            match u.target {
                Target::Memory(v) => match owner(ctx, &params, v) {
                    Owner::Param(i) => s.params[i] |= u.ways,
                    Owner::Global(name) => s.add_global(name, u.ways),
                    Owner::Own => {}
                    Owner::Unknown => s.spread(ctx, &params, memory_of(ctx, v), u.ways),
                },
                Target::Global(name) => s.add_global(name, u.ways),
                Target::Everything => {
                    s.spread(ctx, &params, Side::Host, u.ways & (ON_HOST | FLAGS));
                    s.spread(ctx, &params, Side::Device, u.ways & (ON_DEVICE | FLAGS));
                }
            }
        }
        // A kernel in a function that is called: what it uses of the host's memory is that
        // function's affair, which has mirrors of its own, or will have.
        for (p, w) in params.iter().zip(&mut s.params) {
            if p.ty(ctx).is_memref(ctx) && memory_of(ctx, *p) == Side::Host {
                *w = (*w & !ON_DEVICE) | (*w & ON_DEVICE) >> 2;
            }
        }
        for (_, w) in &mut s.globals {
            *w = (*w & !ON_DEVICE) | (*w & ON_DEVICE) >> 2;
        }
        for op in function.pre_order(ctx) {
            s.keeps |= op != function && self.keeps(ctx, op);
        }
        s
    }

    /// Whether memrefs that an op is given may be reachable afterwards in ways that
    /// `base` does not see through.
    pub(crate) fn keeps(&mut self, ctx: &Context, op: Op) -> bool {
        if memrefs(ctx, op).next().is_none() {
            return false;
        }
        match op.name(ctx) {
            func::CallOp::NAME => {
                let callee = func::CallOp::wrap(op).function(ctx).map(|f| f.op());
                self.of(ctx, callee, &op.operands(ctx)).keeps
            }
            func::CallIndirectOp::NAME => true,
            // A buffer of the device; only what is absent may be the array itself.
            xfer::PresentOp::NAME => op.attr(ctx, "if_present").is_some(),
            memref::StoreOp::NAME | affine::StoreOp::NAME => {
                op.operand(ctx, 0).ty(ctx).is_memref(ctx)
            }
            _ => {
                let views = is_view(ctx, op);
                let results = op.result_types(ctx);
                !op.is_registered(ctx)
                    || op.is_terminator(ctx)
                    || !views && results.iter().any(|t| t.is_memref(ctx)) && !is_new(ctx, op)
            }
        }
    }
}

/// Whether the memref that an op gives is new memory.
fn is_new(ctx: &Context, op: Op) -> bool {
    matches!(
        op.name(ctx),
        memref::AllocOp::NAME
            | memref::AllocaOp::NAME
            | gpu::AllocOp::NAME
            | xfer::AllocOp::NAME
            | xfer::CreateOp::NAME
    )
}

/// Whose memory a memref inside a function is.
enum Owner {
    Param(usize),
    Global(Attr),
    /// That of the function itself, of a block of threads, of one thread.
    Own,
    Unknown,
}

fn owner(ctx: &Context, params: &[Value], v: Value) -> Owner {
    if let Some(i) = params.iter().position(|p| *p == v) {
        return Owner::Param(i);
    }
    match v.def_op() {
        Some(op) if op.name(ctx) == memref::GetGlobalOp::NAME => {
            op.attr(ctx, "name").map_or(Owner::Unknown, Owner::Global)
        }
        Some(op) if is_new(ctx, op) => Owner::Own,
        Some(_) => Owner::Unknown,
        None => {
            let around = v.arg_block().and_then(|b| b.parent_op(ctx));
            match around.is_some_and(|o| o.isa::<gpu::LaunchOp>(ctx)) {
                true => Owner::Own,
                false => Owner::Unknown,
            }
        }
    }
}

impl Summary {
    fn add_global(&mut self, name: Attr, ways: Ways) {
        match self.globals.iter_mut().find(|g| g.0 == name) {
            Some(g) => g.1 |= ways,
            None => self.globals.push((name, ways)),
        }
    }

    /// A use of memory on a side, which may be any that the function can reach.
    fn spread(&mut self, ctx: &Context, params: &[Value], memory: Side, ways: Ways) {
        for (p, w) in params.iter().zip(&mut self.params) {
            if p.ty(ctx).is_memref(ctx) && memory_of(ctx, *p) == memory {
                *w |= ways;
            }
        }
        self.everything |= ways;
    }
}

/// What a function may do of which nothing is known.
fn unknown(ctx: &Context, operands: &[Value], more: Ways) -> Summary {
    let ways = |v: &Value| match v.ty(ctx).is_memref(ctx) {
        true => any(memory_of(ctx, base(ctx, *v))) | more,
        false => 0,
    };
    Summary {
        params: operands.iter().map(ways).collect(),
        globals: Vec::new(),
        everything: ON_HOST | ON_DEVICE | more,
        keeps: true,
    }
}

/// The uses of a call, or of a launch.
fn call(
    ctx: &Context,
    summary: &Summary,
    operands: &[Value],
    by: Side,
    at: Op,
    out: &mut Vec<Use>,
) {
    // A summary takes functions to run on the host.
    let ways = |w: Ways| match by {
        Side::Device => on_device(w),
        Side::Host => w,
    };
    let mut push = |target: Target, ways: Ways| {
        if ways != 0 {
            out.push(Use { target, ways, at });
        }
    };
    for (v, w) in operands.iter().zip(&summary.params) {
        if v.ty(ctx).is_memref(ctx) {
            push(Target::Memory(base(ctx, *v)), ways(*w));
        }
    }
    for (name, w) in &summary.globals {
        push(Target::Global(*name), ways(*w));
    }
    // A kernel reaches only what it is given.
    if by == Side::Host {
        push(Target::Everything, summary.everything);
    }
}

/// The uses that an op declares; all of its memrefs where it declares none. Where
/// `engine` is set, each memref is used by whoever can.
fn effects(ctx: &Context, op: Op, by: Side, engine: bool, out: &mut Vec<Use>) {
    let mut touch = |v: Value, read: bool, write: bool| {
        let b = base(ctx, v);
        let by = if engine { memory_of(ctx, b) } else { by };
        let ways = match (read, write) {
            (true, false) => any(by) & (HOST_READ | DEVICE_READ),
            (false, true) => any(by) & (HOST_WRITE | DEVICE_WRITE),
            (true, true) => any(by),
            (false, false) => FREED,
        };
        out.push(Use {
            target: Target::Memory(b),
            ways,
            at: op,
        });
    };
    let Some(list) = own_effects(ctx, op) else {
        for v in memrefs(ctx, op) {
            touch(v, true, true);
        }
        if !op.is_registered(ctx) && by == Side::Host {
            out.push(Use {
                target: Target::Everything,
                ways: ON_HOST | ON_DEVICE,
                at: op,
            });
        }
        return;
    };
    for e in list {
        match (e.kind, e.on) {
            (EffectKind::Alloc, _) => {}
            (kind, Some(v)) if v.ty(ctx).is_memref(ctx) => {
                touch(v, kind == EffectKind::Read, kind == EffectKind::Write);
            }
            (_, Some(_)) => {}
            // Something that has no name: the console, or one of its memrefs.
            (_, None) => memrefs(ctx, op).for_each(|v| touch(v, true, true)),
        }
    }
}
