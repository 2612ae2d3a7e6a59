//! Whether sums that are at least 0, some of them one of several, have no solution.
//!
//! Only what contradicts has to be solved. Each system that was solved and does not gives a
//! point, which mostly satisfies clauses of other choices too, so that these need not be solved;
//! and a point that satisfies one clause of every choice ends the search.

use super::numbers::{Clause, Sum};
use terrace_presburger::{Conjunct, Int, Space};

/// Values of the unknowns.
type Point = Vec<i128>;

/// A search for a contradiction.
pub(super) struct Search {
    unknowns: usize,
    /// Systems that may still be solved.
    effort: usize,
}

/// What is known of a system.
enum Answer {
    /// It has no solution.
    None,
    Point(Point),
    Unknown,
}

impl Search {
    /// A search among values of so many unknowns, in which at most `effort` systems are solved.
    pub(crate) fn new(unknowns: usize, effort: usize) -> Search {
        Search { unknowns, effort }
    }

    /// Whether there surely is no point where all of `holds` holds and one clause of each of
    /// `one_of`.
    pub(crate) fn refutes(mut self, holds: &[Sum], one_of: &[Vec<Clause>]) -> bool {
        let mut holds: Vec<&Sum> = holds.iter().collect();
        let points = match self.solve(&holds) {
            Answer::None => return true,
            Answer::Point(p) => vec![p],
            Answer::Unknown => Vec::new(),
        };
        let open = one_of.iter().map(|c| c.iter().collect()).collect();
        self.tries(&mut holds, open, points)
    }

    /// Whether every choice of clauses contradicts what holds. Clauses that do so by
    /// themselves are left out; what is left of a choice with one clause holds; only where
    /// that says nothing more are the clauses of a choice tried. `points` are some where all
    /// of `holds` holds.
    fn tries<'a>(
        &mut self,
        holds: &mut Vec<&'a Sum>,
        mut open: Vec<Vec<&'a Clause>>,
        mut points: Vec<Point>,
    ) -> bool {
        let before = holds.len();
        let mut refuted = false;
        loop {
            if is_solved(&open, &points) {
                holds.truncate(before);
                return false;
            }
            let known = holds.len();
            for clauses in &mut open {
                clauses.retain(|clause| {
                    points.iter().any(|p| satisfies(p, clause))
                        || self.may_hold(holds, clause, &mut points)
                });
                match clauses[..] {
                    [] => refuted = true,
                    [only] => {
                        holds.extend(only);
                        points.retain(|p| satisfies(p, only));
                    }
                    _ => {}
                }
            }
            open.retain(|clauses| clauses.len() > 1);
            if refuted || holds.len() == known || self.effort == 0 {
                break;
            }
        }
        let solved = !refuted && is_solved(&open, &points);
        let shortest = (0..open.len()).min_by_key(|i| open[*i].len());
        if let Some(k) = shortest.filter(|_| !refuted && !solved && self.effort > 0) {
            let tried = open.swap_remove(k);
            refuted = tried.into_iter().all(|clause| {
                let known = holds.len();
                holds.extend(clause);
                let there = points.iter().filter(|p| satisfies(p, clause));
                let refuted = self.tries(holds, open.clone(), there.cloned().collect());
                holds.truncate(known);
                refuted
            });
        }
        holds.truncate(before);
        refuted
    }

    /// Whether a clause may hold beside what holds; a point where both do is added.
    fn may_hold<'a>(
        &mut self,
        holds: &mut Vec<&'a Sum>,
        clause: &'a Clause,
        points: &mut Vec<Point>,
    ) -> bool {
        let known = holds.len();
        holds.extend(clause);
        let answer = self.solve(holds);
        holds.truncate(known);
        match answer {
            Answer::None => false,
            Answer::Point(p) => {
                points.push(p);
                true
            }
            Answer::Unknown => true,
        }
    }

    fn solve(&mut self, holds: &[&Sum]) -> Answer {
        let Some(left) = self.effort.checked_sub(1) else {
            return Answer::Unknown;
        };
        self.effort = left;
        let mut conjunct = Conjunct::universe(Space::set(0, self.unknowns));
        for s in holds {
            let mut row = vec![Int::ZERO; self.unknowns];
            for (u, f) in &s.terms {
                row[*u] = Int::from(*f);
            }
            conjunct.add_inequality(&row, Int::from(s.constant));
        }
        match conjunct.sample() {
            Ok(None) => Answer::None,
            Ok(Some(point)) => {
                let values = point.iter().map(|v| v.to_i64().map(i128::from));
                values
                    .collect::<Option<Point>>()
                    .map_or(Answer::Unknown, Answer::Point)
            }
            Err(_) => Answer::Unknown,
        }
    }
}

