//! Sums of multiples of numbers that are known by their place in a list.

/// The largest factor, and the most summands, of a form. With numbers of at most
/// [`MAX_SIZE`] in absolute value, and a constant of at most `MAX_CONSTANT`, a form has
/// less than 2^62.
const MAX_FACTOR: i64 = 1 << 16;
const MAX_TERMS: usize = 8;
const MAX_CONSTANT: i64 = 1 << 60;

/// What numbers in forms are compared with before sums of them are trusted.
pub const MAX_SIZE: i64 = 1 << 40;

/// `constant + sum(factor * number)`, numbers in ascending order and no factor zero.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Form {
    pub terms: Vec<(usize, i64)>,
    pub constant: i64,
}

impl Form {
    pub fn constant(constant: i64) -> Option<Form> {
        let terms = Vec::new();
        Form { terms, constant }.checked()
    }

    /// One number.
    pub fn of(number: usize) -> Form {
        Form {
            terms: vec![(number, 1)],
            constant: 0,
        }
    }

    /// The factor of a number.
    pub fn factor(&self, number: usize) -> i64 {
        let found = self.terms.iter().find(|(n, _)| *n == number);
        found.map_or(0, |(_, f)| *f)
    }

    /// `self + factor * other`; none where that is too large.
    pub fn plus(&self, factor: i64, other: &Form) -> Option<Form> {
        let mut terms = self.terms.clone();
        for (number, f) in &other.terms {
            let f = f.checked_mul(factor)?;
            match terms.binary_search_by_key(number, |(n, _)| *n) {
                Ok(at) => terms[at].1 = terms[at].1.checked_add(f)?,
                Err(at) => terms.insert(at, (*number, f)),
            }
        }
        terms.retain(|(_, f)| *f != 0);
        let constant = other.constant.checked_mul(factor)?;
        let constant = self.constant.checked_add(constant)?;
        Form { terms, constant }.checked()
    }

    pub fn times(&self, factor: i64) -> Option<Form> {
        let nothing = Form {
            terms: Vec::new(),
            constant: 0,
        };
        nothing.plus(factor, self)
    }

    fn checked(self) -> Option<Form> {
        let small = |f: &(usize, i64)| f.1.unsigned_abs() <= MAX_FACTOR as u64;
        let fits = self.terms.len() <= MAX_TERMS
            && self.terms.iter().all(small)
            && self.constant.unsigned_abs() <= MAX_CONSTANT as u64;
        fits.then_some(self)
    }

    /// The number that it is, where it has no terms.
    pub fn known(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_cancel_and_have_an_end() {
        let (a, b) = (Form::of(0), Form::of(1));
        let sum = a.plus(3, &b).and_then(|s| s.plus(1, &Form::constant(-2)?));
        let sum = sum.expect("small");
        assert_eq!((sum.factor(0), sum.factor(1), sum.constant), (1, 3, -2));
        let back = sum.plus(-3, &b).and_then(|s| s.plus(-1, &a));
        assert_eq!(back.and_then(|s| s.known()), Some(-2));
        assert_eq!(a.times(MAX_FACTOR + 1), None);
        assert_eq!(Form::constant(i64::MIN), None);
        let many = (0..MAX_TERMS + 1).try_fold(a, |sum, n| sum.plus(1, &Form::of(n + 1)));
        assert_eq!(many, None);
    }
}
