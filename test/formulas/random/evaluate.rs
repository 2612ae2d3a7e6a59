//! What a model computes, by the rules of the language.
//!
//! Where formulas may be changed to equal ones, each number comes with the sum of the magnitudes that
//! it is made of, of which an error is a small part. One of which a comparison was too near to be sure
//! has an infinite one, and may be anything.

use super::model::{Along, Condition, Formula, Model, Statement};

/// A number, and what its error is a part of.
pub type Number = (f64, f64);

/// How near each other numbers are whose comparison is not sure, for the sum of magnitudes.
pub fn unsure(m: &Model) -> f64 {
    match (m.strict, m.double) {
        (true, _) => 0.0,
        (false, true) => 1e-11,
        (false, false) => 3e-5,
    }
}

/// An array's elements, by its places in the order of its dimensions.
pub struct Elements {
    pub counts: Vec<i64>,
    pub values: Vec<Number>,
}

impl Elements {
    pub fn at(&self, places: &[i64]) -> usize {
        let all = places.iter().zip(&self.counts);
        all.fold(0, |sum, (p, n)| sum * *n as usize + *p as usize)
    }
}

/// One run of a model.
pub struct Run<'m> {
    pub model: &'m Model,
    pub sizes: &'m [i64],
    pub arrays: Vec<Elements>,
    pub h: f64,
}

impl Run<'_> {
    /// Does all statements; `None` where an element is not there.
    pub fn run(&mut self) -> Option<()> {
        for s in &self.model.statements {
            let points = self.model.all_points(s, self.sizes);
            let mut from = 0;
            while from < points.len() {
                let apart = |p: &Vec<i64>| s.carried.iter().any(|c| p[*c] != points[from][*c]);
                let to = points[from..].iter().position(apart);
                let to = to.map_or(points.len(), |n| from + n);
                let mut made = Vec::new();
                for at in &points[from..to] {
                    let mut with = Vec::new();
                    for w in &s.with {
                        with.push(self.value(w, at, &with)?);
                    }
                    for (a, v) in s.targets.iter().zip(&s.values) {
                        let v = self.value(v, at, &with)?;
                        made.push((*a, self.place(*a, at)?, v));
                    }
                }
                for (a, place, v) in made {
                    self.arrays[a].values[place] = v;
                }
                from = to;
            }
        }
        Some(())
    }

    fn place(&self, array: usize, index: &[i64]) -> Option<usize> {
        let places = self.model.arrays[array].places(self.sizes, index)?;
        Some(self.arrays[array].at(&places))
    }

    /// Rounds as the model's numbers do, and gives up a number that may be too large on the way.
    fn number(&self, v: f64, all: f64) -> Number {
        if self.model.strict {
            return match self.model.double {
                true => (v, 0.0),
                false => (f64::from(v as f32), 0.0),
            };
        }
        let most = if self.model.double { 1e100 } else { 1e15 };
        match all < most && v.is_finite() {
            true => (v, all),
            false => (0.0, f64::INFINITY),
        }
    }

    fn value(&self, f: &Formula, at: &[i64], with: &[Number]) -> Option<Number> {
        let of = |f: &Formula| self.value(f, at, with);
        let subs = |subs: &[super::model::Sub]| -> Vec<i64> {
            subs.iter().map(|s| s.value(at, self.sizes)).collect()
        };
        let same = |v: f64| self.number(v, v.abs());
        Some(match f {
            Formula::Number(n) => same(*n),
            Formula::Parameter => same(self.h),
            Formula::Index(s) => same(s.value(at, self.sizes) as f64),
            Formula::Read(a, s) => self.arrays[*a].values[self.place(*a, &subs(s))?],
            Formula::Macro(m, s) => self.value(&self.model.macros[*m], &subs(s), &[])?,
            Formula::Temporary(t) => with[*t],
            Formula::Group(x) => of(x)?,
            Formula::Op(op, both) => {
                let ((x, a), (y, b)) = (of(&both[0])?, of(&both[1])?);
                match op {
                    '+' => self.number(x + y, a + b),
                    '-' => self.number(x - y, a + b),
                    '*' => self.number(x * y, a * b),
                    _ => {
                        let near = y.abs() < 1e-3 * b && !self.model.strict;
                        let all = if near { f64::INFINITY } else { a * b / (y * y) };
                        self.number(x / y, all)
                    }
                }
            }
            Formula::Power(x, n) => {
                let (x, a) = of(x)?;
                (1..*n).fold((x, a), |(v, b), _| self.number(v * x, a * b))
            }
            Formula::Call(name, of_these) => {
                let all: Option<Vec<Number>> = of_these.iter().map(of).collect();
                let all = all?;
                let ((x, a), second) = (all[0], all.get(1).copied().unwrap_or_default());
                match *name {
                    "Abs" => self.number(x.abs(), a),
                    "sqrt" => self.number(x.sqrt(), a.max(x.sqrt())),
                    "min" => self.number(x.min(second.0), a + second.1),
                    "max" => self.number(x.max(second.0), a + second.1),
                    _ => {
                        let arms = [-1.0, 0.0, 1.0].map(|v| (v, 1.0));
                        self.by_sign((x, a), arms)
                    }
                }
            }
            Formula::Extern(both) => {
                let ((x, a), (y, b)) = (of(&both[0])?, of(&both[1])?);
                let half = self.number(0.5 * x, 0.5 * a);
                self.number(half.0 - y, half.1 + b)
            }
            Formula::BySign(all) => {
                let arms = [of(&all[1])?, of(&all[2])?, of(&all[3])?];
                self.by_sign(of(&all[0])?, arms)
            }
            Formula::If(c, both) => {
                let (yes, no) = (of(&both[0])?, of(&both[1])?);
                match self.holds(c, at, with)? {
                    Some(true) => yes,
                    Some(false) => no,
                    None => (0.0, f64::INFINITY),
                }
            }
        })
    }

    fn by_sign(&self, (x, all): Number, arms: [Number; 3]) -> Number {
        if x.abs() <= unsure(self.model) * all && !self.model.strict {
            return (0.0, f64::INFINITY);
        }
        if x < 0.0 {
            arms[0]
        } else if x > 0.0 {
            arms[2]
        } else {
            arms[1]
        }
    }

    /// Whether a condition holds: `None` without, `Some(None)` where that is not sure.
    fn holds(&self, c: &Condition, at: &[i64], with: &[Number]) -> Option<Option<bool>> {
        Some(match c {
            Condition::Compare(op, x, y) => {
                let ((x, a), (y, b)) = (self.value(x, at, with)?, self.value(y, at, with)?);
                if (x - y).abs() <= unsure(self.model) * (a + b) && !self.model.strict {
                    return Some(None);
                }
                Some(match *op {
                    "<" => x < y,
                    "<=" => x <= y,
                    ">" => x > y,
                    ">=" => x >= y,
                    "==" => x == y,
                    _ => x != y,
                })
            }
            Condition::And(both) => {
                let both = [&both[0], &both[1]].map(|c| self.holds(c, at, with));
                both[0]?.zip(both[1]?).map(|(x, y)| x && y)
            }
            Condition::Or(both) => {
                let both = [&both[0], &both[1]].map(|c| self.holds(c, at, with));
                both[0]?.zip(both[1]?).map(|(x, y)| x || y)
            }
            Condition::Not(c) => self.holds(c, at, with)?.map(|x| !x),
        })
    }
}

