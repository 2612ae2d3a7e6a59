//! What the first region of a program would wait for is done when the program starts.
//!
//! A region of microseconds that runs once costs as much as its first call: the variables of the
//! environment are read, the machine is asked for its instructions, which under a hypervisor takes
//! microseconds a question, and each new part of the program's code is a page fault. libgomp
//! reads its variables when it is loaded, too. Here that is done where `TERRACE_TARGET=cpu` says
//! that regions will run on the cores. A wrong value is left to the first region to tell of, and
//! threads are started there, since a program may fork before.

use super::abi::Region;
use super::entry::{terrace_could, terrace_overlap, terrace_strays, terrace_target};
use super::settings::{has_v3, read_early};
use super::{current, pays};
use std::ptr::null;

/// Functions that a Linux program calls in front of `main`.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
pub(super) static BEGIN: extern "C" fn() = begin;

extern "C" fn begin() {
    let cpu = std::env::var_os("TERRACE_TARGET").is_some_and(|t| t == "cpu");
    if !cpu || !read_early() {
        return;
    }
    has_v3();
    current::host_report();
    let region: *const Region = null();
    // SAFETY: a region may be null, and there are no maps.
    unsafe {
        terrace_could(region);
        terrace_target(region);
        terrace_overlap(null(), 0);
        terrace_strays(null(), 0);
        pays::terrace_pays(region, 0, None, std::ptr::null_mut(), 0, null(), 0);
    }
}
