//! The trial of a region and its C statement within one call: some iterations of the outermost loop
//! run by the one, some by the other.
//!
//! A part has so many iterations that its time can be measured. Then parts are what calls are to
//! [`super::trials`]: terrace's code runs the first ones, then both take turns, and the quicker one runs
//! what is left. A loop of one or two iterations is one part, and tried in the next call.

use std::ffi::{c_double, c_int, c_long, c_ulonglong};

use super::begin::terrace_one_core;
use super::entry::CPU;
use super::trials::{Next, SOON, Trials, Way, now, way};
use std::sync::atomic::Ordering;

/// A loop with fewer iterations runs as one part.
const FEW: c_long = 3;
/// Nanoseconds of a part that is measured, about, and at least.
const ABOUT: u64 = 10_000;
const AT_LEAST: u64 = 2_000;
/// A call with fewer operations runs as one part.
const SHORT: f64 = 65536.0;
/// The operations of the first part, and how much larger the next one may be.
const FIRST: f64 = 16384.0;
const GROWTH: u64 = 16;
/// Of so many parts one may be as long as this.
const PARTS: c_long = 8;
/// Parts that terrace's code runs before the statement, on one core. On several it may be many times
/// as quick, and runs as many as of calls.
const SOON_ALONE: u32 = 2;

/// Where a call of a region is.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Slice {
    /// The iterations that run next, the second one not included.
    pub from: c_long,
    pub to: c_long,
    /// The first one that does not run any more.
    pub end: c_long,
    /// How many a part has; 0 at first.
    pub step: c_long,
    /// The operations of the whole call, 0 where that is not known; those of one iteration.
    pub work: c_double,
    pub each: c_double,
    /// When the part began, 0 where its time is not wanted.
    pub began: c_ulonglong,
    /// Parts become longer yet.
    pub growing: c_long,
}

/// Where the next iterations of a call run that would run on the cores: 1, or 0 for the C statement,
/// and which they are.
///
/// # Safety
/// `trials` is the region's, or null; `slice` is the call's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_slice(
    trials: *const Trials,
    slice: *mut Slice,
    sure: c_int,
) -> c_int {
    // SAFETY: by the contract.
    let (trials, slice) = unsafe { (trials.as_ref(), slice.as_mut()) };
    let (Some(trials), Some(slice)) = (trials, slice) else {
        return CPU;
    };
    match way() {
        Way::Measured => {}
        Way::Ours => return CPU,
        Way::Turns => return slice.turn(trials),
    }
    let alone = terrace_one_core.load(Ordering::Relaxed) != 0;
    slice.next(trials, sure != 0, alone)
}

/// Ends what [`terrace_slice`] began: the iterations ran on `target`, which may be another than was
/// wanted.
///
/// # Safety
/// `trials` is the region's, or null; `slice` is the call's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_sliced(trials: *const Trials, slice: *mut Slice, target: c_int) {
    // SAFETY: by the contract.
    let (trials, slice) = unsafe { (trials.as_ref(), slice.as_mut()) };
    if let (Some(trials), Some(slice)) = (trials, slice) {
        slice.took(trials, now() - slice.began, target);
    }
}

impl Slice {
    fn begin(&mut self) {
        let left = self.end.saturating_sub(self.from);
        let is_known = self.work > 0.0;
        if !is_known {
            self.work = left as f64;
        }
        self.each = self.work / left.max(1) as f64;
        let is_short = left < FEW || (is_known && self.work < SHORT);
        self.step = match (is_short, is_known) {
            (true, _) => left,
            (false, true) => ((FIRST / self.each) as c_long).clamp(1, left / PARTS + 1),
            (false, false) => 1,
        };
        self.step = self.step.max(1);
        self.growing = c_long::from(!is_short);
    }

    /// One iteration by the one, two by the other, and so on.
    fn turn(&mut self, trials: &Trials) -> c_int {
        self.step = self.step % 3 + 1;
        self.to = self.from.saturating_add(self.step).min(self.end);
        trials.class(0.0).turn()
    }

