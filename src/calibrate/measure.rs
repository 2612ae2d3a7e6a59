//! What is measured, and how.

use super::bench::{Arg, Bench, said};
use super::kernels::{self, CHAIN, CHAINS, LOADS, Matrix, STEPS, THREADS};
use super::report::Measured;
use crate::mappings::statistics::median;
use crate::run::RunError;
use crate::runtime::device::{DeviceInfo, PinnedBuffer, StreamId};
use std::time::Instant;

/// How much work a measurement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Multiprocessors that get work.
    pub multiprocessors: u32,
    /// Bytes of each of the arrays that are copied.
    pub copied: usize,
    /// Bytes of the array that is read from the second-level cache, a power of two.
    pub cached: usize,
    /// Bytes of the array that indices are followed through in memory, a power of two.
    pub far: usize,
    /// Iterations of loops from registers.
    pub iterations: u64,
    /// Indices followed.
    pub hops: u64,
    /// Launches in a row.
    pub launches: u32,
    /// Bytes over the host link.
    pub linked: usize,
    pub repetitions: usize,
}

impl Effort {
    /// For a device: some seconds in all.
    pub fn of(info: &DeviceInfo, free: usize) -> Effort {
        let l2 = (info.l2_bytes as usize).max(1 << 20);
        // A third of the cache, since half of it may be a copy of the other half.
        let cached = power_below(l2 / 3);
        Effort {
            multiprocessors: info.multiprocessors.max(1),
            copied: power_below(free / 8).min(1 << 30),
            cached,
            far: power_below(free / 8).min(16 * power_below(l2)).min(1 << 29),
            iterations: 4096,
            hops: 20_000,
            launches: 1000,
            linked: 256 << 20,
            repetitions: 7,
        }
    }

    /// So little that the emulator does it in a second or two: the figures say nothing
    /// about a machine.
    pub fn tiny() -> Effort {
        Effort {
            multiprocessors: 1,
            copied: 16 << 10,
            cached: 64 << 10,
            far: 16 << 10,
            iterations: 2,
            hops: 40,
            launches: 4,
            linked: 16 << 10,
            repetitions: 1,
        }
    }
}

/// The largest power of two that is not larger, at least 64 KiB.
fn power_below(n: usize) -> usize {
    let n = n.max(64 << 10);
    1 << n.ilog2()
}

fn index(n: u64) -> Arg<'static> {
    Arg::Scalar(n.into())
}

/// Measures everything that the device has. Latencies and rates are in clocks where
/// descriptions have them so.
///
/// # Errors
///
/// Kernels that cannot be compiled, and what the device says.
pub fn measure(b: &Bench, e: &Effort) -> Result<Measured, RunError> {
    let sm = b.arch.trim_start_matches("sm_").parse::<u32>().unwrap_or(0);
    let mut out = Measured::default();
    // The clock rises with work.
    let f32s = multiply_add(b, e, "f32")?;
    let (ghz, arithmetic) = clocks(b, e)?;
    out.rate("clock_ghz", ghz);
    out.rate("memory_gb_s", copy(b, e)?);
    out.rate("l2_gb_s", second_level(b, e, 2 * e.multiprocessors)?);
    out.rate("l2_bytes_per_clock", second_level(b, e, 1)? / ghz);
    out.rate("shared_bytes_per_clock", shared(b, e)? / ghz);
    let (second, first) = (e.cached.min(4 << 20), 16 << 10);
    for (key, bytes) in [
        ("memory_latency", e.far),
        ("l2_latency", second),
        ("l1_latency", first),
    ] {
        out.rate(key, chase(b, e, bytes)? * ghz);
    }
    out.rate("shared_latency", chase_shared(b, e)? * ghz);
    out.rate("arithmetic_latency", arithmetic);
    let f64s = multiply_add(b, e, "f64")?;
    let i32s = multiply_add(b, e, "i32")?;
    // Two operations each, on all multiprocessors.
    let lanes = |tera: f64| tera * 1e3 / 2.0 / f64::from(e.multiprocessors) / ghz;
    for (key, tera) in [
        ("f32_per_clock", f32s),
        ("f64_per_clock", f64s),
        ("i32_per_clock", i32s),
    ] {
        out.rate(key, lanes(tera));
    }
    out.rate("f32_tflops", f32s);
    out.rate("f64_tflops", f64s);
    if sm >= 75 {
        // The shape that sm_75 has too is half as large.
        let shape = if sm >= 80 {
            kernels::F16
        } else {
            kernels::F16_SMALL
        };
        out.rate("f16_matrix_tflops", matrix(b, e, &shape)?);
    }
    if sm >= 80 {
        out.rate("tf32_matrix_tflops", matrix(b, e, &kernels::TF32)?);
        let mut f64s = matrix(b, e, &kernels::F64)?;
        if sm >= 90 {
            f64s = f64s.max(matrix(b, e, &kernels::F64_LARGE)?);
        }
        out.rate("f64_matrix_tflops", f64s);
    }
    out.rate("launch_us", launches(b, e)?);
    let (to, from) = link(b, e)?;
    out.rate("host_link_gb_s", to.min(from));
    out.note(format!(
        "pinned copies: {to:.1} GB/s to the device, {from:.1} GB/s back"
    ));
    Ok(out)
}

