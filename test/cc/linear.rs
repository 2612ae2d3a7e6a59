//! Arrays of one dimension that are used as several: what gcc's program prints, on each target, and
//! which loops are parallel.

use super::folder::Folder;

const PROGRAM: &str = include_str!("Inputs/linear.c");

#[test]
fn edges_channels_and_widths() {
    let f = Folder::new(&[("linear.c", PROGRAM)]);
    let said = f.prints_what_gcc_prints("linear.c");
    // Those whose rows depend on each other, that add up or that keep a counter have loops in order.
    let ordered = said.lines().filter(|l| l.contains("runs in order"));
    let ordered: Vec<&str> = ordered.collect();
    assert_eq!(ordered.len(), 6, "{said}");
    for presumed in ["m <= ld", "m <= ldc", "0 <= x0 and x0 + w <= stride"] {
        assert!(
            said.contains(presumed),
            "expected {presumed}, found\n{said}"
        );
    }
}
