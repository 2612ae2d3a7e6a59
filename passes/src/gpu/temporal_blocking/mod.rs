//! `gpu-temporal-blocking`: several time steps of a stencil in one launch.
//!
//! A launch reads a tile once, computes some sweeps of it in registers, and writes the
//! last. Memory then moves once for all of these. What a tile needs of its neighbours it
//! computes itself, so tiles overlap and no block waits for another.
//!
//! Legal since a sweep reads elements of the sweep before alone (see `find`), and every
//! element gets its value by the same operations in the same order as before. A launch has
//! an odd number of sweeps, so it reads one array and writes the other. The last sweep is
//! one of its own, so that both arrays end as they would have.
//!
//! ```text
//! affine.for %t {                    scf.for %n {
//!   affine.for %i, %j {                scf.if %even { gpu.launch { B = S sweeps of A } }
//!     B[%i, %j] = f(A, around)         else { gpu.launch { A = S sweeps of B } }
//!   }                            =>  }
//!   affine.for %i, %j {              scf.if %odd_number { A = g(B) }
//!     A[%i, %j] = g(B, around)       scf.for %rest { B = f(A); A = g(B) }
//!   }
//! }
//! ```
//!
//! | file | what |
//! | --- | --- |
//! | `find` | which loops over time these are |
//! | `plan` | sweeps a launch, tiles, when it pays |
//! | `host` | the launches, and what is left of the steps |
//! | `kernel` | which tile is a block's, and the march over its planes |
//! | `cells` | neighbours, the rim of the box, stores |
//! | `work` | what the program does, for profiles |

mod cells;
mod find;
mod host;
mod kernel;
mod plan;
mod work;

use plan::{Requested, Room};
use terrace_dialects::affine;
use terrace_dialects::affine::ForOp;
use terrace_dialects::func;
use terrace_dialects::gpu;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};
use terrace_machine::Arch;

const fn number(name: &'static str, doc: &'static str) -> OptionInfo {
    OptionInfo::new(name, OptionKind::UInt, "0", doc)
}

pub static INFO: PassInfo = PassInfo {
    name: "gpu-temporal-blocking",
    title: "GpuTemporalBlocking",
    summary: "Compute several time steps of a stencil in one launch",
    description: "Finds loops over time whose steps are two sweeps of a stencil, from one array to another and back, and makes launches of several sweeps of them, with tiles that overlap.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "arch",
            OptionKind::Str,
            "sm_80",
            "The architecture that kernels are for: how much workgroup memory a block has, and what its cache holds",
        ),
        number("steps", "Sweeps a launch, odd and at most 15; 0 to choose"),
        number(
            "cells",
            "Elements of a lane along rows, at most 8; 0 to choose",
        ),
        number(
            "rows",
            "Rows of a thread of three dimensions, at most 16; 0 to choose",
        ),
        number("warps", "Warps of a block, at most 32; 0 to choose"),
        number(
            "least-box",
            "Elements of the box below which nothing is tiled; 0 to choose",
        ),
        OptionInfo::flag(
            "notes",
            "Say of each loop over sweeps how it was tiled or why not, as remarks",
        ),
    ],
    statistics: &[StatisticInfo::new("num-stencils", "Number of loops tiled")],
    make: |o| {
        let request = |name, most| match o.uint(name) {
            0 => Ok(None),
            n if n <= most => Ok(Some(n as i64)),
            n => Err(format!("{name} is {n}, expected at most {most}")),
        };
        let steps = request("steps", 15)?;
        if let Some(n) = steps.filter(|n| n % 2 == 0) {
            return Err(format!("steps is {n}, expected an odd number"));
        }
        let cells = request("cells", 8)?;
        o.str("arch").parse::<Arch>()?;
        if let Some(n) = cells.filter(|n| n.count_ones() != 1) {
            return Err(format!("cells is {n}, expected a power of two"));
        }
        Ok(Box::new(TimeTile {
            requested: Requested {
                steps,
                cells,
                rows: request("rows", 16)?,
                warps: request("warps", 32)?,
                least_box: request("least-box", 1 << 40)?,
            },
            room: Room::of(o.str("arch")),
            notes: o.bool("notes"),
        }))
    },
};

struct TimeTile {
    requested: Requested,
    room: Room,
    notes: bool,
}

impl Pass for TimeTile {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut made = 0;
        for l in loops(ctx.ctx, op) {
            made += u64::from(self.one(ctx.ctx, l));
        }
        ctx.count("num-stencils", made);
        Ok(())
    }
}

impl TimeTile {
    fn one(&self, ctx: &mut Context, time: ForOp) -> bool {
        let stencil = match find::find(ctx, time) {
            Ok(s) => s,
            Err(not) => {
                if self.notes && not.near {
                    not.op
                        .remark(ctx, format!("not tiled along time: this {}", not.why));
                }
                return false;
            }
        };
        match plan::choose(&stencil, &self.requested, self.room) {
            Ok(plan) => {
                if self.notes {
                    time.op().remark(ctx, plan.words());
                }
                host::tile(ctx, &stencil, &plan);
                true
            }
            Err(why) => {
                if self.notes {
                    time.op()
                        .remark(ctx, format!("not tiled along time: {why}"));
                }
                false
            }
        }
    }
}

/// The loops that may be over time: not those inside parallel loops or launches.
fn loops(ctx: &Context, root: Op) -> Vec<ForOp> {
    let mut found = Vec::new();
    let blocks = root.blocks(ctx).into_iter();
    for op in blocks.flat_map(|b| b.ops(ctx)).collect::<Vec<_>>() {
        match op.cast::<ForOp>(ctx) {
            Some(l) => {
                found.push(l);
                // What is replaced has no loops of its own to look at.
                if find::find(ctx, l).is_err() {
                    found.extend(loops(ctx, op));
                }
            }
            None if op.isa::<gpu::LaunchOp>(ctx) || op.name(ctx) == affine::ParallelOp::NAME => {}
            None => found.extend(loops(ctx, op)),
        }
    }
    found
}
