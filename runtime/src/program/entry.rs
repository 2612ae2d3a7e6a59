//! The C functions of `include/terrace.h`.

use std::ffi::{c_char, c_int, c_long, c_uint, c_ulonglong, c_void};

use super::abi::{FLUSH, Kind, Map, ON_CPU, ROWS, Region, SourcePlace, WRITTEN, size, text};
use super::acc::queue::resolve;
use super::failure::{guard, run};
use super::queue::SYNC;
use super::settings::{Choice, settings};
use super::{current, host, region};
use crate::notice::say;
use crate::support::subnormals::Mode;

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

/// The same of a region that `terrace_pays` is asked about next: a device is only
/// started where `TERRACE_TARGET` asks for one, so [`GPU`] says that there may be one.
///
/// # Safety
/// The region is as in `terrace.h`, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_could(region: *const Region) -> c_int {
    // SAFETY: by the contract.
    let ours = |r: &Region| unsafe { region::check(r) }.is_ok() && r.gpu.is_some();
    // SAFETY: by the contract.
    let has = unsafe { region.as_ref() }.is_some_and(ours);
    if has && settings().target == Choice::Auto && current::may_have_gpu() {
        return GPU;
    }
    // SAFETY: by the contract.
    unsafe { terrace_target(region) }
}

/// Whether data directives have a device to work on.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_on_device() -> c_int {
    guard(|| c_int::from(current::gpu().is_some()))
}

/// Whether code for x86-64-v3 may run on this machine.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_has_v3() -> c_int {
    guard(|| c_int::from(settings().has_v3()))
}

/// # Safety
/// Null, or this many maps.
pub(super) unsafe fn maps<'a>(maps: *mut Map, n: c_uint) -> &'a mut [Map] {
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
            return maps.iter_mut().try_for_each(enter_on_host);
        };
        // SAFETY: by the contract.
        let place = unsafe { SourcePlace::new(file, line, 0) };
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
        // SAFETY: by the contract.
        let (maps, place) = unsafe { (maps(m, n), SourcePlace::new(file, line, 0)) };
        let Some(runtime) = current::gpu() else {
            maps.iter().for_each(exit_on_host);
            return Ok(());
        };
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
        let (maps, place) = unsafe { (maps(m, n), SourcePlace::new(file, line, 0)) };
        runtime.update(maps, resolve(queue), if_present != 0, &place)
    });
}

unsafe extern "C" {
    fn malloc(bytes: usize) -> *mut c_void;
    fn free(pointer: *mut c_void);
}

/// On the host everything is where it is, but for copies of a region's own.
fn enter_on_host(map: &mut Map) -> Result<(), String> {
    map.device = map.host;
    if map.kind() != Ok(Kind::FirstPrivate) || map.bytes == 0 {
        return Ok(());
    }
    let bytes = size(map.bytes);
    // SAFETY: any number is allowed.
    let copy = unsafe { malloc(bytes) };
    if copy.is_null() {
        return Err(format!(
            "terrace: no memory for a copy of `{}` ({bytes} bytes)",
            map.name()
        ));
    }
    if !map.host.is_null() {
        let (from, to) = (map.host.cast::<u8>(), copy.cast::<u8>());
        // SAFETY: by the interface the section is memory of this size, and the copy is new.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
    }
    map.device = copy;
    Ok(())
}

fn exit_on_host(map: &Map) {
    if map.kind() == Ok(Kind::FirstPrivate) && map.device != map.host {
        // SAFETY: it comes from `enter_on_host`, since a construct passes the maps that
        // it entered.
        unsafe { free(map.device) };
    }
}

/// A copy of memory of the program for a statement that changes it; null of no bytes. Of
/// a null pointer it is memory that holds anything.
///
/// # Safety
/// `from` is null or has this many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_copy_of(from: *mut c_void, bytes: c_long) -> *mut c_void {
    run(|| {
        let mut map = Map {
            host: from,
            bytes: c_ulonglong::try_from(bytes).unwrap_or(0),
            kind: Kind::FirstPrivate as c_uint,
            flags: 0,
            name: std::ptr::null(),
            device: std::ptr::null_mut(),
        };
        enter_on_host(&mut map)?;
        Ok(match map.bytes {
            0 => std::ptr::null_mut(),
            _ => map.device,
        })
    })
}

/// Takes a copy back.
///
/// # Safety
/// It comes from [`terrace_copy_of`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_copy_end(copy: *mut c_void) {
    // SAFETY: by the contract.
    unsafe { free(copy) };
}

