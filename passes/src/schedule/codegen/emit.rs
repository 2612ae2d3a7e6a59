//! Loops, conditions and instances as ops.

use super::tree::Node;
use terrace_dialects::affine::compose::{compose, compose_set};
use terrace_dialects::affine::{ApplyOp, ForOp, IfOp, YieldOp};
use terrace_ir::InsertPoint;
use terrace_ir::affine::{AffineExpr, AffineMap, Constraint, IntegerSet};
use terrace_ir::{Builder, Value};

/// Writes `nodes` at the builder's place. `params` are the values of the parameters,
/// which must be valid symbols there; `instance` gets a builder, the number of a
/// statement and the values of its iterators, and writes the statement. Gives the
/// loops that no other of them surrounds.
pub fn emit(
    b: &mut Builder,
    nodes: &[Node],
    params: &[Value],
    instance: &mut dyn FnMut(&mut Builder, usize, &[Value]),
) -> Vec<ForOp> {
    let mut e = Emitter {
        params,
        variables: Vec::new(),
        dims: Vec::new(),
        outermost: Vec::new(),
        instance,
    };
    e.all(b, nodes);
    e.outermost
}

struct Emitter<'a> {
    params: &'a [Value],
    /// The induction variables around.
    variables: Vec<Value>,
    /// Each dimension of the scan in terms of `variables`.
    dims: Vec<AffineExpr>,
    outermost: Vec<ForOp>,
    instance: &'a mut dyn FnMut(&mut Builder, usize, &[Value]),
}

impl Emitter<'_> {
    fn all(&mut self, b: &mut Builder, nodes: &[Node]) {
        for n in nodes {
            self.node(b, n);
        }
    }

    fn node(&mut self, b: &mut Builder, node: &Node) {
        match node {
            Node::Loop {
                dim,
                lower,
                upper,
                step,
                body,
            } => {
                let (lo, lo_operands) = self.map(b, lower);
                let (hi, hi_operands) = self.map(b, upper);
                let f = ForOp::build_open(b, (lo, &lo_operands), (hi, &hi_operands), *step, &[]);
                if self.variables.is_empty() {
                    self.outermost.push(f);
                }
                let variable = AffineExpr::dim(self.variables.len() as u32);
                self.set(*dim, variable);
                self.variables.push(f.iv(b.ctx));
                let block = f.body(b.ctx);
                b.with_point(InsertPoint::End(block), |b| {
                    self.all(b, body);
                    b.op::<YieldOp>(&[], &[], &[]);
                });
                self.variables.pop();
            }
            Node::Let { dim, value, body } => {
                let value = self.inlined(value);
                self.set(*dim, value);
                self.all(b, body);
            }
            Node::If { conditions, body } => {
                let inlined = conditions.iter().map(|c| Constraint {
                    expr: self.inlined(&c.expr),
                    is_eq: c.is_eq,
                });
                let (n, p) = (self.variables.len() as u32, self.params.len() as u32);
                let set = IntegerSet::new(n, p, inlined.collect());
                let (set, operands) = compose_set(b.ctx, &set, &self.operands());
                let then = |b: &mut Builder| {
                    self.all(b, body);
                    Vec::new()
                };
                IfOp::build(b, set, &operands, &[], then, None);
            }
            Node::Instance {
                statement,
                iterators,
            } => {
                let values: Vec<Value> = iterators.iter().map(|e| self.value(b, e)).collect();
                (self.instance)(b, *statement, &values);
            }
        }
    }

    fn set(&mut self, dim: usize, value: AffineExpr) {
        if self.dims.len() <= dim {
            self.dims.resize(dim + 1, AffineExpr::constant(0));
        }
        self.dims[dim] = value;
    }

    /// In terms of the induction variables.
    fn inlined(&self, e: &AffineExpr) -> AffineExpr {
        e.replace_dims(&self.dims)
    }

    fn operands(&self) -> Vec<Value> {
        [&self.variables, self.params].concat()
    }

    fn map(&self, b: &mut Builder, results: &[AffineExpr]) -> (AffineMap, Vec<Value>) {
        let results = results.iter().map(|e| self.inlined(e)).collect();
        let (n, p) = (self.variables.len() as u32, self.params.len() as u32);
        let map = AffineMap::new(n, p, results).remove_duplicate_results();
        let composed = compose(b.ctx, &map, &self.operands());
        (composed.map, composed.operands)
    }

    fn value(&self, b: &mut Builder, e: &AffineExpr) -> Value {
        let (map, operands) = self.map(b, std::slice::from_ref(e));
        ApplyOp::build_composed(b, &map, &operands)
    }
}
