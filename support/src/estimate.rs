//! Whether a region of a program pays on a GPU: a model of two machines, for the compiler
//! and for programs while they run.
//!
//! The constants were fitted to the runs in `docs/lab/c-programs.md`; what they give is
//! within a factor of two or three, which is what choosing between machines needs.

/// What a region does, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// Arithmetic operations and accesses on the device.
    pub ops: f64,
    /// Bytes copied between host and device if nothing is there yet.
    pub moved: f64,
    /// The operations of the longest chain of dependent ones, all launches one after
    /// another, weighted by what they wait for.
    pub span: f64,
    pub launches: f64,
    /// Bytes that loads and stores of the device ask for, in whole sectors, without caches.
    pub touched: f64,
    /// Arithmetic operations and accesses on the host.
    pub host_ops: f64,
    /// Accesses on the host that need a cache line each.
    pub columns: f64,
    /// Operations on the host that wait for the iteration before.
    pub chained: f64,
    /// Arithmetic on floats of at most 32 bits, and of 64, on the device: a multiply-add
    /// is two, whatever else is one. They are among `ops`, and choose nothing: profiles
    /// show them.
    pub flops32: f64,
    pub flops64: f64,
}

/// A device, in units per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpuModel {
    /// Seconds until the first region of a program runs: the driver's start, and
    /// compiling the kernels.
    pub start: f64,
    /// Seconds from a launch to its end where it does nothing.
    pub launch: f64,
    /// Bytes per second between host and device.
    pub transfer: f64,
    /// Bytes per second of its memory.
    pub bandwidth: f64,
    /// Operations per second of all of it.
    pub rate: f64,
    /// Operations per second of one thread.
    pub thread_rate: f64,
}

/// The core that the region would run on else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpuModel {
    /// Operations per second where nothing waits.
    pub rate: f64,
    /// Cache lines per second, past the inner caches.
    pub lines: f64,
    /// Dependent operations per second.
    pub chain: f64,
    /// Bytes per second of memory, for what is past the caches.
    pub bandwidth: f64,
}

impl Default for GpuModel {
    /// Launches and transfers as they commonly are; a device of a middle size, for
    /// where the machine's own numbers are not known.
    fn default() -> GpuModel {
        GpuModel {
            start: 0.2,
            launch: 6e-6,
            transfer: 25e9,
            bandwidth: 1e12,
            rate: 2e12,
            thread_rate: 80e6,
        }
    }
}

impl CpuModel {
    /// Of what a core does in a second, the fields in their order; descriptions of cores
    /// (`targets/machine`) have these numbers.
    pub const fn of([rate, lines, chain, bandwidth]: [f64; 4]) -> CpuModel {
        CpuModel {
            rate,
            lines,
            chain,
            bandwidth,
        }
    }
}

impl Work {
    /// How many numbers it is made of.
    pub const NUMBERS: usize = 10;

    /// From what the function of the estimate returns: the fields in their order.
    pub fn from_results(results: [f64; Work::NUMBERS]) -> Work {
        let [
            ops,
            moved,
            span,
            launches,
            touched,
            host_ops,
            columns,
            chained,
            flops32,
            flops64,
        ] = results;
        Work {
            ops,
            moved,
            span,
            launches,
            touched,
            host_ops,
            columns,
            chained,
            flops32,
            flops64,
        }
    }

