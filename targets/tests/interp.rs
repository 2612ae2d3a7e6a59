//! The interpreter on programs of every op group, against results worked out by hand or
//! by plain Rust, and every error it can report.

#[path = "interp/common.rs"]
mod common;

#[path = "interp/affine.rs"]
mod affine;
#[path = "interp/arith.rs"]
mod arith;
#[path = "interp/coherence.rs"]
mod coherence;
#[path = "interp/control.rs"]
mod control;
#[path = "interp/data.rs"]
mod data;
#[path = "interp/examples.rs"]
mod examples;
#[path = "interp/gpu.rs"]
mod gpu;
#[path = "interp/matrix.rs"]
mod matrix;
#[path = "interp/memref.rs"]
mod memref;
#[path = "interp/tasks.rs"]
mod tasks;
#[path = "interp/tile.rs"]
mod tile;
#[path = "interp/vector.rs"]
mod vector;
#[path = "interp/xfer.rs"]
mod xfer;
