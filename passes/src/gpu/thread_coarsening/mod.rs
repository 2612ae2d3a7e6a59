//! `gpu-coarsen-threads`: parallel loops whose iterations all go over the same data give each
//! thread several iterations, which load it once.
//!
//! ```text
//! scf.parallel (%i) = (%c0) to (%n) step (%c1) {
//!   %x = memref.load %a[%i]
//!   %s = scf.for %j = %c0 to %m step %c1 iter_args(%sum = %zero) {
//!     %y = memref.load %b[%j]
//!     scf.yield %sum + f(%x, %y)
//!   }
//!   memref.store %s, %c[%i]
//! }
//! ```
//!
//! Every thread loads all of `%b`: from the cache, but by as many instructions as there are
//! iterations. With two iterations of `%i` a thread, each load serves both, and sums that do
//! not wait for one another are under way (register tiling, as of any product;
//! of all pairs of bodies: L. Nyland, M. Harris, J. Prins, "Fast N-Body Simulation with
//! CUDA", GPU Gems 3, 2007, there by shared memory). Each sum keeps its order.
//!
//! What is loaded in the common loop goes by way of workgroup memory where that is possible
//! (`staged`): then a block loads it once, and the threads have it sooner than from a cache.
//!
//! Legal since iterations of `scf.parallel` may run in any order and at once: what all of
//! them load none of them stores, as there are at least two.
//!
//! Too few iterations stay one a thread, which the host sees when the program runs.
//!
//! | file | what |
//! | --- | --- |
//! | `policy` | which loops, how many iterations |
//! | `jam` | the loops as they are then |
//! | `staged` | the same in a launch, by way of workgroup memory |
//! | `wide` | loads for several iterations of a loop |

mod jam;
mod policy;
mod staged;
mod wide;
mod work;

use super::map::mapper_of;
use super::map_parallel::outermost;
use super::model::choice::{MACHINE, MACHINE_FILE, MachineChoice};
use super::stencils::has_sizes;
use terrace_dialects::attributes::{GPU_COARSENED, XFER_ON_HOST};
use terrace_dialects::func;
use terrace_ir::Op;
use terrace_ir::OpKind;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};

/// Threads below which each has one iteration.
pub const MIN_THREADS: &str = "32768";

pub static INFO: PassInfo = PassInfo {
    name: "gpu-coarsen-threads",
    title: "GpuCoarsenThreads",
    summary: "Give threads several iterations of parallel loops that go over the same data",
    description: "Parallel loops over one counter with a loop in them that loads the same elements in every iteration: each thread runs several iterations at once and loads these elements once, in a launch of its own by way of workgroup memory where nothing is stored before. Loops that directives give sizes to are left alone.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "iterations",
            OptionKind::UInt,
            "2",
            "Iterations of each thread, at most 8",
        ),
        OptionInfo::new(
            "least-threads",
            OptionKind::UInt,
            MIN_THREADS,
            "Threads below which each has one iteration: by default 256 for each of 128 multiprocessors; a quarter of them where they load from workgroup memory",
        ),
        OptionInfo::new(
            "stage",
            OptionKind::Bool,
            "true",
            "Bring what all threads load into workgroup memory where that is possible",
        ),
        MACHINE,
        MACHINE_FILE,
    ],
    statistics: &[StatisticInfo::new(
        "num-loops",
        "Number of parallel loops jammed",
    )],
    make: |o| match o.uint("iterations") {
        n @ 1..=8 => Ok(Box::new(JamThreads {
            most: n as i64,
            least_threads: i64::try_from(o.uint("least-threads")).unwrap_or(i64::MAX),
            stage: o.bool("stage"),
            machine: MachineChoice::of(o)?,
        })),
        n => Err(format!("iterations is {n}, expected 1 to 8")),
    },
};

struct JamThreads {
    most: i64,
    least_threads: i64,
    stage: bool,
    machine: MachineChoice,
}

impl Pass for JamThreads {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut loops = 0_u64;
        if !has_sizes(ctx, op) {
            for p in outermost(ctx, op) {
                let left_alone = p.op().attr(ctx, XFER_ON_HOST).is_some()
                    || p.op().attr(ctx, GPU_COARSENED).is_some()
                    || mapper_of(ctx, p.op()).is_some()
                    || has_sizes(ctx, p.op());
                if left_alone {
                    continue;
                }
                let Some(plan) = policy::plan(ctx, p, self.most) else {
                    continue;
                };
                let staging = staged::staging(ctx, &plan).filter(|_| self.stage);
                let made = match staging {
                    Some(s) => {
                        let sms = i64::from(self.machine.machine(ctx, op)?.sms).max(1);
                        staged::stage(ctx, &plan, &s, self.least_threads, sms)
                    }
                    None => {
                        jam::jam(ctx, &plan, self.least_threads);
                        true
                    }
                };
                loops += u64::from(made);
            }
        }
        ctx.count("num-loops", loops);
        Ok(())
    }
}
