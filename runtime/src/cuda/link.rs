//! What threads need to use a device: its context, and what is told of its faults. Shared
//! by the device and the thread that copies out for it.

use std::sync::{Arc, Mutex};

use cudarc::driver::sys;

use super::driver::Driver;
use super::lock;
use crate::device::DeviceError;

pub(super) struct Link {
    pub driver: &'static Driver,
    pub context: sys::CUcontext,
    /// The kernel launched last, for reporting a fault that is noticed later.
    pub last_kernel: Mutex<Option<Arc<str>>>,
}

// SAFETY: the driver's functions may be called from any thread; the context is only
// handed to them.
unsafe impl Send for Link {}
// SAFETY: as above.
unsafe impl Sync for Link {}

impl Link {
    /// Makes the context current for this thread. Every operation does so first, since
    /// other code may use the driver too.
    pub fn enter(&self) -> Result<&'static Driver, DeviceError> {
        // SAFETY: the device retains the context as long as anybody has this.
        let code = unsafe { (self.driver.ctx_set_current)(self.context) };
        self.driver.check(code, || "use the device".to_string())?;
        Ok(self.driver)
    }

    /// Checks the result of a call that waits for queued work, whose faults it reports:
    /// names the kernel that was launched last.
    pub fn check_wait(
        &self,
        code: u32,
        operation: impl FnOnce() -> String,
    ) -> Result<(), DeviceError> {
        self.driver
            .check(code, || match lock(&self.last_kernel).as_deref() {
                Some(kernel) => format!("{} (the kernel launched last is `{kernel}`)", operation()),
                None => operation(),
            })
    }
}
