//! `terrace tune`, on the emulator: what it prints, what it keeps, and who uses it.

use super::tools::{Run, scratch};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use terrace::runtime::cache::{entry, sha256};

/// Columns of an array, and a sum of two arrays, which the mapper of stencils takes.
const PROGRAM: &str = "\
func.func @f(%A: memref<?x?xf32> {terrace.name = \"A\", terrace.dims = [\"N\", \"M\"], terrace.init = \"random:48x40:1\"},
             %B: memref<?x?xf32> {terrace.name = \"B\", terrace.dims = [\"N\", \"M\"], terrace.init = \"random:48x40:2\"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %N = memref.dim %A, %c0 : memref<?x?xf32>
  %M = memref.dim %A, %c1 : memref<?x?xf32>
  affine.parallel (%i) = (0) to (symbol(%M)) {
    affine.parallel (%j) = (0) to (symbol(%N)) {
      %a = affine.load %A[%j, %i] : memref<?x?xf32>
      %b = arith.mulf %a, %two : f32
      affine.store %b, %A[%j, %i] : memref<?x?xf32>
    }
  }
  affine.parallel (%i, %j) = (0, 0) to (symbol(%N), symbol(%M)) {
    %a = affine.load %A[%i, %j] : memref<?x?xf32>
    %b = affine.load %B[%i, %j] : memref<?x?xf32>
    %c = arith.addf %a, %b : f32
    affine.store %c, %B[%i, %j] : memref<?x?xf32>
  }
  return
}
";

/// A program in a folder with a cache of its own.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new(name: &str, text: &str) -> Place {
        let folder = scratch(name);
        let _ = std::fs::remove_dir_all(folder.join("cache"));
        std::fs::write(folder.join("p.mlir"), text).unwrap();
        Place { folder }
    }

    /// `terrace COMMAND p.mlir ARGUMENTS`.
    fn terrace(&self, command: &str, args: &[&str]) -> Run {
        self.called(&[&[command, "p.mlir"], args].concat())
    }

    fn called(&self, args: &[&str]) -> Run {
        let out = Command::new(env!("CARGO_BIN_EXE_terrace"))
            .args(args)
            .current_dir(&self.folder)
            .env("TERRACE_CACHE_DIR", self.folder.join("cache"))
            .env_remove("TERRACE_CACHE")
            .env_remove("TERRACE_DEVICE")
            .output();
        Run::of(out.expect("terrace starts"))
    }

    fn run(&self, args: &[&str]) -> Run {
        let always = ["--target", "emulator", "--verify"];
        let r = self.terrace("run", &[&always[..], args].concat()).exits(0);
        assert!(r.stdout.contains("verify   passed"), "{}", r.stdout);
        r
    }

    fn tune(&self, args: &[&str]) -> Run {
        self.terrace("tune", &[&["--target", "emulator"], args].concat())
    }

    fn entries(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.folder.join("cache")).unwrap();
        files.map(|f| f.unwrap().path()).collect()
    }
}

const NOTE: &str = "tuned    by terrace tune on ";

