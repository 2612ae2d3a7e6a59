//! Programs without regions: everything is as the system's compiler has it.

use super::folder::{Folder, text};
use std::process::Command;

const FILES: &[(&str, &str)] = &[
    (
        "main.c",
        "#include <stdio.h>\n#include \"add.h\"\nint main(void) {\n  printf(\"%d\\n\", add(X, 2));\n  return 3;\n}\n",
    ),
    (
        "add.c",
        "#include \"add.h\"\nint add(int a, int b) { return a + b; }\n",
    ),
    (
        "add.h",
        "int add(int a, int b);\n#ifndef X\n#define X 40\n#endif\n",
    ),
    (
        "wrong.c",
        "int f(int a) {\n  int unused;\n  return a + b;\n}\nint g() { return 1 }\n",
    ),
    (
        "warn.c",
        "#include <math.h>\n#pragma omp nothing\nint f(void) { int x; double d = sqrt(2); return 0; }\n#warning about\n",
    ),
    (
        "acc.c",
        "/* #pragma acc is only named here */\nint main(void) { return 0; }\n",
    ),
    (
        "sub/deep.c",
        "#include \"../add.h\"\nint deep(void) { return X; }\n",
    ),
    ("asm.s", ".globl five\nfive:\n\tmov $5, %eax\n\tret\n"),
    ("words", "-O1 \"main.c\"\n'add.c' -o at\n"),
    ("i.i", "# 1 \"i.c\"\nint main(void) { return 7; }\n"),
    (
        "defined.c",
        "#ifdef _OPENACC\nint openacc = _OPENACC;\n#else\nint openacc = 0;\n#endif\nint main(void) { return openacc != 0; }\n",
    ),
];

/// Each line is run by both, in folders with the same files.
const LINES: &[&str] = &[
    "main.c add.c -o prog",
    "-O2 -g -Wall -c main.c",
    "-O2 -c main.c add.c",
    "-c main.c -o out.o",
    "-c main.c add.c -o both.o",
    "-S -O1 add.c",
    "-S add.c -o x.s",
    "-E main.c -DX=1",
    "-E -P add.c -o add.i",
    "-M main.c",
    "-MM main.c -MT target",
    "-MD -c main.c",
    "-MMD -MF deps/x.d -c main.c -o y.o",
    "-MMD -MP -c sub/deep.c",
    "-Wp,-MD,w.d -c main.c",
    "--version",
    "-v",
    "-dumpmachine",
    "-dumpversion",
    "-print-libgcc-file-name",
    "-print-search-dirs",
    "-###",
    "",
    "missing.c",
    "-c missing.c main.c",
    "wrong.c",
    "-Wall -Wextra -c wrong.c main.c",
    "-Wall -Wextra -c warn.c",
    "-Werror -Wall -c warn.c",
    "-Wall -c acc.c",
    "-fno-such-option main.c",
    "-O2 -DX main.c add.c",
    "-DX=5 -UX -O3 main.c add.c -o p -lm",
    "-std=c99 -pedantic -Isub -I . -c sub/deep.c",
    "-x c -c words -o w.o",
    "-x c main.c -x none add.c -o mixed",
    "-x assembler asm.s -c",
    "asm.s -c",
    "i.i -o seven",
    "-shared -fPIC add.c -o libadd.so",
    "-static add.c main.c -o still",
    "-fsyntax-only wrong.c",
    "-fsyntax-only main.c",
    "@words",
    "@nowhere main.c",
    "-include add.h -imacros add.h -c add.c",
    "-Wl,-Map=map.txt -Xlinker --gc-sections main.c add.c",
    "-c -o /dev/null main.c",
    "defined.c -o defined",
    "-o",
    "-c",
];

