//! `xfer-mark-dead-on-entry`: an `xfer.discard` where a function begins, of each array that
//! it is handed and whose values it does not use: every element is written in every run,
//! and none is read before.
//!
//! What is in such an array need not come to the device. `xfer-mark-overwritten` finds a
//! nest that overwrites an array by one store; here it may take several nests and any
//! affine subscripts, as the two triangles of a symmetric matrix and its diagonal. The
//! answer is that of the dependences: the iterations of each read are among those that a
//! write comes before, and the elements of all writes are the array
//! ([`Dependences::overwrites`]).
//!
//! ```text
//! func.func @f(%y: memref<?xf64>) {      func.func @f(%y: memref<?xf64>) {
//!   affine.store %a, %y[0]          =>     xfer.discard %y
//!   affine.for %k = 1 to %n {              affine.store %a, %y[0]
//!     affine.store %b, %y[%k]              ...
//!   ...
//! ```
//!
//! It comes before passes that change loops: as written, what they compute is easier to
//! see.

use crate::analysis::dependence::{Dependences, Options, Param, dependences};
use crate::analysis::sizes::dim_name;
use terrace_dialects::func;
use terrace_dialects::memref::layout::has_identity_layout;
use terrace_dialects::xfer;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, Value};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-mark-dead-on-entry",
    title: "XferMarkDeadOnEntry",
    summary: "Put an xfer.discard at the start of functions for arrays whose values are not used",
    description: "Looks for arrays among the arguments of a function of which every run writes all elements and reads none before.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new("num-discards", "Number of discards")],
    make: |_| Ok(Box::new(MarkDeadOnEntry)),
    ..PassInfo::EMPTY
};

struct MarkDeadOnEntry;

impl Pass for MarkDeadOnEntry {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let region = function.region(ctx, 0);
        let Some(entry) = region.entry(ctx).filter(|_| region.has_one_block(ctx)) else {
            return Ok(());
        };
        let arrays: Vec<Value> = entry
            .args(ctx)
            .into_iter()
            .filter(|v| v.ty(ctx).is_memref(ctx) && has_identity_layout(ctx, v.ty(ctx)))
            .collect();
        if arrays.is_empty() {
            return Ok(());
        }
        let options = Options {
            scf_loops: true,
            ..Options::default()
        };
        let all = dependences(ctx, function, &options);
        let dead: Vec<Value> = arrays
            .into_iter()
            .filter(|m| is_overwritten(ctx, &all, *m))
            .collect();
        let loc = function.loc(ctx);
        let mut b = Builder::at_start(ctx, entry, loc);
        for m in &dead {
            xfer::DiscardOp::build(&mut b, *m);
        }
        ctx.count("num-discards", dead.len() as u64);
        Ok(())
    }
}

fn is_overwritten(ctx: &Context, all: &Dependences, array: Value) -> bool {
    let shape = array.ty(ctx).shape(ctx).unwrap_or_default().to_vec();
    let mut sizes = Vec::new();
    for (k, n) in shape.iter().enumerate() {
        if *n != DYNAMIC {
            sizes.push(Ok(*n));
            continue;
        }
        let Some(param) = size_of(ctx, all, array, k) else {
            return false;
        };
        sizes.push(Err(param));
    }
    all.overwrites(array, &sizes)
}

/// The parameter of the program that is the size of a dimension: of the array itself, or
/// of one that `terrace.dims` gives the same name.
fn size_of(ctx: &Context, all: &Dependences, array: Value, dim: usize) -> Option<usize> {
    let params = &all.program.params;
    let own = params.find(&Param::Size(array, u32::try_from(dim).ok()?));
    own.or_else(|| {
        let name = dim_name(ctx, array, dim)?;
        params.list().iter().position(|p| match p {
            Param::Size(other, k) => dim_name(ctx, *other, *k as usize) == Some(name),
            _ => false,
        })
    })
}
