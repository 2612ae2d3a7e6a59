use std::time::Duration;

use super::*;

fn run(name: &str, microseconds: f64, flops: Option<f64>) -> Event {
    Event::Kernel(KernelRun {
        name: name.to_string(),
        target: "gpu".to_string(),
        launch: Some(([10, 1, 1], [256, 1, 1])),
        microseconds,
        flops,
        work: None,
    })
}

#[test]
fn medians() {
    assert_eq!(Stats::of(&[]), Stats::default());
    let odd = Stats::of(&[3.0, 1.0, 2.0]);
    assert_eq!(
        (odd.count, odd.total, odd.min, odd.median, odd.max),
        (3, 6.0, 1.0, 2.0, 3.0)
    );
    assert_eq!(Stats::of(&[4.0, 1.0, 2.0, 3.0]).median, 2.5);
    assert_eq!(Stats::of(&[f64::MAX, f64::MAX]).median, f64::MAX);
}

#[test]
fn runs_are_grouped() {
    let mut profile = Profile::new();
    for microseconds in [30.0, 10.0, 20.0] {
        profile.record(run("gemm", microseconds, Some(2e6)));
    }
    profile.record(run("other", 5.0, None));
    let mut again = Profile::new();
    again.record(run("other", 7.0, None));
    profile.extend(again);
    let kernels = profile.kernels();
    assert_eq!(kernels.len(), 2);
    assert_eq!(
        (kernels[0].times.median, kernels[0].gflops),
        (20.0, Some(100.0))
    );
    assert_eq!((kernels[1].times.count, kernels[1].gflops), (2, None));
    // Different work under one name has no single rate.
    profile.record(run("gemm", 20.0, Some(4e6)));
    assert_eq!(profile.kernels()[0].gflops, None);
}

#[test]
fn counted_work_stands_beside_the_peaks() {
    let mut profile = Profile::new();
    let mut counted = |name: &str, flops: [f64; 2], bytes: f64| {
        let Event::Kernel(mut k) = run(name, 10.0, None) else {
            unreachable!("a run of a kernel");
        };
        k.work = Some(LaunchWork { flops, bytes });
        profile.record(Event::Kernel(k));
    };
    // 30 us: 3e6 operations and 6e6 bytes.
    counted("gemm", [0.0, 1e6], 4e6);
    counted("gemm", [1e6, 0.0], 2e6);
    counted("gemm", [1e6, 0.0], 0.0);
    counted("other", [f64::NAN; 2], 1e6);
    let text = profile.to_string();
    let cells = |text: &str, name: &str| {
        let row = text.lines().find(|l| l.starts_with(name)).unwrap();
        let words: Vec<&str> = row.split_whitespace().skip(13).collect();
        words.join(" ")
    };
    assert_eq!(cells(&text, "gemm"), "100.0 200.0");
    assert_eq!(cells(&text, "other"), "- 100.0");
    profile.peaks = Some(Peaks {
        gflops: [1000.0, 500.0],
        gigabytes: 400.0,
    });
    let text = profile.to_string();
    // 2e6 at 1000 and 1e6 at 500 take 4 us of 30.
    assert_eq!(cells(&text, "gemm"), "100.0 13.3 % 200.0 50.0 %");
    assert_eq!(cells(&text, "other"), "- - 100.0 25.0 %");
}

#[test]
fn copies_and_memory_are_summed() {
    let mut profile = Profile::new();
    for bytes in [4_000_000, 6_000_000] {
        profile.record(Event::Copy {
            direction: Direction::DeviceToHost,
            bytes,
            microseconds: 500.0,
        });
    }
    let copies = profile.copies();
    assert_eq!(copies.len(), 1);
    assert_eq!(copies[0].gigabytes_per_second(), Some(10.0));
    let target = || "gpu".to_string();
    profile.record(Event::Alloc {
        target: target(),
        bytes: 100,
    });
    profile.record(Event::Free {
        target: target(),
        bytes: 100,
    });
    profile.record(Event::Alloc {
        target: target(),
        bytes: 60,
    });
    assert_eq!(profile.allocations("gpu"), (100, 2));
    assert_eq!(profile.allocations("cpu"), (0, 0));
}

#[test]
fn tables_line_up() {
    let mut profile = Profile::new();
    profile.record(run("gemm", 1500.0, Some(3e6)));
    profile.record(run("a_longer_name", 2.5, None));
    profile.record(Event::Copy {
        direction: Direction::HostToDevice,
        bytes: 1000,
        microseconds: 0.0,
    });
    profile.record_step("compile", Duration::from_millis(12));
    let expected = "\
kernel          on    grid    block  count     total       min    median       max  GFLOP/s
gemm           gpu  10x1x1  256x1x1      1  1.500 ms  1.500 ms  1.500 ms  1.500 ms      2.0
a_longer_name  gpu  10x1x1  256x1x1      1   2.50 us   2.50 us   2.50 us   2.50 us        -

copies          bytes  count    total      min   median      max  GB/s
host to device   1000      1  0.00 us  0.00 us  0.00 us  0.00 us     -

step          time
compile  12.000 ms
";
    assert_eq!(profile.to_string(), expected);
    assert_eq!(Profile::new().to_string(), "");
    assert_eq!(time(2.5e6), "2.500 s");
}