/// Whether two sections overlap of which one is written.
///
/// # Safety
/// `m` has `n` maps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_overlap(m: *const Map, n: c_uint) -> c_int {
    run(|| {
        // SAFETY: by the contract; nothing is written.
        let maps = unsafe { maps(m.cast_mut(), n) };
        if !overlap(maps) {
            return Ok(0);
        }
        // The statement would run on the host, which cannot follow the GPU's pointers.
        let on_device = maps.iter().find(|m| m.kind() == Ok(Kind::DevicePtr));
        match on_device.filter(|_| current::gpu().is_some()) {
            Some(map) => Err(format!(
                "terrace: arrays of a region overlap, of which one is written, so that it has to \
                 run on the host; there `{}` cannot be used, which is in device memory",
                map.name()
            )),
            None => {
                if settings().notify && current::may_have_gpu() {
                    say!(
                        "terrace: a region runs on the host: arrays of it overlap, of which one is \
                         written"
                    );
                }
                Ok(1)
            }
        }
    })
}

/// Whether a region with these sections has to stay on the host, because of one of which it
/// is not known how far it reaches.
///
/// # Safety
/// `m` has `n` maps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_strays(m: *const Map, n: c_uint) -> c_int {
    run(|| {
        // SAFETY: by the contract; nothing is written.
        let maps = unsafe { maps(m.cast_mut(), n) };
        let Some(why) = current::gpu().and_then(|r| r.strays(maps)) else {
            return Ok(0);
        };
        // As where arrays overlap.
        if let Some(map) = maps.iter().find(|m| m.kind() == Ok(Kind::DevicePtr)) {
            return Err(format!(
                "terrace: {why}, so that a region has to run on the host; there `{}` cannot be \
                 used, which is in device memory; a clause that says how large the array is helps",
                map.name()
            ));
        }
        if settings().notify {
            say!("terrace: a region runs on the host: {why}");
        }
        Ok(1)
    })
}

/// Begins a region that runs on the host because no device has code for it or, without a name,
/// because of where its arrays lie: the program's
/// memory holds what a device has of it until the end.
///
/// # Safety
/// `name` and `file` are null or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_host_begin(
    name: *const c_char,
    file: *const c_char,
    line: c_uint,
) {
    run(|| {
        // SAFETY: by the contract.
        let (name, place) = unsafe { (text(name), SourcePlace::new(file, line, 0)) };
        host::begin(name.as_deref(), place)
    });
}

/// Ends what [`terrace_host_begin`] began last on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_host_end() {
    run(host::end);
}

/// A section as it is compared with others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Compared {
    from: u64,
    to: u64,
    group: u32,
    object: u32,
    written: bool,
}

/// Takes sections of one object that contain others of it for both.
fn within_objects(sections: &mut Vec<Compared>) {
    let all = sections.clone();
    let contains = |a: &Compared, b: &Compared| {
        a.object == b.object && a.object != 0 && a.from <= b.from && b.to <= a.to
    };
    sections.retain(|b| {
        let larger = |a: &&Compared| contains(a, b) && (a.from, a.to) != (b.from, b.to);
        !all.iter().any(|a| larger(&a))
    });
    for a in sections {
        let whole = *a;
        for b in all.iter().filter(|b| contains(&whole, b) && **b != whole) {
            a.written |= b.written;
            // What coincides with one is not what coincides with the other.
            a.group = 0;
        }
    }
}

/// Sections that are few enough to compare each with each.
const FEW: usize = 12;

/// The sections of a region's data. Pointers that are attached are none.
pub(super) fn data(maps: &[Map]) -> impl Iterator<Item = &Map> + Clone {
    let is_data = |m: &&Map| !m.is(ROWS) && !matches!(m.kind(), Ok(Kind::Attach | Kind::Detach));
    maps.iter()
        .filter(|m| !m.host.is_null() && m.bytes > 0)
        .filter(is_data)
}

/// Whether few sections are all apart, whoever writes them, which is what a short region waits
/// for: nothing is allocated, and little code is read for the first time.
fn few_and_apart(maps: &[Map]) -> bool {
    let mut rest = data(maps);
    if maps.len() > FEW {
        return false;
    }
    while let Some(a) = rest.next() {
        let (from, to) = a.range();
        if rest.clone().any(|b| b.range().0 < to && from < b.range().1) {
            return false;
        }
    }
    true
}

