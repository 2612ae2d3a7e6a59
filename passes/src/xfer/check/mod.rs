//! `xfer-check`: on every path, every use of an array sees its last write.
//!
//! The rule of Allazov, Guda and Morylev (2017): on each path from a write of an array in
//! one memory to a use in another lies a copy from the one to the other, before any in
//! the opposite direction. Checked for each array with an `xfer.create`, on all paths of
//! a function, by an abstract interpretation of its own: it shares no code with the
//! passes that place copies, so that a mistake of theirs is not repeated here.
//!
//! - `state`: the rule as a table, for one path.
//! - `walk`: all paths.
//! - `effects`: what an op does to the arrays; `uses`: which memory it uses, calls and
//!   kernels included; `pairs`, `origins`: which memrefs may be which array;
//!   `trips`: loops that are sure to run; `contract`: functions that are handed pairs.
//! - `parts`: boxes of an array of which more is known than of the rest; `numbers`: where
//!   subscripts can lie; `refute`: whether there is no such place; `callee`: those of functions that are called.
//! - `pending`: asynchronous ops that may still run, and who must come after them; `apart`:
//!   which of them use different elements.
//! - `table`: the table of present arrays; `held`: who finds an array there for sure.
//! - `report`, `trail`: what is said of a mistake, and the path that leads to it.
//!
//! ```text
//! %d = xfer.create %A : memref<8xf32> to memref<8xf32, #xfer.device>
//! xfer.copy %A to %d : ...
//! gpu.launch ... { memref.store %x, %d[%i] : ... }
//! %y = memref.load %A[%c0] : memref<8xf32>
//!   =>
//! error: 'memref.load' op reads %A (argument 0) on the host, where it may be stale
//! note: written on the device here
//! ```
//!
//! It changes nothing. It may refuse a coherent program, where that depends on numbers
//! (which elements, how many iterations); it accepts none that is not.

mod callee;
mod contract;
mod disjoint;
mod effects;
mod held;
mod numbers;
mod origins;
mod pairs;
mod parts;
mod pending;
mod refute;
pub(super) mod report;
mod state;
mod table;
mod trail;
mod trips;
mod uses;
mod walk;

use self::uses::Summaries;
use terrace_dialects::func::{CallOp, FuncOp};
use terrace_dialects::xfer;
use terrace_dialects::xfer::handed::handed;
use terrace_ir::pass::{OptionInfo, Pass, PassContext, PassFailed, PassInfo, PassResult};
use terrace_ir::{Context, Op, OpKind};

pub use self::report::Incoherence;

pub(crate) static INFO: PassInfo = PassInfo {
    name: "xfer-check",
    title: "XferCheck",
    summary: "Check that every use of a mirrored array sees its last write, on all paths",
    description: "For each array with an xfer.create: on each path from a write in one memory to a use in another lies a copy from the one to the other. Reports each op that may use a stale array, and a path that leads there.",
    options: &[OptionInfo::flag(
        "trust-table",
        "take what only the run can tell of the table of present arrays to be right: calls that are not known, parts whose place is no number, kernels that may write all of an array; else such ops are refused",
    )],
    make: |o| {
        Ok(Box::new(Check {
            trust_table: o.bool("trust-table"),
        }))
    },
    ..PassInfo::EMPTY
};

struct Check {
    trust_table: bool,
}

impl Pass for Check {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut summaries = Summaries::default();
        let mut failed = false;
        for f in op.find_all::<FuncOp>(ctx) {
            let mut all = function(ctx, f.op(), &mut summaries, self.trust_table);
            all.extend(of_table(ctx, f.op(), &mut summaries, self.trust_table));
            for i in all {
                i.emit(ctx);
                failed = true;
            }
        }
        if failed { Err(PassFailed) } else { Ok(()) }
    }
}

/// Whether on every path through the function `func` (a `func.func`) every use of an
/// array that has a mirror sees its last write.
///
/// # Errors
///
/// Each op that may not, with a path that leads to it, in the order of the text; one for
/// an op and an array.
pub fn check(ctx: &Context, func: Op) -> Result<(), Vec<Incoherence>> {
    let mut summaries = Summaries::default();
    let mut found = function(ctx, func, &mut summaries, false);
    found.extend(of_table(ctx, func, &mut summaries, false));
    match found.is_empty() {
        true => Ok(()),
        false => Err(found),
    }
}

/// What is wrong with a function's use of the table of present arrays.
fn of_table(
    ctx: &Context,
    func: Op,
    summaries: &mut Summaries,
    trust_table: bool,
) -> Vec<Incoherence> {
    match func.num_regions(ctx) == 0 || func.region(ctx, 0).is_empty(ctx) {
        true => Vec::new(),
        false => table::functions::of_function(ctx, func, summaries, trust_table),
    }
}

fn function(
    ctx: &Context,
    func: Op,
    summaries: &mut Summaries,
    trust_table: bool,
) -> Vec<Incoherence> {
    if func.num_regions(ctx) == 0 || func.region(ctx, 0).is_empty(ctx) {
        return Vec::new();
    }
    match handed(ctx, func) {
        Ok(pairs) => {
            let mirrored = !pairs.is_empty() || is_about_mirrors(ctx, func, trust_table);
            if !mirrored && !pending::is_asynchronous(ctx, func) {
                return Vec::new();
            }
        }
        Err(message) => {
            return vec![Incoherence {
                op: func,
                array: func.body(ctx, 0).arg(ctx, 0),
                message,
                path: Vec::new(),
            }];
        }
    }
    contract::of_function(ctx, func, summaries, trust_table)
        .found
        .clone()
}

/// Whether anything in a function is about arrays and their mirrors, or hands them over.
fn is_about_mirrors(ctx: &Context, func: Op, trust_table: bool) -> bool {
    let calls = |o: &Op| {
        let callee = o.cast::<CallOp>(ctx).and_then(|c| c.function(ctx));
        callee.is_some_and(|f| f.op().attr(ctx, "arg_attrs").is_some())
    };
    let about_pairs = |o: &Op| {
        let ops = [
            xfer::CreateOp::NAME,
            xfer::EnsureOp::NAME,
            xfer::PrefetchOp::NAME,
            xfer::MarkWrittenOp::NAME,
            xfer::AssertValidOp::NAME,
        ];
        let table =
            effects::is_data_op(ctx, *o) && (!trust_table || o.name(ctx) == xfer::DataOp::NAME);
        ops.contains(&o.name(ctx)) || calls(o) || table
    };
    func.pre_order(ctx).iter().any(about_pairs)
}
