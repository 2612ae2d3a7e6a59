//! Faults of kernels are those of the launch that they come from, and nothing is done after
//! one.

use super::super::abi;
use super::super::queue::SYNC;
use super::super::region::terrace_gpu_launch;
use super::region::with_region;
use super::*;

/// Launches as often as the third word says, from the first op and then from the second.
unsafe extern "C" fn both(words: *mut u64) -> i32 {
    let (grid, block) = ([2u64, 1, 1], [32u64, 1, 1]);
    // SAFETY: three words; two are the kernel's arguments.
    let launch = |op| unsafe {
        let (grid, block) = (grid.as_ptr(), block.as_ptr());
        terrace_gpu_launch(0, grid, block, 0, words, 2, op)
    };
    // SAFETY: as above.
    for _ in 0..unsafe { *words.add(2) } {
        for op in [0, 1] {
            if launch(op) != 0 {
                return op as i32 + 1;
            }
        }
    }
    0
}

unsafe extern "C" fn one(words: *mut u64) -> i32 {
    let (grid, block) = ([2u64, 1, 1], [32u64, 1, 1]);
    // SAFETY: as above.
    unsafe { terrace_gpu_launch(0, grid.as_ptr(), block.as_ptr(), 0, words, 2, 1) }
}

struct Tried {
    fake: Arc<Fake>,
    runtime: &'static Runtime,
    a: Vec<f64>,
    maps: [Map; 1],
}

/// A runtime with an array on it, whose kernel behind `good` others is wrong.
fn tried(good: u64, waits: bool) -> Tried {
    let fake = Arc::new(Fake::new(1 << 20));
    let settings = Settings {
        profile: true,
        ..Settings::default()
    };
    let mut runtime = Runtime::new(fake.clone(), 0, Report::new(&settings));
    runtime.waits = waits;
    let runtime: &'static Runtime = Box::leak(Box::new(runtime));
    let a = vec![1.0; 64];
    let mut maps = [map(&a, Kind::Copy, 0, c"a")];
    runtime.enter(&mut maps, SYNC, &place(3)).unwrap();
    fake.fault_after(good);
    Tried {
        fake,
        runtime,
        a,
        maps,
    }
}

impl Tried {
    fn run(&self, entry: abi::Entry, rounds: u64, queue: i64) -> Result<(), String> {
        with_region("increment", c"increment", |region| {
            let mut words = [self.maps[0].device as u64, 64, rounds];
            // SAFETY: these are its arguments.
            unsafe { self.runtime.run(region, entry, words.as_mut_ptr(), queue) }
        })
    }
}

const WHY: &str = "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered";

#[test]
fn one_launch_that_is_out_is_the_one() {
    let t = tried(1, false);
    t.run(one, 0, SYNC).unwrap();
    assert_eq!(
        t.run(one, 0, SYNC).unwrap_err(),
        format!(
            "t.c:21:9: error: kernel increment of main.region1, launched here, failed: could not \
             wait: {WHY}"
        )
    );
    // Nothing that was on the device comes back, and the array is as it was.
    let error = t.runtime.exit(&t.maps, SYNC, &place(9)).unwrap_err();
    assert!(error.starts_with("t.c:21:9: error: kernel"), "{error}");
    assert_eq!(std::hint::black_box(&t.a)[..], [1.0; 64]);
    // The tables still come, without that launch's time.
    let text = t.runtime.report.finish(Some(&*t.runtime.device));
    assert!(text.contains("increment"), "{text}");
    let _ = &t.fake;
}

#[test]
fn the_call_that_notices_is_not_the_one_that_is_named() {
    // Queued by a region, noticed by a copy, or by a wait, or by another region.
    let noticed: [fn(&Tried) -> String; 4] = [
        |t| {
            t.runtime.device.synchronize_all().unwrap();
            t.runtime.exit(&t.maps, SYNC, &place(9)).unwrap_err()
        },
        |t| t.runtime.wait(4).unwrap_err(),
        |t| t.runtime.wait_all().unwrap_err(),
        |t| {
            // The device looks at it when it is waited for.
            t.runtime.device.synchronize_all().unwrap();
            t.run(one, 0, 4).unwrap_err()
        },
    ];
    for notice in noticed {
        let t = tried(0, false);
        t.run(one, 0, 4).unwrap();
        let error = notice(&t);
        assert!(
            error.starts_with("t.c:21:9: error: kernel increment of main.region1, launched here"),
            "{error}"
        );
        assert_eq!(error.matches(": error:").count(), 1, "{error}");
    }
}

#[test]
fn of_several_the_earliest_is_named() {
    let t = tried(3, false);
    assert_eq!(
        t.run(both, 4, SYNC).unwrap_err(),
        format!(
            "t.c:20:3: error: kernel increment of main.region1, launched here, or one after it, \
             failed: could not wait: {WHY}\n  8 launches are not known to be done; \
             TERRACE_SYNC=1 waits for each, and names the one\n  or t.c:21:9 (kernel increment \
             of main.region1)"
        )
    );
    // From one place it is that place in any case.
    let t = tried(2, false);
    for _ in 0..4 {
        t.run(one, 0, 4).unwrap();
    }
    assert_eq!(
        t.runtime.wait(4).unwrap_err(),
        format!(
            "t.c:21:9: error: kernel increment of main.region1, launched here, failed: could not \
             wait: {WHY}\n  it was one of 4 launches; TERRACE_SYNC=1 waits for each, and stops \
             at the one"
        )
    );
}

#[test]
fn with_a_wait_for_each_it_is_the_one() {
    let t = tried(3, true);
    assert_eq!(
        t.run(both, 4, SYNC).unwrap_err(),
        format!(
            "t.c:21:9: error: kernel increment of main.region1, launched here, failed: could not \
             wait: {WHY}"
        )
    );
}

#[test]
fn many_launches_are_not_all_remembered() {
    let t = tried(u64::MAX, false);
    t.run(both, 1000, 4).unwrap();
    t.runtime.wait(4).unwrap();
    t.fake.fault_after(1500);
    t.run(both, 1000, 4).unwrap();
    let error = t.runtime.wait(4).unwrap_err();
    assert!(error.starts_with("t.c:20:3: error:"), "{error}");
    assert!(
        error.contains("\n  2000 launches are not known to be done"),
        "{error}"
    );
    // What fails by itself is not laid to a launch.
    let t = tried(u64::MAX, false);
    t.run(one, 0, 4).unwrap();
    t.fake.break_down();
    let error = t.runtime.wait(4).unwrap_err();
    assert!(
        error.starts_with("terrace: error: could not wait"),
        "{error}"
    );
}
