//! What one op does to the array that is followed: a list of acts, in order.

use super::super::origins::origins;
use super::super::pairs::{may_be_named, may_share, whole};
use super::super::uses::{
    DEVICE_READ, DEVICE_WRITE, FREED, HOST_READ, HOST_WRITE, Summaries, Target, Use, memory_of,
};
use super::content::Span;
use super::functions::{Root, roots};
use super::place::{all_of, span, touched};
use super::state::Act;
use crate::analysis::memory::base;
use crate::xfer::check::effects::is_data_op;
use rustc_hash::FxHashMap;
use terrace_dialects::scf;
use terrace_dialects::xfer::{
    Clause, CopyOp, DiscardOp, EnsureOp, EnterDataOp, ExitDataOp, IsPresentOp, PrefetchOp,
    PresentOp, Side, UpdateOp,
};
use terrace_dialects::{func, gpu};
use terrace_dialects::{memref, xfer};
use terrace_ir::{Context, Op, OpKind, Value};

/// One thing that an op does. Where it is not `surely` the array that is followed, it may
/// be nothing.
#[derive(Debug, Clone)]
pub enum Effect {
    Act {
        act: Act,
        at: Op,
        surely: bool,
    },
    /// A function is called that knows the array as `root`.
    Call {
        callee: Op,
        root: Root,
        at: Op,
    },
}

/// The array that is followed through a function.
#[derive(Debug, Clone)]
pub struct Focus {
    pub root: Root,
    pub whole: Span,
    /// Whether code that is not known may reach it.
    pub shared: bool,
    /// Whether nobody follows it where the function returns, and somebody may use it.
    pub returns: bool,
    lookups: FxHashMap<Op, usize>,
}

impl Focus {
    pub fn new(ctx: &Context, function: Op, root: Root, shared: bool, returns: bool) -> Focus {
        let all = function.find_all::<PresentOp>(ctx).into_iter();
        let of_root = all.filter(|p| root.is(ctx, base(ctx, p.array(ctx))));
        let lookups = of_root.enumerate().map(|(i, p)| (p.op(), i)).collect();
        Focus {
            whole: all_of(ctx, root.ty(ctx, function)),
            root,
            shared,
            returns,
            lookups,
        }
    }

    /// The elements that a memref is, `Some(None)` where only the run knows them; `None`
    /// for another array.
    fn section(&self, ctx: &Context, v: Value) -> Option<Option<Span>> {
        let is_root = |x: Value| self.root.is(ctx, x);
        is_root(base(ctx, v)).then(|| span(ctx, &is_root, v))
    }

    /// Whether a memref of the host that is not surely the array may be it.
    pub(super) fn may_be(&self, ctx: &Context, v: Value) -> bool {
        let b = base(ctx, v);
        match self.root {
            Root::Value(r) => memory_of(ctx, b) == Side::Host && may_share(ctx, r, b),
            Root::Global(name) => memory_of(ctx, b) == Side::Host && may_be_named(ctx, b, name),
        }
    }

    /// The elements that an `xfer.is_present` in front of `op` asks about, where `op`
    /// branches on that and nothing happens in between.
    pub fn asked(&self, ctx: &Context, op: Op) -> Option<Span> {
        if op.name(ctx) != scf::IfOp::NAME {
            return None;
        }
        let asks = op.operand(ctx, 0).def_op()?;
        asks.isa::<IsPresentOp>(ctx).then_some(())?;
        let near = asks.block(ctx) == op.block(ctx);
        near.then(|| self.section(ctx, asks.operand(ctx, 0)))??
    }

