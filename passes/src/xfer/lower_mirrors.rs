//! `xfer-lower-mirrors`: mirrors become buffers, and what only the run can tell becomes
//! flags in memory of the host.
//!
//! ```text
//! %d = xfer.create %A                     %d = xfer.alloc(sizes of %A)
//! ...                                     store false, %on_device[]
//! xfer.ensure %A, %d on device      =>    ...
//!                                         %valid = load %on_device[]
//!                                         scf.if not %valid {
//!                                           xfer.copy %A to %d
//!                                           store true, %on_device[]
//!                                         }
//! ```
//!
//! Functions that are handed a mirror and ask about it are handed its flags, too, as two
//! arguments more.
//!
//! A mirror without an `xfer.ensure` needs no flags. Discards and claims, which are for
//! analyses, are dropped.

use super::arrays::{handed_by, is_on_device};
use crate::analysis::memory::base;
use rustc_hash::FxHashMap;
use terrace_dialects::func::{CallOp, FuncOp};
use terrace_dialects::gpu::async_token;
use terrace_dialects::xfer::handed::{Handed, Leaves, add_arguments, clear_handed, handed};
use terrace_dialects::xfer::{self, Side};
use terrace_dialects::{arith, memref, scf};
use terrace_ir::pass::{Pass, PassContext, PassFailed, PassInfo, PassResult};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Type, Value};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-lower-mirrors",
    title: "XferLowerMirrors",
    summary: "Turn mirrors into buffers, and xfer.ensure into flags, tests and copies",
    description: "Makes an xfer.alloc of each xfer.create, two flags for each mirror that an xfer.ensure asks about, and drops what only analyses need.",
    make: |_| Ok(Box::new(LowerMirrors)),
    ..PassInfo::EMPTY
};

struct LowerMirrors;

impl Pass for LowerMirrors {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        if !op.isa::<FuncOp>(ctx) {
            lower_all(ctx, op);
            return Ok(());
        }
        // Flags are handed over with mirrors: that changes the function and who calls it.
        let hands = |o: &Op| !handed_by(ctx, *o).is_empty();
        let at = op.pre_order(ctx).into_iter().find(hands);
        let is_handed = handed(ctx, op).is_ok_and(|h| !h.is_empty());
        if let Some(at) = at.or(is_handed.then_some(op)) {
            at.error(ctx, "hands mirrors from function to function, which cannot be lowered in one of them alone; run the pass on the module");
            return Err(PassFailed);
        }
        lower(ctx, op, &FxHashMap::default());
        Ok(())
    }
}

/// The flags that functions are handed, with the mirror that they are of.
type Handing = FxHashMap<Op, Vec<(Handed, Flags)>>;

fn lower_all(ctx: &mut Context, module: Op) {
    let functions = module.find_all::<FuncOp>(ctx);
    let mut handing = Handing::default();
    for f in &functions {
        let asking = handed(ctx, f.op()).unwrap_or_default();
        let asking = asking.into_iter().filter(|h| h.flags);
        for h in asking
            .filter(|_| !f.is_declaration(ctx))
            .collect::<Vec<_>>()
        {
            let ty = flag_type(ctx);
            let args = add_arguments(ctx, f.op(), &[ty, ty]);
            let flags = Flags {
                on_host: args[0],
                on_device: args[1],
            };
            handing.entry(f.op()).or_default().push((h, flags));
        }
    }
    for f in &functions {
        if !f.is_declaration(ctx) {
            lower(ctx, f.op(), &handing);
        }
    }
    for f in functions {
        clear_handed(ctx, f.op());
    }
}

/// The flags of a mirror: memrefs of one `i1` each.
#[derive(Clone, Copy)]
struct Flags {
    on_host: Value,
    on_device: Value,
}

impl Flags {
    fn of(self, side: Side) -> Value {
        match side {
            Side::Host => self.on_host,
            Side::Device => self.on_device,
        }
    }
}

