//! The arrays of a function that have a mirror on the device, and what ops do to them.

use super::present::reads_host;
use super::summary::Summaries;
use crate::analysis::memory::{base, is_root, is_view, may_be_same, side_of};
use smallvec::SmallVec;
use terrace_dialects::arith;
use terrace_dialects::{func, gpu, xfer};
use terrace_dialects::{memref, scf};
use terrace_ir::effects::own_effects;
use terrace_ir::opdef::{EffectKind, OpDef, traits};
use terrace_ir::{Attr, Context, Op, OpKind, TypeData, Value};

pub use terrace_dialects::xfer::Side;
pub use terrace_dialects::xfer::handed::{Handed, Leaves, handed};

/// An array and its mirror.
#[derive(Debug, Clone, Copy)]
pub struct Array {
    /// The memref that the host uses: an argument, an allocation, a global.
    pub host: Value,
    pub mirror: Value,
    /// What makes the mirror; none where the function is handed it.
    pub create: Option<xfer::CreateOp>,
    /// What the function says of the mirror that it is handed.
    pub handed: Option<Handed>,
}

/// What an op does to one array.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Touch {
    pub host_read: bool,
    pub host_write: bool,
    pub device_read: bool,
    pub device_write: bool,
    /// `xfer.discard`: what is in the array is not needed.
    pub discard: bool,
    /// The mirror is made here.
    pub create: bool,
    /// The mirror ends here.
    pub free: bool,
    /// The array ends here.
    pub end: bool,
    /// A function that is handed the mirror is called here.
    pub call: Option<Handed>,
    /// The function returns to where the mirror came from.
    pub leave: bool,
}

impl Touch {
    /// Whether the array is read or written on a side, so must be valid there: a write
    /// of a part leaves the rest as it is.
    pub fn uses(&self, side: Side) -> bool {
        let used = match side {
            Side::Host => self.host_read || self.host_write,
            Side::Device => self.device_read || self.device_write,
        };
        used || self.call.is_some_and(|c| c.needs(side))
    }

    /// Whether the other side may be stale afterwards.
    pub fn writes(&self, side: Side) -> bool {
        let written = match side {
            Side::Host => self.host_write,
            Side::Device => self.device_write,
        };
        let left = self.call.map(|c| c.leaves(side.other()));
        written || matches!(left, Some(Leaves::Stale | Leaves::Unknown))
    }

    /// Whether the array is valid on a side afterwards, though it need not be so before.
    pub fn renews(&self, side: Side) -> bool {
        self.call
            .is_some_and(|c| !c.needs(side) && c.leaves(side) == Leaves::Valid)
    }

    fn add(&mut self, side: Side, kind: EffectKind) {
        match (side, kind) {
            (Side::Host, EffectKind::Read) => self.host_read = true,
            (Side::Host, EffectKind::Write) => self.host_write = true,
            (Side::Device, EffectKind::Read) => self.device_read = true,
            (Side::Device, EffectKind::Write) => self.device_write = true,
            (_, EffectKind::Alloc | EffectKind::Free) => {}
        }
    }
}

/// What an op does to the arrays it touches.
pub type Touches = SmallVec<[(usize, Touch); 2]>;

/// All arrays of a function.
pub struct Arrays {
    pub list: Vec<Array>,
    /// Whether code that is not known may reach the array.
    exposed: Vec<bool>,
    pub summaries: Summaries,
}

impl Arrays {
    pub fn of(ctx: &Context, function: Op) -> Arrays {
        let creates = function.find_all::<xfer::CreateOp>(ctx);
        let list: Vec<Array> = creates
            .into_iter()
            .map(|create| Array {
                host: base(ctx, create.array(ctx)),
                mirror: create.mirror(ctx),
                create: Some(create),
                handed: None,
            })
            .chain(handed_arrays(ctx, function))
            .collect();
        let exposed = list.iter().map(|a| is_exposed(ctx, a.host)).collect();
        Arrays {
            list,
            exposed,
            summaries: Summaries::default(),
        }
    }

    /// Keeps only some of the arrays.
    pub fn retain(&mut self, keep: impl Fn(&Array) -> bool) {
        let kept: Vec<bool> = self.list.iter().map(keep).collect();
        let mut k = kept.iter();
        self.list.retain(|_| k.next() == Some(&true));
        let mut k = kept.iter();
        self.exposed.retain(|_| k.next() == Some(&true));
    }

    /// Whether a function that is called may use array `k` by another name than those that
    /// it is given.
    pub fn may_reach(&mut self, ctx: &Context, k: usize, call: Op) -> bool {
        let summary = self.summaries.of_call(ctx, call);
        summary.is_none_or(|s| s.elsewhere && self.exposed[k])
    }

