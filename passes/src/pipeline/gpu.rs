//! From affine loops to kernels, and transfers around them.

use super::algebra::{Algebra, restructured};
use super::loops::loops;
use super::{Pipeline, StageName, Step};
use crate::gpu::model::Model;
use crate::gpu::{
    contraction, count_work, expand_math, fit_blocks, fuse_nests, map, map_blocks, map_parallel,
    map_reductions, merge_identical, outlining, persistent, privatize, promises, reciprocal_roots,
    set_fastmath, sink, stencils, thread_coarsening,
};
use crate::lower::{affine as lower_affine, undefined};
use crate::region::parallelize::Schedule;
use crate::schedule::apply;
use crate::tile::{distribute_nests, from_affine, threads as to_threads};
use crate::transform::{affine_loop_normalize, affine_raise_memref_copy, canonicalize, cse, licm};
use crate::xfer;

/// What [`gpu`] is told of a program and its machine.
#[derive(Debug, Clone)]
pub struct GpuPipelineOptions {
    /// The architecture, as `sm_90`; empty for the one that each pass takes by itself.
    pub arch: String,
    /// The file with the machine's description, in place of the architecture's own.
    pub machine_file: Option<String>,
    /// What mappings are compared by.
    pub model: Model,
    /// What floating-point operations may do beyond strict arithmetic.
    pub fast_math: FastMath,
    /// What may be done to sums and products as a whole.
    pub algebra: Algebra,
    /// Products and sums may be rounded once; otherwise no matrix products are looked for.
    pub contract: bool,
    /// Factors of products of `f32` may be rounded to `tf32`.
    pub tf32: bool,
    /// Sums of matrix products, and of scans, may be computed in any order.
    pub reassociate: bool,
    /// Sizes and numbers that the program is thought to be called with, by name.
    pub sizes: Vec<(String, i64)>,
    /// Whether loops may change their order where that makes more of them parallel.
    pub order: Schedule,
    /// Schedules in the module are to be done.
    pub apply: bool,
    /// What is chosen is to be left in the module as schedules.
    pub write: bool,
    /// Mappings that are left on each step of a schedule; 0 for none but the chosen one.
    pub candidates: usize,
}

impl Default for GpuPipelineOptions {
    fn default() -> Self {
        GpuPipelineOptions {
            arch: String::new(),
            machine_file: None,
            model: Model::default(),
            fast_math: FastMath::default(),
            algebra: Algebra::default(),
            contract: true,
            tf32: false,
            reassociate: false,
            sizes: Vec::new(),
            order: Schedule::default(),
            apply: false,
            write: false,
            candidates: 0,
        }
    }
}

/// What the operations of a program are marked with before anything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FastMath {
    /// Products and sums may be rounded once, wherever they meet.
    pub contract: bool,
    /// Functions such as `exp` may be less exact.
    pub functions: bool,
    /// Divisions may be less exact.
    pub division: bool,
    /// Square roots may be less exact.
    pub sqrt: bool,
}

impl FastMath {
    /// The step that marks them; none if nothing is allowed.
    pub(super) fn step(self) -> Option<Step> {
        let step = Step::new(
            &set_fastmath::INFO,
            "Later passes read from each operation what it may do, whoever made it.",
        )
        .with_if(self.contract, "contract", true)
        .with_if(self.functions, "functions", true)
        .with_if(self.division, "division", true)
        .with_if(self.sqrt, "sqrt", true);
        (!step.options.is_empty()).then_some(step)
    }
}

impl GpuPipelineOptions {
    /// What marks operations.
    pub(super) fn numerics(&self) -> impl Iterator<Item = Step> {
        self.fast_math.step().into_iter().chain(self.algebra.step())
    }

    pub(super) fn with_arch(&self, step: Step) -> Step {
        step.with_if(!self.arch.is_empty(), "arch", &self.arch)
    }

