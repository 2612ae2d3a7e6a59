//! `gpu-persistent-kernels`: a loop of the host around small kernels becomes one kernel, with the
//! loop in it.
//!
//! A launch takes some microseconds, however little it does; a barrier of a block takes a
//! fraction of one (K. Gupta, J. Stuart, J. Owens, "A Study of Persistent Threads Style GPU
//! Programming for GPGPU Workloads", InPar 2012), and one of all blocks that a device has room
//! for about one (S. Xiao, W. Feng, "Inter-Block GPU Communication via Fast Barrier
//! Synchronization", IPDPS 2010). One block uses one multiprocessor, so it pays where steps
//! are smallest. Many blocks must all be running for their barrier, so none of them does more than
//! one launch's part at a time, and larger launches are as fast by themselves. Sizes are often
//! known only at run time: then all forms are made, and the host chooses.
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
//!                                           } else { the same of many blocks, with gpu.grid_barrier,
//!                                             or the loop as it is
//!                                           }
//! ```
//!
//! Legal where the host does nothing in the loop but launch and compute numbers from numbers:
//! every thread then computes the same ones, and takes the same branches. Threads
//! of a launch that do not wait for one another may run in any order, so those that there are
//! take them in turns. Launches run one after another, so a barrier stands between two that
//! touch the same array and of which one writes it, unless one thread runs both.
//!
//! | file | what |
//! | --- | --- |
//! | `find` | which loops these are, or why not |
//! | `touched` | what launches touch, and where barriers must stand |
//! | `policy` | what it gains |
//! | `kernel` | the one kernel |
//! | `block`, `grid` | a launch in it, by the threads of one block or of many |

mod block;
mod find;
mod grid;
mod kernel;
mod policy;
mod touched;

use super::match_failure::{MatchFailure, no_match};
use super::stencils::has_sizes;
use crate::loops::build::float::F;
use find::Asks;
pub(crate) use find::can_share;
use terrace_dialects::arith::{self, CmpFOp, CmpFPredicate};
use terrace_dialects::func;
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
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "threads",
            OptionKind::UInt,
            "1024",
            "Threads of a block, a power of two from 32 to 1024; of many blocks at most 512, or 256 where a thread does several rows of a stencil, unless launches have larger ones",
        ),
        OptionInfo::new(
            "form",
            OptionKind::Enum(&["auto", "block", "grid"]),
            "auto",
            "`block` or `grid` wherever it is legal, or what an estimate says",
        ),
        OptionInfo::flag(
            "notes",
            "Say of each loop around launches what was made of it or why it was left, as remarks",
        ),
    ],
    statistics: &[StatisticInfo::new(
        "num-loops",
        "Number of loops that became kernels",
    )],
    make: |o| {
        let threads = o.uint("threads");
        if !(32..=1024).contains(&threads) || !threads.is_power_of_two() {
            return Err(format!(
                "threads is {threads}, expected a power of two from 32 to 1024"
            ));
        }
        let threads = threads as i64;
        Ok(Box::new(PersistentKernels {
            threads,
            always: match o.str("form") {
                "block" => Some(Form::Block(threads)),
                "grid" => Some(Form::Grid(threads)),
                _ => None,
            },
            notes: o.bool("notes"),
        }))
    },
};

/// Which threads run a loop, with the number of them in a block.
#[derive(Clone, Copy)]
enum Form {
    /// One block.
    Block(i64),
    /// As many blocks as the device has room for.
    Grid(i64),
}

struct PersistentKernels {
    threads: i64,
    always: Option<Form>,
    notes: bool,
}

