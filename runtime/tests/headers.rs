//! The headers are what Rust says, C and C++ take them, and all that is in the archive for
//! programs is declared.

mod header;
mod programs;

use std::path::{Path, PathBuf};
use std::process::Command;

use header::items::{functions, structures};

fn include() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("include")
}

#[test]
fn headers_are_up_to_date() {
    let update = std::env::var_os("UPDATE_HEADERS").is_some_and(|v| v != "0");
    for (name, text) in [
        ("terrace.h", header::terrace_h()),
        ("openacc.h", header::openacc_h()),
    ] {
        let path = include().join(name);
        if update {
            std::fs::write(&path, &text).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        let differs = text.lines().zip(found.lines()).find(|(a, b)| a != b);
        assert!(
            found == text,
            "{name} is not what Rust says ({differs:?}); UPDATE_HEADERS=1 cargo test -p \
             terrace-runtime --test headers writes it anew"
        );
    }
}

/// Whether a word stands in a text as a whole.
fn has(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !part(c)).any(|w| w == word)
}

#[test]
fn everything_is_declared() {
    let tools = include_str!("../include/acc_prof.h");
    let both = header::terrace_h() + &header::openacc_h() + tools;
    for name in functions().keys() {
        assert!(has(&both, name), "no header declares {name}");
    }
    // What the archive has beside is for compiled code alone.
    let support = include_str!("../../support/src/lib.rs");
    let output = Command::new("nm")
        .args(["-g", "--defined-only"])
        .arg(programs::archive())
        .output();
    let Ok(output) = output else {
        eprintln!("SKIPPED the names in the archive: there is no nm");
        return;
    };
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    let ours = |n: &&str| n.starts_with("acc_") || n.starts_with("terrace_");
    let names = names
        .lines()
        .filter_map(|l| l.split(' ').nth(2))
        .filter(ours);
    let mut found = 0;
    for name in names {
        found += 1;
        let declared = has(&both, name) || has(support, name);
        assert!(
            declared,
            "{name} is in the archive, and no header declares it"
        );
    }
    assert!(found >= functions().len(), "{found} names in the archive");
}

fn scratch(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn structures_are_laid_out_alike() {
    let mut text = "#include <stddef.h>\n#include \"terrace.h\"\n".to_string();
    for (name, s) in structures() {
        let size = s.size;
        text += &format!("_Static_assert(sizeof(struct {name}) == {size}, \"{name}\");\n");
        for f in s.fields {
            let (field, offset) = (f.name, f.offset);
            text += &format!(
                "_Static_assert(offsetof(struct {name}, {field}) == {offset}, \"{name}.{field}\");\n"
            );
        }
    }
    text += "int main(void) { return 0; }\n";
    let source = scratch("layout.c", &text);
    let output = programs::cc()
        .args([
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-pedantic",
            "-Werror",
            "-fsyntax-only",
            "-I",
        ])
        .arg(include())
        .arg(source)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Uses some of it as people do.
const PROGRAM: &str = r#"
#include <openacc.h>
#include <terrace.h>
#include <stdio.h>

static int body(void *env, long begin, long end) {
  double *a = (double *)env;
  for (long i = begin; i < end; i++) a[i] += 1;
  return 0;
}

int main(void) {
  double a[100];
  struct terrace_map map = {a, sizeof a, TERRACE_COPY, TERRACE_WRITTEN, "a", 0};
  int i, wrong = 0;
  acc_device_t type;
  for (i = 0; i < 100; i++) a[i] = i;
  acc_init(acc_device_default);
  type = acc_get_device_type();
  acc_copyin(a, sizeof a);
  acc_copyout_async(a, sizeof a, acc_async_noval);
  acc_wait_all();
  terrace_data_enter(&map, 1, TERRACE_SYNC, "a.c", 1);
  wrong |= terrace_parallel_for(body, a, 0, 100, 1);
  terrace_data_exit(&map, 1, TERRACE_SYNC, "a.c", 2);
  for (i = 0; i < 100; i++) wrong |= a[i] != i + 1;
  printf("%d %d %d\n", wrong, type == acc_device_host, acc_get_num_devices(acc_device_host));
  return wrong;
}
"#;

#[test]
fn c_and_cxx_take_them() {
    for (compiler, standard, source) in [
        ("gcc", "-std=c99", "user.c"),
        ("gcc", "-std=c17", "user.c"),
        ("g++", "-std=c++11", "user.cpp"),
        ("g++", "-std=c++20", "user.cpp"),
    ] {
        let path = scratch(source, PROGRAM);
        let program = path.with_extension(format!("{}.out", &standard[5..]));
        let output = Command::new(compiler)
            .args([
                standard,
                "-Wall",
                "-Wextra",
                "-Wconversion",
                "-pedantic",
                "-Werror",
                "-I",
            ])
            .arg(include())
            .arg("-o")
            .arg(&program)
            .arg(path)
            .arg(programs::archive())
            .args(["-lpthread", "-ldl", "-lm"])
            .output();
        let Ok(output) = output else {
            eprintln!("SKIPPED {compiler} {standard}: there is none");
            continue;
        };
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{compiler} {standard}: {text}");
        let (output, text) = programs::run(&program, &[], &[("TERRACE_TARGET", "host")]);
        assert_eq!((&*output.stdout, &*text), (&b"0 1 1\n"[..], ""));
    }
}
