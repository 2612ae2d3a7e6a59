//! Device memory in the program's own hands.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_long, c_void};
use std::sync::Mutex;

use super::queue::resolve;
use crate::device::{DeviceError, DevicePtr, copy_between};
use crate::profile::Direction;
use crate::program::abi::SourcePlace;
use crate::program::failure::{of_call, run};
use crate::program::fault::attributed;
use crate::program::present::{Entry, Presence};
use crate::program::queue::SYNC;
use crate::program::report::Copied;
use crate::program::{Runtime, State, current, lock};

unsafe extern "C" {
    fn malloc(bytes: usize) -> *mut c_void;
    fn free(pointer: *mut c_void);
}

/// What [`acc_malloc`] gave out where the host is the device, with its bytes.
static OF_HOST: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

/// Bytes that [`acc_malloc`] gave out where the host is the device.
pub fn given_out() -> usize {
    let all = lock(&OF_HOST);
    all.values()
        .fold(0, |sum, bytes| sum.saturating_add(*bytes))
}

/// Where the host is the device: what [`acc_map_data`] mapped to what, with its bytes.
static MAPPED: Mutex<BTreeMap<u64, (u64, u64)>> = Mutex::new(BTreeMap::new());

/// Notes what is mapped where the host is the device. Nothing else happens: a region uses the
/// program's own memory.
///
/// # Errors
/// As [`Runtime::map`].
fn map_on_host(host: u64, device: u64, bytes: u64) -> Result<(), String> {
    some_bytes(host, device, bytes)?;
    let mut mapped = lock(&MAPPED);
    let end = host.saturating_add(bytes);
    let meets = |(at, (_, n)): (&u64, &(u64, u64))| *at < end && host < at.saturating_add(*n);
    if mapped.iter().any(meets) {
        return Err(mapped_already(host, bytes));
    }
    mapped.insert(host, (device, bytes));
    Ok(())
}

/// Undoes [`map_on_host`].
///
/// # Errors
/// When nothing is mapped at this address.
fn unmap_on_host(host: u64) -> Result<(), String> {
    match lock(&MAPPED).remove(&host) {
        Some(_) => Ok(()),
        None => Err(not_mapped(host)),
    }
}

/// What is mapped to memory that is to be freed.
fn not_in_use(device: u64) -> Result<(), String> {
    let mapped = lock(&MAPPED);
    match mapped.iter().find(|(_, (to, _))| *to == device) {
        None => Ok(()),
        Some((host, _)) => Err(format!(
            "terrace: acc_free: the data at {host:#x} is mapped to {device:#x} on the device; \
             acc_unmap_data has to end that first"
        )),
    }
}

fn some_bytes(host: u64, device: u64, bytes: u64) -> Result<(), String> {
    match host == 0 || device == 0 || bytes == 0 {
        true => Err(format!(
            "terrace: acc_map_data: found {bytes} bytes at {host:#x} for {device:#x} on the \
             device, expected two addresses that are not null, and at least one byte"
        )),
        false => Ok(()),
    }
}

fn mapped_already(host: u64, bytes: u64) -> String {
    format!(
        "terrace: acc_map_data: {bytes} bytes at {host:#x}: expected some bytes of which none is \
         on the device"
    )
}

fn not_mapped(host: u64) -> String {
    format!("terrace: acc_unmap_data: nothing that acc_map_data mapped begins at {host:#x}")
}

impl Runtime {
    /// Whether all of a section is present.
    pub fn is_present(&self, host: u64, bytes: u64) -> bool {
        host != 0 && self.state().table.containing(host, bytes).is_some()
    }

    /// Which host address a device address is the copy of.
    pub fn host_address(&self, device: u64) -> Option<u64> {
        self.state().table.host_of(device)
    }

    /// Memory on the device that no table knows; `None` where there is no more.
    pub fn malloc(&self, bytes: usize) -> Option<u64> {
        let mut state = self.state();
        let state = &mut *state;
        let stream = crate::device::StreamId::MAIN;
        let device = &*self.device;
        let ptr = state.blocks.alloc(device, &mut state.queues, bytes, stream);
        ptr.ok().map(|p| p.0)
    }

