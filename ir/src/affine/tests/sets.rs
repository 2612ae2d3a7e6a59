use super::parse::set;
use crate::affine::IntegerSet;

/// Input and outcome as of `mlir-opt --affine-simplify-structures`.
#[test]
fn simplifies_as_upstream() {
    for (input, simplified) in [
        (
            "d0 >= 0, d0 - s0 == 0, d0 * 2 - 4 == 0, d0 >= 0",
            "(d0)[s0] : (d0 - s0 == 0, d0 - 2 == 0, d0 >= 0)",
        ),
        ("d0 >= 0, d0 * 2 - 3 == 0", "(d0)[s0] : (1 == 0)"),
        ("0 >= 0", "(d0)[s0] : (0 == 0)"),
        (
            "d0 + s0 >= 0, -d0 - s0 >= 0, d0 - 1 >= 0",
            "(d0)[s0] : (d0 + s0 >= 0, -d0 - s0 >= 0, d0 - 1 >= 0)",
        ),
        ("-d0 - 1 >= 0, d0 >= 0", "(d0)[s0] : (1 == 0)"),
        ("d0 - s0 >= 0, s0 - d0 - 1 >= 0", "(d0)[s0] : (1 == 0)"),
        ("8 * d0 - 4 >= 0, -8 * d0 + 7 >= 0", "(d0)[s0] : (1 == 0)"),
        (
            "4*d0 + 8*s0 - 9 >= 0, -4*d0 - 8*s0 + 11 >= 0",
            "(d0)[s0] : (1 == 0)",
        ),
        ("d0 mod 2 - 3 == 0", "(d0)[s0] : (1 == 0)"),
        (
            "d0 mod 2 - 1 == 0, d0 - 2 * (d0 floordiv 2) == 0",
            "(d0)[s0] : (1 == 0)",
        ),
        (
            "d0 - 2 * s0 + 3 * s0 >= 0, 2 >= 0, d0 >= 0, -d0 + 50 >= 0, -d0 + 100 >= 0",
            "(d0)[s0] : (d0 + s0 >= 0, d0 >= 0, -d0 + 50 >= 0)",
        ),
    ] {
        assert_eq!(
            set(1, 1, input).simplify().to_string(),
            simplified,
            "{input}"
        );
    }
}

#[test]
fn keeps_divisions_and_semi_affine_constraints() {
    for (input, simplified) in [
        (
            "d0 * 2 - 3 >= 0, d0 mod 4 == 0",
            "(d0)[s0] : (d0 mod 4 == 0, d0 - 2 >= 0)",
        ),
        (
            "d0 floordiv 8 - 2 >= 0, d0 floordiv 8 - 3 >= 0",
            "(d0)[s0] : (d0 floordiv 8 - 3 >= 0)",
        ),
        (
            "d0 * s0 >= 0, d0 + d0 >= 0",
            "(d0)[s0] : (d0 * s0 >= 0, d0 >= 0)",
        ),
        (
            "d0 mod 0 >= 0, d0 - d0 == 0",
            "(d0)[s0] : (d0 mod 0 >= 0, 0 == 0)",
        ),
    ] {
        assert_eq!(
            set(1, 1, input).simplify().to_string(),
            simplified,
            "{input}"
        );
    }
}

#[test]
fn membership() {
    let s = set(1, 1, "d0 - s0 >= 0, d0 mod 2 == 0");
    assert_eq!(s.contains(&[4], &[3]), Some(true));
    assert_eq!(s.contains(&[5], &[3]), Some(false));
    assert_eq!(s.contains(&[2], &[3]), Some(false));
    let undefined = set(1, 1, "d0 floordiv s0 >= 0, d0 >= 0");
    assert_eq!(undefined.contains(&[1], &[0]), None);
    assert_eq!(undefined.contains(&[-1], &[0]), Some(false));
    assert_eq!(
        IntegerSet::new(1, 0, Vec::new()).contains(&[1], &[]),
        Some(true)
    );
}

#[test]
fn empty_sets() {
    assert!(IntegerSet::empty_set(2, 1).is_empty());
    assert!(IntegerSet::empty_set(2, 1).is_canonical_empty());
    assert_eq!(IntegerSet::empty_set(1, 0).to_string(), "(d0) : (1 == 0)");
    assert!(!IntegerSet::universe(1, 0).is_empty());
    assert_eq!(IntegerSet::new(1, 0, Vec::new()).to_string(), "(d0) : ()");
    assert_eq!(
        IntegerSet::new(1, 0, Vec::new()).simplify(),
        IntegerSet::universe(1, 0)
    );
    // No even number is odd; between 3q and 3q + 3 nothing is a multiple of 3.
    assert!(set(2, 0, "d0 - d1 * 2 == 0, d0 mod 2 - 1 == 0").is_empty());
    assert!(
        set(
            2,
            0,
            "d0 * 3 - d1 - 1 >= 0, d1 + 2 - d0 * 3 >= 0, d1 mod 3 == 0"
        )
        .is_empty()
    );
    assert!(!set(2, 0, "d0 - d1 * 2 == 0, d0 mod 2 == 0").is_empty());
}
