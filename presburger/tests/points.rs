//! Emptiness, samples and extrema against enumeration, and cases of the literature.

mod support;

use support::{Plain, ints, set, value};
use terrace_lit::random::Random;
use terrace_presburger::{Conjunct, Extremum, Int, Space};

fn is_empty(conjunct: &Conjunct) -> bool {
    conjunct.is_empty().expect("within the budget")
}

/// Pugh 1991, section 2.3: rationally there is much, over the integers nothing.
#[test]
fn pugh_dark_shadow_example_is_empty() {
    let strip = set(
        2,
        &[],
        &[&[11, 13, -27], &[-11, -13, 45], &[7, -9, 10], &[-7, 9, 4]],
    );
    assert!(is_empty(&strip));
    assert_eq!(strip.sample(), Ok(None));
}

#[test]
fn half_of_it_is_not_empty() {
    let strip = set(2, &[], &[&[11, 13, -27], &[-11, -13, 45]]);
    let point = strip.sample().unwrap().expect("a point");
    assert_eq!(strip.contains(&point), Ok(true));
}

/// Pugh 1991, section 2.2: a system of equalities with coefficients of 7, 12, 31.
#[test]
fn pugh_equalities() {
    let system = set(
        3,
        &[&[7, 12, 31, -17], &[3, 5, 14, -7]],
        &[
            &[1, 0, 0, -1],
            &[-1, 0, 0, 40],
            &[0, 1, 0, 50],
            &[0, -1, 0, 50],
        ],
    );
    let point = system.sample().unwrap().expect("a point");
    assert_eq!(system.contains(&point), Ok(true));
}

#[test]
fn parity_clash() {
    assert!(is_empty(&set(2, &[&[2, -2, 1]], &[])));
    assert!(is_empty(&set(2, &[&[2, 4, -1]], &[])));
    assert!(!is_empty(&set(2, &[&[2, 3, -1]], &[])));
    // 2x = 3y + 1 makes y odd, y = 2z even.
    assert!(is_empty(&set(3, &[&[2, -3, 0, -1], &[0, 1, -2, 0]], &[])));
}

/// Strips that go on for ever: one between two multiples of 3, one along points.
#[test]
fn thin_unbounded_strip() {
    assert!(is_empty(&set(2, &[], &[&[6, -9, -1], &[-6, 9, 2]])));
    let n = 1_000_003;
    let strip = set(2, &[], &[&[n, -(n - 1), -1], &[-n, n - 1, 1]]);
    let point = strip.sample().unwrap().expect("n - (n - 1) = 1");
    assert_eq!(strip.contains(&point), Ok(true));
}

#[test]
fn beyond_64_bits() {
    let huge = i64::MAX - 24;
    // huge is odd, so coprime to huge - 2: there are points, but x is far from 0.
    let line = set(2, &[&[huge, huge - 2, -1]], &[]);
    let point = line.sample().unwrap().expect("a point");
    assert_eq!(line.contains(&point), Ok(true));
    assert!(is_empty(&set(
        2,
        &[&[huge, huge - 2, -1]],
        &[&[1, 0, -2], &[-1, 0, 3]]
    )));
    // x = MAX * y, y = MAX: x is MAX squared.
    let square = set(2, &[&[1, -i64::MAX, 0], &[0, 1, -i64::MAX]], &[]);
    let point = square.sample().unwrap().expect("a point");
    let max = Int::new(i64::MAX);
    assert_eq!(point, [&max * &max, max]);
    assert_eq!(square.contains(&point), Ok(true));
}

#[test]
fn locals_are_quantified() {
    // exists e: x = 2e
    let mut even = Conjunct::universe(Space::set(0, 1));
    even.add_local();
    even.add_equality(&ints(&[1, -2]), Int::ZERO);
    assert_eq!(even.contains(&ints(&[4])), Ok(true));
    assert_eq!(even.contains(&ints(&[-3])), Ok(false));
}

#[test]
fn extrema() {
    let triangle = set(2, &[], &[&[3, 2, -7], &[-1, 0, 5], &[0, -1, 5]]);
    let x = ints(&[1, 0, 0]);
    assert_eq!(triangle.minimum(&x), Ok(Extremum::At(Int::new(-1))));
    assert_eq!(triangle.maximum(&x), Ok(Extremum::At(Int::new(5))));
    let half = set(2, &[], &[&[2, 0, -1]]);
    assert_eq!(half.minimum(&x), Ok(Extremum::At(Int::new(1))));
    assert_eq!(half.maximum(&x), Ok(Extremum::Unbounded));
    assert_eq!(
        set(1, &[], &[&[0, -1]]).minimum(&ints(&[1, 0])),
        Ok(Extremum::Empty)
    );
}

