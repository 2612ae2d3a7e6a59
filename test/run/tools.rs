//! The programs that the tests call.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use terrace_lit::feature::find_program;

/// What a run of `terrace` left behind.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn of(out: std::process::Output) -> Run {
        Run {
            code: out.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&out.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&out.stderr).into_owned(),
        }
    }

    /// Fails the test with all that was said, unless the exit code is this.
    #[track_caller]
    pub fn exits(self, code: i32) -> Run {
        assert_eq!(self.code, code, "{}{}", self.stdout, self.stderr);
        self
    }
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder for files of the test of this name.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("run")
        .join(name);
    std::fs::create_dir_all(&folder).expect("the test folder can be made");
    folder
}

/// `terrace` with these arguments, `input` on its standard input.
pub fn terrace_with(input: &str, args: &[&str]) -> Run {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_terrace"))
        .args(args)
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("terrace starts");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    // A program that refuses its arguments need not read.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    Run::of(child.wait_with_output().expect("terrace ends"))
}

pub fn terrace(args: &[&str]) -> Run {
    terrace_with("", args)
}

/// NVIDIA's assembler: where `TERRACE_PTXAS` says, else on the path.
pub fn ptxas() -> Option<PathBuf> {
    match std::env::var_os("TERRACE_PTXAS") {
        Some(path) => Some(PathBuf::from(path)).filter(|p| p.is_file()),
        None => find_program("ptxas", &[PathBuf::from("/usr/local/cuda/bin")]),
    }
}

/// The bridge to MLIR, which is built apart: where `TERRACE_MLIR` says, else on the path.
pub fn bridge() -> Option<PathBuf> {
    match std::env::var_os("TERRACE_MLIR") {
        Some(path) => Some(PathBuf::from(path)).filter(|p| p.is_file()),
        None => find_program("terrace-mlir", &[]),
    }
}

pub fn gcc() -> Option<PathBuf> {
    find_program("gcc", &[])
}

/// Whether `ptxas` knows an architecture: newer ones drop old ones. `folder` is that of
/// the test, since tests run at the same time.
fn assembles_for(ptxas: &Path, arch: &str, folder: &Path) -> bool {
    let file = folder.join(format!("{arch}.ptx"));
    let text = format!(".version 8.7\n.target {arch}\n.address_size 64\n");
    std::fs::write(&file, text).expect("the test folder is writable");
    assemble(ptxas, &file, arch).is_ok()
}

/// Assemble a file; what `ptxas` says where it refuses.
pub fn assemble(ptxas: &Path, file: &Path, arch: &str) -> Result<(), String> {
    let out = Command::new(ptxas)
        .arg(format!("-arch={arch}"))
        .arg(file)
        .args(["-o", if cfg!(windows) { "NUL" } else { "/dev/null" }])
        .output()
        .map_err(|e| e.to_string())?;
    match out.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{}{}",
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr)
        )),
    }
}

/// Emit PTX of each program for each architecture and assemble it.
pub fn assemble_all(test: &str, programs: &[PathBuf], archs: &[&str]) {
    let Some(ptxas) = ptxas() else {
        terrace_lit::feature::skip("ptxas", test);
        return;
    };
    let folder = scratch(test);
    let mut errors = Vec::new();
    for arch in archs {
        if !assembles_for(&ptxas, arch, &folder) {
            eprintln!("SKIPPED {test} for {arch}: this ptxas does not know it");
            continue;
        }
        for program in programs {
            let path = program.display().to_string();
            let r = terrace(&["compile", &path, "--emit", "ptx", "--arch", arch]);
            let stem = program.file_stem().unwrap_or_default().to_string_lossy();
            let file = folder.join(format!("{stem}-{arch}.ptx"));
            if r.code != 0 {
                errors.push(format!("{path} for {arch}: {}", r.stderr));
                continue;
            }
            std::fs::write(&file, r.stdout).expect("the test folder is writable");
            if let Err(e) = assemble(&ptxas, &file, arch) {
                errors.push(format!("{} for {arch}: {e}", file.display()));
            }
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

/// The programs in a folder, in the order of their names.
pub fn programs(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "mlir"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{folder} holds no program");
    files
}

/// Sends a signal to a process; says whether there is one.
pub fn signal(name: &str, process: &str) -> bool {
    let run = Command::new("kill").args(["-s", name, process]).output();
    run.is_ok_and(|r| r.status.success())
}

/// Whether a process runs. One that has ended does not, even while nobody has waited for it:
/// the first process of a container may take its time to, or never do it.
pub fn runs(process: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat"));
    // Its name comes before its state, in parentheses, and may itself hold some.
    let ended = state.is_ok_and(|s| {
        s.rsplit_once(") ")
            .is_some_and(|(_, s)| s.starts_with(['Z', 'X']))
    });
    !ended && signal("0", process)
}
