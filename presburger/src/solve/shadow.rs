//! Fourier-Motzkin elimination where it is exact over the integers.
//!
//! W. Pugh, "The Omega test: a fast and practical integer programming algorithm for
//! dependence analysis", 1991, section 2.3. From `a x + l >= 0` and `-b x + u >= 0`
//! follows `a u + b l >= 0`. Where a or b is 1, there is an integer x between the
//! bounds for every point of that shadow. Other variables are left to the simplex.

use crate::num::{Budget, Num, Stop};
use crate::solve::rows::Rows;
use crate::solve::system::System;

/// A variable to eliminate, and what that costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub var: usize,
    /// It has lower bounds only, or upper bounds only: what it is in says nothing.
    pub open: bool,
    /// The shadow is exact.
    pub exact: bool,
    /// How many rows there are more (less, where negative) afterwards.
    pub growth: i64,
}

/// The bounds that one variable has.
#[derive(Clone, Copy, Default)]
struct Bounds {
    lower: u32,
    upper: u32,
    /// A lower (upper) bound with a coefficient other than 1 (-1).
    lower_scaled: bool,
    upper_scaled: bool,
}

impl<N: Num> System<N> {
    /// The variable that is best eliminated, exact ones first, and never `but`; none
    /// where no inequality with another variable is left.
    pub fn choose(&self, but: Option<usize>) -> Option<Choice> {
        let vars = self.vars();
        let mut bounds: smallvec::SmallVec<[Bounds; 24]> =
            smallvec::smallvec![Bounds::default(); vars];
        for row in self.inequalities.iter() {
            for (bound, entry) in bounds.iter_mut().zip(row) {
                match entry.signum() {
                    0 => {}
                    1 => {
                        bound.lower += 1;
                        bound.lower_scaled |= !entry.is_unit();
                    }
                    _ => {
                        bound.upper += 1;
                        bound.upper_scaled |= !entry.is_unit();
                    }
                }
            }
        }
        let mut best: Option<Choice> = None;
        for (var, bound) in bounds.iter().enumerate() {
            let (lower, upper) = (i64::from(bound.lower), i64::from(bound.upper));
            if lower + upper == 0 || but == Some(var) {
                continue;
            }
            let open = lower == 0 || upper == 0;
            let choice = Choice {
                var,
                open,
                exact: open || !bound.lower_scaled || !bound.upper_scaled,
                growth: lower * upper - lower - upper,
            };
            if open {
                return Some(choice);
            }
            let better = |old: &Choice| (!choice.exact, choice.growth) < (!old.exact, old.growth);
            if best.as_ref().is_none_or(better) {
                best = Some(choice);
            }
        }
        best
    }

    /// Takes an open variable away, with all inequalities that it is in.
    pub fn forget(&mut self, var: usize) {
        if let Some(trail) = &mut self.trail {
            trail.between(var, with_var(&self.inequalities, var));
        }
        self.inequalities.retain(|row| row[var].is_zero());
    }

    /// Takes `var` away; legal for the choices called exact.
    pub fn eliminate(&mut self, var: usize, budget: &mut Budget) -> Result<(), Stop> {
        let shadow = self.shadow(var, budget)?;
        let before = std::mem::replace(&mut self.inequalities, shadow);
        if let Some(trail) = &mut self.trail {
            trail.between(var, with_var(&before, var));
        }
        Ok(())
    }

    /// The shadow of the inequalities along `var`.
    fn shadow(&self, var: usize, budget: &mut Budget) -> Result<Rows<N>, Stop> {
        let rows = &self.inequalities;
        let mut shadow = Rows::with_capacity(rows.width(), rows.len());
        for row in rows.iter() {
            if row[var].is_zero() {
                shadow.push(row);
            }
        }
        for lower in rows.iter().filter(|row| row[var].signum() > 0) {
            let a = &lower[var];
            for upper in rows.iter().filter(|row| row[var].signum() < 0) {
                budget.spend(1)?;
                let b = upper[var].neg()?;
                let row = shadow.push_zeros();
                for ((entry, l), u) in row.iter_mut().zip(lower).zip(upper) {
                    entry.add_product(a, u)?;
                    entry.add_product(&b, l)?;
                }
            }
        }
        Ok(shadow)
    }
}

fn with_var<N: Num>(rows: &Rows<N>, var: usize) -> Rows<N> {
    let mut with = Rows::new(rows.width());
    for row in rows.iter().filter(|row| !row[var].is_zero()) {
        with.push(row);
    }
    with
}