fn lower(ctx: &mut Context, function: Op, handing: &Handing) {
    let mut flags: FxHashMap<Value, Flags> = FxHashMap::default();
    let mut of_arrays: Vec<(Value, Flags)> = Vec::new();
    let args = function.body(ctx, 0).args(ctx);
    for (h, f) in handing.get(&function).into_iter().flatten() {
        flags.insert(args[h.mirror], *f);
        of_arrays.push((args[h.array], *f));
    }
    let mut asked: Vec<(Value, Value)> = Vec::new();
    for op in function.pre_order(ctx) {
        if let Some(e) = op.cast::<xfer::EnsureOp>(ctx) {
            asked.push((e.array(ctx), e.mirror(ctx)));
        }
        if let Some(p) = op.cast::<xfer::PrefetchOp>(ctx) {
            asked.push((p.array(ctx), p.mirror(ctx)));
        }
        for (h, _) in handed_over(ctx, op, handing) {
            let of = |i: usize| base(ctx, op.operand(ctx, i));
            asked.push((of(h.array), of(h.mirror)));
        }
    }
    for (array, mirror) in asked {
        flags.entry(mirror).or_insert_with(|| {
            let made = make_flags(ctx, function);
            of_arrays.push((array, made));
            made
        });
    }
    for op in function.pre_order(ctx) {
        if let Some(create) = op.cast::<xfer::CreateOp>(ctx) {
            let f = flags.get(&create.mirror(ctx)).copied();
            let new = allocate(ctx, create, f);
            if let Some(f) = f {
                flags.insert(new, f);
            }
        } else if let Some(copy) = op.cast::<xfer::CopyOp>(ctx) {
            // On the device it is between mirrors, not between an array and its own.
            if is_on_device(ctx, copy) {
                continue;
            }
            let ends = [copy.src(ctx), copy.dst(ctx)];
            if let Some(f) = ends.iter().find_map(|v| flags.get(v)).copied() {
                let mut b = Builder::after(ctx, op);
                set(&mut b, f, Side::Host, true);
                set(&mut b, f, Side::Device, true);
            }
        } else if let Some(mark) = op.cast::<xfer::MarkWrittenOp>(ctx) {
            if let Some(f) = flags.get(&mark.mirror(ctx)).copied() {
                let mut b = Builder::before(ctx, op);
                for side in mark.sides(b.ctx) {
                    set(&mut b, f, *side, true);
                    set(&mut b, f, side.other(), false);
                }
            }
            op.erase(ctx);
        } else if let Some(e) = op.cast::<xfer::EnsureOp>(ctx) {
            if let Some(f) = flags.get(&e.mirror(ctx)).copied() {
                ensure(ctx, e, f);
            }
            op.erase(ctx);
        } else if let Some(p) = op.cast::<xfer::PrefetchOp>(ctx) {
            if let Some(f) = flags.get(&p.mirror(ctx)).copied() {
                prefetch(ctx, p, f);
            }
        } else if let Some(d) = op.cast::<xfer::DiscardOp>(ctx) {
            let array = d.array(ctx);
            let mut b = Builder::before(ctx, op);
            for (_, f) in of_arrays.iter().filter(|a| a.0 == array) {
                set(&mut b, *f, Side::Host, true);
                set(&mut b, *f, Side::Device, true);
            }
            op.erase(ctx);
        } else if op.isa::<xfer::AssertValidOp>(ctx) {
            op.erase(ctx);
        } else if let Some(call) = op.cast::<CallOp>(ctx) {
            lower_call(ctx, call, &flags);
        }
    }
}

/// Hands flags over where they are asked for; elsewhere they are told what the function
/// leaves valid.
fn lower_call(ctx: &mut Context, call: CallOp, flags: &FxHashMap<Value, Flags>) {
    let op = call.op();
    let callee = call.function(ctx).map(|f| f.op());
    let pairs = callee.and_then(|f| handed(ctx, f).ok()).unwrap_or_default();
    for h in pairs {
        let mirror = base(ctx, op.operand(ctx, h.mirror));
        let Some(f) = flags.get(&mirror).copied() else {
            continue;
        };
        if h.flags {
            op.push_operand(ctx, f.on_host);
            op.push_operand(ctx, f.on_device);
            continue;
        }
        let mut b = Builder::after(ctx, op);
        for side in [Side::Host, Side::Device] {
            if h.leaves(side) == Leaves::Valid {
                set(&mut b, f, side, true);
            }
        }
    }
}

/// The pairs that a call hands over together with flags.
fn handed_over(ctx: &Context, op: Op, handing: &Handing) -> Vec<(Handed, Flags)> {
    let callee = op.cast::<CallOp>(ctx).and_then(|c| c.function(ctx));
    let known = callee.and_then(|f| handing.get(&f.op()));
    known.cloned().unwrap_or_default()
}