    /// Bytes that programs can still get, those that are kept for reuse among them.
    pub fn free_memory(&self) -> usize {
        let free = self.device.memory().map_or(0, |m| m.free);
        free.saturating_add(self.state().blocks.kept_bytes())
    }

    /// Takes it back.
    ///
    /// # Errors
    /// When it is none, or what the device says.
    pub fn free(&self, device: u64) -> Result<(), String> {
        let mut state = self.state();
        let state = &mut *state;
        if let Some(entry) = state.table.on_device(device, 1) {
            let end = match entry.owned {
                true => "acc_delete or exit data",
                false => "acc_unmap_data",
            };
            return Err(format!(
                "terrace: acc_free: {device:#x} holds the copy of `{}` on the device, which is \
                 there since {}; {end} has to end that first",
                entry.name, entry.place
            ));
        }
        let freed = state
            .blocks
            .free(&*self.device, &state.queues, DevicePtr(device));
        match freed {
            Ok(true) => Ok(()),
            Ok(false) => Err(not_allocated(device)),
            Err(e) => Err(of_call("acc_free", e)),
        }
    }

    /// Makes the device memory the copy of a host section until [`Runtime::unmap`].
    ///
    /// # Errors
    /// When some of the section is present, or the device memory is another section's
    /// copy, or too small.
    pub fn map(&self, host: u64, device: u64, bytes: u64) -> Result<(), String> {
        let mut state = self.state();
        some_bytes(host, device, bytes)?;
        if state.table.find(host, bytes) != Presence::Absent {
            return Err(mapped_already(host, bytes));
        }
        if let Some(entry) = state.table.on_device(device, bytes) {
            return Err(format!(
                "terrace: acc_map_data: {bytes} bytes at {device:#x} on the device hold the copy \
                 of `{}` already, since {}",
                entry.name, entry.place
            ));
        }
        if let Some(room) = state.blocks.room(device).filter(|room| *room < bytes) {
            return Err(format!(
                "terrace: acc_map_data: the memory at {device:#x} on the device has {room} bytes, \
                 and {bytes} bytes are to be mapped to it"
            ));
        }
        state.table.insert(Entry {
            start: host,
            bytes,
            device,
            block: device,
            structured: 0,
            dynamic: 1,
            owned: false,
            users: Vec::new(),
            name: "mapped data".to_string(),
            place: SourcePlace::call("acc_map_data"),
        });
        Ok(())
    }

    /// Undoes [`Runtime::map`].
    ///
    /// # Errors
    /// When nothing is mapped at this address, or a data construct uses it.
    pub fn unmap(&self, host: u64) -> Result<(), String> {
        let mut state = self.state();
        let state = &mut *state;
        match state.table.get(host) {
            Some(entry) if !entry.owned && entry.structured > 0 => Err(format!(
                "terrace: acc_unmap_data: the data at {host:#x} is in use by a construct that has \
                 not ended"
            )),
            Some(entry) if !entry.owned => {
                for (pointer, _) in state.attached.inside(entry.start, entry.end()) {
                    state.attached.remove(pointer);
                }
                state.table.remove(host);
                Ok(())
            }
            _ => Err(not_mapped(host)),
        }
    }

    /// Ends all data, whoever counts on it.
    ///
    /// # Errors
    /// What the device says.
    pub fn forget(&self) -> Result<(), String> {
        let mut state = self.state();
        let state = &mut *state;
        state.attached = Default::default();
        for entry in state.table.take() {
            if entry.owned {
                let ptr = DevicePtr(entry.block);
                let freed = state.blocks.free(&*self.device, &state.queues, ptr);
                freed.map_err(|e| of_call("acc_shutdown", e))?;
            }
        }
        let kept = state.blocks.release_kept(&*self.device);
        kept.map_err(|e| of_call("acc_shutdown", e))
    }

