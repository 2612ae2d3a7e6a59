//! `gpu-persistent-kernels`: a loop of the host around small kernels becomes one kernel of one
//! block, with the loop in it.
//!
//! A launch takes some microseconds, however little it does; a barrier of a block takes a
//! fraction of one (K. Gupta, J. Stuart, J. Owens, "A Study of Persistent Threads Style GPU
//! Programming for GPGPU Workloads", InPar 2012). One block uses one multiprocessor, so
//! this pays where steps are small. Sizes are often known only at run time: then both forms
//! are made, and the host chooses.
//!
//! ```text
//! scf.for %t {                              %small = gain > 0, from sizes
//!   gpu.launch blocks(%g) threads(256) {    scf.if %small {
//!     if %i < %n { B[%i] = f(A) }             gpu.launch blocks(1) threads(1024) {
//!   }                                           scf.for %t {
//!   gpu.launch blocks(%g) threads(256) {          scf.for %i = thread to %n step 1024 { B[%i] = f(A) }
//!     if %i < %n { A[%i] = g(B) }       =>        gpu.barrier
//!   }                                             scf.for %i = thread to %n step 1024 { A[%i] = g(B) }
//! }                                               gpu.barrier
//!                                               }
//!                                             }
//!                                           } else {
//!                                             scf.for %t { the launches }
//!                                           }
//! ```
//!
//! Legal where the host does nothing in the loop but launch and compute numbers from numbers:
//! every thread of the block then computes the same ones, and takes the same branches. Threads
//! of a launch that do not wait for one another may run in any order, so those of the block
//! take them in turns. Launches run one after another, so a barrier stands between two that
//! touch the same array and of which one writes it, unless one thread runs both.
//!
//! | file | what |
//! | --- | --- |
//! | `find` | which loops these are, or why not |
//! | `touched` | what launches touch, and where barriers must stand |
//! | `policy` | what it gains |
//! | `kernel` | the one kernel |

mod find;
mod kernel;
mod policy;
mod touched;

use super::stencils::has_sizes;
use crate::offload::estimate::number::F;
use terrace_dialects::arith::{self, CmpFOp, CmpFPredicate};
use terrace_dialects::{gpu, scf};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "gpu-persistent-kernels",
    title: "GpuPersistentKernels",
    summary: "Make one kernel of loops of the host around small kernels",
    description: "Loops of the host that only launch kernels, whose threads do not wait for one another, become one kernel of one block with barriers between what were launches, where that is faster by an estimate. Where only the run knows, both forms are made and the host chooses.",
    anchor: Some("func.func"),
    options: &[
        OptionInfo {
            name: "threads",
            kind: OptionKind::UInt,
            default: "1024",
            doc: "Threads of the block, a power of two from 32 to 1024",
        },
        OptionInfo {
            name: "always",
            kind: OptionKind::Bool,
            default: "false",
            doc: "Do it wherever it is legal, without a look at what it gains",
        },
        OptionInfo {
            name: "notes",
            kind: OptionKind::Bool,
            default: "false",
            doc: "Say of each loop around launches what was made of it or why it was left, as remarks",
        },
    ],
    statistics: &[StatisticInfo {
        name: "num-loops",
        doc: "Number of loops that became kernels",
    }],
    make: |o| {
        let threads = o.uint("threads");
        if !(32..=1024).contains(&threads) || !threads.is_power_of_two() {
            return Err(format!(
                "threads is {threads}, expected a power of two from 32 to 1024"
            ));
        }
        Ok(Box::new(PersistentKernels {
            threads: threads as i64,
            always: o.bool("always"),
            notes: o.bool("notes"),
        }))
    },
};

struct PersistentKernels {
    threads: i64,
    always: bool,
    notes: bool,
}

impl Pass for PersistentKernels {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut made = 0;
        if has_sizes(ctx, op) {
            return Ok(());
        }
        // Outer loops first; what is in one that became a kernel is not looked at again.
        let mut work = vec![op];
        while let Some(op) = work.pop() {
            if let Some(l) = op.cast::<scf::ForOp>(ctx)
                && self.one(ctx.ctx, l)
            {
                made += 1;
                continue;
            }
            if !op.isa::<gpu::LaunchOp>(ctx) {
                let blocks = op.regions(ctx).into_iter().flat_map(|r| r.blocks(ctx));
                work.extend(
                    blocks
                        .flat_map(|b| b.ops(ctx))
                        .filter(|o| o.num_regions(ctx) > 0),
                );
            }
        }
        ctx.count("num-loops", made);
        Ok(())
    }
}

impl PersistentKernels {
    /// Whether a kernel was made of the loop.
    fn one(&self, ctx: &mut Context, l: scf::ForOp) -> bool {
        let gain = find::check(ctx, l).and_then(|()| match self.always {
            true => Ok(F::Known(1.0)),
            false => policy::gain(ctx, l),
        });
        match gain {
            Err(not) => {
                if self.notes && not.near {
                    not.op
                        .remark(ctx, format!("the loop around launches stays: {}", not.why));
                }
                return false;
            }
            Ok(F::Known(x)) if x <= 0.0 => {
                let why = "the loop around launches stays: its steps are too large for one block";
                self.say(ctx, l, why);
                return false;
            }
            Ok(F::Known(_)) => {
                let mut b = Builder::before(ctx, l.op());
                kernel::build(&mut b, l, self.threads);
                self.say(ctx, l, "one kernel of the loop and its launches");
                l.op().erase(ctx);
            }
            Ok(F::At(gain)) => {
                let mut b = Builder::before(ctx, l.op());
                let ty = gain.ty(b.ctx);
                let zero = arith::constant_float(&mut b, 0.0, ty);
                let small = CmpFOp::build(&mut b, CmpFPredicate::Ogt, gain, zero);
                let (_, then, other) = scf::IfOp::build(&mut b, small, &[], true);
                b.with_point(InsertPoint::End(then), |b| {
                    kernel::build(b, l, self.threads);
                    scf::YieldOp::build(b, &[]);
                });
                if let Some(other) = other {
                    l.op().move_to_end(b.ctx, other);
                    b.at = InsertPoint::End(other);
                    scf::YieldOp::build(&mut b, &[]);
                }
                let words = "one kernel of the loop and its launches where steps are small";
                self.say(ctx, l, words);
            }
        }
        true
    }

    fn say(&self, ctx: &mut Context, l: scf::ForOp, words: &str) {
        if self.notes {
            l.op().remark(ctx, words);
        }
    }
}
