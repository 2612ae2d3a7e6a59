//! The functions that native code of a region calls for the device.

use super::image::slice;
use super::running::{FAILED, OK, with};
use crate::device::{DevicePtr, KernelArg, LaunchConfig, cooperative_grid};
use crate::profile::LaunchWork;
use crate::program::abi;
use crate::program::exhausted::explain;
use crate::program::fault::attributed;
use crate::program::report::Launched;

/// The address of new device memory; 0 after an error.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_gpu_alloc(bytes: u64, _op: u32) -> u64 {
    with(0, |r| {
        let size = abi::size(bytes);
        let mut state = r.runtime.state();
        let state = &mut *state;
        let device = &*r.runtime.device;
        let ptr = state
            .blocks
            .alloc(device, &mut state.queues, size, r.stream);
        match ptr {
            Ok(ptr) => Ok(ptr.0),
            Err(e) => {
                let said = attributed(&state.queues, &e);
                r.placed.set(said.is_some());
                Err(said.unwrap_or_else(|| {
                    let why = explain(state, device, e);
                    format!("no place for memory of the region ({bytes} bytes): {why}")
                }))
            }
        }
    })
}

/// Gives device memory back; what is queued may still use it.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_gpu_free(ptr: u64, _op: u32) -> i32 {
    with(FAILED, |r| {
        let mut state = r.runtime.state();
        let state = &mut *state;
        let freed = state
            .blocks
            .free(&*r.runtime.device, &state.queues, DevicePtr(ptr));
        let freed = match freed {
            Ok(freed) => freed,
            Err(e) => {
                let said = attributed(&state.queues, &e);
                r.placed.set(said.is_some());
                return Err(said.unwrap_or_else(|| e.to_string()));
            }
        };
        match freed {
            true => Ok(OK),
            false => Err(format!("{ptr:#x} is not device memory of this program")),
        }
    })
}

/// Sets `count` elements of `size` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_gpu_memset(ptr: u64, bits: u64, size: u32, count: u64, _op: u32) -> i32 {
    with(FAILED, |r| {
        let pattern = bits.to_ne_bytes();
        let size = usize::try_from(size)
            .ok()
            .filter(|n| matches!(n, 1 | 2 | 4 | 8));
        let size = size.ok_or("elements of a memset must have 1, 2, 4 or 8 bytes")?;
        let count = abi::size(count);
        let order = r.mark();
        let device = &*r.runtime.device;
        let set = device.memset(DevicePtr(ptr), &pattern[..size], count, r.stream);
        r.told(order);
        set.map_err(|e| r.say(e))?;
        Ok(OK)
    })
}

/// Whether [`terrace_gpu_work`] is to be told.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_gpu_profiled() -> i32 {
    with(0, |r| Ok(i32::from(r.runtime.report.wants_work())))
}

/// What the next launch does: arithmetic on floats of at most 32 bits and of 64, and the bytes
/// that memory must at least move; NaN is not known.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_gpu_work(flops32: f64, flops64: f64, bytes: f64) {
    with((), |r| {
        r.work.set(Some(LaunchWork {
            flops: [flops32, flops64],
            bytes,
        }));
        Ok(())
    });
}

/// Launches a kernel of the region's image; `grid` and `block` point to three sizes
/// each, `args` to `count` words.
///
/// # Safety
/// The pointers are to arrays of these lengths, and the words are the kernel's
/// arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_gpu_launch(
    kernel: u32,
    grid: *const u64,
    block: *const u64,
    shared: u32,
    args: *const u64,
    count: u32,
    op: u32,
) -> i32 {
    with(FAILED, |r| {
        // SAFETY: by the contract.
        let (grid, block, words) = unsafe {
            (
                slice(grid, 3),
                slice(block, 3),
                slice(args, u64::from(count)),
            )
        };
        let k = r
            .loaded
            .kernels
            .get(kernel as usize)
            .ok_or("a kernel that does not exist")?;
        if k.params.len() != words.len() {
            return Err(format!(
                "kernel {} takes {} parameters, but the launch passes {}",
                k.name,
                k.params.len(),
                words.len()
            ));
        }
        let mut config = LaunchConfig {
            grid: sizes(grid, "grid")?,
            block: sizes(block, "block")?,
            shared_bytes: shared,
            stream: r.stream,
        };
        let (id, name) = k.fitting(words)?;
        if k.cooperative {
            let room = r.runtime.device.resident_blocks(id, &config);
            config.grid = cooperative_grid(config.grid, room.map_err(|e| r.say(e))?);
        }
        k.check_indices(words, &config)?;
        let args: Vec<KernelArg> = words
            .iter()
            .zip(&k.params)
            .map(|(w, p)| KernelArg::of_word(*w, p.bytes))
            .collect();
        let (device, report) = (&*r.runtime.device, &r.runtime.report);
        let origin = r.origin(k, name, op);
        let order = {
            let mut state = r.runtime.state();
            let order = state.queues.mark_launch(r.stream, &origin);
            state.queues.open(r.stream, order);
            order
        };
        let launched = Launched {
            region: &r.name,
            kernel: name,
            id,
            place: &r.place,
            work: r.work.take(),
        };
        let begun = report.begin_launch(device, &config, Some(order), &launched);
        // SAFETY: sizes are those of the kernel's parameters; the addresses among them
        // are entered data, which leaves the device only after what is queued.
        let result = unsafe {
            match k.cooperative {
                true => device.launch_cooperative(id, &config, &args),
                false => device.launch(id, &config, &args),
            }
        };
        r.told(order);
        if let Err(e) = result {
            report.refused(begun);
            // It is not out, so that a fault is not taken to be its own.
            r.runtime.state().queues.unmark_launch(r.stream);
            return Err(r.say(e));
        }
        report.launched(device, &config, begun, &launched);
        if r.runtime.waits {
            let ticket = r.runtime.state().queues.told(r.stream);
            device.synchronize(r.stream).map_err(|e| r.say(e))?;
            r.runtime.state().queues.done(ticket);
        }
        Ok(OK)
    })
}

fn sizes(values: &[u64], what: &str) -> Result<[u32; 3], String> {
    let mut out = [0; 3];
    for (o, v) in out.iter_mut().zip(values) {
        *o = u32::try_from(*v).map_err(|_| format!("{what} size {} is out of range", *v as i64))?;
    }
    Ok(out)
}

/// Waits for the region's work so far.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_gpu_sync(_op: u32) -> i32 {
    with(FAILED, |r| {
        let ticket = r.runtime.state().queues.told(r.stream);
        r.runtime
            .device
            .synchronize(r.stream)
            .map_err(|e| r.say(e))?;
        r.runtime.state().queues.done(ticket);
        Ok(OK)
    })
}
