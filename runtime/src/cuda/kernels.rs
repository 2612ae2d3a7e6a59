//! Modules that are loaded once, and kernels found in them once.

use std::ffi::CString;
use std::sync::Arc;

use cudarc::driver::sys;

use super::{CudaDevice, Kernel, Module, info, lock, module};
use crate::device::{DeviceError, KernelId, ModuleId};

impl CudaDevice {
    /// [`Device::load_module`](crate::device::Device::load_module).
    pub(super) fn load(&self, ptx: &str) -> Result<ModuleId, DeviceError> {
        let driver = self.enter()?;
        if let Some(id) = lock(&self.handles).by_text.get(ptx) {
            return Ok(ModuleId(*id));
        }
        // Not under the lock: compiling takes long, and others may work meanwhile.
        let handle = module::load_cached(driver, ptx, &self.info, self.cache.as_ref())?;
        let mut handles = lock(&self.handles);
        if let Some(id) = handles.by_text.get(ptx) {
            let id = *id;
            drop(handles);
            // Another thread was faster. SAFETY: nobody else knows this copy.
            let code = unsafe { (driver.module_unload)(handle) };
            driver.check(code, || "unload a module".to_string())?;
            return Ok(ModuleId(id));
        }
        let id = handles.fresh();
        handles.modules.insert(
            id,
            Module {
                handle,
                entries: module::entries(ptx),
                kernels: Default::default(),
            },
        );
        handles.by_text.insert(ptx.into(), id);
        Ok(ModuleId(id))
    }

    /// [`Device::kernel`](crate::device::Device::kernel).
    pub(super) fn entry(&self, module: ModuleId, name: &str) -> Result<KernelId, DeviceError> {
        let driver = self.enter()?;
        let mut handles = lock(&self.handles);
        let Some(found) = handles.modules.get(&module.0) else {
            return Err(DeviceError::BadHandle {
                what: "module",
                id: module.0,
            });
        };
        if let Some(id) = found.kernels.get(name) {
            return Ok(KernelId(*id));
        }
        let missing = || DeviceError::NoKernel {
            name: name.to_string(),
            available: found.entries.clone(),
        };
        let c_name = CString::new(name).map_err(|_| missing())?;
        let mut function: sys::CUfunction = std::ptr::null_mut();
        // SAFETY: the module is loaded, the name ends in NUL; one handle is stored.
        let code =
            unsafe { (driver.module_get_function)(&mut function, found.handle, c_name.as_ptr()) };
        if code == sys::CUresult::CUDA_ERROR_NOT_FOUND as u32 {
            return Err(missing());
        }
        driver.check(code, || format!("find kernel `{name}`"))?;
        let info = info::kernel_info(driver, function, name)?;
        let id = handles.fresh();
        handles.kernels.insert(
            id,
            Kernel {
                function,
                name: name.into(),
                info: Arc::new(info),
                dynamic_shared: 0,
            },
        );
        if let Some(module) = handles.modules.get_mut(&module.0) {
            module.kernels.insert(name.into(), id);
        }
        Ok(KernelId(id))
    }

    pub(super) fn find_kernel(&self, id: KernelId) -> Result<Kernel, DeviceError> {
        let handles = lock(&self.handles);
        handles
            .kernels
            .get(&id.0)
            .cloned()
            .ok_or(DeviceError::BadHandle {
                what: "kernel",
                id: id.0,
            })
    }
}
