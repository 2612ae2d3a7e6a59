//! Traces: they parse, name what ran, and no lane has two things at a time.

use std::collections::BTreeMap;

use super::super::queue::SYNC;
use super::super::report::Trace;
use super::json::{Json, parse};
use super::region::with_region;
use super::*;

fn traced(limit: usize) -> (Arc<Fake>, &'static Runtime) {
    let settings = Settings {
        trace: Some("t.json".to_string()),
        ..Settings::default()
    };
    let fake = Arc::new(Fake::new(limit));
    let runtime = Runtime::new(fake.clone(), 2, Report::new(&settings));
    (fake, Box::leak(Box::new(runtime)))
}

fn json(r: &Runtime) -> Json {
    let mut trace = Trace::new();
    r.add_to(&mut trace);
    let text = trace.finish();
    parse(&text).unwrap_or_else(|e| panic!("{e}:\n{text}"))
}

/// Spans by process and thread: start and end in nanoseconds, and the event.
type Lanes = BTreeMap<(u64, u64), Vec<(u64, u64, Json)>>;

fn lanes(json: &Json) -> Lanes {
    let mut lanes = Lanes::new();
    let ns = |j: &Json| (j.number() * 1e3).round() as u64;
    for e in json.get("traceEvents").list() {
        if e.get("ph").text() == "X" {
            let lane = (e.get("pid").number() as u64, e.get("tid").number() as u64);
            let (start, length) = (ns(e.get("ts")), ns(e.get("dur")));
            let span = (start, start + length, e.clone());
            lanes.entry(lane).or_default().push(span);
        }
    }
    lanes
}

/// On lanes of devices one thing ends before the next begins; on lanes of the host calls
/// lie in calls.
fn check(lanes: &Lanes) {
    for ((process, thread), spans) in lanes {
        for (i, a) in spans.iter().enumerate() {
            for b in &spans[i + 1..] {
                let apart = a.1 <= b.0 || b.1 <= a.0;
                let inside = (a.0 <= b.0 && b.1 <= a.1) || (b.0 <= a.0 && a.1 <= b.1);
                let fine = apart || (*process == 0 && inside);
                assert!(fine, "{process}.{thread}: {:?} and {:?}", a.2, b.2);
            }
        }
    }
}

/// The name that a process or a thread was given.
fn name(json: &Json, what: &str, process: u64, thread: u64) -> String {
    let events = json.get("traceEvents").list();
    let found = events.iter().find(|e| {
        e.get("ph").text() == "M"
            && e.get("name").text() == what
            && e.get("pid").number() as u64 == process
            && (what == "process_name" || e.get("tid").number() as u64 == thread)
    });
    let named = found.unwrap_or_else(|| panic!("no {what} {process}.{thread}"));
    named.get("args").get("name").text().to_string()
}

unsafe extern "C" fn many_launches(words: *mut u64) -> i32 {
    let (grid, block) = ([2u64, 3, 1], [32u64, 1, 1]);
    for _ in 0..700 {
        // SAFETY: two arguments, as the kernel has.
        let status = unsafe {
            let (grid, block) = (grid.as_ptr(), block.as_ptr());
            super::super::region::terrace_gpu_launch(0, grid, block, 0, words, 2, 1)
        };
        if status != 0 {
            return 2;
        }
    }
    0
}

#[test]
fn a_program_on_its_lanes() {
    let (_, r) = traced(1 << 20);
    let a = vec![0.0; 100];
    let mut maps = [map(&a, Kind::Copy, 0, c"the \"first\" \\ array\n")];
    r.enter(&mut maps, SYNC, &place(3)).unwrap();
    with_region("increment", c"increment", |region| {
        for queue in [SYNC, 4, SYNC, 7] {
            let mut words = [maps[0].device as u64, 100, 0];
            // SAFETY: these are its arguments.
            unsafe { r.run(region, many_launches, words.as_mut_ptr(), queue) }.unwrap();
        }
    });
    r.wait_all().unwrap();
    r.exit(&maps, SYNC, &place(9)).unwrap();
    assert_eq!(a, vec![2800.0; 100]);
    let json = json(r);
    let lanes = lanes(&json);
    check(&lanes);
    assert_eq!(json.get("otherData").get("spans left out").number(), 0.0);
    assert_eq!(name(&json, "process_name", 0, 0), "host");
    assert_eq!(name(&json, "process_name", 3, 0), "GPU 2 (fake)");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for ((process, thread), spans) in &lanes {
        let lane = match process {
            0 => "host".to_string(),
            p => name(&json, "thread_name", *p, *thread),
        };
        *counts.entry(lane).or_default() += spans.len();
    }
    let expected = [
        // Load, four runs, two waits for queues, data in and out.
        ("host", 9),
        ("main: copies", 2),
        ("main: kernels", 1400),
        ("queue 4: kernels", 700),
        ("queue 7: kernels", 700),
    ];
    assert_eq!(counts, expected.map(|(n, c)| (n.to_string(), c)).into());
    let all = |category: &str| -> Vec<Json> {
        let of = |e: &&Json| e.get("cat") == &Json::Text(category.to_string());
        let events = json.get("traceEvents").list();
        events.iter().filter(of).cloned().collect()
    };
    let kernel = all("kernel")[0].clone();
    let arg = |e: &Json, name: &str| e.get("args").get(name).text().to_string();
    assert_eq!(kernel.get("name").text(), "increment");
    assert_eq!(kernel.get("dur").number(), 2.5);
    assert_eq!(arg(&kernel, "grid"), "2x3x1");
    assert_eq!(arg(&kernel, "block"), "32x1x1");
    assert_eq!(arg(&kernel, "at"), "t.c:19:1");
    let copies = all("copy");
    assert_eq!(copies[0].get("name").text(), "the \"first\" \\ array\n");
    assert_eq!(copies[0].get("args").get("bytes").number(), 800.0);
    let ways: Vec<String> = copies.iter().map(|c| arg(c, "way")).collect();
    assert_eq!(ways, ["host to device", "device to host"]);
    assert!(all("host").iter().any(|h| arg(h, "at") == "t.c:9"));
}

