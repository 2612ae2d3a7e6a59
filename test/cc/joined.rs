//! Constructs that are one region: the same output as gcc's, which knows no directives, on each
//! target; and which of them are joined.

use super::folder::{Folder, text};

const PROGRAM: &str = include_str!("Inputs/joined.c");

#[test]
fn the_same_as_without_directives() {
    let f = Folder::new(&[("joined.c", PROGRAM)]);
    let said = f.prints_what_gcc_prints("joined.c");
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
}

/// What a gang of a `serial` construct assigns is lost (OpenACC 3.3, 2.6.2), so that a construct
/// whose scalar others may read stays apart.
#[test]
fn what_others_may_read_keeps_a_serial_construct_apart() {
    let source = "#include <stdio.h>\nstatic double held;\nstatic double p[8];\nvoid f(void) {\n#pragma acc data copy(p)\n  {\n#pragma acc kernels\n    for (int i = 0; i < 8; i++) p[i] = i;\n#pragma acc serial\n    {\n      for (int i = 0; i < 4; i++) held = p[i];\n      p[7] = held;\n    }\n  }\n}\nint main(void) {\n  held = 4;\n  f();\n  printf(\"%g %g\\n\", held, p[7]);\n  return 0;\n}\n";
    let f = Folder::new(&[("held.c", source)]);
    let out = f.terrace(&["-O1", "held.c", "-o", "made"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    for target in ["host", "cpu", "emulator"] {
        let ran = f.program("made", &[("TERRACE_TARGET", target)]);
        assert_eq!(text(&ran.stdout), "4 3\n", "{target}");
    }
}
