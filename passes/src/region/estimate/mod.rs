//! Whether a region pays on a GPU: its work as a function of its arguments. The model
//! of two machines that it is held against is [`terrace_support::estimate`], which
//! programs use while they run, too.
//!
//! `@NAME.estimate` takes what the region function `@NAME` takes, looks at no element,
//! and returns the numbers of [`Work`] as `f64`. It is built after the loops have been
//! made parallel. Assumptions:
//!
//! * a loop whose bounds depend on outer counters runs as often as at the middle of
//!   their ranges, one whose bounds are not known [`UNKNOWN_TRIPS`](crate::loops::build::float::UNKNOWN_TRIPS) times;
//! * a condition with two branches costs their mean;
//! * parallel iterations are operations over the longest chain of dependent ones (work
//!   over span: R. Brent, "The parallel evaluation of general arithmetic expressions",
//!   1974), so that sequential parts count as what they are;
//! * parallel loops directly inside one another are the threads of a kernel, in whose
//!   order everything else in them runs; threads are neighbours along the loop that
//!   makes their accesses closest, and a warp's access moves 32 bytes for each sector
//!   that it touches (CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory");
//! * an array is as large as the loops around an access in whose counters its
//!   subscripts are; it moves in where it is read and out where it is written;
//! * an outermost parallel loop is a launch, each time it is met, and so is what runs
//!   in sequence beside such loops;
//! * the host runs the loops as they were written, on one core: what goes down columns
//!   needs a cache line for each element, and a sum waits for the sum before.
//!
//! | file | what |
//! | --- | --- |
//! | `number` | numbers that are known or computed, trip counts |
//! | `stride` | distances in memory between iterations |
//! | `cost` | what loops cost, on each side |
//! | `single` | loops and ops by themselves |

mod cost;

use terrace_dialects::attributes::ACC_REGION;
use terrace_dialects::builtin;
pub use terrace_support::estimate::{CpuModel, GpuModel, LOSS, Times, Work, declines, pays, times};

use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::func::{FuncOp, ReturnOp};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult};
use terrace_ir::{Block, Builder, Context, Op, OpKind};
use terrace_machine::{CORES, Cores};

use crate::loops::build::float::{F, Numbers};
use cost::{Coster, Side};

/// What arguments are taken to be where a number is needed.
pub(crate) const ASSUMED: f64 = 1000.0;

/// The work of a region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// `@NAME.estimate`, which computes it.
    pub function: Op,
    /// Where it does not depend on the arguments.
    pub known: Option<Work>,
    /// With 1000 for whatever only the arguments tell.
    pub typical: Work,
}

/// Estimates the region function `function`, whose loops have been made parallel, and
/// builds `@NAME.estimate` after it. `written`: a function of the same arguments with
/// the loops as the host runs them. `None` of a declaration.
pub fn estimate(ctx: &mut Context, function: FuncOp, written: FuncOp) -> Option<Estimate> {
    if function.is_declaration(ctx) || written.is_declaration(ctx) {
        return None;
    }
    let typical = typical(ctx, function.entry(ctx), written.entry(ctx))?;
    let name = format!("{}.estimate", function.name(ctx));
    let inputs = function.inputs(ctx).to_vec();
    let float = ctx.f64();
    let loc = function.op().loc(ctx);
    let (device, host) = (function.entry(ctx), written.entry(ctx));
    let mut b = Builder::after(ctx, function.op());
    let (new, entry) = FuncOp::build(&mut b, &name, &inputs, &[float; Work::NUMBERS]);
    super::extents::keep_argument_attributes(ctx, function.op(), new.op());
    let mut args = FxHashMap::default();
    for old in [device, host] {
        args.extend(old.args(ctx).into_iter().zip(entry.args(ctx)));
    }
    let mut n = Numbers::new(Builder::at_end(ctx, entry, loc), args, None);
    let all = numbers(&mut n, device, host);
    let known = known(&all);
    let values = all.map(|f| n.value(f));
    ReturnOp::build(&mut n.b, &values);
    Some(Estimate {
        function: new.op(),
        known,
        typical,
    })
}

/// What [`Work`] is made of, in its order.
fn numbers(n: &mut Numbers, device: Block, host: Block) -> [F; Work::NUMBERS] {
    let none = FxHashSet::default();
    let d = Coster::new(n, Side::Device, &none).function(device);
    // As written the subscripts say best how much of an array there is.
    let mut written = Coster::new(n, Side::Host, &none);
    let h = written.function(host);
    let moved = written.moved(host);
    let span = n.max(d.span, F::Known(1.0));
    let [flops32, flops64] = d.flops;
    [
        d.ops, moved, span, d.launches, d.touched, h.ops, h.columns, h.chained, flops32, flops64,
    ]
}

fn known(all: &[F; Work::NUMBERS]) -> Option<Work> {
    let mut out = [0.0; Work::NUMBERS];
    for (o, f) in out.iter_mut().zip(all) {
        match f {
            F::Known(x) => *o = *x,
            F::At(_) => return None,
        }
    }
    Some(Work::from_results(out))
}

fn typical(ctx: &mut Context, device: Block, host: Block) -> Option<Work> {
    let end = device.last_op(ctx)?;
    let mut args = FxHashMap::default();
    for old in [device, host] {
        args.extend(old.args(ctx).into_iter().map(|v| (v, v)));
    }
    // Nothing is built: all numbers are known.
    let mut n = Numbers::new(Builder::before(ctx, end), args, Some(ASSUMED));
    known(&numbers(&mut n, device, host))
}

