//! Whether a dependence hinges on the values of parameters.

use super::linear::Var;
use super::{Dependence, Dependences};

impl Dependences {
    /// Whether the two accesses meet however the parameters are chosen, given enough
    /// iterations: it is known exactly which iterations depend on each other, and the
    /// parameters in the two subscripts cancel. `A[i]` and `A[i + 1]` are certain,
    /// `A[i]` and `A[i + k]` hinge on `k`.
    pub(crate) fn is_proven(&self, d: &Dependence) -> bool {
        let (s, t) = (self.source(d), self.sink(d));
        let (Ok(a), Ok(b)) = (&s.element, &t.element) else {
            return false;
        };
        d.is_exact()
            && a.subscripts.len() == b.subscripts.len()
            && a.subscripts.iter().zip(&b.subscripts).all(|(x, y)| {
                let difference = x.minus(y);
                let mut terms = difference.terms.iter();
                !terms.any(|(v, _)| matches!(v, Var::Param(_)))
            })
    }
}
