//! Greatest and least floats that loops look for: the bits that gcc's program finds, of zeros of
//! both signs and with NaNs, on each target.

use super::folder::{Folder, text};
use std::process::Command;

const PROGRAM: &str = include_str!("Inputs/extrema.c");

#[test]
fn zeros_and_nans_are_those_of_the_loop_in_order() {
    let f = Folder::new(&[("extrema.c", PROGRAM)]);
    let gcc = Command::new("gcc")
        .current_dir(&f.0)
        .args(["-O1", "-w", "extrema.c", "-o", "plain", "-lm"])
        .status();
    assert!(gcc.is_ok_and(|s| s.success()));
    let plain = Command::new(f.0.join("plain")).output().unwrap();
    let out = f.terrace(&["-O2", "extrema.c", "-o", "prog", "-lm"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    for target in ["host", "cpu", "emulator"] {
        let ran = Command::new(f.0.join("prog"))
            .env("TERRACE_TARGET", target)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{target}: {}", text(&ran.stderr));
        let words = String::from_utf8_lossy;
        assert_eq!(words(&ran.stdout), words(&plain.stdout), "{target}");
    }
}
