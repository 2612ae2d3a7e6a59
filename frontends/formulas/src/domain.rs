//! The points that a statement is computed at, and questions about them.

use crate::affine::{Form, Var};
use terrace_ir::affine::AffineExpr;
use terrace_presburger::{Int, IntegerProgram, Unknown};

/// An index of a statement: it goes from `first` in steps of `step` as far as `last` allows.
#[derive(Debug, Clone)]
pub struct Axis {
    /// As it is written.
    pub name: String,
    /// The first index, over parameters.
    pub first: Form,
    /// No index is beyond, over parameters.
    pub last: Form,
    /// From one index to the next.
    pub step: i64,
    /// From the last index to the first.
    pub down: bool,
}

impl Axis {
    /// How many points there are; not above 0 where there are none.
    pub fn count(&self) -> AffineExpr {
        let none = |_| AffineExpr::constant(0);
        let span = self.last.expr(&none) - self.first.expr(&none);
        match self.step {
            1 => span + 1,
            n => span.floor_div(AffineExpr::constant(n)) + 1,
        }
    }

    /// The index of the point that is computed after `position` others.
    pub fn index(&self, position: AffineExpr) -> AffineExpr {
        let none = |_| AffineExpr::constant(0);
        let position = match self.down {
            true => self.count() - 1 - position,
            false => position,
        };
        self.first.expr(&none) + position * self.step
    }
}

/// Points of parameters and of one or two points of a statement, by conditions. Parameters are not
/// negative.
pub struct Points<'m> {
    params: usize,
    axes: &'m [Axis],
    /// The factors of params, of the positions of the first point, of the second, of more unknowns.
    rows: Vec<(Vec<i64>, i64, bool)>,
    extra: usize,
}

/// Which of two points is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The one.
    First,
    /// The other.
    Second,
}

