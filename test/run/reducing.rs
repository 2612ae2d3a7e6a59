//! How `terrace-reduce` ends where a signal comes.

use super::tools::{runs, scratch, signal as send};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = "\
func.func @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.muli %a, %x : i32
  %c = arith.subi %b, %x : i32
  return %c : i32
}
func.func @g(%x: i32) -> i32 {
  %a = func.call @f(%x) : (i32) -> i32
  return %a : i32
}
";

/// The test says yes for a while, then it hangs, with a process of its own beside it. After
/// the signal both are gone, the folder of candidates too, and the best module so far is in
/// the file for it.
#[test]
fn a_signal_leaves_the_best_so_far() {
    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        let folder = scratch(&format!("reduce-{signal}"));
        let _ = std::fs::remove_dir_all(&folder);
        let temporary = folder.join("tmp");
        std::fs::create_dir_all(&temporary).expect("a folder is made");
        std::fs::write(folder.join("in.mlir"), PROGRAM).expect("the input is written");
        let test = "grep -q subi {} || exit 1; echo x >> count; [ $(wc -l < count) -lt 5 ] && exit 0; \
                    sleep 100 & echo $! > started; wait";
        let mut child = Command::new("env")
            .arg("--default-signal=INT,TERM,HUP")
            .arg(env!("CARGO_BIN_EXE_terrace-reduce"))
            .args(["in.mlir", "-j", "1", "-o", "out.mlir", "--test", test])
            .current_dir(&folder)
            .env("TMPDIR", &temporary)
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let started = folder.join("started");
        let begin = Instant::now();
        while !std::fs::read_to_string(&started).is_ok_and(|t| t.ends_with('\n')) {
            assert!(
                begin.elapsed() < Duration::from_secs(60),
                "the test hangs never"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(send(signal, &child.id().to_string()));
        let status = child.wait().expect("it ends");
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(status.signal(), Some(number));
        let left = std::fs::read_dir(&temporary)
            .expect("it can be listed")
            .count();
        assert_eq!(left, 0, "{signal}: candidates stay");
        let best = std::fs::read_to_string(folder.join("out.mlir")).expect("the best so far");
        assert!(best.contains("subi") && best.ends_with("}\n"), "{best}");
        assert!(best.len() < PROGRAM.len(), "{best}");
        let sleeper = std::fs::read_to_string(&started).expect("it was written");
        let begin = Instant::now();
        while runs(sleeper.trim()) {
            assert!(
                begin.elapsed() < Duration::from_secs(60),
                "{signal}: a process stays"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut names: Vec<_> = std::fs::read_dir(&folder)
            .expect("it can be listed")
            .map(|e| e.expect("a name").file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["count", "in.mlir", "out.mlir", "started", "tmp"]);
    }
}
