//! `xfer-offload-fragments`: small runs of statements of the host between kernels become
//! kernels of one thread, where that saves copies of the arrays that they use.
//!
//! The second kind of fragment of Allazov, Guda and Morylev (2017): a division by a
//! diagonal element takes the host a nanosecond and the device a launch, but if it stays
//! on the host the matrix goes there and back.
//!
//! ```text
//! scf.for %k = ... {                      scf.for %k = ... {
//!   %a = memref.load %A[%k, %k]             gpu.launch 1 thread {
//!   %s = math.sqrt %a                         %a = memref.load %A[%k, %k]
//!   memref.store %s, %A[%k, %k]      =>       %s = math.sqrt %a
//!   gpu.launch ... { uses %A }                memref.store %s, %A[%k, %k]
//! }                                         }
//!                                           gpu.launch ... { uses %A }
//!                                         }
//! ```
//!
//! Legal because one thread runs the statements in their order, with the same
//! arithmetic, and launches run in the order of the program. What may fail or round
//! otherwise on a device stays: calls, integer division by what is not a constant,
//! functions such as `exp`, loops without a counter.
//!
//! A number that moves and is used further on lies in an array of one element. Kernels
//! read it there, and what it takes to compute with it they compute themselves; where the
//! host needs it (bounds, conditions, results) that element is copied. Loads of which
//! only kernels use the result, also through arithmetic, move into those kernels.
//!
//! What moves is decided by trial: the candidates are done on a copy of the function,
//! which gets mirrors and copies by `xfer-insert` and `xfer-optimize`, and `cost.rs` adds
//! up what all that takes. All of them are tried, then each is left out that is better
//! left out. With 1000 for each number that only the run knows, what moves must take
//! less time than if nothing did, and with 4000 at most twice as much, so that a
//! sequential nest of many iterations stays on the host whatever it costs to copy.
//!
//! | file | what |
//! | --- | --- |
//! | `find` | the candidates |
//! | `make` | runs of statements as kernels of one thread |
//! | `take_in` | loads and arithmetic into the kernels that use them |
//! | `cost` | the estimate |

pub(super) mod cost;
mod find;
pub(crate) mod group;
mod make;
mod take_in;

use super::insert::{Scheme, insert};
use super::optimize::optimize;
use crate::loops::sequentialize::sequentialize;
use find::{Candidate, candidates};
use rustc_hash::FxHashMap;
use terrace_dialects::func;
use terrace_dialects::{gpu, scf, xfer};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{OptionInfo, Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-offload-fragments",
    title: "XferOffloadFragments",
    summary: "Run small host statements between kernels on the device",
    description: "Makes kernels of one thread of statements and sequential loops between kernels, and moves loads into the kernels that use them, where that saves copies between host and device.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo::flag(
        "all",
        "Move whatever can be moved, whether it pays or not",
    )],
    statistics: &[
        StatisticInfo::new("num-kernels", "Number of kernels of one thread made"),
        StatisticInfo::new("num-loads", "Number of loads moved into kernels"),
    ],
    make: |o| Ok(Box::new(Fragments { all: o.bool("all") })),
};

struct Fragments {
    all: bool,
}

impl Pass for Fragments {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        if !is_for_us(ctx, function) {
            return Ok(());
        }
        let made = match self.all {
            true => {
                run_in_order(ctx, function);
                let all = vec![true; candidates(ctx, function).len()];
                apply(ctx, function, &all)
            }
            false => offload_fragments(ctx, function),
        };
        ctx.count("num-kernels", made.kernels);
        ctx.count("num-loads", made.loads);
        Ok(())
    }
}

/// Moves the fragments of a function for which that pays.
pub(super) fn offload_fragments(ctx: &mut Context, function: Op) -> Made {
    run_in_order(ctx, function);
    let n = candidates(ctx, function).len();
    match n {
        0 => Made::default(),
        _ => {
            let chosen = choose(ctx, function, n);
            apply(ctx, function, &chosen)
        }
    }
}

/// Parallel loops with results run in order: no kernel was made of them.
fn run_in_order(ctx: &mut Context, function: Op) {
    for p in function.find_all::<scf::ParallelOp>(ctx) {
        let kernel = p.op().parent_of::<gpu::LaunchOp>(ctx).is_some();
        if !kernel && p.op().num_results(ctx) > 0 {
            sequentialize(ctx, p);
        }
    }
}