    fn with_machine(&self, step: Step) -> Step {
        match &self.machine_file {
            Some(file) => step.with("machine-file", file),
            None => step.with_if(!self.arch.is_empty(), "machine", &self.arch),
        }
    }

    fn with_sizes(&self, step: Step) -> Step {
        let sizes: Vec<String> = (self.sizes.iter())
            .map(|(name, n)| format!("{name}:{n}"))
            .collect();
        step.with_if(!sizes.is_empty(), "sizes", sizes.join(","))
    }

    /// The search for products, where they may be looked for.
    pub(super) fn products(
        &self,
        option: Option<&'static str>,
        write: bool,
        why: &'static str,
    ) -> Option<Step> {
        let mut step = Step::new(&contraction::INFO, why);
        if let Some(name) = option {
            step = step.with(name, true);
        }
        let step = (self.with_arch(step))
            .with_if(self.tf32, "tf32", true)
            .with_if(self.reassociate, "reassociate", true)
            .with_if(write, "schedule", true);
        self.contract.then_some(step)
    }

    /// The choice of blocks and threads.
    pub(super) fn mapping(&self) -> Step {
        let step = self.with_machine(Step::new(
            &map::INFO,
            "The nests are final, and still affine: the model reads their subscripts.",
        ));
        let model = self.model != Model::default();
        self.with_sizes(step.with_if(model, "cost-model", self.model.name()))
    }

    /// The steps of schedules that are about one stage of the loops.
    fn schedule(&self, stage: &str, why: &'static str) -> Option<Step> {
        (self.apply).then(|| Step::new(&apply::INFO, why).with("stage", stage))
    }
}

/// What is made for the GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// A whole program, with the copies of its arrays.
    Program,
    /// A region of a C program: whoever calls it has its arrays on the device.
    Region,
}

impl Unit {
    /// What only a program has: something about copies.
    pub(super) fn program<T>(self, what: T) -> Option<T> {
        (self == Unit::Program).then_some(what)
    }
}

/// From a program's affine loops to kernels with transfers around them.
pub fn gpu(o: &GpuPipelineOptions) -> Pipeline {
    Pipeline::default()
        .stage(StageName::Numerics, o.numerics())
        .stage(
            StageName::Source,
            o.schedule(
                "source",
                "A schedule names the loops as they are written, so it comes before all else.",
            ),
        )
        .stage(StageName::Loops, loops(o, Unit::Program))
        .stage(
            StageName::Parallel,
            o.schedule(
                "parallel",
                "These steps name loops that are known to be parallel, before nests are mapped.",
            ),
        )
        .stage(StageName::Mapping, mapping(o))
        .stage(StageName::Scalars, scalars_of_kernels())
        .stage(StageName::Threads, threads(o))
        .stage(StageName::Transfers, transfers())
        .stage(StageName::Kernels, kernels(merged()))
}

/// Which nests are one kernel, and which of their loops are blocks and threads.
pub(super) fn mapping(o: &GpuPipelineOptions) -> [Step; 6] {
    let apart = |why| {
        (o.with_arch(Step::new(&distribute_nests::INFO, why))).with_if(
            o.reassociate,
            "reassociate",
            true,
        )
    };
    [
        apart(
            "What is not the work of a block as a whole may be so in parts; parts that belong \
             together are fused again.",
        ),
        o.with_sizes(o.with_machine(Step::new(
            &fuse_nests::INFO,
            "Whether one kernel is faster than two is asked of the model that maps them.",
        )))
        .with_if(o.write, "schedule", true),
        apart("The model that fuses knows threads, and no tiles."),
        Step::new(
            &affine_raise_memref_copy::INFO,
            "A nest that only copies, and was not fused, is a copy and no kernel.",
        ),
        Step::new(
            &from_affine::INFO,
            "Rows and transposes are the work of blocks; what is left has a thread for each \
             iteration.",
        )
        .with_if(o.reassociate, "reassociate", true),
        (o.mapping()).with_if(o.write, "schedule", true).with_if(
            o.candidates > 0,
            "candidates",
            o.candidates,
        ),
    ]
}

