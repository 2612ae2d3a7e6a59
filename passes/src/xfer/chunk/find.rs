//! Launches with the copies that come right before and right after them.

use super::flags;
use crate::analysis::memory::base;
use crate::xfer::narrow::footprint::slice_of;
use crate::xfer::overlap::access::{self, Access, conflict, is_called, is_opaque, runs_once};
use crate::xfer::summary::Summaries;
use terrace_dialects::gpu::LaunchOp;
use terrace_dialects::offsets::Slice;
use terrace_dialects::xfer;
use terrace_dialects::xfer::{CopyOp, Direction, Side};
use terrace_ir::effects::is_pure;
use terrace_ir::{Context, Op, OpKind, Value};

/// How far from a launch its copies may stand, in ops of its block.
const FAR: usize = 200;

/// A copy between an array, or a box of it, and the same of its mirror.
#[derive(Debug, Clone)]
pub struct Transfer {
    pub copy: CopyOp,
    /// The array in the memory of the host.
    pub host: Value,
    /// Its mirror, or buffer.
    pub device: Value,
    /// The box; none for all of the array.
    pub slice: Option<Slice>,
}

impl Transfer {
    pub fn is_of_same(&self, other: &Transfer) -> bool {
        self.host == other.host && self.device == other.device
    }
}

/// A launch and copies that can be made where it stands.
#[derive(Debug, Clone)]
pub struct Site {
    pub launch: LaunchOp,
    pub ins: Vec<Transfer>,
    pub outs: Vec<Transfer>,
}

/// The launches of a function that may be split: those that run once, in order.
pub fn launches(ctx: &Context, function: Op) -> Vec<Op> {
    let all = function.find_all::<LaunchOp>(ctx).into_iter();
    let plain = |l: &LaunchOp| {
        let once = l
            .op()
            .block(ctx)
            .is_some_and(|b| runs_once(ctx, function, b));
        let clusters = |o: &Op| o.name(ctx).starts_with("gpu.cluster");
        once && l.async_dependencies(ctx).is_empty()
            && l.op().num_results(ctx) == 0
            && !l.has_clusters(ctx)
            && !l.op().pre_order(ctx).iter().any(clusters)
    };
    all.filter(plain).map(|l| l.op()).collect()
}

/// A launch with its copies; `None` where there are none.
pub fn site(ctx: &Context, function: Op, launch: Op) -> Option<Site> {
    let called = is_called(ctx, function);
    let mut summaries = Summaries::default();
    let mut look = |op: Op| access::of(ctx, function, &mut summaries, op);
    let own = look(launch);
    let ops = launch.block(ctx)?.ops(ctx);
    let at = ops.iter().position(|o| *o == launch)?;
    let mut scan = |list: &mut dyn Iterator<Item = &Op>, to: Side| {
        let mut between = Between::default();
        let mut found = Vec::new();
        for op in list.take(FAR) {
            if is_opaque(ctx, *op) && !op.isa::<LaunchOp>(ctx) {
                break;
            }
            let theirs = look(*op);
            let transfer = transfer(ctx, *op, to).filter(|t| {
                let used = own.iter().any(|a| a.of == Some(t.device));
                // Who else touches what the copy does must not be the launch.
                let only = own.iter().all(|a| {
                    a.of == Some(t.device) || theirs.iter().all(|b| !conflict(ctx, a, b, called))
                });
                // Pieces tell the flags nothing.
                let told = t.slice.is_none() && flags::are_asked(ctx, function, t.device);
                used && only && !told && !between.holds(ctx, t, &theirs, called)
            });
            found.extend(transfer);
            between.add(ctx, *op, theirs);
        }
        found
    };
    let mut ins = scan(&mut ops[..at].iter().rev(), Side::Device);
    ins.reverse();
    let mut outs = scan(&mut ops[at + 1..].iter(), Side::Host);
    // A piece that goes out comes before others that come in.
    outs.retain(|out| {
        let theirs = look(out.copy.op());
        ins.iter().all(|i| {
            let mine = look(i.copy.op());
            let clash = |a: &Access| theirs.iter().any(|b| conflict(ctx, a, b, called));
            i.is_of_same(out) || !mine.iter().any(clash)
        })
    });
    outs.retain(|out| behind(ctx, launch, out.copy.op()).is_some());
    let launch = LaunchOp::wrap(launch);
    let some = !ins.is_empty() || !outs.is_empty();
    some.then_some(Site { launch, ins, outs })
}

