//! Lexicographic minima: of integer programs and as functions of parameters.

mod support;

use support::{Plain, ints};
use terrace_lit::random::Random;
use terrace_presburger::{Conjunct, Int, IntegerProgram, Piece, Space, Unknown};

#[test]
fn knapsack_with_cuts() {
    // 7x + 5y + 3z = 31, least x, then y: x = 0, y = 2, z = 7.
    let mut program = IntegerProgram::new(3);
    program.add_equality(&ints(&[7, 5, 3]), Int::new(-31));
    assert_eq!(program.lexmin(), Ok(Some(ints(&[0, 2, 7]))));
    // 6x + 10y + 15z = 29 has no solution with all zero or more.
    let mut program = IntegerProgram::new(3);
    program.add_equality(&ints(&[6, 10, 15]), Int::new(-29));
    assert_eq!(program.lexmin(), Ok(None));
}

/// What PIP's manual begins with: the least i with 2i + 3j = n, both zero or more.
#[test]
fn a_function_with_integral_parts() {
    let mut set = Conjunct::universe(Space::map(1, 0, 2));
    set.add_equality(&ints(&[-1, 2, 3]), Int::ZERO);
    set.add_inequality(&ints(&[0, 1, 0]), Int::ZERO);
    set.add_inequality(&ints(&[0, 0, 1]), Int::ZERO);
    let pieces = set.lexmin_pieces().unwrap();
    for n in -3..40_i64 {
        let least = (0..=n).find(|i| n - 2 * i >= 0 && (n - 2 * i) % 3 == 0);
        let expected = least.map(|i| ints(&[i, (n - 2 * i) / 3]));
        assert_eq!(value_at(&pieces, &[n]), expected, "n = {n}: {pieces:?}");
    }
}

#[test]
fn an_open_output_is_unbounded() {
    let mut set = Conjunct::universe(Space::set(1, 2));
    set.add_inequality(&ints(&[1, -1, 0]), Int::ZERO);
    assert_eq!(set.lexmin_pieces(), Err(Unknown::Unbounded { output: 0 }));
    set.add_inequality(&ints(&[0, 1, 0]), Int::ZERO);
    assert_eq!(set.lexmin_pieces(), Err(Unknown::Unbounded { output: 1 }));
}

/// Conditions on parameters, of which one needs an integral part that no value mentions.
#[test]
fn conditions_keep_their_integral_parts() {
    let mut set = Conjunct::universe(Space::map(2, 0, 2));
    set.add_equality(&ints(&[-1, 0, 0, 2]), Int::ZERO);
    set.add_equality(&ints(&[0, 1, 0, 0]), Int::new(-3));
    set.add_equality(&ints(&[0, 0, 1, 0]), Int::new(-5));
    let pieces = set.lexmin_pieces().unwrap();
    for n in -4..5_i64 {
        for m in 2..5 {
            let expected = (n % 2 == 0 && m == 3).then(|| ints(&[5, n / 2]));
            assert_eq!(value_at(&pieces, &[n, m]), expected, "{n} {m}: {pieces:?}");
        }
    }
}

/// The value of the one piece whose domain has the point.
fn value_at(pieces: &[Piece], point: &[i64]) -> Option<Vec<Int>> {
    let mut value = None;
    for piece in pieces {
        let mut at = piece.domain.clone();
        for (column, x) in point.iter().enumerate() {
            let mut row = vec![0; column + 1];
            row[column] = 1;
            at.add_equality(&ints(&row), Int::new(-x));
        }
        let Some(columns) = at.sample_with_locals().unwrap() else {
            continue;
        };
        assert!(value.is_none(), "two pieces hold at {point:?}: {pieces:?}");
        let of = |row: &Vec<Int>| {
            let mut sum = row[columns.len()].clone();
            for (a, x) in row.iter().zip(&columns) {
                sum.add_product(a, x);
            }
            sum
        };
        value = Some(piece.values.iter().map(of).collect());
    }
    value
}

/// Programs of up to four variables against enumeration.
#[test]
fn random_programs() {
    let mut rng = Random(3);
    for case in 0..6_000 {
        let dims = rng.between(1, 4) as usize;
        let bound = [9, 6, 4, 3][dims - 1];
        let size = [1, 3, 9][rng.between(0, 2) as usize];
        let plain = Plain::random(&mut rng, dims, size);
        let mut program = IntegerProgram::new(dims);
        for row in &plain.equalities {
            program.add_equality(&ints(&row[..dims]), Int::new(row[dims]));
        }
        for row in &plain.inequalities {
            program.add_inequality(&ints(&row[..dims]), Int::new(row[dims]));
        }
        for dim in 0..dims {
            let mut row = vec![0; dims];
            row[dim] = -1;
            program.add_inequality(&ints(&row), Int::new(bound));
        }
        let points = plain.points(bound);
        let least = points.iter().find(|p| p.iter().all(|x| *x >= 0));
        let found = program.lexmin().expect("within the budget");
        assert_eq!(found, least.map(|p| ints(p)), "case {case}: {plain:?}");
    }
}

/// One or two parameters, one to three variables, one of them perhaps quantified,
/// against enumeration of all.
#[test]
fn random_functions() {
    let mut rng = Random(4);
    for case in 0..3_000 {
        let params = rng.between(1, 2) as usize;
        let dims = rng.between(1, 3) as usize;
        let locals = usize::from(dims > 1 && rng.one_in(3));
        let bound = [6, 5, 3, 2][params + dims - 2];
        let size = [1, 2, 5][rng.between(0, 2) as usize];
        let plain = Plain::random(&mut rng, params + dims, size).boxed(bound);
        let outputs = dims - locals;
        let mut set = Conjunct::universe(Space::set(params, outputs));
        for _ in 0..locals {
            set.add_local();
        }
        for row in &plain.equalities {
            let (constant, form) = row.split_last().unwrap();
            set.add_equality(&ints(form), Int::new(*constant));
        }
        for row in &plain.inequalities {
            let (constant, form) = row.split_last().unwrap();
            set.add_inequality(&ints(form), Int::new(*constant));
        }
        let least = set.lexmin_pieces().expect("within the budget");
        let greatest = set.lexmax_pieces().expect("within the budget");
        let points = plain.points(bound);
        let mut params_at = vec![-bound; params];
        loop {
            let here: Vec<&Vec<i64>> = points
                .iter()
                .filter(|p| p.starts_with(&params_at))
                .collect();
            let of = |p: &&Vec<i64>| ints(&p[params..params + outputs]);
            let say = || format!("case {case}: {params_at:?} {outputs} of {plain:?}");
            assert_eq!(
                value_at(&least, &params_at),
                here.first().map(of),
                "{}",
                say()
            );
            assert_eq!(
                value_at(&greatest, &params_at),
                here.last().map(of),
                "{}",
                say()
            );
            let Some(dim) = (0..params).rev().find(|dim| params_at[*dim] < bound) else {
                break;
            };
            params_at[dim] += 1;
            params_at[dim + 1..].fill(-bound);
        }
    }
}
