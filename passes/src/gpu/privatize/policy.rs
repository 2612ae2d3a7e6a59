//! Sizes of blocks, how many copies, and when they pay.

use terrace_dialects::arith::AtomicRmwKind as K;
use terrace_ir::{Context, Type};
use terrace_machine::{by_name, newest_for};

/// Threads of a block. More of them share copies, of which there can be more then; three such
/// blocks leave a thread 40 registers, and the smallest multiprocessors hold no more threads.
pub const THREADS: i64 = 512;

/// Blocks of a multiprocessor.
const BLOCKS: i64 = 3;

/// Iterations of a thread that are under way at once. A multiprocessor then has 24 KB of
/// elements of 4 bytes under way, about what its share of the bandwidth times the latency of
/// the memory comes to (see `gpu-map-scans`); of narrower elements twice as many iterations.
const STEPS: i64 = 4;

/// Those of a thread that loads elements of so many bytes, and that updates an array so often
/// in an iteration.
pub fn steps(bytes: Option<i64>, updates: i64) -> i64 {
    let wanted = match bytes {
        Some(n) if n < 4 => 2 * STEPS,
        _ => STEPS,
    };
    (wanted / updates.max(1)).max(1)
}

/// Ops of an iteration of which several at once still fit the registers.
pub const MAX_JAMMED: usize = 32;

/// Registers of a thread whose iterations are a group: with more there would be two blocks.
pub const MAX_REGISTERS: i64 = 40;

/// Ops of an iteration of which as many as an access has bytes still fit the registers.
pub const MAX_GROUPED: usize = 8;

/// The most iterations of a loop for one iteration of the nest to count as straight code.
pub const MAX_SHORT: i64 = 16;

/// Copies are as many as lanes of a warp at most: then no two lanes have one.
pub const MAX_SHIFT: i64 = 5;

/// Bytes of all copies where there are several: three blocks fit the shared memory of all
/// machines.
pub const COPIES_BYTES: i64 = 32 * 1024;

/// Bytes of one copy that every machine gives a block, and those that are asked of machines
/// which have them (CUDA C++ Programming Guide, Technical Specifications per Compute Capability:
/// 99 KB for a block from 8.0 on).
const MAX_BYTES: i64 = 48 * 1024;
const MAX_BYTES_ASKED: i64 = 96 * 1024;

/// Updates from which on there are copies, and for each element of the array: below, to set
/// copies and to add them up takes longer than updates of the array itself. An estimate, from 5
/// to 11 updates of scattered elements in a nanosecond on an H100. As text, the default of the
/// pass's option.
pub const LEAST: &str = "32768";
pub const LEAST_OF_ELEMENT: i64 = 8;

/// Updates of a block for each element of the array, at least.
pub const LEAST_OF_BLOCK: i64 = 2;

/// What the machine has for copies.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Multiprocessors.
    pub sms: i64,
    /// Bytes of shared memory of each.
    pub of_sm: i64,
    /// What the system takes of that for each block.
    pub reserved: i64,
    /// Bytes that the copies of a block may have.
    pub of_block: i64,
}

impl Room {
    pub fn of(sm: u32) -> Room {
        let machine = newest_for(sm).and_then(|name| by_name(&name).ok());
        let machine = machine.map(|m| Room {
            sms: i64::from(m.sms).max(1),
            of_sm: i64::from(m.shared_per_sm),
            reserved: i64::from(m.shared_reserved_per_block),
            of_block: match i64::from(m.shared_per_block_opt_in) >= MAX_BYTES_ASKED {
                true => MAX_BYTES_ASKED,
                false => MAX_BYTES,
            },
        });
        machine.unwrap_or(Room {
            sms: 1,
            of_sm: MAX_BYTES,
            reserved: 0,
            of_block: MAX_BYTES,
        })
    }

    /// Blocks that run at once, of those with no more than [`COPIES_BYTES`].
    pub fn blocks(self) -> i64 {
        self.sms * BLOCKS
    }

    /// The most bytes of a block with which `blocks` are on a multiprocessor, for fewer than
    /// there are otherwise.
    pub fn fewer(self) -> impl Iterator<Item = (i64, i64)> {
        let bytes = move |blocks: i64| self.of_sm / blocks - self.reserved;
        (1..BLOCKS)
            .rev()
            .map(move |blocks| (bytes(blocks + 1), blocks))
    }
}

/// Whether shared memory has no instruction for an update: then lanes with one element try
/// again and again until each has had its turn.
pub fn is_tried(ctx: &Context, kind: K, ty: Type) -> bool {
    let in_one = matches!(
        kind,
        K::AddI | K::AndI | K::OrI | K::XOrI | K::MaxS | K::MaxU | K::MinS | K::MinU
    );
    !(in_one && ty.int_width(ctx) == Some(32))
}
