//! Devices by what drives them. Cargo features leave drivers out.

use super::{Device, DeviceError};
use std::sync::Arc;

/// What drives a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// NVIDIA's, for its GPUs.
    Cuda,
    /// The emulator.
    Emulator,
}

impl Driver {
    /// How many devices there are.
    ///
    /// # Errors
    ///
    /// There is no such driver, also where this build leaves it out; or what it says.
    pub fn count(self) -> Result<usize, DeviceError> {
        match self {
            #[cfg(feature = "cuda")]
            Driver::Cuda => crate::cuda::CudaDevice::count(),
            #[cfg(feature = "emulator")]
            Driver::Emulator => crate::emulator::EmulatorDevice::count(),
            #[allow(unreachable_patterns)]
            left_out => Err(left_out.left_out()),
        }
    }

    /// A device by its number, from 0.
    ///
    /// # Errors
    ///
    /// As [`Driver::count`], and where there is no such device.
    pub fn open(self, number: usize) -> Result<Arc<dyn Device>, DeviceError> {
        match self {
            #[cfg(feature = "cuda")]
            Driver::Cuda => Ok(Arc::new(crate::cuda::CudaDevice::open(number)?)),
            #[cfg(feature = "emulator")]
            Driver::Emulator => Ok(Arc::new(crate::emulator::EmulatorDevice::open(number)?)),
            #[allow(unreachable_patterns)]
            left_out => {
                let _ = number;
                Err(left_out.left_out())
            }
        }
    }

    /// Whether this build has it.
    pub const fn is_built(self) -> bool {
        match self {
            Driver::Cuda => cfg!(feature = "cuda"),
            Driver::Emulator => cfg!(feature = "emulator"),
        }
    }

    fn left_out(self) -> DeviceError {
        DeviceError::LeftOut {
            feature: match self {
                Driver::Cuda => "cuda",
                Driver::Emulator => "emulator",
            },
        }
    }
}