/// Whether one of the points satisfies a clause of every choice.
fn is_solved(open: &[Vec<&Clause>], points: &[Point]) -> bool {
    let solves = |p: &Point| open.iter().all(|c| c.iter().any(|c| satisfies(p, c)));
    points.iter().any(solves)
}

/// Whether all sums are at least 0 at a point; false also where that is not known.
fn satisfies(point: &[i128], clause: &[Sum]) -> bool {
    let at = |s: &Sum| {
        s.terms.iter().try_fold(s.constant, |sum, (u, f)| {
            sum.checked_add(point.get(*u)?.checked_mul(*f)?)
        })
    };
    clause.iter().all(|s| at(s).is_some_and(|n| n >= 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(constant: i128, terms: &[(usize, i128)]) -> Sum {
        Sum {
            constant,
            terms: terms.to_vec(),
        }
    }

    /// Unknown `u` is a number.
    fn is(u: usize, n: i128) -> Clause {
        vec![sum(-n, &[(u, 1)]), sum(n, &[(u, -1)])]
    }

    #[test]
    fn what_holds_contradicts() {
        let holds = [sum(0, &[(0, 2)]), sum(-1, &[(0, -2)])];
        assert!(Search::new(1, 1).refutes(&holds, &[]));
        assert!(!Search::new(1, 0).refutes(&holds, &[]));
        assert!(!Search::new(1, 1).refutes(&holds[..1], &[]));
    }

    #[test]
    fn every_choice_contradicts() {
        // Two numbers of 0 and 1 whose sum is 3.
        let of = |u| vec![is(u, 0), is(u, 1)];
        let total = [sum(-3, &[(0, 1), (1, 1)])];
        assert!(Search::new(2, 20).refutes(&total, &[of(0), of(1)]));
        // Whose sum is odd: only where both are tried.
        let odd = [
            sum(-1, &[(0, 1), (1, 1), (2, -2)]),
            sum(1, &[(0, -1), (1, -1), (2, 2)]),
        ];
        assert!(!Search::new(3, 20).refutes(&odd, &[of(0), of(1)]));
        let same = [sum(0, &[(0, 1), (1, -1)]), sum(0, &[(0, -1), (1, 1)])];
        let both = [&odd[..], &same[..]].concat();
        assert!(Search::new(3, 20).refutes(&both, &[of(0), of(1)]));
    }

    #[test]
    fn a_point_ends_the_search() {
        // Numbers that are 0 or at least 1, of any sign: any point has a choice of each.
        let all: Vec<Vec<Clause>> = (0..12)
            .map(|u| vec![vec![sum(0, &[(u, -1)])], vec![sum(-1, &[(u, 1)])]])
            .collect();
        let mut search = Search::new(12, 100);
        let open = all.iter().map(|c| c.iter().collect()).collect();
        let Answer::Point(first) = search.solve(&[]) else {
            panic!("there are points");
        };
        assert!(!search.tries(&mut Vec::new(), open, vec![first]));
        assert_eq!(search.effort, 99);
    }
}
