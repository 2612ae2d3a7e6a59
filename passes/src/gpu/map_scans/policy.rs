//! Sizes of blocks and tiles, and for which numbers of iterations.

use terrace_machine::{by_name, newest_for};

pub(crate) use crate::gpu::combine::LANES;

/// Warps of a block. Blocks of 256 threads leave 64 registers for each where
/// four of them are on a multiprocessor.
pub const WARPS: i64 = 8;

/// Bytes of a thread's elements in a tile. They are loaded before the first is used: with
/// 256 threads and four blocks 32 KB are under way on a multiprocessor, more than the latency
/// of the memory times a multiprocessor's part of its bandwidth (J. Little, "A proof for the
/// queuing formula L = λW", 1961: about 25 KB on an H200). Twice as many of 8 bytes took up
/// to 86 registers as relocatable code, with which only two or three blocks fit.
const BYTES: i64 = 32;

/// Elements of a thread in a tile, of a type of so many bits.
pub fn items(bits: u32) -> i64 {
    BYTES * 8 / i64::from(bits).max(8)
}

/// Bytes of a thread's elements in a tile of a scan in one pass, by the types of what is held of them. The
/// running value in front of a tile is there some microseconds after the tile was read, so that much must
/// be under way: with 256 threads, four blocks and two tiles of each, 192 KB (docs/lab/scans.md).
pub const TILE_BYTES: i64 = 96;

/// Blocks for each multiprocessor. They run at once where registers allow it, as they do but
/// for some of rows in parts.
const BLOCKS: i64 = 4;

/// Registers of a thread with which so many blocks run at once, of 64 K.
pub const REGISTERS: i64 = 65536 / (WARPS * LANES * BLOCKS);

/// Rows are not divided into fewer parts: two launches, and reading the rows twice, have to
/// pay.
pub const MIN_PARTS: i64 = 4;

/// Rows of up to so many elements have a warp each, which goes along them alone; longer ones
/// have a block.
pub const MAX_OF_WARP: i64 = 1024;

/// Rows side by side in a tile where there are no more of them than [`MAX_NARROW`]; else 32.
pub const NARROW: i64 = 8;
pub const MAX_NARROW: i64 = 16;

/// Rows side by side that are shorter stay as they are, a thread for each: there would be one tile or
/// two.
pub const MIN_COLUMN: i64 = 256;

/// Warps of a multiprocessor whose loads overlap: one for each of its schedulers.
const WARPS_OVERLAP: i64 = 4;

/// Rows that are shorter than a warp stay as they are: lanes would be idle.
pub const MIN_ROW: i64 = LANES;

/// Elements of all rows from which on there are kernels. An estimate, not measured: a
/// launch takes 2.5 us behind another, and a thread of the device that does one iteration
/// after another at least 10 ns for each. As text, the default of the pass's option.
pub const MIN: &str = "2048";

/// Parts of all rows together: as many blocks as run at once on the machine.
pub fn blocks(sm: u32) -> i64 {
    let machine = newest_for(sm).and_then(|name| by_name(&name).ok());
    machine.map_or(1, |m| i64::from(m.sms).max(1)) * BLOCKS
}

/// So many rows side by side fill the machine, and keep a thread each, whose loads overlap with those
/// of others. Fewer leave it waiting for one row after the other, and a scan has more threads. (H200, 16896: 18,361
/// columns of 777 doubles take 0.083 ms in order, and 0.147 in tiles; 4,999 of 3,001 floats 1.14 and 0.075.)
pub fn many_columns(sm: u32) -> i64 {
    blocks(sm) / BLOCKS * WARPS_OVERLAP * LANES
}