/// What a device is estimated to need for a region.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DeviceSeconds {
    /// Kernels and their launches, without copies.
    pub kernels: f64,
    /// What the host would need.
    pub host: f64,
}

impl DeviceSeconds {
    /// Whether the device loses time that is worth while, whatever is copied.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.kernels > self.host + LOSS
    }
}

/// What a device of a common size needs for `function` where the loops `parallel` run
/// their iterations at once, with [`ASSUMED`] for whatever only the arguments tell, and
/// what the host needs for `written`.
pub(crate) fn device_seconds(
    ctx: &mut Context,
    function: Op,
    parallel: &FxHashSet<Op>,
    written: Op,
) -> DeviceSeconds {
    let entry = |ctx: &Context, f: Op| f.region(ctx, 0).entry(ctx);
    let (Some(device), Some(host)) = (entry(ctx, function), entry(ctx, written)) else {
        return DeviceSeconds::default();
    };
    let Some(end) = device.last_op(ctx) else {
        return DeviceSeconds::default();
    };
    let mut args = FxHashMap::default();
    for old in [device, host] {
        args.extend(old.args(ctx).into_iter().map(|v| (v, v)));
    }
    let mut n = Numbers::new(Builder::before(ctx, end), args, Some(ASSUMED));
    let d = Coster::new(&mut n, Side::Device, parallel).function(device);
    let h = Coster::new(&mut n, Side::Host, parallel).function(host);
    let (zero, one) = (F::Known(0.0), F::Known(1.0));
    let span = n.max(d.span, one);
    let all = [
        d.ops, zero, span, d.launches, d.touched, h.ops, h.columns, h.chained, zero, zero,
    ];
    let Some(work) = known(&all) else {
        return DeviceSeconds::default();
    };
    let t = times(&work, &GpuModel::default(), &common_core());
    DeviceSeconds {
        kernels: t.launches + t.kernels,
        host: t.cpu,
    }
}

/// A core where nobody says which: the compiler does not know where its program will run.
pub fn common_core() -> CpuModel {
    CpuModel::of(CORES.in_a_second())
}

/// Seconds that cores of this kind need for a function.
#[derive(Debug, Clone, Copy)]
pub struct HostSeconds {
    /// One of them.
    pub one: f64,
    /// Two that share the outermost parallel loops.
    pub two: f64,
}

/// Seconds that these cores need for `function`, with [`ASSUMED`] for whatever only the arguments
/// tell; nothing where no number comes out.
pub fn host_seconds(ctx: &mut Context, function: Op, cores: &Cores) -> Option<HostSeconds> {
    let entry = function.region(ctx, 0).entry(ctx)?;
    let end = entry.last_op(ctx)?;
    let none = FxHashSet::default();
    let core = CpuModel::of(cores.in_a_second());
    let mut seconds = |side| {
        let args = entry.args(ctx).into_iter().map(|v| (v, v)).collect();
        let mut n = Numbers::new(Builder::before(ctx, end), args, Some(ASSUMED));
        let h = Coster::new(&mut n, side, &none).function(entry);
        let zero = F::Known(0.0);
        let all = [
            zero, zero, zero, zero, zero, h.ops, h.columns, h.chained, zero, zero,
        ];
        Some(times(&known(&all)?, &GpuModel::default(), &core).cpu)
    };
    Some(HostSeconds {
        one: seconds(Side::Host)?,
        two: seconds(Side::TwoCores)?,
    })
}

/// `offload-estimate`: the functions of the work of all regions of a module.
pub(crate) static INFO: PassInfo = PassInfo {
    name: "offload-estimate",
    title: "OffloadEstimate",
    summary: "Build functions that estimate the work of regions",
    description: "For each function with acc.region, @NAME.estimate of the same arguments returns the numbers of its work. Where they do not depend on the arguments a remark gives them, with the times of a common GPU and of one core.",
    anchor: Some(builtin::ModuleOp::NAME),
    make: |_| Ok(Box::new(OffloadEstimate)),
    ..PassInfo::EMPTY
};

struct OffloadEstimate;

impl Pass for OffloadEstimate {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        for f in op.find_all::<FuncOp>(ctx) {
            if f.op().attr(ctx, ACC_REGION).is_none() {
                continue;
            }
            let Some(e) = estimate(ctx.ctx, f, f) else {
                continue;
            };
            if let Some(w) = e.known {
                let (gpu, cpu) = (GpuModel::default(), common_core());
                let t = times(&w, &gpu, &cpu);
                let verdict = if pays(&w, &gpu, &cpu, true) {
                    "pays"
                } else {
                    "does not pay"
                };
                let text = format!(
                    "{} operations, {} bytes moved, {:.0} parallel, {} launches, {} bytes \
                     touched, host: {} operations, {} lines, {} waits: {:.1} us on a GPU, {:.1} \
                     us on the host, {verdict}",
                    w.ops,
                    w.moved,
                    w.iterations(),
                    w.launches,
                    w.touched,
                    w.host_ops,
                    w.columns,
                    w.chained,
                    t.gpu * 1e6,
                    t.cpu * 1e6
                );
                f.op().remark(ctx, text);
            }
        }
        Ok(())
    }
}
