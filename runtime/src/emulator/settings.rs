//! What the emulated device is and checks.

use std::fmt::Write as _;
use terrace_emulator::{Checks, Class, Counts, MAX_DEVICES};
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
    /// How many such devices there are.
    pub devices: usize,
    /// Print counts for each launch.
    pub counts: bool,
}

impl Default for Settings {
    /// Every check, on a device of the first architecture described that has
    /// compute capability 9, with 16 GiB.
    fn default() -> Settings {
        let machines = machine::MACHINES;
        let nine = machines.iter().find(|m| m.arch.sm == 90);
        let machine = nine.unwrap_or(&machines[0]);
        Settings {
            checks: Checks {
                l2_bytes: machine.l2_bytes,
                ..Checks::default()
            },
            machine,
            memory_bytes: 16 << 30,
            devices: 1,
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
        let mut l2 = None;
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
                "devices" => {
                    let found = usize::try_from(number()?).unwrap_or(usize::MAX);
                    if !(1..=MAX_DEVICES).contains(&found) {
                        return Err(format!(
                            "`devices` is `{value}`, expected 1 to {MAX_DEVICES}"
                        ));
                    }
                    settings.devices = found;
                }
                "l2" => l2 = Some(number()?),
                "arch" => settings.machine = machine::by_name(value)?,
                _ => {
                    return Err(format!(
                        "`{name}` is no setting; there are `races`, `uninitialized`, `registers` and \
                         `counts` (`on` or `off`), `steps`, `threads`, `memory`, `devices` and `l2` (a number), and `arch`"
                    ));
                }
            }
        }
        settings.checks.l2_bytes = l2.unwrap_or(settings.machine.l2_bytes);
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

/// What a launch did, in a few lines; `l2_bytes` is what the machine's L2 cache holds.
pub(super) fn report(kernel: &str, c: &Counts, l2_bytes: u64) -> String {
    let mut out = format!(
        "emulator: {kernel}: {} thread instructions, {} warp instructions, {} divergent branches, \
         {} barriers",
        c.threads(),
        c.warp_instructions.iter().sum::<u64>(),
        c.divergences,
        c.barriers
    );
    let classes: Vec<String> = Class::ALL
        .iter()
        .zip(c.thread_instructions)
        .filter(|(_, n)| *n > 0)
        .map(|(class, n)| format!("{} {n}", class.name()))
        .collect();
    let _ = write!(out, "\n  by class: {}", classes.join(", "));
    for (what, m) in [
        ("loads", c.loads),
        ("stores", c.stores),
        ("atomics", c.atomics),
    ] {
        if m.requests > 0 {
            let _ = write!(
                out,
                "\n  global {what}: {} requests, {} sectors, {} lines, {} bytes",
                m.requests, m.sectors, m.lines, m.bytes
            );
        }
    }
    for (what, s) in [
        ("loads", c.shared_loads),
        ("stores", c.shared_stores),
        ("atomics", c.shared_atomics),
    ] {
        if s.requests > 0 {
            let _ = write!(
                out,
                "\n  shared {what}: {} requests, {} passes, {} of them for bank conflicts",
                s.requests, s.wavefronts, s.conflicts
            );
        }
    }
    let f = c.footprint;
    let _ = write!(
        out,
        "\n  footprint: {} sectors ({}), {} read, {} written",
        f.sectors,
        size(f.sectors * 32),
        f.read,
        f.written
    );
    let w = c.window_footprint;
    let _ = match c.windows {
        0 | 1 => write!(out, "; the L2 of {} holds it", size(l2_bytes)),
        n => write!(
            out,
            "; in {n} windows of the L2 of {}: {} sectors ({}), {} read, {} written",
            size(l2_bytes),
            w.sectors,
            size(w.sectors * 32),
            w.read,
            w.written
        ),
    };
    out
}

/// Bytes with a unit.
fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn footprints_are_held_against_the_cache() {
        let mut c = Counts::default();
        c.footprint.sectors = 100;
        c.footprint.read = 100;
        c.windows = 1;
        let text = report("k", &c, 1 << 20);
        assert!(
            text.ends_with(
                "footprint: 100 sectors (3.1 KiB), 100 read, 0 written; the L2 of 1.0 MiB holds it"
            ),
            "{text}"
        );
        c.windows = 3;
        c.window_footprint.sectors = 250;
        c.window_footprint.read = 250;
        let text = report("k", &c, 1280);
        assert!(
            text.ends_with(
                "; in 3 windows of the L2 of 1.2 KiB: 250 sectors (7.8 KiB), 250 read, 0 written"
            ),
            "{text}"
        );
    }

    #[test]
    fn settings_are_read_and_wrong_ones_named() {
        assert_eq!(Settings::parse(""), Ok(Settings::default()));
        let s = Settings::parse("races=off, counts,steps=50,arch=sm_75").unwrap();
        assert!(!s.checks.races && s.counts && s.checks.uninitialized);
        assert_eq!((s.checks.steps, s.info().compute_capability), (50, (7, 5)));
        assert_eq!(Settings::parse("devices=3").unwrap().devices, 3);
        for wrong in ["devices=0", "devices=9"] {
            let error = Settings::parse(wrong).unwrap_err();
            assert!(error.ends_with("expected 1 to 8"), "{error}");
        }
        assert!(Settings::parse("race=off").unwrap_err().contains("`races`"));
        assert!(
            Settings::parse("races=maybe")
                .unwrap_err()
                .contains("`on` or `off`")
        );
        assert!(Settings::parse("arch=sm_1").unwrap_err().contains("sm_70"));
    }
}
