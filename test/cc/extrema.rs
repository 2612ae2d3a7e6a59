//! Greatest and least floats that loops look for: the bits that gcc's program finds, of zeros of
//! both signs and with NaNs, on each target.

use super::folder::Folder;

const PROGRAM: &str = include_str!("Inputs/extrema.c");

#[test]
fn zeros_and_nans_are_those_of_the_loop_in_order() {
    let f = Folder::new(&[("extrema.c", PROGRAM)]);
    f.prints_what_gcc_prints("extrema.c");
}

/// What else a comparison decides follows the order of the iterations.
#[test]
fn comparisons_that_decide_about_more() {
    let f = Folder::new(&[("records.c", include_str!("Inputs/records.c"))]);
    let said = f.prints_what_gcc_prints("records.c");
    // All but the plain one; `below` has two loops.
    let ordered = said.lines().filter(|l| l.contains("runs in order"));
    assert_eq!(ordered.count(), 5, "{said}");
    assert!(
        said.contains("m is the maximum of all iterations"),
        "{said}"
    );
}
