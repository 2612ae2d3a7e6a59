//! What the first region of a program would wait for is done when the program starts.
//!
//! A region of microseconds that runs once costs as much as its first call: the variables of the
//! environment are read, the machine is asked for its instructions, which under a hypervisor takes
//! microseconds a question, and each new part of the program's code is a page fault. libgomp
//! reads its variables when it is loaded, too. Here that is done where `TERRACE_TARGET=cpu` says
//! that regions will run on the cores. A wrong value is left to the first region to tell of, and
//! threads are started there, since a program may fork before.

use super::abi::{ABI, Kind, Map, Region, WRITTEN};
use super::current;
use super::entry::{
    CPU, terrace_could, terrace_overlap, terrace_run, terrace_strays, terrace_target,
};
use super::pays::terrace_pays;
use super::settings::{has_v3, read_early};
use crate::pool;
use std::ffi::{c_int, c_ulonglong, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI32, Ordering};

/// Functions that a Linux program calls in front of `main`.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
pub(super) static BEGIN: extern "C" fn() = begin;

/// Whether regions that were found run on their target, too, where they do so little that the C
/// statement is done before that is even asked: 1 or 0. So they do where a device was asked for,
/// or `TERRACE_RUN_SHORT=1` says so.
#[unsafe(no_mangle)]
pub static terrace_runs_short: AtomicI32 = AtomicI32::new(1);

/// Whether regions would have one thread on one core, as `TERRACE_NUM_THREADS` and the cores that the
/// process may use say: 1 or 0. The C statement is as quick then where nothing but threads would
/// make it quicker.
#[unsafe(no_mangle)]
pub static terrace_one_core: AtomicI32 = AtomicI32::new(0);

/// Whether data may stay on a device behind regions, so that functions have to say what they use: 1
/// or 0. It cannot where regions stay on the host, or where there is no GPU.
#[unsafe(no_mangle)]
pub static terrace_tracks: AtomicI32 = AtomicI32::new(1);

/// Of which the driver needs one to have a GPU.
const DEVICES: [&str; 4] = ["/dev/nvidiactl", "/dev/nvidia0", "/dev/nvmap", "/dev/dxg"];

extern "C" fn begin() {
    let target = std::env::var_os("TERRACE_TARGET");
    let at_home = match &target {
        Some(target) => target == "cpu" || target == "host",
        None => !DEVICES.iter().any(|path| Path::new(path).exists()),
    };
    terrace_tracks.store(c_int::from(!at_home), Ordering::Relaxed);
    let cpu = target.as_ref().is_some_and(|t| t == "cpu");
    let on_host = cpu || target.is_none_or(|t| t == "host" || t.is_empty());
    let asked = std::env::var_os("TERRACE_RUN_SHORT").is_some_and(|v| v == "1");
    terrace_runs_short.store(c_int::from(asked || !on_host), Ordering::Relaxed);
    terrace_one_core.store(c_int::from(pool::is_one_core()), Ordering::Relaxed);
    if !cpu || !read_early() {
        return;
    }
    has_v3();
    // A report would tell of a region that is not the program's.
    if current::host_report().wants_runs() {
        return;
    }
    run_nothing();
}

/// Goes the way of a region on the cores once, so that its code is there when the first one comes.
fn run_nothing() {
    let region = Region {
        abi: ABI,
        flags: 0,
        name: null(),
        file: null(),
        line: 0,
        column: 0,
        cpu: Some(nothing),
        cpu_v3: Some(nothing),
        gpu: None,
        image: null_mut(),
        sites: null(),
        num_sites: 0,
        versions: null(),
        num_versions: 0,
    };
    let mut bytes = [0u8; 2];
    let at = bytes.as_mut_ptr();
    let byte = |offset: usize| Map {
        host: at.wrapping_add(offset).cast::<c_void>(),
        bytes: 1,
        kind: Kind::Copy as _,
        flags: WRITTEN,
        name: null(),
        device: null_mut(),
    };
    let mut maps = [byte(0), byte(1)];
    let mut words: [c_ulonglong; 1] = [0];
    let words = words.as_mut_ptr();
    // SAFETY: the region has code that takes any words, and the maps are of bytes that are there.
    unsafe {
        terrace_could(&raw const region);
        terrace_target(&raw const region);
        terrace_overlap(maps.as_ptr(), 2);
        terrace_strays(maps.as_ptr(), 2);
        terrace_pays(&raw const region, 0, None, words, 0, maps.as_mut_ptr(), 2);
        terrace_run(&raw const region, CPU, words, 0);
    }
}

/// The code of a region that does nothing, and went well.
unsafe extern "C" fn nothing(_words: *mut c_ulonglong) -> c_int {
    0
}
