//! What can go wrong on a device.

use std::fmt;

use super::DevicePtr;

/// An error of a device. The text says which operation failed, on what, and
/// what would be right where that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceError {
    /// There is no driver on this machine, or none that can be used.
    NoDriver { detail: String },
    /// The cargo feature that a driver is behind is off in this build.
    LeftOut { feature: &'static str },
    /// The driver works, but has no device of this number; or so many are not emulated.
    NoDevice {
        emulated: bool,
        ordinal: usize,
        found: usize,
    },
    /// The driver refused an operation.
    Driver {
        /// What was being done, as in `copy 4096 bytes to the device`.
        operation: String,
        /// The driver's number, name and description of the error.
        code: u32,
        name: String,
        text: String,
    },
    /// The driver could not compile a module.
    Jit {
        name: String,
        text: String,
        /// The compiler's log, as it is.
        log: String,
        /// The lines of the module that the log mentions: number from 1, text.
        lines: Vec<(usize, String)>,
    },
    /// A module has no kernel of this name.
    NoKernel {
        name: String,
        available: Vec<String>,
    },
    /// A launch that the device or the kernel does not allow.
    Launch { kernel: String, problem: String },
    /// A kernel did what it must not: each finding with its place.
    Fault {
        kernel: String,
        findings: Vec<String>,
    },
    /// Device memory is exhausted (bytes; the last two when the device says).
    OutOfMemory {
        requested: usize,
        free: Option<usize>,
        total: Option<usize>,
    },
    /// Memory that is not, or not entirely, inside one live allocation.
    OutOfRange {
        operation: String,
        ptr: DevicePtr,
        bytes: usize,
        /// The allocation that the address lies in: start and bytes.
        allocation: Option<(DevicePtr, usize)>,
    },
    /// A stream, event, module or kernel that this device does not have.
    BadHandle { what: &'static str, id: u64 },
    /// An argument of an operation that makes no sense.
    Invalid { operation: String, problem: String },
}

/// What a kernel did, or the device suffered, that ends all work of the process on it, by
/// the driver's numbers: every later call says the same (CUDA Driver API, "Data types used
/// by CUDA driver"; uncorrectable memory and link errors, illegal addresses and
/// instructions, time limits, assertions, traps).
const STICKY: [u32; 12] = [214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719];

impl DeviceError {
    /// Whether this is a fault of work that was queued before, not of the call that
    /// noticed it.
    pub fn is_fault(&self) -> bool {
        matches!(self, DeviceError::Driver { code, .. } if STICKY.contains(code))
    }
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceError::LeftOut { feature } => write!(
                f,
                "this program was built without the feature `{feature}` of terrace, which such devices need"
            ),
            DeviceError::NoDriver { detail } => write!(f, "no usable CUDA driver: {detail}"),
            DeviceError::NoDevice {
                emulated: true,
                ordinal,
                found,
            } => write!(
                f,
                "no emulated device {ordinal}: there {} {found}, numbered from 0; \
                 TERRACE_EMULATOR=devices={} has as many",
                if *found == 1 { "is" } else { "are" },
                ordinal.saturating_add(1)
            ),
            DeviceError::NoDevice {
                ordinal, found: 0, ..
            } => {
                write!(
                    f,
                    "no CUDA device {ordinal}: the driver finds no device at all"
                )
            }
            DeviceError::NoDevice { ordinal, found, .. } => write!(
                f,
                "no CUDA device {ordinal}: the driver finds {found}, numbered from 0"
            ),
            DeviceError::Driver {
                operation,
                code,
                name,
                text,
            } => {
                write!(f, "could not {operation}: {name} ({code}): {text}")
            }
            DeviceError::Jit {
                name,
                text,
                log,
                lines,
            } => {
                write!(f, "the driver could not compile the module: {name}: {text}")?;
                if !log.is_empty() {
                    write!(f, "\n{log}")?;
                }
                for (number, line) in lines {
                    write!(f, "\n{number:>6} | {line}")?;
                }
                Ok(())
            }
            DeviceError::NoKernel { name, available } if available.is_empty() => {
                write!(f, "no kernel `{name}`: the module has none")
            }
            DeviceError::NoKernel { name, available } => write!(
                f,
                "no kernel `{name}`: the module has `{}`",
                available.join("`, `")
            ),
            DeviceError::Launch { kernel, problem } => {
                write!(f, "cannot launch kernel `{kernel}`: {problem}")
            }
            DeviceError::Fault { kernel, findings } => {
                write!(f, "the kernel `{kernel}` is wrong")?;
                for finding in findings {
                    write!(f, "\n{finding}")?;
                }
                Ok(())
            }
            DeviceError::OutOfMemory {
                requested,
                free,
                total,
            } => {
                write!(f, "out of device memory: {requested} bytes requested")?;
                match (free, total) {
                    (Some(free), Some(total)) => write!(f, ", {free} of {total} free"),
                    _ => Ok(()),
                }
            }
            DeviceError::OutOfRange {
                operation,
                ptr,
                bytes,
                allocation,
            } => {
                write!(f, "could not {operation}: {bytes} bytes at {ptr} ")?;
                match allocation {
                    Some((start, size)) => {
                        write!(f, "reach beyond the {size} bytes allocated at {start}")
                    }
                    None => f.write_str("are not in any live allocation"),
                }
            }
            DeviceError::BadHandle { what, id } => {
                write!(f, "{what} {id} is not one of this device, or was destroyed")
            }
            DeviceError::Invalid { operation, problem } => {
                write!(f, "could not {operation}: {problem}")
            }
        }
    }
}

impl std::error::Error for DeviceError {}
