//! Larger systems, big coefficients, thin sets, and questions that are too hard.

mod support;

use support::{ints, set};
use terrace_lit::random::Random;
use terrace_presburger::{Conjunct, Extremum, Int, IntegerProgram, Space, Unknown};

/// Up to seven variables, with coefficients up to a thousand where they are few, around a planted point:
/// there is a point, the one found is one, and it is on the right side of extrema.
#[test]
fn planted_points() {
    let mut rng = Random(11);
    for case in 0..1_500 {
        let dims = rng.between(2, 7) as usize;
        let size = [2, 10, if dims > 5 { 20 } else { 1000 }][rng.between(0, 2) as usize];
        let planted: Vec<i64> = (0..dims).map(|_| rng.between(-50, 50)).collect();
        let mut set = Conjunct::universe(Space::set(0, dims));
        for _ in 0..rng.between(1, 2 * dims as i64) {
            let row: Vec<i64> = (0..dims)
                .map(|_| {
                    if rng.one_in(2) {
                        0
                    } else {
                        rng.between(-size, size)
                    }
                })
                .collect();
            let value: i64 = row.iter().zip(&planted).map(|(a, x)| a * x).sum();
            if rng.one_in(4) {
                set.add_equality(&ints(&row), Int::new(-value));
            } else {
                set.add_inequality(&ints(&row), Int::new(rng.between(0, size) - value));
            }
        }
        assert_eq!(set.contains(&ints(&planted)), Ok(true));
        assert_eq!(set.is_empty(), Ok(false), "case {case}: {set:?}");
        let point = set.sample().unwrap().expect("there is a point");
        assert_eq!(set.contains(&point), Ok(true), "case {case}: {set:?}");
        let form: Vec<i64> = (0..=dims).map(|_| rng.between(-3, 3)).collect();
        let there: i64 = form.iter().zip(&planted).map(|(a, x)| a * x).sum::<i64>() + form[dims];
        // Beyond that a proof that nothing is less may take more than the budget.
        if dims > 6 || size > 10 {
            continue;
        }
        match set.minimum(&ints(&form)).expect("within the budget") {
            Extremum::Empty => panic!("case {case}: {set:?}"),
            Extremum::Unbounded => {}
            Extremum::At(value) => assert!(value <= Int::new(there), "case {case}: {set:?}"),
        }
    }
}

/// Between two neighbouring multiples of a number there is none, however the system
/// hides it.
#[test]
fn hidden_strips() {
    let mut rng = Random(12);
    for case in 0..1_000 {
        let dims = rng.between(2, 6) as usize;
        let modulus = rng.between(2, 60);
        // modulus * (a . x) + 1 <= b <= modulus * (a . x) + modulus - 1, b a multiple.
        let a: Vec<i64> = (0..dims).map(|_| rng.between(-9, 9)).collect();
        let b: Vec<i64> = (0..dims).map(|_| modulus * rng.between(-9, 9)).collect();
        let row: Vec<i64> = a.iter().zip(&b).map(|(a, b)| modulus * a - b).collect();
        let negated: Vec<i64> = row.iter().map(|x| -x).collect();
        let mut strip = Conjunct::universe(Space::set(0, dims));
        strip.add_inequality(&ints(&row), Int::new(-1));
        strip.add_inequality(&ints(&negated), Int::new(modulus - 1));
        // The coefficients' common divisor is in sight: hide it in a local.
        let local = strip.add_local();
        let mut definition = vec![0; local + 1];
        definition[0] = 1;
        definition[1] = rng.between(-3, 3);
        definition[local] = -1;
        strip.add_equality(&ints(&definition), Int::ZERO);
        for row in &mut [1, -1] {
            let mut bound = vec![0; dims];
            bound[dims - 1] = *row;
            strip.add_inequality(&ints(&bound), Int::new(1_000_000_007));
        }
        assert_eq!(strip.is_empty(), Ok(true), "case {case}: {strip:?}");
    }
}