    /// How many operations can run at the same time, in the mean.
    pub fn iterations(&self) -> f64 {
        (self.ops / self.span.max(1.0)).max(1.0)
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
    /// All of these; without the start of the device.
    pub gpu: f64,
    pub cpu: f64,
}

/// What a region takes on both machines.
pub fn times(w: &Work, gpu: &GpuModel, cpu: &CpuModel) -> Times {
    let over = |a: f64, b: f64| if b > 0.0 { a / b } else { f64::INFINITY };
    let launches = w.launches * gpu.launch;
    let transfers = over(w.moved, gpu.transfer);
    let kernels = over(w.ops, gpu.rate)
        .max(over(w.touched, gpu.bandwidth))
        .max(over(w.span, gpu.thread_rate));
    // What is touched again is in a cache.
    let host = over(w.host_ops, cpu.rate)
        .max(over(w.columns, cpu.lines))
        .max(over(w.chained, cpu.chain))
        .max(over(w.moved, cpu.bandwidth));
    Times {
        launches,
        transfers,
        kernels,
        gpu: launches + transfers + kernels,
        cpu: host,
    }
}

/// Whether the region is faster on the device, copies included, and its start where the
/// program has not used it yet.
pub fn pays(w: &Work, gpu: &GpuModel, cpu: &CpuModel, started: bool) -> bool {
    let t = times(w, gpu, cpu);
    let start = if started { 0.0 } else { gpu.start };
    t.gpu + start < t.cpu
}

/// Seconds that a region which the author wants on the device may lose there.
pub const LOSS: f64 = 0.01;

/// What the device loses to the host in a run of a region that the author wants on it,
/// in seconds; 0 where it is not even twice as slow. Its start is not counted.
pub fn loss(w: &Work, gpu: &GpuModel, cpu: &CpuModel) -> f64 {
    let t = times(w, gpu, cpu);
    match t.gpu > 2.0 * t.cpu {
        true => t.gpu - t.cpu,
        false => 0.0,
    }
}

/// Whether such a region is better left on the host.
pub fn declines(w: &Work, gpu: &GpuModel, cpu: &CpuModel) -> bool {
    loss(w, gpu, cpu) > LOSS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core() -> CpuModel {
        CpuModel::of([24e9, 0.6e9, 0.9e9, 15e9])
    }

    #[test]
    fn large_work_pays_and_small_does_not() {
        let n = 2000.0f64;
        let ops = 2.0 * n.powi(3);
        let product = Work {
            ops,
            moved: 32.0 * n * n,
            span: 4.0 * n,
            launches: 1.0,
            touched: 9.0 * n.powi(3),
            host_ops: ops,
            columns: n.powi(3),
            chained: n.powi(3),
            ..Work::default()
        };
        let copy = Work {
            ops: 2.0 * n,
            moved: 16.0 * n,
            span: 2.0,
            launches: 1.0,
            touched: 16.0 * n,
            host_ops: 2.0 * n,
            ..Work::default()
        };
        let (gpu, cpu) = (GpuModel::of(132, 1_980_000, 3_201_000, 6144), core());
        assert!(gpu.bandwidth > 4e12 && gpu.rate > 1e13, "{gpu:?}");
        assert!(pays(&product, &gpu, &cpu, false) && !pays(&copy, &gpu, &cpu, true));
        assert_eq!(GpuModel::of(0, 0, 0, 0), GpuModel::default());
        // What is not a number does not pay.
        let wrong = Work::from_results([f64::NAN; Work::NUMBERS]);
        assert!(!pays(&wrong, &gpu, &cpu, true));
    }

    #[test]
    fn the_start_of_the_device_is_paid_once() {
        let (gpu, cpu) = (GpuModel::default(), core());
        // A tenth of a second on the host, a hundredth on the device.
        let work = Work {
            span: 0.01 * gpu.thread_rate,
            chained: 0.1 * cpu.chain,
            ..Work::default()
        };
        assert!(!pays(&work, &gpu, &cpu, false) && pays(&work, &gpu, &cpu, true));
    }

    #[test]
    fn a_little_may_be_lost_where_the_author_wants_it() {
        let (gpu, cpu) = (GpuModel::default(), core());
        let seconds = |device: f64, host: f64| Work {
            span: device * gpu.thread_rate,
            chained: host * cpu.chain,
            ..Work::default()
        };
        assert!(declines(&seconds(41.0, 2.0), &gpu, &cpu));
        assert!(!declines(&seconds(0.009, 0.0), &gpu, &cpu));
        assert!(!declines(&seconds(3.9, 2.0), &gpu, &cpu));
    }
}
