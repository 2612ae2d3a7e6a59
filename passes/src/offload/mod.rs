//! Regions of a program that are offered to an accelerator.
//!
//! `map` makes kernels of their loops, `merge_kernels` one module of those; `notes` is what is said about a region to its author, as data.

pub mod map;
pub mod merge_kernels;
pub mod notes;