impl<'m> Points<'m> {
    /// All values of parameters, with points of the axes.
    pub fn new(params: usize, axes: &'m [Axis]) -> Points<'m> {
        let mut p = Points {
            params,
            axes,
            rows: Vec::new(),
            extra: 0,
        };
        for which in [Which::First, Which::Second] {
            for (k, a) in axes.iter().enumerate() {
                // The last index is not beyond.
                let index = Form::var(Var::Axis(k));
                if let Some(rest) = a.last.plus(&index, -1) {
                    p.at_least(&rest, which, 0);
                }
            }
        }
        p
    }

    fn width(&self) -> usize {
        self.params + 2 * self.axes.len() + self.extra
    }

    /// A form at one of the points, as factors and a constant.
    fn row(&self, form: &Form, which: Which) -> (Vec<i64>, i64) {
        let mut row = vec![0i64; self.width()];
        let mut constant = form.constant;
        let from = match which {
            Which::First => self.params,
            Which::Second => self.params + self.axes.len(),
        };
        for (v, n) in &form.factors {
            match v {
                Var::Param(p) => row[*p] = row[*p].saturating_add(*n),
                Var::Axis(a) => {
                    let axis = &self.axes[*a];
                    row[from + a] = row[from + a].saturating_add(n.saturating_mul(axis.step));
                    constant = constant.saturating_add(n.saturating_mul(axis.first.constant));
                    for (q, m) in &axis.first.factors {
                        if let Var::Param(p) = q {
                            row[*p] = row[*p].saturating_add(n.saturating_mul(*m));
                        }
                    }
                }
            }
        }
        (row, constant)
    }

    /// Demands that a form is not less than a number.
    pub fn at_least(&mut self, form: &Form, which: Which, least: i64) {
        let (row, constant) = self.row(form, which);
        self.rows.push((row, constant.saturating_sub(least), false));
    }

    /// Demands that a form at the first point is another at the second.
    pub fn equal(&mut self, first: &Form, second: &Form) {
        let (mut row, a) = self.row(first, Which::First);
        let (other, b) = self.row(second, Which::Second);
        for (x, y) in row.iter_mut().zip(other) {
            *x = x.saturating_sub(y);
        }
        self.rows.push((row, a.saturating_sub(b), true));
    }

    /// Demands of the position along an axis at the first point, less that at the second, to be at least
    /// `least`, or just that.
    pub fn apart(&mut self, axis: usize, least: i64, exactly: bool, turned: bool) {
        let mut row = vec![0i64; self.width()];
        let sign = if turned { -1 } else { 1 };
        row[self.params + axis] = sign;
        row[self.params + self.axes.len() + axis] = -sign;
        self.rows.push((row, -least, exactly));
    }

    /// Demands that the first point is the first along all axes, and the second the last.
    pub fn corners(&mut self) {
        for k in 0..self.axes.len() {
            let mut row = vec![0i64; self.width()];
            row[self.params + k] = -1;
            self.rows.push((row, 0, false));
            let a = &self.axes[k];
            let beyond = Form::var(Var::Axis(k)).plus(&a.last, -1);
            if let Some(beyond) = beyond {
                self.at_least(&beyond, Which::Second, 1 - a.step);
            }
        }
    }

    /// Demands that the least value of a form at all points is not negative, where [`Self::corners`] holds.
    pub fn all_at_least(&mut self, form: &Form) {
        let (mut row, mut constant) = (vec![0i64; self.width()], form.constant);
        for (v, n) in &form.factors {
            let which = match v {
                Var::Axis(_) if *n < 0 => Which::Second,
                _ => Which::First,
            };
            let one = Form {
                factors: [(*v, *n)].into_iter().collect(),
                constant: 0,
            };
            let (part, more) = self.row(&one, which);
            for (x, y) in row.iter_mut().zip(part) {
                *x = x.saturating_add(y);
            }
            constant = constant.saturating_add(more);
        }
        self.rows.push((row, constant, false));
    }

    /// Demands that a form at the first point, which is not negative, is no multiple of `by`.
    pub fn no_multiple(&mut self, form: &Form, by: i64) {
        let (mut row, constant) = self.row(form, Which::First);
        let at = self.width();
        self.extra += 2;
        row.resize(at + 2, 0);
        // The form is `by` quotients and a remainder from 1.
        row[at] = -by;
        row[at + 1] = -1;
        self.rows.push((row, constant, true));
        let mut rest = vec![0i64; at + 2];
        rest[at + 1] = 1;
        self.rows.push((rest.clone(), -1, false));
        rest[at + 1] = -1;
        self.rows.push((rest, by - 1, false));
    }

    /// The least of the points: parameters, then indices of the first point and of the second.
    ///
    /// # Errors
    ///
    /// Where it is not known whether there is one, or its numbers are too large.
    pub fn least(&self) -> Result<Option<(Vec<i64>, Vec<i64>, Vec<i64>)>, Unknown> {
        let mut program = IntegerProgram::new(self.width());
        for (row, constant, equal) in &self.rows {
            let row: Vec<Int> = row.iter().map(|n| Int::new(*n)).collect();
            match equal {
                true => program.add_equality(&row, Int::new(*constant)),
                false => program.add_inequality(&row, Int::new(*constant)),
            }
        }
        let Some(point) = program.lexmin()? else {
            return Ok(None);
        };
        let point: Option<Vec<i64>> = point.iter().map(Int::to_i64).collect();
        let point = point.ok_or(Unknown::OverBudget {
            what: "a point of a statement",
            steps: 0,
        })?;
        let (params, rest) = point.split_at(self.params);
        let index = |k: usize, position: i64| {
            let a = &self.axes[k];
            let first = value(&a.first, params, &[]);
            first.saturating_add(position.saturating_mul(a.step))
        };
        let n = self.axes.len();
        let of = |from: usize| -> Vec<i64> { (0..n).map(|k| index(k, rest[from + k])).collect() };
        Ok(Some((params.to_vec(), of(0), of(n))))
    }
}

/// The value of a form.
pub fn value(form: &Form, params: &[i64], indices: &[i64]) -> i64 {
    let each = |(v, n): (&Var, &i64)| {
        let x = match v {
            Var::Param(p) => params.get(*p),
            Var::Axis(a) => indices.get(*a),
        };
        n.saturating_mul(x.copied().unwrap_or(0))
    };
    form.factors
        .iter()
        .map(each)
        .fold(form.constant, i64::saturating_add)
}
