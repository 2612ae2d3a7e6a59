//! Whether terrace's code for a region or the C statement is quicker, found out by the program.
//!
//! Which of the two is quicker depends on sizes, on the machine and on what the C compiler made of
//! the statement, so no estimate is right for every loop. Where both give the same bits, a region
//! that was found is measured in its first calls, separately for each power of two of its work. Most
//! calls run terrace's code; after some of them the statement is run once, and again only where it
//! was nearly as quick or quicker. Then the quicker one stays. Choosing between versions by their
//! measured times is common in tuned libraries (FFTW's planner, ATLAS); here it costs at most one
//! slow call in four, and one in thirty-two where terrace's code is expected to be much quicker.

use std::ffi::{c_double, c_int, c_ulonglong};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use super::begin::terrace_runs_short;
use super::entry::{CPU, HOST};
use super::failure::guard;
use super::settings::{TrialChoice, settings};

/// Calls with work up to 2^(FIRST + 1), the next power of two and so on.
const FIRST: u32 = 12;
const CLASSES: usize = 32;

/// Values of [`Class::calls`] that say what was chosen.
const OURS: u32 = u32::MAX;
const STATEMENT: u32 = u32::MAX - 1;

/// Calls before the statement is tried, where terrace's code does not look quick, and else.
pub(super) const SOON: u32 = 4;
const LATE: u32 = 32;
/// The nanoseconds an operation above which terrace's code does not look quick: a core does about
/// one operation of a loop without vectors in this time.
const SLOW: f32 = 0.3;
/// The statement is tried once where it takes this many times as long, or so much less that it stays
/// at once, and else three times.
const HOPELESS: f32 = 1.25;
const CLEARLY: f32 = 0.8;
const TRIES: u32 = 3;
/// The part of the time of terrace's code that the statement must save.
const MUST_SAVE: f32 = 0.02;

/// What was found out about the calls of a region with about the same work.
#[repr(C)]
pub struct Class {
    /// How many there were, or what was chosen.
    calls: AtomicU32,
    /// The least nanoseconds an operation, as the bits of an `f32`; 0 where none was measured.
    ours: AtomicU32,
    statement: AtomicU32,
}

/// What was found out about a region. A program has one for each, all zeros at first.
#[repr(C)]
pub struct Trials {
    classes: [Class; CLASSES],
}

// `struct __terrace_trials` of the rewritten text has as many bytes.
const _: () = assert!(size_of::<Trials>() == 48 * 8);

/// Where a call of a region with `work` operations runs that would run on the cores: 1, or 0 for the
/// C statement. `sure` says that terrace's code is expected to be much quicker. `began` becomes what
/// [`terrace_tried`] takes, or 0 where it need not be called.
///
/// # Safety
/// `trials` is the region's, or null; `began` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_try(
    trials: *const Trials,
    work: c_double,
    sure: c_int,
    began: *mut c_ulonglong,
) -> c_int {
    // SAFETY: by the contract.
    let Some(trials) = (unsafe { trials.as_ref() }) else {
        return CPU;
    };
    let class = trials.class(work);
    match way() {
        Way::Measured => {}
        Way::Ours => return CPU,
        Way::Turns => return class.turn(),
    }
    let chosen = class.next(sure != 0);
    if let Next::Measured(_) = chosen {
        // SAFETY: by the contract.
        unsafe { *began = now() };
    }
    match chosen {
        Next::Measured(target) | Next::Chosen(target) => target,
    }
}

/// What is done about a region that could be tried.
pub(super) enum Way {
    Measured,
    Turns,
    Ours,
}

pub(super) fn way() -> Way {
    let (flush, trials) = guard(|| {
        let s = settings();
        (s.flush, s.trials)
    });
    // The statement does not take subnormal numbers for zero, and who wants to see short regions run
    // wants to see regions.
    match trials {
        _ if flush => Way::Ours,
        TrialChoice::Turns => Way::Turns,
        TrialChoice::Never => Way::Ours,
        TrialChoice::Measure => match terrace_runs_short.load(Ordering::Relaxed) {
            0 => Way::Measured,
            _ => Way::Ours,
        },
    }
}

/// Ends what [`terrace_try`] began: the call ran on `target`, which may be another than was
/// wanted.
///
/// # Safety
/// `trials` is the region's, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_tried(
    trials: *const Trials,
    work: c_double,
    began: c_ulonglong,
    target: c_int,
) {
    let took = now() - began;
    // SAFETY: by the contract.
    if let Some(trials) = unsafe { trials.as_ref() } {
        trials.class(work).measured(took as f64 / work, target);
    }
}

/// Nanoseconds since the first question, and at least 1.
pub(super) fn now() -> c_ulonglong {
    static START: OnceLock<Instant> = OnceLock::new();
    guard(|| {
        let start = START.get_or_init(Instant::now);
        start.elapsed().as_nanos() as c_ulonglong + 1
    })
}

/// Where a call runs, and whether its time is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Measured(c_int),
    Chosen(c_int),
}

impl Trials {
    /// What was found out about calls with so many operations.
    pub(super) fn class(&self, work: f64) -> &Class {
        // The exponent: the logarithm of what is 1 or more, rounded down.
        let log = ((work.to_bits() >> 52) as u32 & 0x7ff).saturating_sub(1023);
        &self.classes[(log.saturating_sub(FIRST) as usize).min(CLASSES - 1)]
    }
}

impl Class {
    /// Calls of several threads at once may be counted as one, which does not matter.
    fn next(&self, sure: bool) -> Next {
        self.next_after(SOON, sure)
    }

    /// The other of the two than the last time.
    pub(super) fn turn(&self) -> c_int {
        match self.calls.fetch_xor(1, Ordering::Relaxed) {
            0 => HOST,
            _ => CPU,
        }
    }

