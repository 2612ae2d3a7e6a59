//! The tables of `TERRACE_PROFILE`.

use terrace_support::estimate::Work;

use super::super::queue::SYNC;
use super::super::region::expect;
use super::region::with_region;
use super::*;

unsafe extern "C" fn one_launch(words: *mut u64) -> i32 {
    let (grid, block) = ([2u64, 1, 1], [32u64, 1, 1]);
    // SAFETY: two arguments, as the kernel has.
    unsafe {
        super::super::region::terrace_gpu_launch(0, grid.as_ptr(), block.as_ptr(), 0, words, 2, 1)
    }
}

/// Tells before that the launch does the operations and moves the bytes of the third and the
/// fourth word, unless the fifth is 0.
unsafe extern "C" fn told_launch(words: *mut u64) -> i32 {
    use super::super::region::{terrace_gpu_profiled, terrace_gpu_work};
    // SAFETY: the tests pass five words.
    let [small, large, bytes] = [2, 3, 4].map(|i| f64::from_bits(unsafe { *words.add(i) }));
    if bytes > 0.0 && terrace_gpu_profiled() == 1 {
        terrace_gpu_work(small, large, bytes);
    }
    // SAFETY: as above.
    unsafe { one_launch(words) }
}

/// The last cells of the row of the kernel that was launched once for each of these.
fn rates(capability: (u32, u32), told: &[[f64; 3]]) -> Vec<String> {
    let settings = Settings {
        profile: true,
        ..Settings::default()
    };
    let fake = Arc::new(Fake::of(1 << 20, capability));
    let r: &'static Runtime = Box::leak(Box::new(Runtime::new(fake, 0, Report::new(&settings))));
    let a = vec![0.0; 1000];
    let mut maps = [map(&a, Kind::Copy, 0, c"a")];
    r.enter(&mut maps, SYNC, &place(3)).unwrap();
    with_region("increment", c"increment", |region| {
        for numbers in told {
            let [x, y, z] = numbers.map(f64::to_bits);
            let mut words = [maps[0].device as u64, 1000, x, y, z];
            // SAFETY: these are its arguments.
            unsafe { r.run(region, told_launch, words.as_mut_ptr(), SYNC) }.unwrap();
        }
    });
    let text = r.report.finish(Some(&*r.device));
    let row = text.lines().find(|l| l.contains(" increment ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    // Behind four times and their units.
    cells[15..].iter().map(|c| c.to_string()).collect()
}

#[test]
fn each_kernel_has_rates() {
    // Two launches of 2.5 us: 100e6 operations, 2e6 of them on 64 bits, and 4e6 bytes.
    let told = [[98.0e6, 1.0e6, 3.0e6], [0.0, 1.0e6, 1.0e6]];
    // At the peaks 98e6/64.7e12 + 2e6/33.1e12 = 1.575 us, and 4e6/4244e9 = 0.943 us.
    assert_eq!(
        rates((9, 0), &told),
        ["20000.0", "31.5", "%", "800.0", "18.9", "%"]
    );
    // Operations that are not known leave the bytes.
    let data = [[f64::NAN, 0.0, 1.0e6]];
    assert_eq!(rates((9, 0), &data), ["-", "-", "400.0", "9.4", "%"]);
    // No machine has no peaks, and of what was told of some launches only nothing is shown.
    assert_eq!(rates((1, 1), &told), ["20000.0", "-", "800.0", "-"]);
    assert_eq!(rates((9, 0), &[told[0], [0.0; 3]]), ["-", "-", "-", "-"]);
}

/// What is printed after these runs of a region, each of known or unknown work.
fn profile(capability: (u32, u32), runs: &[Option<Work>]) -> String {
    let settings = Settings {
        profile: true,
        ..Settings::default()
    };
    let fake = Arc::new(Fake::of(1 << 20, capability));
    let r: &'static Runtime = Box::leak(Box::new(Runtime::new(fake, 0, Report::new(&settings))));
    let a = vec![0.0; 1000];
    let mut maps = [map(&a, Kind::Copy, 0, c"a")];
    r.enter(&mut maps, SYNC, &place(3)).unwrap();
    with_region("increment", c"increment", |region| {
        for work in runs {
            expect(region, *work);
            let mut words = [maps[0].device as u64, 1000];
            // SAFETY: these are its arguments.
            unsafe { r.run(region, one_launch, words.as_mut_ptr(), SYNC) }.unwrap();
        }
        // What was expected of another region is not this one's.
        expect(std::ptr::null(), runs[0]);
    });
    r.exit(&maps, SYNC, &place(9)).unwrap();
    r.report.finish(Some(&*r.device))
}

/// Each launch takes 2.5 us on this device.
#[test]
fn rates_stand_beside_the_peaks() {
    let work = Work {
        flops32: 40.0e6,
        flops64: 10.0e6,
        moved: 2.0e6,
        ..Work::default()
    };
    let text = profile((9, 0), &[Some(work), Some(work)]);
    // In 5 us at the peaks 80e6/64.7e12 + 20e6/33.1e12 = 1.84 us of arithmetic, and
    // 4e6/4244e9 = 0.943 us of memory.
    let line = |start: &str| {
        let found = text.lines().find(|l| l.starts_with(start));
        let words = found.unwrap_or_else(|| panic!("{start}: {text}"));
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let rates: Vec<&str> = text.lines().filter(|l| l.contains(" % ")).collect();
    let row = rates[0].split_whitespace().collect::<Vec<_>>();
    assert_eq!(
        row[1..],
        [
            "t.c:19:1", "2", "5.00", "us", "0.100", "20000.0", "36.8", "%", "0.004", "800.0",
            "18.9", "%"
        ]
    );
    assert_eq!(
        line("peak of"),
        "peak of sm_90 (H200 SXM, measured): 4244 GB/s, 64.7 TFLOP/s of f32, 33.1 of f64; host \
         link 54.7 GB/s"
    );
    // Copies: 8000 bytes in 2.5 us.
    let copies = line("all     host to device");
    assert!(
        copies.ends_with(" 8000 2.50 us - 2.50 us - 3.2"),
        "{copies}"
    );
}

#[test]
fn what_is_not_known_is_not_shown() {
    let work = Work {
        flops64: 1e6,
        ..Work::default()
    };
    // One of two runs is not known; a machine without a description has no peaks.
    let text = profile((9, 0), &[Some(work), None]);
    assert!(!text.contains("Gflop"), "{text}");
    let text = profile((1, 1), &[Some(work)]);
    assert!(
        text.contains("Gflop") && !text.contains("peak of"),
        "{text}"
    );
    let row = text.lines().find(|l| l.contains(" 400.0 ")).unwrap();
    assert!(row.trim_end().ends_with('-'), "{text}");
}
