//! Which devices a program runs on.

use super::super::RunError;
use super::super::executor::Program;
use super::super::options::Target;
use crate::dialects::xfer::device_number;
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::runtime::device::{Device, DeviceError, Driver, Several};
use crate::targets::machine;
use std::sync::Arc;

pub fn device_error(e: DeviceError) -> RunError {
    match e {
        DeviceError::NoDriver { .. }
        | DeviceError::LeftOut { .. }
        | DeviceError::NoDevice { .. } => RunError::NoDevice(e.to_string()),
        e => RunError::Program(vec![Diagnostic::error(DiagLoc::Unknown, e.to_string())]),
    }
}

/// The device of a target (a GPU or the emulator); number `TERRACE_DEVICE` where none is
/// given.
///
/// # Errors
///
/// A setting that is none, or that there is no such device.
pub fn open_device(target: Target, number: Option<usize>) -> Result<Arc<dyn Device>, RunError> {
    match target {
        Target::Gpu | Target::Emulator => open(target, chosen(number)?),
        Target::Cpu | Target::Interp => Err(RunError::Usage(vec![format!(
            "found target {}, expected gpu or emulator",
            target.name()
        )])),
    }
}

/// The number of the device that a program runs on: the one that is wanted, else
/// `TERRACE_DEVICE`, else 0.
///
/// # Errors
///
/// A setting that is none.
pub fn chosen(wanted: Option<usize>) -> Result<usize, RunError> {
    if let Some(number) = wanted {
        return Ok(number);
    }
    let text = std::env::var_os("TERRACE_DEVICE").unwrap_or_default();
    let text = text.to_string_lossy();
    match text.trim() {
        "" => Ok(0),
        number => number.parse().map_err(|_| {
            RunError::Usage(vec![format!(
                "found TERRACE_DEVICE=`{}`, expected the number of a device, from 0",
                number.escape_debug()
            )])
        }),
    }
}

pub fn open(target: Target, number: usize) -> Result<Arc<dyn Device>, RunError> {
    let driver = match target {
        Target::Emulator => Driver::Emulator,
        _ => Driver::Cuda,
    };
    driver.open(number).map_err(device_error)
}

/// The device with all others whose memory a program allocates: `#xfer.device` is the one
/// that was chosen, `#xfer.device<2>` number 2.
pub fn with_others(
    program: &Program,
    target: Target,
    number: usize,
    device: Arc<dyn Device>,
) -> Result<Arc<dyn Device>, RunError> {
    let ctx = &program.ctx;
    let mut numbers: Vec<u32> = Vec::new();
    for op in program.module.pre_order(ctx) {
        let results = op.results(ctx).into_iter();
        numbers.extend(results.filter_map(|r| device_number(ctx, r.ty(ctx))));
    }
    numbers.retain(|n| *n != 0);
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.is_empty() {
        return Ok(device);
    }
    let mut all = vec![(0, Arc::clone(&device))];
    for n in numbers {
        let other = match n as usize == number {
            true => Arc::clone(&device),
            false => open(target, n as usize)?,
        };
        all.push((n, other));
    }
    Ok(Arc::new(Several::new(all).map_err(device_error)?))
}

/// The newest architecture that there is a machine description for and the device runs.
pub fn arch_of(device: &dyn Device) -> Result<String, RunError> {
    let (major, minor) = device.info().compute_capability;
    machine::newest_for(major * 10 + minor).ok_or_else(|| {
        RunError::NoDevice(format!(
            "devices of compute capability {major}.{minor} are too old"
        ))
    })
}
