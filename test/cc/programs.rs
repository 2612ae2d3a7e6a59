//! Whole programs in `Inputs/`: what they print is what gcc's print, wherever their
//! regions run, under the strictest warnings that they pass.

use super::folder::{Folder, text};

const PROGRAMS: &[(&str, &str)] = &[
    ("arguments.c", include_str!("Inputs/arguments.c")),
    ("data.c", include_str!("Inputs/data.c")),
    ("idioms.c", include_str!("Inputs/idioms.c")),
    ("rows.c", include_str!("Inputs/rows.c")),
];

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
    let f = Folder::new(PROGRAMS);
    for (name, _) in PROGRAMS {
        let gcc = f.gcc(&[FLAGS, &["-Werror", name, "-o", "expected", "-lm"]].concat());
        assert!(gcc.status.success(), "{}", text(&gcc.stderr));
        let expected = text(&f.program("expected", &[]).stdout);
        let out = f.terrace(&[FLAGS, &["-Werror", name, "-o", "made", "-lm"]].concat());
        assert!(out.status.success(), "{name}: {}", text(&out.stderr));
        // Without a variable: the GPU where there is one.
        for target in ["host", "cpu", ""] {
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
