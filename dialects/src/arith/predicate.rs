//! The predicates of comparisons.

use std::cmp::Ordering;
use terrace_ir::num::{Float, Int};
use terrace_ir::{Attr, Context};

/// An integer comparison. The numbers are those of the attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i64)]
pub enum CmpIPredicate {
    /// Equal.
    Eq = 0,
    /// Not equal.
    Ne = 1,
    /// Less, signed.
    Slt = 2,
    /// Less or equal, signed.
    Sle = 3,
    /// Greater, signed.
    Sgt = 4,
    /// Greater or equal, signed.
    Sge = 5,
    /// Less, unsigned.
    Ult = 6,
    /// Less or equal, unsigned.
    Ule = 7,
    /// Greater, unsigned.
    Ugt = 8,
    /// Greater or equal, unsigned.
    Uge = 9,
}

impl CmpIPredicate {
    /// All predicates, each at its number.
    pub const ALL: [CmpIPredicate; 10] = {
        use CmpIPredicate::*;
        [Eq, Ne, Slt, Sle, Sgt, Sge, Ult, Ule, Ugt, Uge]
    };

    /// The predicate of this number in the IR; `None` if there is none.
    pub fn from_i64(v: i64) -> Option<Self> {
        Self::ALL.get(usize::try_from(v).ok()?).copied()
    }

    /// The predicate whose attribute has the number `self as i64`.
    pub fn attr(self, ctx: &Context) -> Attr {
        ctx.i64_attr(self as i64)
    }

    /// Whether `a self b` holds; both have the same width.
    pub fn eval(self, a: &Int, b: &Int) -> bool {
        use CmpIPredicate::*;
        match self {
            Eq | Ne | Ult | Ule | Ugt | Uge => self.holds(a.cmp_u(b)),
            Slt | Sle | Sgt | Sge => self.holds(a.cmp_s(b)),
        }
    }

    /// [`Self::eval`] on plain numbers of at most 64 bits, sign-extended.
    pub fn eval_i64(self, a: i64, b: i64) -> bool {
        if self.is_unsigned() {
            self.holds((a as u64).cmp(&(b as u64)))
        } else {
            self.holds(a.cmp(&b))
        }
    }

    /// Whether the predicate holds of two values in this order.
    fn holds(self, o: Ordering) -> bool {
        use CmpIPredicate::*;
        match self {
            Eq => o.is_eq(),
            Ne => o.is_ne(),
            Slt | Ult => o.is_lt(),
            Sle | Ule => o.is_le(),
            Sgt | Ugt => o.is_gt(),
            Sge | Uge => o.is_ge(),
        }
    }

    /// Whether it orders operands as unsigned numbers.
    pub fn is_unsigned(self) -> bool {
        self as i64 >= CmpIPredicate::Ult as i64
    }

    /// Whether it holds of equal values.
    pub(crate) fn of_equals(self) -> bool {
        self.holds(Ordering::Equal)
    }

    /// The predicate that holds exactly where this one does not.
    pub fn inverted(self) -> Self {
        use CmpIPredicate::*;
        match self {
            Eq => Ne,
            Ne => Eq,
            Slt => Sge,
            Sle => Sgt,
            Sgt => Sle,
            Sge => Slt,
            Ult => Uge,
            Ule => Ugt,
            Ugt => Ule,
            Uge => Ult,
        }
    }

    /// `p` such that `a self b` is `b p a`.
    pub fn swapped(self) -> Self {
        use CmpIPredicate::*;
        match self {
            Eq => Eq,
            Ne => Ne,
            Slt => Sgt,
            Sle => Sge,
            Sgt => Slt,
            Sge => Sle,
            Ult => Ugt,
            Ule => Uge,
            Ugt => Ult,
            Uge => Ule,
        }
    }
}