#[test]
fn what_is_tuned_is_kept_and_used() {
    let place = Place::new("tune", PROGRAM);
    assert!(!place.run(&[]).stdout.contains("tuned "));
    let r = place.tune(&["--candidates", "4", "--verify"]).exits(0);
    let lines: Vec<&str> = r.stdout.lines().collect();
    assert!(
        lines[0].starts_with("p.mlir: @f N=48 M=40 on "),
        "{}",
        r.stdout
    );
    let head: Vec<&str> = lines[1].split_whitespace().collect();
    assert_eq!(head, ["nest", "mapping", "predicted", "us", "counted"]);
    let first = lines[2].starts_with("i at line 8  ");
    let ranked = lines[2].contains("the model's choice, number ");
    assert!(first && ranked, "{}", r.stdout);
    assert!(lines[2].ends_with(" of 4 measured"), "{}", r.stdout);
    assert_eq!(r.stdout.matches("chosen").count(), 1, "{}", r.stdout);
    assert!(
        r.stdout
            .ends_with("kept for terrace run and terrace compile\n")
    );
    // What counts is the same each time.
    let again = place.tune(&["--candidates", "4"]).exits(0);
    assert_eq!(again.stdout, r.stdout);

    let used = place.run(&[]);
    assert!(used.stdout.contains(NOTE), "{}", used.stdout);
    for other in [&["--no-tuned"][..], &["--size", "N=50"]] {
        let r = place.run(other);
        assert!(!r.stdout.contains("tuned "), "{}", r.stdout);
    }
    // Names and comments do not matter, but what is computed does.
    std::fs::write(
        place.folder.join("p.mlir"),
        format!("// Columns.\n{}", PROGRAM.replace("%i", "%row")),
    )
    .unwrap();
    assert!(place.run(&[]).stdout.contains(NOTE));
    std::fs::write(
        place.folder.join("p.mlir"),
        PROGRAM.replace("2.0 : f32", "3.0 : f32"),
    )
    .unwrap();
    assert!(!place.run(&[]).stdout.contains(NOTE));
    std::fs::write(place.folder.join("p.mlir"), PROGRAM).unwrap();

    let ptx = |args: &[&str]| {
        let always = ["--emit", "ptx", "--target", "emulator"];
        place
            .terrace("compile", &[&always[..], args].concat())
            .exits(0)
    };
    let tuned = ptx(&[]);
    assert!(tuned.stderr.starts_with(NOTE), "{}", tuned.stderr);
    assert_eq!(ptx(&["--no-tuned"]).stderr, "");
    let shown = place
        .terrace("compile", &["--print-schedule", "--target", "emulator"])
        .exits(0);
    // What is kept is not made again, unless its making is to be shown.
    let shows = [
        "--print-schedule",
        "--target",
        "emulator",
        "--print-ir-after=gpu-map",
    ];
    let again = place.terrace("compile", &shows).exits(0);
    assert_eq!(again.stdout, shown.stdout);
    assert!(again.stderr.contains("(gpu-map) of "), "{}", again.stderr);
    // It can be done again from a file, and gives the same code.
    std::fs::write(place.folder.join("kept.mlir"), &shown.stdout).unwrap();
    assert_eq!(ptx(&["--schedule", "kept.mlir"]).stdout, tuned.stdout);
    // Nothing was measured on a GPU.
    let gpu = place.terrace("compile", &["--emit", "ptx"]).exits(0);
    assert_eq!(gpu.stderr, "");

    let list = place.called(&["cache"]).exits(0).stdout;
    assert_eq!(
        list.matches("schedule of @f N=48 M=40, for ").count(),
        2,
        "{list}"
    );
    let cleared = place.called(&["cache", "clear"]).exits(0).stdout;
    assert!(cleared.starts_with("removed 2 entries"), "{cleared}");
    assert!(!place.run(&[]).stdout.contains(NOTE));
}

/// Changes the schedules that are kept; each stays an entry of the same length.
fn change(place: &Place, from: &str, to: &str) {
    for file in place.entries() {
        let bytes = std::fs::read(&file).unwrap();
        let (_, code) = entry::decode(&bytes).expect("an entry that checks out");
        let (head, _) = bytes.split_at(bytes.len() - 32 - code.len());
        let text = String::from_utf8(code.to_vec()).unwrap();
        assert!(text.contains(from), "{text}");
        let mut new = [head, text.replace(from, to).as_bytes()].concat();
        new.extend(sha256(&new));
        std::fs::write(&file, new).unwrap();
    }
}

#[test]
fn what_does_not_check_out_is_ignored_and_written_anew() {
    let place = Place::new("tune-damaged", PROGRAM);
    place.tune(&["--candidates", "2"]).exits(0);
    assert!(place.run(&[]).stdout.contains(NOTE));
    // A schedule of loops that are not there, as of another version of the compiler.
    change(&place, "nest = [0]", "nest = [9]");
    let r = place.run(&[]);
    let said =
        "tuned    the schedule that was kept does not fit the program any more and is ignored";
    assert!(r.stdout.contains(said), "{}", r.stdout);
    place.tune(&["--candidates", "2"]).exits(0);
    assert!(place.run(&[]).stdout.contains(NOTE));
    // Half of a file.
    for file in place.entries() {
        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    }
    assert!(!place.run(&[]).stdout.contains("tuned "));
    place.tune(&["--candidates", "2"]).exits(0);
    assert!(place.run(&[]).stdout.contains(NOTE));
}

#[test]
fn when_the_time_is_up_the_fastest_so_far_is_taken() {
    let place = Place::new("tune-budget", PROGRAM);
    let r = place.tune(&["--candidates", "4", "--budget", "0"]).exits(0);
    // Nobody waits at a terminal.
    assert_eq!(r.stderr, "");
    assert_eq!(r.stdout.matches("  not tried").count(), 3, "{}", r.stdout);
    let said = "the time was up (--budget 0): 3 mappings were not tried";
    assert!(r.stdout.contains(said), "{}", r.stdout);
    assert!(place.run(&[]).stdout.contains(NOTE));
    let r = place
        .tune(&["--candidates", "4", "--budget", "1e6"])
        .exits(0);
    assert!(!r.stdout.contains("not tried"), "{}", r.stdout);
    let r = place.tune(&["--budget", "soon"]).exits(2);
    let said = "found `soon`, expected seconds from 0 to 31536000";
    assert!(r.stderr.contains(said), "{}", r.stderr);
}

