//! From the regions of C programs, whose parallel loops are known, to their forms.

use super::cpu::for_code;
use super::gpu::{GpuPipelineOptions, kernels, persistent_step, scalars};
use super::{Pipeline, StageName, Step};
use crate::gpu::merge_kernels;
use crate::gpu::{stencils, thread_coarsening};
use crate::region::map;
use crate::transform::registers;
use crate::transform::{affine_delinearize, affine_unite_nests, canonicalize, cse};

/// What all forms of a region begin with.
pub fn region_subscripts() -> Pipeline {
    let step = Step::new(
        &affine_delinearize::INFO,
        "Whatever looks at loops reads subscripts, and C computes many of them itself.",
    );
    Pipeline::default().stage(StageName::Source, [step])
}

/// A region's function, its loops parallel, made host code that launches kernels. The
/// arrays that it takes are the device's.
pub fn region_gpu(o: &GpuPipelineOptions) -> Pipeline {
    let united = Step::new(
        &affine_unite_nests::INFO,
        "Parts of one iteration space that the program wrote apart are one launch.",
    );
    let registers = Step::new(
        &registers::INFO,
        "A thread's loops are known, and loads are still affine: the cost model reads what it \
         leaves.",
    );
    let threads = [
        Step::new(
            &stencils::INFO,
            "Neighbouring rows that one thread computes share what they load.",
        ),
        Step::new(
            &thread_coarsening::INFO,
            "What several iterations load alike is loaded once; directives say what a block is, so \
             nothing goes by way of its memory.",
        )
        .with("stage", false),
    ];
    let launches = Step::new(
        &map::INFO,
        "Nests have the iterations that threads will run: gangs, workers and vectors become \
         blocks and threads.",
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
    Pipeline::default()
        .stage(StageName::Numerics, o.fast_math.step())
        .stage(StageName::Nests, [united])
        .stage(StageName::Registers, [registers])
        .stage(StageName::Mapping, [o.mapping()])
        .stage(StageName::Scalars, scalars())
        .stage(StageName::Threads, threads)
        .stage(StageName::Launches, [launches])
        .stage(StageName::Kernels, simpler.into_iter().chain(kernels(join)))
}

/// A region's function, its loops parallel, made one for the host's threads.
pub fn region_cpu() -> Pipeline {
    Pipeline::default().stage(StageName::Scalars, for_code())
}
