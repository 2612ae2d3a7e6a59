//! How many blocks of a kernel fit on one SM at a time.
//!
//! The rules are those of the CUDA occupancy calculator: warps, block slots,
//! registers (handed to whole warps, held by a quarter of the SM) and shared
//! memory each give a number of blocks, and the smallest holds.

use super::Machine;

/// What one block asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    pub threads_per_block: u32,
    pub registers_per_thread: u32,
    /// Static and dynamic together, bytes.
    pub shared_per_block: u32,
}

/// What stops more blocks from fitting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    Threads,
    Blocks,
    Registers,
    Shared,
}

/// The answer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Occupancy {
    pub blocks_per_sm: u32,
    pub warps_per_sm: u32,
    /// Warps held, out of those the SM can hold: 0 to 1.
    pub fraction: f64,
    pub limit: Limit,
}

/// A block that cannot run at all: what was asked, and what there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OccupancyError {
    NoThreads,
    Threads { asked: u32, most: u32 },
    RegistersPerThread { asked: u32, most: u32 },
    Registers { asked: u32, most: u32 },
    Shared { asked: u32, most: u32 },
}

impl std::fmt::Display for OccupancyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoThreads => write!(f, "a block of no threads; at least 1 is needed"),
            Self::Threads { asked, most } => {
                write!(f, "a block of {asked} threads; at most {most} are allowed")
            }
            Self::RegistersPerThread { asked, most } => {
                write!(f, "{asked} registers a thread; at most {most} are allowed")
            }
            Self::Registers { asked, most } => {
                write!(f, "{asked} registers a block; an SM has {most} to give")
            }
            Self::Shared { asked, most } => write!(
                f,
                "{asked} bytes of shared memory a block; at most {most} are allowed"
            ),
        }
    }
}

impl std::error::Error for OccupancyError {}

/// Blocks that fit on one SM at a time, or why not even one does.
pub fn occupancy(machine: &Machine, request: Request) -> Result<Occupancy, OccupancyError> {
    let m = machine;
    let r = request;
    if r.threads_per_block == 0 {
        return Err(OccupancyError::NoThreads);
    }
    if r.threads_per_block > m.max_threads_per_block {
        return Err(OccupancyError::Threads {
            asked: r.threads_per_block,
            most: m.max_threads_per_block,
        });
    }
    if r.registers_per_thread > m.max_registers_per_thread {
        return Err(OccupancyError::RegistersPerThread {
            asked: r.registers_per_thread,
            most: m.max_registers_per_thread,
        });
    }
    if r.shared_per_block > m.shared_per_block_opt_in {
        return Err(OccupancyError::Shared {
            asked: r.shared_per_block,
            most: m.shared_per_block_opt_in,
        });
    }
    let warps = r.threads_per_block.div_ceil(m.warp_size);
    let warp_slots = m.max_threads_per_sm / m.warp_size;
    let by_threads = warp_slots / warps;

    let regs_per_warp =
        (r.registers_per_thread.max(1) * m.warp_size).next_multiple_of(m.register_granularity);
    let per_partition = m.registers_per_sm / m.sm_partitions;
    let warps_by_regs = per_partition / regs_per_warp * m.sm_partitions;
    let by_regs = warps_by_regs / warps;
    if by_regs == 0 {
        return Err(OccupancyError::Registers {
            asked: regs_per_warp * warps,
            most: m.registers_per_sm,
        });
    }

    let shared =
        (r.shared_per_block + m.shared_reserved_per_block).next_multiple_of(m.shared_granularity);
    let by_shared = m
        .shared_per_sm
        .checked_div(shared)
        .unwrap_or(m.max_blocks_per_sm);

    let limits = [
        (by_threads, Limit::Threads),
        (m.max_blocks_per_sm, Limit::Blocks),
        (by_regs, Limit::Registers),
        (by_shared, Limit::Shared),
    ];
    let (blocks, limit) = limits
        .into_iter()
        .min_by_key(|(blocks, _)| *blocks)
        .unwrap_or((0, Limit::Threads));
    Ok(Occupancy {
        blocks_per_sm: blocks,
        warps_per_sm: blocks * warps,
        fraction: f64::from(blocks * warps) / f64::from(warp_slots),
        limit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_name;

    fn ask(arch: &str, threads: u32, regs: u32, shared: u32) -> Result<Occupancy, OccupancyError> {
        occupancy(
            by_name(arch).unwrap(),
            Request {
                threads_per_block: threads,
                registers_per_thread: regs,
                shared_per_block: shared,
            },
        )
    }

    #[test]
    fn each_limit_in_turn() {
        // Worked by hand from the calculator's rules.
        let full = ask("sm_90", 256, 32, 0).unwrap();
        assert_eq!((full.blocks_per_sm, full.fraction), (8, 1.0));
        assert_eq!(full.limit, Limit::Threads);
        let regs = ask("sm_90", 256, 128, 0).unwrap();
        assert_eq!((regs.blocks_per_sm, regs.limit), (2, Limit::Registers));
        let shared = ask("sm_90", 128, 32, 48 << 10).unwrap();
        assert_eq!((shared.blocks_per_sm, shared.limit), (4, Limit::Shared));
        let blocks = ask("sm_90", 32, 32, 0).unwrap();
        assert_eq!((blocks.blocks_per_sm, blocks.limit), (32, Limit::Blocks));
        assert_eq!(blocks.fraction, 0.5);
        // 40 registers: 1280 a warp, 12 warps a quarter, 48 in all.
        assert_eq!(ask("sm_80", 256, 40, 0).unwrap().blocks_per_sm, 6);
    }

    #[test]
    fn impossible_blocks_say_why() {
        let text = |r: Result<Occupancy, OccupancyError>| r.unwrap_err().to_string();
        assert_eq!(
            text(ask("sm_90", 2000, 32, 0)),
            "a block of 2000 threads; at most 1024 are allowed"
        );
        assert_eq!(
            text(ask("sm_90", 1024, 96, 0)),
            "98304 registers a block; an SM has 65536 to give"
        );
        assert_eq!(
            text(ask("sm_86", 128, 32, 120_000)),
            "120000 bytes of shared memory a block; at most 101376 are allowed"
        );
        assert_eq!(
            text(ask("sm_90", 128, 300, 0)),
            "300 registers a thread; at most 255 are allowed"
        );
        assert_eq!(ask("sm_90", 0, 32, 0), Err(OccupancyError::NoThreads));
        assert!(ask("sm_90", u32::MAX, u32::MAX, u32::MAX).is_err());
    }
}
