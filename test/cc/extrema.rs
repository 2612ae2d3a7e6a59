//! Greatest and least floats that loops look for: the bits that gcc's program finds, of zeros of
//! both signs and with NaNs, on each target.

use super::folder::Folder;

const PROGRAM: &str = include_str!("Inputs/extrema.c");

#[test]
fn zeros_and_nans_are_those_of_the_loop_in_order() {
    let f = Folder::new(&[("extrema.c", PROGRAM)]);
    f.prints_what_gcc_prints("extrema.c");
}
