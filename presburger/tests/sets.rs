//! Every operation on sets and maps against enumeration.

mod support;

use support::{Plain, ints};
use terrace_lit::random::Random;
use terrace_presburger::{Conjunct, Count, Extreme, Int, Relation, Space};

/// Dimensions of random sets are within `-BOUND ..= BOUND`, their locals too.
const BOUND: i64 = 2;
/// Points are tried one further out.
const WINDOW: i64 = BOUND + 1;

/// A random union, as a relation and as what enumeration says of it.
struct Case {
    relation: Relation,
    pieces: Vec<Plain>,
    space: Space,
}

impl Case {
    fn new(rng: &mut Random, space: Space, most_locals: i64) -> Case {
        let mut pieces = Vec::new();
        let mut conjuncts = Vec::new();
        for _ in 0..rng.between(1, 2) {
            let locals = rng.between(0, most_locals) as usize;
            let plain = Plain::random(rng, space.columns() + locals, 3).boxed(BOUND);
            let mut conjunct = Conjunct::universe(space);
            for _ in 0..locals {
                conjunct.add_local();
            }
            for row in &plain.equalities {
                let (constant, row) = row.split_last().unwrap();
                conjunct.add_equality(&ints(row), Int::new(*constant));
            }
            for row in &plain.inequalities {
                let (constant, row) = row.split_last().unwrap();
                conjunct.add_inequality(&ints(row), Int::new(*constant));
            }
            conjuncts.push(conjunct);
            pieces.push(plain);
        }
        Case {
            relation: Relation::from_pieces(space, conjuncts),
            pieces,
            space,
        }
    }

    fn holds(&self, point: &[i64]) -> bool {
        self.pieces.iter().any(|plain| {
            tuples(plain.dims - point.len(), BOUND)
                .iter()
                .any(|locals| plain.holds(&[point, locals].concat()))
        })
    }

    fn table(&self) -> Vec<Vec<i64>> {
        tuples(self.space.columns(), BOUND)
            .into_iter()
            .filter(|point| self.holds(point))
            .collect()
    }
}

/// All tuples with entries from `-bound` to `bound`, in lexicographic order.
fn tuples(length: usize, bound: i64) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        all = all
            .iter()
            .flat_map(|tuple: &Vec<i64>| {
                (-bound..=bound).map(move |value| {
                    let mut longer = tuple.clone();
                    longer.push(value);
                    longer
                })
            })
            .collect();
    }
    all
}

/// That the relation has these points and, in the window, no other.
fn check(relation: &Relation, expected: &[Vec<i64>], what: &str, from: &[&Case]) {
    for point in tuples(relation.space().columns(), WINDOW) {
        let found = relation.contains(&ints(&point)).unwrap();
        assert_eq!(
            found,
            expected.contains(&point),
            "{what}: {point:?} in {relation}\nfrom {}",
            shown(from)
        );
    }
}

fn shown(cases: &[&Case]) -> String {
    let texts: Vec<String> = cases.iter().map(|c| c.relation.to_string()).collect();
    texts.join("\nand  ")
}

fn filter(points: &[Vec<i64>], keep: impl Fn(&Vec<i64>) -> bool) -> Vec<Vec<i64>> {
    points.iter().filter(|p| keep(p)).cloned().collect()
}

fn random_space(rng: &mut Random) -> Space {
    match rng.between(0, 4) {
        0 | 1 => Space::set(0, 1),
        2 => Space::set(1, 1),
        3 => Space::map(0, 1, 1),
        _ => Space::set(0, 2),
    }
}

#[test]
fn boolean_operations() {
    let mut rng = Random(1);
    for _ in 0..4_000 {
        let space = random_space(&mut rng);
        let a = Case::new(&mut rng, space, 2);
        let b = Case::new(&mut rng, space, 2);
        let (in_a, in_b) = (a.table(), b.table());
        let from = [&a, &b];
        let (ra, rb) = (&a.relation, &b.relation);
        check(
            &ra.intersect(rb),
            &filter(&in_a, |p| in_b.contains(p)),
            "intersect",
            &from,
        );
        let either = filter(&tuples(space.columns(), BOUND), |p| {
            a.holds(p) || b.holds(p)
        });
        check(&ra.union(rb), &either, "union", &from);
        let only_a = filter(&in_a, |p| !in_b.contains(p));
        check(&ra.subtract(rb).unwrap(), &only_a, "subtract", &from);
        let subset = only_a.is_empty();
        assert_eq!(ra.is_subset(rb).unwrap(), subset, "{}", shown(&from));
        assert_eq!(ra.is_equal(rb).unwrap(), in_a == in_b, "{}", shown(&from));
        let disjoint = !in_a.iter().any(|p| in_b.contains(p));
        assert_eq!(ra.is_disjoint(rb).unwrap(), disjoint, "{}", shown(&from));
        assert_eq!(ra.is_empty().unwrap(), in_a.is_empty(), "{}", shown(&from));
        let gist = ra.gist(rb).unwrap().intersect(rb);
        check(&gist, &filter(&in_a, |p| in_b.contains(p)), "gist", &from);
    }
}

