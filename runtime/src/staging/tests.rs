use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::Mutex;

use super::{Ring, Transport, wanted};
use crate::device::{DeviceError, DevicePtr, Pitch, Rows};

/// A device that does what it was asked for when somebody waits for it, not before:
/// what is used too early shows.
#[derive(Default)]
struct Lazy {
    state: Mutex<Queue>,
    /// Operations until it fails.
    lives: Option<usize>,
}

#[derive(Default)]
struct Queue {
    done: usize,
    operations: Vec<(usize, usize, usize)>,
    marks: HashMap<usize, usize>,
    waits: usize,
    most_queued: usize,
}

impl Lazy {
    fn queue(&self, to: usize, from: usize, bytes: usize) -> Result<(), DeviceError> {
        let mut q = self.state.lock().unwrap();
        if self.lives.is_some_and(|n| q.operations.len() >= n) {
            return Err(DeviceError::Invalid {
                operation: "copy".to_string(),
                problem: "no lives left".to_string(),
            });
        }
        q.operations.push((to, from, bytes));
        q.most_queued = q.most_queued.max(q.operations.len() - q.done);
        Ok(())
    }

    fn run(&self, until: usize) {
        let mut q = self.state.lock().unwrap();
        while q.done < until {
            let (to, from, bytes) = q.operations[q.done];
            // SAFETY: the test's arrays and the ring's slots.
            unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes) };
            q.done += 1;
        }
    }

    fn run_all(&self) {
        let all = self.state.lock().unwrap().operations.len();
        self.run(all);
    }
}

impl Transport for Lazy {
    unsafe fn to_device(
        &self,
        to: DevicePtr,
        from: *const u8,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        self.queue(to.0 as usize, from as usize, bytes)
    }

    unsafe fn to_host(
        &self,
        to: *mut u8,
        from: DevicePtr,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        self.queue(to as usize, from.0 as usize, bytes)
    }

    fn mark(&self, slot: usize) -> Result<(), DeviceError> {
        let mut q = self.state.lock().unwrap();
        let now = q.operations.len();
        q.marks.insert(slot, now);
        Ok(())
    }

    fn wait(&self, slot: usize) -> Result<(), DeviceError> {
        let until = {
            let mut q = self.state.lock().unwrap();
            q.waits += 1;
            q.marks[&slot]
        };
        self.run(until);
        Ok(())
    }
}

/// A ring with small chunks, and its memory.
fn ring(workers: usize) -> (Ring, Box<[u8]>) {
    let chunk = 64;
    let mut memory = vec![0xee; Ring::slots_for(workers) * chunk].into_boxed_slice();
    let start = NonNull::new(memory.as_mut_ptr()).unwrap();
    // SAFETY: as large as is said, and used by nothing else.
    let ring = unsafe { Ring::new(start, chunk, workers) };
    (ring, memory)
}

fn pattern(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 7 + i / 251) as u8).collect()
}

#[test]
fn every_byte_arrives_either_way() {
    for workers in [1, 2, 5] {
        let (mut ring, _memory) = ring(workers);
        // One for all copies: a slot's mark may be waited for in a later one.
        let lazy = Lazy::default();
        for n in [0, 1, 63, 64, 65, 640, 1000, 5000, 64 * 31] {
            let source = pattern(n);
            let mut device = vec![0u8; n];
            let at = DevicePtr(device.as_mut_ptr() as u64);
            let mut there = source.clone();
            // SAFETY: arrays of this length.
            unsafe { ring.copy_in(&lazy, at, there.as_ptr(), n) }.unwrap();
            // The host's side may be used again at once.
            there.fill(0);
            lazy.run_all();
            assert_eq!(device, source, "{n} bytes in by {workers}");
            let mut back = vec![0u8; n];
            // SAFETY: as above.
            unsafe { ring.copy_out(&lazy, back.as_mut_ptr(), at, n) }.unwrap();
            assert_eq!(back, source, "{n} bytes out by {workers}");
        }
    }
}

