//! From loops as they are written to parallel nests, of programs and of regions alike.

use super::Step;
use super::gpu::{GpuPipelineOptions, Unit};
use crate::gpu::{map_scans, temporal_blocking};
use crate::region::parallelize;
use crate::transform::registers;
use crate::transform::{
    affine_arg_extrema, affine_delay_updates, affine_parallel_boxes, affine_ping_pong,
    affine_promote_accumulators, affine_scalrep, affine_unite_nests,
};
use crate::xfer;

/// The steps of [`StageName::Loops`](super::StageName::Loops).
pub(super) fn loops(o: &GpuPipelineOptions, unit: Unit) -> Vec<Step> {
    let mut all: Vec<Step> = unit.program(dead_on_entry()).into_iter().collect();
    all.extend(o.products(
        unit.program("mark-overwritten"),
        o.write,
        "A product is one kernel as a whole, so it is found before its loops are taken apart.",
    ));
    all.extend([
        scans(o, unit),
        time_tiles(o),
        ping_pong(),
        arg_extrema(),
        accumulators(o.reassociate),
        parallel(o),
    ]);
    all.extend([united(), delayed()]);
    all.extend(o.products(
        Some("delayed"),
        false,
        "The updates of several steps together are products.",
    ));
    all.extend(unit.program(overwritten()));
    all.extend([
        boxes(),
        sums_of_threads(),
        registers_of_threads(),
        forwarded(),
    ]);
    all
}

fn dead_on_entry() -> Step {
    Step::new(
        &xfer::dead_on_entry::INFO,
        "What a function overwrites before it reads it is seen best in the loops as written.",
    )
}

fn scans(o: &GpuPipelineOptions, unit: Unit) -> Step {
    let step = Step::new(
        &map_scans::INFO,
        "A running value keeps its loop in order unless the loop is known to be a scan.",
    );
    o.with_arch(step.with_if(unit == Unit::Program, "mark-overwritten", true))
        .with_if(o.reassociate, "reassociate", true)
}

fn time_tiles(o: &GpuPipelineOptions) -> Step {
    o.with_arch(Step::new(
        &temporal_blocking::INFO,
        "Several time steps in one launch need the time loop and its sweeps as one nest.",
    ))
}

fn ping_pong() -> Step {
    Step::new(
        &affine_ping_pong::INFO,
        "Time loops that were not tiled still save the nest that copies one array back.",
    )
}

pub(super) fn arg_extrema() -> Step {
    Step::new(
        &affine_arg_extrema::INFO,
        "The place of a greatest element keeps its loop in order unless the element is found first.",
    )
}

pub(super) fn arg_extrema_of_rows() -> Step {
    let step = Step::new(
        &affine_arg_extrema::INFO,
        "Vectors find the greatest element of a row, and its place afterwards.",
    );
    step.with("rows", true)
}

pub(super) fn accumulators(reassociate: bool) -> Step {
    Step::new(
        &affine_promote_accumulators::INFO,
        "Sums in memory are found as such when loops carry them.",
    )
    .with_if(reassociate, "reassociate", true)
}

fn parallel(o: &GpuPipelineOptions) -> Step {
    let step = Step::new(
        &parallelize::INFO,
        "Directives are obeyed here. What is summed up outside all parallel loops is a reduction \
         of the whole device; within a thread a sum stays a loop.",
    )
    .with("reassociate", o.reassociate)
    .with("reductions", "outermost");
    step.with("atomics", true).with_if(
        o.order != parallelize::Schedule::default(),
        "schedule",
        o.order,
    )
}

fn united() -> Step {
    Step::new(
        &affine_unite_nests::INFO,
        "Parts of one iteration space that the program wrote apart are one launch.",
    )
}

fn delayed() -> Step {
    Step::new(
        &affine_delay_updates::INFO,
        "The updates of a factorization's steps are parallel nests now.",
    )
}

fn overwritten() -> Step {
    Step::new(
        &xfer::overwritten::INFO,
        "The nests have the iterations that they will be launched with.",
    )
}

fn boxes() -> Step {
    Step::new(
        &affine_parallel_boxes::INFO,
        "Grids are boxes; this comes behind all that reads the bounds as they were.",
    )
}

fn sums_of_threads() -> Step {
    Step::new(
        &affine_promote_accumulators::INFO,
        "A thread's loops are known. What several of them accumulate into one element is one sum.",
    )
    .with("threads", true)
}

fn registers_of_threads() -> Step {
    Step::new(
        &registers::INFO,
        "A thread's loops are known. Values are not handed on round the loop: the mapping may \
         still take iterations apart.",
    )
    .with("rotate", false)
}

fn forwarded() -> Step {
    Step::new(
        &affine_scalrep::INFO,
        "What a loop carries now is not stored in front of it and loaded again behind it, so that \
         several blocks can share the loop.",
    )
    .with("threads", true)
}
