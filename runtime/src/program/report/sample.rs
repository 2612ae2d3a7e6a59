//! Which launches and copies are timed, so that timing stays below a share of what is timed.
//!
//! An event costs time: on a device that works through a queue about two microseconds
//! between two kernels, on one that waits for the host several more of the host's. Of what a row of
//! the tables counts, the first few are timed. From then on each occurrence earns a share of
//! the row's usual time, and one is timed when enough was earned: all of kernels that take
//! long, one in so many of short ones. The distance varies at random, so that it does not
//! fall in step with what the program does. Each that was timed stands for those that were
//! not since the one before, so sums follow times that change as a program goes on.

/// Of the time of what is counted, so much may go into timing it.
const SHARE: f64 = 1.0 / 80.0;

/// So many are timed of each row in any case.
pub(super) const FIRST: u64 = 16;

/// Nobody saves up for more than this many microseconds of timing; the dearest is at most
/// one and a half times [`Cost::Idle`] away.
const MAX: f64 = 40.0;

/// What timing one costs, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cost {
    /// One event, on a queue that has work.
    Chained,
    /// Two, on a queue that has work.
    Pair,
    /// Two, while the device waits.
    Idle,
}

impl Cost {
    fn microseconds(self) -> f64 {
        match self {
            // Measured on an H200 by the example `overhead`: 12.1 of the last, to which the time
            // is added that a stream is held for.
            Cost::Chained => 2.1,
            Cost::Pair => 4.2,
            Cost::Idle => 25.0,
        }
    }
}

/// The choice for one row.
#[derive(Debug, Clone)]
pub(super) struct Sampler {
    seen: u64,
    /// Since the last that was timed.
    skipped: u64,
    /// Microseconds that may go into timing.
    credit: f64,
    /// What must be there before the next is timed.
    needed: f64,
    /// What one takes, rather less: the first ones are slower than others.
    usual: Option<f64>,
    random: u32,
}

impl Sampler {
    /// `seed` makes rows differ.
    pub fn new(seed: u32) -> Sampler {
        Sampler {
            seen: 0,
            skipped: 0,
            credit: 0.0,
            needed: 0.0,
            usual: None,
            random: seed | 1,
        }
    }

    /// One more: how many it stands for if it is to be timed, itself included.
    pub fn next(&mut self) -> Option<u64> {
        self.seen = self.seen.saturating_add(1);
        if self.seen > FIRST {
            self.credit = (self.credit + self.usual.unwrap_or(0.0) * SHARE).min(MAX);
            if self.credit < self.needed || self.usual.is_none() {
                self.skipped += 1;
                return None;
            }
        }
        Some(std::mem::take(&mut self.skipped) + 1)
    }

    /// Whether a time must come in before a choice can be made.
    pub fn wants_time(&self) -> bool {
        self.seen >= FIRST && self.usual.is_none()
    }

    /// One was timed, at this cost.
    pub fn spend(&mut self, cost: Cost) {
        if self.seen <= FIRST {
            return;
        }
        self.credit -= cost.microseconds();
        let next = match cost {
            Cost::Idle => Cost::Idle.microseconds(),
            // The next one can follow it.
            Cost::Chained | Cost::Pair => Cost::Chained.microseconds(),
        };
        let earned = self.usual.unwrap_or(0.0) * SHARE;
        self.needed = match earned >= next {
            true => next,
            false => next * (0.5 + self.fraction()),
        };
    }

    /// A time came in.
    pub fn took(&mut self, microseconds: f64) {
        self.usual = Some(match self.usual {
            None => microseconds,
            Some(u) if microseconds < u => (u + microseconds) / 2.0,
            Some(u) => u + (microseconds - u) / 8.0,
        });
    }

    /// From 0 to 1 (Marsaglia 2003, "Xorshift RNGs").
    fn fraction(&mut self) -> f64 {
        let mut x = self.random;
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        self.random = x;
        f64::from(x) / f64::from(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many are timed, what the timing costs as a share of their time, and
    /// their sum as the timed ones have it.
    fn run(count: u64, cost: Cost, time: impl Fn(u64) -> f64) -> (u64, f64, f64) {
        let mut s = Sampler::new(7);
        let (mut timed, mut spent, mut sum, mut all, mut stood) = (0, 0.0, 0.0, 0.0, 0);
        for i in 0..count {
            all += time(i);
            if let Some(weight) = s.next() {
                timed += 1;
                stood += weight;
                if i >= FIRST {
                    spent += cost.microseconds();
                }
                sum += time(i) * weight as f64;
                s.spend(cost);
                s.took(time(i));
            }
        }
        assert!(stood <= count && stood + 2 * count / timed + 2000 > count);
        (timed, spent / all, sum * count as f64 / stood as f64 / all)
    }

    #[test]
    fn long_ones_are_all_timed() {
        assert_eq!(run(10_000, Cost::Chained, |_| 200.0).0, 10_000);
        assert_eq!(run(10_000, Cost::Idle, |_| 2000.0).0, 10_000);
    }

    #[test]
    fn short_ones_are_timed_for_less_than_the_share() {
        for (cost, time) in [
            (Cost::Chained, 20.0),
            (Cost::Pair, 90.0),
            (Cost::Idle, 100.0),
            (Cost::Idle, 2.0),
        ] {
            let (timed, share, _) = run(200_000, cost, |_| time);
            assert!(share <= SHARE * 1.01, "{cost:?} {time}: {share}");
            assert!(share >= SHARE * 0.5, "{cost:?} {time}: {share}");
            assert!(timed > FIRST);
        }
    }

    #[test]
    fn sums_follow_times_that_change() {
        // As in a factorisation, from 200 us to nearly nothing.
        let shrinking = |i: u64| 200.0 - i as f64 * 0.0199;
        let (_, _, ratio) = run(10_000, Cost::Idle, shrinking);
        assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
        // Every other one ten times as long: in step with a distance of two or four.
        let (_, _, ratio) = run(100_000, Cost::Idle, |i| 20.0 + 180.0 * (i % 2) as f64);
        assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
    }

    #[test]
    fn a_slow_first_one_does_not_count_for_long() {
        let (timed, _, _) = run(10_000, Cost::Idle, |i| if i == 0 { 1e5 } else { 3.0 });
        // As many as of those that always take 3 us.
        let (usual, _, _) = run(10_000, Cost::Idle, |_| 3.0);
        assert!(timed < usual + 10, "{timed} {usual}");
    }

    #[test]
    fn without_a_time_there_is_no_further_one() {
        let mut s = Sampler::new(1);
        let timed = (0..100).filter(|_| s.next().is_some()).count();
        assert_eq!(timed as u64, FIRST);
        assert!(s.wants_time());
    }
}
