//! What every device must do: one list of cases, run on each. `tests/devices.rs` runs it
//! on the emulator, on the host's cores and, where there is one, on a GPU;
//! `examples/device_suite.rs` on the device that it is told.

mod kernels;
mod memory;
mod modules;
mod streams;
mod threads;

use std::fmt::Display;
use std::sync::Arc;
use std::time::Instant;

use terrace_runtime::cpu::CpuDevice;
use terrace_runtime::cuda::CudaDevice;
use terrace_runtime::device::{
    Device, DeviceBuffer, DeviceError, DevicePtr, KernelArg, KernelId, LaunchConfig, Several,
    StreamId,
};
use terrace_runtime::emulator::{EmulatorDevice, Settings};

/// Why a case failed, or why there is nothing to try.
#[derive(Debug)]
pub enum Not {
    Right(String),
    Here(&'static str),
}

impl<E: Display> From<E> for Not {
    fn from(error: E) -> Not {
        Not::Right(error.to_string())
    }
}

/// What a case comes to.
pub type Verdict = Result<(), Not>;

/// A case.
pub struct Case {
    pub name: &'static str,
    pub run: fn(&Arc<dyn Device>) -> Verdict,
    /// Leaves the device unusable.
    pub last: bool,
}

/// All, those that leave the device unusable at the end.
pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    all.extend(memory::CASES);
    all.extend(modules::CASES);
    all.extend(streams::CASES);
    all.extend(threads::CASES);
    let mut all: Vec<Case> = all
        .into_iter()
        .map(|(name, run)| Case {
            name,
            run,
            last: false,
        })
        .collect();
    all.extend(modules::LAST.map(|(name, run)| Case {
        name,
        run,
        last: true,
    }));
    all
}

/// Runs all cases on a device; the lines that say what came out, and the number of those
/// that failed.
pub fn run(device: &Arc<dyn Device>, mut say: impl FnMut(String)) -> usize {
    let mut failed = 0;
    for case in cases() {
        let start = Instant::now();
        let before = device.allocated();
        let verdict = (case.run)(device);
        let time = start.elapsed().as_secs_f64();
        let after = device.allocated();
        let leak = format!("{before:?} allocations and bytes before, {after:?} behind");
        let line = match verdict {
            Ok(()) if before == after || case.last => format!("PASS  {} ({time:.2} s)", case.name),
            Ok(()) => {
                failed += 1;
                format!("FAIL  {}: {leak}", case.name)
            }
            Err(Not::Here(why)) => format!("SKIP  {}: {why}", case.name),
            Err(Not::Right(why)) => {
                failed += 1;
                format!("FAIL  {}: {why}", case.name)
            }
        };
        say(line);
    }
    failed
}

/// The emulator, with little memory so that it can be filled.
pub fn emulator() -> Arc<dyn Device> {
    Arc::new(EmulatorDevice::new(Settings {
        memory_bytes: 64 << 20,
        ..Settings::default()
    }))
}

/// Two emulated devices as one.
pub fn several() -> Arc<dyn Device> {
    let settings = Settings {
        memory_bytes: 64 << 20,
        ..Settings::default()
    };
    let device = |n| -> (u32, Arc<dyn Device>) {
        (n, Arc::new(EmulatorDevice::numbered(n as usize, settings)))
    };
    Arc::new(Several::new(vec![device(0), device(1)]).expect("a device"))
}

/// The host's cores, with as much.
pub fn cpu() -> Arc<dyn Device> {
    Arc::new(CpuDevice::new(64 << 20, &kernels::NATIVE).expect("threads for streams"))
}

/// A GPU, if there is one.
pub fn cuda(ordinal: usize) -> Result<Arc<dyn Device>, DeviceError> {
    Ok(Arc::new(CudaDevice::open(ordinal)?))
}

/// All GPUs as one device, if there is one at least.
pub fn all_cuda() -> Result<Arc<dyn Device>, DeviceError> {
    let number =
        |n: usize| -> Result<(u32, Arc<dyn Device>), DeviceError> { Ok((n as u32, cuda(n)?)) };
    let all = (0..CudaDevice::count()?.max(1)).map(number);
    Ok(Arc::new(Several::new(all.collect::<Result<_, _>>()?)?))
}

/// Fails unless the condition holds.
fn ensure(condition: bool, message: impl Into<String>) -> Verdict {
    match condition {
        true => Ok(()),
        false => Err(Not::Right(message.into())),
    }
}

/// Fails unless the operation failed as `right` says.
fn refused<T>(
    what: &str,
    result: Result<T, DeviceError>,
    right: impl FnOnce(&DeviceError) -> bool,
) -> Verdict {
    match result {
        Ok(_) => Err(Not::Right(format!("{what}: it should have failed"))),
        Err(error) => ensure(right(&error), format!("{what}: another error: {error}")),
    }
}

fn kernel(device: &Arc<dyn Device>, name: &str) -> Result<KernelId, DeviceError> {
    let module = device.load_module(kernels::PTX)?;
    device.kernel(module, name)
}

/// A launch in one dimension.
fn grid(n: usize, stream: StreamId) -> LaunchConfig {
    LaunchConfig {
        grid: [(n.div_ceil(128)) as u32, 1, 1],
        block: [128, 1, 1],
        shared_bytes: 0,
        stream,
    }
}

/// a[i] = a[i] * s + 1.
fn scale(
    device: &Arc<dyn Device>,
    a: DevicePtr,
    n: usize,
    s: f64,
    stream: StreamId,
) -> Result<(), DeviceError> {
    let args: [KernelArg; 3] = [a.into(), (n as u32).into(), s.into()];
    let kernel = kernel(device, "scale")?;
    // SAFETY: the parameters are n doubles, n and a number; the callers keep them.
    unsafe { device.launch(kernel, &grid(n, stream), &args) }
}

fn bytes_of(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_ne_bytes()).collect()
}

fn doubles(buffer: &DeviceBuffer, n: usize) -> Result<Vec<f64>, DeviceError> {
    let mut bytes = vec![0; n * 8];
    buffer.download(&mut bytes)?;
    let value = |c: &[u8]| f64::from_ne_bytes(c.try_into().unwrap_or_default());
    Ok(bytes.chunks_exact(8).map(value).collect())
}

/// Bytes that differ from their neighbours and between calls with another seed.
fn pattern(n: usize, seed: usize) -> Vec<u8> {
    (0..n).map(|i| ((i * 31 + i / 251) ^ seed) as u8).collect()
}
