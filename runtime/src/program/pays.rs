//! Whether a region is to leave the host that may stay there.

use std::collections::HashMap;
use std::ffi::{c_int, c_uint, c_ulonglong};
use std::sync::Mutex;

use terrace_ptx::machine::CORES;
use terrace_support::estimate::{CpuModel, GpuModel, LOSS, Work, loss, pays, times};

use super::abi::{Entry, Map, Region};
use super::failure::guard;
use super::region::{describe, expect};
use super::settings::{Choice, settings};
use super::{Runtime, current, lock};
use crate::notice::say;

/// What the compiler knows of a region that was found.
const DOES: c_int = 1;
const ASK: c_int = 2;

/// Added where a directive asks for the region.
const ASKED: c_int = 4;

/// What regions that directives ask for have lost on the device so far, by the function of
/// the estimate.
static LOST: Mutex<Option<HashMap<usize, f64>>> = Mutex::new(None);

/// Whether a region runs on the device of which `terrace_could` said that there may be
/// one: 0 for the host. The device is started if it does.
///
/// Where `TERRACE_TARGET` names a target it does. Else one that was found must pay:
/// `known` is 0 if it does not, 1 if it does, 2 if `estimate` is to be asked, which takes
/// the region's `words` and writes the numbers of [`Work`] as `f64` at `words[at]`. With 4
/// added a directive asks for the region: it stays on the host only where the device is
/// more than twice as slow and all its runs together would lose more than
/// [`LOSS`] seconds.
///
/// Where one of its sections is on the device already, a region that a directive asks for
/// runs there, whatever it takes, and one that was found does not: there the program itself
/// says when host and device are the same.
///
/// # Safety
/// The region is as in `terrace.h`, or null; `m` has `n` maps as in `terrace.h`; `words` are the region's arguments with room for
/// [`Work::NUMBERS`] more from `at`, which `estimate` takes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_pays(
    region: *const Region,
    known: c_int,
    estimate: Option<Entry>,
    words: *mut c_ulonglong,
    at: c_uint,
    m: *const Map,
    n: c_uint,
) -> c_int {
    guard(|| {
        let started = current::started();
        let maps = match m.is_null() || n == 0 {
            true => &[],
            // SAFETY: by the contract.
            false => unsafe { std::slice::from_raw_parts(m, n as usize) },
        };
        let asked = known & ASKED != 0;
        // SAFETY: by the contract.
        let work = || unsafe { ask(known, estimate, words, at as usize) };
        // A profile tells it of regions that nobody asks about, too.
        let shown = if settings().profile { work() } else { None };
        expect(region, shown);
        if started.is_some_and(|r| maps.iter().any(|m| r.touches(m.host as u64, m.bytes))) {
            return c_int::from(asked);
        }
        if settings().target != Choice::Auto {
            return 1;
        }
        let work = shown.or_else(work);
        let (gpu, cpu) = (model(started), CpuModel::of(CORES.in_a_second()));
        let leaves = match (&work, asked) {
            (Some(work), false) => pays(work, &gpu, &cpu, started.is_some()),
            (Some(work), true) => {
                let loss = loss(work, &gpu, &cpu);
                may_lose(estimate.map_or(0, |e| e as usize), loss)
            }
            (None, false) => known == DOES,
            (None, true) => true,
        };
        if let (Some(work), true) = (&work, settings().notify) {
            let t = times(work, &gpu, &cpu);
            // SAFETY: by the contract.
            let region = unsafe { region.as_ref() };
            // SAFETY: as well.
            let described = region.map(|r| unsafe { describe(r) });
            let (name, place) = described.unwrap_or_default();
            let start = match started {
                None => format!(" and {} s to start it", gpu.start),
                Some(_) => String::new(),
            };
            let stays = if leaves { "leaves" } else { "stays on" };
            say!(
                "terrace: {place}: {name} {stays} the host: estimated {:.6} s on the device{start}, \
                 {:.6} s on the host",
                t.gpu,
                t.cpu
            );
        }
        c_int::from(leaves && current::gpu().is_some())
    })
}

/// # Safety
/// As for [`terrace_pays`].
unsafe fn ask(
    known: c_int,
    estimate: Option<Entry>,
    words: *mut c_ulonglong,
    at: usize,
) -> Option<Work> {
    let estimate = estimate.filter(|_| known & !ASKED == ASK && !words.is_null())?;
    // SAFETY: by the contract.
    let results = unsafe {
        if estimate(words) != 0 {
            return None;
        }
        std::slice::from_raw_parts(words.add(at), Work::NUMBERS)
    };
    let mut numbers = [0.0; Work::NUMBERS];
    for (n, w) in numbers.iter_mut().zip(results) {
        *n = f64::from_bits(*w);
    }
    Some(Work::from_results(numbers))
}

/// Whether a region may lose this much on the device; remembers that it did.
fn may_lose(region: usize, loss: f64) -> bool {
    if loss <= 0.0 {
        return true;
    }
    let mut lost = lock(&LOST);
    let so_far = lost.get_or_insert_default().entry(region).or_default();
    let may = *so_far + loss <= LOSS;
    if may {
        *so_far += loss;
    }
    may
}

/// The device if it is known, else one of a middle size.
fn model(runtime: Option<&Runtime>) -> GpuModel {
    let Some(runtime) = runtime else {
        return GpuModel::default();
    };
    let d = runtime.device.info();
    GpuModel::of(
        d.multiprocessors,
        d.clock_khz,
        d.memory_clock_khz,
        d.memory_bus_bits,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_add_up() {
        let region = losses_add_up as fn() as usize;
        assert!(may_lose(region, 0.0) && may_lose(region, LOSS / 2.0));
        assert!(!may_lose(region, LOSS));
        assert!(may_lose(region, LOSS / 4.0) && may_lose(region, LOSS / 8.0));
        assert!(!may_lose(region, LOSS / 4.0));
        // Of others nothing is lost yet.
        assert!(may_lose(region + 1, LOSS / 2.0));
        // What is not a number is no loss.
        assert!(may_lose(region, f64::NAN.max(0.0)));
    }
}