/// A float comparison; `O..` holds only of ordered values, `U..` also with a NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i64)]
pub enum CmpFPredicate {
    /// Never.
    AlwaysFalse = 0,
    /// Equal, and neither is NaN.
    Oeq = 1,
    /// Greater, and neither is NaN.
    Ogt = 2,
    /// Greater or equal, and neither is NaN.
    Oge = 3,
    /// Less, and neither is NaN.
    Olt = 4,
    /// Less or equal, and neither is NaN.
    Ole = 5,
    /// Not equal, and neither is NaN.
    One = 6,
    /// Neither is NaN.
    Ord = 7,
    /// Equal, or one is NaN.
    Ueq = 8,
    /// Greater, or one is NaN.
    Ugt = 9,
    /// Greater or equal, or one is NaN.
    Uge = 10,
    /// Less, or one is NaN.
    Ult = 11,
    /// Less or equal, or one is NaN.
    Ule = 12,
    /// Not equal, or one is NaN.
    Une = 13,
    /// One is NaN.
    Uno = 14,
    /// Always.
    AlwaysTrue = 15,
}

impl CmpFPredicate {
    /// All predicates, each at its number.
    pub const ALL: [CmpFPredicate; 16] = {
        use CmpFPredicate::*;
        [
            AlwaysFalse,
            Oeq,
            Ogt,
            Oge,
            Olt,
            Ole,
            One,
            Ord,
            Ueq,
            Ugt,
            Uge,
            Ult,
            Ule,
            Une,
            Uno,
            AlwaysTrue,
        ]
    };

    /// The predicate of this number in the IR; `None` if there is none.
    pub fn from_i64(v: i64) -> Option<Self> {
        Self::ALL.get(usize::try_from(v).ok()?).copied()
    }

    /// The number as the IR holds it.
    pub fn attr(self, ctx: &Context) -> Attr {
        ctx.i64_attr(self as i64)
    }

    /// The predicate that holds exactly where this one does not: of numbers the opposite one,
    /// and of a NaN the other answer.
    pub fn inverted(self) -> Self {
        use CmpFPredicate::*;
        match self {
            AlwaysFalse => AlwaysTrue,
            Oeq => Une,
            Ogt => Ule,
            Oge => Ult,
            Olt => Uge,
            Ole => Ugt,
            One => Ueq,
            Ord => Uno,
            Ueq => One,
            Ugt => Ole,
            Uge => Olt,
            Ult => Oge,
            Ule => Ogt,
            Une => Oeq,
            Uno => Ord,
            AlwaysTrue => AlwaysFalse,
        }
    }

    /// The predicate that holds of `a` and `b` exactly where this one does of `b` and `a`.
    pub fn swapped(self) -> Self {
        use CmpFPredicate::*;
        match self {
            Ogt => Olt,
            Oge => Ole,
            Olt => Ogt,
            Ole => Oge,
            Ugt => Ult,
            Uge => Ule,
            Ult => Ugt,
            Ule => Uge,
            same => same,
        }
    }

    /// Whether `a self b` holds; both of one format.
    pub fn eval(self, a: &Float, b: &Float) -> bool {
        self.holds(a.compare(b))
    }

    /// [`Self::eval`] on machine numbers.
    pub fn eval_f64(self, a: f64, b: f64) -> bool {
        self.holds(a.partial_cmp(&b))
    }

    /// Whether the predicate holds of two values in this order, `None` with a NaN.
    fn holds(self, o: Option<Ordering>) -> bool {
        use CmpFPredicate::*;
        let Some(o) = o else {
            return self as i64 >= Ueq as i64;
        };
        match self {
            AlwaysFalse | Uno => false,
            AlwaysTrue | Ord => true,
            Oeq | Ueq => o.is_eq(),
            Ogt | Ugt => o.is_gt(),
            Oge | Uge => o.is_ge(),
            Olt | Ult => o.is_lt(),
            Ole | Ule => o.is_le(),
            One | Une => o.is_ne(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverted_comparison_of_floats_holds_where_the_other_does_not() {
        for p in CmpFPredicate::ALL {
            for (a, b) in [(1.0, 2.0), (2.0, 1.0), (1.0, 1.0), (f64::NAN, 1.0)] {
                assert_ne!(
                    p.eval_f64(a, b),
                    p.inverted().eval_f64(a, b),
                    "{p:?} {a} {b}"
                );
            }
        }
    }
}