    /// What `op`, with all that is nested in it, does to each array.
    pub fn touched_by(&mut self, ctx: &Context, op: Op) -> Touches {
        let mut out = Touches::new();
        for o in op.pre_order(ctx) {
            self.add_own(ctx, o, &mut out);
        }
        if op.isa::<gpu::LaunchOp>(ctx) {
            // Memory of blocks and threads, and what cannot be told: none of it the host's.
            for (_, t) in &mut out {
                (t.host_read, t.host_write) = (false, false);
            }
            out.retain(|t| t.1 != Touch::default());
        }
        out.sort_by_key(|t| t.0);
        out
    }

    /// Whether `op` itself does something to an array, without what is nested in it.
    pub fn is_touched_by(&mut self, ctx: &Context, op: Op) -> bool {
        let mut out = Touches::new();
        self.add_own(ctx, op, &mut out);
        !out.is_empty()
    }

    fn add_own(&mut self, ctx: &Context, op: Op, out: &mut Touches) {
        // Most of a kernel is arithmetic, and kernels are looked at again for each choice of
        // what moves to the device.
        let arithmetic = |d: &OpDef| {
            let silent = d.effects.is_none() && d.has(traits::NO_EFFECT);
            silent && !d.is_terminator() && !d.name.starts_with("xfer.")
        };
        if op.def(ctx).is_some_and(arithmetic) {
            return;
        }
        if let Some(create) = op.cast::<xfer::CreateOp>(ctx) {
            let is = |a: &Array| a.create.is_some_and(|c| c.op() == create.op());
            if let Some(k) = self.list.iter().position(is) {
                touch(out, k).create = true;
            }
            return;
        }
        if let Some(d) = op.cast::<xfer::DiscardOp>(ctx) {
            // Of a view only a part is discarded, which says nothing of the whole.
            let whole = self.whole(ctx, d.array(ctx));
            for k in whole {
                touch(out, k).discard = true;
            }
            return;
        }
        if let Some(f) = op.cast::<xfer::FreeOp>(ctx) {
            let freed = self.list.iter().position(|a| a.mirror == f.buffer(ctx));
            if let Some(k) = freed {
                touch(out, k).free = true;
            }
            return;
        }
        if op.name(ctx) == memref::DeallocOp::NAME {
            let root = base(ctx, op.operand(ctx, 0));
            let freed = self.list.iter().position(|a| a.host == root);
            if let Some(k) = freed {
                touch(out, k).end = true;
            }
            return;
        }
        if op.isa::<func::ReturnOp>(ctx) {
            self.add_return(ctx, op, out);
            return;
        }
        let pairs = self.add_call(ctx, op, out);
        let (list, exposed) = (&self.list, &self.exposed);
        for_each_effect(ctx, &mut self.summaries, op, &mut |kind, on, side| {
            // What a function does to a pair that it is handed, it says.
            let Some(v) = on else {
                for k in (0..list.len()).filter(|k| exposed[*k] && !pairs.contains(k)) {
                    touch(out, k).add(Side::Host, kind);
                }
                return;
            };
            let roots = roots(ctx, v);
            for (k, a) in list.iter().enumerate().filter(|(k, _)| !pairs.contains(k)) {
                let same = roots.iter().any(|root| match side {
                    Side::Device => *root == a.mirror,
                    Side::Host => may_be_same(ctx, *root, a.host),
                });
                if same {
                    touch(out, k).add(side, kind);
                }
            }
        });
    }

    /// What a call does to the pairs that it hands on; which those are.
    fn add_call(&mut self, ctx: &Context, op: Op, out: &mut Touches) -> SmallVec<[usize; 2]> {
        let mut pairs = SmallVec::new();
        for h in handed_by(ctx, op) {
            let mirror = base(ctx, op.operand(ctx, h.mirror));
            let array = base(ctx, op.operand(ctx, h.array));
            let is = |a: &Array| a.mirror == mirror && a.host == array;
            if let Some(k) = self.list.iter().position(is) {
                touch(out, k).call = Some(h);
                pairs.push(k);
            }
        }
        pairs
    }

    /// The arrays that `v` is the whole of.
    pub(super) fn whole(&self, ctx: &Context, v: Value) -> Vec<usize> {
        let global = global_name(ctx, v);
        let is = |a: &Array| a.host == v || global.is_some() && global_name(ctx, a.host) == global;
        (0..self.list.len())
            .filter(|k| is(&self.list[*k]))
            .collect()
    }

