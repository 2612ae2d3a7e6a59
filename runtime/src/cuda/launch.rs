//! Launches of kernels.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::sys;

use super::{CudaDevice, Kernel, lock};
use crate::device::{
    DeviceError, KernelArg, KernelId, Launch, LaunchConfig, check_arguments, check_launch,
};

/// A list that is on the stack unless it is long: launches are many.
struct Few<T> {
    few: [T; 16],
    many: Vec<T>,
    length: usize,
}

impl<T: Copy> Few<T> {
    fn new(length: usize, fill: T) -> Few<T> {
        let few = [fill; 16];
        let many = match length > few.len() {
            true => vec![fill; length],
            false => Vec::new(),
        };
        Few { few, many, length }
    }

    fn all(&mut self) -> &mut [T] {
        match self.many.is_empty() {
            true => &mut self.few[..self.length],
            false => &mut self.many,
        }
    }
}

impl CudaDevice {
    /// [`Device::launch`](crate::device::Device::launch), and with `cooperative`
    /// [`Device::launch_cooperative`](crate::device::Device::launch_cooperative).
    ///
    /// # Safety
    /// As there.
    pub(super) unsafe fn start(
        &self,
        kernel: KernelId,
        config: &LaunchConfig,
        args: &[KernelArg],
        cooperative: bool,
    ) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        let found = self.find_kernel(kernel)?;
        let refused = |problem| DeviceError::Launch {
            kernel: found.name.to_string(),
            problem,
        };
        let stream = self.stream(config.stream)?;
        let mut sizes = Few::new(args.len(), 0usize);
        for (size, arg) in sizes.all().iter_mut().zip(args) {
            *size = arg.bytes().len();
        }
        check_arguments(&found.info, sizes.all()).map_err(refused)?;
        if check_launch(&self.info, &found.info, config).map_err(refused)? == Launch::Empty {
            return Ok(());
        }
        self.opt_in_shared(kernel, &found, config.shared_bytes)?;
        self.outbox.settle_stream(stream)?;
        // The driver copies the values before it returns, and does not write.
        let mut pointers = Few::new(args.len(), std::ptr::null_mut::<c_void>());
        for (pointer, arg) in pointers.all().iter_mut().zip(args) {
            *pointer = arg.bytes().as_ptr().cast_mut().cast();
        }
        let ([gx, gy, gz], [bx, by, bz]) = (config.grid, config.block);
        *lock(&self.link.last_kernel) = Some(Arc::clone(&found.name));
        // SAFETY: the function is loaded, the sizes are within its limits, and the
        // caller promises that the arguments are its parameters.
        let code = unsafe {
            let pointers = pointers.all().as_mut_ptr();
            let shared = config.shared_bytes;
            let function = found.function;
            match cooperative {
                true => (driver.launch_cooperative_kernel)(
                    function, gx, gy, gz, bx, by, bz, shared, stream, pointers,
                ),
                false => {
                    let none = std::ptr::null_mut();
                    (driver.launch_kernel)(
                        function, gx, gy, gz, bx, by, bz, shared, stream, pointers, none,
                    )
                }
            }
        };
        driver.check(code, || {
            format!(
                "launch kernel `{}` with grid {gx}x{gy}x{gz}, block {bx}x{by}x{bz}, {} bytes of \
                 dynamic shared memory",
                found.name, config.shared_bytes
            )
        })
    }

    /// [`Device::resident_blocks`](crate::device::Device::resident_blocks).
    pub(super) fn room_for(
        &self,
        kernel: KernelId,
        config: &LaunchConfig,
    ) -> Result<u32, DeviceError> {
        let driver = self.enter()?;
        let found = self.find_kernel(kernel)?;
        self.opt_in_shared(kernel, &found, config.shared_bytes)?;
        let threads: u32 = config.block.iter().fold(1, |n, d| n.saturating_mul(*d));
        let (mut blocks, threads) = (0, i32::try_from(threads).unwrap_or(i32::MAX));
        // SAFETY: the function is loaded, and the driver stores one number.
        let code = unsafe {
            let shared = config.shared_bytes as usize;
            (driver.occupancy_max_active_blocks)(&mut blocks, found.function, threads, shared)
        };
        driver.check(code, || {
            format!(
                "find how many blocks of kernel `{}` there is room for",
                found.name
            )
        })?;
        let each = u32::try_from(blocks).unwrap_or(0);
        Ok(each.saturating_mul(self.info.multiprocessors))
    }

    /// Prepares a function for this much dynamic shared memory. Above 48 KiB in
    /// all a kernel must opt in; the driver never needs to be told to go back.
    fn opt_in_shared(&self, id: KernelId, kernel: &Kernel, bytes: u32) -> Result<(), DeviceError> {
        let all = kernel.info.static_shared.saturating_add(bytes);
        if all <= self.info.shared_per_block || bytes <= kernel.dynamic_shared {
            return Ok(());
        }
        // Under the lock, since of two launches the one that asks for less must not be the
        // last to tell the driver.
        let mut handles = lock(&self.handles);
        let known = handles.kernels.get_mut(&id.0);
        if known.as_ref().is_some_and(|k| bytes <= k.dynamic_shared) {
            return Ok(());
        }
        let attribute =
            sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as u32;
        let value = i32::try_from(bytes).unwrap_or(i32::MAX);
        // SAFETY: the function is of a loaded module.
        let code = unsafe { (self.driver.func_set_attribute)(kernel.function, attribute, value) };
        self.driver.check(code, || {
            format!(
                "give kernel `{}` {bytes} bytes of dynamic shared memory",
                kernel.name
            )
        })?;
        if let Some(known) = known {
            known.dynamic_shared = bytes;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Few;

    #[test]
    fn short_and_long_lists() {
        for length in [0, 1, 16, 17, 100] {
            let mut list = Few::new(length, 7);
            assert_eq!(list.all(), vec![7; length]);
        }
    }
}
