//! Parallel loops of compiled code on the process's pool.

use super::{Pool, global};
use crate::notice::say;
use crate::support::subnormals::Mode;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, Ordering};

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
/// iterations of the loop. All threads treat subnormal numbers as the calling one
/// does. Returns [`LOOP_OK`], [`LOOP_BAD_STEP`], [`LOOP_NO_BODY`],
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
    let mode = Mode::current();
    let result = catch_unwind(AssertUnwindSafe(|| {
        let chunk = |low, high, env| {
            if failed.load(Ordering::Relaxed) == LOOP_OK {
                let status = mode.around(|| body(env, low, high));
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
    use std::sync::Mutex;

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

    /// Notes in each element of the loop how its thread treats subnormal numbers.
    extern "C" fn note(env: *mut u8, begin: i64, end: i64) -> i32 {
        for i in begin..end {
            let flushes = Mode::current() == Mode::FLUSH;
            // SAFETY: the test passes as many bytes, and each i is visited once.
            unsafe { *env.add(i as usize) = 1 + u8::from(flushes) };
            // Another thread takes the next one.
            std::thread::sleep(std::time::Duration::from_micros(100));
        }
        LOOP_OK
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[test]
    fn threads_treat_subnormals_as_their_caller() {
        for (mode, expected) in [(Mode::STRICT, 1), (Mode::FLUSH, 2), (Mode::STRICT, 1)] {
            let mut noted = vec![0u8; 200];
            let (at, n) = (noted.as_mut_ptr(), noted.len() as i64);
            // SAFETY: `note` writes distinct bytes of `noted`.
            let run = || unsafe { terrace_parallel_for(Some(note), at, 0, n, 1) };
            assert_eq!(mode.around(run), LOOP_OK);
            assert_eq!(noted, vec![expected; 200]);
            assert_eq!(Mode::current(), Mode::STRICT);
        }
    }
}
