//! The passes of terrace.
//!
//! `analysis/` only reads; `transform/` holds one pass a file; `lower/` one
//! conversion a file; `schedule/` finds and applies schedules. Passes do no I/O.

use terrace_ir::pass::PassRegistry;

/// Make every pass known to `r`.
pub fn register_all(r: &mut PassRegistry) {
    let _ = r;
}
