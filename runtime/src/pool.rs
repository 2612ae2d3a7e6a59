//! Threads of the host for parallel loops.
//!
//! A range of iterations is cut into chunks, a few per thread, which the threads
//! take one after the other, so that uneven iterations balance. The calling
//! thread works too. A parallel loop inside another runs on its own thread alone.

use crate::notice::say;
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};

/// The environment variable with the number of threads of [`global`].
pub const THREADS_VARIABLE: &str = "TERRACE_NUM_THREADS";

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
    threads: usize,
}

impl Pool {
    /// A pool of this many threads, the calling one included.
    ///
    /// # Errors
    /// When it is 0 or above 4096, or the system starts no more threads.
    pub fn new(threads: usize) -> Result<Pool, PoolError> {
        if threads == 0 || threads > MAX_THREADS {
            return Err(PoolError(format!(
                "found {threads} as the number of threads, expected 1 to {MAX_THREADS}"
            )));
        }
        let workers = match threads {
            1 => None,
            _ => Some(
                rayon::ThreadPoolBuilder::new()
                    .num_threads(threads - 1)
                    .thread_name(|i| format!("terrace-{}", i + 1))
                    .build()
                    .map_err(|error| {
                        PoolError(format!("could not start {threads} threads: {error}"))
                    })?,
            ),
        };
        Ok(Pool { workers, threads })
    }

    /// The number of threads, the calling one included.
    pub fn threads(&self) -> usize {
        self.threads
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
        let parts = self.threads as u64 * CHUNKS_PER_THREAD;
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
        let helpers = (self.threads as u64 - 1).min(chunks - 1);
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

/// The number of threads that a setting asks for: all cores where it is unset or
/// empty.
///
/// # Errors
/// When it is not a number of 1 to 4096.
pub fn threads_from(setting: Option<&str>) -> Result<usize, PoolError> {
    let setting = setting.unwrap_or_default().trim();
    if setting.is_empty() {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        return Ok(cores.min(MAX_THREADS));
    }
    match setting.parse() {
        Ok(threads) if (1..=MAX_THREADS).contains(&threads) => Ok(threads),
        _ => Err(PoolError(format!(
            "found {THREADS_VARIABLE}=`{}`, expected a number of threads, 1 to {MAX_THREADS}",
            setting.escape_debug()
        ))),
    }
}

static GLOBAL: OnceLock<Pool> = OnceLock::new();

/// Makes the process's pool with this many threads.
///
/// # Errors
/// As [`Pool::new`], and when the pool is in use already with another number.
pub fn configure(threads: usize) -> Result<(), PoolError> {
    let existing = match GLOBAL.get() {
        Some(existing) => existing,
        None => {
            let pool = Pool::new(threads)?;
            GLOBAL.get_or_init(|| pool)
        }
    };
    if existing.threads == threads {
        return Ok(());
    }
    Err(PoolError(format!(
        "the pool runs {} threads already, and cannot be changed to {threads}",
        existing.threads
    )))
}

/// The process's pool: as configured, or as `TERRACE_NUM_THREADS` says, or of all
/// cores. A setting that cannot be used is reported on standard error once, and
/// replaced by all cores, or by one thread when they do not start.
pub fn global() -> &'static Pool {
    GLOBAL.get_or_init(|| {
        let setting = std::env::var_os(THREADS_VARIABLE);
        let setting = setting.as_ref().map(|s| s.to_string_lossy());
        let pool = threads_from(setting.as_deref()).or_else(|error| {
            say!("terrace: {error}; using all cores");
            threads_from(None)
        });
        pool.and_then(Pool::new).unwrap_or_else(|error| {
            say!("terrace: {error}; using one thread");
            Pool {
                workers: None,
                threads: 1,
            }
        })
    })
}

/// The body of a compiled parallel loop: the loop's captured values, and the
/// first and past-the-last value of the induction variable of a chunk. It steps
/// by the loop's own step from the first.
/// Returns 0, or a status that the whole loop then returns.
pub type LoopBody = extern "C" fn(env: *mut u8, begin: i64, end: i64) -> i32;

/// What [`terrace_parallel_for`] returns when all went well.
pub const LOOP_OK: i32 = 0;
/// The step is 0 or negative; nothing was run.
pub const LOOP_BAD_STEP: i32 = -1;
/// There is no body; nothing was run.
pub const LOOP_NO_BODY: i32 = -2;

/// Runs a compiled parallel loop `for i = begin; i < end; i += step` on the
/// process's pool: for compiled code to call. The chunks' beginnings are
/// iterations of the loop. Returns [`LOOP_OK`], [`LOOP_BAD_STEP`], [`LOOP_NO_BODY`],
/// or the status of a chunk that failed; chunks that begin after that do nothing.
///
/// A panic cannot pass through compiled code: the process is aborted with a
/// message.
///
/// # Safety
/// `body` may be called with `env` from several threads at once on distinct
/// chunks of the loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_parallel_for(
    body: Option<LoopBody>,
    env: *mut u8,
    begin: i64,
    end: i64,
    step: i64,
) -> i32 {
    let Some(body) = body else {
        return LOOP_NO_BODY;
    };
    if step <= 0 {
        return LOOP_BAD_STEP;
    }
    let failed = AtomicI32::new(LOOP_OK);
    let result = catch_unwind(AssertUnwindSafe(|| {
        let chunk = |low, high, env| {
            if failed.load(Ordering::Relaxed) == LOOP_OK {
                let status = body(env, low, high);
                if status != LOOP_OK {
                    failed.store(status, Ordering::Relaxed);
                }
            }
        };
        stepped_for(global(), begin, end, step, &chunk, Env(env));
    }));
    if result.is_err() {
        say!("terrace: a parallel loop panicked on the host; stopping");
        std::process::abort();
    }
    failed.into_inner()
}

