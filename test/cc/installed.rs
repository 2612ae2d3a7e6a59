//! `terrace` wherever it lies: what it carries is found by itself, by the C compiler and by the linker.

use super::folder::{Folder, text};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "#include <openacc.h>\n#include <stdio.h>\nint main(void) {\n  int s = 0;\n\
                       #pragma acc parallel loop reduction(+:s)\n  for (int i = 0; i < 9; i++)\n    s += i;\n  \
                       printf(\"%d %d\\n\", s, acc_get_num_devices(acc_device_host));\n  return 0;\n}\n";

/// A folder with the program, and an executable of terrace's in `bin` of it.
fn moved() -> (Folder, PathBuf) {
    let f = Folder::new(&[("t.c", PROGRAM)]);
    let bin = f.0.join("bin");
    std::fs::create_dir(&bin).expect("a folder");
    let own = bin.join("terrace");
    std::fs::hard_link(env!("CARGO_BIN_EXE_terrace"), &own).expect("in the same file system");
    (f, own)
}

/// Compiles and links with this terrace, and runs the program.
fn builds(f: &Folder, terrace: &Path, variables: &[(&str, &str)]) {
    let mut c = Command::new(terrace);
    c.args(["cc", "-O1", "t.c", "-o", "t"]);
    let out = f.run_with(c, variables);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let out = f.program("t", &[("TERRACE_TARGET", "cpu")]);
    assert_eq!(text(&out.stdout), "36 1\n", "{}", text(&out.stderr));
    assert_eq!(f.left(), [""; 0]);
}

/// Names of the folders below one.
fn folders(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn it_needs_nothing_beside_itself() {
    let (f, own) = moved();
    let cache = f.0.join("cache");
    let variables = [("TERRACE_CACHE_DIR", cache.to_str().expect("text"))];
    builds(&f, &own, &variables);
    let names = folders(&cache);
    let [include, lib] = &names[..] else {
        panic!("{names:?}")
    };
    assert!(
        include.starts_with("include-") && lib.starts_with("lib-"),
        "{names:?}"
    );
    // By another name, through a link, from the path.
    let link = f.0.join("renamed");
    symlink(&own, &link).expect("a link");
    builds(&f, &link, &variables);
    let driver = f.0.join("bin/terrace-cc");
    symlink(&own, &driver).expect("a link");
    let mut c = Command::new("terrace-cc");
    c.args(["-O1", "t.c", "-o", "t"]);
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", own.parent().expect("bin").display());
    let out = f.run_with(c, &[variables[0], ("PATH", &path)]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(folders(&cache), names);
    // What was damaged is written anew.
    let archive = cache.join(lib).join("libterrace_runtime.a");
    std::fs::write(&archive, "!<arch>\n").expect("a file");
    builds(&f, &own, &variables);
    let out = Command::new(&own)
        .args(["cache", "clear"])
        .env("TERRACE_CACHE_DIR", &cache)
        .output()
        .expect("it runs");
    assert!(
        text(&out.stdout).starts_with("removed 2 entries, "),
        "{}",
        text(&out.stdout)
    );
    assert_eq!(folders(&cache), [""; 0]);
}

#[test]
fn it_needs_no_cache() {
    let (f, own) = moved();
    let home = f.0.join("home");
    let home = home.to_str().expect("text");
    builds(&f, &own, &[("TERRACE_CACHE", "0"), ("HOME", home)]);
    builds(&f, &own, &[("TERRACE_CACHE_DIR", "/dev/null/x")]);
    builds(
        &f,
        &own,
        &[
            ("TERRACE_CACHE_DIR", ""),
            ("XDG_CACHE_HOME", ""),
            ("HOME", ""),
        ],
    );
    assert!(!Path::new(home).exists());
    // The system's compiler reads the header although nothing is translated.
    let calls =
        "#include <openacc.h>\nint f(void) { return acc_get_num_devices(acc_device_host); }\n";
    f.write("f.c", calls);
    let mut c = Command::new(&own);
    c.args(["cc", "-c", "f.c"]);
    let out = f.run_with(c, &[("TERRACE_CACHE", "0")]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(f.left(), [""; 0]);
}

#[test]
fn other_linkers_are_told_where_the_archive_is() {
    let (f, own) = moved();
    let cache = f.0.join("cache");
    let asked = |variables: &[(&str, &str)]| {
        let mut c = Command::new(&own);
        c.args(["cc", "-print-file-name=libterrace_runtime.a"]);
        f.run_with(c, variables)
    };
    let out = asked(&[("TERRACE_CACHE_DIR", cache.to_str().expect("text"))]);
    let archive = text(&out.stdout);
    let archive = archive.trim_end();
    assert!(
        archive.starts_with(cache.to_str().expect("text")),
        "{archive}"
    );
    let made = f.terrace(&["-c", "t.c"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let linked = f.gcc(&["t.o", archive, "-lpthread", "-ldl", "-lm", "-o", "t"]);
    assert!(linked.status.success(), "{}", text(&linked.stderr));
    assert_eq!(text(&f.program("t", &[]).stdout), "36 1\n");
    let out = asked(&[("TERRACE_CACHE", "0")]);
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(
        text(&out.stderr),
        "error: there is no folder to keep libterrace_runtime.a in; TERRACE_CACHE_DIR names one\n"
    );
}

/// Rust's library, tables for debuggers and what nothing calls would make it six times as large.
#[test]
fn the_archive_is_slim_and_its_names_are_the_interfaces() {
    let (f, _) = moved();
    let out = f.terrace(&["-print-file-name=libterrace_runtime.a"]);
    let archive = text(&out.stdout);
    let archive = archive.trim_end();
    let bytes = std::fs::metadata(archive).expect("a file").len();
    assert!(bytes < 12 << 20, "{bytes} bytes");
    let mut nm = Command::new("nm");
    nm.args(["-g", "--defined-only", archive]);
    let names = text(&f.run(nm).stdout);
    let names: Vec<&str> = names.lines().filter_map(|l| l.split(' ').nth(2)).collect();
    assert!(names.len() > 100, "{names:?}");
    let other = names
        .iter()
        .find(|n| !n.starts_with("terrace_") && !n.starts_with("acc_"));
    assert_eq!(other, None);
}

#[test]
fn a_tool_without_the_archive_says_what_to_do() {
    if std::env::var_os("TERRACE_RUNTIME").is_some() {
        return;
    }
    let words = ["-print-file-name=libterrace_runtime.a".into()];
    let mut said = String::new();
    let code = terrace::c::driver::main(&words, None, &mut |t| said.push_str(t));
    assert_eq!(code, 1);
    assert_eq!(
        said,
        "error: this program does not carry libterrace_runtime.a, which terrace does; name the \
         archive in the environment variable TERRACE_RUNTIME\n"
    );
}
