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

/// Loops over products of sizes that take their counters apart.
#[test]
fn counters_that_are_taken_apart() {
    let program = include_str!("Inputs/uncoalesced.c");
    let f = Folder::new(&[("uncoalesced.c", program)]);
    let said = f.prints_what_gcc_prints_with("uncoalesced.c", &["--auto"]);
    for presumed in ["1 <= m", "1 <= k and 1 <= m"] {
        assert!(
            said.contains(presumed),
            "expected {presumed}, found\n{said}"
        );
    }
    // The program's own sums.
    let ordered = said.lines().filter(|l| l.contains("runs in order"));
    assert_eq!(ordered.count(), 2, "{said}");
}

/// Rows of records, whose fields do not lie one behind the other.
#[test]
fn fields_of_records_in_rows() {
    let program = include_str!("Inputs/linear_records.c");
    let f = Folder::new(&[("linear_records.c", program)]);
    f.prints_what_gcc_prints("linear_records.c");
    f.prints_what_gcc_prints_with("linear_records.c", &["--auto"]);
}
