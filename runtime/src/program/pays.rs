//! Whether a region that the compiler found is to leave the host.

use std::ffi::{c_int, c_uint, c_ulonglong};

use terrace_support::estimate::{CpuModel, GpuModel, Work, pays};

use super::abi::{Entry, Map};
use super::failure::guard;
use super::settings::{Choice, settings};
use super::{Runtime, current};

/// What the compiler knows.
const DOES: c_int = 1;
const ASK: c_int = 2;

/// Whether a region that no directive asks for runs where `terrace_target` said: 0 for
/// the host.
///
/// Where `TERRACE_TARGET` names a target it does. Else it must pay: `known` is 0 if it
/// does not, 1 if it does, 2 if `estimate` is to be asked, which takes the region's
/// `words` and writes five `f64` at `words[at]`.
///
/// It never does where one of its sections is on the device already: there the program
/// itself says when host and device are the same.
///
/// # Safety
/// `m` has `n` maps as in `terrace.h`; `words` are the region's arguments with room for
/// five more from `at`, which `estimate` takes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_pays(
    known: c_int,
    estimate: Option<Entry>,
    words: *mut c_ulonglong,
    at: c_uint,
    m: *const Map,
    n: c_uint,
) -> c_int {
    guard(|| {
        let gpu = current::gpu();
        let maps = match m.is_null() || n == 0 {
            true => &[],
            // SAFETY: by the contract.
            false => unsafe { std::slice::from_raw_parts(m, n as usize) },
        };
        if gpu.is_some_and(|r| maps.iter().any(|m| r.touches(m.host as u64, m.bytes))) {
            return 0;
        }
        if settings().target != Choice::Auto {
            return 1;
        }
        let (Some(runtime), ASK, Some(estimate)) = (gpu, known, estimate) else {
            return c_int::from(known == DOES);
        };
        if words.is_null() {
            return 0;
        }
        // SAFETY: by the contract.
        let results = unsafe {
            if estimate(words) != 0 {
                return 0;
            }
            std::slice::from_raw_parts(words.add(at as usize), 5)
        };
        let mut numbers = [0.0; 5];
        for (n, w) in numbers.iter_mut().zip(results) {
            *n = f64::from_bits(*w);
        }
        c_int::from(pays_on(&Work::from_results(numbers), runtime))
    })
}

fn pays_on(work: &Work, runtime: &Runtime) -> bool {
    let d = runtime.device.info();
    let gpu = GpuModel::of(
        d.multiprocessors,
        d.clock_khz,
        d.memory_clock_khz,
        d.memory_bus_bits,
    );
    pays(work, &gpu, &CpuModel::default())
}
