//! Unsigned numbers of 32 bits in subscripts and bounds: where they do not start again at 0 they are what they
//! seem, and the call of a region looks whether that is so.

use super::folder::Folder;

const UNSIGNED: &str = include_str!("Inputs/unsigned.c");

/// Also in sizes at which they start again.
#[test]
fn unsigned_numbers_are_what_they_are_in_c() {
    let f = Folder::new(&[("unsigned.c", UNSIGNED)]);
    for flags in [&[][..], &["-ta=nvidia,multicore", "--auto"]] {
        let said = f.prints_what_gcc_prints_with("unsigned.c", flags);
        for line in ["n * m <= 2147483648", "1 <= n", "2 * n <= 2147483648"] {
            assert!(said.contains(line), "{line}: {said}");
        }
    }
}
