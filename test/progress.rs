//! The line of progress: on a terminal while something takes over a second, and nowhere else.

use std::ffi::{CStr, c_char, c_int};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

unsafe extern "C" {
    safe fn posix_openpt(flags: c_int) -> c_int;
    safe fn grantpt(file: c_int) -> c_int;
    safe fn unlockpt(file: c_int) -> c_int;
    fn ptsname(file: c_int) -> *const c_char;
}

/// A pseudo terminal: the side of the person, and the path of the side of the program.
fn terminal() -> (File, PathBuf) {
    const READ_WRITE_NO_CONTROL: c_int = 0o2 | 0o400;
    let file = posix_openpt(READ_WRITE_NO_CONTROL);
    assert!(
        file >= 0 && grantpt(file) == 0 && unlockpt(file) == 0,
        "no terminal"
    );
    // SAFETY: the name is a C string, which is copied before anything else asks for one: tests take turns.
    let name = unsafe { CStr::from_ptr(ptsname(file)) };
    let path = PathBuf::from(name.to_str().expect("text"));
    // SAFETY: it was opened above, and nobody else closes it.
    (unsafe { File::from_raw_fd(file) }, path)
}

static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// A new terminal: the side of the person, and that of the program.
fn both_sides() -> (File, File) {
    let turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    let (person, path) = terminal();
    drop(turn);
    let mut options = OpenOptions::new();
    let program = options.read(true).write(true).open(path);
    (person, program.expect("its other side"))
}

/// Runs a program with standard error on a terminal; the exit status and what the terminal got.
fn on_terminal(command: &mut Command) -> (Option<i32>, String) {
    let (mut person, program) = both_sides();
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.stderr(program.try_clone().expect("it can be had twice"));
    let mut child = command.spawn().expect("our tool runs");
    let reader = std::thread::spawn(move || {
        let mut all = Vec::new();
        let mut some = [0; 4096];
        // The other side being closed is an error here.
        while let Ok(n @ 1..) = person.read(&mut some) {
            all.extend(&some[..n]);
        }
        assert!(person.as_raw_fd() >= 0);
        String::from_utf8_lossy(&all).into_owned()
    });
    let mut results = String::new();
    let stdout = child.stdout.take().expect("a pipe");
    let read = { stdout }.read_to_string(&mut results);
    read.expect("text");
    assert!(!results.contains('\x1b'), "{results}");
    let code = child.wait().expect("it ends").code();
    drop(program);
    // The command keeps its copy of the terminal open.
    command.stderr(Stdio::null());
    (code, reader.join().expect("it reads"))
}

/// What is left on a terminal: of each line what was written behind the last start of it.
fn left(said: &str) -> Vec<&str> {
    let lines = said.split('\n').map(|l| l.trim_end_matches('\r'));
    let lines = lines.map(|l| l.rsplit("\r\x1b[K").next().unwrap_or(l));
    lines.filter(|l| !l.is_empty()).collect()
}

fn module(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, "func.func @f() {\n  return\n}\n").expect("a file");
    path
}

fn reduce(module: &Path, test: &str) -> Command {
    let mut c = Command::new(env!("CARGO_BIN_EXE_terrace-reduce"));
    c.arg(module)
        .args(["--jobs", "1", "--test", test])
        .env("TERM", "xterm");
    c
}

#[test]
fn what_takes_over_a_second_has_a_line_on_a_terminal() {
    let file = module("progress-slow.mlir");
    // The first two tests say yes, all others no.
    let marks = Path::new(env!("CARGO_TARGET_TMPDIR")).join("progress-slow.marks");
    let _ = std::fs::remove_file(&marks);
    let test = format!(
        "sleep 0.8; echo >> {0}; test $(wc -l < {0}) -le 2 # {{}}",
        marks.display()
    );
    let (code, said) = on_terminal(&mut reduce(&file, &test));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("\r\x1b[Kreducing "), "{said:?}");
    assert!(said.contains("progress-slow.mlir, 1 s"), "{said:?}");
    // It is gone behind it.
    assert!(said.ends_with("\r\x1b[K"), "{said:?}");
    assert_eq!(left(&said), [""; 0]);
}

#[test]
fn a_line_that_stays_stands_in_its_own_line() {
    let file = module("progress-said.mlir");
    let (code, said) = on_terminal(reduce(&file, "sleep 0.7; true {}").arg("--progress"));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("\r\x1b[Kreducing "), "{said:?}");
    let left = left(&said);
    assert!(
        left.last().is_some_and(|l| l.starts_with("from ")),
        "{left:?}"
    );
    assert!(!left.iter().any(|l| l.contains("reducing")), "{left:?}");
}

#[test]
fn what_is_quick_has_none() {
    let file = module("progress-quick.mlir");
    let (code, said) = on_terminal(&mut reduce(&file, "true {}"));
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let mut opt = Command::new(env!("CARGO_BIN_EXE_terrace-opt"));
    let (code, said) = on_terminal(opt.arg(&file).env("TERM", "xterm"));
    assert_eq!((code, said.as_str()), (Some(0), ""));
}

#[test]
fn a_terminal_that_clears_no_lines_gets_none() {
    let file = module("progress-dumb.mlir");
    for term in ["dumb", ""] {
        let (code, said) = on_terminal(reduce(&file, "sleep 0.7; true {}").env("TERM", term));
        assert_eq!((code, said.as_str()), (Some(0), ""));
    }
}

#[test]
fn a_pipe_and_a_file_get_none() {
    let file = module("progress-pipe.mlir");
    let out = reduce(&file, "sleep 0.7; true {}")
        .output()
        .expect("our tool runs");
    assert_eq!(out.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&out.stderr), "");
}

/// The interpreter takes some seconds over it. Its time is no constant, so only steps are looked for.
#[test]
fn a_run_says_what_it_is_at() {
    let mut c = Command::new(env!("CARGO_BIN_EXE_terrace"));
    c.arg("run")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/gemm.mlir"));
    c.args(["--target", "interp", "--repeat", "100000"]);
    c.args(["--size", "M=20", "--size", "N=20", "--size", "K=20"])
        .env("TERM", "xterm");
    let (mut person, program) = both_sides();
    c.stdin(Stdio::null()).stdout(Stdio::null()).stderr(program);
    let mut child = c.spawn().expect("our tool runs");
    // Its copy of the terminal, with which the loop below would not end where the program does.
    drop(c);
    let mut said = String::new();
    let mut some = [0; 4096];
    while !said.contains(" of 100000, 1 s") {
        let n = person.read(&mut some).expect("it is still running");
        said.push_str(&String::from_utf8_lossy(&some[..n]));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(said.contains("running @gemm_f64: call "), "{said:?}");
}
