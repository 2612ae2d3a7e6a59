//! From affine loops to a program of the host, its loops over threads.

use super::algebra::{Algebra, restructured};
use super::gpu::{scalars, simpler};
use super::{Pipeline, StageName, Step};
use crate::loops::unroll::SHORT;
use crate::lower::scf_forall_to_parallel;
use crate::transform::{
    affine_chunk_parallel, affine_conditions_to_arith, affine_copy_rows, affine_delinearize,
    affine_distribute_lanes, affine_jam_reuse, affine_loop_invariant_code_motion,
    affine_loop_normalize, affine_loop_unroll, affine_overlap_tail, affine_parallelize,
    affine_promote, affine_scalrep, affine_sequentialize, affine_split_conditions,
    affine_stride_conditions, affine_tighten_bounds, affine_tile_registers, affine_unroll_small,
    affine_unswitch, affine_vectorize_innermost, affine_widen_indices, canonicalize,
    hoist_bounds_checks, if_to_select, inline as inliner, memref_forward, raise_scf_to_affine,
    simplify_by_ranges,
};
use crate::xfer;
use terrace_machine::{CORES, Cores};

/// From a program's affine loops to one for threads on these cores. Its sums and products may be
/// computed as `algebra` says, and as their operations do.
pub fn cpu(algebra: Algebra, cores: &Cores) -> Pipeline {
    let loops = [
        Step::new(
            &xfer::lower_data::INFO,
            "The host has one memory: data regions mean nothing there.",
        )
        .with("mode", "host"),
        Step::new(
            &scf_forall_to_parallel::INFO,
            "Threads share out parallel loops, and a loop over a space of points is one.",
        ),
        Step::new(
            &affine_parallelize::INFO,
            "Dependences are read from affine subscripts.",
        ),
    ];
    Pipeline::default()
        .stage(StageName::Numerics, algebra.step())
        .stage(StageName::Loops, loops)
        .stage(StageName::Mapping, in_threads(false, cores, true))
        .stage(StageName::Scalars, for_code())
}

/// What the loops of a thread become while their subscripts are still affine, innermost ones by
/// `vectors`, and in the same way some loops around others.
/// Sums of floats may be computed in any order with `reassociate`, and accesses are looked at where
/// they are `checked`.
pub(super) fn in_threads(reassociate: bool, cores: &Cores, checked: bool) -> Vec<Step> {
    let vectors = vectors(reassociate, cores).with_if(checked, "checked", true);
    let outer = Step {
        why: "What each iteration of a loop inside makes of the one before, lanes make side by \
              side where the loop around lets them; jammed iterations would be in their place.",
        ..vectors.clone()
    };
    let rows = Step::new(
        &affine_copy_rows::INFO,
        "The C library copies with wider registers than loops have here.",
    );
    let mut steps = vec![
        Step::new(
            &canonicalize::INFO,
            "Subscripts that were made affine leave arithmetic behind that nobody uses.",
        ),
        Step::new(
            &affine_sequentialize::INFO,
            "Threads share out the outermost parallel loop; those inside are a thread's own.",
        ),
        Step::new(
            &affine_chunk_parallel::INFO,
            "A thread's piece of the outermost loop is a loop that can be made fast.",
        ),
        Step::new(
            &raise_scf_to_affine::INFO,
            "What a loop around carries or has loaded bounds loops and moves subscripts. Threads are \
             found by now, which scopes would be in the way of.",
        ),
        Step::new(
            &canonicalize::INFO,
            "Symbols of a scope are dimensions as yet, and the arithmetic that became maps is left.",
        ),
        Step::new(
            &affine_tighten_bounds::INFO,
            "A row without elements costs what its bounds do.",
        ),
        Step::new(
            &affine_stride_conditions::INFO,
            "Iterations that a condition leaves out cost what it does.",
        ),
        Step::new(
            &affine_loop_normalize::INFO,
            "Every second element by a variable that counts by 2 is each by one that counts by 1.",
        )
        .with("steps", true),
    ];
    // Where accesses are checked, each of a row is.
    steps.extend((!checked).then_some(rows));
    steps.extend(tiles(cores, checked));
    steps.extend([
        Step::new(
            &affine_loop_unroll::INFO,
            "A loop of a few iterations costs as much as what is in it.",
        )
        .with("unroll-factor", -1)
        .with("unroll-full-threshold", SHORT)
        .with("unroll-full-ops", 192),
        Step::new(
            &affine_conditions_to_arith::INFO,
            "Lanes compare numbers, and loops are split where comparisons change; what else could be \
             done with a condition is done.",
        ),
        Step::new(
            &affine_split_conditions::INFO,
            "What an array's sides need apart keeps all iterations out of vectors.",
        ),
        Step::new(
            &affine_scalrep::INFO,
            "Elements loaded twice hide that a condition only chooses between numbers.",
        ),
        Step::new(
            &simplify_by_ranges::INFO,
            "A condition that never holds keeps its loop out of vectors.",
        )
        .with("divide", false),
        Step::new(
            &if_to_select::INFO,
            "A choice between numbers costs less than a branch, and lanes cannot branch apart.",
        ),
        Step::new(
            &simplify_by_ranges::INFO,
            "Averages and remainders of bytes need no division, on lanes least of all.",
        ),
        Step::new(
            &affine_loop_invariant_code_motion::INFO,
            "What a loop inside computes again and again would be computed by lanes.",
        ),
    ]);
    steps.push(Step::new(
        &affine_widen_indices::INFO,
        "Where conditions are decided, subscripts are linear that were choices.",
    ));
    // A row that is passed is no access beyond the array yet.
    steps.extend((!checked).then(|| {
        Step::new(
            &affine_delinearize::INFO,
            "Rows of an array whose subscripts are linear by now are independent.",
        )
    }));
    steps.extend([
        restructured(
            "Loops are in their places and not in lanes yet: what an iteration computes can change, and \
             move out.",
        ),
        Step::new(
            &affine_distribute_lanes::INFO,
            "One statement that waits for the iteration before keeps all of them from vectors.",
        ),
        Step::new(
            &affine_promote::INFO,
            "What a loop inside reads and writes again and again is handed from one of its iterations \
             to the next, where lanes have a register for it.",
        )
        .with("rotate", false),
        Step::new(
            &affine_unswitch::INFO,
            "Whether a loop inside runs at all is asked once: what it carries is loaded and stored \
             where it does.",
        )
        .with("around", true),
        outer.with("outer", true),
        Step::new(
            &raise_scf_to_affine::INFO,
            "A row that is chosen for a whole loop is one number in it. Loops around it take no scope \
             in their lanes.",
        ),
        Step::new(
            &affine_jam_reuse::INFO,
            "Iterations side by side load once what all of them use.",
        ),
        Step::new(
            &affine_scalrep::INFO,
            "They do once they are one iteration.",
        ),
        Step::new(
            &canonicalize::INFO,
            "Iterations that were taken apart have constant subscripts.",
        ),
        Step::new(
            &affine_unswitch::INFO,
            "What runs under a condition can neither move out nor run in lanes.",
        ),
        Step::new(
            &affine_loop_invariant_code_motion::INFO,
            "That another array is written does not keep an element from being loaded once; \
             nobody sees that it is another one when subscripts are addresses.",
        ),
        Step::new(
            &affine_promote::INFO,
            "An element that a sum is made in is carried by the loop, and what all iterations load \
             is loaded once, before lanes would each ask for it.",
        )
        .with("rotate", false),
        vectors,
        Step::new(
            &affine_promote::INFO,
            "What the next iteration uses again stays in a register.",
        ),
        Step::new(
            &affine_overlap_tail::INFO,
            "In a short row, what vectors leave over takes as long as they do.",
        ),
        Step::new(
            &affine_unroll_small::INFO,
            "Where an iteration is a few instructions, what a loop costs is half of it.",
        ),
    ]);
    steps
}

