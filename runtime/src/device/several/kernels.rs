//! Modules and kernels, which each device has, and where a launch runs.

use super::Several;
use crate::device::{Device, DeviceError, DevicePtr, KernelArg, KernelId, LaunchConfig, ModuleId};

impl Several {
    /// [`Device::load_module`].
    pub(super) fn load(&self, ptx: &str) -> Result<ModuleId, DeviceError> {
        if let Some(id) = self.state().by_text.get(ptx) {
            return Ok(ModuleId(*id));
        }
        let modules = self.devices.iter().map(|(_, d)| d.load_module(ptx));
        let modules = modules.collect::<Result<Vec<_>, _>>()?;
        let mut state = self.state();
        if let Some(id) = state.by_text.get(ptx) {
            // Another thread was faster; the devices have it once.
            return Ok(ModuleId(*id));
        }
        let id = state.fresh();
        state.modules.insert(id, modules);
        state.by_text.insert(ptx.into(), id);
        Ok(ModuleId(id))
    }

    /// [`Device::kernel`].
    pub(super) fn entry(&self, module: ModuleId, name: &str) -> Result<KernelId, DeviceError> {
        let modules = self.state().modules.get(&module.0).cloned();
        let modules = modules.ok_or(DeviceError::BadHandle {
            what: "module",
            id: module.0,
        })?;
        let kernels = modules.iter().zip(&self.devices);
        let kernels = kernels.map(|(m, (_, d))| d.kernel(*m, name));
        let kernels = kernels.collect::<Result<Vec<_>, _>>()?;
        let mut state = self.state();
        if let Some((id, _)) = state.kernels.iter().find(|(_, k)| **k == kernels) {
            return Ok(KernelId(*id));
        }
        let id = state.fresh();
        state.kernels.insert(id, kernels);
        Ok(KernelId(id))
    }

    /// [`Device::resident_blocks`]: as many as each of the devices has room for.
    pub(super) fn room_for(
        &self,
        kernel: KernelId,
        config: &LaunchConfig,
    ) -> Result<u32, DeviceError> {
        let found = self.state().kernels.get(&kernel.0).cloned();
        let found = found.ok_or(DeviceError::BadHandle {
            what: "kernel",
            id: kernel.0,
        })?;
        let mut least = u32::MAX;
        for (kernel, (_, device)) in found.iter().zip(&self.devices) {
            least = least.min(device.resident_blocks(*kernel, config)?);
        }
        Ok(least)
    }

    /// [`Device::launch`], and with `cooperative` [`Device::launch_cooperative`].
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
        let found = self.state().kernels.get(&kernel.0).cloned();
        let found = found.ok_or(DeviceError::BadHandle {
            what: "kernel",
            id: kernel.0,
        })?;
        let index = match self.place(args) {
            Ok(index) => index.unwrap_or(0),
            Err(problem) => {
                return Err(DeviceError::Launch {
                    kernel: self.kernel_info(kernel)?.name,
                    problem,
                });
            }
        };
        let config = LaunchConfig {
            stream: self.turn(config.stream, index)?,
            ..*config
        };
        // SAFETY: the caller's promise; the kernel is the same on each device.
        unsafe {
            let device = self.device(index);
            match cooperative {
                true => device.launch_cooperative(found[index], &config, args),
                false => device.launch(found[index], &config, args),
            }
        }
    }

    /// The device that a launch's arrays are on; none where there are none.
    pub(super) fn place(&self, args: &[KernelArg]) -> Result<Option<usize>, String> {
        let state = self.state();
        let mut found: Option<(usize, usize)> = None;
        for (i, arg) in args.iter().enumerate() {
            let Ok(word) = arg.bytes().try_into() else {
                continue;
            };
            let Some(owner) = state.owner(DevicePtr(u64::from_ne_bytes(word))) else {
                continue;
            };
            match found {
                Some((other, first)) if other != owner => {
                    let number = |d: usize| self.devices[d].0;
                    return Err(format!(
                        "argument {first} is memory of device {}, argument {i} of device {}; a \
                         kernel runs on one device, so one has to be copied there first",
                        number(other),
                        number(owner)
                    ));
                }
                Some(_) => {}
                None => found = Some((owner, i)),
            }
        }
        Ok(found.map(|f| f.0))
    }
}