#[test]
fn the_same_files_words_and_status() {
    for line in LINES {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut results = Vec::new();
        for terrace in [false, true] {
            let f = Folder::new(FILES);
            f.write("deps/keep", "");
            let out = if terrace {
                f.terrace(&words)
            } else {
                f.gcc(&words)
            };
            let strip = |s: &[u8]| {
                // Temporary objects of the compiler have names by chance.
                let s = text(s).replace(&f.0.display().to_string(), "FOLDER");
                s.lines()
                    .map(|l| match l.contains("/cc") {
                        true => l.split("/cc").next().unwrap_or("").to_string(),
                        false => l.to_string(),
                    })
                    .collect::<Vec<_>>()
            };
            let mut files = f.files();
            // The order of a map is the linker's; its names are temporary ones.
            files.insert("map.txt".into(), Vec::new());
            let out = (out.status.code(), strip(&out.stdout), strip(&out.stderr));
            assert_eq!(f.left(), [""; 0], "terrace cc {line}");
            results.push((out, files));
        }
        assert_eq!(results[0].0, results[1].0, "terrace cc {line}");
        let names = |n: usize| results[n].1.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(0), names(1), "terrace cc {line}");
        for (name, contents) in &results[0].1 {
            // Debug information holds the folder's name.
            let same = *contents == results[1].1[name] || line.contains("-g ");
            assert!(same, "terrace cc {line}: {name} differs");
        }
    }
}

#[test]
fn programs_run_as_gccs_do() {
    let f = Folder::new(FILES);
    assert!(f.terrace(&["-O2", "-c", "add.c"]).status.success());
    assert!(
        f.terrace(&["-O2", "main.c", "add.o", "-o", "prog"])
            .status
            .success()
    );
    let out = f.program("prog", &[]);
    assert_eq!(
        (out.status.code(), text(&out.stdout)),
        (Some(3), "42\n".into())
    );
}

#[test]
fn the_directives_compiler_defines_its_macro() {
    for (flag, code) in [("-O0", 0), ("-acc", 1), ("-fopenacc", 1), ("-ta=nvidia", 1)] {
        let f = Folder::new(FILES);
        let out = f.terrace(&[flag, "defined.c", "-o", "d"]);
        assert!(out.status.success(), "{}", text(&out.stderr));
        assert_eq!(f.program("d", &[]).status.code(), Some(code), "{flag}");
    }
}

#[test]
fn a_link_of_another_name_is_the_driver() {
    let f = Folder::new(FILES);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_terrace"), f.0.join("terrace-cc")).unwrap();
    let mut c = Command::new(f.0.join("terrace-cc"));
    c.args(["--version"]);
    assert_eq!(f.run(c).stdout, f.gcc(&["--version"]).stdout);
}

#[test]
fn make_with_terrace_as_its_compiler() {
    let f = Folder::new(FILES);
    f.write(
        "Makefile",
        "prog: main.o add.o\n\t$(CC) -o $@ $^\n%.o: %.c\n\t$(CC) -MMD -O1 -c $< -o $@\n-include main.d\n",
    );
    let mut c = Command::new("make");
    c.arg("-j4")
        .arg(format!("CC={} cc", env!("CARGO_BIN_EXE_terrace")));
    let out = f.run(c);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(text(&f.program("prog", &[]).stdout), "42\n");
    assert!(text(&f.files()["main.d"]).starts_with("main.o: main.c add.h"));
}

#[test]
fn terrace_does_not_call_itself() {
    let f = Folder::new(FILES);
    let own = format!("{} cc", env!("CARGO_BIN_EXE_terrace"));
    for (variable, value) in [
        ("CC", own.as_str()),
        ("CC", "ccache terrace cc"),
        ("TERRACE_HOST_CC", &own),
        ("TERRACE_HOST_CC", "gcc -m64"),
    ] {
        let mut c = Command::new(env!("CARGO_BIN_EXE_terrace"));
        c.args(["cc", "-dumpmachine"]).env_clear();
        c.env("PATH", std::env::var_os("PATH").unwrap());
        c.env(variable, value);
        let out = c.output().unwrap();
        assert!(out.status.success(), "{variable}: {}", text(&out.stderr));
        assert_eq!(out.stdout, f.gcc(&["-dumpmachine"]).stdout);
    }
    let mut c = Command::new(env!("CARGO_BIN_EXE_terrace"));
    c.args(["cc", "main.c"])
        .env("TERRACE_HOST_CC", "no-such-cc");
    let out = c.output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(
        text(&out.stderr),
        "error: there is no C compiler 'no-such-cc'; name one in the environment variable TERRACE_HOST_CC\n"
    );
}
