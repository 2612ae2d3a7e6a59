//! What programs do at the sides of their arrays: indices that are clamped, mirrored or wrapped
//! around, and terms that are left out.

use super::folder::Folder;

const EDGES: &str = include_str!("Inputs/edges.c");

/// Sizes smaller than the filter among them, where nothing is between the sides.
#[test]
fn filters_at_the_sides_are_those_of_gcc() {
    let f = Folder::new(&[("edges.c", EDGES)]);
    f.prints_what_gcc_prints_with("edges.c", &["--auto"]);
}

/// An array does not reach beyond its sides by what clamped indices would be without.
#[test]
fn clamped_indices_keep_arrays_apart() {
    let f = Folder::new(&[("edges.c", EDGES)]);
    let out = f.terrace(&["-O2", "--auto", "-ta=multicore", "edges.c", "-o", "made"]);
    assert!(out.status.success());
    let variables = [
        ("TERRACE_TARGET", "cpu"),
        ("TERRACE_PROFILE", "1"),
        ("TERRACE_RUN_SHORT", "1"),
    ];
    let ran = f.program("made", &variables);
    let said = super::folder::text(&ran.stderr);
    for function in ["clamped", "guarded", "mirrored", "wrapped"] {
        assert!(
            said.contains(&format!("{function}.region0")),
            "{function}: {said}"
        );
    }
}
