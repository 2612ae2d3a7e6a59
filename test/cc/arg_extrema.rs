//! Greatest elements and where they are: what gcc's program prints, on each target, and which loops
//! are parallel.

use super::folder::Folder;

const PROGRAM: &str = include_str!("Inputs/arg_extrema.c");

#[test]
fn places_of_extrema_are_found_side_by_side() {
    let f = Folder::new(&[("arg_extrema.c", PROGRAM)]);
    let said = f.prints_what_gcc_prints_with("arg_extrema.c", &["--auto"]);
    // The program's own random numbers and sums, and rows, which are found side by side as a whole.
    let ordered = said.lines().filter(|l| l.contains("runs in order"));
    assert_eq!(ordered.count(), 6, "{said}");
}
