//! Constructs that are one region: the same output as gcc's, which knows no directives, on each
//! target; and which of them are joined.

use super::folder::Folder;

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