fn overlap(maps: &[Map]) -> bool {
    if few_and_apart(maps) {
        return false;
    }
    let mut sections: Vec<Compared> = data(maps)
        .map(|m| Compared {
            from: m.range().0,
            to: m.range().1,
            group: m.group(),
            object: m.object(),
            written: m.is(WRITTEN),
        })
        .collect();
    within_objects(&mut sections);
    sections.sort_unstable();
    // Sections that may coincide, and do, are one.
    sections.dedup_by(|b, a| {
        let same = (a.from, a.to) == (b.from, b.to);
        let grouped = a.group != 0 && a.group == b.group;
        let one = same && (grouped || a.object != 0 && a.object == b.object);
        a.written |= one && b.written;
        one
    });
    // The ends of what began before: of all, and of what is written.
    let (mut end, mut written_end) = (0, 0);
    for s in sections {
        let Compared {
            from, to, written, ..
        } = s;
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
                let newer = region.cpu_v3.filter(|_| settings().has_v3());
                let entry = newer.unwrap_or(entry);
                let flush = settings().flush || region.flags & FLUSH != 0;
                let mode = Mode::flushing(flush).map_err(|e| format!("terrace: {e}"))?;
                // SAFETY: by the contract.
                unsafe { region::run_cpu(region, (entry, mode), words, current::host_report()) }
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

/// Makes what is queued on `queue` from now on wait for what is queued on `on` now; the
/// host goes on. Waits for `on` where `queue` is the one that is waited for.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_wait_on(on: c_long, queue: c_long) {
    run(|| match (current::gpu(), resolve(queue)) {
        (None, _) => Ok(()),
        (Some(runtime), SYNC) => runtime.wait(resolve(on)),
        (Some(runtime), queue) => runtime.wait_on(resolve(on), queue),
    });
}

/// As [`terrace_wait_on`], for all queues there are.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_wait_all_on(queue: c_long) {
    run(|| match (current::gpu(), resolve(queue)) {
        (None, _) => Ok(()),
        (Some(runtime), SYNC) => runtime.wait_all(),
        (Some(runtime), queue) => runtime.wait_all_on(queue),
    });
}

/// Where the variable of `use_device` is on the device, which must be there unless
/// `if_present`; null stays null.
///
/// # Safety
/// `name` and `file` are null or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_use_device(
    host: *mut c_void,
    if_present: c_int,
    name: *const c_char,
    file: *const c_char,
    line: c_uint,
) -> *mut c_void {
    run(|| {
        let Some(runtime) = current::gpu().filter(|_| !host.is_null()) else {
            return Ok(host);
        };
        // SAFETY: by the contract.
        let (name, place) = unsafe { (text(name), SourcePlace::new(file, line, 0)) };
        let name = name.unwrap_or_default();
        let device = runtime.use_device(host as u64, if_present != 0, &name, &place)?;
        Ok(device as *mut c_void)
    })
}

/// Where a host address is on the device; the address itself where it is not present.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_deviceptr(host: *mut c_void) -> *mut c_void {
    guard(|| {
        // On a device that has not been started there is nothing.
        let device = current::started().and_then(|r| r.device_address(host as u64));
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
    fn a_copy_that_is_too_large_for_the_host() {
        let mut huge = map(100, u64::MAX / 4, 0);
        huge.kind = Kind::FirstPrivate as c_uint;
        let wanted = "terrace: no memory for a copy of `an array` (4611686018427387903 bytes)";
        assert_eq!(enter_on_host(&mut huge), Err(wanted.to_string()));
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
        let mut attach = map(104, 8, 0);
        attach.kind = Kind::Attach as c_uint;
        let rows = map(0, 200, ROWS | WRITTEN);
        assert!(!overlap(&[map(100, 50, WRITTEN), attach, rows]));
    }

    #[test]
    fn parts_of_one_object_are_where_it_is() {
        let of = |object: u32, at, bytes, flags| map(at, bytes, flags | object << 24);
        let (whole, part) = (of(1, 100, 50, 0), of(1, 120, 8, WRITTEN));
        assert!(!overlap(&[part, whole]));
        assert!(!overlap(&[of(1, 100, 50, WRITTEN), of(1, 120, 8, 0)]));
        assert!(!overlap(&[part, of(1, 120, 8, 0)]));
        // The object as a whole counts as written where a part is.
        assert!(overlap(&[whole, part, map(140, 4, 0)]));
        assert!(overlap(&[whole, part, of(2, 140, 4, 0)]));
        // Neither contains the other.
        assert!(overlap(&[part, of(1, 124, 50, 0)]));
        assert!(overlap(&[map(100, 50, 0), map(120, 8, WRITTEN)]));
        // What coincides with the whole has not the part in it.
        let group = 1 << 16;
        let other = map(100, 50, WRITTEN | group);
        assert!(!overlap(&[of(1, 100, 50, group), other]));
        assert!(overlap(&[of(1, 100, 50, group), part, other]));
    }
}
