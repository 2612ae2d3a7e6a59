//! C programs with the runtime's archive.

// Not every test uses all of it.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The archive that was built with this test: the newest of its directory.
pub fn archive() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let deps = test.parent().unwrap();
    let archives = std::fs::read_dir(deps).unwrap().filter_map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name()?.to_str()?;
        let ours = name.starts_with("libterrace_runtime") && name.ends_with(".a");
        let time = path.metadata().ok()?.modified().ok()?;
        ours.then_some((time, path))
    });
    archives
        .max()
        .expect("no libterrace_runtime*.a beside the test")
        .1
}

/// The system's compiler.
pub fn cc() -> Command {
    Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
}

/// Compiles and links a program with the runtime; its path.
pub fn build(source: &Path, name: &str) -> PathBuf {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let output = cc()
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I"])
        .arg(include)
        .arg("-o")
        .arg(&program)
        .arg(source)
        .arg(archive())
        .args(["-lpthread", "-ldl", "-lm"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    program
}

/// Runs a program with nothing but these settings; what it says on standard error, too.
pub fn run(program: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> (Output, String) {
    let mut command = Command::new(program);
    command.args(arguments);
    for name in [
        "TERRACE_TARGET",
        "TERRACE_DEVICE",
        "TERRACE_PROFILE",
        "TERRACE_NOTIFY",
        "TERRACE_TRACE",
        "ACC_DEVICE_TYPE",
        "ACC_DEVICE_NUM",
        "TERRACE_CACHE",
        "TERRACE_CACHE_SIZE",
        "TERRACE_EMULATOR",
    ] {
        command.env_remove(name);
    }
    // Where there is a GPU its kernels are not to be mixed with the user's.
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    command.env("TERRACE_CACHE_DIR", cache);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, text)
}

/// A folder with a driver that is none: the stand-in of `c/libcuda.c`. It is found in
/// place of a real one where `LD_LIBRARY_PATH` names the folder.
pub fn stand_in() -> PathBuf {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(make_stand_in).clone()
}

fn make_stand_in() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("stand-in");
    std::fs::create_dir_all(&folder).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/libcuda.c");
    // Programs of tests run at once, each may be the first.
    let beside = folder.join(format!("{}.so", std::process::id()));
    let output = cc()
        .args(["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror"])
        .args(["-shared", "-fPIC", "-o"])
        .arg(&beside)
        .arg(source)
        .args(["-lpthread", "-lm"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    std::fs::rename(beside, folder.join("libcuda.so")).unwrap();
    folder
}
