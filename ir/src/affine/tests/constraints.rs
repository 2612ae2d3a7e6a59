use crate::affine::{Emptiness, FourierMotzkinLimits, LinearSystem, Unknown};

fn limits() -> FourierMotzkinLimits {
    FourierMotzkinLimits::default()
}

#[test]
fn emptiness_of_equalities_is_exact() {
    // 6x + 10y = 1 has none, 6x + 10y + 15z = 1 has.
    let mut system = LinearSystem::new(2);
    system.add_equality(&[6, 10], -1);
    assert_eq!(system.emptiness(limits()), Emptiness::Empty);
    let mut system = LinearSystem::new(3);
    system.add_equality(&[6, 10, 15], -1);
    assert_eq!(system.emptiness(limits()), Emptiness::NotShownEmpty);
    // x + y = 2a, x - y = 2b + 1: each solvable, together not.
    let mut system = LinearSystem::new(4);
    system.add_equality(&[1, 1, -2, 0], 0);
    system.add_equality(&[1, -1, 0, -2], -1);
    assert_eq!(system.emptiness(limits()), Emptiness::Empty);
}

#[test]
fn emptiness_of_inequalities() {
    // x < y < z < x
    let mut system = LinearSystem::new(3);
    system.add_inequality(&[-1, 1], -1);
    system.add_inequality(&[0, -1, 1], -1);
    system.add_inequality(&[1, 0, -1], -1);
    assert_eq!(system.emptiness(limits()), Emptiness::Empty);
    // 2x >= 1, 2x <= 1: rounding makes it empty.
    let mut system = LinearSystem::new(1);
    system.add_inequality(&[2], -1);
    system.add_inequality(&[-2], 1);
    assert_eq!(system.emptiness(limits()), Emptiness::Empty);
    // An equality that two inequalities imply: 2x - 2y + z = 0, z = 1.
    let mut system = LinearSystem::new(3);
    system.add_inequality(&[2, -2, 1], 0);
    system.add_inequality(&[-2, 2, -1], 0);
    system.add_equality(&[0, 0, 1], -1);
    assert_eq!(system.emptiness(limits()), Emptiness::Empty);
    assert_eq!(
        LinearSystem::new(0).emptiness(limits()),
        Emptiness::NotShownEmpty
    );
}

#[test]
fn gives_up_within_its_limits() {
    let mut system = LinearSystem::new(3);
    for i in 1..6 {
        system.add_inequality(&[1, i, -i], 3);
        system.add_inequality(&[-1, i + 7, i], 5);
        system.add_inequality(&[i, -3, 2 * i + 1], 5);
    }
    let few = FourierMotzkinLimits { rows: 3 };
    assert_eq!(
        system.emptiness(few),
        Emptiness::Unknown(Unknown::TooManyRows)
    );
    assert_eq!(system.bounds(&[1], 0, few), Err(Unknown::TooManyRows));
    // Coefficients of 63 bits, multiplied until 128 are not enough. The origin
    // is a solution.
    let mut system = LinearSystem::new(6);
    for row in 0..18_i64 {
        let coefficients: Vec<i64> = (0..6)
            .map(|column| {
                let size = i64::MAX - 1009 * row * row - 7919 * column * (row + 3);
                if (row + column) % 3 == 0 { -size } else { size }
            })
            .collect();
        system.add_inequality(&coefficients, 1 + row);
    }
    assert_eq!(
        system.emptiness(limits()),
        Emptiness::Unknown(Unknown::Overflow)
    );
}

#[test]
fn bounds_by_elimination() {
    // 0 <= x <= 9, y = x floordiv 4, z = 4y + 3 - x
    let mut system = LinearSystem::new(2);
    system.add_inequality(&[1], 0);
    system.add_inequality(&[-1], 9);
    system.define_division(1, &[1], 0, 4);
    assert_eq!(system.column_bounds(1, limits()), Ok((Some(0), Some(2))));
    assert_eq!(system.bounds(&[-1, 4], 3, limits()), Ok((Some(0), Some(3))));
    assert_eq!(system.bounds(&[2], 1, limits()), Ok((Some(1), Some(19))));
    let column = system.add_column();
    assert_eq!(system.column_bounds(column, limits()), Ok((None, None)));
    // x - 2y == 5, y >= 1: x is at least 7, with no upper bound.
    let mut system = LinearSystem::new(2);
    system.add_equality(&[1, -2], -5);
    system.add_inequality(&[0, 1], -1);
    assert_eq!(system.column_bounds(0, limits()), Ok((Some(7), None)));
    // 3x == 2y with 1 <= y <= 4: rational elimination of y.
    let mut system = LinearSystem::new(2);
    system.add_equality(&[3, -2], 0);
    system.add_inequality(&[0, 1], -1);
    system.add_inequality(&[0, -1], 4);
    assert_eq!(system.column_bounds(0, limits()), Ok((Some(1), Some(2))));
    // An empty system has none.
    system.add_inequality(&[1], -9);
    assert_eq!(system.column_bounds(0, limits()), Ok((None, None)));
}