    /// Says that terrace's code ran once, so that the next call is no first one.
    pub(super) fn warmed(&self) {
        // Where it ran before there is nothing to say.
        let relaxed = Ordering::Relaxed;
        _ = self.calls.compare_exchange(0, 1, relaxed, relaxed);
    }

    /// What was chosen, if anything was.
    pub(super) fn chosen(&self) -> Option<c_int> {
        match self.calls.load(Ordering::Relaxed) {
            OURS => Some(CPU),
            STATEMENT => Some(HOST),
            _ => None,
        }
    }

    /// The same where so many calls go before the statement's, unless terrace's code looks quick.
    pub(super) fn next_after(&self, soon: u32, sure: bool) -> Next {
        if let Some(chosen) = self.chosen() {
            return Next::Chosen(chosen);
        }
        let calls = self.calls.load(Ordering::Relaxed);
        let ours = read(&self.ours);
        let wait = match sure || ours.is_some_and(|t| t < SLOW) {
            true => LATE,
            false => soon,
        };
        let next = match calls.checked_sub(wait) {
            None => Next::Measured(CPU),
            Some(n) if n >= 2 * TRIES => {
                let chosen = self.quicker();
                self.calls.store(chosen, Ordering::Relaxed);
                return Next::Chosen(if chosen == OURS { CPU } else { HOST });
            }
            Some(n) if n % 2 == 0 => Next::Measured(HOST),
            Some(_) => Next::Measured(CPU),
        };
        self.calls.store(calls + 1, Ordering::Relaxed);
        next
    }

    fn quicker(&self) -> u32 {
        match (read(&self.ours), read(&self.statement)) {
            (Some(ours), Some(statement)) if statement < ours * (1.0 - MUST_SAVE) => STATEMENT,
            // It never ran: arrays overlap, or the like.
            (None, Some(_)) => STATEMENT,
            _ => OURS,
        }
    }

    /// A call ran that took this many nanoseconds an operation.
    pub(super) fn measured(&self, each: f64, target: c_int) {
        let each = each as f32;
        // The first call waits for memory that nobody has touched, and counts for neither.
        let is_first = self.calls.load(Ordering::Relaxed) <= 1;
        if is_first || !(each > 0.0 && each.is_finite()) {
            return;
        }
        let least = match target {
            CPU => &self.ours,
            _ => &self.statement,
        };
        if read(least).is_none_or(|t| each < t) {
            least.store(each.to_bits(), Ordering::Relaxed);
        }
        let Some(ours) = read(&self.ours).filter(|_| target == HOST) else {
            return;
        };
        if each > HOPELESS * ours {
            self.calls.store(OURS, Ordering::Relaxed);
        } else if each < CLEARLY * ours {
            self.calls.store(STATEMENT, Ordering::Relaxed);
        }
    }
}

fn read(time: &AtomicU32) -> Option<f32> {
    let time = f32::from_bits(time.load(Ordering::Relaxed));
    (time > 0.0).then_some(time)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn none() -> Trials {
        Trials {
            classes: std::array::from_fn(|_| class()),
        }
    }

    fn class() -> Class {
        Class {
            calls: AtomicU32::new(0),
            ours: AtomicU32::new(0),
            statement: AtomicU32::new(0),
        }
    }

    /// How often the statement ran in so many calls, and what was chosen.
    fn played(sure: bool, calls: u32, ours: f64, statement: f64) -> (u32, u32) {
        let class = class();
        let mut statements = 0;
        for _ in 0..calls {
            let target = match class.next(sure) {
                Next::Chosen(target) => target,
                Next::Measured(target) => {
                    let each = if target == CPU { ours } else { statement };
                    class.measured(each, target);
                    target
                }
            };
            statements += u32::from(target == HOST);
        }
        (statements, class.calls.load(Ordering::Relaxed))
    }

    #[test]
    fn the_statement_stays_where_it_is_quicker() {
        let (statements, chosen) = played(false, 1000, 1.0, 0.7);
        assert_eq!(chosen, STATEMENT);
        assert_eq!(statements, 1000 - SOON);
        let (statements, chosen) = played(false, 1000, 1.0, 0.9);
        assert_eq!(chosen, STATEMENT);
        assert_eq!(statements, 1000 - SOON - TRIES);
    }

    #[test]
    fn the_statement_runs_once_where_it_is_much_slower() {
        assert_eq!(played(false, 1000, 1.0, 4.0), (1, OURS));
        assert_eq!(played(true, LATE, 1.0, 4.0), (0, LATE));
        assert_eq!(played(true, 1000, 1.0, 4.0), (1, OURS));
    }

    #[test]
    fn code_that_looks_quick_is_given_longer() {
        assert_eq!(played(false, LATE, 0.05, 4.0), (0, LATE));
        assert_eq!(played(false, 1000, 0.05, 0.04).1, STATEMENT);
    }

    #[test]
    fn terraces_code_stays_where_both_are_alike() {
        assert_eq!(played(false, 1000, 1.0, 0.99), (TRIES, OURS));
        assert_eq!(played(false, 1000, 1.0, 1.1), (TRIES, OURS));
    }

    #[test]
    fn classes_are_powers_of_two_of_the_work() {
        let trials = none();
        let at = |work: f64| {
            let class = std::ptr::from_ref(trials.class(work));
            let from = trials.classes.as_ptr();
            (class as usize - from as usize) / size_of::<Class>()
        };
        assert_eq!([at(0.0), at(4096.0), at(8191.0)], [0, 0, 0]);
        assert_eq!([at(8192.0), at(1e300)], [1, CLASSES - 1]);
        assert_eq!(at(-5.0), 0);
    }
}
