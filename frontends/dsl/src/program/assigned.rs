//! What is assigned, and whether it fits.

use super::Assigned;
use crate::error::{ExprError, Problem, Sizes};

impl Assigned {
    fn fail<T>(&self, problem: Problem) -> Result<T, ExprError> {
        Err(ExprError {
            at: self.at,
            problem,
        })
    }

    /// The shape of what is computed: that of the array, or where there are places that of the
    /// places and the expression.
    ///
    /// # Errors
    ///
    /// An expression is wrong, or none of both has a shape.
    pub fn iterated(&self) -> Result<Sizes, ExprError> {
        let Some(placed) = &self.place else {
            return Ok(self.target.sizes.clone());
        };
        let mut all = [Some(&placed.graph), Some(&self.graph), placed.when.as_ref()]
            .into_iter()
            .flatten();
        let known = all.try_fold(None, |found: Option<Sizes>, graph| {
            let sizes = graph.node()?.sizes.clone();
            Ok::<_, ExprError>(found.or(sizes.filter(|s| !s.is_empty())))
        })?;
        match known {
            Some(sizes) => Ok(sizes),
            None => {
                let operation = "at";
                self.fail(Problem::NoArray { operation })
            }
        }
    }

    /// Whether it has this shape, and the array can be written.
    pub(super) fn check(&self, sizes: &Sizes) -> Result<(), ExprError> {
        let node = self.graph.node()?;
        // An array without axes is a number that is in memory.
        let fits = |s: &Sizes| s.is_empty() || s == sizes;
        let Some(placed) = &self.place else {
            if self.target.sizes != *sizes || !node.sizes.as_ref().is_none_or(fits) {
                let array = self.target.sizes.clone();
                let own = node.sizes.as_ref().filter(|s| **s != array);
                let expression = own.unwrap_or(sizes).clone();
                return self.fail(Problem::Destination { array, expression });
            }
            return self.target.check_writable(self.at);
        };
        if self.target.sizes.len() != 1 {
            let sizes = self.target.sizes.clone();
            return self.fail(Problem::Scatter { sizes });
        }
        let mut all = vec![placed.graph.node()?, node];
        if let Some(when) = &placed.when {
            all.push(when.node()?);
        }
        if let Some(other) = (all.iter().filter_map(|n| n.sizes.as_ref())).find(|s| !fits(s)) {
            return self.fail(Problem::Shapes {
                operation: "at",
                left: sizes.clone(),
                right: other.clone(),
            });
        }
        self.target.check_writable(self.at)
    }
}
