//! What the driver says of its own: help, options that there are not, C++; and programs whose `main` is run.

use super::folder::{Folder, text};
use std::process::Command;

#[test]
fn own_options_come_first_in_the_help() {
    let f = Folder::new(&[]);
    let (ours, gccs) = (f.terrace(&["--help"]), f.gcc(&["--help"]));
    assert!(ours.status.success());
    let (ours, gccs) = (text(&ours.stdout), text(&gccs.stdout));
    let own = ours
        .strip_suffix(&gccs)
        .expect("the compiler's help at the end");
    assert!(
        own.starts_with("The system's C compiler, with regions compiled"),
        "{own}"
    );
    for option in ["--auto ", "--terrace-keep=DIR ", "--target-arch=sm_NN"] {
        assert!(own.contains(option), "{own}");
    }
}

#[test]
fn an_option_of_terrace_that_there_is_not() {
    let f = Folder::new(&[("t.c", "int main(void) { return 0; }\n")]);
    for (option, said) in [
        (
            "--terrace-kepe=x",
            "there is no option '--terrace-kepe'; did you mean '--terrace-keep'?",
        ),
        (
            "--terrace-auto",
            "there is no option '--terrace-auto'; did you mean '--auto'?",
        ),
        (
            "--terrace-target-arch=sm_90",
            "there is no option '--terrace-target-arch'; did you mean '--target-arch'?",
        ),
        (
            "--terrace-qwertyuiop",
            "there is no option '--terrace-qwertyuiop'; terrace cc --help lists terrace's own",
        ),
    ] {
        let out = f.terrace(&[option, "-c", "t.c"]);
        assert_eq!(out.status.code(), Some(1));
        assert_eq!(text(&out.stderr), format!("terrace cc: error: {said}\n"));
        assert!(!f.files().contains_key("t.o"));
    }
}

#[test]
fn directives_in_cxx_are_warned_of() {
    let with = "int f(int *a) {\n#pragma acc parallel loop copy(a[0:4])\n  for (int i = 0; i < 4; i++) a[i] = 0;\n  return a[0];\n}\n";
    let f = Folder::new(&[
        ("with.cpp", with),
        ("without.cc", "int g() { return 1; }\n"),
    ]);
    let out = f.terrace(&["-c", "with.cpp"]);
    assert!(out.status.success());
    assert_eq!(
        text(&out.stderr),
        "with.cpp: warning: its directives are not followed: terrace reads C, and this is C++\n"
    );
    let out = f.terrace(&["-c", "without.cc"]);
    assert!(out.status.success() && out.stderr.is_empty());
    f.write("with.h", with);
    let out = f.terrace(&["-x", "c++", "-c", "with.h", "-o", "with.o"]);
    assert!(text(&out.stderr).starts_with("with.h: warning: its directives are not followed"));
}

/// `terrace WORDS` in the folder.
fn tool(f: &Folder, words: &[&str]) -> std::process::Output {
    let mut c = Command::new(env!("CARGO_BIN_EXE_terrace"));
    c.args(words);
    f.run(c)
}

#[test]
fn main_is_run_with_its_arguments() {
    let c = "#include <stdio.h>\n#ifndef N\n#define N 4\n#endif\nvoid twice(int n, int *a) {\n#pragma acc parallel loop copy(a[0:n])\n  for (int i = 0; i < n; i++) a[i] *= 2;\n}\nint main(int argc, char **argv) {\n  int a[N];\n  for (int i = 0; i < N; i++) a[i] = i;\n  twice(N, a);\n  printf(\"%d\", a[N - 1]);\n  for (int i = 1; i < argc; i++) printf(\" %s\", argv[i]);\n  puts(\"\");\n  return argc;\n}\n";
    let f = Folder::new(&[("t.c", c)]);
    for (words, expected, code) in [
        (&["run", "t.c"][..], "6\n", 1),
        (&["run", "t.c", "a", "b c"], "6 a b c\n", 3),
        (
            &["run", "t.c", "--", "-DN=8", "--", "-v", "x"],
            "14 -v x\n",
            3,
        ),
        (&["run", "--target", "emulator", "t.c", "1"], "6 1\n", 2),
        (&["run", "t.c", "--entry", "main"], "6\n", 1),
    ] {
        let out = tool(&f, words);
        assert_eq!(text(&out.stdout), expected, "{}", text(&out.stderr));
        assert_eq!(out.status.code(), Some(code), "{words:?}");
    }
    let out = tool(&f, &["run", "t.c", "--target", "interp"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        text(&out.stderr).contains("found a program whose main is to run, expected --target cpu")
    );
    // A function gets its arguments by their names in C, and no others.
    let function = [
        "run", "t.c", "--entry", "twice", "--arg", "n=3", "--arg", "a=iota:3",
    ];
    let out = tool(&f, &function);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(
        text(&out.stdout).contains("checksum sum 6"),
        "{}",
        text(&out.stdout)
    );
    let out = tool(&f, &[&function[..], &["5"]].concat());
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("found '5', which would be an argument of main"));
    assert_eq!(f.left(), [""; 0]);
}

#[test]
fn c_is_tuned() {
    let c = "void scale(int n, double *restrict a, double f) {\n#pragma acc parallel loop copy(a[0:n])\n  for (int i = 0; i < n; i++) a[i] *= f;\n}\n";
    let f = Folder::new(&[("t.c", c)]);
    let on = [
        "--target",
        "emulator",
        "--arg",
        "n=512",
        "--arg",
        "a=iota:512",
        "--arg",
        "f=2",
    ];
    let mut tune = Command::new(env!("CARGO_BIN_EXE_terrace"));
    tune.args(["tune", "t.c", "--candidates", "2"]).args(on);
    let cache = f.0.join("cache");
    let out = f.run_with(
        tune,
        &[("TERRACE_CACHE_DIR", cache.to_str().expect("a name"))],
    );
    let said = text(&out.stdout);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(
        said.contains("@scale n=512") && said.contains("i at line 3"),
        "{said}"
    );
    assert!(said.contains("kept for terrace run"), "{said}");
    let mut run = Command::new(env!("CARGO_BIN_EXE_terrace"));
    run.args(["run", "t.c", "--verify"]).args(on);
    let out = f.run_with(
        run,
        &[("TERRACE_CACHE_DIR", cache.to_str().expect("a name"))],
    );
    let said = text(&out.stdout);
    assert!(
        said.contains("--no-tuned ignores it") && said.contains("passed"),
        "{said}"
    );
}
