//! The seeds that a test of random programs tries, on all processors.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number that the environment may give.
fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(v) => v
            .parse()
            .unwrap_or_else(|_| panic!("{name}={v} is not a number")),
        Err(_) => otherwise,
    }
}

/// `TERRACE_RANDOM_COUNT` seeds, or that many, from `TERRACE_RANDOM_SEED` or 0 on.
pub fn seeds(count: u64) -> Range<u64> {
    let first = number("TERRACE_RANDOM_SEED", 0);
    first..first.saturating_add(number("TERRACE_RANDOM_COUNT", count))
}

/// Tries each seed. What they gave, in no order.
///
/// # Panics
///
/// With the first `shown` reports where some failed; the others are then not tried.
pub fn over_seeds<T: Send>(
    seeds: Range<u64>,
    shown: usize,
    one: impl Fn(u64) -> Result<T, Vec<String>> + Sync,
) -> Vec<T> {
    let next = AtomicU64::new(seeds.start);
    let reports = Mutex::new(Vec::new());
    let given = Mutex::new(Vec::new());
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let enough = || reports.lock().is_ok_and(|r| r.len() >= shown);
            if seed >= seeds.end || enough() {
                return;
            }
            match one(seed) {
                Ok(t) => given.lock().expect("no thread panics").push(t),
                Err(found) => reports.lock().expect("no thread panics").extend(found),
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|s| {
        for _ in 0..threads {
            s.spawn(|| terrace::with_stack(work));
        }
    });
    let reports: Vec<String> = reports.into_inner().expect("no thread panics");
    assert!(
        reports.is_empty(),
        "{}",
        reports[..reports.len().min(shown)].join("\n")
    );
    given.into_inner().expect("no thread panics")
}
