//! A program with its kernels and launches, or the schedule that they come from.

use super::super::RunError;
use super::super::entry::public_functions;
use super::super::executor::Program;
use super::super::numerics::Contract;
use super::super::options::RunOptions;
use super::super::schedule::{take_in, take_out};
use crate::dialects::attributes::ACC_REGION;
use crate::dialects::schedule::MapToGpuOp;
use crate::ir::OpKind;
use crate::ir::diag::Diagnostic;
use crate::passes::gpu::model::choice::AT_HAND;
use crate::passes::pipeline::{self, GpuPipelineOptions, Pipeline, StageName};
use crate::targets::machine;

/// What a program's kernels are made for.
pub struct Machine {
    pub arch: String,
    /// What is known of the machine beside the built-in description.
    described: Option<machine::Machine>,
}

impl Machine {
    /// A machine of that architecture, which is `device` where one is at hand.
    ///
    /// # Errors
    ///
    /// What is wrong with its description.
    pub fn of(o: &RunOptions, device: Option<&str>, arch: &str) -> Result<Machine, RunError> {
        let found = o.machine.find(device, arch);
        Ok(Machine {
            arch: arch.to_string(),
            described: found.map_err(|m| RunError::Usage(vec![m]))?,
        })
    }
}

impl Machine {
    /// All that is known of it beside the built-in description, as its file has it.
    pub fn description(&self) -> String {
        self.described
            .as_ref()
            .map(machine::write)
            .unwrap_or_default()
    }
}

/// Gives a program its kernels and launches, for a machine.
///
/// # Errors
///
/// What the passes report.
pub fn prepare(program: &mut Program, o: &RunOptions, on: &Machine) -> Result<(), Vec<Diagnostic>> {
    let pipeline = begin(program, o, on, 0, false)?;
    program.run(&pipeline)
}

/// What becomes of the loops of a program on a machine, as a schedule.
///
/// # Errors
///
/// What the passes report.
pub fn schedule(
    program: &mut Program,
    o: &RunOptions,
    on: &Machine,
) -> Result<String, Vec<Diagnostic>> {
    let pipeline = begin(program, o, on, 0, true)?;
    program.run(&pipeline.through(StageName::Mapping))?;
    Ok(take_out(program))
}

/// Leaves what becomes of the loops of a program as schedules in it, with at most so many
/// mappings on each step that maps a nest to threads; those steps.
///
/// # Errors
///
/// What the passes report.
pub fn with_candidates(
    program: &mut Program,
    o: &RunOptions,
    (device, arch): (&str, &str),
    candidates: usize,
) -> Result<Vec<MapToGpuOp>, RunError> {
    let on = Machine::of(o, Some(device), arch)?;
    let pipeline = begin(program, o, &on, candidates, true)?;
    program.run(&pipeline.through(StageName::Mapping))?;
    Ok(program.module.find_all::<MapToGpuOp>(&program.ctx))
}

/// The pipeline, with the program's context and schedule as it reads them.
pub fn begin(
    program: &mut Program,
    o: &RunOptions,
    on: &Machine,
    candidates: usize,
    write: bool,
) -> Result<Pipeline, Vec<Diagnostic>> {
    if let Some(given) = &o.schedule {
        take_in(program, given)?;
    }
    if let Some(m) = &on.described {
        program.ctx.set_input_file(AT_HAND, machine::write(m));
    }
    Ok(pipeline::gpu(&GpuPipelineOptions {
        apply: o.schedule.is_some(),
        write,
        candidates,
        ..options_of(o, on)
    }))
}

/// Gives a program whose arrays are the device's, and do not overlap, its kernels and launches.
///
/// # Errors
///
/// What the passes report.
pub fn prepare_region(
    program: &mut Program,
    o: &RunOptions,
    on: &Machine,
) -> Result<(), Vec<Diagnostic>> {
    if let Some(m) = &on.described {
        program.ctx.set_input_file(AT_HAND, machine::write(m));
    }
    let ctx = &program.ctx;
    let region = ctx.dict_attr([(ctx.intern("noalias"), ctx.unit())]);
    for f in public_functions(ctx, program.module) {
        f.op().set_attr(ctx, ACC_REGION, region);
    }
    program.run(&pipeline::region_gpu(&options_of(o, on)))
}

/// What the pipelines are told.
fn options_of(o: &RunOptions, on: &Machine) -> GpuPipelineOptions {
    GpuPipelineOptions {
        arch: on.arch.clone(),
        machine_file: on.described.as_ref().map(|_| AT_HAND.to_string()),
        model: o.cost_model.unwrap_or_default(),
        fast_math: o.numerics.fast_math(),
        algebra: o.numerics.algebra,
        contract: o.numerics.contract != Contract::Off,
        tf32: o.numerics.tf32,
        reassociate: o.numerics.reassociate,
        sizes: o.known_sizes.clone(),
        ..GpuPipelineOptions::default()
    }
}
