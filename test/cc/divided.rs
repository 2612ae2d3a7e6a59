//! Divisions are not computed where the program does not come to them.

use super::folder::Folder;

const DIVIDED: &str = include_str!("Inputs/divided.c");

#[test]
fn nothing_is_divided_by_zero_that_c_does_not_divide() {
    let f = Folder::new(&[("divided.c", DIVIDED)]);
    for flags in [&[][..], &["-ta=nvidia,multicore", "--auto"]] {
        f.prints_what_gcc_prints_with("divided.c", flags);
    }
}