/// Whether kernels of host arrays are launched and the transfers are not made yet.
fn is_for_us(ctx: &Context, function: Op) -> bool {
    let mut launches = false;
    let mut placed = false;
    function.walk(ctx, &mut |o| {
        launches |= o.isa::<gpu::LaunchOp>(ctx);
        placed |= o.dialect(ctx) == "xfer" && !o.isa::<xfer::DiscardOp>(ctx);
        // Waiting is the author's.
        placed |= o.isa::<gpu::LaunchOp>(ctx) && o.num_results(ctx) > 0;
    });
    launches && !placed && function.parent(ctx).is_some()
}

/// What was moved.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Made {
    kernels: u64,
    loads: u64,
}

/// Moves those of the function's candidates that are chosen, by their number.
fn apply(ctx: &mut Context, function: Op, chosen: &[bool]) -> Made {
    let mut made = Made::default();
    let (mut wanted, mut handed) = (Vec::new(), Vec::new());
    for (c, yes) in candidates(ctx, function).into_iter().zip(chosen) {
        match c {
            _ if !yes => {}
            Candidate::Run(members) => {
                handed.extend(make::run(ctx, function, members));
                made.kernels += 1;
            }
            Candidate::Load(op) => wanted.push(op),
        }
    }
    made.loads = take_in::run(ctx, function, &wanted, &handed);
    made
}

/// With more candidates than this all or none of them move.
const MAX_TRIED: usize = 48;

/// How often at most a function is tried.
const MAX_TRIALS: usize = 200;

/// How much longer than if nothing moved a function may take, with the larger numbers
/// for what only the run knows.
const MAX_SLOWER: f64 = 2.0;

/// Which candidates move.
fn choose(ctx: &mut Context, function: Op, n: usize) -> Vec<bool> {
    // With few candidates the same choice is met again.
    let mut known: FxHashMap<Vec<bool>, Option<cost::Seconds>> = FxHashMap::default();
    let mut trial = |ctx: &mut Context, chosen: &[bool]| match known.get(chosen) {
        Some(t) => *t,
        None => {
            let t = trial(ctx, function, chosen);
            known.insert(chosen.to_vec(), t);
            t
        }
    };
    let none = vec![false; n];
    let Some(as_it_is) = trial(ctx, &none) else {
        return none;
    };
    let within = |t: &cost::Seconds| t.large <= MAX_SLOWER * as_it_is.large;
    // Of two that are no longer than allowed the one that is shorter as a rule.
    let better = |a: &cost::Seconds, b: &cost::Seconds| match (within(a), within(b)) {
        (true, true) => a.common < b.common,
        (false, false) => a.large < b.large,
        (a, _) => a,
    };
    let mut chosen = vec![true; n];
    let Some(mut best) = trial(ctx, &chosen) else {
        return none;
    };
    let mut trials = 0;
    let mut changed = n <= MAX_TRIED;
    while std::mem::take(&mut changed) {
        for i in 0..n {
            trials += 1;
            if trials > MAX_TRIALS {
                break;
            }
            chosen[i] = !chosen[i];
            match trial(ctx, &chosen) {
                Some(t) if better(&t, &best) => {
                    best = t;
                    changed = true;
                }
                _ => chosen[i] = !chosen[i],
            }
        }
    }
    match within(&best) && best.common < as_it_is.common {
        true => chosen,
        false => none,
    }
}

/// What a run of the function takes if those candidates move; `None` where no transfers
/// can be placed.
fn trial(ctx: &mut Context, function: Op, chosen: &[bool]) -> Option<cost::Seconds> {
    let copy = clone_op(ctx, function, &mut IrMapping::new());
    copy.insert_after(ctx, function);
    let name = format!(
        "{}.fragments",
        function.symbol_name(ctx).unwrap_or_default()
    );
    copy.set_attr(ctx, "sym_name", ctx.string_attr(&name));
    apply(ctx, copy, chosen);
    let placed = insert(ctx, copy, Scheme::Kernel).is_ok() && optimize(ctx, copy).is_ok();
    let seconds = placed.then(|| cost::seconds(ctx, copy));
    copy.erase(ctx);
    seconds
}
