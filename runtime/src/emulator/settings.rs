//! What the emulated device is and checks.

use terrace_emulator::{Checks, Counts};
use terrace_ptx::machine::{self, Machine};

use crate::device::DeviceInfo;

/// Settings, from text such as `races=off,steps=1000000,arch=sm_80`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    pub checks: Checks,
    /// What the device is like.
    pub machine: &'static Machine,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Print a line of counts for each launch.
    pub counts: bool,
}

impl Default for Settings {
    /// Every check, on a device of the first architecture described that has
    /// compute capability 9, with 16 GiB.
    fn default() -> Settings {
        let machines = machine::MACHINES;
        let nine = machines.iter().find(|m| m.arch.sm == 90);
        Settings {
            checks: Checks::default(),
            machine: nine.unwrap_or(&machines[0]),
            memory_bytes: 16 << 30,
            counts: false,
        }
    }
}

impl Settings {
    /// Reads settings, separated by commas. Those left out are as by default.
    ///
    /// # Errors
    /// What is no setting, and what would be.
    pub fn parse(text: &str) -> Result<Settings, String> {
        let mut settings = Settings::default();
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, "on"));
            let on = || match value {
                "on" | "1" => Ok(true),
                "off" | "0" => Ok(false),
                _ => Err(format!("`{name}` is `{value}`, expected `on` or `off`")),
            };
            let number = || {
                let parsed = value.parse::<u64>();
                parsed.map_err(|_| format!("`{name}` is `{value}`, expected a number"))
            };
            match name {
                "races" => settings.checks.races = on()?,
                "uninitialized" => settings.checks.uninitialized = on()?,
                "registers" => settings.checks.registers = on()?,
                "counts" => settings.counts = on()?,
                "steps" => settings.checks.steps = number()?,
                "threads" => settings.checks.threads = number()?.min(1024) as usize,
                "memory" => settings.memory_bytes = number()?,
                "arch" => settings.machine = machine::by_name(value)?,
                _ => {
                    return Err(format!(
                        "`{name}` is no setting; there are `races`, `uninitialized`, `registers` and \
                         `counts` (`on` or `off`), `steps`, `threads` and `memory` (a number), and `arch`"
                    ));
                }
            }
        }
        Ok(settings)
    }

    /// The device's facts.
    pub fn info(&self) -> DeviceInfo {
        let m = self.machine;
        let sm = u32::from(m.arch.sm);
        DeviceInfo {
            name: format!("the emulator ({})", m.arch),
            compute_capability: (sm / 10, sm % 10),
            multiprocessors: m.sms,
            warp_size: m.warp_size,
            max_threads_per_block: m.max_threads_per_block,
            max_block: m.max_block,
            max_grid: m.max_grid,
            max_threads_per_multiprocessor: m.max_threads_per_sm,
            max_blocks_per_multiprocessor: m.max_blocks_per_sm,
            shared_per_block: m.shared_per_block,
            shared_per_block_optin: m.shared_per_block_opt_in,
            shared_per_multiprocessor: m.shared_per_sm,
            shared_reserved_per_block: m.shared_reserved_per_block,
            registers_per_block: m.registers_per_sm,
            registers_per_multiprocessor: m.registers_per_sm,
            l2_bytes: u32::try_from(m.l2_bytes).unwrap_or(u32::MAX),
            total_memory: self.memory_bytes as usize,
            clock_khz: 0,
            memory_clock_khz: 0,
            memory_bus_bits: 0,
            driver_version: 0,
        }
    }
}

/// What a launch did, on one line.
pub(super) fn line(kernel: &str, c: &Counts) -> String {
    let global = |m: terrace_emulator::MemoryCounts| {
        format!(
            "{} requests, {} sectors, {} bytes",
            m.requests, m.sectors, m.bytes
        )
    };
    let shared =
        c.shared_loads.wavefronts + c.shared_stores.wavefronts + c.shared_atomics.wavefronts;
    let conflicts =
        c.shared_loads.conflicts + c.shared_stores.conflicts + c.shared_atomics.conflicts;
    format!(
        "emulator: {kernel}: {} instructions of threads, {} divergent branches; loads: {}; stores: {}; \
         atomics: {}; {} different sectors; shared memory: {shared} passes, {conflicts} of them for \
         bank conflicts",
        c.threads(),
        c.divergences,
        global(c.loads),
        global(c.stores),
        global(c.atomics),
        c.footprint.sectors,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_and_wrong_ones_named() {
        assert_eq!(Settings::parse(""), Ok(Settings::default()));
        let s = Settings::parse("races=off, counts,steps=50,arch=sm_75").unwrap();
        assert!(!s.checks.races && s.counts && s.checks.uninitialized);
        assert_eq!((s.checks.steps, s.info().compute_capability), (50, (7, 5)));
        assert!(Settings::parse("race=off").unwrap_err().contains("`races`"));
        assert!(
            Settings::parse("races=maybe")
                .unwrap_err()
                .contains("`on` or `off`")
        );
        assert!(Settings::parse("arch=sm_1").unwrap_err().contains("sm_70"));
    }
}
