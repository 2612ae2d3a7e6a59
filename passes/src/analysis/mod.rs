//! What can be known about a program without changing it.

pub mod call_graph;
pub mod memory;
pub mod parallel;
pub mod reduction;
