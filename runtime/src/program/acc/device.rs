//! Which device, and how many there are.

use std::collections::BTreeSet;
use std::ffi::{CString, c_char, c_int, c_long};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};

use super::memory::given_out;
use crate::device::Driver;
use crate::program::current::{self, Type};
use crate::program::failure::{guard, of_call, run};
use crate::program::lock;
use crate::program::settings::{Choice, settings};

/// Values of `acc_device_t`.
pub const NONE: c_int = 0;
pub const DEFAULT: c_int = 1;
pub const HOST: c_int = 2;
pub const CURRENT: c_int = 3;
pub const NOT_HOST: c_int = 4;
pub const NVIDIA: c_int = 5;
/// Devices of AMD, of which there are none here.
pub const RADEON: c_int = 6;

fn gpus() -> usize {
    match settings().target {
        Choice::Host | Choice::Cpu => 0,
        // Settings that are wrong are said when the device is opened.
        Choice::Emulator => Driver::Emulator.count().unwrap_or(1),
        Choice::Gpu | Choice::Auto => Driver::Cuda.count().unwrap_or(0),
    }
}

fn named(call: &str, t: c_int) -> Result<Type, String> {
    match t {
        DEFAULT => Ok(Type::Default),
        CURRENT => Ok(current::device_type()),
        NONE | HOST => Ok(Type::Host),
        NOT_HOST | NVIDIA => Ok(Type::Gpu),
        RADEON => Err(format!(
            "terrace: {call}: there is no device of the type acc_device_radeon, of which \
             acc_get_num_devices gives 0: programs of terrace cc have code for NVIDIA's"
        )),
        _ => Err(format!(
            "terrace: {call}: found {t} as a type of device, expected acc_device_default, \
             acc_device_current, acc_device_host, acc_device_not_host or acc_device_nvidia"
        )),
    }
}

/// The number of devices of a type.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_num_devices(t: c_int) -> c_int {
    guard(|| match t {
        NOT_HOST | NVIDIA => c_int::try_from(gpus()).unwrap_or(c_int::MAX),
        DEFAULT | CURRENT => c_int::try_from(gpus().max(1)).unwrap_or(c_int::MAX),
        HOST => 1,
        _ => 0,
    })
}

/// The type that the program has started by [`acc_init`], while it is not shut down; 0 for none.
static STARTED: AtomicI32 = AtomicI32::new(NONE);

/// Notes that a type is started. Another one has to be shut down before.
fn start(call: &str, t: c_int) -> Result<Type, String> {
    let asked = named(call, t)?;
    let kind = match asked {
        Type::Host => HOST,
        _ if current::gpu().is_some() => NVIDIA,
        _ => HOST,
    };
    let before = STARTED.swap(kind, Ordering::Relaxed);
    if before != NONE && before != kind {
        let name = |t| match t {
            HOST => "acc_device_host",
            _ => "acc_device_nvidia",
        };
        return Err(format!(
            "terrace: {call}: the program has started {} already; acc_shutdown has to come before \
             {} is started",
            name(before),
            name(kind)
        ));
    }
    Ok(asked)
}

/// Notes that a type was shut down.
fn stopped() {
    STARTED.store(NONE, Ordering::Relaxed);
}

/// Chooses the type for this thread; where there is no GPU, the host remains.
#[unsafe(no_mangle)]
pub extern "C" fn acc_set_device_type(t: c_int) {
    run(|| {
        let t = named("acc_set_device_type", t)?;
        // Where the environment keeps the program on the host, it stays there.
        current::set_device_type(t);
        Ok(())
    });
}

/// The type that this thread uses.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_device_type() -> c_int {
    guard(|| match current::gpu() {
        Some(_) => NVIDIA,
        None => HOST,
    })
}

/// Chooses a device for this thread.
#[unsafe(no_mangle)]
pub extern "C" fn acc_set_device_num(number: c_int, t: c_int) {
    run(|| {
        let t = named("acc_set_device_num", t)?;
        current::set_device_type(t);
        if t == Type::Host || gpus() == 0 {
            return Ok(());
        }
        // A negative number asks for the default one.
        let number = usize::try_from(number).unwrap_or(settings().device);
        current::open(number).map_err(|why| of_call("acc_set_device_num", why))?;
        current::set_number(number);
        Ok(())
    });
}

/// The number of this thread's device among those of a type.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_device_num(t: c_int) -> c_int {
    guard(|| match t {
        NOT_HOST | NVIDIA | DEFAULT | CURRENT => c_int::try_from(current::number()).unwrap_or(0),
        _ => 0,
    })
}

/// Opens the device before it is needed.
#[unsafe(no_mangle)]
pub extern "C" fn acc_init(t: c_int) {
    run(|| start("acc_init", t).map(drop));
}

/// As [`acc_init`], of one device.
#[unsafe(no_mangle)]
pub extern "C" fn acc_init_device(number: c_int, t: c_int) {
    run(|| {
        if start("acc_init_device", t)? != Type::Host
            && current::gpu().is_some()
            && let Ok(number) = usize::try_from(number)
        {
            current::open(number).map_err(|why| of_call("acc_init_device", why))?;
        }
        Ok(())
    });
}