/// Tiles in registers, where cores have long ones: of those of 16 bytes there are too few for one.
fn tiles(cores: &Cores, checked: bool) -> Option<Step> {
    let (registers, bytes) = (cores.vector_registers, cores.vector_bytes);
    let step = Step::new(
        &affine_tile_registers::INFO,
        "What is loaded for one row and one column of a product is used by a whole tile, and its sums \
         stay in registers.",
    );
    let step = step.with("bytes", bytes).with("registers", registers);
    (bytes > CORES.vector_bytes).then(|| step.with_if(checked, "checked", true))
}

/// Loops in vectors. With `reassociate` sums of floats may be computed in any order.
fn vectors(reassociate: bool, cores: &Cores) -> Step {
    let (registers, bytes) = (cores.vector_registers, cores.vector_bytes);
    Step::new(
        &affine_vectorize_innermost::INFO,
        "Independent iterations are what vectors are made of; values handed from one to the next \
         would hide them.",
    )
    .with_if(reassociate, "reassociate", true)
    .with_if(registers != CORES.vector_registers, "registers", registers)
    .with_if(bytes != CORES.vector_bytes, "bytes", bytes)
}

/// What makes plain arithmetic of affine ops, and simplifies it for code.
pub(super) fn for_code() -> impl Iterator<Item = Step> {
    let forward = Step::new(
        &memref_forward::INFO,
        "Loops that are not affine load elements again that are in registers.",
    );
    let choices = Step::new(
        &if_to_select::INFO,
        "A second condition that loaded what the first did is one comparison now.",
    );
    let ranges = Step::new(
        &simplify_by_ranges::INFO,
        "Maps round down and say so by a choice; what is not negative needs none.",
    );
    scalars()
        .into_iter()
        .chain([forward, choices, ranges])
        .chain(simpler())
}

/// Behind either pipeline, where accesses of the host are checked.
pub fn checks() -> Pipeline {
    let step = Step::new(
        &hoist_bounds_checks::INFO,
        "Code for the host is made next, and a check in front of a loop costs nothing in it.",
    );
    Pipeline::default().stage(StageName::Checks, [step])
}

/// Calls in regions become what they call, and nothing else changes.
pub fn inline() -> Pipeline {
    let step = Step::new(
        &inliner::INFO,
        "A region is mapped as one piece, and its notes name the loops of what it calls.",
    )
    .with("default-pipeline", "");
    Pipeline::default().stage(StageName::Source, [step])
}
