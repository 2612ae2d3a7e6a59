//! Arguments that an operation has a case of its own for.

mod support;

use support::ints;
use terrace_presburger::{Effort, Int, IntegerProgram, Relation};

/// The quotient of the least number of 64 bits by -1 has 65.
#[test]
fn quotients_beyond_64_bits() {
    let least = Int::new(i64::MIN);
    let expected = &Int::new(i64::MAX) + &Int::ONE;
    assert_eq!(least.div_floor(&Int::MINUS_ONE), expected);
    assert_eq!(least.div_ceil(&Int::MINUS_ONE), expected);
    assert_eq!(least.gcd(&least), expected);
    assert_eq!(Int::new(-7).div_floor(&Int::new(2)), Int::new(-4));
    assert_eq!(Int::new(-7).div_ceil(&Int::new(2)), Int::new(-3));
}

#[test]
fn multiples_of_zero() {
    for n in [0, 1, -5] {
        assert_eq!(Int::ZERO.lcm(&Int::new(n)), Int::ZERO);
        assert_eq!(Int::new(n).lcm(&Int::ZERO), Int::ZERO);
    }
    assert_eq!(Int::new(-4).lcm(&Int::new(6)), Int::new(12));
}

/// Some of the inputs, all of them, and some of the outputs as well.
#[test]
fn outer_dimensions_become_parameters() {
    let map = Relation::parse("[n] -> { [i, j] -> [k, l] : i <= j + n and k = i + j and l >= k }");
    let map = map.unwrap();
    for (column, expected) in [
        (
            1,
            "[n] -> { [i, j] -> [k, l] : i <= j + n and k = i + j and l >= k }",
        ),
        (
            2,
            "[n, i] -> { [j] -> [k, l] : i <= j + n and k = i + j and l >= k }",
        ),
        (
            3,
            "[n, i, j] -> { [k, l] : i <= j + n and k = i + j and l >= k }",
        ),
        (
            4,
            "[n, i, j, k] -> { [l] : i <= j + n and k = i + j and l >= k }",
        ),
    ] {
        let found = map.dims_before_to_params(column);
        let expected = Relation::parse(expected).unwrap();
        assert_eq!(
            found.is_equal(&expected),
            Ok(true),
            "column {column}: {found}"
        );
    }
}

/// Questions that share an effort end with it.
#[test]
fn an_integer_program_ends_with_its_effort() {
    let program = || {
        let mut program = IntegerProgram::new(3);
        program.add_equality(&ints(&[7, 5, 3]), Int::new(-31));
        program
    };
    let enough = Effort::new(1_000_000);
    assert_eq!(program().lexmin_within(&enough), Ok(Some(ints(&[0, 2, 7]))));
    for steps in [0, 1, 20] {
        let found = program().lexmin_within(&Effort::new(steps));
        assert!(found.is_err(), "{steps} steps: {found:?}");
    }
}
