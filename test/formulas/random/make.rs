//! Random models.

use super::model::{Along, Array, Condition, Formula, INDICES, Model, Range, Sign, Statement, Sub};
use terrace_lit::random::Random;

/// Deepest formula.
const DEEPEST: u32 = 3;

/// Where a formula stands.
struct Place<'p> {
    model: &'p Model,
    sizes: &'p [i64],
    /// Points of the statement. Of a formula of a macro, none.
    points: Vec<Vec<i64>>,
    /// The point behind the first along each index, whether the statement computes it or not.
    behind: Vec<Vec<i64>>,
    /// Dimensions that have an index.
    axes: Vec<usize>,
    temporaries: usize,
    in_macro: bool,
}

impl Place<'_> {
    /// Whether all that a formula reads is there. What lies between indices is an error also where
    /// a statement comes to it in larger models only.
    fn fits(&self, f: &Formula) -> bool {
        let mut fits = true;
        let arrays = &self.model.arrays;
        for at in &self.points {
            f.reads(self.model, at, self.sizes, &mut |a, index| {
                fits &= arrays[a].places(self.sizes, &index).is_some();
            });
        }
        for at in &self.behind {
            f.reads(self.model, at, self.sizes, &mut |a, index| {
                let far = arrays[a].ranges.iter().zip(index);
                fits &= far
                    .into_iter()
                    .all(|(r, x)| (x - r.low).rem_euclid(r.by) == 0);
            });
        }
        fits
    }

    fn sub(&self, r: &mut Random, d: usize, range: Range) -> Sub {
        let near = |r: &mut Random, factor: i64| Sub {
            axis: d,
            factor,
            constant: r.between(-2, 2) * range.by,
            ..Sub::default()
        };
        if self.in_macro {
            return Sub {
                constant: r.between(-1, 1),
                ..near(r, 1)
            };
        }
        let fixed = |r: &mut Random| Sub {
            constant: range.low + r.below(3) as i64 * range.by,
            ..Sub::default()
        };
        if !self.axes.contains(&d) {
            return fixed(r);
        }
        match r.below(16) {
            0 => fixed(r),
            1 => Sub {
                param: d,
                times: 1,
                constant: range.more - r.below(3) as i64,
                ..Sub::default()
            },
            2 => Sub {
                param: d,
                times: 1,
                constant: range.more + range.low + r.between(-1, 1),
                ..near(r, -1)
            },
            3 => near(r, 2),
            4 => Sub {
                axis: self.axes[r.below(self.axes.len())],
                ..near(r, 1)
            },
            5 => Sub {
                constant: r.between(-3, 3),
                ..near(r, 1)
            },
            _ => near(r, 1),
        }
    }

    fn read(&self, r: &mut Random) -> Formula {
        for _ in 0..8 {
            let made = match !self.in_macro && !self.model.macros.is_empty() && r.one_in(6) {
                true => {
                    let wide = Range {
                        low: 0,
                        more: 0,
                        by: 1,
                    };
                    let subs = (0..self.model.rank).map(|d| self.sub(r, d, wide)).collect();
                    Formula::Macro(r.below(self.model.macros.len()), subs)
                }
                false => self.element(r, r.0 as usize % self.model.arrays.len()),
            };
            if self.fits(&made) {
                return made;
            }
        }
        Formula::Number(0.5)
    }

    fn element(&self, r: &mut Random, array: usize) -> Formula {
        let ranges = &self.model.arrays[array].ranges;
        let subs = (0..self.model.rank).map(|d| self.sub(r, d, ranges[d]));
        Formula::Read(array, subs.collect())
    }

    /// An element that is above nought, or another number that is.
    fn positive(&self, r: &mut Random, depth: u32) -> Formula {
        let sign = r.pick(&[Sign::Positive, Sign::Positive, Sign::Nonnegative]);
        let found = self.model.arrays.iter().position(|a| a.sign == *sign);
        let read = found.map(|a| self.element(r, a)).filter(|f| self.fits(f));
        match (read, *sign) {
            (Some(read), Sign::Positive) => read,
            (Some(read), _) => op('+', read, Formula::Number(0.25)),
            (None, _) => {
                let x = self.formula(r, depth.saturating_sub(2));
                op('+', Formula::Call("Abs", vec![x]), Formula::Number(1.5))
            }
        }
    }

    fn formula(&self, r: &mut Random, depth: u32) -> Formula {
        if depth == 0 {
            return match r.below(8) {
                0 => Formula::Number((r.below(9) as f64 - 4.0) / 8.0),
                1 => Formula::Parameter,
                2 if !self.axes.is_empty() => Formula::Index(Sub {
                    axis: self.axes[r.below(self.axes.len())],
                    factor: 1,
                    constant: r.between(-2, 2),
                    ..Sub::default()
                }),
                3 if self.temporaries > 0 => Formula::Temporary(r.below(self.temporaries)),
                _ => self.read(r),
            };
        }
        let less = depth - 1;
        let boxed = |f| Box::new(f);
        match r.below(20) {
            0 => Formula::Group(boxed(self.formula(r, less))),
            1 => {
                let all = [(); 4].map(|()| self.formula(r, less));
                Formula::BySign(boxed_array(all))
            }
            2 => {
                let condition = self.condition(r, less.min(1));
                let both = [(); 2].map(|()| self.formula(r, less));
                Formula::If(Box::new(condition), boxed_array(both))
            }
            3 => {
                let name = any(r, ["min", "max"]);
                Formula::Call(name, vec![self.formula(r, less), self.formula(r, less)])
            }
            4 => Formula::Call(any(r, ["Abs", "sign"]), vec![self.formula(r, less)]),
            5 => Formula::Call("sqrt", vec![self.positive(r, depth)]),
            6 => op('/', self.formula(r, less), self.positive(r, depth)),
            7 => Formula::Power(boxed(self.formula(r, less)), r.between(2, 3) as u32),
            8 if self.model.has_extern => {
                let both = [(); 2].map(|()| self.formula(r, less));
                Formula::Extern(boxed_array(both))
            }
            9 | 10 => self.formula(r, 0),
            _ => {
                let sign = *r.pick(&['+', '+', '-', '*']);
                op(sign, self.formula(r, less), self.formula(r, less))
            }
        }
    }

    fn condition(&self, r: &mut Random, depth: u32) -> Condition {
        let two = |r: &mut Random| boxed_array([(); 2].map(|()| self.condition(r, 0)));
        match r.below(6) {
            0 if depth > 0 => Condition::And(two(r)),
            1 if depth > 0 => Condition::Or(two(r)),
            2 if depth > 0 => Condition::Not(Box::new(self.condition(r, 0))),
            _ => Condition::Compare(
                any(r, ["<", "<=", ">", ">=", "==", "!="]),
                self.formula(r, depth),
                self.formula(r, depth),
            ),
        }
    }
}