#[test]
fn other_forms_of_the_same_points() {
    let mut rng = Random(2);
    for _ in 0..4_000 {
        let space = random_space(&mut rng);
        let a = Case::new(&mut rng, space, 2);
        let points = a.table();
        let from = [&a];
        let relation = &a.relation;
        check(relation, &points, "itself", &from);
        check(&relation.simplify(), &points, "simplify", &from);
        check(&relation.coalesce(), &points, "coalesce", &from);
        let apart = relation.make_disjoint().unwrap();
        check(&apart, &points, "make_disjoint", &from);
        let outside = filter(&tuples(space.columns(), WINDOW), |p| !points.contains(p));
        check(
            &relation.complement().unwrap(),
            &outside,
            "complement",
            &from,
        );
        let text = relation.to_string();
        check(&Relation::parse(&text).unwrap(), &points, "text", &from);
        for (at, piece) in apart.pieces().iter().enumerate() {
            for other in &apart.pieces()[..at] {
                assert!(piece.intersect(other).is_empty().unwrap(), "{apart}");
            }
        }
        let count = Count::Finite(Int::new(points.len() as i64));
        assert_eq!(relation.count().unwrap(), count, "{relation}");
        let extreme = |point: Option<&Vec<i64>>| {
            point.map_or(Extreme::Empty, |point| Extreme::At(ints(point)))
        };
        assert_eq!(
            relation.lexmin_point().unwrap(),
            extreme(points.first()),
            "{relation}"
        );
        assert_eq!(
            relation.lexmax_point().unwrap(),
            extreme(points.last()),
            "{relation}"
        );
        let sample = relation.sample().unwrap();
        assert_eq!(sample.is_none(), points.is_empty(), "{relation}");
        let hull = relation.bounding_box().unwrap();
        assert_eq!(hull.is_none(), points.is_empty(), "{relation}");
        for (at, interval) in hull.iter().flatten().enumerate() {
            let values = || points.iter().map(|p| p[space.params + at]);
            assert_eq!(interval.lower, values().min().map(Int::new), "{relation}");
            assert_eq!(interval.upper, values().max().map(Int::new), "{relation}");
        }
    }
}

/// The first `at` entries of a point, and the others.
fn split(point: &[i64], at: usize) -> (Vec<i64>, Vec<i64>) {
    (point[..at].to_vec(), point[at..].to_vec())
}

#[test]
fn operations_of_maps() {
    let mut rng = Random(3);
    for _ in 0..2_500 {
        let params = rng.between(0, 5) as usize / 5;
        let outer = Space::map(params, 1, 1);
        let a = Case::new(&mut rng, outer, 1);
        let b = Case::new(&mut rng, outer, 1);
        let s = Case::new(&mut rng, Space::set(params, 1), 1);
        let (in_a, in_b, in_s) = (a.table(), b.table(), s.table());
        let (ra, rb, rs) = (&a.relation, &b.relation, &s.relation);
        let from = [&a, &b, &s];
        let swapped: Vec<Vec<i64>> = in_a
            .iter()
            .map(|p| {
                let mut p = p.clone();
                p.swap(params, params + 1);
                p
            })
            .collect();
        check(&ra.inverse(), &swapped, "inverse", &from);
        let end = |at: usize| -> Vec<Vec<i64>> {
            in_a.iter()
                .map(|p| [&p[..params], &p[at..=at]].concat())
                .collect()
        };
        check(&ra.domain(), &end(params), "domain", &from);
        check(&ra.range(), &end(params + 1), "range", &from);
        let mut composed = Vec::new();
        for x in &in_a {
            for y in &in_b {
                if x[..params] == y[..params] && x[params + 1] == y[params] {
                    composed.push([&x[..=params], &y[params + 1..]].concat());
                }
            }
        }
        check(&ra.compose(rb), &composed, "compose", &from);
        let image: Vec<Vec<i64>> = filter(&in_a, |p| in_s.contains(&split(p, params + 1).0))
            .iter()
            .map(|p| [&p[..params], &p[params + 1..]].concat())
            .collect();
        check(&rs.apply(ra), &image, "apply", &from);
        let kept = filter(&in_a, |p| in_s.contains(&p[..=params].to_vec()));
        check(&ra.intersect_domain(rs), &kept, "intersect_domain", &from);
        let kept = filter(&in_a, |p| {
            in_s.contains(&[&p[..params], &p[params + 1..]].concat())
        });
        check(&ra.intersect_range(rs), &kept, "intersect_range", &from);
        let column = rng.between(0, outer.columns() as i64 - 1) as usize;
        let without: Vec<Vec<i64>> = in_a
            .iter()
            .map(|p| [&p[..column], &p[column + 1..]].concat())
            .collect();
        check(
            &ra.project_out(column..column + 1),
            &without,
            "project_out",
            &from,
        );
        let fixed = filter(&in_a, |p| p[column] == 1);
        check(&ra.fix(column, &Int::ONE), &fixed, "fix", &from);
        if params == 1 {
            let values: Vec<Vec<i64>> = in_s.iter().map(|p| p[..1].to_vec()).collect();
            let kept = filter(&in_a, |p| values.contains(&p[..1].to_vec()));
            let set = rs.project_out(1..2);
            check(&ra.intersect_params(&set), &kept, "intersect_params", &from);
        }
        let moved = ra.dims_to_params(&[params + 1]);
        check(&moved, &swapped, "dims_to_params", &from);
        check(
            &ra.dims_before_to_params(params + 1),
            &in_a,
            "to params",
            &from,
        );
    }
}

