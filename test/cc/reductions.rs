//! Reductions that a clause names and the text of the loop does not show.

use super::folder::Folder;

#[test]
fn what_clauses_name_is_parallel_and_right() {
    let f = Folder::new(&[("reductions.c", include_str!("Inputs/reductions.c"))]);
    let said = f.prints_what_gcc_prints("reductions.c");
    assert!(!said.contains("stays sequential"), "{said}");
    assert!(!said.contains("one thread"), "{said}");
}
