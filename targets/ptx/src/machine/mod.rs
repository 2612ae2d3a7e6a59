//! Machine descriptions as data: what one SM has, what a launch may ask for,
//! and how fast the best-known part of each architecture is.

mod arch;
mod data;
mod occupancy;

pub use arch::{Arch, Variant};
pub use data::MACHINES;
pub use occupancy::{Limit, Occupancy, OccupancyError, Request, occupancy};

/// Where rates come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Measured with our own benchmarks.
    Measured,
    /// The vendor's data sheet; expect a tenth less.
    DataSheet,
}

/// Peak rates of the part.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rates {
    pub source: Source,
    /// Device memory, bytes read and written, GB/s.
    pub memory_gb_s: f64,
    /// Fused multiply-adds from registers, TFLOP/s (two a multiply-add).
    pub f32_tflops: f64,
    pub f64_tflops: f64,
    /// Matrix units with f16 or bf16 inputs, dense, TFLOP/s.
    pub f16_matrix_tflops: f64,
    /// Matrix units with tf32 inputs; none where they have no such mode.
    pub tf32_matrix_tflops: Option<f64>,
    /// Matrix units with f64 inputs; none where they have no such mode.
    pub f64_matrix_tflops: Option<f64>,
    /// An empty launch in a row of launches, microseconds.
    pub launch_us: f64,
    /// Pinned copies between host and device, GB/s, the slower direction.
    pub host_link_gb_s: f64,
}

/// One architecture and its best-known part.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Machine {
    pub arch: Arch,
    /// The part that `sms`, `l2_bytes` and `rates` describe.
    pub part: &'static str,
    pub sms: u32,
    pub l2_bytes: u64,
    pub warp_size: u32,
    pub max_threads_per_block: u32,
    /// Most threads of a block in x, y, z.
    pub max_block: [u32; 3],
    /// Most blocks of a grid in x, y, z.
    pub max_grid: [u32; 3],
    pub max_threads_per_sm: u32,
    pub max_blocks_per_sm: u32,
    /// 32-bit registers of one SM.
    pub registers_per_sm: u32,
    /// Parts of an SM that each hold their share of registers and warps.
    pub sm_partitions: u32,
    pub max_registers_per_thread: u32,
    /// Registers are handed to warps in multiples of this.
    pub register_granularity: u32,
    pub shared_per_sm: u32,
    /// Most a block gets without asking the driver.
    pub shared_per_block: u32,
    /// Most a block gets when the host asks for it, static and dynamic.
    pub shared_per_block_opt_in: u32,
    /// Shared memory that the system takes from every block.
    pub shared_reserved_per_block: u32,
    /// Shared memory is handed to blocks in multiples of this.
    pub shared_granularity: u32,
    /// Bytes of local memory of a thread.
    pub local_per_thread: u32,
    /// Bytes of `.const` variables of a module.
    pub constant_bytes: u32,
    pub rates: Rates,
}

impl Machine {
    /// Bytes of kernel parameters allowed in a PTX version.
    pub fn param_bytes(&self, version: (u8, u8)) -> u32 {
        if version >= (8, 1) && self.arch.sm >= 70 {
            32764
        } else {
            4352
        }
    }
}

/// The description of an architecture by its name, for example `sm_90` or
/// `sm_90a`. The error lists the names there are.
pub fn by_name(name: &str) -> Result<&'static Machine, String> {
    let found = name
        .parse::<Arch>()
        .ok()
        .and_then(|arch| MACHINES.iter().find(|m| m.arch.sm == arch.sm));
    found.ok_or_else(|| {
        format!(
            "unknown architecture '{name}'; known are {}",
            names().join(", ")
        )
    })
}

/// The description for an architecture; none if there is none.
pub fn by_arch(arch: Arch) -> Option<&'static Machine> {
    MACHINES.iter().find(|m| m.arch.sm == arch.sm)
}

/// The name of the newest architecture that a device of compute capability
/// `major * 10 + minor` runs.
pub fn newest_for(capability: u32) -> Option<String> {
    let runs = MACHINES
        .iter()
        .map(|m| m.arch.sm)
        .filter(|sm| u32::from(*sm) <= capability);
    runs.max().map(|sm| format!("sm_{sm}"))
}

/// The names that [`by_name`] knows, oldest first.
pub fn names() -> Vec<String> {
    MACHINES.iter().map(|m| m.arch.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_unknown_ones_listed() {
        for name in names() {
            assert_eq!(by_name(&name).map(|m| m.arch.to_string()), Ok(name));
        }
        assert_eq!(by_name("sm_90a").map(|m| m.arch.sm), Ok(90));
        let error = by_name("sm_61").unwrap_err();
        assert_eq!(
            error,
            "unknown architecture 'sm_61'; known are sm_70, sm_75, sm_80, sm_86, sm_89, sm_90, \
             sm_100, sm_120"
        );
        assert!(by_name("").is_err());
    }

    #[test]
    fn descriptions_are_consistent() {
        for m in MACHINES {
            assert!(
                m.shared_per_block <= m.shared_per_block_opt_in,
                "{}",
                m.part
            );
            assert!(
                m.shared_per_block_opt_in + m.shared_reserved_per_block <= m.shared_per_sm,
                "{}",
                m.part
            );
            assert_eq!(m.max_threads_per_sm % m.warp_size, 0, "{}", m.part);
            assert_eq!(m.registers_per_sm % m.sm_partitions, 0, "{}", m.part);
            assert!(m.rates.memory_gb_s > 0.0 && m.rates.f64_tflops > 0.0);
        }
        assert!(MACHINES.is_sorted_by_key(|m| m.arch.sm));
    }
}
