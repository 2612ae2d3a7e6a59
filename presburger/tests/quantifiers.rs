//! Complements, which eliminate quantifiers, against enumeration: of sets whose locals
//! bound each other and have no least values.

mod support;

use support::ints;
use terrace_lit::random::Random;
use terrace_presburger::{Conjunct, Int, Relation, Space};

/// Points are tried from `-WINDOW` to `WINDOW`.
const WINDOW: i64 = 9;

/// `low <= factor * t - (a x + b y) <= low + width`.
struct Strip {
    factor: i64,
    visible: [i64; 2],
    low: i64,
    width: i64,
}

impl Strip {
    fn holds(&self, t: i64, point: [i64; 2]) -> bool {
        let value = self.factor * t - self.visible[0] * point[0] - self.visible[1] * point[1];
        (self.low..=self.low + self.width).contains(&value)
    }
}

/// The points for which strips have a common `t`, written with `p u - q v` in place of `t`.
/// `p` and `q` have no common factor, so that `p u - q v` is any integer; but neither `u`
/// nor `v` has a least value, and each is bounded by the other alone.
fn in_two_locals(strips: &[Strip], (p, q): (i64, i64)) -> Conjunct {
    let mut set = Conjunct::universe(Space::set(0, 2));
    set.add_local();
    set.add_local();
    for s in strips {
        let row = [-s.visible[0], -s.visible[1], s.factor * p, -s.factor * q];
        set.add_inequality(&ints(&row), Int::new(-s.low));
        set.add_inequality(&ints(&row.map(|c| -c)), Int::new(s.low + s.width));
    }
    set
}

fn check(strips: &[Strip], pq: (i64, i64), label: &str) {
    let set = in_two_locals(strips, pq);
    let relation = Relation::from_pieces(Space::set(0, 2), vec![set]);
    let complement = relation.complement().expect("within the budget");
    for x in -WINDOW..=WINDOW {
        for y in -WINDOW..=WINDOW {
            // Beyond these no strip has a value within its width.
            let inside = (-80..=80).any(|t| strips.iter().all(|s| s.holds(t, [x, y])));
            let point = ints(&[x, y]);
            assert_eq!(relation.contains(&point), Ok(inside), "{label}: ({x}, {y})");
            let text = format!("{label}: ({x}, {y}) in the complement of {relation}");
            assert_eq!(complement.contains(&point), Ok(!inside), "{text}");
        }
    }
}

/// Three of four numbers in a row lie between neighbouring `4 t`. Of the splinters that make
/// this up the last has points that no other has.
#[test]
fn the_last_splinter_counts() {
    let strip = Strip {
        factor: 4,
        visible: [-2, 1],
        low: 1,
        width: 2,
    };
    check(&[strip], (2, 1), "a strip");
}

#[test]
fn random_strips_and_their_complements() {
    for seed in 0..60 {
        let mut rng = Random(seed);
        let strips: Vec<Strip> = (0..rng.between(1, 2))
            .map(|_| Strip {
                factor: rng.between(2, 4),
                visible: [rng.between(-2, 2), rng.between(-1, 1)],
                low: rng.between(-5, 5),
                width: rng.between(0, 4),
            })
            .collect();
        let pq = [(3, 2), (5, 3), (2, 1), (4, 3)][rng.between(0, 3) as usize];
        check(&strips, pq, &format!("seed {seed}"));
    }
}