#[test]
fn rows_arrive_either_way() {
    for workers in [1, 3] {
        let (mut ring, _memory) = ring(workers);
        // One for all copies: a slot's mark may be waited for in a later one.
        let lazy = Lazy::default();
        for (width, rows, planes) in [
            (1, 1, 1),
            (8, 5, 1),
            (8, 200, 1),
            (20, 3, 40),
            (64, 7, 2),
            (100, 4, 3),
            (7, 30, 5),
            (8, 3, 0),
        ] {
            let host = Pitch {
                row: width + 5,
                plane: (width + 5) * rows + 3,
            };
            let device = Pitch {
                row: width + 2,
                plane: (width + 2) * rows,
            };
            let shape = |dst, src| Rows {
                width,
                rows,
                planes,
                dst,
                src,
            };
            let (to, back) = (shape(device, host), shape(host, device));
            let what = format!("{to:?} by {workers}");
            let mut there = pattern(to.extent(host).unwrap());
            let source = there.clone();
            let mut memory = vec![1u8; to.extent(device).unwrap()];
            let mut expected = memory.clone();
            to.each(|d, s| -> Result<(), ()> {
                expected[d..d + width].copy_from_slice(&source[s..s + width]);
                Ok(())
            })
            .unwrap();
            let at = DevicePtr(memory.as_mut_ptr() as u64);
            // SAFETY: arrays of these extents.
            unsafe { ring.copy_rows_in(&lazy, at, there.as_ptr(), &to) }.unwrap();
            there.fill(9);
            lazy.run_all();
            assert_eq!(memory, expected, "{what}");
            // SAFETY: as above.
            unsafe { ring.copy_rows_out(&lazy, there.as_mut_ptr(), at, &back) }.unwrap();
            let mut expected = vec![9; there.len()];
            back.each(|d, _| -> Result<(), ()> {
                expected[d..d + width].copy_from_slice(&source[d..d + width]);
                Ok(())
            })
            .unwrap();
            assert_eq!(there, expected, "{what}");
        }
    }
}

/// Two copies without a wait between them, and one back behind both.
#[test]
fn slots_that_are_still_on_their_way_are_waited_for() {
    let (mut ring, _memory) = ring(2);
    let lazy = Lazy::default();
    let (a, b) = (pattern(700), vec![9u8; 300]);
    let mut device = vec![0u8; 1000];
    let at = device.as_mut_ptr() as u64;
    // SAFETY: arrays of this length.
    unsafe {
        ring.copy_in(&lazy, DevicePtr(at), a.as_ptr(), 700).unwrap();
        ring.copy_in(&lazy, DevicePtr(at + 700), b.as_ptr(), 300)
            .unwrap();
    }
    let mut back = vec![0u8; 1000];
    // SAFETY: as above.
    unsafe { ring.copy_out(&lazy, back.as_mut_ptr(), DevicePtr(at), 1000) }.unwrap();
    assert_eq!(back, [a, b].concat());
    let q = lazy.state.lock().unwrap();
    assert!(q.most_queued <= Ring::slots_for(2), "{}", q.most_queued);
    assert!(q.most_queued > 2 && q.waits > 0);
}

#[test]
fn a_failure_is_the_copys() {
    for (lives, workers) in [(0, 1), (3, 1), (5, 3)] {
        let (mut ring, _memory) = ring(workers);
        let lazy = Lazy {
            lives: Some(lives),
            ..Lazy::default()
        };
        let source = pattern(5000);
        let mut device = vec![0u8; 5000];
        let at = DevicePtr(device.as_mut_ptr() as u64);
        // SAFETY: arrays of this length.
        let result = unsafe { ring.copy_in(&lazy, at, source.as_ptr(), 5000) };
        assert!(result.unwrap_err().to_string().contains("no lives left"));
        // SAFETY: as above.
        let result = unsafe { ring.copy_out(&lazy, device.as_mut_ptr(), at, 5000) };
        assert!(result.is_err());
    }
}

#[test]
fn settings() {
    assert_eq!(wanted(None), Ok(true));
    assert_eq!(wanted(Some("0")), Ok(false));
    assert_eq!(
        wanted(Some("off")).unwrap_err(),
        "found TERRACE_STAGING=`off`, expected `1` or `0`"
    );
    assert_eq!([0, 3, 100].map(Ring::workers_for), [1, 3, 8]);
}
