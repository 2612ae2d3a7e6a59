//! What compiled programs run on: buffers, devices, threads, profiles.
//!
//! Nothing here knows of the IR. A program that was compiled, or an interpreter,
//! reads its arguments through [`argspec`] and [`npy`] into [`buffer`]s, hands
//! them over by [`cabi`], and runs on a [`device`] or on the host's [`pool`] of
//! threads; what happened is recorded in a [`profile`] and checked by [`check`]. C
//! programs with regions for a device are linked with [`program`].

// Their panics would end programs whose output nobody reads: see `say`.
#![deny(clippy::print_stderr, clippy::print_stdout)]

pub mod argspec;
pub mod buffer;
pub mod cabi;
pub mod cache;
pub mod check;
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod device;
pub mod dtype;
#[cfg(feature = "emulator")]
pub mod emulator;
mod notice;
pub mod npy;
pub mod pool;
pub mod profile;
pub mod program;
pub mod random;
pub mod staging;

// Compiled programs find them in the archive of this crate.
pub use terrace_support as support;
