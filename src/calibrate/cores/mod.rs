//! `terrace calibrate --target cpu`: sizes of caches, bandwidths, and rates of arithmetic.
//!
//! Sizes are what the system says. Bandwidths are those of loops over arrays that fit into a
//! cache or none (`memory`), rates those of chains in registers that do not wait for one another
//! (`arithmetic`). Each is the best of several tries, since whatever else runs only slows. With
//! `TERRACE_NUM_THREADS` threads memory is read and written by so many at once.

mod arithmetic;
mod memory;
mod sizes;

use crate::runtime::pool::threads_from;
use crate::targets::machine::{CORE_RATES, CORES, CoreKind, CoreRates, Cores, Rate, Source};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The file that is written where none is named, in the folder of compiled kernels. Those that end
/// in `.machine` are of GPUs.
pub const FILE: &str = "host.cores";

/// How much work a measurement is.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// How long a try lasts at least.
    pub time: Duration,
    pub tries: u32,
    /// Bytes of an array that no cache holds.
    pub memory: usize,
    /// How many threads share the memory.
    pub threads: usize,
}

impl Default for Effort {
    /// Some seconds in all.
    fn default() -> Effort {
        let setting = std::env::var("TERRACE_NUM_THREADS").ok();
        Effort {
            time: Duration::from_millis(4),
            tries: 7,
            memory: 256 << 20,
            threads: threads_from(setting.as_deref()).unwrap_or(1),
        }
    }
}

impl Effort {
    /// Units a second of what does `units` a call: the best try.
    fn best(&self, units: f64, mut run: impl FnMut()) -> f64 {
        run();
        let mut best = 0f64;
        for _ in 0..self.tries.max(1) {
            let (start, mut calls) = (Instant::now(), 0u32);
            let taken = loop {
                run();
                calls += 1;
                let taken = start.elapsed();
                if taken >= self.time {
                    break taken;
                }
            };
            best = best.max(units * f64::from(calls) / taken.as_secs_f64());
        }
        best
    }
}

/// The description of the cores that this process may use.
///
/// # Errors
///
/// A kind of core of which there is no description.
pub fn measure(effort: &Effort) -> Result<Cores, String> {
    let kind = CoreKind::here().ok_or_else(|| {
        format!(
            "there is no description of {} cores, only of x86_64 and aarch64",
            std::env::consts::ARCH
        )
    })?;
    let mut found = Cores {
        kind,
        cores: effort.threads as u64,
        ..CORES
    };
    sizes::tell(&mut found);
    if kind == CoreKind::Aarch64 {
        found.vector_registers = 32;
    }
    for (key, gops) in arithmetic::rates(effort) {
        set(&mut found.rates, key, gops);
    }
    for (key, rate) in memory::rates(effort, &found) {
        set(&mut found.rates, key, rate);
    }
    Ok(found)
}

/// Notes a rate that was measured, with four digits.
fn set(rates: &mut CoreRates, key: &str, value: f64) {
    let Some(field) = CORE_RATES.iter().find(|f| f.key == key) else {
        return;
    };
    if value.is_finite() && value > 0.0 {
        let scale = 10f64.powi(3 - value.log10().floor() as i32);
        let rate = Rate::new((value * scale).round() / scale, Source::Measured);
        (field.set)(rates, rate);
    }
}

/// The table.
pub fn table(found: &Cores) -> String {
    let mut out = format!(
        "{}: {} of {}, caches of {}, {} and {} KiB\n",
        &*found.name,
        found.cores,
        found.kind,
        found.l1_bytes >> 10,
        found.l2_bytes >> 10,
        found.l3_bytes >> 10
    );
    for field in CORE_RATES {
        let rate = (field.get)(&found.rates);
        if rate.value > 0.0 {
            // Writing to a string does not fail.
            let _ = writeln!(
                out,
                "{:<16} {:>9} {:<9} {:<9} {}",
                field.key, rate.value, field.unit, rate.source, field.doc
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So little that the figures say nothing.
    const TINY: Effort = Effort {
        time: Duration::ZERO,
        tries: 1,
        memory: 1 << 20,
        threads: 2,
    };

    #[test]
    fn what_is_measured_is_a_description() {
        let found = measure(&TINY).unwrap();
        assert_eq!(Cores::read(&found.write()), Ok(found));
        assert_eq!(found.cores, 2);
        for key in [
            "mixed_gops",
            "chain_gops",
            "lines_per_us",
            "copy_gb_s",
            "l1_gb_s",
            "read_gb_s",
            "write_all_gb_s",
            "f64_add_128",
            "i32_mul_128",
        ] {
            let field = CORE_RATES.iter().find(|f| f.key == key).unwrap();
            let rate = (field.get)(&found.rates);
            assert_eq!(rate.source, Source::Measured, "{key}");
            assert!(table(&found).contains(key), "{key}");
        }
    }

    #[test]
    fn every_rate_that_is_measured_has_a_name() {
        let named = |key: &str| CORE_RATES.iter().any(|f| f.key == key);
        let all = arithmetic::rates(&TINY).into_iter();
        let all = all.chain(memory::rates(&TINY, &CORES));
        for (key, rate) in all {
            assert!(named(key), "{key}");
            assert!(rate > 0.0, "{key}");
        }
    }
}
