//! The kernel of a matrix product.
//!
//! A block computes a tile of the result. Slabs of both factors, as deep as the plan
//! says, go to workgroup memory by copies in the background, several under way while one
//! is multiplied: one barrier a slab. Elements outside the matrices are filled in with
//! zeros, so that edges take the same path.
//!
//! | file | what |
//! | --- | --- |
//! | `aside` | statements of the nest that are not the product's |
//! | `batch` | which of products side by side is a block's |
//! | `choice` | between kernels of several shapes, and loops |
//! | `describe` | what the launch says of itself |
//! | `frame` | the launch, and which tile is a block's |
//! | `split` | products of few blocks in parts of k |
//! | `slabs` | the factors in workgroup memory |
//! | `copies` | how they get there |
//! | `passes` | the loop over the slabs |
//! | `number` | a thread's number, kept over the slabs |
//! | `pairs` | rows by two counters |
//! | `ragged` | slabs of which some elements lack some of k |
//! | `units` | what multiplies: matrix units, or tiles in registers |
//! | `halves` | fragments of factors of 16 bits |
//! | `elements` | what is computed of single elements, before and behind the sum |
//! | `work` | what the program does, for profiles |
//! | `numbers` | arithmetic on indices |

mod aside;
mod batch;
mod choice;
mod copies;
mod describe;
mod elements;
mod frame;
mod halves;
mod number;
mod pairs;
mod passes;
mod ragged;
mod slabs;
mod split;
mod units;
mod work;

pub use choice::{Divided, emit};
