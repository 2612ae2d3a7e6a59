//! Loops, conditions and instances as ops.

use super::tree::Node;
use terrace_dialects::affine::compose::{compose, compose_set};
use terrace_dialects::affine::{ApplyOp, ForOp, IfOp, ParallelOp};
use terrace_ir::affine::{AffineExpr, AffineMap, Constraint, IntegerSet};
use terrace_ir::effects::is_trivially_dead;
use terrace_ir::{Builder, Op, OpKind, Value};

/// Writes `nodes` at the builder's place. `params` are the values of the parameters,
/// which must be valid symbols there; `instance` gets a builder, the number of a
/// statement and the values of its iterators, and writes the statement. Gives the
/// loops that no other of them surrounds.
pub fn emit(
    b: &mut Builder,
    nodes: &[Node],
    params: &[Value],
    instance: &mut dyn FnMut(&mut Builder, usize, &[Value]),
) -> Vec<Op> {
    let mut e = Emitter {
        params,
        variables: Vec::new(),
        dims: Vec::new(),
        outermost: Vec::new(),
        iterators: Vec::new(),
        instance,
    };
    e.all(b, nodes);
    // Subscripts have taken them up.
    for v in e.iterators {
        if let Some(op) = v.def_op()
            && is_trivially_dead(b.ctx, op)
        {
            op.erase(b.ctx);
        }
    }
    e.outermost
}

struct Emitter<'a> {
    params: &'a [Value],
    /// The induction variables around.
    variables: Vec<Value>,
    /// Each dimension of the scan in terms of `variables`.
    dims: Vec<AffineExpr>,
    outermost: Vec<Op>,
    /// Values computed for iterators.
    iterators: Vec<Value>,
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
                parallel,
                body,
            } => {
                let (low, low_operands) = self.map(b, lower);
                let (high, high_operands) = self.map(b, upper);
                let (low, high) = ((low, &low_operands[..]), (high, &high_operands[..]));
                let is_outermost = self.variables.is_empty();
                let mut fill = |b: &mut Builder, variable: Value| {
                    self.set(*dim, AffineExpr::dim(self.variables.len() as u32));
                    self.variables.push(variable);
                    self.all(b, body);
                    self.variables.pop();
                    Vec::new()
                };
                let op = if *parallel {
                    let (low, high) = (([low.0], low.1), ([high.0], high.1));
                    let (low, high) = ((&low.0[..], low.1), (&high.0[..], high.1));
                    ParallelOp::build(b, low, high, &[*step], &[], &[], |b, v| fill(b, v[0])).op()
                } else {
                    ForOp::build(b, low, high, *step, &[], |b, v, _| fill(b, v)).op()
                };
                if is_outermost {
                    self.outermost.push(op);
                }
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

    fn value(&mut self, b: &mut Builder, e: &AffineExpr) -> Value {
        let (map, operands) = self.map(b, std::slice::from_ref(e));
        let v = ApplyOp::build_composed(b, &map, &operands);
        if !operands.contains(&v) {
            self.iterators.push(v);
        }
        v
    }
}
