//! Machine descriptions as data: what one SM has, what a launch may ask for,
//! and how fast the best-known part of each architecture is.
//!
//! Below everything that decides or emits: passes ask it what mappings cost, targets what a
//! kernel may use, the runtime what a peak is. A description is written as text, edited and
//! read again ([`write()`], [`read`]), so that one can be measured on the machine at hand.

mod arch;
mod cores;
mod data;
mod lines;
mod occupancy;
mod part;
mod rates;
mod text;

pub use arch::{Arch, Variant};
pub use cores::{CORE_RATES, CORES, CoreKind, CoreRates, Cores};
pub use data::MACHINES;
pub use lines::ReadError;
pub use occupancy::{Limit, Occupancy, OccupancyError, Request, occupancy};
pub use part::Part;
pub use rates::{RATES, Rate, RateField, Rates, Source};
pub use text::{inconsistencies, read, write};

/// One architecture and its best-known part, or one that was measured. Limits are of the
/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Machine {
    pub arch: Arch,
    /// The part that `sms`, `l2_bytes` and `rates` describe.
    pub part: Part,
    pub sms: u32,
    pub l2_bytes: u64,
    /// What one SM has for its L1 cache and shared memory together.
    pub l1_bytes: u32,
    /// What memory and caches move at once.
    pub sector_bytes: u32,
    /// What caches keep under one tag.
    pub line_bytes: u32,
    /// Banks of shared memory.
    pub shared_banks: u32,
    /// Consecutive bytes in a bank.
    pub bank_bytes: u32,
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
    /// Microseconds of so many clocks of a multiprocessor.
    pub fn microseconds(&self, clocks: f64) -> f64 {
        clocks / (self.rates.clock_ghz.value * 1e3)
    }

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
            assert!(inconsistencies(m).is_empty(), "{}", m.part);
            // What is counted by clocks and what by seconds agree.
            let peak = f64::from(m.sms) * m.rates.clock_ghz.value * 2e-3;
            for (lanes, tflops) in [
                (m.rates.f32_per_clock, m.rates.f32_tflops),
                (m.rates.f64_per_clock, m.rates.f64_tflops),
            ] {
                let ratio = lanes.value * peak / tflops.value;
                assert!((0.9..1.12).contains(&ratio), "{}: {ratio}", m.part);
            }
        }
        assert!(MACHINES.is_sorted_by_key(|m| m.arch.sm));
    }
}
