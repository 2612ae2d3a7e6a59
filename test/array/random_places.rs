//! Random assignments to parts of one memory, as a whole and at places, several in a call, held
//! against what they mean: all is computed from what was there, and then written one after the
//! other.

use super::support::context;
use terrace::array::{Array, Assignment, Context, Expr, max, min, parameter, sum};

const ELEMENTS: usize = 24;

/// A generator of numbers, the same ones each time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % n
    }
}

/// A part of the memory: from an element on, some elements, so far from each other.
#[derive(Debug, Clone, Copy)]
struct Part {
    from: usize,
    step: usize,
    count: usize,
    turned: bool,
}

impl Part {
    fn random(r: &mut Random, count: Option<usize>) -> Part {
        let count = count.unwrap_or_else(|| 1 + r.below(6));
        let step = 1 + r.below(3);
        Part {
            from: r.below(ELEMENTS - (count - 1) * step),
            step,
            count,
            turned: r.below(3) == 0,
        }
    }

    fn of(self, all: &Array<i64>) -> Array<i64> {
        let end = self.from + (self.count - 1) * self.step + 1;
        let part = all.range(self.from..end).step_axis(0, self.step);
        match self.turned {
            true => part.invert_axis(0),
            false => part,
        }
    }

    /// The place in the memory of an element of the part.
    fn at(self, k: usize) -> usize {
        let k = if self.turned { self.count - 1 - k } else { k };
        self.from + k * self.step
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Whole,
    Unique,
    Sum,
    Min,
    Max,
}

/// An assignment: how, to what, what, and of what goes to places where and when.
#[derive(Debug, Clone)]
struct Case {
    way: Way,
    target: Part,
    value: (Part, Part, i64),
    places: Vec<i64>,
    when: Option<i64>,
}

impl Case {
    fn random(r: &mut Random, n: usize) -> Case {
        let way = [Way::Whole, Way::Unique, Way::Sum, Way::Min, Way::Max][r.below(5)];
        let size = if way == Way::Unique {
            n + r.below(3)
        } else {
            1 + r.below(6)
        };
        let target = Part::random(r, Some(if way == Way::Whole { n } else { size }));
        let mut places: Vec<i64> = (0..size as i64).collect();
        if way == Way::Unique {
            for k in (1..size).rev() {
                places.swap(k, r.below(k + 1));
            }
            places.truncate(n);
        } else {
            places = (0..n).map(|_| r.below(size) as i64).collect();
        }
        Case {
            way,
            target,
            value: (
                Part::random(r, Some(n)),
                Part::random(r, Some(n)),
                r.below(9) as i64 - 4,
            ),
            places,
            when: (r.below(2) == 0).then(|| r.below(40) as i64 - 20),
        }
    }

    fn assignment(&self, cx: &Context, all: &Array<i64>) -> Assignment {
        let (a, b, c) = &self.value;
        let value: Expr<i64> = a.of(all) * parameter(*c) + b.of(all);
        let target = self.target.of(all);
        if self.way == Way::Whole {
            return target.to(value);
        }
        let places = cx.vector(&self.places).unwrap();
        let mut at = target.at(&places);
        if let Some(least) = self.when {
            at = at.when(a.of(all).ge(least));
        }
        match self.way {
            Way::Sum => at.to_combined(sum(value)),
            Way::Min => at.to_combined(min(value)),
            Way::Max => at.to_combined(max(value)),
            _ => at.to_unique(value),
        }
    }

    /// Where what goes, by what the memory held.
    fn writes(&self, held: &[i64]) -> Vec<(usize, i64)> {
        let (a, b, c) = &self.value;
        let value = |k: usize| held[a.at(k)].wrapping_mul(*c).wrapping_add(held[b.at(k)]);
        let n = a.count;
        match self.way {
            Way::Whole => (0..n).map(|k| (self.target.at(k), value(k))).collect(),
            _ => (0..n)
                .filter(|k| self.when.is_none_or(|least| held[a.at(*k)] >= least))
                .map(|k| (self.target.at(self.places[k] as usize), value(k)))
                .collect(),
        }
    }
}

/// `TERRACE_RANDOM_COUNT` says how many.
#[test]
fn random_assignments_mean_what_they_say() {
    let count = std::env::var("TERRACE_RANDOM_COUNT").ok();
    let count = count.map_or(60, |c| c.parse().expect("a number of cases"));
    let cx = context();
    let mut r = Random(17);
    for number in 0..count {
        let n = 1 + r.below(5);
        let cases: Vec<Case> = (0..1 + r.below(3))
            .map(|_| Case::random(&mut r, n))
            .collect();
        let mut held: Vec<i64> = (0..ELEMENTS).map(|_| r.below(60) as i64 - 30).collect();
        let all = cx.vector(&held).unwrap();
        let list: Vec<Assignment> = cases.iter().map(|c| c.assignment(&cx, &all)).collect();
        cx.assign(list).unwrap();
        let writes: Vec<_> = cases.iter().map(|c| (c.way, c.writes(&held))).collect();
        for (way, writes) in writes {
            for (at, v) in writes {
                held[at] = match way {
                    Way::Whole | Way::Unique => v,
                    Way::Sum => held[at].wrapping_add(v),
                    Way::Min => held[at].min(v),
                    Way::Max => held[at].max(v),
                };
            }
        }
        assert_eq!(all.to_vec().unwrap(), held, "case {number}: {cases:#?}");
    }
}