fn any<const N: usize>(r: &mut Random, names: [&'static str; N]) -> &'static str {
    names[r.below(N)]
}

fn boxed_array<T, const N: usize>(all: [T; N]) -> Box<[T; N]> {
    Box::new(all)
}

fn op(sign: char, x: Formula, y: Formula) -> Formula {
    Formula::Op(sign, Box::new([x, y]))
}

fn arrays(r: &mut Random, rank: usize) -> Vec<Array> {
    let ranges = |r: &mut Random, wide: bool| -> Vec<Range> {
        let range = |r: &mut Random| Range {
            low: r.between(0, 2) - i64::from(wide),
            more: r.between(0, 2) + i64::from(wide),
            by: if r.one_in(4) { 2 } else { 1 },
        };
        (0..rank).map(|_| range(r)).collect()
    };
    let main = ranges(r, false);
    let computed = |ranges: Vec<Range>| Array {
        ranges,
        same: None,
        sign: Sign::Any,
    };
    let mut all = vec![
        computed(main.clone()),
        computed(main.clone()),
        computed(main),
    ];
    all.push(computed(ranges(r, false)));
    for sign in [Sign::Positive, Sign::Nonnegative] {
        let ranges: Vec<Range> = ranges(r, true)
            .into_iter()
            .map(|range| Range { by: 1, ..range })
            .collect();
        let same = (rank > 1 && r.one_in(2)).then(|| r.below(rank));
        all.push(Array { ranges, same, sign });
    }
    all
}

fn statement(r: &mut Random, m: &Model, sizes: &[i64]) -> Statement {
    let first = r.below(4_usize);
    let mut targets = vec![first];
    if first < 3 && r.one_in(3) {
        targets.push((first + 1) % 3);
        if r.one_in(4) {
            targets.push((first + 2) % 3);
        }
    }
    let along = |r: &mut Random, d: usize| {
        let range = m.arrays[first].ranges[d];
        if !r.one_in(6) {
            // A statement without points says nothing of what it may read.
            let skip = [r.between(0, 2), r.between(0, 2)];
            let all = skip[0] + skip[1] < range.count(sizes[d]);
            return Along::Axis {
                skip: if all { skip } else { [0, 0] },
                step: 1 + i64::from(r.one_in(3)),
                down: r.one_in(3),
            };
        }
        let by_end = range.by == 1 && r.one_in(2);
        Along::Place(Sub {
            param: d,
            times: i64::from(by_end),
            constant: match by_end {
                true => range.more - r.between(0, 2),
                false => range.low + r.between(0, 2) * range.by,
            },
            ..Sub::default()
        })
    };
    let mut s = Statement {
        along: (0..m.rank).map(|d| along(r, d)).collect(),
        targets,
        carried: Vec::new(),
        parallel: Vec::new(),
        with: Vec::new(),
        values: Vec::new(),
    };
    let is_axis = |s: &Statement, d: usize| matches!(s.along[d], Along::Axis { .. });
    let mut axes: Vec<usize> = (0..m.rank).filter(|d| is_axis(&s, *d)).collect();
    r.shuffle(&mut axes);
    for d in &axes {
        if r.one_in(3) {
            s.carried.push(*d);
        } else if r.one_in(3) {
            s.parallel.push(*d);
        }
    }
    axes.sort_unstable();
    let mut behind = Vec::new();
    let points = m.all_points(&s, sizes);
    if let Some(first) = points.first() {
        behind.push(first.clone());
        for d in &axes {
            let step = match s.along[*d] {
                Along::Axis { step, .. } => step * m.arrays[s.targets[0]].ranges[*d].by,
                Along::Place(_) => 0,
            };
            let mut next = first.clone();
            next[*d] += step;
            behind.push(next);
        }
    }
    let mut place = Place {
        model: m,
        sizes,
        points,
        behind,
        axes,
        temporaries: 0,
        in_macro: false,
    };
    for _ in 0..r.below(3_u32) {
        s.with.push(place.formula(r, 2));
        place.temporaries += 1;
    }
    let last = place.temporaries.checked_sub(1);
    for _ in 0..s.targets.len() {
        let value = place.formula(r, DEEPEST);
        s.values.push(match last {
            Some(t) if r.one_in(2) => op('+', value, Formula::Temporary(t)),
            _ => value,
        });
    }
    s
}

/// A model, and the parameters that it has elements enough for.
pub fn model(seed: u64) -> (Model, Vec<i64>) {
    let mut r = Random(seed);
    let r = &mut r;
    let rank = *r.pick(&[1, 2, 2, 2, 3]);
    let least = if rank == 3 { 5 } else { 7 };
    let sizes: Vec<i64> = (0..rank).map(|_| least + r.between(0, 5)).collect();
    let mut m = Model {
        rank,
        double: !r.one_in(4),
        strict: r.one_in(2),
        arrays: arrays(r, rank),
        macros: Vec::new(),
        has_extern: r.one_in(10),
        statements: Vec::new(),
    };
    for _ in 0..r.below(3_u32) {
        let place = Place {
            model: &m,
            sizes: &sizes,
            points: Vec::new(),
            behind: Vec::new(),
            axes: (0..rank).collect(),
            temporaries: 0,
            in_macro: true,
        };
        let f = place.formula(r, 1);
        m.macros.push(f);
    }
    for _ in 0..1 + r.below(3_u32) {
        let s = statement(r, &m, &sizes);
        m.statements.push(s);
    }
    (m, sizes)
}

/// The names of the first dimensions.
pub fn names(rank: usize) -> &'static [&'static str] {
    &INDICES[..rank]
}