#[test]
fn lexicographic_extremes() {
    let mut rng = Random(4);
    for round in 0..1_500 {
        let space = match round % 3 {
            0 => Space::map(0, 1, 1),
            1 => Space::set(0, 2),
            _ => Space::map(1, 0, 1),
        };
        let a = Case::new(&mut rng, space, 1);
        let points = a.table();
        let at = space.params + space.inputs;
        let known = |p: &Vec<i64>| split(p, at).0;
        let least = filter(&points, |p| {
            !points.iter().any(|q| known(q) == known(p) && q < p)
        });
        check(&a.relation.lexmin().unwrap(), &least, "lexmin", &[&a]);
        let greatest = filter(&points, |p| {
            !points.iter().any(|q| known(q) == known(p) && q > p)
        });
        check(&a.relation.lexmax().unwrap(), &greatest, "lexmax", &[&a]);
    }
}

#[test]
fn orders() {
    for dims in 0..=2 {
        let lt = Relation::lex_lt(0, dims);
        let le = Relation::lex_le(0, dims);
        let same = Relation::identity(Space::set(0, dims));
        for point in tuples(2 * dims, 2) {
            let (x, y) = split(&point, dims);
            let point = ints(&point);
            assert_eq!(lt.contains(&point).unwrap(), x < y, "{x:?} {y:?}");
            assert_eq!(le.contains(&point).unwrap(), x <= y, "{x:?} {y:?}");
            assert_eq!(same.contains(&point).unwrap(), x == y, "{x:?} {y:?}");
        }
    }
}

#[test]
fn bounds_of_dimensions() {
    let mut rng = Random(5);
    let (mut exact, mut all) = (0, 0);
    for _ in 0..4_000 {
        let space = Space::set(0, 2);
        let a = Case::new(&mut rng, space, 1);
        let piece = &a.relation.pieces()[0];
        let points: Vec<Vec<i64>> = tuples(2, BOUND)
            .into_iter()
            .filter(|p| piece.contains(&ints(p)).unwrap())
            .collect();
        for column in 0..2 {
            let bounds = piece.dim_bounds(column);
            all += 1;
            exact += usize::from(bounds.exact);
            let mut before: Vec<Vec<i64>> = points.iter().map(|p| p[..column].to_vec()).collect();
            before.dedup();
            for outer in before {
                let value = |bound: &terrace_presburger::Bound, up: bool| {
                    let mut value = bound.numerator[column].clone();
                    for (a, x) in bound.numerator.iter().zip(&outer) {
                        value.add_product(a, &Int::new(*x));
                    }
                    let value = if up {
                        value.div_ceil(&bound.divisor)
                    } else {
                        value.div_floor(&bound.divisor)
                    };
                    value.to_i64().unwrap()
                };
                let lower = bounds.lower.iter().map(|b| value(b, true)).max().unwrap();
                let upper = bounds.upper.iter().map(|b| value(b, false)).min().unwrap();
                for at in -WINDOW..=WINDOW {
                    let there = points
                        .iter()
                        .any(|p| p[..column] == outer && p[column] == at);
                    let within = lower <= at && at <= upper;
                    assert!(within || !there, "{at} in {column} of {}", shown(&[&a]));
                    assert!(
                        !bounds.exact || within == there,
                        "{at} in {column} of {}: {bounds:?}",
                        shown(&[&a])
                    );
                }
            }
        }
    }
    assert!(4 * exact > all, "exact are {exact} of {all}");
}
