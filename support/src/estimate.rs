//! Whether a region of a program pays on a GPU: a model of two machines, for the compiler
//! and for programs while they run.
//!
//! What the first use of a device costs, about a third of a second, is not in it: a
//! program that runs long enough to have a choice pays it once.

/// What a region does, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// Arithmetic operations and accesses.
    pub ops: f64,
    /// Bytes copied between host and device if nothing is there yet.
    pub moved: f64,
    /// How many operations can run at the same time, in the mean.
    pub iterations: f64,
    pub launches: f64,
    /// Bytes that loads and stores ask for, without caches.
    pub touched: f64,
}

/// A device, in units per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpuModel {
    /// Seconds from a launch to its end where it does nothing.
    pub launch: f64,
    /// Bytes per second between host and device.
    pub transfer: f64,
    /// Bytes per second of its memory.
    pub bandwidth: f64,
    /// Operations per second of all of it.
    pub rate: f64,
    /// Operations per second of one thread, whose loads wait for memory.
    pub thread_rate: f64,
}

/// The cores that the region would run on else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpuModel {
    pub cores: f64,
    /// Operations per second of one core.
    pub rate: f64,
    /// Bytes per second of memory, for what is past the caches.
    pub bandwidth: f64,
}

impl Default for GpuModel {
    /// Launches and transfers as they commonly are; a device of a middle size, for
    /// where the machine's own numbers are not known.
    fn default() -> GpuModel {
        GpuModel {
            launch: 10e-6,
            transfer: 25e9,
            bandwidth: 1e12,
            rate: 2e12,
            thread_rate: 50e6,
        }
    }
}

impl Default for CpuModel {
    fn default() -> CpuModel {
        CpuModel {
            cores: 1.0,
            rate: 2e9,
            bandwidth: 10e9,
        }
    }
}

impl Work {
    /// From what the function of the estimate returns.
    pub fn from_results([ops, moved, iterations, launches, touched]: [f64; 5]) -> Work {
        Work {
            ops,
            moved,
            iterations,
            launches,
            touched,
        }
    }
}

impl GpuModel {
    /// The model of a device with these numbers: multiprocessors, their clock, and the
    /// clock and width of its memory. Zeros are not known.
    pub fn of(multiprocessors: u32, clock_khz: u32, memory_khz: u32, bus_bits: u32) -> GpuModel {
        let mut m = GpuModel::default();
        let rate = f64::from(multiprocessors) * 64.0 * f64::from(clock_khz) * 1e3;
        if rate > 0.0 {
            m.rate = rate;
        }
        // Two transfers per clock.
        let bandwidth = 2.0 * f64::from(memory_khz) * 1e3 * f64::from(bus_bits) / 8.0;
        if bandwidth > 0.0 {
            m.bandwidth = bandwidth;
        }
        m
    }
}

/// The terms of the comparison, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    pub launches: f64,
    pub transfers: f64,
    /// The longest of what arithmetic, memory and dependences need.
    pub kernels: f64,
    pub gpu: f64,
    pub cpu: f64,
}

/// What a region takes on both machines.
pub fn times(w: &Work, gpu: &GpuModel, cpu: &CpuModel) -> Times {
    let over = |a: f64, b: f64| if b > 0.0 { a / b } else { f64::INFINITY };
    let span = over(w.ops, w.iterations.max(1.0));
    let launches = w.launches * gpu.launch;
    let transfers = over(w.moved, gpu.transfer);
    let kernels = over(w.ops, gpu.rate)
        .max(over(w.touched, gpu.bandwidth))
        .max(over(span, gpu.thread_rate));
    // What is touched again is in a cache.
    let lanes = cpu.cores.min(w.iterations).max(1.0);
    let host = over(w.ops, cpu.rate * lanes).max(over(w.moved, cpu.bandwidth));
    Times {
        launches,
        transfers,
        kernels,
        gpu: launches + transfers + kernels,
        cpu: host,
    }
}

/// Whether the region is faster on the device, copies included.
pub fn pays(w: &Work, gpu: &GpuModel, cpu: &CpuModel) -> bool {
    let t = times(w, gpu, cpu);
    t.gpu < t.cpu
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_work_pays_and_small_does_not() {
        let n = 2000.0;
        let product = Work::from_results([2.0 * n * n * n, 32.0 * n * n, n * n, 1.0, 24.0 * n * n]);
        let copy = Work::from_results([2.0 * n, 16.0 * n, n, 1.0, 16.0 * n]);
        let (gpu, cpu) = (GpuModel::of(132, 1_980_000, 3_201_000, 6144), CpuModel::default());
        assert!(gpu.bandwidth > 4e12 && gpu.rate > 1e13, "{gpu:?}");
        assert!(pays(&product, &gpu, &cpu) && !pays(&copy, &gpu, &cpu));
        assert_eq!(GpuModel::of(0, 0, 0, 0), GpuModel::default());
        // What is not a number does not pay.
        let wrong = Work::from_results([f64::NAN; 5]);
        assert!(!pays(&wrong, &gpu, &cpu));
    }
}
