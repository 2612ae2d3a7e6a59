//! Waiting and asking.

use std::cell::Cell;
use std::ffi::{c_int, c_long};

use crate::program::failure::{guard, run};
use crate::program::queue::{DEFAULT, INITIAL, SYNC};
use crate::program::{Runtime, current};

thread_local! {
    /// What this thread's `async` without a number stands for.
    static DEFAULT_QUEUE: Cell<i64> = const { Cell::new(FIRST) };
}

/// What it stands for at the beginning: a queue like others, of a number that programs
/// hardly use.
const FIRST: i64 = 1 << 30;

/// The queue that a program's number stands for.
pub fn resolve(queue: c_long) -> i64 {
    match queue {
        DEFAULT => DEFAULT_QUEUE.get(),
        INITIAL => FIRST,
        other => other,
    }
}

fn on_device(f: impl FnOnce(&Runtime) -> Result<(), String>) {
    run(|| match current::gpu() {
        Some(runtime) => f(runtime),
        None => Ok(()),
    });
}

fn ask(f: impl FnOnce(&Runtime) -> Result<bool, String>) -> c_int {
    run(|| match current::gpu() {
        Some(runtime) => f(runtime).map(c_int::from),
        None => Ok(1),
    })
}

/// Waits for a queue.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait(queue: c_int) {
    on_device(|r| r.wait(resolve(c_long::from(queue))));
}

/// Waits for one of `count` queues and gives its place among them; -1 if none of them
/// is a queue.
///
/// # Safety
/// `queues` points to `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_wait_any(count: c_int, queues: *const c_int) -> c_int {
    let count = usize::try_from(count).unwrap_or(0);
    if count == 0 || queues.is_null() {
        return -1;
    }
    // SAFETY: by the contract.
    let queues = unsafe { std::slice::from_raw_parts(queues, count) };
    let real = |q: &c_int| resolve(c_long::from(*q)) >= 0;
    let done = |q: &c_int| real(q) && acc_async_test(*q) != 0;
    let place = queues.iter().position(done);
    let Some(place) = place.or_else(|| queues.iter().position(real)) else {
        return -1;
    };
    acc_wait(queues[place]);
    c_int::try_from(place).unwrap_or(-1)
}

/// The older name of [`acc_wait`].
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_wait(queue: c_int) {
    acc_wait(queue);
}

/// Makes queue `to` wait for what is on queue `from` now.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_async(from: c_int, to: c_int) {
    let (from, to) = (resolve(c_long::from(from)), resolve(c_long::from(to)));
    on_device(|r| r.wait_on(from, to));
}

/// Waits for all queues.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_all() {
    on_device(Runtime::wait_all);
}

/// The older name of [`acc_wait_all`].
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_wait_all() {
    acc_wait_all();
}

/// Makes a queue wait for all others.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_all_async(queue: c_int) {
    on_device(|r| r.wait_all_on(resolve(c_long::from(queue))));
}

/// Whether a queue is done.
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_test(queue: c_int) -> c_int {
    ask(|r| r.is_done(resolve(c_long::from(queue))))
}

/// Whether all queues are done.
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_test_all() -> c_int {
    ask(Runtime::is_all_done)
}

/// What `async` without a number stands for on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn acc_get_default_async() -> c_int {
    guard(|| c_int::try_from(DEFAULT_QUEUE.get()).unwrap_or(c_int::MAX))
}

/// Chooses it.
#[unsafe(no_mangle)]
pub extern "C" fn acc_set_default_async(queue: c_int) {
    run(|| match resolve(c_long::from(queue)) {
        queue if queue >= SYNC => {
            DEFAULT_QUEUE.set(queue);
            Ok(())
        }
        queue => Err(format!(
            "terrace: acc_set_default_async: found {queue}, expected a queue from 0, \
             acc_async_sync, acc_async_noval or acc_async_default"
        )),
    });
}

/// Runs `f` for the device of this number; nothing where there is none.
fn of_device(number: c_int, name: &str, f: impl FnOnce(&Runtime) -> Result<(), String>) {
    on_device(|_| {
        let Ok(number) = usize::try_from(number) else {
            return on_current(f);
        };
        let runtime = current::open(number).map_err(|why| format!("terrace: {name}: {why}"))?;
        f(runtime)
    });
}

fn on_current(f: impl FnOnce(&Runtime) -> Result<(), String>) -> Result<(), String> {
    current::gpu().map_or(Ok(()), f)
}

/// Waits for a queue of a device.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_device(queue: c_int, device: c_int) {
    let queue = resolve(c_long::from(queue));
    of_device(device, "acc_wait_device", |r| r.wait(queue));
}

/// Waits for all queues of a device.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_all_device(device: c_int) {
    of_device(device, "acc_wait_all_device", Runtime::wait_all);
}

/// Makes queue `to` of a device wait for what is on its queue `from` now.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_device_async(from: c_int, to: c_int, device: c_int) {
    let (from, to) = (resolve(c_long::from(from)), resolve(c_long::from(to)));
    of_device(device, "acc_wait_device_async", |r| r.wait_on(from, to));
}

/// Makes a queue of a device wait for all others.
#[unsafe(no_mangle)]
pub extern "C" fn acc_wait_all_device_async(queue: c_int, device: c_int) {
    let queue = resolve(c_long::from(queue));
    of_device(device, "acc_wait_all_device_async", |r| {
        r.wait_all_on(queue)
    });
}

/// Whether a queue of a device is done.
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_test_device(queue: c_int, device: c_int) -> c_int {
    let (queue, mut done) = (resolve(c_long::from(queue)), true);
    of_device(device, "acc_async_test_device", |r| {
        done = r.is_done(queue)?;
        Ok(())
    });
    c_int::from(done)
}

/// Whether all queues of a device are done.
#[unsafe(no_mangle)]
pub extern "C" fn acc_async_test_all_device(device: c_int) -> c_int {
    let mut done = true;
    of_device(device, "acc_async_test_all_device", |r| {
        done = r.is_all_done()?;
        Ok(())
    });
    c_int::from(done)
}

/// As [`acc_wait_any`], of a device.
///
/// # Safety
/// As [`acc_wait_any`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_wait_any_device(
    count: c_int,
    queues: *const c_int,
    device: c_int,
) -> c_int {
    let n = usize::try_from(count).unwrap_or(0);
    if n == 0 || queues.is_null() {
        return -1;
    }
    // SAFETY: by the contract.
    let queues = unsafe { std::slice::from_raw_parts(queues, n) };
    let real = |q: &c_int| resolve(c_long::from(*q)) >= 0;
    let done = |q: &c_int| real(q) && acc_async_test_device(*q, device) != 0;
    let place = queues.iter().position(done);
    let Some(place) = place.or_else(|| queues.iter().position(real)) else {
        return -1;
    };
    acc_wait_device(queues[place], device);
    c_int::try_from(place).unwrap_or(-1)
}