/// The clock in GHz, and the clocks from a multiply-add to one that needs it.
fn clocks(b: &Bench, e: &Effort) -> Result<(f64, f64), RunError> {
    let kernel = b.load_ptx(&kernels::clocks(), "clocks")?;
    let out = b.buffer(16)?;
    let run = |n: u64| -> Result<(f64, f64), RunError> {
        let us = b.time(&kernel, 1, 1, &[Arg::Array(&out, 2), index(n)])?;
        let mut bytes = [0; 16];
        out.download(&mut bytes).map_err(said)?;
        let mut first = [0; 8];
        first.copy_from_slice(&bytes[..8]);
        Ok((us, u64::from_ne_bytes(first) as f64))
    };
    let (short_us, short) = run(e.iterations)?;
    let (long_us, long) = run(5 * e.iterations)?;
    let all = (long - short).max(1.0);
    let ghz = all / positive(long_us - short_us) * 1e-3;
    Ok((ghz, all / (4.0 * e.iterations as f64 * CHAIN as f64)))
}

/// GB/s, bytes read and written.
fn copy(b: &Bench, e: &Effort) -> Result<f64, RunError> {
    let kernel = b.load(&kernels::copy())?;
    let (from, to) = (b.buffer(e.copied)?, b.buffer(e.copied)?);
    let zeros = b
        .device
        .memset(from.ptr(), &[0; 4], e.copied / 4, StreamId::MAIN);
    zeros.map_err(said)?;
    let n = e.copied / 4;
    let args = [Arg::Array(&from, n), Arg::Array(&to, n)];
    let us = b.time(&kernel, (n / 1024) as u32, THREADS, &args)?;
    Ok(2.0 * e.copied as f64 / us * 1e-3)
}

/// GB/s of so many blocks together, each with half a multiprocessor, or one that is alone.
fn second_level(b: &Bench, e: &Effort, blocks: u32) -> Result<f64, RunError> {
    let elements = e.cached / 4;
    let kernel = b.load(&kernels::second_level(elements))?;
    let a = b.buffer(e.cached)?;
    let zeros = b.device.memset(a.ptr(), &[0; 4], elements, StreamId::MAIN);
    zeros.map_err(said)?;
    let threads = blocks as usize * 1024;
    let out = b.buffer(threads * 4)?;
    let turns = (e.iterations / 16).max(1);
    // Not as far as an iteration goes, or blocks would follow each other.
    let apart = (elements / 4 / blocks as usize) as u64 * 37 + 8;
    let args = [
        Arg::Array(&a, elements),
        Arg::Array(&out, threads),
        index(apart),
        index(turns),
    ];
    let us = b.time(&kernel, blocks, 1024, &args)?;
    Ok(threads as f64 * turns as f64 * 16.0 * LOADS as f64 / us * 1e-3)
}

