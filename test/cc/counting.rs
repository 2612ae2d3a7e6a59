//! Loops that count in other ways than `for (i = 0; i < n; i++)`: what gcc's program prints, on each
//! target, and which of them are parallel.

use super::folder::Folder;

const PROGRAM: &str = include_str!("Inputs/counting.c");

#[test]
fn conditions_that_step_and_sides_that_meet() {
    let f = Folder::new(&[("counting.c", PROGRAM)]);
    let said = f.prints_what_gcc_prints_with("counting.c", &["--auto"]);
    let unknown = |l: &&str| l.contains("how often it runs is only known when it ends");
    assert_eq!(said.lines().filter(unknown).count(), 1, "{said}");
}