/// What the operands of a copy behind the launch are computed from, back to the launch, in
/// order; `None` where it is more than arithmetic.
pub fn behind(ctx: &Context, launch: Op, copy: Op) -> Option<Vec<Op>> {
    let mut found: Vec<Op> = Vec::new();
    let mut work = vec![copy];
    while let Some(op) = work.pop() {
        for def in op.operands(ctx).iter().filter_map(|v| v.def_op()) {
            let later = def.block(ctx) == launch.block(ctx) && launch.is_before(ctx, def);
            if !later || found.contains(&def) {
                continue;
            }
            if def.num_regions(ctx) > 0 || !is_pure(ctx, def) {
                return None;
            }
            found.push(def);
            work.push(def);
        }
    }
    let block = launch.block(ctx)?.ops(ctx);
    Some(block.into_iter().filter(|o| found.contains(o)).collect())
}

/// What is done between a copy and the launch.
#[derive(Default)]
struct Between {
    accesses: Vec<Access>,
    /// Arrays and mirrors of which something is said: what counts as valid.
    told: Vec<Value>,
}

impl Between {
    fn add(&mut self, ctx: &Context, op: Op, accesses: Vec<Access>) {
        self.accesses.extend(accesses);
        let moves = matches!(
            op.name(ctx),
            CopyOp::NAME | xfer::AllocOp::NAME | xfer::CreateOp::NAME
        );
        if op.dialect(ctx) == "xfer" && !moves {
            self.told
                .extend(op.operands(ctx).iter().map(|v| base(ctx, *v)));
        }
    }

    /// Whether a copy must stay where it is.
    fn holds(&self, ctx: &Context, t: &Transfer, theirs: &[Access], called: bool) -> bool {
        let clash = |a: &Access| self.accesses.iter().any(|b| conflict(ctx, a, b, called));
        self.told.contains(&t.host) || self.told.contains(&t.device) || theirs.iter().any(clash)
    }
}

/// The copy `op` to a side, where it is between two whole memrefs or the same box of them.
fn transfer(ctx: &Context, op: Op, to: Side) -> Option<Transfer> {
    let copy = op.cast::<CopyOp>(ctx)?;
    let order = copy.order(ctx);
    let (src, dst) = (copy.src(ctx), copy.dst(ctx));
    let (host, device) = match (copy.direction(ctx)?, to) {
        (Direction::HostToDevice(_), Side::Device) => (src, dst),
        (Direction::DeviceToHost(_), Side::Host) => (dst, src),
        _ => return None,
    };
    if !order.tokens.is_empty() || order.queue.is_some() || op.num_results(ctx) > 0 {
        return None;
    }
    let roots = (base(ctx, host), base(ctx, device));
    let slice = match (host, device) == roots {
        true => None,
        false => {
            let slice = slice_of(ctx, host, roots.0)?;
            (slice_of(ctx, device, roots.1)? == slice).then_some(())?;
            Some(slice)
        }
    };
    let plain = |v: Value| {
        let shape = v.ty(ctx).shape(ctx);
        shape.is_some_and(|s| !s.is_empty())
    };
    let shapes = (roots.0.ty(ctx).shape(ctx), roots.1.ty(ctx).shape(ctx));
    (plain(roots.0) && shapes.0 == shapes.1).then_some(Transfer {
        copy,
        host: roots.0,
        device: roots.1,
        slice,
    })
}
