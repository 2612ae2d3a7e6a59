//! Threads of a program that share a device: with queues of their own and with one, with
//! arrays of their own and with one, on a device that does things later, in threads.

use std::sync::Barrier;

use super::super::copies::terrace_gpu_copy;
use super::super::queue::{Queues, SYNC};
use super::super::region::{terrace_gpu_alloc, terrace_gpu_free, terrace_gpu_launch};
use super::region::with_region;
use super::*;
use crate::cpu::{CpuDevice, NativeLaunch};
use crate::device::StreamId;
use crate::program::abi::{DYNAMIC, IMPLICIT, Region, WRITTEN};

const THREADS: usize = 6;
const ROUNDS: usize = 40;
const N: usize = 257;

const PTX: &str = "\
.version 6.4
.target sm_70
.address_size 64
.visible .entry increment(.param .u64 a, .param .u32 n) { ret; }
";

unsafe fn increment(launch: &NativeLaunch) -> Result<(), String> {
    for i in 0..launch.word(1) {
        // SAFETY: the tests pass so many doubles.
        unsafe { *(launch.word(0) as *mut f64).add(i as usize) += 1.0 };
    }
    Ok(())
}

/// Increments an array of (address, n) by way of memory of the region's own, so that this
/// goes from thread to thread.
unsafe extern "C" fn region(words: *mut u64) -> i32 {
    // SAFETY: the tests pass two words.
    let (a, n) = unsafe { (*words, *words.add(1)) };
    let d = [1u64, 1, 1];
    let own = terrace_gpu_alloc(n * 8, 0);
    if own == 0 {
        return 1;
    }
    // SAFETY: both have n doubles.
    let copied = unsafe { terrace_gpu_copy(own, a, n * 8, 2, 0) };
    let args = [own, n];
    // SAFETY: two arguments, as the kernel has.
    let launched = unsafe { terrace_gpu_launch(0, d.as_ptr(), d.as_ptr(), 0, args.as_ptr(), 2, 1) };
    // SAFETY: both have n doubles.
    let back = unsafe { terrace_gpu_copy(a, own, n * 8, 2, 0) };
    copied + launched + back + terrace_gpu_free(own, 0)
}

/// A region that threads share.
struct Shared<'a>(&'a Region);

// SAFETY: it and what it points to are only read.
unsafe impl Sync for Shared<'_> {}

fn on_threads() -> &'static Runtime {
    let device = CpuDevice::new(64 << 20, &[("increment", increment)]).unwrap();
    let report = Report::new(&Settings::default());
    Box::leak(Box::new(Runtime::new(Arc::new(device), 0, report)))
}

/// Runs `f` in all threads at once.
fn all(f: impl Fn(usize) + Sync) {
    let barrier = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for i in 0..THREADS {
            let (barrier, f) = (&barrier, &f);
            scope.spawn(move || {
                barrier.wait();
                f(i);
            });
        }
    });
}

/// Each thread takes its own array through regions, on the queue that `queue` gives it.
fn regions(queue: impl Fn(usize, usize) -> i64 + Sync) {
    let r = on_threads();
    with_region(PTX, c"increment", |of| {
        let of = Shared(of);
        all(|me| {
            let of = &of;
            for round in 0..ROUNDS {
                let queue = queue(me, round);
                let start = (me * 1000 + round) as f64;
                let a = vec![start; N];
                let mut maps = [map(&a, Kind::Copy, WRITTEN | IMPLICIT, c"a")];
                r.enter(&mut maps, queue, &place(1)).unwrap();
                for _ in 0..3 {
                    let mut words = [maps[0].device as u64, N as u64];
                    // SAFETY: the words are the region's.
                    unsafe { r.run(of.0, region, words.as_mut_ptr(), queue) }.unwrap();
                }
                r.exit(&maps, queue, &place(2)).unwrap();
                if queue != SYNC {
                    r.wait(queue).unwrap();
                }
                // Written behind the compiler's back.
                let a = std::hint::black_box(a);
                let expected = vec![start + 3.0; N];
                assert_eq!(a, expected, "thread {me}, round {round}, queue {queue}");
            }
        });
    });
    r.wait_all().unwrap();
    r.forget().unwrap();
    assert_eq!(r.device.allocated(), (0, 0), "memory is left");
}

