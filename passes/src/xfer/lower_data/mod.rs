//! `xfer-lower-data`: data regions taken apart.
//!
//! Where the text tells that an array is absent at the beginning of a region, and that
//! nobody looks it up in between, no table of present arrays is needed, and regions of the
//! same array inside are nothing. Everything else stays for the table that the runtime
//! has, without the region around it.
//!
//! ```text
//!                                      mode=strict
//! xfer.data copy(%A as %d : ...) {       %d = xfer.create %A fixed
//!   xfer.data present(%A as %e : ...) {  xfer.copy %A to %d
//!     launch { uses %e }           =>    launch { uses %d }
//!   }                                    launch { uses %d }
//!   launch { uses %A }                   xfer.copy %d to %A
//! }                                      xfer.free %d
//! ```
//!
//! - `calls`: what functions look up, and where arrays may be present already;
//! - `plan`: what becomes of each clause, before anything is changed;
//! - `buffers`: launches that name an array of the host get its buffer;
//! - `rewrite`: the new ops;
//! - `one_memory`: what is left where nothing has to move.
//!
//! With `mode=strict` copies stay where the clauses have them. With `mode=place` launches
//! get the array of the host, so that `xfer-insert` makes one mirror for all regions and
//! `xfer-optimize` copies where that is needed. A program that is coherent cannot tell:
//! every use sees the last write. What `copyout` covers is discarded where the region
//! begins: all of it is written before it is copied out, or the copy would be one of
//! stale elements over newer ones. A buffer of `create` stays a buffer of its own.

mod buffers;
mod calls;
mod one_memory;
mod plan;
mod rewrite;

use self::calls::Calls;
use self::plan::ClauseForms;
use terrace_dialects::func::FuncOp;
use terrace_dialects::xfer;
use terrace_dialects::{affine, gpu, scf};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassFailed, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-lower-data",
    title: "XferLowerData",
    summary: "Take data regions apart: buffers and copies where the text tells, else the table",
    description: "Turns the clauses of xfer.data into buffers, mirrors and copies where the array is known to be absent, and into entries of the table of present arrays elsewhere. Launches that name an array of the host get its buffer.",
    options: &[OptionInfo::new(
        "mode",
        OptionKind::Str,
        "place",
        "place: copies where they are needed; strict: where the clauses have them; host: none, since host and device have one memory",
    )],
    statistics: &[
        StatisticInfo::new("num-known", "Number of clauses whose arrays need no table"),
        StatisticInfo::new(
            "num-looked-up",
            "Number of clauses that the table of present arrays decides",
        ),
    ],
    make: |o| {
        let mode = match o.str("mode") {
            "place" => Mode::Place,
            "strict" => Mode::Strict,
            "host" => Mode::Host,
            other => {
                return Err(format!(
                    "mode '{other}' is unknown, expected place, strict or host"
                ));
            }
        };
        Ok(Box::new(LowerData { mode }))
    },
    ..PassInfo::EMPTY
};

/// Where copies go whose place the text can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Where they are needed: `xfer-optimize` may move them.
    Place,
    /// Where the clauses have them.
    Strict,
    /// Nowhere: host and device have one memory.
    Host,
}

struct LowerData {
    mode: Mode,
}

impl Pass for LowerData {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        match lower(ctx, op, self.mode) {
            Ok(made) => {
                ctx.count("num-known", made.known);
                ctx.count("num-looked-up", made.looked_up);
                Ok(())
            }
            Err(errors) => {
                for (at, why) in errors {
                    at.error(ctx, why);
                }
                Err(PassFailed)
            }
        }
    }
}

/// What became of the clauses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Made {
    pub known: u64,
    pub looked_up: u64,
}

/// Takes the data regions of a module apart.
///
/// # Errors
///
/// Data ops where the order of things is not known, and launches that cannot be given a
/// buffer.
pub fn lower(ctx: &mut Context, module: Op, mode: Mode) -> Result<Made, Vec<(Op, String)>> {
    let mut made = Made::default();
    let calls = Calls::of(ctx, module);
    if !calls.has_data_ops {
        return Ok(made);
    }
    let functions = module.find_all::<FuncOp>(ctx);
    let mut errors = Vec::new();
    if mode == Mode::Host {
        for f in functions {
            errors.extend(one_memory::take_out(ctx, f.op()));
        }
        return match errors.is_empty() {
            true => Ok(made),
            false => Err(errors),
        };
    }
    for f in &functions {
        errors.extend(misplaced(ctx, f.op()));
    }
    for f in &functions {
        if errors.is_empty() {
            errors.extend(buffers::of_regions(ctx, f.op()));
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    for f in functions {
        let plan = ClauseForms::of(ctx, f.op(), &calls, mode);
        errors.extend(buffers::by_table(ctx, f.op(), &plan, &calls));
        rewrite::regions(ctx, &plan);
        made.known += plan.count(|f| f != plan::Form::Table);
        made.looked_up += plan.count(|f| f == plan::Form::Table);
    }
    match errors.is_empty() {
        true => Ok(made),
        false => Err(errors),
    }
}

/// Whether an op is about the table of present arrays.
fn is_data_op(ctx: &Context, op: Op) -> bool {
    op.isa::<xfer::DataOp>(ctx) || op.isa::<xfer::UpdateOp>(ctx) || is_by_name(ctx, op)
}

/// Whether an op enters, exits or looks up arrays, outside of any structure.
fn is_by_name(ctx: &Context, op: Op) -> bool {
    op.isa::<xfer::EnterDataOp>(ctx)
        || op.isa::<xfer::ExitDataOp>(ctx)
        || op.isa::<xfer::PresentOp>(ctx)
        || op.isa::<xfer::IsPresentOp>(ctx)
}

/// Data ops in loops whose iterations have no order, and in kernels.
fn misplaced(ctx: &Context, function: Op) -> Vec<(Op, String)> {
    let mut errors = Vec::new();
    for op in function.pre_order(ctx) {
        if !is_data_op(ctx, op) {
            continue;
        }
        let mut around = op.parent(ctx);
        while let Some(o) = around.filter(|o| *o != function) {
            let name = o.name(ctx);
            if matches!(
                name,
                scf::ParallelOp::NAME | affine::ParallelOp::NAME | gpu::LaunchOp::NAME
            ) {
                let why = format!(
                    "is inside of '{name}', where the order in which things happen is not known; data ops stand in the host's sequential code"
                );
                errors.push((op, why));
                break;
            }
            around = o.parent(ctx);
        }
    }
    errors
}
