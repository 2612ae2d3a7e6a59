//! What a kernel needs of a multiprocessor, and how many of its blocks that leaves room
//! for.

use crate::passes::region::notes::{KernelNote, ResidentNote};
use crate::targets::machine::{Limit, Request, by_name, occupancy};
use crate::targets::ptx::ptxas::{Ptxas, Resources};

/// Complete the notes of kernels, given as `entries` by their names in `ptx`.
pub(super) fn tell(
    kernels: &mut [KernelNote],
    entries: &[(String, String)],
    ptx: &str,
    arch: &str,
) {
    let assembled = match Ptxas::find() {
        None => Err("no ptxas found".to_string()),
        Some(ptxas) => ptxas.assemble(ptx, arch).map_err(|e| {
            let text = e.to_string();
            text.lines().next().unwrap_or_default().to_string()
        }),
    };
    for k in kernels {
        match &assembled {
            Ok(all) => {
                let entry = entries.iter().find(|(name, _)| *name == k.name);
                let found = entry.and_then(|(_, e)| all.iter().find(|r| r.kernel == *e));
                match found {
                    Some(r) => assembler(k, r),
                    None => k.registers_unknown = Some("ptxas does not tell them".to_string()),
                }
            }
            Err(why) => k.registers_unknown = Some(why.clone()),
        }
        resident(k, arch);
    }
}

fn assembler(k: &mut KernelNote, r: &Resources) {
    k.registers = Some(r.registers);
    k.spill_bytes = Some(u64::from(r.spill_store_bytes) + u64::from(r.spill_load_bytes));
    k.shared_bytes = Some(u64::from(r.shared_bytes));
    k.local_bytes = Some(u64::from(r.stack_bytes));
}

/// How many blocks fit; of a kernel of one thread nobody asks.
fn resident(k: &mut KernelNote, arch: &str) {
    let threads = k.block.iter().try_fold(1u32, |a, n| a.checked_mul(*n));
    let (Some(threads), Ok(machine)) = (threads.filter(|n| *n > 1), by_name(arch)) else {
        return;
    };
    let request = Request {
        threads_per_block: threads,
        registers_per_thread: k.registers.unwrap_or(0),
        shared_per_block: u32::try_from(k.shared_bytes.unwrap_or(0)).unwrap_or(u32::MAX),
    };
    match occupancy(machine, request) {
        Ok(o) => {
            k.occupancy = Some(o.fraction * 100.0);
            k.resident = Some(ResidentNote {
                arch: arch.to_string(),
                blocks: o.blocks_per_sm,
                most: machine.max_threads_per_sm / threads.next_multiple_of(machine.warp_size),
                limit: match o.limit {
                    Limit::Threads => "threads",
                    Limit::Blocks => "blocks",
                    Limit::Registers => "registers",
                    Limit::Shared => "shared memory",
                }
                .to_string(),
            });
        }
        Err(why) => k.remarks.push(format!("it cannot run: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(block: [u32; 3], registers: Option<u32>, shared: u64) -> KernelNote {
        let mut k = KernelNote {
            block,
            registers,
            shared_bytes: Some(shared),
            ..KernelNote::default()
        };
        resident(&mut k, "sm_80");
        k
    }

    fn told(k: &KernelNote) -> (u32, u32, &str, f64) {
        let r = k.resident.as_ref().unwrap();
        (r.blocks, r.most, &r.limit, k.occupancy.unwrap())
    }

    #[test]
    fn what_bounds_the_blocks() {
        assert_eq!(
            told(&kernel([32, 8, 1], Some(40), 0)),
            (6, 8, "registers", 75.0)
        );
        assert_eq!(
            told(&kernel([256, 1, 1], Some(32), 0)),
            (8, 8, "threads", 100.0)
        );
        assert_eq!(
            told(&kernel([32, 1, 1], Some(32), 0)),
            (32, 64, "blocks", 50.0)
        );
        // 164 KB, of which 49 KB a block.
        assert_eq!(
            told(&kernel([256, 1, 1], None, 48 << 10)),
            (3, 8, "shared memory", 37.5)
        );
        // Threads come in warps.
        assert_eq!(told(&kernel([33, 1, 1], Some(16), 0)).1, 32);
    }

    #[test]
    fn one_thread_and_too_many() {
        assert_eq!(kernel([1; 3], Some(40), 0).resident, None);
        let k = kernel([1024, 1, 1], Some(96), 0);
        assert_eq!(
            k.remarks,
            ["it cannot run: 98304 registers a block; an SM has 65536 to give"]
        );
    }
}
