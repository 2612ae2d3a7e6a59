//! Where the elements of an array lie.
//!
//! The element of index `x` in a dimension from `low` in steps of `by` has the position
//! `(x - low) / by`. With `n` bands the position `p` is element `p / n` of band `p mod n`, so that a step
//! of `n` over positions goes to the next element in memory.

use crate::affine::Form;
use crate::ast::Name;
use terrace_ir::affine::AffineExpr;

/// What is known of the elements' signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Nothing.
    Any,
    /// Above nought.
    Positive,
    /// Not below nought.
    Nonnegative,
}

/// A dimension.
#[derive(Debug, Clone)]
pub struct Dim {
    /// As it is written.
    pub name: Name,
    /// The first index, over parameters.
    pub low: Form,
    /// No index is beyond, over parameters.
    pub high: Form,
    /// From one index to the next.
    pub by: i64,
    /// How many bands the positions are spread over; 1 for none.
    pub bands: i64,
    /// All elements along it are one.
    pub same: bool,
}

/// An array.
#[derive(Debug, Clone)]
pub struct Array {
    /// As it is written.
    pub name: Name,
    /// In the order of subscripts.
    pub dims: Vec<Dim>,
    /// The dimensions that there are in memory, the outermost first.
    pub order: Vec<usize>,
    /// What is known of its elements.
    pub sign: Sign,
}

/// The greatest integer that is not above a fraction.
fn floor(e: AffineExpr, by: i64) -> AffineExpr {
    match by {
        1 => e,
        by => e.floor_div(AffineExpr::constant(by)),
    }
}

fn remainder(e: AffineExpr, by: i64) -> AffineExpr {
    e.modulo(AffineExpr::constant(by))
}

impl Dim {
    /// How many indices there are, over symbols that are parameters.
    pub fn count(&self) -> AffineExpr {
        let none = |_| AffineExpr::constant(0);
        floor(self.high.expr(&none) - self.low.expr(&none), self.by) + 1
    }

    /// The sizes in memory, the band first.
    fn sizes(&self) -> Vec<AffineExpr> {
        match self.bands {
            1 => vec![self.count()],
            n => vec![AffineExpr::constant(n), floor(self.count() + (n - 1), n)],
        }
    }

    /// The subscripts in memory of an index, the band first.
    fn places(&self, index: AffineExpr) -> Vec<AffineExpr> {
        let none = |_| AffineExpr::constant(0);
        let position = floor(index - self.low.expr(&none), self.by);
        match self.bands {
            1 => vec![position],
            n => vec![remainder(position.clone(), n), floor(position, n)],
        }
    }
}

impl Array {
    /// The sizes of the array in memory, the outermost first.
    pub fn shape(&self) -> Vec<AffineExpr> {
        self.order
            .iter()
            .flat_map(|d| self.dims[*d].sizes())
            .collect()
    }

    /// The subscripts in memory of an element.
    pub fn subscripts(&self, of: &[AffineExpr]) -> Vec<AffineExpr> {
        let each = |d: &usize| self.dims[*d].places(of[*d].clone());
        self.order.iter().flat_map(each).collect()
    }
}
