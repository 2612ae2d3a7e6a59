//! How a subscript changes along the lanes of a vector.

use crate::analysis::linear::Linear;
use terrace_dialects::affine::{ForOp, compose::compose};
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_ir::{Context, Value};

/// How much larger index `v` is in each iteration of `l` than in the one before; `None` where
/// it does not grow evenly, as far as its affine form tells.
pub fn growth(ctx: &Context, v: Value, l: ForOp) -> Option<i64> {
    let composed = compose(ctx, &AffineMap::dim_identity(), &[v]);
    let forms = Linear::of_map(&composed.map, &composed.operands)?;
    Some(forms.first()?.coefficient(l.iv(ctx)))
}

/// The loop that a dimension of vectors runs along, as subscripts see it.
pub struct Along {
    /// Its variable is this dimension of the map.
    pub dim: u32,
    /// How many lanes there are.
    pub size: i64,
    /// Its lower bound, where that is a constant: vectors start there and every `size`
    /// further on.
    pub lower: Option<i64>,
}

impl Along {
    /// How much larger `e` is in each lane than in the one before; `None` where that is not
    /// the same in all lanes of all vectors, as far as is known.
    pub fn step_of(&self, e: &AffineExpr, map: &AffineMap) -> Option<i64> {
        match e {
            AffineExpr::Constant(_) | AffineExpr::Symbol(_) => return Some(0),
            AffineExpr::Dim(d) => return Some(i64::from(*d == self.dim)),
            AffineExpr::Binary(_) => {}
        }
        let (op, lhs, rhs) = e.as_binary()?;
        let (x, y) = (self.step_of(lhs, map)?, self.step_of(rhs, map)?);
        match op {
            AffineOp::Add => x.checked_add(y),
            AffineOp::Mul => match (x, y) {
                (0, 0) => Some(0),
                (x, 0) => x.checked_mul(rhs.as_constant()?),
                (0, y) => y.checked_mul(lhs.as_constant()?),
                _ => None,
            },
            _ if x == 0 && y == 0 => Some(0),
            // Whole vectors stay within one period where they start at multiples of their
            // size and the period is one too.
            AffineOp::Mod | AffineOp::FloorDiv => {
                let period = rhs.as_constant().filter(|m| *m > 0)?;
                let fits = x == 1 && period % self.size == 0 && self.is_aligned(lhs, map);
                fits.then_some(i64::from(op == AffineOp::Mod))
            }
            AffineOp::CeilDiv => None,
        }
    }

    /// Whether `e` is a multiple of the size in the first lane of every vector.
    fn is_aligned(&self, e: &AffineExpr, map: &AffineMap) -> bool {
        let Some(lower) = self.lower else {
            return false;
        };
        let dims: Vec<AffineExpr> = (0..map.num_dims())
            .map(|d| match AffineExpr::dim(d) {
                e if d == self.dim => e * self.size + lower,
                e => e,
            })
            .collect();
        let first = AffineMap::new(
            map.num_dims(),
            map.num_symbols(),
            vec![e.replace_dims(&dims)],
        );
        first.simplify().results()[0].is_multiple_of(self.size)
    }
}
