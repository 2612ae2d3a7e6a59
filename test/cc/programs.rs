//! Whole programs in `Inputs/`: what they print is what gcc's print, wherever their
//! regions run, under the strictest warnings that they pass.

use super::folder::{Folder, text};

const PROGRAMS: &[(&str, &str)] = &[
    ("arguments.c", include_str!("Inputs/arguments.c")),
    ("conversions.c", include_str!("Inputs/conversions.c")),
    ("data.c", include_str!("Inputs/data.c")),
    ("gang_threads.c", include_str!("Inputs/gang_threads.c")),
    ("idioms.c", include_str!("Inputs/idioms.c")),
    ("labels.c", include_str!("Inputs/labels.c")),
    ("rows.c", include_str!("Inputs/rows.c")),
    ("schedules.c", include_str!("Inputs/schedules.c")),
    ("targets.c", include_str!("Inputs/targets.c")),
    ("updates.c", include_str!("Inputs/updates.c")),
    ("whole_kernels.c", include_str!("Inputs/whole_kernels.c")),
];

/// What they read beside them.
const BESIDE: &[(&str, &str)] = &[("schedules.mlir", include_str!("Inputs/schedules.mlir"))];

/// Warnings about pragmas and labels alone are not the same: gcc does not know ours.
const FLAGS: &[&str] = &[
    "-O2",
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Wno-unknown-pragmas",
];

#[test]
fn the_same_output_on_every_target() {
    let f = Folder::new(&[PROGRAMS, BESIDE].concat());
    for (name, _) in PROGRAMS {
        let gcc = f.gcc(&[FLAGS, &["-Werror", name, "-o", "expected", "-lm"]].concat());
        assert!(gcc.status.success(), "{}", text(&gcc.stderr));
        let expected = text(&f.program("expected", &[]).stdout);
        let out = f.terrace(&[FLAGS, &["-Werror", name, "-o", "made", "-lm"]].concat());
        assert!(out.status.success(), "{name}: {}", text(&out.stderr));
        // Without a variable: the GPU where there is one.
        for target in ["host", "cpu", "emulator", ""] {
            let out = match target {
                "" => f.program("made", &[]),
                t => f.program("made", &[("TERRACE_TARGET", t)]),
            };
            let said = text(&out.stderr);
            assert_eq!(text(&out.stdout), expected, "{name} on {target}: {said}");
            assert!(out.status.success(), "{name} on {target}: {said}");
        }
    }
}

/// Strict warnings are about the old style itself.
#[test]
fn old_style_definitions() {
    let f = Folder::new(&[("old_style.c", include_str!("Inputs/old_style.c"))]);
    let flags = ["-std=gnu89", "-O1", "old_style.c", "-o"];
    let gcc = f.gcc(&[&flags[..], &["expected"]].concat());
    assert!(gcc.status.success(), "{}", text(&gcc.stderr));
    let out = f.terrace(&[&flags[..], &["made"]].concat());
    assert!(out.status.success(), "{}", text(&out.stderr));
    let expected = text(&f.program("expected", &[]).stdout);
    for target in ["host", "cpu", "emulator"] {
        let out = f.program("made", &[("TERRACE_TARGET", target)]);
        let said = text(&out.stderr);
        assert_eq!(text(&out.stdout), expected, "on {target}: {said}");
    }
}

/// A region with `terrace target(cpu)` is on the cores by itself, and one without only
/// where the environment says so.
#[test]
fn targets_choose_where_nothing_else_does() {
    let f = Folder::new(PROGRAMS);
    let out = f.terrace(&["-O1", "targets.c", "-o", "made"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let ran = |target: &str| {
        let out = f.program(
            "made",
            &[("TERRACE_TARGET", target), ("TERRACE_NOTIFY", "1")],
        );
        let said = text(&out.stderr);
        let of = |l: &str| Some(l.split_once("targets.c:")?.1.split(':').next()?.to_string());
        let lines = said.lines().filter(|l| l.ends_with("on the host's cores"));
        let mut lines: Vec<String> = lines.filter_map(of).collect();
        lines.sort();
        lines
    };
    assert_eq!(ran("host"), [""; 0]);
    assert_eq!(ran(""), ["13", "29", "41"]);
    assert_eq!(ran("cpu"), ["13", "29", "33", "36", "41"]);
}
