//! What a scan comes to: loops, conditions and instances, before there is any IR.

use terrace_ir::affine::{AffineExpr, Constraint};

/// A piece of the generated program. In its expressions, dimension `k` is the scan's
/// dimension k (the times first, then a statement's iterators), symbols are the
/// parameters.
#[derive(Clone, Debug)]
pub enum Node {
    /// From the greatest of `lower` up to, not including, the least of `upper`.
    Loop {
        dim: usize,
        lower: Vec<AffineExpr>,
        upper: Vec<AffineExpr>,
        step: i64,
        /// Iterations may run at once.
        parallel: bool,
        body: Vec<Node>,
    },
    /// A dimension that has one value.
    Let {
        dim: usize,
        value: AffineExpr,
        body: Vec<Node>,
    },
    /// Only where all conditions hold.
    If {
        conditions: Vec<Constraint>,
        body: Vec<Node>,
    },
    /// An instance of a statement.
    Instance {
        statement: usize,
        iterators: Vec<AffineExpr>,
    },
}

impl Node {
    /// Whether any expression mentions parameter `p`.
    pub fn mentions(&self, p: u32) -> bool {
        let in_one = |e: &AffineExpr| e.is_function_of_symbol(p);
        let in_any = |exprs: &[AffineExpr]| exprs.iter().any(in_one);
        let below = |body: &[Node]| body.iter().any(|n| n.mentions(p));
        match self {
            Node::Loop {
                lower, upper, body, ..
            } => in_any(lower) || in_any(upper) || below(body),
            Node::Let { value, body, .. } => in_one(value) || below(body),
            Node::If { conditions, body } => {
                conditions.iter().any(|c| in_one(&c.expr)) || below(body)
            }
            Node::Instance { iterators, .. } => in_any(iterators),
        }
    }

    /// Runs the piece for these parameters: `visit` gets each instance in turn.
    /// `point` holds the dimensions' values. Nothing where a value does not fit in 64 bits.
    #[cfg(test)]
    pub fn execute(
        &self,
        params: &[i64],
        point: &mut Vec<i64>,
        visit: &mut dyn FnMut(usize, &[i64]),
    ) -> Option<()> {
        let all = |body: &[Node], point: &mut Vec<i64>, visit: &mut dyn FnMut(usize, &[i64])| {
            body.iter()
                .try_for_each(|n| n.execute(params, point, visit))
        };
        match self {
            Node::Loop {
                dim,
                lower,
                upper,
                step,
                body,
                ..
            } => {
                let values = |exprs: &[AffineExpr]| -> Option<Vec<i64>> {
                    exprs.iter().map(|e| e.eval(point, params)).collect()
                };
                let mut t = values(lower)?.into_iter().max()?;
                let end = values(upper)?.into_iter().min()?;
                while t < end {
                    point[*dim] = t;
                    all(body, point, visit)?;
                    t = t.checked_add(*step)?;
                }
            }
            Node::Let { dim, value, body } => {
                point[*dim] = value.eval(point, params)?;
                all(body, point, visit)?;
            }
            Node::If { conditions, body } => {
                for c in conditions {
                    let v = c.expr.eval(point, params)?;
                    if (c.is_eq && v != 0) || v < 0 {
                        return Some(());
                    }
                }
                all(body, point, visit)?;
            }
            Node::Instance {
                statement,
                iterators,
            } => {
                let values: Option<Vec<i64>> =
                    iterators.iter().map(|e| e.eval(point, params)).collect();
                visit(*statement, &values?);
            }
        }
        Some(())
    }
}