/// Threads of a block of a grid: few enough for bodies that need many registers, as half of
/// them are for stencils of which a thread does several rows.
const GRID_THREADS: i64 = 512;

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
                let blocks = op.blocks(ctx).into_iter();
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
        let forms = find::check(ctx, l).and_then(|asks| self.forms(ctx, l, asks));
        let forms = match forms {
            Err(not) => {
                if self.notes && not.near {
                    not.op
                        .remark(ctx, format!("the loop around launches stays: {}", not.why));
                }
                return false;
            }
            Ok(forms) => forms,
        };
        let Some(((_, first), _)) = forms.split_first() else {
            let why = "the loop around launches stays: its steps are too large for that";
            self.say(ctx, l, why);
            return false;
        };
        let words = match (first, forms.len()) {
            (_, 2) => "one kernel of the loop and its launches, of one block where steps are small",
            (Form::Block(_), _) => "one kernel of the loop and its launches, of one block",
            (Form::Grid(_), _) => "one kernel of the loop and its launches, of many blocks",
        };
        let sure = forms.iter().any(|(gain, _)| matches!(gain, F::Known(_)));
        match sure {
            true => self.say(ctx, l, words),
            false => self.say(ctx, l, &format!("{words}; the run chooses, or leaves it")),
        }
        let mut b = Builder::before(ctx, l.op());
        choose(&mut b, l, &forms);
        true
    }

    /// The forms that may gain something with what they gain, the one for smaller steps first.
    fn forms(
        &self,
        ctx: &mut Context,
        l: scf::ForOp,
        asks: Asks,
    ) -> Result<Vec<(F, Form)>, MatchFailure> {
        // Blocks of launches are not taken apart.
        let most = match asks.rows {
            Some(_) => GRID_THREADS / 2,
            None => GRID_THREADS,
        };
        let of_grid = Form::Grid(self.threads.min(most).max(asks.threads));
        let mut forms = match self.always {
            Some(Form::Block(n)) => vec![(F::Known(1.0), Form::Block(n))],
            Some(Form::Grid(_)) => vec![(F::Known(1.0), of_grid)],
            None => {
                let gain = policy::gain(ctx, l)?;
                let block = (gain.block, Form::Block(self.threads));
                let grid = gain.grid.map(|gain| (gain, of_grid));
                if grid.is_none() && matches!(block.0, F::Known(x) if x <= 0.0) {
                    let why = "a thread goes through memory in a loop that stores to it, \
                               which launches are faster at";
                    return no_match(l.op(), why);
                }
                [Some(block), grid].into_iter().flatten().collect()
            }
        };
        if let Some(op) = asks.rows {
            forms.retain(|(_, form)| matches!(form, Form::Grid(_)));
            if forms.is_empty() {
                let why = "a thread does several rows of a stencil, for which a block of so many \
                           threads has too few registers";
                return no_match(op, why);
            }
        }
        forms.retain(|(gain, _)| !matches!(gain, F::Known(x) if *x <= 0.0));
        // Where one block gains at all its barriers are so much faster that it gains more.
        let first = forms.iter().position(|f| matches!(f.0, F::Known(_)));
        forms.truncate(first.map_or(forms.len(), |n| n + 1));
        Ok(forms)
    }

    fn say(&self, ctx: &mut Context, l: scf::ForOp, words: &str) {
        if self.notes {
            l.op().remark(ctx, words);
        }
    }
}

/// Makes the forms in front of the loop and, where only the run knows what they gain, the
/// choice between them and the loop as it is.
fn choose(b: &mut Builder, l: scf::ForOp, forms: &[(F, Form)]) {
    let Some(((gain, form), others)) = forms.split_first() else {
        if let InsertPoint::Before(end) = b.at {
            l.op().move_before(b.ctx, end);
        }
        return;
    };
    let F::At(gain) = *gain else {
        kernel::build(b, l, *form);
        l.op().erase(b.ctx);
        return;
    };
    let ty = gain.ty(b.ctx);
    let zero = arith::constant_float(b, 0.0, ty);
    let condition = CmpFOp::build(b, CmpFPredicate::Ogt, gain, zero);
    let (_, then, other) = scf::IfOp::build(b, condition, &[], true);
    b.with_point(InsertPoint::End(then), |b| {
        kernel::build(b, l, *form);
        scf::YieldOp::build(b, &[]);
    });
    if let Some(other) = other {
        b.at = InsertPoint::End(other);
        let end = scf::YieldOp::build(b, &[]);
        b.at = InsertPoint::Before(end);
        choose(b, l, others);
    }
}
