//! The headers of the system's C library, as its compiler preprocesses them.

use std::process::Command;

use crate::sema::testing::good;

/// The output of `cc -E` on a text.
fn preprocessed(name: &str, text: &str) -> String {
    let dir = std::env::temp_dir();
    let path = dir.join(format!("terrace-c-{}-{name}.c", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let out = Command::new("cc").arg("-E").arg("-O2").arg(&path).output();
    std::fs::remove_file(&path).unwrap();
    let out = out.unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    // Nothing is let off for being a system header.
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines()
        .filter(|l| !l.starts_with('#'))
        .fold(String::new(), |all, l| all + l + "\n")
}

const HEADERS: &[&str] = &[
    "assert",
    "complex",
    "ctype",
    "errno",
    "fenv",
    "float",
    "inttypes",
    "limits",
    "locale",
    "math",
    "setjmp",
    "signal",
    "stdalign",
    "stdarg",
    "stdatomic",
    "stdbool",
    "stddef",
    "stdint",
    "stdio",
    "stdlib",
    "stdnoreturn",
    "string",
    "strings",
    "time",
    "uchar",
    "wchar",
    "wctype",
    "unistd",
    "fcntl",
    "sched",
    "pthread",
    "malloc",
    "alloca",
    "sys/time",
    "sys/types",
    "sys/stat",
    "sys/resource",
    "sys/mman",
    "sys/times",
    "getopt",
    "dirent",
    "semaphore",
];

#[test]
fn every_header_is_understood() {
    for header in HEADERS {
        let text = preprocessed("header", &format!("#include <{header}.h>\nint used;\n"));
        good(&text);
    }
}

#[test]
fn all_headers_together() {
    let includes: String = HEADERS
        .iter()
        .map(|h| format!("#include <{h}.h>\n"))
        .collect();
    good(&preprocessed(
        "all",
        &format!("#define _GNU_SOURCE\n{includes}int used;\n"),
    ));
}
