//! How the tools end: where standard output takes nothing more, and where a signal comes.

use super::tools::{root, runs, scratch, signal as send};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = "\
func.func @scale(%m: memref<4xf64> {terrace.name = \"m\", terrace.init = \"iota:4\"}) {
  affine.for %i = 0 to 4 {
    %x = affine.load %m[%i] : memref<4xf64>
    %y = arith.addf %x, %x : f64
    affine.store %y, %m[%i] : memref<4xf64>
  }
  return
}
";

const C: &str = "\
void scale(double *x, int n) {
#pragma acc kernels copy(x[0:n])
  for (int i = 0; i < n; i++)
    x[i] *= 2.0;
}
int main(void) { double x[4] = {1, 2, 3, 4}; scale(x, 4); return x[3] != 8.0; }
";

fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the input is written");
    path.display().to_string()
}

/// Commands that write to standard output, each with its arguments.
fn writers(folder: &Path) -> Vec<(&'static str, Vec<String>)> {
    let mlir = file(folder, "scale.mlir", PROGRAM);
    let c = file(folder, "scale.c", C);
    let words = |w: &[&str]| w.iter().map(|w| w.to_string()).collect::<Vec<_>>();
    let terrace = env!("CARGO_BIN_EXE_terrace");
    vec![
        (env!("CARGO_BIN_EXE_terrace-opt"), words(&[&mlir])),
        (env!("CARGO_BIN_EXE_terrace-opt"), words(&["--help"])),
        (terrace, words(&["run", &mlir])),
        (terrace, words(&["compile", &mlir, "--emit", "ptx"])),
        (terrace, words(&["compile", &c, "--emit", "mlir"])),
        (terrace, words(&["explain", &c])),
        (terrace, words(&["cache"])),
        (terrace, words(&["--help"])),
        (terrace, words(&["run", "--help"])),
        (terrace, words(&["--version"])),
    ]
}

#[test]
fn a_full_disk_is_an_error() {
    if !Path::new("/dev/full").exists() {
        eprintln!("SKIPPED: there is no /dev/full");
        return;
    }
    for (program, args) in writers(&scratch("full")) {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let run = Command::new(program)
            .args(&args)
            .current_dir(root())
            .stdout(full.expect("/dev/full opens"))
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(1), "{args:?}: {said}");
        let message = "error: cannot write to standard output: No space left on device";
        assert!(said.contains(message), "{args:?}: {said}");
    }
}

#[test]
fn a_reader_that_went_away_is_not() {
    for (program, args) in writers(&scratch("pipe")) {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let run = Command::new(program)
            .args(&args)
            .current_dir(root())
            .stdout(writer)
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&run.stderr);
        assert_eq!((run.status.code(), &*said), (Some(0), ""), "{args:?}");
    }
}

/// The names of files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let name = |e: std::io::Result<std::fs::DirEntry>| e.ok()?.file_name().into_string().ok();
    let mut names: Vec<String> = entries.filter_map(name).collect();
    names.sort();
    names
}

/// Waits until `done` or for a minute.
fn until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A compiler that says that it links or compiles, half writes the result, and stays.
fn slow_compiler(folder: &Path) -> PathBuf {
    let script = folder.join("slow-cc");
    let text = "#!/bin/sh\n\
        case \" $* \" in\n\
        *\" -E \"*) exec cc \"$@\" ;;\n\
        *\" $STAY_AT \"*) ;;\n\
        *) exec cc \"$@\" ;;\n\
        esac\n\
        echo half > \"$HALF\"\n\
        echo $$ > \"$STARTED\"\n\
        sleep 100 &\n\
        trap 'kill $!; exit 1' TERM\n\
        wait\n";
    std::fs::write(&script, text).expect("the script is written");
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&script, mode).expect("the script can be run");
    script
}

/// `terrace cc` is ended by a signal while the compiler that it calls is at work: nothing
/// that was made on the way stays, the half of a program neither, and the compiler ends.
#[test]
fn a_signal_leaves_nothing_behind() {
    for (signal, number, at) in [
        ("INT", 2, "-lpthread"),
        ("TERM", 15, "-c"),
        ("HUP", 1, "-c"),
    ] {
        let folder = scratch(&format!("signal-{signal}"));
        let temporary = folder.join("tmp");
        let _ = std::fs::remove_dir_all(&temporary);
        std::fs::create_dir_all(&temporary).expect("a folder is made");
        let c = file(&folder, "scale.c", C);
        let program = folder.join("prog");
        let started = folder.join("started");
        let _ = std::fs::remove_file(&started);
        let half = match at {
            "-c" => temporary.join("half"),
            _ => program.clone(),
        };
        // Where the tests run in the background, signals may be ignored, and a program
        // that is started with that goes on ignoring them.
        let mut child = Command::new("env")
            .arg("--default-signal=INT,TERM,HUP")
            .arg(env!("CARGO_BIN_EXE_terrace"))
            .args(["cc", "-w", &c, "-o"])
            .arg(&program)
            .env("TERRACE_HOST_CC", slow_compiler(&folder))
            .env("TMPDIR", &temporary)
            .env("STAY_AT", at)
            .env("HALF", &half)
            .env("STARTED", &started)
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        until("the compiler is called", || {
            std::fs::read_to_string(&started).is_ok_and(|t| t.ends_with('\n'))
        });
        let made = names(&temporary);
        assert!(
            made.iter().any(|n| n.starts_with("terrace-cc-")),
            "{made:?}"
        );
        assert!(send(signal, &child.id().to_string()));
        let status = child.wait().expect("it ends");
        use std::os::unix::process::ExitStatusExt;
        let mut said = String::new();
        let mut stderr = child.stderr.take().expect("a pipe");
        let _ = stderr.read_to_string(&mut said);
        assert_eq!(status.signal(), Some(number), "{said}");
        let left = names(&temporary);
        assert!(
            !left.iter().any(|n| n.starts_with("terrace-cc-")),
            "{signal}: {left:?}"
        );
        assert!(!program.exists(), "{signal}: half a program stays");
        let worker = std::fs::read_to_string(&started).expect("it was written");
        until("the compiler ends", || !runs(worker.trim()));
    }
}
