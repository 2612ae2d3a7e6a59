//! The passes of terrace, in rooms that stand in an order: each uses only those before it.
//!
//! - [`analysis`] reads the IR, and changes nothing;
//! - [`loops`] changes loops as it is told, a transformation a file, and decides nothing;
//! - `lower` holds conversions to lower levels, one a file;
//! - [`transform`] holds passes that have to do with no target, one a file or folder;
//! - `upstream_tests` holds passes that exist for upstream's tests alone;
//! - [`gpu`] makes kernels: mappers, and the model of what mappings cost;
//! - [`tile`] turns what a block does on tiles into what its threads do, or into loops;
//! - [`xfer`] says where arrays lie and when they move;
//! - [`schedule`] finds, judges and applies schedules;
//! - [`region`] is about regions of programs, and what their directives say;
//! - [`pipeline`] says which pass runs when, and why.
//!
//! `test/structure/rooms.rs` checks the order. Passes do no I/O.

#![deny(missing_docs)]
// The head of a room names its files, most of which are the crate's own.
#![allow(rustdoc::private_intra_doc_links)]

pub mod analysis;
pub mod gpu;
pub mod loops;
pub(crate) mod lower;
pub mod pipeline;
pub mod region;
pub mod schedule;
pub mod tile;
pub mod transform;
pub(crate) mod upstream_tests;
pub mod xfer;

use terrace_ir::pass::{PassInfo, PassRegistry};

/// Every pass.
pub static ALL: &[&PassInfo] = &[
    &analysis::print::dependences::INFO,
    &upstream_tests::memref_dependence_check::INFO,
    &gpu::affine_for_to_gpu::INFO,
    &gpu::contraction::INFO,
    &gpu::map_scans::INFO,
    &gpu::temporal_blocking::INFO,
    &gpu::count_work::INFO,
    &gpu::expand_math::INFO,
    &gpu::fit_blocks::INFO,
    &gpu::fuse_nests::INFO,
    &gpu::map::INFO,
    &gpu::thread_coarsening::INFO,
    &gpu::map_parallel::INFO,
    &gpu::model::pass::INFO,
    &gpu::stencils::INFO,
    &gpu::map_blocks::INFO,
    &tile::distribute_nests::INFO,
    &tile::from_affine::INFO,
    &tile::threads::INFO,
    &gpu::map_reductions::INFO,
    &gpu::merge_identical::INFO,
    &gpu::outlining::INFO,
    &gpu::persistent::INFO,
    &gpu::reciprocal_roots::INFO,
    &gpu::set_fastmath::INFO,
    &transform::arith_restructure::INFO,
    &gpu::sink::INFO,
    &gpu::privatize::INFO,
    &gpu::promises::INFO,
    &region::map::INFO,
    &gpu::merge_kernels::INFO,
    &lower::affine::INFO,
    &lower::rows::INFO,
    &lower::scf_forall_to_parallel::INFO,
    &lower::scf_to_cf::INFO,
    &lower::undefined::INFO,
    &region::estimate::INFO,
    &region::extents::INFO,
    &region::parallelize::INFO,
    &region::presume::INFO,
    &region::private_reductions::INFO,
    &region::slices::INFO,
    &region::unsigned::INFO,
    &transform::registers::INFO,
    &transform::affine_arg_extrema::INFO,
    &transform::affine_sequentialize::INFO,
    &transform::affine_vectorize_innermost::INFO,
    &transform::affine_widen_indices::INFO,
    &transform::affine_wrap_to_select::INFO,
    &transform::affine_chunk_parallel::INFO,
    &transform::affine_data_copy_generate::INFO,
    &transform::affine_delay_updates::INFO,
    &transform::affine_delinearize::INFO,
    &transform::affine_jam_reuse::INFO,
    &transform::affine_tile_registers::INFO,
    &transform::affine_loop_coalescing::INFO,
    &transform::affine_loop_invariant_code_motion::INFO,
    &tile::expand::INFO,
    &schedule::apply::INFO,
    &schedule::policy::auto::INFO,
    &transform::affine_loop_fusion::INFO,
    &transform::affine_loop_normalize::INFO,
    &transform::affine_loop_tile::INFO,
    &transform::affine_loop_unroll::INFO,
    &transform::affine_loop_unroll_jam::INFO,
    &transform::affine_order_strides::INFO,
    &transform::affine_parallel_boxes::INFO,
    &transform::affine_parallelize::INFO,
    &transform::affine_ping_pong::INFO,
    &transform::affine_uncoalesce::INFO,
    &transform::affine_unite_nests::INFO,
    &transform::affine_overlap_tail::INFO,
    &transform::hoist_sizes::INFO,
    &transform::affine_stride_conditions::INFO,
    &transform::affine_tighten_bounds::INFO,
    &transform::affine_unroll_small::INFO,
    &transform::affine_unswitch::INFO,
    &transform::affine_copy_rows::INFO,
    &transform::affine_distribute_lanes::INFO,
    &transform::affine_conditions_to_arith::INFO,
    &transform::affine_promote::INFO,
    &transform::affine_promote_accumulators::INFO,
    &transform::affine_raise_memref_copy::INFO,
    &transform::affine_scalrep::INFO,
    &transform::affine_simplify_structures::INFO,
    &transform::affine_split_conditions::INFO,
    &transform::affine_super_vectorize::INFO,
    &transform::canonicalize::INFO,
    &transform::cse::INFO,
    &transform::simplify_by_ranges::INFO,
    &transform::hoist_bounds_checks::INFO,
    &transform::if_to_select::INFO,
    &transform::inline::INFO,
    &transform::licm::INFO,
    &transform::memref_forward::INFO,
    &transform::memref_plain_arguments::INFO,
    &transform::raise_scf_to_affine::INFO,
    &transform::sccp::INFO,
    &transform::symbol_dce::INFO,
    &upstream_tests::affine_data_copy::INFO,
    &upstream_tests::loop_fusion::INFO,
    &xfer::check::INFO,
    &xfer::chunk::INFO,
    &xfer::dead_on_entry::INFO,
    &xfer::forward_copies::INFO,
    &xfer::fragments::INFO,
    &xfer::hoist::INFO,
    &xfer::insert::INFO,
    &xfer::keep_on_host::INFO,
    &xfer::lower_data::INFO,
    &xfer::lower_mirrors::INFO,
    &xfer::narrow::INFO,
    &xfer::optimize::INFO,
    &xfer::overlap::INFO,
    &xfer::overwritten::INFO,
    &xfer::pad_rows::INFO,
    &xfer::report::INFO,
];

/// The pass of this name.
pub fn pass(name: &str) -> Option<&'static PassInfo> {
    ALL.iter().copied().find(|p| p.name == name)
}

/// Make every pass and every pipeline known to `r`.
pub fn register_all(r: &mut PassRegistry) {
    r.add_all(ALL);
    for p in pipeline::ALL {
        r.add_pipeline(p);
    }
}