    /// What `op` does, with all that is in it, as one step.
    pub fn effects(&self, ctx: &Context, op: Op, summaries: &mut Summaries) -> Vec<Effect> {
        let mut out = Vec::new();
        match op.name(ctx) {
            EnterDataOp::NAME | ExitDataOp::NAME | UpdateOp::NAME => {
                self.clauses(ctx, op, &mut out)
            }
            PresentOp::NAME => self.looks(ctx, op, &mut out),
            // What is not taken apart the walk over mirrors refuses.
            IsPresentOp::NAME | xfer::DataOp::NAME => {}
            CopyOp::NAME => self.copies(ctx, op, summaries, &mut out),
            DiscardOp::NAME => {
                if let Some(s) = self.section(ctx, DiscardOp::wrap(op).array(ctx)) {
                    push(&mut out, op, s.map_or(Act::Anything, Act::Discard));
                }
            }
            EnsureOp::NAME | PrefetchOp::NAME => self.ensures(ctx, op, &mut out),
            memref::AllocOp::NAME | memref::AllocaOp::NAME => {
                if self.root == Root::Value(op.result(ctx, 0)) {
                    push(&mut out, op, Act::Allocate(self.whole));
                }
            }
            func::ReturnOp::NAME => {
                if self.returns {
                    push(&mut out, op, Act::Return);
                }
            }
            func::CallOp::NAME => self.calls(ctx, op, summaries, &mut out),
            _ => {
                let inside = op.pre_order(ctx).into_iter();
                if inside.skip(1).any(|o| is_data_op(ctx, o)) {
                    push(&mut out, op, Act::Anything);
                }
                let unknown = op.name(ctx) == func::CallIndirectOp::NAME;
                if unknown && (self.shared || self.is_handed(ctx, op)) {
                    push(&mut out, op, Act::Anything);
                }
                self.uses(ctx, op, summaries, &mut out);
            }
        }
        out
    }

    fn is_handed(&self, ctx: &Context, op: Op) -> bool {
        let operands = op.operands(ctx).into_iter();
        let mut memrefs = operands.filter(|v| v.ty(ctx).is_memref(ctx));
        memrefs.any(|v| self.may_be(ctx, v))
    }

    fn clauses(&self, ctx: &Context, op: Op, out: &mut Vec<Effect>) {
        for (array, clause) in xfer::clauses(ctx, op) {
            let Some(span) = self.section(ctx, array) else {
                if self.may_be(ctx, array) {
                    let (act, at) = (Act::Anything, op);
                    let surely = false;
                    out.push(Effect::Act { act, at, surely });
                }
                continue;
            };
            let act = if let Some(e) = op.cast::<EnterDataOp>(ctx) {
                let structured = e.is_structured(ctx);
                Act::Enter {
                    clause,
                    span,
                    structured,
                }
            } else if let Some(e) = op.cast::<ExitDataOp>(ctx) {
                Act::Exit {
                    clause,
                    span,
                    structured: e.is_structured(ctx),
                    finalize: e.is_final(ctx),
                }
            } else {
                let to = match clause {
                    Clause::UpdateHost => Side::Host,
                    _ => Side::Device,
                };
                let if_present = UpdateOp::wrap(op).if_present(ctx);
                Act::Update {
                    to,
                    span,
                    if_present,
                }
            };
            push(out, op, act);
        }
    }

    fn looks(&self, ctx: &Context, op: Op, out: &mut Vec<Effect>) {
        let p = PresentOp::wrap(op);
        if let Some(span) = self.section(ctx, p.array(ctx)) {
            let act = Act::Look {
                lookup: self.lookups.get(&op).copied().unwrap_or(usize::MAX),
                span,
                if_present: p.if_present(ctx),
            };
            push(out, op, act);
        }
    }

    /// A copy between the array and its buffer is as an update, others are uses.
    fn copies(&self, ctx: &Context, op: Op, summaries: &mut Summaries, out: &mut Vec<Effect>) {
        let c = CopyOp::wrap(op);
        let (src, dst) = (c.src(ctx), c.dst(ctx));
        for (array, buffer, to) in [(src, dst, Side::Device), (dst, src, Side::Host)] {
            let Some(Some(here)) = self.section(ctx, array) else {
                continue;
            };
            let Some((lookup, there)) = self.of_buffer(ctx, base(ctx, buffer)) else {
                continue;
            };
            let buffer_base = base(ctx, buffer);
            let in_buffer = span(ctx, &|v| v == buffer_base, buffer);
            if in_buffer.map(|s| shifted(s, there.lo)) != Some(here) {
                continue;
            }
            // A lookup that is not the array's any more is found by a read of nothing.
            let nothing = Span {
                lo: here.lo,
                hi: here.lo,
            };
            let (side, writes) = (Side::Device, false);
            let act = Act::Read {
                side,
                lookup,
                span: nothing,
                writes,
            };
            push(out, op, act);
            let act = Act::Update {
                to,
                span: Some(here),
                if_present: false,
            };
            return push(out, op, act);
        }
        self.uses(ctx, op, summaries, out);
    }