/// Ends all data of the device, once its work is done.
#[unsafe(no_mangle)]
pub extern "C" fn acc_shutdown(t: c_int) {
    run(
        || match (named("acc_shutdown", t)?, current::gpu(), stopped()) {
            (Type::Default | Type::Gpu, Some(runtime), ()) => {
                runtime.wait_all()?;
                runtime.forget()
            }
            _ => Ok(()),
        },
    );
}

/// As [`acc_shutdown`], of one device.
#[unsafe(no_mangle)]
pub extern "C" fn acc_shutdown_device(number: c_int, t: c_int) {
    run(|| {
        match (
            named("acc_shutdown_device", t)?,
            usize::try_from(number),
            current::gpu(),
            stopped(),
        ) {
            (Type::Default | Type::Gpu, Ok(number), Some(_), ()) => {
                let runtime = current::open(number);
                let runtime = runtime.map_err(|why| of_call("acc_shutdown_device", why))?;
                runtime.wait_all()?;
                runtime.forget()
            }
            _ => Ok(()),
        }
    });
}

/// Whether the caller runs on this type; code that calls this one runs on the host.
#[unsafe(no_mangle)]
pub extern "C" fn acc_on_device(t: c_int) -> c_int {
    c_int::from(matches!(t, HOST | NONE))
}

/// Values of `acc_device_property_t`.
pub const MEMORY: c_int = 1;
pub const FREE_MEMORY: c_int = 2;
pub const SHARED_MEMORY: c_int = 3;
pub const NAME: c_int = 4;
pub const VENDOR: c_int = 5;
pub const DRIVER: c_int = 6;

unsafe extern "C" {
    safe fn sysconf(name: c_int) -> c_long;
}

/// Bytes of the machine's memory, where the host is the device; 0 where the system does not tell.
fn memory_of_host() -> usize {
    // `_SC_PHYS_PAGES` and `_SC_PAGESIZE` of Linux.
    let [pages, bytes] = [85, 30].map(|name| usize::try_from(sysconf(name)).unwrap_or(0));
    pages.saturating_mul(bytes)
}

/// A number that a device has; 0 for what it has not.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_property(number: c_int, t: c_int, property: c_int) -> usize {
    run(|| {
        let runtime = match (named("acc_get_property", t)?, usize::try_from(number)) {
            (Type::Host, _) | (_, Err(_)) => None,
            (_, Ok(number)) if gpus() > 0 => current::open(number).ok(),
            _ => None,
        };
        let Some(runtime) = runtime else {
            return Ok(match property {
                SHARED_MEMORY => 1,
                MEMORY => memory_of_host(),
                // What programs take by other ways is not the device's.
                FREE_MEMORY => memory_of_host().saturating_sub(given_out()),
                _ => 0,
            });
        };
        Ok(match property {
            MEMORY => runtime.device.info().total_memory,
            FREE_MEMORY => runtime.free_memory(),
            _ => 0,
        })
    })
}

/// Texts that were asked for: a program may keep them as long as it likes.
static TEXTS: Mutex<BTreeSet<CString>> = Mutex::new(BTreeSet::new());

/// A text that a device has; an empty one for what it has not, and where there is no such
/// device. It lives as long as the process.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_property_string(
    number: c_int,
    t: c_int,
    property: c_int,
) -> *const c_char {
    run(|| {
        let text = CString::new(text_of(number, t, property)?).unwrap_or_default();
        let mut texts = lock(&TEXTS);
        if !texts.contains(&text) {
            texts.insert(text.clone());
        }
        // What a string points to stays where it is as long as the set has it, and it
        // leaves none.
        Ok(texts.get(&text).map_or(c"".as_ptr(), |t| t.as_ptr()))
    })
}

fn text_of(number: c_int, t: c_int, property: c_int) -> Result<String, String> {
    let named = named("acc_get_property_string", t)?;
    let number = match usize::try_from(number) {
        Ok(number) if t != NONE => number,
        _ => return Ok(String::new()),
    };
    let gpu = named != Type::Host && gpus() > 0;
    if !gpu {
        // The host is the device, and the only one.
        let host = number == 0 && !matches!(t, NOT_HOST | NVIDIA);
        return Ok(match property {
            NAME if host => "host".to_string(),
            VENDOR if host => "terrace".to_string(),
            DRIVER if host => env!("CARGO_PKG_VERSION").to_string(),
            _ => String::new(),
        });
    }
    let Ok(runtime) = current::open(number) else {
        return Ok(String::new());
    };
    let info = runtime.device.info();
    Ok(match property {
        NAME => info.name.clone(),
        VENDOR => "NVIDIA".to_string(),
        DRIVER => {
            let v = info.driver_version;
            format!("{}.{}", v / 1000, v % 1000 / 10)
        }
        _ => String::new(),
    })
}