#[test]
fn threads_have_lanes_of_their_own() {
    let (_, r) = traced(1 << 20);
    std::thread::scope(|s| {
        for t in 0..3 {
            s.spawn(move || {
                let a = vec![0.0; 10];
                for _ in 0..20 {
                    let mut maps = [map(&a, Kind::Copy, 0, c"a")];
                    r.enter(&mut maps, t, &place(1)).unwrap();
                    r.exit(&maps, t, &place(2)).unwrap();
                    r.wait(t).unwrap();
                }
            });
        }
    });
    let lanes = lanes(&json(r));
    check(&lanes);
    let spans = |p| lanes.iter().filter(move |((process, _), _)| *process == p);
    assert_eq!((spans(0).count(), spans(3).count()), (3, 3));
    assert!(spans(3).all(|(_, s)| s.len() == 40));
}

#[test]
fn a_device_that_fails_leaves_a_whole_trace() {
    let (fake, r) = traced(1 << 20);
    let a = vec![0.0; 10];
    r.enter(&mut [map(&a, Kind::CopyIn, 0, c"a")], 1, &place(1))
        .unwrap();
    fake.break_down();
    assert!(r.wait(1).is_err());
    let lanes = lanes(&json(r));
    check(&lanes);
    let (_, copies) = lanes.iter().find(|((p, _), _)| *p == 3).unwrap();
    let failed = copies[0].2.get("args").get("failed").text();
    assert_eq!(
        failed,
        "the device gave no time; this is when it was queued"
    );
}

/// Regions that launch much: not each launch is timed, and each is on its lane.
#[test]
fn short_kernels_are_timed_now_and_then() {
    let events = |time_all| {
        let settings = Settings {
            trace: Some("t.json".to_string()),
            profile: true,
            time_all,
            ..Settings::default()
        };
        let fake = Arc::new(Fake::new(1 << 20));
        let r = Runtime::new(fake.clone(), 0, Report::new(&settings));
        let r: &'static Runtime = Box::leak(Box::new(r));
        let a = vec![0.0; 4];
        let mut maps = [map(&a, Kind::Create, 0, c"a")];
        r.enter(&mut maps, SYNC, &place(3)).unwrap();
        with_region("increment", c"increment", |region| {
            for queue in [SYNC, SYNC, 3, 3, 3, 3] {
                let mut words = [maps[0].device as u64, 4, 0];
                // SAFETY: these are its arguments.
                unsafe { r.run(region, many_launches, words.as_mut_ptr(), queue) }.unwrap();
            }
        });
        r.wait_all().unwrap();
        let recorded = fake.recorded();
        let json = json(r);
        let lanes = lanes(&json);
        check(&lanes);
        let events = json.get("traceEvents").list();
        let is_kernel = |e: &&Json| e.get("cat") == &Json::Text("kernel".to_string());
        let kernels = events.iter().filter(is_kernel);
        let words = Json::Text("as long as others on average".to_string());
        let marked = |e: &&Json| e.get("args").get("not timed") == &words;
        let derived = kernels.clone().filter(marked).count();
        let whole = kernels.clone().filter(|e| !marked(e));
        assert!(whole.clone().all(|e| e.get("dur").number() == 2.5));
        let text = r.report.finish(Some(&*r.device));
        (recorded, derived, kernels.count(), text)
    };
    let (recorded, derived, all, text) = events(true);
    assert_eq!((derived, all), (0, 4200), "{text}");
    // One event each on a queue that has work, and one more where it begins.
    assert!((4200..4220).contains(&recorded), "{recorded}");
    assert!(text.contains(" 10.500 ms "), "{text}");
    assert!(!text.contains('~'), "{text}");
    let (recorded, derived, all, text) = events(false);
    assert_eq!(all, 4200);
    assert!(recorded < 400 && derived > 3900, "{recorded} {derived}");
    // Each takes 2.5 us, so some tell the time of all exactly.
    assert!(text.contains(" ~10.500 ms +-0.0 % "), "{text}");
    let below = "~: some were timed, which stand for all, with the standard error; \
                 TERRACE_TIMES=all times each";
    assert!(text.contains(below), "{text}");
}
