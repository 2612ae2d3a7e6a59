//! What launches do, and the most that a device can.

use terrace_ptx::machine::{Arch, Machine, by_arch};

use crate::device::Device;

/// What a launch does, as the compiler counted it. NaN is not known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaunchWork {
    /// Arithmetic on floats of at most 32 bits, and of 64.
    pub flops: [f64; 2],
    /// What memory must at least move.
    pub bytes: f64,
}

impl LaunchWork {
    /// All arithmetic, if it is known.
    pub fn all_flops(&self) -> Option<f64> {
        let all = self.flops[0] + self.flops[1];
        all.is_finite().then_some(all)
    }

    /// The bytes, if they are known.
    pub fn known_bytes(&self) -> Option<f64> {
        self.bytes.is_finite().then_some(self.bytes)
    }
}

/// The most that a device can do, in 10^9 a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peaks {
    /// Operations on floats of at most 32 bits, and of 64.
    pub gflops: [f64; 2],
    pub gigabytes: f64,
}

impl Peaks {
    /// Of a device's kind. Of an emulated one times mean nothing.
    pub fn of(device: &dyn Device) -> Option<Peaks> {
        let rates = &machine(device)?.rates;
        Some(Peaks {
            gflops: [rates.f32_tflops.value * 1e3, rates.f64_tflops.value * 1e3],
            gigabytes: rates.memory_gb_s.value,
        })
    }

    /// The share of the peak of arithmetic, and of that of memory, that so much in so many
    /// microseconds is.
    pub fn shares(&self, work: &LaunchWork, microseconds: f64) -> [Option<f64>; 2] {
        let share = |least: f64| {
            let share = least / microseconds;
            (microseconds > 0.0 && share.is_finite()).then_some(share)
        };
        let [f32s, f64s] = work.flops;
        let arithmetic = (f32s / self.gflops[0] + f64s / self.gflops[1]) * 1e-3;
        [share(arithmetic), share(work.bytes / self.gigabytes * 1e-3)]
    }
}

/// What is known of a device's kind.
pub(crate) fn machine(device: &dyn Device) -> Option<&'static Machine> {
    if device.looks_at_accesses() {
        return None;
    }
    let (major, minor) = device.info().compute_capability;
    by_arch(Arch::sm(u16::try_from(major * 10 + minor).ok()?))
}
