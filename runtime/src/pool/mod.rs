//! Threads of the host for parallel loops.
//!
//! A range of iterations is cut into chunks, a few per thread, which the threads
//! take one after the other, so that uneven iterations balance. The calling
//! thread works too. A parallel loop inside another runs on its own thread alone.
//!
//! `settings` reads what the environment says of the threads, `affinity` keeps them on cores, and
//! `compiled` is what compiled code calls.

mod affinity;
mod compiled;
mod settings;
mod sort;

pub use compiled::{LOOP_BAD_STEP, LOOP_NO_BODY, LOOP_OK, LoopBody, terrace_parallel_for};
pub use settings::{
    FLUSH_VARIABLE, PIN_VARIABLE, PoolSettings, THREADS_VARIABLE, flush_from, threads_from,
};
pub(crate) use settings::{is_one_core, variable};

use crate::notice::say;
use affinity::Unpinned;
use std::cell::Cell;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// More threads than this are taken for a slip.
const MAX_THREADS: usize = 4096;
/// Chunks per thread where the grain allows: enough to balance, few enough that
/// taking one costs nothing beside running it.
const CHUNKS_PER_THREAD: u64 = 8;

thread_local! {
    /// Whether this thread is running a chunk.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// A number of threads that cannot be used, or threads that do not start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolError(String);

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PoolError {}

/// Threads that wait for parallel loops.
pub struct Pool {
    /// All threads but the calling one; `None` for a pool of one thread.
    workers: Option<rayon::ThreadPool>,
    settings: PoolSettings,
}

impl Pool {
    /// A pool of this many threads, the calling one included, on any cores.
    ///
    /// # Errors
    /// When it is 0 or above 4096, or the system starts no more threads.
    pub fn new(threads: usize) -> Result<Pool, PoolError> {
        Pool::with(PoolSettings::of(threads))
    }

    /// A pool as the settings say.
    ///
    /// # Errors
    /// As [`Pool::new`], and when threads are to be pinned on a system that has no way to.
    pub fn with(settings: PoolSettings) -> Result<Pool, PoolError> {
        let PoolSettings { threads, pin } = settings;
        if threads == 0 || threads > MAX_THREADS {
            return Err(PoolError(format!(
                "found {threads} as the number of threads, expected 1 to {MAX_THREADS}"
            )));
        }
        let places = match pin {
            true => affinity::places(&affinity::allowed(), threads - 1),
            false => Vec::new(),
        };
        if pin && places.len() < threads - 1 {
            return Err(PoolError(Unpinned.to_string()));
        }
        // A core that the system has taken away meanwhile is none to wait for.
        let begin = move |worker: usize| {
            if let Some(core) = places.get(worker) {
                affinity::pin(*core);
            }
        };
        let workers = match threads {
            1 => None,
            _ => Some(
                rayon::ThreadPoolBuilder::new()
                    .num_threads(threads - 1)
                    .thread_name(|i| format!("terrace-{}", i + 1))
                    .start_handler(begin)
                    .build()
                    .map_err(|error| {
                        PoolError(format!("could not start {threads} threads: {error}"))
                    })?,
            ),
        };
        Ok(Pool { workers, settings })
    }

    /// The number of threads, the calling one included.
    pub fn threads(&self) -> usize {
        self.settings.threads
    }

    /// What the pool is like.
    pub fn settings(&self) -> PoolSettings {
        self.settings
    }

    /// Runs `body` on chunks that together are `begin..end`, each of at least
    /// `grain` iterations (but for the last; 0 counts as 1). Returns when all have
    /// run. The order of the chunks is not defined. An empty range runs nothing.
    ///
    /// # Panics
    /// When `body` does: after the chunks that were already running.
    pub fn parallel_for(&self, begin: i64, end: i64, grain: u64, body: &(dyn Fn(i64, i64) + Sync)) {
        if begin >= end {
            return;
        }
        let iterations = end.abs_diff(begin);
        let grain = grain.max(1);
        let workers = match &self.workers {
            Some(workers) if iterations > grain && !INSIDE.get() => workers,
            // Serial code inside may still use other threads when there was no
            // one to share with here, so `INSIDE` stays as it is.
            _ => return body(begin, end),
        };
        let parts = self.threads() as u64 * CHUNKS_PER_THREAD;
        let chunk = iterations.div_ceil(parts).max(grain);
        let chunks = iterations.div_ceil(chunk);
        let next = AtomicU64::new(0);
        let stopped = AtomicBool::new(false);
        let work = || {
            let _inside = Inside::enter();
            let on_panic = StopOnPanic(&stopped);
            while !stopped.load(Ordering::Relaxed) {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= chunks {
                    break;
                }
                // `i * chunk` is below `iterations`, so neither sum overflows.
                let low = begin.wrapping_add_unsigned(i * chunk);
                let size = chunk.min(iterations - i * chunk);
                body(low, low.wrapping_add_unsigned(size));
            }
            std::mem::forget(on_panic);
        };
        let helpers = (self.threads() as u64 - 1).min(chunks - 1);
        workers.in_place_scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|_| work());
            }
            work();
        });
    }
}

