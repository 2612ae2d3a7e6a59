//! What is copied between host and device is never another's memory, whatever the accesses
//! of a region may reach as far as the compiler knows.

use super::folder::{Folder, text};

const REACH: &str = include_str!("Inputs/reach.c");
const PRESENT: &str = include_str!("Inputs/reach_present.c");

const TARGETS: [&str; 3] = ["host", "cpu", "emulator"];

/// Makes a program with these flags, and compares what it says on each target with what
/// gcc's does; gives what the runtime tells on the emulator.
fn same_everywhere(f: &Folder, file: &str, flags: &[&str]) -> String {
    let expected = f.gcc(&["-O1", "-w", file, "-o", "expected", "-lm"]);
    assert!(expected.status.success(), "{}", text(&expected.stderr));
    let expected = f.program("expected", &[]);
    assert!(expected.status.success(), "{}", text(&expected.stderr));
    let args = [flags, &[file, "-w", "-o", "made", "-lm"]].concat();
    let made = f.terrace(&args);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let mut told = String::new();
    for target in TARGETS {
        let variables = [("TERRACE_TARGET", target), ("TERRACE_NOTIFY", "1")];
        let out = f.program("made", &variables);
        told = text(&out.stderr);
        assert!(out.status.success(), "{flags:?} on {target}: {told}");
        let got = text(&out.stdout);
        assert_eq!(got, text(&expected.stdout), "{flags:?} on {target}");
    }
    told
}

/// Arrays at the edges of memory that cannot be written, or not even be read.
#[test]
fn arrays_end_where_they_end() {
    let f = Folder::new(&[("reach.c", REACH)]);
    let told = same_everywhere(&f, "reach.c", &["-O1"]);
    // Where it is known what is in the array nothing else is looked at.
    let place = |function: &str| {
        let head = format!("static void {function}(");
        let mut lines = REACH.lines().skip_while(|l| !l.starts_with(&head));
        let before = REACH.lines().count() - lines.clone().count();
        let pragma = |l: &str| l.contains("BEGIN") || l.starts_with("#pragma");
        before + 1 + lines.position(pragma).expect("a region")
    };
    let lines = |function: &str, what: &str| {
        let at = format!("reach.c:{}:", place(function));
        told.lines()
            .filter(|l| l.contains(&at) && l.contains(what))
            .count()
    };
    for known in ["triangle", "ring_below", "choice", "proved"] {
        assert_eq!(lines(known, "`q` may reach beyond"), 0, "{known}: {told}");
        assert!(lines(known, "host to device") > 0, "{known}: {told}");
    }
    for unknown in [
        "guarded_read",
        "guarded_write",
        "rows",
        "masked_value",
        "byte",
    ] {
        assert!(
            lines(unknown, "`q` may reach beyond") > 0,
            "{unknown}: {told}"
        );
        assert!(lines(unknown, "host to device") > 0, "{unknown}: {told}");
    }
}

#[test]
fn arrays_end_where_they_end_in_regions_that_are_found() {
    let plain = REACH
        .replace("_Pragma(\"scop\")", "")
        .replace("_Pragma(\"endscop\")", "");
    let f = Folder::new(&[("reach.c", &plain)]);
    same_everywhere(&f, "reach.c", &["-O1", "--auto"]);
    same_everywhere(&f, "reach.c", &["-O0", "--auto"]);
}

/// What is on the device already serves, and what is another array's does not.
#[test]
fn what_is_present_is_found() {
    let f = Folder::new(&[("present.c", PRESENT)]);
    same_everywhere(&f, "present.c", &["-O1"]);
}

/// Each of these ended with a fault, an abort, or wrong numbers.
#[test]
fn programs_that_went_wrong() {
    let inputs = [
        ("guard.c", include_str!("Inputs/reach_guard.c"), "--auto"),
        ("ring.c", include_str!("Inputs/reach_ring.c"), "-O1"),
        ("window.c", include_str!("Inputs/reach_window.c"), "-O1"),
        ("aligned.c", include_str!("Inputs/reach_aligned.c"), "-O0"),
    ];
    for (name, source, flag) in inputs {
        let f = Folder::new(&[(name, source)]);
        same_everywhere(&f, name, &[flag]);
    }
}
