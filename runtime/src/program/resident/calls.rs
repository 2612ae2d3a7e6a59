//! What compiled programs say of their own code while data stays on a device.

use std::ffi::{c_int, c_long, c_uint, c_void};
use std::sync::atomic::Ordering;

use super::{Use, frames, terrace_resident};
use crate::program::abi::SourcePlace;
use crate::program::data::Work;
use crate::program::failure::run;
use crate::program::queue::SYNC;
use crate::program::{Runtime, current};

/// In `how`: the memory is written.
pub const WRITES: c_uint = 1;
/// In `how`: nobody will read what is there.
pub const GONE: c_uint = 2;

impl Use {
    fn of(how: c_uint) -> Use {
        Use {
            writes: how & WRITES != 0,
            gone: how & GONE != 0,
        }
    }
}

/// Does something with what stays on the device of this thread, if anything does.
fn with(f: impl Fn(&mut Work) -> Result<(), String>) -> Result<(), String> {
    if terrace_resident.load(Ordering::Acquire) == 0 {
        return Ok(());
    }
    let place = SourcePlace::default();
    let each = |r: &'static Runtime| {
        let none = r.state().residents.is_empty();
        match none {
            true => Ok(()),
            false => r.work("host code", SYNC, &place, &f),
        }
    };
    current::all_started().into_iter().try_for_each(each)
}

#[cfg(test)]
impl Runtime {
    /// As [`terrace_host_uses`].
    ///
    /// # Errors
    /// What the device says.
    pub(in crate::program) fn host_uses(
        &self,
        range: (u64, u64),
        how: Use,
        place: &SourcePlace,
    ) -> Result<(), String> {
        self.work("host code", SYNC, place, |work| uses(work, range, how))
    }
}

fn uses(work: &mut Work, range: (u64, u64), how: Use) -> Result<(), String> {
    let all = work.state.residents.meeting(range.0, range.1);
    all.into_iter()
        .try_for_each(|at| work.host_uses(at, range, how))
}

/// The program is about to use memory: it finds there what it should, and what it writes is
/// not on the device. `how` is 1 if it writes, 2 if nobody will read what is there.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_host_uses(p: *const c_void, bytes: c_long, how: c_uint) {
    run(|| {
        let start = p as u64;
        let end = start.saturating_add(u64::try_from(bytes).unwrap_or(0));
        with(|work| uses(work, (start, end), Use::of(how)))
    });
}

/// The same of all arrays that pointers of a class lead to.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_host_uses_class(class: c_long, how: c_uint) {
    run(|| {
        with(|work| {
            let arrays = work.state.residents.0.iter();
            let of_class = arrays.filter(|(_, a)| a.class == class as u64);
            let all: Vec<u64> = of_class.map(|(at, _)| *at).collect();
            let any = (0, u64::MAX);
            all.into_iter()
                .try_for_each(|at| work.host_uses(at, any, Use::of(how)))
        })
    });
}

/// Memory that was allocated is about to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_host_frees(p: *mut c_void) {
    run(|| {
        if terrace_resident.load(Ordering::Acquire) == 0 || p.is_null() {
            return Ok(());
        }
        let start = p as u64;
        match allocated(p) {
            Some(bytes) => {
                let range = (start, start.saturating_add(bytes as u64));
                with(|work| uses(work, range, Use::of(GONE)))
            }
            None => with(|work| work.give_up_all()),
        }
    });
}

/// How many bytes an allocation has at least.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn allocated(p: *mut c_void) -> Option<usize> {
    unsafe extern "C" {
        fn malloc_usable_size(p: *mut c_void) -> usize;
    }
    // SAFETY: the program is about to free it.
    Some(unsafe { malloc_usable_size(p) })
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn allocated(_: *mut c_void) -> Option<usize> {
    None
}

/// The program is about to run code that does not say what it uses: all of the program's memory
/// is as it should be, and nothing stays on the device.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_host_uses_all() {
    frames::calls(false);
    run(|| with(|work| work.give_up_all()));
}

/// The next call is of a function that says what it uses.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_host_follows() {
    frames::calls(true);
}

/// A function that says what it uses begins, and keeps a note at this address of its stack:
/// whether its caller goes on saying it, 1 or 0.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_host_begins(note: *const c_int) -> c_int {
    c_int::from(frames::begin(note as u64))
}

/// An array of the function's own.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_host_holds(note: *const c_int, p: *const c_void, bytes: c_long) {
    let start = p as u64;
    let end = start.saturating_add(u64::try_from(bytes).unwrap_or(0));
    frames::holds(note as u64, start, end);
}

/// The function ends.
///
/// # Safety
/// `note` is what [`terrace_host_begins`] said, where it was told.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_host_ends(note: *const c_int) {
    // SAFETY: by the contract.
    let followed = !note.is_null() && unsafe { *note } != 0;
    let gone = frames::end(note as u64);
    run(|| {
        let how = Use::of(GONE);
        with(|work| {
            let mut arrays = gone.iter();
            arrays.try_for_each(|range| uses(work, *range, how))
        })?;
        match followed {
            true => Ok(()),
            false => with(|work| work.give_up_all()),
        }
    });
}