/// From affine ops to plain arithmetic.
pub(super) fn scalars() -> [Step; 5] {
    [
        Step::new(
            &lower_affine::INFO,
            "Whatever reads subscripts as affine maps is done.",
        ),
        Step::new(
            &undefined::INFO,
            "No code is made of values that may be any; until here they were good for any.",
        ),
        Step::new(
            &canonicalize::INFO,
            "Lowered maps leave arithmetic on constants.",
        ),
        Step::new(
            &cse::INFO,
            "Accesses of neighbouring elements share their subscripts.",
        ),
        Step::new(
            &licm::INFO,
            "What a loop computes again and again is computed before it.",
        ),
    ]
}

/// The same for kernels, with the algebra of what a thread computes.
pub(super) fn scalars_of_kernels() -> impl Iterator<Item = Step> {
    let algebra = restructured(
        "Mappers have seen loops as they were written; what a thread computes can change now.",
    );
    scalars().into_iter().chain([algebra])
}

/// What comes in the place of a thread for each iteration.
pub(super) fn threads_together(o: &GpuPipelineOptions) -> [Step; 6] {
    [
        Step::new(
            &to_threads::INFO,
            "Tiles have their layouts, and are none of the mappers' that look at loops.",
        ),
        Step::new(
            &map_blocks::INFO,
            "What directives give to a whole block is none of the other mappers'.",
        ),
        o.with_arch(Step::new(
            &privatize::INFO,
            "What the iterations of a nest combine in memory, a block combines in its own first; \
             the mappers behind give threads rows or single iterations.",
        )),
        Step::new(
            &map_reductions::INFO,
            "Threads that each go along a row or a column want them brought in ahead.",
        ),
        Step::new(
            &stencils::INFO,
            "Neighbouring rows that one thread computes share what they load.",
        ),
        o.with_machine(Step::new(
            &thread_coarsening::INFO,
            "What several iterations load alike is loaded once; this changes the blocks, so it \
             comes before they are made.",
        )),
    ]
}

fn threads(o: &GpuPipelineOptions) -> Vec<Step> {
    let on_host = Step::new(
        &xfer::keep_on_host::INFO,
        "A nest that copies would cost more than it saves must not become a launch.",
    );
    let mut all = vec![on_host];
    all.extend(threads_together(o));
    all.extend([
        Step::new(
            &map_parallel::INFO,
            "Each nest that is left becomes a launch.",
        ),
        Step::new(
            &xfer::lower_data::INFO,
            "Data regions become copies now that it is known what is launched in them.",
        ),
        Step::new(
            &xfer::fragments::INFO,
            "Statements between launches would force their arrays back to the host.",
        ),
        persistent_step(),
    ]);
    all
}

pub(super) fn persistent_step() -> Step {
    Step::new(
        &persistent::INFO,
        "A loop of the host with nothing left but small launches can be one kernel.",
    )
}

fn transfers() -> Vec<Step> {
    let check = || {
        Step::new(
            &xfer::check::INFO,
            "A stale array is an error of the compiler, found here and not in the results.",
        )
        .with("trust-table", true)
    };
    vec![
        Step::new(
            &xfer::insert::INFO,
            "All launches are there: each gets mirrors, and copies by a plain scheme that is right.",
        ),
        Step::new(
            &xfer::optimize::INFO,
            "The plain scheme's copies move to where they are needed.",
        ),
        Step::new(
            &xfer::narrow::INFO,
            "Only copies that stay are worth the work of cutting them to what is used.",
        ),
        Step::new(
            &xfer::chunk::INFO,
            "Pieces of a copy can overlap with the kernel that goes through them.",
        )
        .with("chunks", 8)
        .with("pageable", false),
        check(),
        Step::new(
            &xfer::lower_mirrors::INFO,
            "What was checked becomes buffers, flags and copies.",
        ),
        Step::new(
            &xfer::forward_copies::INFO,
            "Two buffers of which one is the copy of the other can be one.",
        ),
        Step::new(
            &xfer::hoist::INFO,
            "Buffers are final, and an allocation in a loop costs more than a launch.",
        ),
        Step::new(
            &xfer::overlap::INFO,
            "The order of copies and launches is final: now they get queues.",
        ),
        check(),
        Step::new(
            &xfer::pad_rows::INFO,
            "The device's layout is its own, behind all that compares it with the host's.",
        ),
    ]
}

