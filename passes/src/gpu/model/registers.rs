//! Registers of a thread.

use terrace_machine::Machine;

/// Registers of a thread that ptxas aims at: as many as let a multiprocessor hold as many
/// threads as it can with blocks of that size. The driver reports 32 for most sizes of
/// blocks, 40 for 768 threads and 64 for 32 (`benches/gpu/mappings/h200.csv`); kernels that
/// need fewer have fewer, which does not change what is resident.
pub fn aimed_at(threads: u32, m: &Machine) -> u32 {
    let warps = threads.div_ceil(m.warp_size.max(1)).max(1);
    let threads = warps.saturating_mul(m.warp_size.max(1));
    let blocks = (m.max_threads_per_sm / threads).clamp(1, m.max_blocks_per_sm.max(1));
    let each = m.registers_per_sm / blocks.saturating_mul(threads).max(1);
    let granularity = (m.register_granularity / m.warp_size.max(1)).max(1);
    let whole = each / granularity * granularity;
    whole.clamp(16, m.max_registers_per_thread.max(16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace_machine::by_name;

    /// As the driver reports of kernels that could use more.
    #[test]
    fn as_the_driver_reports() {
        let m = by_name("sm_90").unwrap();
        let all = [
            (32, 64),
            (64, 32),
            (96, 32),
            (256, 32),
            (768, 40),
            (1024, 32),
        ];
        for (threads, registers) in all {
            assert_eq!(aimed_at(threads, m), registers, "{threads}");
        }
        assert!(aimed_at(u32::MAX, m) >= 16 && aimed_at(0, m) == aimed_at(32, m));
    }
}