/// The captured values of a compiled loop, shared by its threads.
#[derive(Clone, Copy)]
struct Env(*mut u8);

// SAFETY: only passed on to the body, whose caller promised that this is allowed.
unsafe impl Send for Env {}
// SAFETY: as above.
unsafe impl Sync for Env {}

impl Env {
    /// A method, so that a closure captures the whole and not the bare pointer.
    fn get(self) -> *mut u8 {
        self.0
    }
}

/// A loop with a positive step, by iteration number on a pool.
fn stepped_for(
    pool: &Pool,
    begin: i64,
    end: i64,
    step: i64,
    body: &(dyn Fn(i64, i64, *mut u8) + Sync),
    env: Env,
) {
    if begin >= end {
        return;
    }
    if step == 1 {
        pool.parallel_for(begin, end, 1, &|low, high| body(low, high, env.get()));
        return;
    }
    // With a step of 2 or more the iterations fit an i64.
    let iterations = end.abs_diff(begin).div_ceil(step as u64) as i64;
    pool.parallel_for(0, iterations, 1, &|first, past| {
        // Exact in i128; the past end may lie beyond `end`, where it is cut.
        let at = |n: i64| i128::from(begin) + i128::from(n) * i128::from(step);
        let low = at(first) as i64;
        let high = at(past).min(i128::from(end)) as i64;
        body(low, high, env.get());
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
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
    fn settings_are_checked() {
        assert_eq!(threads_from(Some(" 3 ")), Ok(3));
        assert!(threads_from(None).unwrap() >= 1);
        assert_eq!(threads_from(Some("")), threads_from(None));
        for wrong in ["0", "-1", "many", "4097", "1e3"] {
            let error = threads_from(Some(wrong)).unwrap_err().to_string();
            assert!(
                error.contains(&format!("TERRACE_NUM_THREADS=`{wrong}`")),
                "{error}"
            );
        }
        assert!(Pool::new(0).is_err());
        let threads = global().threads();
        assert_eq!(configure(threads), Ok(()));
        assert!(
            configure(threads + 1)
                .unwrap_err()
                .to_string()
                .contains("cannot be changed")
        );
    }

    extern "C" fn fail_at_the_end(_: *mut u8, _: i64, end: i64) -> i32 {
        if end == 998 { 42 } else { LOOP_OK }
    }

    #[test]
    fn a_failing_chunk_fails_the_loop() {
        let null = std::ptr::null_mut();
        // SAFETY: the body does nothing with its environment.
        let code = unsafe { terrace_parallel_for(Some(fail_at_the_end), null, 0, 998, 1) };
        assert_eq!(code, 42);
    }

    extern "C" fn mark(env: *mut u8, begin: i64, end: i64) -> i32 {
        let mut i = begin;
        while i < end {
            // SAFETY: the tests pass 1000 bytes, and each i is visited once.
            unsafe { *env.add(i as usize) += 1 };
            i += 7;
        }
        LOOP_OK
    }

    #[test]
    fn compiled_loops_step_through_their_chunks() {
        let mut marks = vec![0u8; 1000];
        // SAFETY: `mark` writes distinct bytes of `marks`.
        let code = unsafe { terrace_parallel_for(Some(mark), marks.as_mut_ptr(), 3, 998, 7) };
        assert_eq!(code, LOOP_OK);
        for (i, mark) in marks.iter().enumerate() {
            let expected = u8::from((3..998).contains(&i) && (i - 3) % 7 == 0);
            assert_eq!(*mark, expected, "{i}");
        }
        let null = std::ptr::null_mut();
        // SAFETY: nothing is run, since the step or the body is refused.
        unsafe {
            assert_eq!(
                terrace_parallel_for(Some(mark), null, 0, 9, 0),
                LOOP_BAD_STEP
            );
            assert_eq!(terrace_parallel_for(None, null, 0, 9, 1), LOOP_NO_BODY);
            assert_eq!(terrace_parallel_for(Some(mark), null, 9, 9, 7), LOOP_OK);
        }
    }

    #[test]
    fn steps_at_the_ends_of_the_range() {
        let pool = Pool::new(3).unwrap();
        for (begin, end, step) in [
            (i64::MIN, i64::MAX, i64::MAX),
            (i64::MIN, i64::MAX, 1 << 60),
            (i64::MAX - 5, i64::MAX, 4),
        ] {
            let seen = Mutex::new(Vec::new());
            let env = Env(std::ptr::null_mut());
            stepped_for(
                &pool,
                begin,
                end,
                step,
                &|low, high, _| {
                    let mut i = i128::from(low);
                    while i < i128::from(high) {
                        seen.lock().unwrap().push(i);
                        i += i128::from(step);
                    }
                },
                env,
            );
            let mut seen = seen.into_inner().unwrap();
            seen.sort_unstable();
            let expected: Vec<i128> = (0..)
                .map(|n| i128::from(begin) + n * i128::from(step))
                .take_while(|i| *i < i128::from(end))
                .collect();
            assert_eq!(seen, expected);
        }
    }
}
