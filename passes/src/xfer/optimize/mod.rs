//! `xfer-optimize`: the copies between arrays and their mirrors, taken out and put where
//! they are needed.
//!
//! The coherence rule says what a program means whatever copies it has: every use sees
//! the last write. So all copies of whole arrays go, and new ones are made where
//! [`motion`](super::motion) wants them. Where some paths come to such a place with the
//! array valid and others without, the copy is an `xfer.ensure`, and what leads there is
//! marked (`xfer.mark_written`): no path copies what it has.
//!
//! In a module functions are looked at before those that call them. One that is handed a
//! mirror, and of which all calls are known ([`hand`](super::hand)), then says what it
//! needs valid and how it leaves the pair, so that its callers can do the rest.
//!
//! ```text
//! scf.for %t = ... {                                xfer.copy %A to %d
//!   xfer.copy %A to %d                              scf.for %t = ... {
//!   gpu.launch ... { uses %d }              =>        gpu.launch ... { uses %d }
//!   xfer.copy %d to %A                              }
//! }                                                 xfer.copy %d to %A
//! ```
//!
//! | file | what |
//! | --- | --- |
//! | `eligible` | whose copies are placed |
//! | `states` | which sides are valid, over all paths to a place |
//! | `placement` | where to copy, and where to tell the flags |
//! | `rewrite` | the ops taken out and put in |

mod eligible;
mod placement;
mod rewrite;
mod states;

use self::rewrite::{emit, take_out};
use super::arrays::{Array, Arrays, Handed, Leaves};
use super::flow::Flow;
use super::guard;
use super::hand::open_pairs;
use super::peel;
use crate::analysis::call_graph::CallGraph;
use terrace_dialects::func::FuncOp;
use terrace_dialects::xfer::handed;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassFailed, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op};

pub(super) use self::eligible::{is_asynchronous, is_simple, views};
pub(super) use self::placement::{Entry, Step, place};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-optimize",
    title: "XferOptimize",
    summary: "Place copies between host and device where they are needed",
    description: "Takes out the copies of whole arrays to and from their mirrors, and makes new ones by lazy code motion: as few on every path as the uses need.",
    statistics: &[
        StatisticInfo::new("num-copies", "Number of copies placed"),
        StatisticInfo::new(
            "num-ensures",
            "Number of places that copy by what is known at run time",
        ),
        StatisticInfo::new(
            "num-splits",
            "Number of loops taken apart, so that no copy stays in them",
        ),
    ],
    options: &[OptionInfo::new(
        "peel",
        OptionKind::Bool,
        "true",
        "take loops apart where that takes copies out of them",
    )],
    make: |o| {
        Ok(Box::new(Optimize {
            peel: o.bool("peel"),
        }))
    },
    ..PassInfo::EMPTY
};

/// How copies are placed.
#[derive(Debug, Clone, Copy)]
struct Optimize {
    peel: bool,
}

impl Pass for Optimize {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let made = match op.isa::<FuncOp>(ctx) {
            true => of_function(ctx, op, &[], *self),
            false => optimize_all(ctx, op, *self),
        };
        match made {
            Ok(made) => {
                ctx.count("num-copies", made.copies);
                ctx.count("num-ensures", made.ensures);
                ctx.count("num-splits", made.splits);
                Ok(())
            }
            Err((at, why)) => {
                at.error(ctx, why);
                Err(PassFailed)
            }
        }
    }
}

/// What was placed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Made {
    pub copies: u64,
    pub ensures: u64,
    /// Loops taken apart.
    pub splits: u64,
}

impl Made {
    fn add(&mut self, o: Made) {
        self.copies += o.copies;
        self.ensures += o.ensures;
        self.splits += o.splits;
    }
}

/// Places the copies of all functions of a module anew, those of callees first.
///
/// # Errors
///
/// As `of_function`; functions before the one in question are changed.
fn optimize_all(ctx: &mut Context, module: Op, how: Optimize) -> Result<Made, (Op, String)> {
    let open = open_pairs(ctx, module);
    let mut made = Made::default();
    for function in CallGraph::new(ctx, module).components().concat() {
        if function.isa::<FuncOp>(ctx) {
            let pairs: Vec<usize> = open
                .iter()
                .filter(|o| o.0 == function)
                .map(|o| o.1)
                .collect();
            made.add(of_function(ctx, function, &pairs, how)?);
        }
    }
    Ok(made)
}

/// Places the copies of a function anew, with its loops as they are.
///
/// # Errors
///
/// Where the flow of control cannot be told; nothing is changed then.
pub fn optimize(ctx: &mut Context, function: Op) -> Result<Made, (Op, String)> {
    of_function(ctx, function, &[], Optimize { peel: false })
}

/// Places the copies of a function anew. Those of pairs that it is handed stay, since its
/// callers count on what it says of them; but for the mirrors among its arguments with the
/// numbers `open`, which may come in any state.
///
/// # Errors
///
/// Where the flow of control cannot be told; nothing is changed then.
fn of_function(
    ctx: &mut Context,
    function: Op,
    open: &[usize],
    how: Optimize,
) -> Result<Made, (Op, String)> {
    let ours = |ctx: &Context, a: &Array| {
        is_simple(ctx, a) && a.handed.is_none_or(|h| open.contains(&h.mirror))
    };
    let mut arrays = Arrays::of(ctx, function);
    arrays.retain(|a| ours(ctx, a));
    if arrays.list.is_empty() || is_asynchronous(ctx, function) {
        return Ok(Made::default());
    }
    // What refuses the graph refuses it before anything was changed.
    Flow::of(ctx, function, &mut arrays)?;
    guard::add(ctx, function);
    take_out(ctx, function, &arrays.list);
    // Nothing is asked of the end of the function until its callers are looked at.
    for a in &arrays.list {
        if let Some(h) = a.handed {
            handed::set_handed(
                ctx,
                function,
                &Handed {
                    leaves: [Leaves::Unknown; 2],
                    ..h
                },
            );
        }
    }
    let mut made = Made {
        splits: match how.peel {
            true => peel::improve(ctx, function, &ours),
            false => 0,
        },
        ..Made::default()
    };
    let mut arrays = Arrays::of(ctx, function);
    arrays.retain(|a| ours(ctx, a));
    let flow = Flow::of(ctx, function, &mut arrays)?;
    for k in 0..arrays.list.len() {
        let a = arrays.list[k];
        let placed = place(&flow, k, a.handed.map(|_| Entry::Open));
        if let (Some(h), Some((needs, leaves, flags))) = (a.handed, placed.says) {
            let h = Handed {
                needs,
                leaves,
                flags,
                ..h
            };
            handed::set_handed(ctx, function, &h);
        }
        emit(ctx, &flow, a, &placed, &mut made);
    }
    guard::remove_idle(ctx, function);
    Ok(made)
}
