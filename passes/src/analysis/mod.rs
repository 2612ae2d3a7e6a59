//! What can be known about a program without changing it.

pub mod conflict;
pub mod footprint;
pub mod call_graph;
pub mod memory;
pub mod parallel;
pub mod reduction;
pub mod tiling;
