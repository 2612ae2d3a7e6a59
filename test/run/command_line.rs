//! What the command line takes, and what it says of mistakes. Exit codes: 1 for a
//! wrong program, 2 for a wrong command line, 3 where the device is missing.

use super::tools::{scratch, terrace, terrace_with};
use terrace::runtime::npy;

const DIVIDE: &str = "\
func.func @divide(%a: i32, %b: i32) -> i32 {
  %c = arith.divsi %a, %b : i32
  return %c : i32
}
func.func @scale(%m: memref<2x?xf64> {terrace.name = \"m\", terrace.dims = [\"2\", \"N\"], terrace.init = \"iota:2x3\"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f64
  %n = memref.dim %m, %c1 : memref<2x?xf64>
  affine.parallel (%i, %j) = (0, 0) to (2, symbol(%n)) {
    %x = affine.load %m[%i, %j] : memref<2x?xf64>
    %y = arith.mulf %x, %two : f64
    affine.store %y, %m[%i, %j] : memref<2x?xf64>
  }
  return
}
";

/// `terrace run -` of the program above with more arguments.
fn run(args: &[&str]) -> super::tools::Run {
    let mut all = vec!["run", "-"];
    all.extend(args);
    terrace_with(DIVIDE, &all)
}

#[track_caller]
fn refused(args: &[&str], code: i32, message: &str) {
    let r = run(args).exits(code);
    assert!(
        r.stderr.contains(message),
        "expected `{message}` in:\n{}",
        r.stderr
    );
    assert_eq!(r.stdout, "");
}

#[test]
fn results_and_repeats() {
    let r = run(&["--arg", "0=6", "--arg", "1=-2", "--repeat", "3", "--verify"]).exits(0);
    assert!(r.stdout.contains("call     3 times"), "{}", r.stdout);
    assert!(r.stdout.contains("result   0: -3"), "{}", r.stdout);
    assert!(r.stdout.contains("verify   passed"), "{}", r.stdout);
}

/// Each call of a repeat starts from the same arguments.
#[test]
fn arrays_are_written_to_files() {
    let file = scratch("out").join("m.npy");
    let out = format!("m={}", file.display());
    let size = [
        "--entry", "scale", "--size", "N=4", "--repeat", "2", "--out", &out,
    ];
    for target in ["cpu", "interp", "emulator"] {
        let _ = std::fs::remove_file(&file);
        run(&[&size[..], &["--target", target]].concat()).exits(0);
        let m = npy::read(&file).expect("the array was written");
        assert_eq!(m.shape(), [2, 4]);
        let values: Vec<f64> = (0..8).filter_map(|i| m.get_f64(i)).collect();
        assert_eq!(values, [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0]);
    }
    // What was written is an argument again.
    let again = scratch("out").join("again.npy");
    let (from, to) = (
        format!("0=@{}", file.display()),
        format!("0={}", again.display()),
    );
    run(&["--entry", "scale", "--arg", &from, "--out", &to]).exits(0);
    let m = npy::read(&again).expect("the array was written");
    assert_eq!(m.get_f64(7), Some(28.0));
}

#[test]
fn division_by_zero_is_shown_where_it_stands() {
    for target in ["cpu", "interp"] {
        let r = run(&["--arg", "0=1", "--arg", "1=0", "--target", target]).exits(1);
        assert!(r.stderr.contains("<stdin>:2:8: error: "), "{}", r.stderr);
        assert!(r.stderr.contains("division by zero"), "{}", r.stderr);
        assert!(
            r.stderr
                .contains("  %c = arith.divsi %a, %b : i32\n       ^"),
            "{}",
            r.stderr
        );
    }
}

#[test]
fn wrong_programs() {
    let r = terrace_with("func.func @f() { return %x }", &["run", "-"]).exits(1);
    assert!(r.stderr.contains("<stdin>:1:28: error: "), "{}", r.stderr);
    let r = terrace(&["run", "no/such/file.mlir"]).exits(2);
    assert!(r.stderr.contains("no/such/file.mlir"), "{}", r.stderr);
}

#[test]
fn wrong_arguments() {
    refused(
        &["--entry", "nope"],
        2,
        "no function '@nope' to run; there is @divide, @scale",
    );
    refused(
        &["--arg", "0=1"],
        2,
        "parameter 1: no value: give one with --arg 1=NUMBER of type i32",
    );
    refused(
        &["--arg", "0=1.5", "--arg", "1=2"],
        2,
        "1.5 is not an integer",
    );
    refused(
        &["--arg", "0=random:3", "--arg", "1=2"],
        2,
        "found an array, expected one number",
    );
    refused(
        &["--arg", "0=1", "--arg", "0=2", "--arg", "1=2"],
        2,
        "parameter 0 is given twice",
    );
    refused(
        &["--arg", "7=1", "--arg", "0=1", "--arg", "1=1"],
        2,
        "no parameter `7`; it has 0, 1",
    );
    refused(&["--arg", "0"], 2, "expected `K=VALUE`");
    let scale = |more: &[&'static str], message: &str| {
        refused(&[&["--entry", "scale"], more].concat(), 2, message);
    };
    scale(
        &["--arg", "m=zeros:3x3"],
        "found an array of shape 3x3, expected 2x?xf64",
    );
    scale(
        &["--arg", "m=zeros:6"],
        "found an array of shape 6, expected 2x?xf64",
    );
    scale(&["--arg", "m=4"], "parameter m: ");
    scale(&["--arg", "m=@no/such.npy"], "no/such.npy");
    scale(
        &["--size", "K=3"],
        "@scale has no dimension `K`; it names 2, N",
    );
    scale(&["--size", "N"], "expected DIM=N");
    scale(&["--size", "N=-1"], "expected a whole number");
    scale(
        &["--out", "x=a.npy"],
        "@scale has no parameter `x`; it has m",
    );
    refused(
        &["--arg", "0=1", "--arg", "1=1", "--out", "0=a.npy"],
        2,
        "the parameter is no array",
    );
}

#[test]
fn wrong_options() {
    refused(
        &["--target", "tpu"],
        2,
        "expected cpu, gpu, emulator or interp",
    );
    refused(
        &["--emit", "llvm"],
        2,
        "expected mlir, ptx, clif, asm, hir or schedule",
    );
    refused(&["--repeat", "many"], 2, "--repeat");
    refused(
        &["--repeat", "0"],
        2,
        "found `0`, expected a whole number from 1",
    );
    refused(
        &["--arch", "sm_0"],
        2,
        "unknown architecture 'sm_0'; known are sm_70",
    );
    refused(
        &["--emit", "ptx", "--arch", "sm_x"],
        2,
        "unknown architecture 'sm_x'; known are",
    );
    terrace(&["walk"]).exits(2);
    terrace(&["run"]).exits(2);
}

/// On machines without a driver; those with one run.
#[test]
fn no_device() {
    let r = run(&["--entry", "scale", "--target", "gpu", "--verify"]);
    match r.code {
        0 => assert!(r.stdout.contains("verify   passed"), "{}", r.stdout),
        code => {
            assert_eq!(code, 3, "{}", r.stderr);
            assert!(r.stderr.contains("error: "), "{}", r.stderr);
        }
    }
}

#[test]
fn forms_of_a_program() {
    for (form, has) in [
        ("mlir", "scf.parallel"),
        ("ptx", ".entry"),
        ("clif", "function u0:"),
        ("asm", "mulsd"),
    ] {
        if form == "asm" && cfg!(not(target_arch = "x86_64")) {
            continue;
        }
        for args in [
            ["run", "-", "--emit", form],
            ["compile", "-", "--emit", form],
        ] {
            let r = terrace_with(DIVIDE, &args).exits(0);
            assert!(
                r.stdout.contains(has),
                "no `{has}` in {form}:\n{}",
                r.stdout
            );
        }
    }
    let file = scratch("compile").join("out.ptx");
    let path = file.display().to_string();
    let r = terrace_with(
        DIVIDE,
        &[
            "compile", "-", "--emit", "ptx", "--arch", "sm_80", "-o", &path,
        ],
    );
    assert_eq!(r.exits(0).stdout, "");
    let text = std::fs::read_to_string(&file).expect("the file was written");
    assert!(text.contains(".target sm_80"), "{text}");
}

#[test]
fn the_cache_is_listed_and_cleared() {
    let folder = scratch("cache");
    let cache = |args: &[&str]| {
        let out = std::process::Command::new(env!("CARGO_BIN_EXE_terrace"))
            .arg("cache")
            .args(args)
            .env("TERRACE_CACHE_DIR", &folder)
            .env_remove("TERRACE_CACHE_SIZE")
            .output()
            .expect("terrace starts");
        let text = |b: Vec<u8>| String::from_utf8_lossy(&b).into_owned();
        (out.status.code(), text(out.stdout), text(out.stderr))
    };
    let at = folder.display();
    cache(&["clear"]);
    let empty = format!("{at}: 0 entries, 0 of at most 1073741824 bytes\n");
    assert_eq!(cache(&[]), (Some(0), empty, String::new()));
    let entry = folder.join(format!("{}.kernels", "0".repeat(64)));
    std::fs::write(&entry, "x").expect("the folder can be written");
    std::fs::write(folder.join("other"), "x").expect("the folder can be written");
    let (_, listed, _) = cache(&["list"]);
    assert!(
        listed.contains("1 entry, 1 of") && listed.contains("(damaged"),
        "{listed}"
    );
    assert_eq!(cache(&["clear"]).1, "removed 1 entry, 1 bytes\n");
    assert!(!entry.exists() && folder.join("other").exists());
    assert_eq!(cache(&["path"]).1, format!("{at}\n"));
    // A file is no folder.
    let (code, _, said) = {
        let out = std::process::Command::new(env!("CARGO_BIN_EXE_terrace"))
            .args(["cache", "clear"])
            .env("TERRACE_CACHE_DIR", folder.join("other"))
            .output()
            .expect("terrace starts");
        (
            out.status.code(),
            (),
            String::from_utf8_lossy(&out.stderr).into_owned(),
        )
    };
    assert_eq!(code, Some(1));
    assert!(said.starts_with("error: cannot read "), "{said}");
}

#[test]
fn a_run_is_traced() {
    let file = scratch("trace").join("t.json");
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_terrace"))
        .args(["run", "-", "--target", "emulator", "--entry", "scale"])
        .env("TERRACE_TRACE", &file)
        .current_dir(super::tools::root())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .and_then(|mut child| {
            use std::io::Write;
            let mut input = child.stdin.take().expect("its input is a pipe");
            input.write_all(DIVIDE.as_bytes())?;
            drop(input);
            child.wait()
        });
    assert!(out.expect("terrace runs").success());
    let text = std::fs::read_to_string(&file).expect("the trace is there");
    let has = |category: &str| text.contains(&format!("\"cat\":\"{category}\""));
    assert!(has("kernel") && has("host"), "{text}");
    assert!(text.contains("\"name\":\"scale\""), "{text}");
    assert!(text.trim_end().ends_with('}'), "{text}");
}

/// Buffers of arrays that a loop allocates are allocated once.
#[test]
fn a_loop_allocates_once() {
    let program = "
        func.func @main(%A: memref<64xf32>) {
          affine.for %t = 0 to 1000 {
            %T = memref.alloc() : memref<64xf32>
            affine.for %i = 0 to 64 {
              %v = affine.load %A[%i] : memref<64xf32>
              %w = arith.addf %v, %v : f32
              affine.store %w, %T[%i] : memref<64xf32>
            }
            affine.for %i = 0 to 64 {
              %v = affine.load %T[63 - %i] : memref<64xf32>
              affine.store %v, %A[%i] : memref<64xf32>
            }
            memref.dealloc %T : memref<64xf32>
          }
          return
        }";
    let args = [
        "run",
        "-",
        "--target",
        "emulator",
        "--verify",
        "--arg",
        "0=zeros:64",
    ];
    let run = terrace_with(program, &args).exits(0);
    let mut memory = run.stdout.lines().skip_while(|l| !l.starts_with("memory"));
    let row = memory.nth(1).unwrap_or_default();
    // One for the argument's mirror and one for the array's.
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells, ["gpu", "2", "512"], "{}", run.stdout);
}

