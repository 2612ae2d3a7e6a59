//! Kernels that are kept on disk: a second process runs no pass.

use std::process::Command;
use terrace::array::{Context, cpu, environment, index, max, sum};

/// What a process does, with the cache that its environment names; it says what it compiled.
#[test]
fn one_process() {
    let filter = match std::env::var_os("TERRACE_TARGET") {
        Some(_) => environment(),
        None => cpu(),
    };
    if std::env::var_os("TERRACE_CACHE_DIR").is_none() {
        // The real one is the user's.
        return;
    }
    let cx = Context::select(filter).unwrap();
    let x = cx.vector(&[1.0f64, 2.0, 3.0]).unwrap();
    let y = cx.zeros(&[3]).unwrap();
    y.set(2.0 * &x - x.sin()).unwrap();
    let expected = [1.0, 2.0, 3.0].map(|x: f64| 2.0 * x - x.sin());
    for (y, e) in y.to_vec().unwrap().iter().zip(expected) {
        assert!((y - e).abs() < 1e-15, "{y} {e}");
    }
    let (s, hi) = cx.reduce((sum(&x * &x), max(&x))).unwrap();
    assert_eq!((s, hi), (14.0, 3.0));
    let k = cx.zeros::<i64>(&[2, 2]).unwrap();
    k.set(index(0) + 10 * index(1)).unwrap();
    assert_eq!(k.to_vec().unwrap(), [0, 10, 1, 11]);
    println!("made: {:?}", cx.kernels());
}

#[test]
fn a_second_process_runs_no_pass() {
    let folder = std::env::temp_dir().join(format!("terrace-array-{}", std::process::id()));
    let run = || {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "array::disk::one_process", "--nocapture"]);
        child
            .env("TERRACE_CACHE_DIR", &folder)
            .env_remove("TERRACE_CACHE");
        let out = child.output().unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let errors = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "{text}{errors}");
        let at = text.find("made: ").expect("the process says what it made");
        text[at..].lines().next().unwrap_or("").to_string()
    };
    assert_eq!(run(), "made: Kernels { compiled: 3, from_disk: 0 }");
    assert_eq!(run(), "made: Kernels { compiled: 0, from_disk: 3 }");
    // What does not check out is made anew.
    for entry in std::fs::read_dir(&folder).unwrap().flatten() {
        let mut bytes = std::fs::read(entry.path()).unwrap();
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
        std::fs::write(entry.path(), bytes).unwrap();
    }
    let again = run();
    assert!(again.contains("compiled: 3"), "{again}");
    std::fs::remove_dir_all(&folder).unwrap();
}