    fn next(&mut self, trials: &Trials, sure: bool, alone: bool) -> c_int {
        if self.step == 0 {
            self.begin();
        }
        let class = trials.class(self.work);
        self.began = 0;
        self.to = self.end;
        if let Some(chosen) = class.chosen() {
            return chosen;
        }
        let next = match self.growing != 0 {
            true => Next::Measured(CPU),
            false => {
                let is_part = self.step < self.end - self.from;
                let soon = match (is_part, alone) {
                    (true, true) => SOON_ALONE,
                    _ => SOON,
                };
                class.next_after(soon, sure)
            }
        };
        match next {
            Next::Chosen(target) => target,
            Next::Measured(target) => {
                self.to = self.from.saturating_add(self.step).min(self.end);
                self.began = now();
                target
            }
        }
    }

    fn took(&mut self, trials: &Trials, took: u64, target: c_int) {
        if self.growing != 0 {
            let most = ((self.end - self.from) / PARTS).max(1);
            if took >= ABOUT || (self.step >= most && took >= AT_LEAST) {
                self.growing = 0;
                // That part was the first of its kind, which is not measured.
                trials.class(self.work).warmed();
            } else if self.step >= most {
                // All of it is too short to be measured in parts.
                (self.growing, self.step) = (0, self.end);
            } else {
                let times = (ABOUT / took.max(1)).clamp(2, GROWTH);
                self.step = self.step.saturating_mul(times as c_long).min(most);
            }
            return;
        }
        let iterations = (self.to - self.from) as f64;
        let class = trials.class(self.work);
        class.measured(took as f64 / (self.each * iterations), target);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::entry::HOST;

    /// How many iterations the statement ran of a loop whose iterations take so many nanoseconds, and
    /// how many parts there were.
    fn played(iterations: c_long, work: f64, ours: u64, statement: u64) -> (c_long, u32) {
        let trials: Trials = crate::program::trials::tests::none();
        played_by(&trials, iterations, work, [ours, statement])
    }

    fn played_by(trials: &Trials, n: c_long, work: f64, times: [u64; 2]) -> (c_long, u32) {
        let mut s = Slice {
            from: 0,
            to: n,
            end: n,
            step: 0,
            work,
            each: 0.0,
            began: 0,
            growing: 0,
        };
        let (mut statements, mut parts) = (0, 0);
        loop {
            let target = s.next(trials, false, true);
            let of = s.to - s.from;
            assert!(of > 0 && s.to <= n);
            parts += 1;
            statements += if target == HOST { of } else { 0 };
            if s.began != 0 {
                let each = times[usize::from(target == HOST)];
                s.took(trials, of as u64 * each, target);
            }
            s.from = s.to;
            if s.from >= s.end {
                return (statements, parts);
            }
        }
    }

    #[test]
    fn the_quicker_one_runs_what_is_left() {
        // Two parts by terrace's code, one by the statement, and the rest.
        let (statements, parts) = played(1000, 0.0, 20_000, 10_000);
        assert_eq!((statements, parts), (1000 - 2, 4));
        let (statements, parts) = played(4, 0.0, 20_000_000, 10_000_000);
        assert_eq!((statements, parts), (2, 4));
        // Where both are nearly alike they take turns.
        let (statements, parts) = played(1000, 0.0, 20_000, 18_000);
        assert_eq!((statements, parts), (1000 - 2 - 3, 9));
        let (statements, _) = played(1000, 0.0, 20_000, 40_000);
        assert_eq!(statements, 1);
    }

    #[test]
    fn parts_are_long_enough_to_be_measured() {
        let (statements, parts) = played(1_000_000, 0.0, 20, 10);
        assert!(
            statements > 990_000 && parts < 20,
            "{statements} in {parts}"
        );
    }

    #[test]
    fn few_iterations_are_one_part() {
        assert_eq!(played(2, 0.0, 20_000, 10_000), (0, 1));
        assert_eq!(played(1000, 4000.0, 20_000, 10_000), (0, 1));
    }

    #[test]
    fn what_was_chosen_holds_for_the_next_call() {
        let trials = crate::program::trials::tests::none();
        played_by(&trials, 1000, 0.0, [20_000, 10_000]);
        assert_eq!(played_by(&trials, 1000, 0.0, [20_000, 10_000]), (1000, 1));
    }
}
