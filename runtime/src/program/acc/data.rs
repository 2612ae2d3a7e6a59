//! Data clauses as functions.

use std::ffi::{c_int, c_long, c_uint, c_void};

use super::queue::resolve;
use crate::program::abi::{DYNAMIC, FINALIZE, Kind, Map, SourcePlace};
use crate::program::current;
use crate::program::failure::run;
use crate::program::queue::SYNC;

fn map(host: *mut c_void, bytes: usize, kind: Kind, flags: u32) -> Map {
    Map {
        host,
        bytes: bytes as u64,
        kind: kind as c_uint,
        flags: flags | DYNAMIC,
        name: std::ptr::null(),
        device: std::ptr::null_mut(),
    }
}

/// Enters a section; gives its device address.
fn enter(name: &str, host: *mut c_void, bytes: usize, kind: Kind, queue: i64) -> *mut c_void {
    run(|| {
        let Some(runtime) = current::gpu() else {
            return Ok(host);
        };
        let mut maps = [map(host, bytes, kind, 0)];
        runtime.enter(&mut maps, queue, &SourcePlace::call(name))?;
        Ok(maps[0].device)
    })
}

fn exit(name: &str, host: *mut c_void, bytes: usize, kind: Kind, flags: u32, queue: i64) {
    run(|| match current::gpu() {
        Some(r) => r.exit(
            &[map(host, bytes, kind, flags)],
            queue,
            &SourcePlace::call(name),
        ),
        None => Ok(()),
    });
}

fn update(name: &str, host: *mut c_void, bytes: usize, kind: Kind, queue: i64) {
    run(|| match current::gpu() {
        Some(r) => {
            let maps = [map(host, bytes, kind, 0)];
            r.update(&maps, queue, false, &SourcePlace::call(name))
        }
        None => Ok(()),
    });
}

macro_rules! entering {
    ($($(#[$doc:meta])* $name:ident = $kind:ident;)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(host: *mut c_void, bytes: usize) -> *mut c_void {
            enter(stringify!($name), host, bytes, Kind::$kind, SYNC)
        }
    )*};
}

macro_rules! entering_async {
    ($($(#[$doc:meta])* $name:ident = $kind:ident;)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            host: *mut c_void,
            bytes: usize,
            queue: c_int,
        ) -> *mut c_void {
            let queue = resolve(c_long::from(queue));
            enter(stringify!($name), host, bytes, Kind::$kind, queue)
        }
    )*};
}

macro_rules! exiting {
    ($($(#[$doc:meta])* $name:ident = $kind:ident, $flags:expr;)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(host: *mut c_void, bytes: usize) {
            exit(stringify!($name), host, bytes, Kind::$kind, $flags, SYNC);
        }
    )*};
}

macro_rules! exiting_async {
    ($($(#[$doc:meta])* $name:ident = $kind:ident, $flags:expr;)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(host: *mut c_void, bytes: usize, queue: c_int) {
            let queue = resolve(c_long::from(queue));
            exit(stringify!($name), host, bytes, Kind::$kind, $flags, queue);
        }
    )*};
}

macro_rules! updating {
    ($($(#[$doc:meta])* $name:ident, $name_async:ident = $kind:ident;)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(host: *mut c_void, bytes: usize) {
            update(stringify!($name), host, bytes, Kind::$kind, SYNC);
        }

        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name_async(host: *mut c_void, bytes: usize, queue: c_int) {
            let queue = resolve(c_long::from(queue));
            update(stringify!($name_async), host, bytes, Kind::$kind, queue);
        }
    )*};
}

entering! {
    /// `enter data copyin`.
    acc_copyin = CopyIn;
    /// Older names of [`acc_copyin`].
    acc_present_or_copyin = CopyIn;
    acc_pcopyin = CopyIn;
    /// `enter data create`.
    acc_create = Create;
    /// Older names of [`acc_create`].
    acc_present_or_create = Create;
    acc_pcreate = Create;
}

entering_async! {
    /// `enter data copyin async`.
    acc_copyin_async = CopyIn;
    /// `enter data create async`.
    acc_create_async = Create;
}

exiting! {
    /// `exit data copyout`.
    acc_copyout = CopyOut, 0;
    /// `exit data copyout finalize`.
    acc_copyout_finalize = CopyOut, FINALIZE;
    /// `exit data delete`.
    acc_delete = Delete, 0;
    /// `exit data delete finalize`.
    acc_delete_finalize = Delete, FINALIZE;
}

exiting_async! {
    /// `exit data copyout async`.
    acc_copyout_async = CopyOut, 0;
    /// `exit data copyout finalize async`.
    acc_copyout_finalize_async = CopyOut, FINALIZE;
    /// `exit data delete async`.
    acc_delete_async = Delete, 0;
    /// `exit data delete finalize async`.
    acc_delete_finalize_async = Delete, FINALIZE;
}

updating! {
    /// `update device`.
    acc_update_device, acc_update_device_async = UpdateDevice;
    /// `update self`.
    acc_update_self, acc_update_self_async = UpdateHost;
    /// `update self` by its older name.
    acc_update_host, acc_update_host_async = UpdateHost;
}

fn pointer(name: &str, at: *mut *mut c_void, kind: Kind, flags: u32, queue: i64) {
    run(|| {
        let Some(runtime) = current::gpu() else {
            return Ok(());
        };
        let mut maps = [map(at.cast(), size_of::<usize>(), kind, flags)];
        let place = SourcePlace::call(name);
        match kind {
            Kind::Attach => runtime.enter(&mut maps, queue, &place),
            _ => runtime.exit(&maps, queue, &place),
        }
    });
}

macro_rules! pointers {
    ($($(#[$doc:meta])* $name:ident, $name_async:ident = $kind:ident, $flags:expr;)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(at: *mut *mut c_void) {
            pointer(stringify!($name), at, Kind::$kind, $flags, SYNC);
        }

        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name_async(at: *mut *mut c_void, queue: c_int) {
            let queue = resolve(c_long::from(queue));
            pointer(stringify!($name_async), at, Kind::$kind, $flags, queue);
        }
    )*};
}

pointers! {
    /// Makes the device's copy of a pointer point to the device's copy of what it
    /// points to.
    acc_attach, acc_attach_async = Attach, 0;
    /// Undoes an attach.
    acc_detach, acc_detach_async = Detach, 0;
    /// Undoes all attaches of a pointer.
    acc_detach_finalize, acc_detach_finalize_async = Detach, FINALIZE;
}

/// Whether all of a section is present.
#[unsafe(no_mangle)]
pub extern "C" fn acc_is_present(host: *mut c_void, bytes: usize) -> c_int {
    run(|| {
        Ok(match current::gpu() {
            Some(r) => c_int::from(r.is_present(host as u64, bytes as u64)),
            // All memory of the program is the device's.
            None => c_int::from(!host.is_null()),
        })
    })
}

/// The device address for a host address; null if it is not present.
#[unsafe(no_mangle)]
pub extern "C" fn acc_deviceptr(host: *mut c_void) -> *mut c_void {
    run(|| {
        Ok(match current::gpu() {
            Some(r) => r.device_address(host as u64).unwrap_or(0) as *mut c_void,
            None => host,
        })
    })
}

/// The host address for a device address; null if it belongs to nothing present.
#[unsafe(no_mangle)]
pub extern "C" fn acc_hostptr(device: *mut c_void) -> *mut c_void {
    run(|| {
        Ok(match current::gpu() {
            Some(r) => r.host_address(device as u64).unwrap_or(0) as *mut c_void,
            None => device,
        })
    })
}