    /// Whoever called sees arguments, globals and what is returned.
    fn add_return(&self, ctx: &Context, op: Op, out: &mut Touches) {
        let returned: Vec<Value> = op.operands(ctx).iter().map(|v| base(ctx, *v)).collect();
        for (k, a) in self.list.iter().enumerate() {
            if let Some(h) = a.handed {
                let t = touch(out, k);
                t.leave = true;
                t.host_read = h.leaves(Side::Host) == Leaves::Valid;
                t.device_read = h.leaves(Side::Device) == Leaves::Valid;
                continue;
            }
            let is_own = a.host.def_op().is_some() && global_name(ctx, a.host).is_none();
            let seen = !is_own
                || returned.contains(&a.host)
                || returned
                    .iter()
                    .any(|r| !is_root(ctx, *r) && r.ty(ctx).is_memref(ctx));
            if seen {
                touch(out, k).host_read = true;
            }
        }
    }
}

/// The pairs among a function's arguments.
fn handed_arrays(ctx: &Context, function: Op) -> Vec<Array> {
    let all = handed(ctx, function).unwrap_or_default();
    if all.is_empty() || function.region(ctx, 0).is_empty(ctx) {
        return Vec::new();
    }
    let args = function.body(ctx, 0).args(ctx);
    let array = |h: Handed| Array {
        host: args[h.array],
        mirror: args[h.mirror],
        create: None,
        handed: Some(h),
    };
    all.into_iter().map(array).collect()
}

/// The pairs that a call hands to the function that it calls. A call that still lacks the
/// mirrors hands on none.
pub fn handed_by(ctx: &Context, op: Op) -> Vec<Handed> {
    let call = op.cast::<func::CallOp>(ctx);
    let callee = call.and_then(|c| c.function(ctx));
    let callee = callee.filter(|f| f.inputs(ctx).len() == op.num_operands(ctx));
    callee.map_or(Vec::new(), |f| handed(ctx, f.op()).unwrap_or_default())
}

/// The memrefs that `v` may be a view of: more than one where it was chosen.
pub fn roots(ctx: &Context, v: Value) -> SmallVec<[Value; 2]> {
    let mut out = SmallVec::new();
    let mut work: SmallVec<[Value; 4]> = smallvec::smallvec![v];
    let mut seen: SmallVec<[Value; 4]> = SmallVec::new();
    while let Some(v) = work.pop() {
        let root = base(ctx, v);
        if seen.contains(&root) {
            continue;
        }
        seen.push(root);
        let chosen = root.def_op().and_then(|op| match op.name(ctx) {
            arith::SelectOp::NAME => Some(vec![op.operand(ctx, 1), op.operand(ctx, 2)]),
            scf::IfOp::NAME => {
                let k = root.index(ctx);
                let yields = (0..2).map(|i| op.region(ctx, i).entry(ctx)?.terminator(ctx));
                yields.map(|y| y?.operands(ctx).get(k).copied()).collect()
            }
            _ => None,
        });
        match chosen {
            Some(chosen) => work.extend(chosen),
            None => out.push(root),
        }
    }
    out
}

fn touch(out: &mut Touches, k: usize) -> &mut Touch {
    let at = match out.iter().position(|t| t.0 == k) {
        Some(at) => at,
        None => {
            out.push((k, Touch::default()));
            out.len() - 1
        }
    };
    &mut out[at].1
}

/// The name of the global that a memref is the address of.
pub(super) fn global_name(ctx: &Context, v: Value) -> Option<Attr> {
    let op = v.def_op()?;
    (op.name(ctx) == memref::GetGlobalOp::NAME).then(|| op.attr(ctx, "name"))?
}

/// Whether both ends of a copy lie on devices, so that it is none between an array and its
/// mirror.
pub(super) fn is_on_device(ctx: &Context, c: xfer::CopyOp) -> bool {
    matches!(
        c.direction(ctx),
        Some(xfer::Direction::DeviceToDevice { .. })
    )
}

