//! Builtins that regions have no functions for: what kind of float a number is, and what its bits are.

use super::folder::Folder;

#[test]
fn builtins_are_those_of_gcc() {
    let f = Folder::new(&[("builtins.c", include_str!("Inputs/builtins.c"))]);
    let said = f.prints_what_gcc_prints("builtins.c");
    assert!(!said.contains("stays on the host"), "{said}");
}
