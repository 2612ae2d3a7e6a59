//! What can be known about a program without changing it.

pub mod call_graph;
pub mod conflict;
pub mod constraints;
pub mod dependence;
pub mod footprint;
pub mod fusion_legality;
pub mod intervening;
pub mod jam;
pub mod memory;
pub mod memref_graph;
pub mod pair;
pub mod parallel;
pub mod print;
pub mod ranges;
pub mod reduction;
pub mod region;
pub mod sizes;
pub mod slice;
pub mod staging;
pub mod tiling;
