//! The least and the greatest value of an affine form over integer points.

use crate::conjunct::Conjunct;
use crate::int::Int;
use crate::unknown::Unknown;

/// The least or the greatest value of an affine form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extremum {
    /// There is no point.
    Empty,
    /// There are points, and no least (greatest) value.
    Unbounded,
    At(Int),
}

impl Conjunct {
    /// The least value that the affine form takes on the integer points. The form has
    /// an entry for each column, those of the locals too, and the constant last.
    ///
    /// # Errors
    ///
    /// [`Unknown::OverBudget`] where the search was given up.
    ///
    /// # Panics
    ///
    /// If the form has not [`Conjunct::row_len`] entries.
    pub fn minimum(&self, form: &[Int]) -> Result<Extremum, Unknown> {
        assert_eq!(form.len(), self.row_len(), "one entry for each column");
        let Some(point) = self.sample_with_locals()? else {
            return Ok(Extremum::Empty);
        };
        if self.decreases_forever(form)? {
            return Ok(Extremum::Unbounded);
        }
        // Halving between a value that is taken and one below all that are: the form
        // is bounded, so doubling the distance finds the latter.
        let mut taken = value_at(form, &point);
        let mut distance = Int::ONE;
        let mut below = loop {
            let bound = &taken - &distance;
            match self.sample_at_most(form, &bound)? {
                Some(value) => taken = value,
                None => break bound,
            }
            distance = &distance + &distance;
        };
        loop {
            let gap = &taken - &below;
            if gap.is_one() {
                return Ok(Extremum::At(taken));
            }
            let middle = &below + &gap.div_floor(&Int::new(2));
            match self.sample_at_most(form, &middle)? {
                Some(value) => taken = value,
                None => below = middle,
            }
        }
    }

    /// The greatest value that the affine form takes on the integer points, as
    /// [`Conjunct::minimum`].
    ///
    /// # Errors
    ///
    /// [`Unknown::OverBudget`] where the search was given up.
    ///
    /// # Panics
    ///
    /// If the form has not [`Conjunct::row_len`] entries.
    pub fn maximum(&self, form: &[Int]) -> Result<Extremum, Unknown> {
        let negated: Vec<Int> = form.iter().map(|entry| -entry).collect();
        Ok(match self.minimum(&negated)? {
            Extremum::At(value) => Extremum::At(-value),
            other => other,
        })
    }

    /// Whether the rational points have a direction in which the form falls. With an
    /// integer point there is then an integer one as far down as wanted (R. R. Meyer,
    /// 1974: integer hull and polyhedron recede in the same directions).
    fn decreases_forever(&self, form: &[Int]) -> Result<bool, Unknown> {
        let mut cone = self.clone();
        let constant = self.row_len() - 1;
        for row in cone.equalities.iter_mut().chain(&mut cone.inequalities) {
            row[constant] = Int::ZERO;
        }
        let falling: Vec<Int> = form[..constant].iter().map(|entry| -entry).collect();
        cone.add_inequality(&falling, Int::MINUS_ONE);
        Ok(!cone.is_empty()?)
    }

    /// The form's value at some point where it is `bound` or less.
    fn sample_at_most(&self, form: &[Int], bound: &Int) -> Result<Option<Int>, Unknown> {
        let mut part = self.clone();
        let constant = self.row_len() - 1;
        let negated: Vec<Int> = form[..constant].iter().map(|entry| -entry).collect();
        part.add_inequality(&negated, bound - &form[constant]);
        let point = part.sample_with_locals()?;
        Ok(point.map(|point| value_at(form, &point)))
    }
}

fn value_at(form: &[Int], point: &[Int]) -> Int {
    let mut value = form[form.len() - 1].clone();
    for (a, x) in form.iter().zip(point) {
        value.add_product(a, x);
    }
    value
}
