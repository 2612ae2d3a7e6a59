//! Arrays of one dimension that are used as several: what gcc's program prints, on each target, and
//! which loops are parallel.

use super::folder::{Folder, text};
use std::process::Command;

const PROGRAM: &str = include_str!("Inputs/linear.c");

#[test]
fn edges_channels_and_widths() {
    let f = Folder::new(&[("linear.c", PROGRAM)]);
    let gcc = Command::new("gcc")
        .current_dir(&f.0)
        .args(["-O1", "-w", "linear.c", "-o", "plain"])
        .status();
    assert!(gcc.is_ok_and(|s| s.success()));
    let plain = Command::new(f.0.join("plain")).output().unwrap();
    let out = f.terrace(&["-O2", "-Minfo", "linear.c", "-o", "prog"]);
    let said = text(&out.stderr);
    assert!(out.status.success(), "{said}");
    // Those whose rows depend on each other, that add up or that keep a counter have loops in order.
    let ordered = said.lines().filter(|l| l.contains("runs in order"));
    let ordered: Vec<&str> = ordered.collect();
    assert_eq!(ordered.len(), 6, "{said}");
    for presumed in ["m <= ld", "m <= ldc", "0 <= x0 and x0 + w <= stride"] {
        assert!(
            said.contains(presumed),
            "expected {presumed}, found\n{said}"
        );
    }
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