/// GB/s of one multiprocessor.
fn shared(b: &Bench, e: &Effort) -> Result<f64, RunError> {
    let kernel = b.load(&kernels::shared())?;
    let threads = 2 * e.multiprocessors as usize * 1024;
    let out = b.buffer(threads * 4)?;
    let args = |n| [Arg::Array(&out, threads), index(n)];
    // What is done before the loop takes as long in both.
    let n = e.iterations;
    let short = b.time(&kernel, 2 * e.multiprocessors, 1024, &args(n))?;
    let long = b.time(&kernel, 2 * e.multiprocessors, 1024, &args(3 * n))?;
    let bytes = 2048.0 * 2.0 * n as f64 * 16.0 * LOADS as f64;
    Ok(bytes / positive(long - short) * 1e-3)
}

/// Differences of short times may be nothing or less.
fn positive(us: f64) -> f64 {
    us.max(1e-3)
}

/// Nanoseconds of a load, through an array of so many bytes, a line of 128 at a time. Each
/// launch goes on where the one before stopped: what is in no cache at first is not in one
/// later, since all launches together do not get round an array that is larger than caches.
fn chase(b: &Bench, e: &Effort, bytes: usize) -> Result<f64, RunError> {
    const WORDS: usize = 16;
    let kernel = b.load(&kernels::chase())?;
    let (a, out) = (b.buffer(bytes)?, b.buffer(8)?);
    let mut words = vec![0u8; bytes];
    let lines = bytes / (8 * WORDS);
    for (line, to) in chain(lines).into_iter().enumerate() {
        let at = line * WORDS * 8;
        words[at..at + 8].copy_from_slice(&((to * WORDS) as u64).to_ne_bytes());
    }
    a.upload(&words).map_err(said)?;
    out.upload(&[0; 8]).map_err(said)?;
    let args = |n| [Arg::Array(&a, bytes / 8), Arg::Array(&out, 1), index(n)];
    if bytes > e.cached {
        // The end of the array came through the second-level cache just now.
        let other = b.buffer(bytes)?;
        let zeros = b
            .device
            .memset(other.ptr(), &[0; 4], bytes / 4, StreamId::MAIN);
        zeros
            .and_then(|()| b.device.synchronize(StreamId::MAIN))
            .map_err(said)?;
    }
    // All lines once, to have in a cache what stays there.
    if e.hops > 1000 && bytes <= e.cached {
        b.launch(&kernel, 1, 1, &args(lines as u64))?;
    }
    let short = b.time(&kernel, 1, 1, &args(e.hops))?;
    let long = b.time(&kernel, 1, 1, &args(2 * e.hops))?;
    Ok(positive(long - short) * 1e3 / e.hops as f64)
}

/// Where each of `n` (a power of two) leads to: one round through all of them, in an order
/// that no prefetcher guesses; a linear congruential sequence of full period (Hull and
/// Dobell, "Random number generators", SIAM Review 4, 1962).
fn chain(n: usize) -> Vec<usize> {
    let next = |i: usize| i.wrapping_mul(0x5_DEEC_E66D).wrapping_add(11) & (n - 1);
    (0..n).map(next).collect()
}

/// Nanoseconds of a load from shared memory.
fn chase_shared(b: &Bench, e: &Effort) -> Result<f64, RunError> {
    let kernel = b.load(&kernels::chase_shared())?;
    let out = b.buffer(8)?;
    let args = |n| [Arg::Array(&out, 1), index(n)];
    let short = b.time(&kernel, 1, 1, &args(e.hops))?;
    let long = b.time(&kernel, 1, 1, &args(2 * e.hops))?;
    Ok(positive(long - short) * 1e3 / e.hops as f64)
}

/// Blocks of [`THREADS`] that fill a multiprocessor.
const FULL: u32 = 8;