#[test]
fn what_cannot_be_tuned() {
    let place = Place::new("tune-refused", "func.func @f() {\n  return\n}\n");
    let r = place.tune(&[]).exits(1);
    let said = "p.mlir:1:1: error: no nest of loops of this program is mapped to threads by the cost model";
    assert!(r.stderr.starts_with(said), "{}", r.stderr);
    let r = place.terrace("tune", &["--target", "cpu"]).exits(2);
    let said = "found --target cpu, expected gpu or emulator";
    assert!(r.stderr.contains(said), "{}", r.stderr);
    let r = place.tune(&["--size", "N=4", "--arg", "x=5"]).exits(2);
    assert!(r.stderr.contains("has no dimension `N`"), "{}", r.stderr);
    assert!(r.stderr.contains("has no parameter `x`"), "{}", r.stderr);
    std::fs::write(
        place.folder.join("p.mlir"),
        "func.func @f() {\n  %0 = nothing\n",
    )
    .unwrap();
    let r = place.tune(&[]).exits(1);
    assert!(r.stderr.starts_with("p.mlir:2:"), "{}", r.stderr);
}

/// The names of files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let name = |e: std::io::Result<std::fs::DirEntry>| e.unwrap().file_name().into_string();
    entries.map(|e| name(e).expect("a name")).collect()
}

/// A signal ends it at once, whatever it does: compiling, measuring, or keeping what it found.
/// What stays are schedules that check out, or nothing.
#[test]
fn a_signal_leaves_nothing_half_done() {
    let place = Place::new("tune-signal", PROGRAM);
    let (cache, temporary) = (place.folder.join("cache"), place.folder.join("tmp"));
    let _ = std::fs::remove_dir_all(&temporary);
    std::fs::create_dir_all(&temporary).unwrap();
    let signals = [("INT", 2), ("TERM", 15), ("HUP", 1)];
    // Behind so many lines of progress, of which the last is said before what was found is
    // kept, and so many microseconds.
    let whole = place.tune(&["--candidates", "2"]).exits(0);
    let last = whole.stderr.lines().count();
    let early = (0..=last).map(|lines| (lines, 0));
    let late = (0..24).map(|n| (last, 400 * n));
    let mut ended = 0;
    for (n, (lines, wait)) in early.chain(late).enumerate() {
        let (signal, number) = signals[n % 3];
        let _ = std::fs::remove_dir_all(&cache);
        // Where the tests run in the background, signals may be ignored.
        let mut child = Command::new("env")
            .arg("--default-signal=INT,TERM,HUP")
            .arg(env!("CARGO_BIN_EXE_terrace"))
            .args(["tune", "p.mlir", "--target", "emulator"])
            .args(["--candidates", "2"])
            .current_dir(&place.folder)
            .env("TERRACE_CACHE_DIR", &cache)
            .env("TMPDIR", &temporary)
            .env_remove("TERRACE_CACHE")
            .env_remove("TERRACE_DEVICE")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        // Until it is `terrace`, it is `env`, which may ignore signals yet.
        let name = format!("/proc/{}/comm", child.id());
        let begun = Instant::now();
        while std::fs::read_to_string(&name).is_ok_and(|n| n.trim() != "terrace") {
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "it does not start"
            );
            std::thread::sleep(Duration::from_micros(100));
        }
        let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut heard = String::new();
        for _ in 0..lines {
            said.read_line(&mut heard).expect("it says so");
        }
        std::thread::sleep(Duration::from_micros(wait));
        let sent = Instant::now();
        let kill = Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .status();
        assert!(kill.expect("kill runs").success());
        // Where another process held these open, this would not end.
        let mut stdout = child.stdout.take().expect("a pipe");
        stdout.read_to_string(&mut heard).expect("it ends");
        said.read_to_string(&mut heard).expect("it ends");
        let status = child.wait().expect("it ends");
        let what = format!("{signal} behind {lines} lines and {wait} us: {status}, {heard}");
        assert!(sent.elapsed() < Duration::from_secs(30), "{what}");
        match status.code() {
            // It was done before the signal came.
            Some(code) => assert!(lines == last && code == 0, "{what}"),
            None => {
                assert_eq!(status.signal(), Some(number), "{what}");
                ended += 1;
            }
        }
        assert_eq!(names(&temporary), [""; 0], "{what}");
        let mut left = names(&place.folder);
        left.retain(|n| n != "cache");
        left.sort();
        assert_eq!(left, ["p.mlir", "tmp"], "{what}");
        let kept = match cache.exists() {
            true => names(&cache),
            false => Vec::new(),
        };
        for entry in kept {
            let bytes = std::fs::read(cache.join(&entry)).unwrap();
            let whole = entry::decode(&bytes).is_some();
            assert!(whole && !entry.contains("unfinished"), "{what}: {entry}");
        }
    }
    assert!(ended >= last, "the signals came too late: {ended}");
}