/// Calls `f` with each effect of `op` itself on memory: its kind, on which memref, and
/// the side. Memory that is not known is of the host; what may do anything reads and
/// writes its memrefs and whatever else can be reached.
pub fn for_each_effect(
    ctx: &Context,
    summaries: &mut Summaries,
    op: Op,
    f: &mut dyn FnMut(EffectKind, Option<Value>, Side),
) {
    const BOTH: [EffectKind; 2] = [EffectKind::Read, EffectKind::Write];
    let memrefs = || {
        let all = op.operands(ctx).into_iter();
        all.filter(|v| is_memref(ctx, *v))
    };
    if op.isa::<gpu::LaunchFuncOp>(ctx) {
        of_launch(ctx, gpu::LaunchFuncOp::wrap(op), f);
        return;
    }
    if op.name(ctx) == func::CallOp::NAME {
        match summaries.of_call(ctx, op) {
            Some(s) => {
                for (v, (read, write)) in op.operands(ctx).into_iter().zip(&s.params) {
                    for (does, kind) in [(*read, EffectKind::Read), (*write, EffectKind::Write)] {
                        if does && is_memref(ctx, v) {
                            f(kind, Some(v), side_of(ctx, v));
                        }
                    }
                }
                if s.elsewhere {
                    BOTH.into_iter().for_each(|k| f(k, None, Side::Host));
                }
            }
            None => {
                for v in memrefs() {
                    BOTH.into_iter()
                        .for_each(|k| f(k, Some(v), side_of(ctx, v)));
                }
                BOTH.into_iter().for_each(|k| f(k, None, Side::Host));
            }
        }
        return;
    }
    match own_effects(ctx, op) {
        Some(effects) => {
            // The table of present arrays is none of the host's.
            let table = op.dialect(ctx) == "xfer";
            for e in effects {
                match e.on {
                    Some(v) if table && e.kind == EffectKind::Read && is_asked(ctx, op, v) => {}
                    Some(v) => f(e.kind, Some(v), side_of(ctx, v)),
                    None if table => {}
                    None => f(e.kind, None, Side::Host),
                }
            }
            // A memref that goes to another block or out of a region is another name
            // there, under which the host may use it.
            if op.is_terminator(ctx) {
                for v in memrefs().filter(|v| side_of(ctx, *v) == Side::Host) {
                    BOTH.into_iter().for_each(|k| f(k, Some(v), Side::Host));
                }
            }
        }
        // Kernels wait in modules of their own.
        None if op.isa::<gpu::ModuleOp>(ctx) || op.isa::<func::FuncOp>(ctx) => {}
        None => {
            for v in memrefs() {
                BOTH.into_iter()
                    .for_each(|k| f(k, Some(v), side_of(ctx, v)));
            }
            if op.num_regions(ctx) == 0 {
                BOTH.into_iter().for_each(|k| f(k, None, Side::Host));
            }
        }
    }
}

/// Whether an op only asks for an array or counts who holds it, and reads nothing of what
/// the host has.
fn is_asked(ctx: &Context, op: Op, array: Value) -> bool {
    let counts = op.isa::<xfer::EnterDataOp>(ctx) || op.isa::<xfer::ExitDataOp>(ctx);
    counts && !reads_host(ctx, op, array)
}

fn is_memref(ctx: &Context, v: Value) -> bool {
    let ty = v.ty(ctx);
    ty.is_memref(ctx) || matches!(ty.data(ctx), TypeData::UnrankedMemRef { .. })
}

/// What the kernel does to its parameters is done to the operands.
fn of_launch(
    ctx: &Context,
    launch: gpu::LaunchFuncOp,
    f: &mut dyn FnMut(EffectKind, Option<Value>, Side),
) {
    let kernel = launch.kernel_func(ctx);
    let args = kernel.map(|k| k.op().body(ctx, 0).args(ctx));
    let mut summaries = Summaries::default();
    for (i, v) in launch.kernel_operands(ctx).into_iter().enumerate() {
        if !is_memref(ctx, v) {
            continue;
        }
        let mut does = (kernel.is_none(), kernel.is_none());
        if let (Some(kernel), Some(arg)) = (kernel, args.as_ref().and_then(|a| a.get(i))) {
            for o in kernel.op().pre_order(ctx).into_iter().skip(1) {
                for_each_effect(ctx, &mut summaries, o, &mut |kind, on, _| {
                    if on.is_none_or(|v| may_be_handed(ctx, v, *arg)) {
                        match kind {
                            EffectKind::Read => does.0 = true,
                            EffectKind::Write => does.1 = true,
                            _ => {}
                        }
                    }
                });
            }
        }
        for (does, kind) in [(does.0, EffectKind::Read), (does.1, EffectKind::Write)] {
            if does {
                f(kind, Some(v), side_of(ctx, v));
            }
        }
    }
}

/// Whether `v` in a kernel is, or may be, what it is handed as `arg`: one of several that
/// was chosen, or what cannot be told.
fn may_be_handed(ctx: &Context, v: Value, arg: Value) -> bool {
    roots(ctx, v)
        .into_iter()
        .any(|root| root == arg || root.def_op().is_some() && !is_root(ctx, root))
}

/// Whether code that is not looked at may have the array's address: everything but an
/// allocation that is only accessed, viewed, copied, handed to kernels and freed.
pub(super) fn is_exposed(ctx: &Context, host: Value) -> bool {
    let own = host
        .def_op()
        .is_some_and(|o| matches!(o.name(ctx), memref::AllocOp::NAME | memref::AllocaOp::NAME));
    !own || escapes(ctx, host)
}

fn escapes(ctx: &Context, v: Value) -> bool {
    v.users(ctx).into_iter().any(|user| {
        if is_view(ctx, user) {
            return user.results(ctx).into_iter().any(|r| escapes(ctx, r));
        }
        let terminator = user.is_terminator(ctx);
        let launch = user.isa::<gpu::LaunchFuncOp>(ctx);
        terminator && !user.isa::<func::ReturnOp>(ctx)
            || !launch && own_effects(ctx, user).is_none()
    })
}
