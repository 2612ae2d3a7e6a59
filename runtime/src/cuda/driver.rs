//! The functions of the NVIDIA driver that are used here.
//!
//! `cudarc` finds and opens the library. Its wrappers panic when a symbol is
//! missing and return a Rust enumeration, into which a newer driver may put a
//! number that it does not have; so the functions are looked up here, once, and
//! return plain numbers.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use cudarc::driver::sys;

use crate::device::DeviceError;

/// The number for success.
const SUCCESS: u32 = 0;

macro_rules! driver {
    ($($(#[$doc:meta])* $field:ident = $($symbol:literal)|+ ($($arg:ty),*);)*) => {
        /// The driver's entry points, named as in its manual without `cu`.
        pub(super) struct Driver {
            $($(#[$doc])* pub $field: unsafe extern "C" fn($($arg),*) -> u32,)*
            /// Since CUDA 12.4: offset and size of a kernel's parameter.
            pub func_get_param_info:
                Option<unsafe extern "C" fn(sys::CUfunction, usize, *mut usize, *mut usize) -> u32>,
            /// Compiling to bytes.
            pub link: Option<Link>,
        }

        impl Driver {
            fn load() -> Result<Driver, String> {
                // SAFETY: opening the driver runs its initialisers, which is what
                // every program that uses it does.
                if !unsafe { sys::is_culib_present() } {
                    return Err(
                        "found no NVIDIA driver library (libcuda.so.1, or nvcuda.dll on Windows); \
                         install the NVIDIA driver, or run on another target"
                            .to_string(),
                    );
                }
                // SAFETY: as above; it is present, so this does not panic.
                let library = unsafe { sys::culib() };
                Ok(Driver {
                    $($field: {
                        let symbols: &[&str] = &[$($symbol),+];
                        symbols
                            .iter()
                            // SAFETY: the symbol has this type in the driver's manual,
                            // and the library stays open for ever.
                            .find_map(|name| unsafe {
                                library
                                    .get::<unsafe extern "C" fn($($arg),*) -> u32>(name.as_bytes())
                                    .ok()
                                    .map(|symbol| *symbol)
                            })
                            .ok_or_else(|| format!(
                                "the NVIDIA driver library has no function {}; it is too old",
                                symbols[0]
                            ))?
                    },)*
                    // SAFETY: as above.
                    func_get_param_info: unsafe {
                        library.get(b"cuFuncGetParamInfo").ok().map(|symbol| *symbol)
                    },
                    // SAFETY: as above.
                    link: (|| unsafe {
                        Some(Link {
                            create: *library.get(b"cuLinkCreate_v2").ok()?,
                            add_data: *library.get(b"cuLinkAddData_v2").ok()?,
                            complete: *library.get(b"cuLinkComplete").ok()?,
                            destroy: *library.get(b"cuLinkDestroy").ok()?,
                        })
                    })(),
                })
            }
        }
    };
}

/// The functions that link: a text goes in, code for the device comes out as bytes.
pub(super) struct Link {
    pub create:
        unsafe extern "C" fn(c_uint, *mut c_uint, *mut *mut c_void, *mut sys::CUlinkState) -> u32,
    pub add_data: unsafe extern "C" fn(
        sys::CUlinkState,
        u32,
        *mut c_void,
        usize,
        *const c_char,
        c_uint,
        *mut c_uint,
        *mut *mut c_void,
    ) -> u32,
    pub complete: unsafe extern "C" fn(sys::CUlinkState, *mut *mut c_void, *mut usize) -> u32,
    pub destroy: unsafe extern "C" fn(sys::CUlinkState) -> u32,
}

driver! {
    init = "cuInit" (c_uint);
    driver_get_version = "cuDriverGetVersion" (*mut c_int);
    get_error_name = "cuGetErrorName" (u32, *mut *const c_char);
    get_error_string = "cuGetErrorString" (u32, *mut *const c_char);
    device_get = "cuDeviceGet" (*mut sys::CUdevice, c_int);
    device_get_count = "cuDeviceGetCount" (*mut c_int);
    device_get_name = "cuDeviceGetName" (*mut c_char, c_int, sys::CUdevice);
    device_get_attribute = "cuDeviceGetAttribute" (*mut c_int, u32, sys::CUdevice);
    device_total_mem = "cuDeviceTotalMem_v2" (*mut usize, sys::CUdevice);
    primary_ctx_retain = "cuDevicePrimaryCtxRetain" (*mut sys::CUcontext, sys::CUdevice);
    primary_ctx_release = "cuDevicePrimaryCtxRelease_v2" | "cuDevicePrimaryCtxRelease" (sys::CUdevice);
    ctx_set_current = "cuCtxSetCurrent" (sys::CUcontext);
    ctx_synchronize = "cuCtxSynchronize" ();
    mem_get_info = "cuMemGetInfo_v2" (*mut usize, *mut usize);
    mem_alloc = "cuMemAlloc_v2" (*mut sys::CUdeviceptr, usize);
    mem_free = "cuMemFree_v2" (sys::CUdeviceptr);
    mem_host_alloc = "cuMemHostAlloc" (*mut *mut c_void, usize, c_uint);
    mem_free_host = "cuMemFreeHost" (*mut c_void);
    memcpy_h2d_async = "cuMemcpyHtoDAsync_v2" (sys::CUdeviceptr, *const c_void, usize, sys::CUstream);
    memcpy_d2h_async = "cuMemcpyDtoHAsync_v2" (*mut c_void, sys::CUdeviceptr, usize, sys::CUstream);
    memcpy_d2d_async = "cuMemcpyDtoDAsync_v2" (sys::CUdeviceptr, sys::CUdeviceptr, usize, sys::CUstream);
    memcpy_3d_async = "cuMemcpy3DAsync_v2" (*const sys::CUDA_MEMCPY3D_st, sys::CUstream);
    memset_d8_async = "cuMemsetD8Async" (sys::CUdeviceptr, u8, usize, sys::CUstream);
    memset_d16_async = "cuMemsetD16Async" (sys::CUdeviceptr, u16, usize, sys::CUstream);
    memset_d32_async = "cuMemsetD32Async" (sys::CUdeviceptr, c_uint, usize, sys::CUstream);
    module_load_data_ex = "cuModuleLoadDataEx"
        (*mut sys::CUmodule, *const c_void, c_uint, *mut c_uint, *mut *mut c_void);
    module_unload = "cuModuleUnload" (sys::CUmodule);
    module_get_function = "cuModuleGetFunction" (*mut sys::CUfunction, sys::CUmodule, *const c_char);
    func_get_attribute = "cuFuncGetAttribute" (*mut c_int, u32, sys::CUfunction);
    func_set_attribute = "cuFuncSetAttribute" (sys::CUfunction, u32, c_int);
    launch_kernel = "cuLaunchKernel"
        (sys::CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, sys::CUstream,
         *mut *mut c_void, *mut *mut c_void);
    launch_cooperative_kernel = "cuLaunchCooperativeKernel"
        (sys::CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, sys::CUstream,
         *mut *mut c_void);
    occupancy_max_active_blocks = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
        (*mut c_int, sys::CUfunction, c_int, usize);
    stream_create = "cuStreamCreate" (*mut sys::CUstream, c_uint);
    stream_destroy = "cuStreamDestroy_v2" (sys::CUstream);
    stream_synchronize = "cuStreamSynchronize" (sys::CUstream);
    stream_query = "cuStreamQuery" (sys::CUstream);
    stream_wait_event = "cuStreamWaitEvent" (sys::CUstream, sys::CUevent, c_uint);
    event_create = "cuEventCreate" (*mut sys::CUevent, c_uint);
    event_destroy = "cuEventDestroy_v2" (sys::CUevent);
    event_record = "cuEventRecord" (sys::CUevent, sys::CUstream);
    event_synchronize = "cuEventSynchronize" (sys::CUevent);
    pointer_get_attribute = "cuPointerGetAttribute" (*mut c_void, u32, sys::CUdeviceptr);
    event_elapsed_time = "cuEventElapsedTime" | "cuEventElapsedTime_v2" (*mut f32, sys::CUevent, sys::CUevent);
}

impl Driver {
    /// The driver, opened and initialised once in the process.
    ///
    /// # Errors
    /// [`DeviceError::NoDriver`] when there is none, it lacks a function, or it
    /// does not start (as the stub library of the toolkit never does).
    pub fn get() -> Result<&'static Driver, DeviceError> {
        static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();
        let driver = DRIVER.get_or_init(Driver::load);
        let driver = driver.as_ref().map_err(|detail| DeviceError::NoDriver {
            detail: detail.clone(),
        })?;
        // SAFETY: takes no pointer; calling it again does nothing.
        let code = unsafe { (driver.init)(0) };
        if code == SUCCESS || code == sys::CUresult::CUDA_ERROR_NO_DEVICE as u32 {
            return Ok(driver);
        }
        let (name, text) = driver.describe(code);
        Err(DeviceError::NoDriver {
            detail: format!(
                "found the NVIDIA driver library, but it does not start: {name} ({code}): {text}"
            ),
        })
    }

    /// The driver's name and description of an error number.
    pub fn describe(&self, code: u32) -> (String, String) {
        let text = |ask: unsafe extern "C" fn(u32, *mut *const c_char) -> u32, unknown: &str| {
            let mut pointer: *const c_char = std::ptr::null();
            // SAFETY: the driver stores the address of a constant string, or null.
            unsafe {
                if ask(code, &mut pointer) == SUCCESS && !pointer.is_null() {
                    CStr::from_ptr(pointer).to_string_lossy().into_owned()
                } else {
                    unknown.to_string()
                }
            }
        };
        (
            text(self.get_error_name, "unknown error"),
            text(self.get_error_string, "the driver has no description of it"),
        )
    }

    /// Turns a returned number into a result; `operation` completes
    /// "could not ...".
    ///
    /// # Errors
    /// [`DeviceError::Driver`].
    pub fn check(&self, code: u32, operation: impl FnOnce() -> String) -> Result<(), DeviceError> {
        if code == SUCCESS {
            return Ok(());
        }
        let (name, text) = self.describe(code);
        Err(DeviceError::Driver {
            operation: operation(),
            code,
            name,
            text,
        })
    }
}