    /// Copies `bytes` bytes; waits if the queue is the synchronous one.
    ///
    /// # Errors
    /// What the device says.
    ///
    /// # Safety
    /// The host's side is memory of this size until the queue was waited for.
    unsafe fn copy(
        &self,
        name: &str,
        direction: Direction,
        dst: u64,
        src: u64,
        bytes: usize,
        queue: i64,
    ) -> Result<(), String> {
        let at = |e: String| of_call(name, e);
        let mut state = self.state();
        let device = &*self.device;
        let stream = state.queues.stream(device, queue).map_err(at)?;
        let order = state.queues.mark_as(stream, || name.to_string());
        let place = SourcePlace::call(name);
        let what = Copied {
            direction,
            name: "memory",
            place: &place,
            bytes: bytes as u64,
        };
        let begun = self.report.begin_copy(device, stream, Some(order), &what);
        let (d, s) = (DevicePtr(dst), DevicePtr(src));
        // SAFETY: by the contract.
        let result = unsafe {
            match direction {
                Direction::HostToDevice => {
                    device.copy_h2d_async(d, src as *const u8, bytes, stream)
                }
                Direction::DeviceToHost => device.copy_d2h_async(dst as *mut u8, s, bytes, stream),
                Direction::DeviceToDevice => device.copy_d2d(d, s, bytes, stream),
            }
        };
        let said = |state: &State, e: DeviceError| {
            attributed(&state.queues, &e).unwrap_or_else(|| at(e.to_string()))
        };
        if let Err(e) = result {
            self.report.refused(begun);
            return Err(said(&state, e));
        }
        self.report.copied(device, begun, &what);
        if queue == SYNC {
            let waited = state.queues.wait(device, stream);
            waited.map_err(|e| said(&state, e))?;
        }
        Ok(())
    }
}

fn not_allocated(address: u64) -> String {
    format!("terrace: acc_free: {address:#x} is not the start of memory from acc_malloc")
}

/// A copy from or to nowhere.
fn not_null(name: &str, dst: *mut c_void, src: *const c_void, bytes: usize) -> Result<(), String> {
    match dst.is_null() || src.is_null() {
        true => Err(format!(
            "terrace: {name}: found a null pointer, expected the address of {bytes} bytes"
        )),
        false => Ok(()),
    }
}

/// Memory on the device; null where there is no more.
#[unsafe(no_mangle)]
pub extern "C" fn acc_malloc(bytes: usize) -> *mut c_void {
    run(|| {
        Ok(match current::gpu() {
            Some(runtime) => runtime.malloc(bytes).unwrap_or(0) as *mut c_void,
            None => {
                // SAFETY: takes any number.
                let memory = unsafe { malloc(bytes) };
                if !memory.is_null() {
                    lock(&OF_HOST).insert(memory as usize, bytes);
                }
                memory
            }
        })
    })
}

/// Takes memory from [`acc_malloc`] back; null is nothing.
///
/// # Safety
/// It comes from there and is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_free(pointer: *mut c_void) {
    run(|| match current::gpu() {
        _ if pointer.is_null() => Ok(()),
        Some(runtime) => runtime.free(pointer as u64),
        None if lock(&OF_HOST).contains_key(&(pointer as usize)) => {
            not_in_use(pointer as u64)?;
            lock(&OF_HOST).remove(&(pointer as usize));
            // SAFETY: it comes from `malloc` by `acc_malloc`, and is freed once.
            unsafe { free(pointer) };
            Ok(())
        }
        None => Err(not_allocated(pointer as u64)),
    });
}

/// Makes device memory the copy of a host section.
#[unsafe(no_mangle)]
pub extern "C" fn acc_map_data(host: *mut c_void, device: *mut c_void, bytes: usize) {
    run(|| match current::gpu() {
        Some(runtime) => runtime.map(host as u64, device as u64, bytes as u64),
        None => map_on_host(host as u64, device as u64, bytes as u64),
    });
}

/// Undoes [`acc_map_data`].
#[unsafe(no_mangle)]
pub extern "C" fn acc_unmap_data(host: *mut c_void) {
    run(|| match current::gpu() {
        Some(runtime) => runtime.unmap(host as u64),
        None => unmap_on_host(host as u64),
    });
}

/// # Safety
/// The addresses have this many bytes on their sides.
unsafe fn memcpy(
    name: &str,
    direction: Direction,
    dst: *mut c_void,
    src: *const c_void,
    bytes: usize,
    queue: i64,
) {
    run(|| {
        if bytes == 0 || dst.cast_const() == src {
            return Ok(());
        }
        not_null(name, dst, src, bytes)?;
        match current::gpu() {
            // SAFETY: by the contract.
            Some(r) => unsafe { r.copy(name, direction, dst as u64, src as u64, bytes, queue) },
            None => {
                // SAFETY: by the contract; both are the host's.
                unsafe { std::ptr::copy(src.cast::<u8>(), dst.cast::<u8>(), bytes) };
                Ok(())
            }
        }
    });
}