fn merged() -> Step {
    Step::new(
        &merge_identical::INFO,
        "Launches that were chunks of one nest have one kernel.",
    )
}

/// What is worth doing again wherever ops were moved.
pub(super) fn simpler() -> [Step; 2] {
    [
        Step::new(&canonicalize::INFO, "Moved ops make others simpler."),
        Step::new(&cse::INFO, "Ops that were moved side by side are one."),
    ]
}

/// From launches to functions that code is made of. `join` brings the kernels together.
pub(super) fn kernels(join: Step) -> Vec<Step> {
    let count = Step::new(
        &count_work::INFO,
        "Work is counted by launch, with the arguments that the kernel has.",
    );
    let roots = Step::new(
        &reciprocal_roots::INFO,
        "Quotients are still divisions, and roots still one op.",
    );
    let fit = Step::new(
        &fit_blocks::INFO,
        "Nothing behind this asks which threads there are; passes in front of it want constants.",
    );
    let made = [fit, sunk(), outlined(), join, count, promises_step(), roots];
    made.into_iter().chain(expanded()).collect()
}

fn sunk() -> Step {
    Step::new(
        &sink::INFO,
        "An index that is computed from others is cheaper in the kernel than as its argument.",
    )
}

fn outlined() -> Step {
    Step::new(
        &outlining::INFO,
        "Launches are final. Names are unique, so that a profile can tell kernels apart.",
    )
    .with("unique-kernel-names", true)
}

fn promises_step() -> Step {
    Step::new(
        &promises::INFO,
        "What all launches of a kernel pass is known once they are all there.",
    )
}

/// Functions as arithmetic, and what that leaves to do.
fn expanded() -> impl Iterator<Item = Step> {
    let steps = [
        Step::new(
            &expand_math::INFO,
            "The device has no library: functions become arithmetic behind all that knows them by name.",
        ),
        Step::new(
            &canonicalize::INFO,
            "Expanded functions have much that is constant.",
        ),
        Step::new(
            &cse::INFO,
            "Two calls of one function share what they begin with.",
        ),
        Step::new(&licm::INFO, "Constants of polynomials leave the loops."),
    ];
    steps.into_iter().chain(simpler())
}

/// A nest of `affine.parallel` loops in the order of a given mapping, down to plain
/// arithmetic, before the shape of blocks is known.
pub fn nest() -> Pipeline {
    let normalized = Step::new(
        &affine_loop_normalize::INFO,
        "Threads count from 0 in steps of 1.",
    );
    let [simpler, _] = simpler();
    Pipeline::default()
        .stage(StageName::Loops, [normalized])
        .stage(StageName::Scalars, scalars().into_iter().chain([simpler]))
}

/// From such a nest to one kernel in blocks of this shape, without transfers.
pub fn mapped_kernel(block: [u32; 3]) -> Pipeline {
    let sizes = block.map(|n| n.to_string()).join(",");
    let launch = Step::new(
        &map_parallel::INFO,
        "The nest becomes a launch of the given blocks.",
    )
    .with("block-sizes", sizes);
    let body = Step::new(&canonicalize::INFO, "A launch's body is as its loops were.");
    let made = [body, sunk(), outlined(), promises_step()];
    Pipeline::default()
        .stage(StageName::Threads, [launch])
        .stage(StageName::Kernels, made.into_iter().chain(expanded()))
}