#[test]
fn a_queue_each() {
    regions(|me, _| me as i64);
}

#[test]
fn one_queue_for_all() {
    regions(|_, _| 7);
}

#[test]
fn no_queue() {
    regions(|_, _| SYNC);
}

#[test]
fn queues_in_turn() {
    regions(|me, round| match (me + round) % 4 {
        0 => SYNC,
        n => n as i64,
    });
}

#[test]
fn an_array_that_all_share() {
    let r = on_threads();
    let shared: Vec<f64> = (0..N).map(|i| i as f64).collect();
    let all_of_it = |kind, flags| map(&shared, kind, flags, c"shared");
    // One reference that lasts, so that its place does not change.
    let mut first = [all_of_it(Kind::CopyIn, DYNAMIC)];
    r.enter(&mut first, SYNC, &place(1)).unwrap();
    let device = first[0].device as usize;
    all(|me| {
        for round in 0..ROUNDS * 5 {
            let flags = if round % 2 == 0 { DYNAMIC } else { 0 };
            let mut maps = [all_of_it(Kind::CopyIn, flags)];
            let queue = if round % 3 == 0 { SYNC } else { me as i64 };
            r.enter(&mut maps, queue, &place(2)).unwrap();
            assert_eq!(maps[0].device as usize, device);
            let part = &shared[me * 8..];
            assert_eq!(
                r.device_address(part.as_ptr() as u64),
                Some((device + me * 64) as u64)
            );
            assert!(r.is_present(part.as_ptr() as u64, 64));
            if round % 7 == 0 {
                let update = [map(part, Kind::UpdateDevice, 0, c"shared")];
                r.update(&update, queue, false, &place(3)).unwrap();
            }
            maps[0].kind = match flags {
                0 => Kind::CopyIn as u32,
                _ => Kind::Delete as u32,
            };
            r.exit(&maps, queue, &place(4)).unwrap();
        }
        r.wait(me as i64).unwrap();
    });
    assert!(r.is_present(shared.as_ptr() as u64, 8));
    r.exit(&[all_of_it(Kind::Delete, DYNAMIC)], SYNC, &place(5))
        .unwrap();
    assert!(!r.is_present(shared.as_ptr() as u64, 8));
    r.forget().unwrap();
    assert_eq!(r.device.allocated(), (0, 0), "memory is left");
}

#[test]
fn arrays_that_come_and_go() {
    // Nobody holds it: whoever is first copies it, whoever is last lets it go.
    let r = on_threads();
    let shared: Vec<f64> = (0..N).map(|i| i as f64).collect();
    all(|_| {
        for _ in 0..ROUNDS * 5 {
            let mut maps = [map(&shared, Kind::CopyIn, 0, c"shared")];
            r.enter(&mut maps, SYNC, &place(2)).unwrap();
            let mut got = vec![0f64; N];
            let bytes: &mut [u8] = {
                let at = got.as_mut_ptr().cast::<u8>();
                // SAFETY: the bytes of the doubles, which nobody else uses meanwhile.
                unsafe { std::slice::from_raw_parts_mut(at, N * 8) }
            };
            let at = crate::device::DevicePtr(maps[0].device as u64);
            r.device.copy_d2h(bytes, at).unwrap();
            assert_eq!(got, shared);
            r.exit(&maps, SYNC, &place(3)).unwrap();
        }
    });
    assert!(!r.is_present(shared.as_ptr() as u64, 8));
    r.forget().unwrap();
    assert_eq!(r.device.allocated(), (0, 0), "memory is left");
}

/// A thread that waits must not take another's work for done of which the device has not
/// been told: its memory would be given out while it is in use.
#[test]
fn a_wait_between_marking_and_queueing() {
    let (mut queues, s) = (Queues::default(), StreamId(3));
    queues.mark(s);
    let other = queues.mark(s);
    queues.open(s, other);
    let waited = queues.told(s);
    assert_eq!(waited.count, 1);
    queues.done(waited);
    assert_eq!(queues.busy(), [queues.now(s)], "the other's is under way");
    queues.close(s, other);
    let waited = queues.told(s);
    queues.done(waited);
    assert!(queues.busy().is_empty());
}
