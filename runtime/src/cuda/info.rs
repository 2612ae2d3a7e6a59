//! Asking the driver what a device and a kernel are.

use std::ffi::{CStr, c_char, c_int};

use cudarc::driver::sys;
use sys::CUdevice_attribute_enum as Attribute;
use sys::CUfunction_attribute_enum as FunctionAttribute;

use super::driver::Driver;
use crate::device::{DeviceError, DeviceInfo, KernelInfo};

/// The most parameters asked for; a kernel has at most 32,764 bytes of them.
const MAX_PARAMETERS: usize = 32_764;

/// All facts of a device. One that an older driver does not know is 0.
pub(super) fn device_info(
    driver: &Driver,
    device: sys::CUdevice,
) -> Result<DeviceInfo, DeviceError> {
    let attribute = |attribute: Attribute| {
        let mut value: c_int = 0;
        // SAFETY: the driver stores one int.
        let code = unsafe { (driver.device_get_attribute)(&mut value, attribute as u32, device) };
        if code == 0 {
            u32::try_from(value).unwrap_or(0)
        } else {
            0
        }
    };
    let mut name = [0 as c_char; 256];
    let mut total_memory = 0usize;
    let mut version: c_int = 0;
    // SAFETY: the driver stores at most the 256 bytes it is told of, with a NUL.
    let code = unsafe { (driver.device_get_name)(name.as_mut_ptr(), 256, device) };
    driver.check(code, || "ask for the device's name".to_string())?;
    name[255] = 0;
    // SAFETY: the array ends in a NUL.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) }
        .to_string_lossy()
        .into_owned();
    // SAFETY: the driver stores one size.
    let code = unsafe { (driver.device_total_mem)(&mut total_memory, device) };
    driver.check(code, || "ask for the device's memory".to_string())?;
    // SAFETY: the driver stores one int.
    let code = unsafe { (driver.driver_get_version)(&mut version) };
    driver.check(code, || "ask for the driver's version".to_string())?;
    Ok(DeviceInfo {
        name,
        compute_capability: (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        ),
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        warp_size: attribute(Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        max_threads_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        max_block: [
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z),
        ],
        max_grid: [
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z),
        ],
        max_threads_per_multiprocessor: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
        ),
        max_blocks_per_multiprocessor: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
        ),
        shared_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        shared_per_block_optin: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        ),
        shared_per_multiprocessor: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
        ),
        shared_reserved_per_block: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
        ),
        registers_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
        registers_per_multiprocessor: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
        ),
        l2_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
        total_memory,
        clock_khz: attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
        memory_clock_khz: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE),
        memory_bus_bits: attribute(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH),
        driver_version: u32::try_from(version).unwrap_or(0),
    })
}

/// What a loaded kernel needs. The device's context is current.
pub(super) fn kernel_info(
    driver: &Driver,
    function: sys::CUfunction,
    name: &str,
) -> Result<KernelInfo, DeviceError> {
    let attribute = |attribute: FunctionAttribute| {
        let mut value: c_int = 0;
        // SAFETY: the driver stores one int; the function is of a loaded module.
        let code = unsafe { (driver.func_get_attribute)(&mut value, attribute as u32, function) };
        driver.check(code, || format!("ask what kernel `{name}` needs"))?;
        Ok(u32::try_from(value).unwrap_or(0))
    };
    Ok(KernelInfo {
        name: name.to_string(),
        registers: attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
        static_shared: attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
        local: attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
        constant: attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)?,
        max_threads_per_block: attribute(
            FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
        )?,
        parameters: parameters(driver, function),
    })
}

fn parameters(driver: &Driver, function: sys::CUfunction) -> Option<Vec<usize>> {
    let ask = driver.func_get_param_info?;
    let mut sizes = Vec::new();
    while sizes.len() < MAX_PARAMETERS {
        let (mut offset, mut size) = (0usize, 0usize);
        // SAFETY: the driver stores two sizes; the function is of a loaded module.
        let code = unsafe { ask(function, sizes.len(), &mut offset, &mut size) };
        if code == 0 {
            sizes.push(size);
        } else if code == sys::CUresult::CUDA_ERROR_INVALID_VALUE as u32 {
            // The answer for an index past the last parameter.
            return Some(sizes);
        } else {
            return None;
        }
    }
    None
}
