//! A stream that is kept busy while the next launch is queued.
//!
//! An event on an idle device is reached at once, and a kernel behind it only when the host has
//! queued it and the device has fetched it: 4 to 8 us that would count as the kernel's (an empty one on
//! an H200 took 7.5 to 10.9, and takes 3.0). Behind a
//! kernel that waits for longer than that, both are queued before either is reached.

use crate::device::{Device, KernelId, LaunchConfig, StreamId};

/// Waits for as many cycles as it is told.
const PTX: &str = include_str!("hold.ptx");
/// 10 to 15 us of multiprocessors that run at 2 to 1.3 GHz.
const CYCLES: u64 = 20_000;

/// The kernel that waits, of one device.
#[derive(Debug, Default)]
pub(super) struct Hold {
    /// Once it was asked for; none where the device has it not.
    kernel: Option<Option<KernelId>>,
}

impl Hold {
    /// Keeps a stream busy. Where that fails, times are longer, and nothing else is wrong.
    pub fn begin(&mut self, device: &dyn Device, stream: StreamId) {
        let load = || {
            let module = device.load_module(PTX).ok()?;
            device.kernel(module, "terrace_hold").ok()
        };
        let Some(kernel) = *self.kernel.get_or_insert_with(load) else {
            return;
        };
        let config = LaunchConfig {
            grid: [1; 3],
            block: [1; 3],
            shared_bytes: 0,
            stream,
        };
        // SAFETY: the kernel takes one number of 8 bytes, and touches no memory.
        let _ = unsafe { device.launch(kernel, &config, &[CYCLES.into()]) };
    }
}
