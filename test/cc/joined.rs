//! Constructs that are one region: the same output as gcc's, which knows no directives, on each
//! target; and which of them are joined.

use super::folder::{Folder, text};
use std::process::Command;

const PROGRAM: &str = include_str!("Inputs/joined.c");

#[test]
fn the_same_as_without_directives() {
    let f = Folder::new(&[("joined.c", PROGRAM)]);
    let gcc = Command::new("gcc")
        .current_dir(&f.0)
        .args(["-O1", "-w", "joined.c", "-o", "plain", "-lm"])
        .status();
    assert!(gcc.is_ok_and(|s| s.success()));
    let plain = Command::new(f.0.join("plain")).output().unwrap();
    let out = f.terrace(&["-O2", "-Minfo", "joined.c", "-o", "prog", "-lm"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let said = text(&out.stderr);
    for joined in [
        "the constructs at lines 9 and 11 are one region",
        "the constructs at lines 20 and 27 are one region",
        "the constructs at lines 39 and 41 are one region",
        "the constructs at lines 55, 59 and 61 are one region",
        "the constructs at lines 75 and 81 are one region",
        "the constructs at lines 90 and 92 are one region",
        "the constructs at lines 101 and 103 are one region",
        "the construct at line 114 and the loop around it are one region",
        "the construct at line 123 and the loop around it are one region",
        "the construct at line 127 and the loop around it are one region",
    ] {
        assert!(said.contains(joined), "expected {joined}, found\n{said}");
    }
    for target in ["host", "cpu", "emulator"] {
        let ran = Command::new(f.0.join("prog"))
            .env("TERRACE_TARGET", target)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{target}: {}", text(&ran.stderr));
        let (found, expected) = (&ran.stdout, &plain.stdout);
        let words = String::from_utf8_lossy;
        assert_eq!(words(found), words(expected), "{target}");
    }
}
