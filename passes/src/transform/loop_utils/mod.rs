//! Mechanics of loop transformations, shared by the passes that decide where and how
//! far to apply them.

pub mod band;
pub mod bounds;
pub mod carry;
pub mod coalesce_scf;
pub mod normalize;
pub mod promote;
pub mod redirect;
pub mod separate;
pub mod sink;
pub mod threads;
pub mod tile;
pub mod unroll;