const HALVES: &str = "\
func.func @halves(%m: memref<?xf64> {terrace.name = \"m\", terrace.dims = [\"N\"], terrace.init = \"zeros:64\"}) -> f64 {
  %c0 = arith.constant 0 : index
  %half = arith.constant 0.5 : f64
  %least = arith.constant 2.2250738585072014e-308 : f64
  %n = memref.dim %m, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    affine.store %least, %m[%i] : memref<?xf64>
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %x = affine.load %m[%i] : memref<?xf64>
    %y = arith.mulf %x, %half : f64
    affine.store %y, %m[%i] : memref<?xf64>
  }
  %r = affine.load %m[%n - 1] : memref<?xf64>
  return %r : f64
}
";

#[test]
fn threads_and_subnormal_numbers() {
    let said = |args: &[&str]| {
        let all = ["run", "-", "--size", "N=100000"];
        terrace_with(HALVES, &[&all[..], args].concat())
            .exits(0)
            .stdout
    };
    let (strict, zero) = ("00011125369292536007\n", "result   0: 0\n");
    for threads in ["1", "3"] {
        let exact = said(&["--threads", threads, "--verify"]);
        assert!(
            exact.contains(strict) && exact.contains("verify   passed"),
            "{exact}"
        );
        let flushed = said(&["--threads", threads, "--flush-subnormals"]);
        assert!(flushed.contains(zero), "{flushed}");
        let many = if threads == "1" {
            "on cpu, 1 thread\n"
        } else {
            "on cpu, 3 threads\n"
        };
        assert!(flushed.contains(many), "{flushed}");
    }
    let pinned = said(&["--threads", "2", "--pin-threads"]);
    assert!(pinned.contains("on cpu, 2 pinned threads\n"), "{pinned}");
    let refused = |args: &[&str], message: &str| {
        let r = terrace_with(HALVES, &[&["run", "-"], args].concat()).exits(2);
        assert!(r.stderr.contains(message), "{}", r.stderr);
    };
    refused(
        &["--threads", "0"],
        "found 0 as the number of threads, expected 1 to 4096",
    );
    refused(
        &["--target", "emulator", "--flush-subnormals"],
        "subnormal numbers are flushed (--flush-subnormals) by --target cpu; found --target \
         emulator; in kernels --ftz=true does it",
    );
}