macro_rules! copying {
    ($($(#[$doc:meta])* $name:ident, $name_async:ident = $direction:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// The addresses have this many bytes on their sides.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(dst: *mut c_void, src: *mut c_void, bytes: usize) {
            // SAFETY: by the contract.
            unsafe { memcpy(stringify!($name), Direction::$direction, dst, src, bytes, SYNC) };
        }

        $(#[$doc])*
        ///
        /// # Safety
        /// The addresses have this many bytes on their sides until the queue was waited
        /// for.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name_async(
            dst: *mut c_void,
            src: *mut c_void,
            bytes: usize,
            queue: c_int,
        ) {
            let queue = resolve(c_long::from(queue));
            let name = stringify!($name_async);
            // SAFETY: by the contract.
            unsafe { memcpy(name, Direction::$direction, dst, src, bytes, queue) };
        }
    )*};
}

copying! {
    /// Copies to the device.
    acc_memcpy_to_device, acc_memcpy_to_device_async = HostToDevice;
    /// Copies from the device.
    acc_memcpy_from_device, acc_memcpy_from_device_async = DeviceToHost;
    /// Copies within the device.
    acc_memcpy_device, acc_memcpy_device_async = DeviceToDevice;
}

/// The device of a number that a program gives; a negative one asks for the thread's.
fn numbered(name: &str, number: c_int) -> Result<&'static Runtime, String> {
    let number = usize::try_from(number).unwrap_or_else(|_| current::number());
    current::open(number).map_err(|why| of_call(name, why))
}

/// # Safety
/// The addresses have this many bytes on their devices.
unsafe fn between(
    name: &str,
    (dst, to, queue): (*mut c_void, c_int, i64),
    (src, from, from_queue): (*mut c_void, c_int, i64),
    bytes: usize,
) {
    run(|| {
        if bytes > 0 {
            not_null(name, dst, src, bytes)?;
        }
        if current::gpu().is_none() {
            // SAFETY: by the contract; both are the host's.
            unsafe { std::ptr::copy(src.cast::<u8>(), dst.cast::<u8>(), bytes) };
            return Ok(());
        }
        let (to, from) = (numbered(name, to)?, numbered(name, from)?);
        if bytes == 0 {
            return Ok(());
        }
        if std::ptr::eq(to, from) {
            let way = Direction::DeviceToDevice;
            // SAFETY: by the contract.
            return unsafe { to.copy(name, way, dst as u64, src as u64, bytes, queue) };
        }
        let stream = |r: &Runtime, queue: i64| {
            let mut state = r.state();
            let stream = state.queues.stream(&*r.device, queue);
            stream.map_err(|e| of_call(name, e))
        };
        let target = (&*to.device, DevicePtr(dst as u64), stream(to, queue)?);
        let source = (
            &*from.device,
            DevicePtr(src as u64),
            stream(from, from_queue)?,
        );
        copy_between(target, source, bytes).map_err(|e| of_call(name, e))
    });
}

/// Copies from one device's memory to another's; the program goes on when it is done.
///
/// # Safety
/// The addresses have this many bytes on their devices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_memcpy_d2d(
    dst: *mut c_void,
    src: *mut c_void,
    bytes: usize,
    to: c_int,
    from: c_int,
) {
    // SAFETY: by the contract.
    unsafe { between("acc_memcpy_d2d", (dst, to, SYNC), (src, from, SYNC), bytes) };
}

/// As [`acc_memcpy_d2d`], on a queue of each device. Between two devices the program goes
/// on when it is done.
///
/// # Safety
/// The addresses have this many bytes on their devices until the queues were waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_memcpy_d2d_async(
    dst: *mut c_void,
    src: *mut c_void,
    bytes: usize,
    to: c_int,
    from: c_int,
    queue: c_int,
    from_queue: c_int,
) {
    let [queue, from_queue] = [queue, from_queue].map(|q| resolve(c_long::from(q)));
    let name = "acc_memcpy_d2d_async";
    // SAFETY: by the contract.
    unsafe { between(name, (dst, to, queue), (src, from, from_queue), bytes) };
}
