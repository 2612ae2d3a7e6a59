//! An NVIDIA GPU in software: PTX text in, and a judgement of it.
//!
//! Kernels run warp by warp in lockstep, with divergence and reconvergence,
//! barriers, shared memory, shuffles and atomics. While they run everything
//! that a GPU lets pass in silence is looked for: accesses out of bounds,
//! misaligned or of memory never written, races, barriers that not all threads
//! reach, deadlocks. What the memory system would be asked for is counted: 32-byte
//! sectors, 128-byte lines, bank conflicts.
//!
//! | file | what |
//! | --- | --- |
//! | `memory` | allocations, with what was written |
//! | `races` | who touched what, and whether it was ordered |
//! | `value/` | what instructions compute, on the bits of one lane |
//! | `decode/` | the machine form to code that can be run |
//! | `warp` | registers, divergence |
//! | `wide` | loops over lanes, for the host's vector instructions |
//! | `step` | one instruction of one warp |
//! | `access`, `whole` | loads, stores, atomics; the common case of them |
//! | `sync` | shuffles, votes, reductions of a warp |
//! | `matrix` | matrix products, loads and stores of their operands |
//! | `copies` | asynchronous copies |
//! | `block`, `known` | warps, barriers, deadlock; which warps barriers of a part of the block order |
//! | `grid` | blocks on host threads |
//! | `count`, `footprint`, `finding` | what is counted, what is found |
//!
//! # What it is exact about
//! Instructions that the PTX manual rounds exactly give the GPU's bits. The
//! `.approx` ones are computed in double precision and rounded, which lies within
//! the manual's bounds and is not what the hardware gives to the last bit. Floating
//! atomics of several blocks come in an order that host threads decide, as on a GPU.
//!
//! Matrix products of halves and tf32 give the GPU's bits where no bit is lost: their
//! sums are cut as the hardware is known to cut them, which NVIDIA does not document.
//!
//! # Ordering of accesses
//! Threads of a block are ordered by its barriers, lanes of a warp also by
//! `bar.warp.sync`. Blocks are ordered where one writes after a fence what another
//! reads, both by atomic, volatile or relaxed accesses (the fence may be missing on
//! the reading side, as it is in much code). A fence is taken to cover its
//! whole block; this never reports ordered accesses as a race, and may miss
//! one in a kernel that uses fences. A write that changes nothing
//! is no race.

mod access;
mod block;
mod copies;
mod count;
mod decode;
mod finding;
mod footprint;
mod grid;
mod known;
mod matrix;
mod memory;
mod races;
mod step;
mod sync;
mod value;
mod warp;
mod whole;
mod wide;

pub use count::{Class, Counts, Footprint, InstCounts, MemoryCounts, SharedCounts};
pub use decode::{Kernel, LoadError, Module, Parameter};
pub use finding::{Finding, FindingKind, Site};
pub use grid::{Checks, Config, Launch, Outcome, launch};
pub use memory::{MAX_DEVICES, Memory, MemoryError};

/// Lanes of a warp.
pub const WARP: usize = 32;

/// One register of a warp: a value for each lane, in the low bits.
pub(crate) type Row = [u64; WARP];
