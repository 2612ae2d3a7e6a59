//! The C functions of `include/terrace.h`.

use std::ffi::{c_char, c_int, c_long, c_uint, c_ulonglong, c_void};

use super::abi::{Map, ON_CPU, Place, Region, WRITTEN};
use super::acc::queue::resolve;
use super::failure::{guard, run};
use super::settings::{Choice, settings};
use super::{current, region};

/// What [`terrace_target`] says.
pub const HOST: c_int = 0;
pub const CPU: c_int = 1;
pub const GPU: c_int = 2;

/// Where a region runs: as the system's compiler made it, by terrace's code on the
/// cores, or on the GPU.
///
/// # Safety
/// The region is as in `terrace.h`, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_target(region: *const Region) -> c_int {
    run(|| {
        // SAFETY: by the contract.
        let Some(region) = (unsafe { region.as_ref() }) else {
            return Ok(HOST);
        };
        // SAFETY: by the contract.
        unsafe { region::check(region)? };
        if region.gpu.is_some() && current::gpu().is_some() {
            return Ok(GPU);
        }
        let host =
            settings().target == Choice::Host || current::device_type() == current::Type::Host;
        let cpu = settings().target == Choice::Cpu || (region.flags & ON_CPU != 0 && !host);
        match cpu && region.cpu.is_some() {
            true => Ok(CPU),
            false => Ok(HOST),
        }
    })
}

/// Whether data directives have a device to work on.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_on_device() -> c_int {
    guard(|| c_int::from(current::gpu().is_some()))
}

/// # Safety
/// Null, or this many maps.
unsafe fn maps<'a>(maps: *mut Map, n: c_uint) -> &'a mut [Map] {
    if maps.is_null() || n == 0 {
        return &mut [];
    }
    // SAFETY: by the contract.
    unsafe { std::slice::from_raw_parts_mut(maps, n as usize) }
}

/// Enters data and fills `device` of each map. On the host these are the host's own
/// addresses.
///
/// # Safety
/// `m` has `n` maps as in `terrace.h`, `file` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_data_enter(
    m: *mut Map,
    n: c_uint,
    queue: c_long,
    file: *const c_char,
    line: c_uint,
) {
    run(|| {
        // SAFETY: by the contract.
        let maps = unsafe { maps(m, n) };
        let Some(runtime) = current::gpu() else {
            maps.iter_mut().for_each(|m| m.device = m.host);
            return Ok(());
        };
        // SAFETY: by the contract.
        let place = unsafe { Place::new(file, line, 0) };
        runtime.enter(maps, resolve(queue), &place)
    });
}

/// Exits data. A construct passes the maps that it entered.
///
/// # Safety
/// As [`terrace_data_enter`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_data_exit(
    m: *mut Map,
    n: c_uint,
    queue: c_long,
    file: *const c_char,
    line: c_uint,
) {
    run(|| {
        let Some(runtime) = current::gpu() else {
            return Ok(());
        };
        // SAFETY: by the contract.
        let (maps, place) = unsafe { (maps(m, n), Place::new(file, line, 0)) };
        runtime.exit(maps, resolve(queue), &place)
    });
}

/// Copies sections that are present, as `kind` of each says.
///
/// # Safety
/// As [`terrace_data_enter`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_update(
    m: *mut Map,
    n: c_uint,
    queue: c_long,
    if_present: c_int,
    file: *const c_char,
    line: c_uint,
) {
    run(|| {
        let Some(runtime) = current::gpu() else {
            return Ok(());
        };
        // SAFETY: by the contract.
        let (maps, place) = unsafe { (maps(m, n), Place::new(file, line, 0)) };
        runtime.update(maps, resolve(queue), if_present != 0, &place)
    });
}

/// Whether two sections overlap of which one is written.
///
/// # Safety
/// `m` has `n` maps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_overlap(m: *const Map, n: c_uint) -> c_int {
    guard(|| {
        // SAFETY: by the contract; nothing is written.
        let maps = unsafe { maps(m.cast_mut(), n) };
        c_int::from(overlap(maps))
    })
}

fn overlap(maps: &[Map]) -> bool {
    let mut sections: Vec<(u64, u64, bool)> = maps
        .iter()
        .filter(|m| !m.host.is_null() && m.bytes > 0)
        .map(|m| (m.range().0, m.range().1, m.is(WRITTEN)))
        .collect();
    sections.sort_unstable();
    // The ends of what began before: of all, and of what is written.
    let (mut end, mut written_end) = (0, 0);
    for (from, to, written) in sections {
        if from < written_end || (written && from < end) {
            return true;
        }
        end = end.max(to);
        if written {
            written_end = written_end.max(to);
        }
    }
    false
}

/// Runs a region where [`terrace_target`] said, and returns when it is done or, with a
/// queue, queued. What goes wrong ends the program.
///
/// # Safety
/// The region is as in `terrace.h`, and `words` are its arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_run(
    r: *const Region,
    target: c_int,
    words: *mut c_ulonglong,
    queue: c_long,
) {
    run(|| {
        // SAFETY: by the contract.
        let Some(region) = (unsafe { r.as_ref() }) else {
            return Err("terrace: no region to run".to_string());
        };
        // SAFETY: by the contract.
        unsafe { region::check(region)? };
        match (target, region.cpu, region.gpu) {
            (CPU, Some(entry), _) => {
                // SAFETY: by the contract.
                unsafe { region::run_cpu(region, entry, words, current::host_report()) }
            }
            (GPU, _, Some(entry)) => match current::gpu() {
                // SAFETY: by the contract.
                Some(runtime) => unsafe { runtime.run(region, entry, words, resolve(queue)) },
                None => Err("terrace: a region is to run on a GPU, and there is none".to_string()),
            },
            _ => Err(format!(
                "terrace: a region is to run on target {target}, for which it has no code"
            )),
        }
    });
}

/// Waits for a queue.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_wait(queue: c_long) {
    run(|| match current::gpu() {
        Some(runtime) => runtime.wait(resolve(queue)),
        None => Ok(()),
    });
}

/// Waits for all queues.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_wait_all() {
    run(|| match current::gpu() {
        Some(runtime) => runtime.wait_all(),
        None => Ok(()),
    });
}

/// Where a host address is on the device; the address itself where it is not present.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_deviceptr(host: *mut c_void) -> *mut c_void {
    guard(|| {
        let device = current::gpu().and_then(|r| r.device_address(host as u64));
        device.map_or(host, |d| d as *mut c_void)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(at: usize, bytes: u64, flags: u32) -> Map {
        Map {
            host: at as *mut c_void,
            bytes,
            kind: 0,
            flags,
            name: std::ptr::null(),
            device: std::ptr::null_mut(),
        }
    }

    #[test]
    fn overlaps_count_when_written() {
        let maps = [map(100, 50, 0), map(120, 10, 0), map(150, 10, WRITTEN)];
        assert!(!overlap(&maps));
        assert!(overlap(&[map(100, 50, WRITTEN), map(149, 1, 0)]));
        // A long one that is read reaches over a short one into one that is written.
        let maps = [map(100, 100, 0), map(110, 5, 0), map(180, 5, WRITTEN)];
        assert!(overlap(&maps));
        let maps = [map(100, 100, WRITTEN), map(50, 10, 0), map(199, 5, 0)];
        assert!(overlap(&maps));
        assert!(!overlap(&[map(100, 0, WRITTEN), map(100, 5, WRITTEN)]));
        assert!(overlap(&[map(100, 5, WRITTEN), map(100, 5, WRITTEN)]));
    }
}