    /// Copies between the array and a mirror of its own.
    fn ensures(&self, ctx: &Context, op: Op, out: &mut Vec<Effect>) {
        let to_host = match op.cast::<EnsureOp>(ctx) {
            Some(e) => e.sides(ctx).contains(&Side::Host),
            None => PrefetchOp::wrap(op).side(ctx) == Side::Host,
        };
        let Some(span) = self.section(ctx, op.operand(ctx, 0)) else {
            return;
        };
        let (side, span) = (Side::Host, span.unwrap_or(self.whole));
        let (lookup, writes, all) = (0, false, true);
        match to_host {
            true => {
                let act = Act::Write {
                    side,
                    lookup,
                    span,
                    all,
                };
                let (at, surely) = (op, false);
                out.push(Effect::Act { act, at, surely });
            }
            false => {
                let act = Act::Read {
                    side,
                    lookup,
                    span,
                    writes,
                };
                push(out, op, act);
            }
        }
    }

    /// The lookup that gave a buffer, and the elements that it is of.
    fn of_buffer(&self, ctx: &Context, buffer: Value) -> Option<(usize, Span)> {
        let op = buffer.def_op()?;
        let lookup = *self.lookups.get(&op)?;
        let section = self.section(ctx, PresentOp::wrap(op).array(ctx))?;
        Some((lookup, section.unwrap_or(self.whole)))
    }

    fn calls(&self, ctx: &Context, op: Op, summaries: &mut Summaries, out: &mut Vec<Effect>) {
        let callee = func::CallOp::wrap(op).function(ctx).map(|f| f.op());
        let body = |f: &Op| f.num_regions(ctx) == 1 && !f.region(ctx, 0).is_empty(ctx);
        let known = callee.filter(body);
        let theirs = known.map(|f| roots(ctx, f, summaries));
        let operands = op.operands(ctx);
        let mut uses = Vec::new();
        summaries.all_uses(ctx, op, Side::Host, &mut uses);
        // Somebody is called who is not known.
        let by_host = |u: &Use| u.ways & (HOST_READ | HOST_WRITE) != 0;
        let anybody = uses
            .iter()
            .any(|u| u.target == Target::Everything && by_host(u));
        let lost = anybody || theirs.as_ref().is_none_or(|t| !t.clear);
        let mut unclear = lost && (self.shared || self.is_handed(ctx, op));
        let mut followed = Vec::new();
        if let (Some(callee), Some(theirs)) = (known, &theirs) {
            for root in &theirs.all {
                match root {
                    Root::Value(param) => {
                        let at = param
                            .arg_block()
                            .filter(|b| b.parent_op(ctx) == Some(callee));
                        let Some(v) = at.and_then(|_| operands.get(param.index(ctx))) else {
                            continue;
                        };
                        if self.root.is(ctx, whole(ctx, *v)) {
                            followed.push(Effect::Call {
                                callee,
                                root: *root,
                                at: op,
                            });
                        } else {
                            unclear |= self.may_be(ctx, *v);
                        }
                    }
                    Root::Global(_) if self.root == *root => followed.push(Effect::Call {
                        callee,
                        root: *root,
                        at: op,
                    }),
                    Root::Global(name) => {
                        let of_value = |v: Value| may_be_named(ctx, v, *name);
                        unclear |= matches!(self.root, Root::Value(v) if of_value(v));
                    }
                }
            }
        }
        if unclear || followed.len() > 1 {
            push(out, op, Act::Anything);
            return;
        }
        self.uses(ctx, op, summaries, out);
        if !followed.is_empty() {
            let of_host = |d: &Effect| match d {
                Effect::Act { act, .. } => matches!(
                    act,
                    Act::Read {
                        side: Side::Host,
                        ..
                    } | Act::Write {
                        side: Side::Host,
                        ..
                    }
                ),
                Effect::Call { .. } => false,
            };
            out.retain(|d| !of_host(d));
            out.append(&mut followed);
        }
    }