/// Marks this thread as running a chunk, until dropped.
struct Inside(bool);

impl Inside {
    fn enter() -> Inside {
        Inside(INSIDE.replace(true))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(self.0);
    }
}

/// Dropped only while unwinding: lets the other threads take no more chunks.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

static GLOBAL: OnceLock<Pool> = OnceLock::new();

/// Makes the process's pool as the settings say.
///
/// # Errors
/// As [`Pool::with`], and when the pool is in use already with others.
pub fn configure(settings: PoolSettings) -> Result<(), PoolError> {
    let existing = match GLOBAL.get() {
        Some(existing) => existing,
        None => {
            let pool = Pool::with(settings)?;
            GLOBAL.get_or_init(|| pool)
        }
    };
    if existing.settings == settings {
        return Ok(());
    }
    Err(PoolError(format!(
        "the pool runs {} already, and cannot be changed to {}",
        existing.settings, settings
    )))
}

impl fmt::Display for PoolSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PoolSettings { threads, pin } = *self;
        let many = if threads == 1 { "" } else { "s" };
        let pinned = if pin { "pinned " } else { "" };
        write!(f, "{threads} {pinned}thread{many}")
    }
}

/// The process's pool: as configured, or as the environment says, or of all cores. A setting
/// that cannot be used is reported on standard error once, and replaced by all cores, on any of
/// which a thread may run, or by one thread when they do not start.
pub fn global() -> &'static Pool {
    GLOBAL.get_or_init(|| {
        let all = || threads_from(None).map(PoolSettings::of);
        let wanted = PoolSettings::read(variable).or_else(|error| {
            say!("terrace: {error}; using all cores");
            all()
        });
        let pool = wanted.and_then(|wanted| {
            Pool::with(wanted).or_else(|error| match wanted.pin {
                true => {
                    say!("terrace: {error}; using any cores");
                    Pool::new(wanted.threads)
                }
                false => Err(error),
            })
        });
        pool.unwrap_or_else(|error| {
            say!("terrace: {error}; using one thread");
            Pool {
                workers: None,
                settings: PoolSettings::of(1),
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;
    use std::time::Duration;

    /// The chunks of a loop, sorted.
    fn chunks(pool: &Pool, begin: i64, end: i64, grain: u64) -> Vec<(i64, i64)> {
        let seen = Mutex::new(Vec::new());
        pool.parallel_for(begin, end, grain, &|low, high| {
            seen.lock().unwrap().push((low, high));
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        seen
    }

    #[test]
    fn every_iteration_runs_once() {
        for threads in [1, 2, 3, 7] {
            let pool = Pool::new(threads).unwrap();
            for (begin, end, grain) in [
                (0, 1, 1),
                (-5, 1000, 1),
                (3, 103, 10),
                (0, 17, 100),
                (i64::MIN, i64::MAX, 1),
                (i64::MAX - 9, i64::MAX, 0),
                (0, 1 << 40, u64::MAX),
            ] {
                let seen = chunks(&pool, begin, end, grain);
                assert_eq!((seen[0].0, seen[seen.len() - 1].1), (begin, end));
                assert!(seen.windows(2).all(|w| w[0].1 == w[1].0), "{seen:?}");
                let short = seen.iter().filter(|(l, h)| h.abs_diff(*l) < grain).count();
                assert!(short <= 1 && seen.iter().all(|(l, h)| l < h));
            }
            assert!(chunks(&pool, 5, 5, 1).is_empty() && chunks(&pool, 5, -5, 1).is_empty());
        }
    }

    #[test]
    fn threads_share_the_work() {
        let pool = Pool::new(3).unwrap();
        let ids = Mutex::new(HashSet::new());
        pool.parallel_for(0, 24, 1, &|_, _| {
            std::thread::sleep(Duration::from_millis(5));
            ids.lock().unwrap().insert(std::thread::current().id());
        });
        assert!(ids.into_inner().unwrap().len() > 1);
    }

    #[test]
    fn a_loop_inside_a_loop_is_serial() {
        let pool = Pool::new(4).unwrap();
        let inner = Mutex::new(Vec::new());
        pool.parallel_for(0, 16, 1, &|low, _| {
            let outer = std::thread::current().id();
            pool.parallel_for(0, 100, 1, &|begin, end| {
                assert_eq!(std::thread::current().id(), outer);
                inner.lock().unwrap().push((low, begin, end));
            });
        });
        let inner = inner.into_inner().unwrap();
        assert!(
            inner
                .iter()
                .all(|(_, begin, end)| (*begin, *end) == (0, 100))
        );
        // Afterwards the thread may be parallel again.
        assert!(chunks(&pool, 0, 100, 1).len() > 1);
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_pool_survives() {
        let pool = Pool::new(2).unwrap();
        let result = catch_unwind(AssertUnwindSafe(|| {
            pool.parallel_for(0, 1000, 1, &|low, _| assert!(low < 500, "chunk {low}"));
        }));
        assert!(result.is_err());
        assert!(chunks(&pool, 0, 100, 1).len() > 1);
    }

    #[test]
    fn the_pool_of_a_process_is_made_once() {
        assert!(Pool::new(0).is_err());
        let settings = global().settings;
        assert_eq!(configure(settings), Ok(()));
        let more = PoolSettings {
            threads: settings.threads + 1,
            pin: true,
        };
        let said = configure(more).unwrap_err().to_string();
        assert_eq!(
            said,
            format!("the pool runs {settings} already, and cannot be changed to {more}")
        );
        assert!(
            said.ends_with(&format!(" {} pinned threads", more.threads)),
            "{said}"
        );
    }

    /// The cores that each thread of a loop may run on, the caller's apart.
    #[cfg(target_os = "linux")]
    fn masks(pool: &Pool) -> (Vec<usize>, HashSet<Vec<usize>>) {
        let caller = std::thread::current().id();
        let seen = Mutex::new(HashSet::new());
        let at_work = std::sync::Barrier::new(pool.threads());
        // Each thread waits for the others in its first chunk, so that all have one.
        thread_local!(static WAITED: Cell<bool> = const { Cell::new(false) });
        WAITED.set(false);
        pool.parallel_for(0, pool.threads() as i64, 1, &|_, _| {
            if !WAITED.replace(true) {
                at_work.wait();
            }
            if std::thread::current().id() != caller {
                seen.lock().unwrap().insert(affinity::allowed());
            }
        });
        (affinity::allowed(), seen.into_inner().unwrap())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pinned_threads_keep_to_cores_of_the_process() {
        let own = affinity::allowed();
        let pinned = Pool::with(PoolSettings {
            threads: own.len().min(8),
            pin: true,
        });
        let (caller, workers) = masks(&pinned.unwrap());
        assert_eq!(caller, own, "the caller is the program's own thread");
        let expected: HashSet<Vec<usize>> =
            own.iter().take(8).skip(1).map(|core| vec![*core]).collect();
        assert_eq!(workers, expected);
        let (_, workers) = masks(&Pool::new(2).unwrap());
        assert_eq!(workers, HashSet::from([own.clone()]));

        // A process that may use one core only, as this thread's children.
        let last = *own.last().unwrap();
        let inside = move || {
            assert!(affinity::pin(last));
            let pool = Pool::with(PoolSettings {
                threads: 3,
                pin: true,
            });
            masks(&pool.unwrap()).1
        };
        let workers = std::thread::spawn(inside).join().unwrap();
        assert_eq!(workers, HashSet::from([vec![last]]));
    }
}