/// Tera-operations a second, two a multiply-add.
fn multiply_add(b: &Bench, e: &Effort, ty: &str) -> Result<f64, RunError> {
    let kernel = b.load(&kernels::multiply_add(&format!("fma_{ty}"), ty))?;
    let blocks = FULL * e.multiprocessors;
    let threads = (blocks * THREADS) as usize;
    let (x, y, size) = match ty {
        "f32" => (0.5f32.into(), 0.25f32.into(), 4),
        "f64" => (0.5f64.into(), 0.25f64.into(), 8),
        _ => (5i32.into(), 3i32.into(), 4),
    };
    let out = b.buffer(threads * size)?;
    let args = [
        Arg::Scalar(x),
        Arg::Scalar(y),
        Arg::Array(&out, threads),
        index(e.iterations),
    ];
    let us = b.time(&kernel, blocks, THREADS, &args)?;
    let each = 2.0 * (CHAINS * STEPS) as f64 * e.iterations as f64;
    Ok(each * threads as f64 / us * 1e-6)
}

/// TFLOP/s.
fn matrix(b: &Bench, e: &Effort, m: &Matrix) -> Result<f64, RunError> {
    let kernel = b.load(&m.text())?;
    // Accumulators take registers: half as many threads.
    let blocks = FULL / 2 * e.multiprocessors;
    let threads = (blocks * THREADS) as usize;
    let (x, size) = match m.sum {
        "f64" => (0.5f64.into(), 8),
        _ => (0.5f32.into(), 4),
    };
    let out = b.buffer(threads * size)?;
    let turns = (e.iterations / 4).max(1);
    let args = [Arg::Scalar(x), Arg::Array(&out, threads), index(turns)];
    let us = b.time(&kernel, blocks, THREADS, &args)?;
    let warps = threads as f64 / 32.0;
    Ok(m.operations() * (CHAINS * STEPS) as f64 * turns as f64 * warps / us * 1e-6)
}

/// Microseconds of an empty launch in a row of them, by the host's clock.
fn launches(b: &Bench, e: &Effort) -> Result<f64, RunError> {
    let kernel = b.load(&kernels::empty())?;
    let mut times = Vec::new();
    for repetition in 0..=b.repetitions {
        let start = Instant::now();
        b.row_of(&kernel, e.launches, &[0u64.into()])?;
        if repetition > 0 {
            times.push(start.elapsed().as_secs_f64() * 1e6 / f64::from(e.launches));
        }
    }
    Ok(median(&times))
}

/// GB/s of pinned copies to the device and back.
fn link(b: &Bench, e: &Effort) -> Result<(f64, f64), RunError> {
    let buffer = b.buffer(e.linked)?;
    let mut host = PinnedBuffer::new(&b.device, e.linked).map_err(said)?;
    host.fill(1);
    let (mut to, mut from) = (Vec::new(), Vec::new());
    for repetition in 0..=b.repetitions {
        let start = Instant::now();
        b.device.copy_h2d(buffer.ptr(), &host).map_err(said)?;
        let there = start.elapsed();
        b.device.copy_d2h(&mut host, buffer.ptr()).map_err(said)?;
        let back = start.elapsed() - there;
        if repetition > 0 {
            to.push(there.as_secs_f64());
            from.push(back.as_secs_f64());
        }
    }
    let rate = |times: &[f64]| e.linked as f64 / median(times).max(1e-9) * 1e-9;
    Ok((rate(&to), rate(&from)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_one_round() {
        for n in [1usize, 2, 128, 4096] {
            let to = chain(n);
            let (mut at, mut hops) = (0, 0);
            loop {
                at = to[at];
                hops += 1;
                if at == 0 {
                    break;
                }
            }
            assert_eq!(hops, n);
        }
    }

    #[test]
    fn sizes_are_powers_of_two() {
        assert_eq!(power_below(0), 64 << 10);
        assert_eq!(power_below((1 << 20) + 1), 1 << 20);
        let info = crate::runtime::device::DeviceInfo {
            multiprocessors: 132,
            l2_bytes: 60 << 20,
            ..Default::default()
        };
        let e = Effort::of(&info, 139 << 30);
        assert_eq!((e.cached, e.far, e.copied), (16 << 20, 512 << 20, 1 << 30));
    }
}
