//! How long measuring may take, and what is said meanwhile.

use std::time::{Duration, Instant};

/// Time for measuring. What has begun is finished, so that it takes somewhat longer where a
/// run does.
pub struct Budget {
    start: Instant,
    limit: Duration,
    /// What a mapping's runs took, at most.
    longest: Duration,
    say: fn(&str),
}

impl Budget {
    /// From now on. `say` gets lines of progress.
    pub fn new(limit: Duration, say: fn(&str)) -> Budget {
        Budget {
            start: Instant::now(),
            limit,
            longest: Duration::ZERO,
            say,
        }
    }

    pub fn say(&self, line: &str) {
        (self.say)(line);
    }

    /// When there is to be nothing more.
    pub fn end(&self) -> Option<Instant> {
        self.start.checked_add(self.limit)
    }

    /// Notes what one mapping took.
    pub fn took(&mut self, time: Duration) {
        self.longest = self.longest.max(time);
    }

    /// Whether there is time for another mapping, and for what was chosen behind it.
    pub fn allows_another(&self) -> bool {
        self.fits(self.start.elapsed(), 2)
    }

    fn fits(&self, spent: Duration, times: u32) -> bool {
        let wanted = self.longest.checked_mul(times);
        let end = wanted.and_then(|w| spent.checked_add(w));
        end.is_some_and(|e| e <= self.limit)
    }

    /// The limit in words, as the command line has it.
    pub fn limit(&self) -> String {
        format!("--budget {}", self.limit.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_one_fits_if_it_and_the_choice_do() {
        let seconds = Duration::from_secs;
        let mut b = Budget::new(seconds(10), |_| {});
        assert!(b.fits(seconds(10), 2) && !b.fits(seconds(11), 2));
        b.took(seconds(3));
        b.took(seconds(1));
        assert!(b.fits(seconds(4), 2) && !b.fits(seconds(5), 2));
        b.took(Duration::MAX);
        assert!(!b.allows_another());
    }
}