    /// What an op reads, writes and frees.
    fn uses(&self, ctx: &Context, op: Op, summaries: &mut Summaries, out: &mut Vec<Effect>) {
        let mut all = Vec::new();
        summaries.all_uses(ctx, op, Side::Host, &mut all);
        for u in &all {
            match u.target {
                Target::Memory(v) if memory_of(ctx, v) == Side::Host => {
                    let surely = self.root.is(ctx, v);
                    if surely || self.may_be(ctx, v) {
                        self.of_host(ctx, op, (u, surely.then_some(v)), out);
                    }
                }
                Target::Memory(v) => self.of_device(ctx, op, (v, u), &all, out),
                Target::Global(name) => {
                    let may_be = match self.root {
                        Root::Global(g) => g == name,
                        Root::Value(v) => may_be_named(ctx, v, name),
                    };
                    if may_be {
                        self.of_host(ctx, op, (u, None), out);
                    }
                }
                Target::Everything if self.shared => self.of_host(ctx, op, (u, None), out),
                Target::Everything => {}
            }
        }
    }

    /// A use of what is the array, as `root`, or may be.
    fn of_host(
        &self,
        ctx: &Context,
        op: Op,
        (u, root): (&Use, Option<Value>),
        out: &mut Vec<Effect>,
    ) {
        let (span, one) = match root {
            Some(_) => touched(ctx, &|v| self.root.is(ctx, v), self.whole, u.at),
            None => (self.whole, false),
        };
        let (side, lookup, at, surely) = (Side::Host, 0, u.at, root.is_some());
        if u.ways & HOST_READ != 0 {
            let act = Act::Read {
                side,
                lookup,
                span,
                writes: false,
            };
            out.push(Effect::Act { act, at, surely });
        }
        if u.ways & HOST_WRITE != 0 {
            let act = Act::Write {
                side,
                lookup,
                span,
                all: one && u.at == op,
            };
            out.push(Effect::Act { act, at, surely });
        }
        if u.ways & FREED != 0 && surely {
            push(out, u.at, Act::Free);
        }
    }

    /// A use of what may be a buffer of the array.
    fn of_device(
        &self,
        ctx: &Context,
        op: Op,
        (v, u): (Value, &Use),
        all: &[Use],
        out: &mut Vec<Effect>,
    ) {
        let from = origins(ctx, v);
        for b in &from {
            let Some((lookup, section)) = self.of_buffer(ctx, *b) else {
                continue;
            };
            let length = Span {
                lo: 0,
                hi: match section.hi {
                    Span::END => Span::END,
                    hi => hi - section.lo,
                },
            };
            let (inside, one) = match *b == v {
                true => touched(ctx, &|x| x == v, length, u.at),
                false => (length, false),
            };
            let span = shifted(inside, section.lo);
            let (side, at, surely) = (Side::Device, u.at, from.len() == 1);
            let written = |o: &Use| o.target == u.target && o.ways & DEVICE_WRITE != 0;
            if u.ways & DEVICE_READ != 0 {
                let act = Act::Read {
                    side,
                    lookup,
                    span,
                    writes: all.iter().any(written),
                };
                out.push(Effect::Act { act, at, surely });
            }
            if u.ways & DEVICE_WRITE != 0 {
                let act = Act::Write {
                    side,
                    lookup,
                    span,
                    all: one && is_certain(ctx, op, u.at),
                };
                out.push(Effect::Act { act, at, surely });
            }
        }
    }
}

fn shifted(span: Span, by: i64) -> Span {
    let hi = match span.hi {
        Span::END => Span::END,
        hi => hi.saturating_add(by),
    };
    Span {
        lo: span.lo.saturating_add(by),
        hi,
    }
}

fn push(out: &mut Vec<Effect>, at: Op, act: Act) {
    let surely = true;
    out.push(Effect::Act { act, at, surely });
}

/// Whether some thread of a launch is sure to run an op in it.
fn is_certain(ctx: &Context, launch: Op, at: Op) -> bool {
    let Some(l) = launch.cast::<gpu::LaunchOp>(ctx) else {
        return at == launch;
    };
    let sizes = launch.operands(ctx).into_iter();
    let mut numbers = sizes.filter(|v| v.ty(ctx) == ctx.index());
    at.parent(ctx) == Some(l.op())
        && numbers.all(|v| ctx.constant_int(v).is_some_and(|n| n > 0))
        && launch.region(ctx, 0).blocks(ctx).len() == 1
}