/// Boxes of two to four dimensions: what is found is what enumeration finds.
#[test]
fn random_boxes() {
    let mut rng = Random(1);
    for case in 0..12_000 {
        let dims = rng.between(1, 4) as usize;
        let bound = [6, 5, 4, 2][dims - 1];
        let size = [1, 3, 9, 20][rng.between(0, 3) as usize];
        let plain = Plain::random(&mut rng, dims, size).boxed(bound);
        let points = plain.points(bound);
        let conjunct = plain.conjunct();
        assert_eq!(
            is_empty(&conjunct),
            points.is_empty(),
            "case {case}: {plain:?}"
        );
        let sample = conjunct.sample().expect("within the budget");
        assert_eq!(
            sample.is_none(),
            points.is_empty(),
            "case {case}: {plain:?}"
        );
        if let Some(point) = sample {
            assert_eq!(
                conjunct.contains(&point),
                Ok(true),
                "case {case}: {plain:?}"
            );
        }
        if case % 4 == 0 {
            let form: Vec<i64> = (0..=dims).map(|_| rng.between(-5, 5)).collect();
            let least = points.iter().map(|p| value(&form, p)).min();
            let expected = least.map_or(Extremum::Empty, |v| Extremum::At(Int::new(v)));
            let found = conjunct.minimum(&ints(&form)).expect("within the budget");
            assert_eq!(found, expected, "case {case}: {plain:?} {form:?}");
        }
    }
}

/// Without bounds: a sample is a point, and where there is none enumeration of a box
/// finds none either.
#[test]
fn random_unbounded() {
    let mut rng = Random(2);
    for case in 0..12_000 {
        let dims = rng.between(1, 4) as usize;
        let size = [1, 3, 9, 20][rng.between(0, 3) as usize];
        let plain = Plain::random(&mut rng, dims, size);
        let conjunct = plain.conjunct();
        let sample = conjunct.sample().expect("within the budget");
        assert_eq!(sample.is_none(), is_empty(&conjunct));
        match sample {
            Some(point) => {
                assert_eq!(
                    conjunct.contains(&point),
                    Ok(true),
                    "case {case}: {plain:?}"
                );
            }
            None => assert!(plain.points(4).is_empty(), "case {case}: {plain:?}"),
        }
    }
}

/// The points of a box, and none around it, stay.
#[test]
fn random_redundant() {
    let mut rng = Random(5);
    for case in 0..4_000 {
        let dims = rng.between(1, 3) as usize;
        let bound = [6, 5, 4][dims - 1];
        let size = [1, 2, 6][rng.between(0, 2) as usize];
        let plain = Plain::random(&mut rng, dims, size).boxed(bound);
        let mut reduced = plain.conjunct();
        reduced.remove_redundant().expect("within the budget");
        let other = Plain {
            dims,
            equalities: plain_rows(reduced.equalities()),
            inequalities: plain_rows(reduced.inequalities()),
        };
        // One beyond the box: nothing may come in.
        assert_eq!(
            other.points(bound + 1),
            plain.points(bound + 1),
            "case {case}: {plain:?} {other:?}"
        );
    }
}

#[test]
fn redundant_constraints_go() {
    // 0 <= x <= 9, x <= y, y <= 9, x <= 20, 2x + 2y >= -1, and y <= 9 once more.
    let mut set = set(
        2,
        &[],
        &[
            &[1, 0, 0],
            &[-1, 0, 9],
            &[-1, 1, 0],
            &[0, -1, 9],
            &[-1, 0, 20],
            &[2, 2, 1],
            &[0, -2, 19],
        ],
    );
    set.remove_redundant().unwrap();
    assert_eq!(
        set.inequalities(),
        [ints(&[1, 0, 0]), ints(&[-1, 1, 0]), ints(&[0, -1, 9])]
    );
    // x + y <= 4, x >= 2, y >= 2 leave one point, and y = 2 follows from the others.
    let mut point = support::set(2, &[&[0, 3, -6]], &[&[-1, -1, 4], &[1, 0, -2], &[0, 1, -2]]);
    point.remove_redundant().unwrap();
    assert_eq!(point.equalities().len(), 2);
    assert!(point.inequalities().is_empty());
}

fn plain_rows(rows: &[Vec<Int>]) -> Vec<Vec<i64>> {
    rows.iter()
        .map(|row| row.iter().map(|a| a.to_i64().unwrap()).collect())
        .collect()
}

/// Extrema of sets without a box: bounded ones are taken and not passed, and
/// unbounded ones are passed by any sample asked for.
#[test]
fn random_unbounded_extrema() {
    let mut rng = Random(6);
    for case in 0..4_000 {
        let dims = rng.between(1, 4) as usize;
        let size = [1, 3, 9][rng.between(0, 2) as usize];
        let plain = Plain::random(&mut rng, dims, size);
        let form: Vec<i64> = (0..=dims).map(|_| rng.between(-4, 4)).collect();
        let conjunct = plain.conjunct();
        let say = || format!("case {case}: {plain:?} {form:?}");
        let at_most = |limit: i64| {
            let mut part = conjunct.clone();
            let negated: Vec<i64> = form[..dims].iter().map(|a| -a).collect();
            part.add_inequality(&ints(&negated), Int::new(limit - form[dims]));
            is_empty(&part)
        };
        match conjunct.minimum(&ints(&form)).expect("within the budget") {
            Extremum::Empty => assert!(is_empty(&conjunct), "{}", say()),
            Extremum::Unbounded => assert!(!at_most(-1_000_000), "{}", say()),
            Extremum::At(value) => {
                let value = value.to_i64().unwrap();
                assert!(!at_most(value), "{}", say());
                assert!(at_most(value - 1), "{}", say());
            }
        }
    }
}