fn flag_type(ctx: &mut Context) -> Type {
    ctx.memref(&[], ctx.i1())
}

/// Two flags where the function begins, so that loops do not take more of the stack.
fn make_flags(ctx: &mut Context, function: Op) -> Flags {
    let ty = flag_type(ctx);
    let entry = function.body(ctx, 0);
    let loc = function.loc(ctx);
    let mut b = Builder::at_start(ctx, entry, loc);
    let mut flag = || memref::AllocaOp::build(&mut b, ty, &[]);
    let (on_host, on_device) = (flag(), flag());
    Flags { on_host, on_device }
}

fn set(b: &mut Builder, f: Flags, side: Side, valid: bool) {
    let v = arith::constant_bool(b, valid);
    b.op::<memref::StoreOp>(&[v, f.of(side)], &[], &[]);
}

/// `xfer.alloc` in place of `xfer.create`, and the flags as they are at first.
fn allocate(ctx: &mut Context, create: xfer::CreateOp, f: Option<Flags>) -> Value {
    let op = create.op();
    let (array, mirror) = (create.array(ctx), create.mirror(ctx));
    let ty = mirror.ty(ctx);
    let shape = ty.shape(ctx).unwrap_or(&[]).to_vec();
    let mut b = Builder::before(ctx, op);
    let index = b.ctx.index();
    let mut sizes = Vec::new();
    for (k, _) in shape.iter().enumerate().filter(|(_, d)| **d == DYNAMIC) {
        let at = arith::constant_index(&mut b, k as i64);
        sizes.push(b.value::<memref::DimOp>(&[array, at], index, &[]));
    }
    let new = xfer::AllocOp::build(&mut b, ty, &sizes);
    if let Some(f) = f {
        set(&mut b, f, Side::Host, true);
        set(&mut b, f, Side::Device, false);
    }
    mirror.replace_all_uses(ctx, new);
    op.erase(ctx);
    new
}

fn ensure(ctx: &mut Context, e: xfer::EnsureOp, f: Flags) {
    let (array, mirror) = (e.array(ctx), e.mirror(ctx));
    let mut b = Builder::before(ctx, e.op());
    for side in e.sides(b.ctx) {
        let i1 = b.ctx.i1();
        let valid = b.value::<memref::LoadOp>(&[f.of(*side)], i1, &[]);
        let yes = arith::constant_bool(&mut b, true);
        let stale = b.value::<arith::XOrIOp>(&[valid, yes], i1, &[]);
        let (_, then, _) = scf::IfOp::build(&mut b, stale, &[], false);
        b.with_point(InsertPoint::End(then), |b| {
            match side {
                Side::Host => xfer::CopyOp::build(b, mirror, array),
                Side::Device => xfer::CopyOp::build(b, array, mirror),
            };
            set(b, f, *side, true);
            scf::YieldOp::build(b, &[]);
        });
    }
}

/// An asynchronous copy where the flag does not say valid; else a token for what the
/// prefetch comes after.
fn prefetch(ctx: &mut Context, p: xfer::PrefetchOp, f: Flags) {
    let (src, dst, order) = (p.src(ctx), p.dst(ctx), p.order(ctx));
    let (side, token) = (p.side(ctx), p.token(ctx));
    let mut b = Builder::before(ctx, p.op());
    let (i1, ty) = (b.ctx.i1(), async_token(b.ctx));
    let valid = b.value::<memref::LoadOp>(&[f.of(side)], i1, &[]);
    let (branch, then, otherwise) = scf::IfOp::build(&mut b, valid, &[ty], true);
    b.with_point(InsertPoint::End(then), |b| {
        let queues = order.queue.as_slice();
        let t = xfer::WaitOp::build_async(b, &order.tokens, queues, None);
        scf::YieldOp::build(b, &[t]);
    });
    if let Some(otherwise) = otherwise {
        b.with_point(InsertPoint::End(otherwise), |b| {
            let t = xfer::CopyOp::build_async(b, src, dst, &order);
            set(b, f, side, true);
            scf::YieldOp::build(b, &[t]);
        });
    }
    let new = branch.op().result(b.ctx, 0);
    token.replace_all_uses(b.ctx, new);
    p.op().erase(b.ctx);
}
