//! A program of which `terrace tune` times each nest.

use super::super::RunError;
use super::super::entry::Entry;
use super::super::executor::{Executor, Program};
use super::super::options::RunOptions;
use super::device::{arch_of, chosen, with_others};
use super::prepare::{Machine, begin};
use super::{Arrays, lowered};
use crate::dialects::affine::ParallelOp;
use crate::dialects::attributes::GPU_NEST;
use crate::dialects::gpu::LaunchFuncOp;
use crate::ir::OpKind;
use crate::ir::diag::Diagnostic;
use crate::passes::gpu::map::{LOOPS, mapper_of};
use crate::passes::pipeline::StageName;
use crate::runtime::device::Device;
use std::sync::Arc;
use std::time::Instant;

/// A program made ready under the schedule of `o`, for the nests of its loops to be told
/// apart.
pub struct Trial {
    pub executor: Box<dyn Executor>,
    /// The names of kernels, with the number of the `schedule.map_to_gpu` that each is of.
    pub kernels: Vec<(String, usize)>,
}

/// Makes a program ready for a device under the schedule of `o`, which has `steps` steps that
/// map nests to threads.
///
/// # Errors
///
/// What the passes or the code generator report; nests that there are more or fewer of.
pub fn trial(
    mut program: Program,
    entry: &Entry,
    o: &RunOptions,
    device: &Arc<dyn Device>,
    steps: usize,
) -> Result<Trial, RunError> {
    let start = Instant::now();
    let arch = arch_of(&**device)?;
    let on = Machine::of(o, Some(&device.info().name), &arch)?;
    let pipeline = begin(&mut program, o, &on, 0, false)?;
    program.run(&pipeline.through(StageName::Mapping))?;
    let ctx = &program.ctx;
    let mut nests = program.module.find_all::<ParallelOp>(ctx);
    nests.retain(|p| mapper_of(ctx, p.op()) == Some(LOOPS));
    if nests.len() != steps {
        let n = nests.len();
        let m = format!("the schedule maps {steps} nests to threads, but {n} are mapped");
        let at = ctx.diag_loc(program.module.loc(ctx));
        return Err(RunError::Program(vec![Diagnostic::error(at, m)]));
    }
    for (i, p) in nests.iter().enumerate() {
        p.op().set_attr(ctx, GPU_NEST, ctx.i64_attr(i as i64));
    }
    program.run(&pipeline.behind(StageName::Mapping))?;
    let ctx = &program.ctx;
    let mut kernels = Vec::new();
    for l in program.module.find_all::<LaunchFuncOp>(ctx) {
        let nest = (l.op().int_attr(ctx, GPU_NEST)).and_then(|n| usize::try_from(n).ok());
        let symbol = l.op().attr(ctx, "kernel").and_then(|a| a.as_symbol(ctx));
        let name = symbol.and_then(|s| s.last()).map(|s| ctx.str(*s));
        if let (Some(nest), Some(name)) = (nest, name) {
            kernels.push((name.to_string(), nest));
        }
    }
    let number = chosen(o.device)?;
    let device = with_others(&program, o.target, number, Arc::clone(device))?;
    let made = lowered(program, entry, device, Arrays::OfHost, start, o)?;
    Ok(Trial {
        executor: Box::new(made),
        kernels,
    })
}
