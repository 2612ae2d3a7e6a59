//! From the regions of C programs to their forms.

use super::algebra::Algebra;
use super::cpu::{for_code, in_threads};
use super::gpu::{
    GpuPipelineOptions, Unit, kernels, mapping, persistent_step, scalars_of_kernels,
    threads_together,
};
use super::loops::{accumulators, arg_extrema, arg_extrema_of_rows, loops};
use super::{Pipeline, StageName, Step};
use crate::gpu::{map_parallel, map_scans, merge_kernels};
use crate::lower::rows;
use crate::region::{map, presume, private_reductions, slices, unsigned};
use crate::transform::{
    affine_delinearize, affine_distribute_lanes, affine_order_strides, affine_uncoalesce,
    affine_wrap_to_select, canonicalize, cse, hoist_sizes, raise_scf_to_affine, registers,
};
use terrace_machine::{CORES, Cores};

/// What all forms of a region, and the function of its extents, begin with.
pub fn region_numbers() -> Pipeline {
    let reductions = Step::new(
        &private_reductions::INFO,
        "What a clause says of a carried value is true of the text, before anything carries others.",
    );
    let unsigned = Step::new(
        &unsigned::INFO,
        "The call of a region can look whether unsigned numbers start again at 0, which subscripts do not tell.",
    );
    let hoist = Step::new(
        &hoist_sizes::INFO,
        "C computes sizes where it uses them; `w / 2` in front of the loops is a size.",
    );
    let raise = Step::new(
        &raise_scf_to_affine::INFO,
        "Loops that end at such sizes have affine bounds.",
    );
    let raise = raise.with("scopes", false);
    Pipeline::default().stage(StageName::Source, [reductions, unsigned, hoist, raise])
}

/// What all forms of a region begin with behind that.
pub fn region_subscripts() -> Pipeline {
    let presume = Step::new(
        &presume::INFO,
        "The call of a region can look at sizes, of which C says nothing.",
    );
    let uncoalesce = Step::new(
        &affine_uncoalesce::INFO,
        "Subscripts from quotients and remainders of one counter are those of several loops.",
    );
    let wraps = Step::new(
        &affine_wrap_to_select::INFO,
        "An index that wraps around is linear but for one iteration, and a division hides it.",
    );
    Pipeline::default().stage(
        StageName::Source,
        [uncoalesce, wraps, presume, subscripts()],
    )
}

/// What follows for all of them behind the author's schedule, which names loops as written.
/// With `reassociate` sums of floats may be computed in any order.
pub fn region_accumulators(reassociate: bool) -> Pipeline {
    Pipeline::default().stage(StageName::Loops, [arg_extrema(), accumulators(reassociate)])
}

/// Which loops of a region are scans, for the question whether it has something for a device.
/// With `reassociate` sums of floats may be computed in any order.
pub fn region_scans(reassociate: bool) -> Pipeline {
    let step = Step::new(
        &map_scans::INFO,
        "A running value is found by blocks, though its loop runs in order.",
    );
    let step = step.with_if(reassociate, "reassociate", true);
    Pipeline::default().stage(StageName::Loops, [step])
}

fn subscripts() -> Step {
    Step::new(
        &affine_delinearize::INFO,
        "Whatever looks at loops reads subscripts, and C computes many of them itself.",
    )
}

/// The form for cores of a region whose C statement the program may measure beside it.
pub fn region_slices() -> Pipeline {
    let step = Step::new(
        &slices::INFO,
        "Which of the two is quicker shows in a few iterations of a loop that runs in order.",
    );
    Pipeline::default().stage(StageName::Loops, [step])
}

/// Rows whose greatest elements a core looks for, before their order is chosen.
pub fn region_rows() -> Pipeline {
    Pipeline::default().stage(StageName::Loops, [arg_extrema_of_rows()])
}

/// The order of a region's loops for one of these cores, before anything is parallel.
pub fn region_strides(cores: &Cores) -> Pipeline {
    let step = Step::new(
        &affine_order_strides::INFO,
        "A core reads lines of its caches, and vectors are made along the innermost loop.",
    );
    // A strip is a sixty-fourth of the nearest cache, of numbers of 64 bits.
    let (line, strip) = (cores.line_bytes / 8, cores.l1_bytes / 64);
    let step = step.with_if(line != CORES.line_bytes / 8, "line", line);
    let step = step.with_if(strip != CORES.l1_bytes / 64, "strip", strip);
    let apart = Step::new(
        &affine_distribute_lanes::INFO,
        "One statement that needs the iteration before keeps those beside it from being parallel.",
    );
    Pipeline::default().stage(StageName::Loops, [step, apart])
}

/// A region's function made host code that launches kernels. The arrays that it takes are the
/// device's.
pub fn region_gpu(o: &GpuPipelineOptions) -> Pipeline {
    let nests = Step::new(
        &map_parallel::INFO,
        "Each nest that is left becomes launches: gangs, workers and vectors are blocks and \
         threads.",
    )
    .with("notes", true);
    let launches = Step::new(
        &map::INFO,
        "All that is parallel is launches; what stands between them becomes kernels of a thread.",
    );
    let simpler = [
        Step::new(
            &canonicalize::INFO,
            "Launches leave loops of one iteration behind.",
        ),
        Step::new(
            &cse::INFO,
            "Launches side by side compute their sizes once.",
        ),
        persistent_step(),
    ];
    let join = Step::new(
        &merge_kernels::INFO,
        "A region has one image, which holds what several kernels call once.",
    );
    let handed_on = Step::new(
        &registers::INFO,
        "No iterations are taken apart any more: what one leaves the next is a value.",
    );
    Pipeline::default()
        .stage(StageName::Numerics, o.numerics())
        .stage(StageName::Source, [subscripts()])
        .stage(StageName::Loops, loops(o, Unit::Region))
        .stage(
            StageName::Mapping,
            mapping(o).into_iter().chain([handed_on]),
        )
        .stage(StageName::Scalars, scalars_of_kernels())
        .stage(
            StageName::Threads,
            threads_together(o).into_iter().chain([nests]),
        )
        .stage(StageName::Launches, [launches])
        .stage(StageName::Kernels, simpler.into_iter().chain(kernels(join)))
}

/// A region's function, its loops parallel, made one for threads on these cores. With
/// `reassociate` sums of floats may be computed in any order, with `algebra` all that it says.
pub fn region_cpu(reassociate: bool, algebra: Algebra, cores: &Cores) -> Pipeline {
    let rows = Step::new(
        &rows::INFO,
        "Rows behind pointers are found where loops are in their last places.",
    );
    Pipeline::default()
        .stage(StageName::Numerics, algebra.step_for_cores())
        .stage(StageName::Loops, [arg_extrema_of_rows()])
        .stage(StageName::Mapping, in_threads(reassociate, cores, false))
        .stage(StageName::Scalars, for_code().chain([rows]))
}

/// A function that the call of a region asks first: numbers that are computed once.
pub fn region_question() -> Pipeline {
    let simpler = Step::new(
        &canonicalize::INFO,
        "Numbers that are asked for are made of many that are constants.",
    );
    Pipeline::default()
        .stage(StageName::Loops, [simpler])
        .stage(StageName::Scalars, for_code())
}