/// Whether an iteration of a statement hands something on along a dimension, to one that is elsewhere
/// along a carried one.
pub fn hands_on(m: &Model, s: &Statement, along: usize, sizes: &[i64]) -> bool {
    let points = m.all_points(s, sizes);
    let mut reads = Vec::new();
    for at in &points {
        for f in s.with.iter().chain(&s.values) {
            f.reads(m, at, sizes, &mut |array, index| {
                if s.targets.contains(&array) {
                    reads.push((at.clone(), index));
                }
            });
        }
    }
    let place = |d: usize| matches!(s.along[d], Along::Place(_));
    reads.iter().any(|(at, index)| {
        let computed = points.iter().any(|p| p == index);
        let apart = |d: usize| at[d] != index[d];
        computed && !place(along) && apart(along) && s.carried.iter().any(|c| apart(*c))
    })
}

impl Formula {
    /// All elements that are read at a point: the array and the indices.
    pub fn reads(
        &self,
        m: &Model,
        at: &[i64],
        sizes: &[i64],
        found: &mut dyn FnMut(usize, Vec<i64>),
    ) {
        let values = |subs: &[super::model::Sub]| -> Vec<i64> {
            subs.iter().map(|s| s.value(at, sizes)).collect()
        };
        let mut each = |all: &[Formula]| {
            for f in all {
                f.reads(m, at, sizes, found);
            }
        };
        match self {
            Formula::Number(_) | Formula::Parameter | Formula::Index(_) | Formula::Temporary(_) => {
            }
            Formula::Read(a, subs) => found(*a, values(subs)),
            Formula::Macro(n, subs) => m.macros[*n].reads(m, &values(subs), sizes, found),
            Formula::Power(x, _) | Formula::Group(x) => x.reads(m, at, sizes, found),
            Formula::Op(_, both) | Formula::Extern(both) => each(both.as_ref()),
            Formula::BySign(all) => each(all.as_ref()),
            Formula::Call(_, all) => each(all),
            Formula::If(c, both) => {
                each(both.as_ref());
                c.reads(m, at, sizes, found);
            }
        }
    }
}

impl Condition {
    fn reads(&self, m: &Model, at: &[i64], sizes: &[i64], found: &mut dyn FnMut(usize, Vec<i64>)) {
        match self {
            Condition::Compare(_, x, y) => {
                x.reads(m, at, sizes, found);
                y.reads(m, at, sizes, found);
            }
            Condition::And(both) | Condition::Or(both) => {
                both.iter().for_each(|c| c.reads(m, at, sizes, found));
            }
            Condition::Not(c) => c.reads(m, at, sizes, found),
        }
    }
}
