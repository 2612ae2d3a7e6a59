//! `gpu-count-work`: in front of each launch, what it does, as a function of its arguments, for
//! profiles.
//!
//! ```text
//! gpu.launch_func @m::@k ... args(%n : index, %A : memref<?xf32>)
//!   =>
//! %profiled = xfer.profiled
//! scf.if %profiled {
//!   flops and bytes, from %n
//!   xfer.note_work %flops32, %flops64, %bytes
//! }
//! gpu.launch_func @m::@k ... args(%n : index, %A : memref<?xf32>)
//! ```
//!
//! Tiled matrix products and stencils of several time steps a launch are counted as the program
//! has them written: a product is `2 m n k` and what else stands in its loops, for the elements
//! and the numbers k that there are, a step the arithmetic of each cell. What tiles compute over
//! edges, and again where they overlap, is not work of the program. Their passes know that, and
//! note it in the kernel (`noted`).
//!
//! Of other kernels counted is what the kernel as it stands does, before functions become
//! arithmetic:
//! - additions and the like 1, a multiply-add 2, any function 1, and adding a zero nothing; not
//!   what joins the values of different threads, of which there are few;
//! - each array that is read once, and each that is written once: the elements that the
//!   subscripts reach, and fewer where these are not sums of counters. So the bytes are a bound
//!   from below.
//!
//! Exact are loops whose bounds are the same for all threads, and such as depend linearly on one
//! counter around them (triangles), as long as none of them is empty for some iterations only.
//! Threads count as iterations: `block id * block size + thread id` under a guard, or as the
//! first value of a loop that goes round with the grid. What depends on data, or on more than
//! that, has no number of operations.
//!
//! | file | what |
//! | --- | --- |
//! | `count` | the ops of a kernel, one after another |
//! | `loops` | what counters of loops run through |
//! | `conditions` | for which numbers conditions hold |
//! | `bytes` | which elements of arrays are reached |
//! | `form` | values as sums of counters |
//! | `noted` | what a mapping pass has noted |
//! | `what` | what single ops are |

mod bytes;
mod conditions;
mod count;
mod form;
mod loops;
mod noted;
mod what;

use terrace_dialects::builtin;

use terrace_dialects::{gpu, scf, xfer};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "gpu-count-work",
    title: "GpuCountWork",
    summary: "Tell profiles what each launch does",
    description: "Puts arithmetic and an xfer.note_work in front of each gpu.launch_func, which tell the floating-point operations and the least bytes of that launch where a profile wants to know.",
    anchor: Some(builtin::ModuleOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-counted",
        "Number of launches whose operations are known",
    )],
    make: |_| Ok(Box::new(CountWork)),
    ..PassInfo::EMPTY
};

struct CountWork;

impl Pass for CountWork {
    fn run(&mut self, ctx: &mut PassContext, module: Op) -> PassResult {
        let mut counted = 0;
        for launch in module.find_all::<gpu::LaunchFuncOp>(ctx) {
            counted += u64::from(note(ctx.ctx, launch));
        }
        noted::forget(ctx.ctx, module);
        ctx.count("num-counted", counted);
        Ok(())
    }
}

/// Whether the operations are known.
fn note(ctx: &mut Context, launch: gpu::LaunchFuncOp) -> bool {
    let Some(kernel) = launch.kernel_func(ctx) else {
        return false;
    };
    let mut b = Builder::before(ctx, launch.op());
    let profiled = xfer::ProfiledOp::build(&mut b);
    let (_, then, _) = scf::IfOp::build(&mut b, profiled, &[], false);
    b.at = InsertPoint::End(then);
    let (numbers, known) = count::of_launch(&mut b, launch, kernel);
    xfer::NoteWorkOp::build(&mut b, numbers);
    scf::YieldOp::build(&mut b, &[]);
    known
}