/// Triangles that are long, thin and oblique: what branching on variables does not
/// settle, and a reduced basis does (H. W. Lenstra, 1983).
#[test]
fn oblique_triangles() {
    for k in [10, 1_000, 1_000_000, 1_000_000_000] {
        for m in [2, 97, 1_000_003] {
            // 1 + x <= k y <= last - x, 0 <= x, which has y strictly between 0 and 1
            // for last = k - 1, with x = m a + (m - 1) b and y = a + b.
            let triangle = |last: i64| {
                set(
                    2,
                    &[],
                    &[
                        &[k - m, k - m + 1, -1],
                        &[-k - m, -k - m + 1, last],
                        &[m, m - 1, 0],
                    ],
                )
            };
            assert_eq!(triangle(k - 1).is_empty(), Ok(true), "{k} {m}");
            // x = 0 and y = 1.
            let only = Some(ints(&[1 - m, m]));
            assert_eq!(triangle(k).sample(), Ok(only), "{k} {m}");
        }
    }
}

/// All of it beyond 64 bits: elimination, simplex, basis reduction, lexmin.
#[test]
fn everything_beyond_64_bits() {
    let big = &Int::new(i64::MAX) * &Int::new(1_000_003);
    let mut set = Conjunct::universe(Space::set(0, 2));
    // big x - (big - 1) y between 1 and 2, and so thin that only reduction helps.
    let row = [big.clone(), &Int::ONE - &big];
    let negated = [-&big, &big - &Int::ONE];
    set.add_inequality(&row, Int::MINUS_ONE);
    set.add_inequality(&negated, Int::new(2));
    set.add_inequality(&ints(&[1, 0]), Int::new(-1000));
    let point = set.sample().unwrap().expect("a point");
    assert_eq!(set.contains(&point), Ok(true));
    assert_eq!(
        set.minimum(&ints(&[1, 0, 0])),
        Ok(Extremum::At(point[0].clone()))
    );
    let mut program = IntegerProgram::new(2);
    program.add_inequality(&row, Int::MINUS_ONE);
    program.add_inequality(&negated, Int::new(1));
    program.add_inequality(&ints(&[1, 0]), Int::new(-2));
    let expected = vec![big.clone(), &big + &Int::ONE];
    assert_eq!(program.lexmin(), Ok(Some(expected)));
    // The least multiple of big that is n or more.
    let mut multiple = Conjunct::universe(Space::set(1, 1));
    let factor = multiple.add_local();
    assert_eq!(factor, 2);
    multiple.add_equality(&[Int::ZERO, Int::ONE, -&big], Int::ZERO);
    multiple.add_inequality(&ints(&[-1, 1]), Int::ZERO);
    let pieces = multiple.lexmin_pieces().unwrap();
    assert_eq!(pieces.len(), 1);
    let graph = pieces[0].graph(multiple.space());
    assert_eq!(graph.contains(&[Int::ONE, big.clone()]), Ok(true));
    assert_eq!(graph.contains(&[Int::ONE, &big + &big]), Ok(false));
    assert_eq!(graph.contains(&[&big + &Int::ONE, &big + &big]), Ok(true));
}

/// A market split problem (G. Cornuéjols, M. Dawande, 1998): made to be hard. What
/// counts is that it ends, and that an answer is not a guess.
#[test]
fn market_split_ends() {
    let mut rng = Random(13);
    let (rows, vars) = (3, 20);
    let mut set = Conjunct::universe(Space::set(0, vars));
    for _ in 0..rows {
        let row: Vec<i64> = (0..vars).map(|_| rng.between(0, 99)).collect();
        let half = row.iter().sum::<i64>() / 2;
        set.add_equality(&ints(&row), Int::new(-half));
    }
    for var in 0..vars {
        let mut bound = vec![0; vars];
        bound[var] = 1;
        set.add_inequality(&ints(&bound), Int::ZERO);
        bound[var] = -1;
        set.add_inequality(&ints(&bound), Int::ONE);
    }
    match set.sample() {
        Ok(Some(point)) => assert_eq!(set.contains(&point), Ok(true)),
        Ok(None) => {}
        Err(unknown) => assert!(matches!(unknown, Unknown::OverBudget { .. })),
    }
}
