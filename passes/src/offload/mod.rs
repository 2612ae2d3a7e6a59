//! Regions of a program that are offered to an accelerator.
//!
//! `notes` is what is said about a region to its author, as data.

pub mod notes;
