//! CUDA's own handles of what a program uses, for calls of CUDA beside OpenACC (3.3, A.2.1). They
//! are null where there is no GPU of NVIDIA's: on the host, and on the emulator.

use std::ffi::{c_int, c_long, c_void};

use super::queue::resolve;
use crate::device::Handles;
use crate::program::failure::{of_call, run};
use crate::program::{Runtime, current};

impl Runtime {
    /// The vendor's handles, with that of a queue's stream.
    fn handles(&self, name: &str, queue: i64) -> Result<Option<Handles>, String> {
        let stream = {
            let mut state = self.state();
            state.queues.stream(&*self.device, queue)
        };
        let stream = stream.map_err(|e| of_call(name, e))?;
        self.device.handles(stream).map_err(|e| of_call(name, e))
    }

    /// Makes a stream of the program's own the one of a queue, once that is done with its old one.
    /// False where the device has none such.
    fn set_stream(&self, queue: i64, raw: *mut c_void) -> Result<bool, String> {
        let name = "acc_set_cuda_stream";
        self.wait(queue)?;
        let adopted = self.device.adopt_stream(raw);
        let Some(stream) = adopted.map_err(|e| of_call(name, e))? else {
            return Ok(false);
        };
        self.state().queues.set(queue, stream);
        Ok(true)
    }
}

fn of_queue(name: &str, queue: i64) -> Option<Handles> {
    run(|| match current::gpu() {
        Some(runtime) => runtime.handles(name, queue),
        None => Ok(None),
    })
}

/// The address of the `CUdevice` that this thread uses.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_current_cuda_device() -> *mut c_void {
    let handles = of_queue("acc_get_current_cuda_device", crate::program::queue::SYNC);
    handles.map_or(std::ptr::null_mut(), |h| h.device)
}

/// The `CUcontext` that this thread uses.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_current_cuda_context() -> *mut c_void {
    let handles = of_queue("acc_get_current_cuda_context", crate::program::queue::SYNC);
    handles.map_or(std::ptr::null_mut(), |h| h.context)
}

/// The `CUstream` of a queue.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_cuda_stream(queue: c_int) -> *mut c_void {
    let handles = of_queue("acc_get_cuda_stream", resolve(c_long::from(queue)));
    handles.map_or(std::ptr::null_mut(), |h| h.stream)
}

/// Makes a `CUstream` that of a queue; 1 if it is, 0 where there is no GPU.
///
/// # Safety
/// The stream lives until the queue has another one, or the program ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_set_cuda_stream(queue: c_int, stream: *mut c_void) -> c_int {
    run(|| {
        let queue = resolve(c_long::from(queue));
        let Some(runtime) = current::gpu().filter(|_| !stream.is_null()) else {
            return Ok(0);
        };
        if queue < 0 {
            return Err(format!(
                "terrace: acc_set_cuda_stream: found queue {queue}, expected a number from 0"
            ));
        }
        runtime.set_stream(queue, stream).map(c_int::from)
    })
}
