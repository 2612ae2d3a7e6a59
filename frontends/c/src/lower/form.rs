//! Integers of the program as arithmetic on index values.
//!
//! A [`Form`] says what a C integer is in terms of counters and of values that are
//! computed elsewhere, so that `A[i * n + j]` reaches the analyses as arithmetic on
//! `index` with casts at the leaves only, whatever the types of `i`, `n` and `j` are.
//! A form is equal to the C value, except that one of an unsigned 64-bit expression is
//! equal to it modulo 2^64, as an address is: then it is not [`Form::exact`].

use std::rc::Rc;
use terrace_dialects::arith;

use terrace_dialects::affine::ApplyOp;
use terrace_dialects::affine::scope::{is_dim, is_symbol};
use terrace_dialects::arith::IndexCastOp;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Builder, InsertPoint, Value};

use super::Lowerer;

/// The largest form that is kept; larger ones become a value.
const MAX_SIZE: u32 = 64;

#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    node: Rc<Node>,
    size: u32,
    /// Surely not negative.
    pub nonneg: bool,
    pub exact: bool,
}

#[derive(Debug, PartialEq)]
enum Node {
    Const(i64),
    /// An index, or an integer that is extended by its sign (`true`) or by zeros.
    Leaf(Value, bool),
    Add(Form, Form),
    Sub(Form, Form),
    Mul(Form, Form),
    /// Quotient by a positive constant, rounded down.
    Div(Form, i64),
    /// Remainder of what is not negative by a positive constant.
    Rem(Form, i64),
}

impl Form {
    fn new(node: Node, size: u32, nonneg: bool, exact: bool) -> Form {
        Form {
            node: Rc::new(node),
            size,
            nonneg,
            exact,
        }
    }

    pub fn constant(c: i64) -> Form {
        Form::new(Node::Const(c), 1, c >= 0, true)
    }

    /// A value of index type, or of an integer type that is signed or not.
    pub fn leaf(v: Value, signed: bool, nonneg: bool, exact: bool) -> Form {
        Form::new(Node::Leaf(v, signed), 1, nonneg, exact)
    }

    pub fn as_constant(&self) -> Option<i64> {
        match *self.node {
            Node::Const(c) => Some(c),
            _ => None,
        }
    }

    /// The values that it is made of.
    pub fn leaves(&self) -> Vec<Value> {
        match &*self.node {
            Node::Const(_) => Vec::new(),
            Node::Leaf(v, _) => vec![*v],
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => {
                let mut all = a.leaves();
                all.extend(b.leaves());
                all
            }
            Node::Div(a, _) | Node::Rem(a, _) => a.leaves(),
        }
    }

    pub fn is_leaf(&self) -> bool {
        matches!(*self.node, Node::Leaf(..))
    }

    /// Whether it is a remainder by 2.
    pub fn is_bit(&self) -> bool {
        matches!(*self.node, Node::Rem(_, 2))
    }

    /// Whether a sum or product with the other one is small enough to keep.
    pub fn fits(&self, other: &Form) -> bool {
        self.size + other.size < MAX_SIZE
    }

    pub fn add(&self, other: &Form) -> Form {
        if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant())
            && let Some(c) = a.checked_add(b)
        {
            return Form::constant(c);
        }
        if other.as_constant() == Some(0) {
            return self.clone();
        }
        if self.as_constant() == Some(0) {
            return other.clone();
        }
        // (x + a) + b, so that walks over arrays do not grow.
        if let (Node::Add(x, a), Some(b)) = (&*self.node, other.as_constant())
            && let Some(c) = a.as_constant().and_then(|a| a.checked_add(b))
        {
            return x.add(&Form::constant(c));
        }
        let (size, nonneg) = (self.size + other.size + 1, self.nonneg && other.nonneg);
        let exact = self.exact && other.exact;
        Form::new(Node::Add(self.clone(), other.clone()), size, nonneg, exact)
    }

    pub fn sub(&self, other: &Form) -> Form {
        if self == other {
            return Form::constant(0);
        }
        if let Some(c) = other.as_constant().and_then(i64::checked_neg) {
            return self.add(&Form::constant(c));
        }
        // What a loop that counts down makes of its end.
        if let Node::Sub(x, a) = &*other.node
            && x == self
        {
            return a.clone();
        }
        let size = self.size + other.size + 1;
        let exact = self.exact && other.exact;
        Form::new(Node::Sub(self.clone(), other.clone()), size, false, exact)
    }

    pub fn mul(&self, other: &Form) -> Form {
        if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant())
            && let Some(c) = a.checked_mul(b)
        {
            return Form::constant(c);
        }
        for (a, b) in [(self, other), (other, self)] {
            match b.as_constant() {
                Some(1) => return a.clone(),
                Some(0) => return Form::constant(0),
                _ => {}
            }
        }
        let (size, nonneg) = (self.size + other.size + 1, self.nonneg && other.nonneg);
        let exact = self.exact && other.exact;
        Form::new(Node::Mul(self.clone(), other.clone()), size, nonneg, exact)
    }

    /// C's quotient or remainder by a positive constant, of what is not negative.
    pub fn divide(&self, by: i64, remainder: bool) -> Option<Form> {
        if !self.nonneg || !self.exact || by <= 0 {
            return None;
        }
        if let Some(c) = self.as_constant() {
            return Some(Form::constant(if remainder { c % by } else { c / by }));
        }
        let node = match remainder {
            true => Node::Rem(self.clone(), by),
            false => Node::Div(self.clone(), by),
        };
        Some(Form::new(node, self.size + 1, true, true))
    }

    /// The quotient by a positive constant, rounded up.
    pub fn ceil_div(&self, by: i64) -> Form {
        if let Some(c) = self.as_constant() {
            return Form::constant(c.div_euclid(by) + i64::from(c.rem_euclid(by) > 0));
        }
        let up = self.add(&Form::constant(by - 1));
        Form::new(Node::Div(up, by), self.size + 2, self.nonneg, self.exact)
    }

    /// The same number read as another type, which may know more or less of it.
    pub fn with(&self, nonneg: bool, exact: bool) -> Form {
        Form {
            nonneg,
            exact,
            ..self.clone()
        }
    }
}

/// Operands of a map under construction.
#[derive(Default)]
pub struct Operands {
    pub dims: Vec<Value>,
    pub symbols: Vec<Value>,
}

impl Operands {
    pub fn all(&self) -> Vec<Value> {
        [self.dims.as_slice(), &self.symbols].concat()
    }

    pub fn map(&self, results: Vec<AffineExpr>) -> AffineMap {
        AffineMap::new(self.dims.len() as u32, self.symbols.len() as u32, results).simplify()
    }

    fn position(list: &mut Vec<Value>, v: Value) -> u32 {
        let at = list.iter().position(|x| *x == v).unwrap_or_else(|| {
            list.push(v);
            list.len() - 1
        });
        at as u32
    }
}

impl Lowerer<'_> {
    /// The index equal to a leaf. It is made where the leaf is defined, once, so that
    /// equal subscripts have equal operands.
    fn index_of(&mut self, v: Value, signed: bool) -> Value {
        if v.ty(self.ctx).is_index(self.ctx) {
            return v;
        }
        if let Some(i) = self.indices.get(&(v, signed)) {
            return *i;
        }
        let at = match (v.def_op(), v.arg_block()) {
            (Some(op), _) => InsertPoint::After(op),
            (None, Some(block)) => InsertPoint::Start(block),
            (None, None) => InsertPoint::End(self.block),
        };
        let loc = v.loc(self.ctx);
        let index = self.ctx.index();
        let name = match signed {
            true => arith::IndexCastOp::NAME,
            false => arith::IndexCastUIOp::NAME,
        };
        let def = self.ctx.op_def(name);
        let mut b = Builder::new(self.ctx, at, loc);
        let mut state = b.state::<IndexCastOp>();
        state.def = def.or(state.def);
        let op = b.create(state.operands(&[v]).results(&[index]));
        let i = op.result(self.ctx, 0);
        self.indices.insert((v, signed), i);
        i
    }

    /// The form as an affine expression of dimensions and symbols, where it is one.
    pub fn affine(&mut self, f: &Form, operands: &mut Operands) -> Option<AffineExpr> {
        Some(match &*f.node {
            Node::Const(c) => AffineExpr::constant(*c),
            Node::Leaf(v, signed) => {
                let i = self.index_of(*v, *signed);
                if let Some(c) = self.ctx.constant_int(i) {
                    AffineExpr::constant(c)
                } else if is_symbol(self.ctx, i) {
                    AffineExpr::symbol(Operands::position(&mut operands.symbols, i))
                } else if is_dim(self.ctx, i) {
                    AffineExpr::dim(Operands::position(&mut operands.dims, i))
                } else {
                    return None;
                }
            }
            Node::Add(a, b) => self.affine(a, operands)? + self.affine(b, operands)?,
            Node::Sub(a, b) => self.affine(a, operands)? - self.affine(b, operands)?,
            Node::Mul(a, b) => {
                let (x, y) = (self.affine(a, operands)?, self.affine(b, operands)?);
                if x.is_constant() || y.is_constant() {
                    x * y
                } else if x.is_symbolic_or_constant() && y.is_symbolic_or_constant() {
                    // A product of symbols is a symbol.
                    let v = self.on_index(f);
                    if !is_symbol(self.ctx, v) {
                        return None;
                    }
                    AffineExpr::symbol(Operands::position(&mut operands.symbols, v))
                } else {
                    return None;
                }
            }
            Node::Div(a, by) => self.affine(a, operands)?.floor_div(*by),
            Node::Rem(a, by) => self.affine(a, operands)?.modulo(*by),
        })
    }

    /// The form as a value, of arithmetic ops on index.
    fn on_index(&mut self, f: &Form) -> Value {
        let (name, a, b) = match &*f.node {
            Node::Const(c) => return self.index_constant(*c),
            Node::Leaf(v, signed) => return self.index_of(*v, *signed),
            Node::Add(a, b) => (arith::AddIOp::NAME, a, b),
            Node::Sub(a, b) => (arith::SubIOp::NAME, a, b),
            Node::Mul(a, b) => (arith::MulIOp::NAME, a, b),
            Node::Div(a, by) => {
                let (x, y) = (self.on_index(a), self.index_constant(*by));
                return self.binary(arith::FloorDivSIOp::NAME, x, y);
            }
            Node::Rem(a, by) => {
                let q = a.divide(*by, false);
                let Some(q) = q else {
                    let (x, y) = (self.on_index(a), self.index_constant(*by));
                    return self.binary(arith::RemSIOp::NAME, x, y);
                };
                let whole = q.mul(&Form::constant(*by));
                return self.on_index(&a.sub(&whole));
            }
        };
        let (x, y) = (self.on_index(a), self.on_index(b));
        self.binary(name, x, y)
    }

    /// The form as a value of type index: an `affine.apply` where it is affine.
    pub fn index(&mut self, f: &Form) -> Value {
        match &*f.node {
            Node::Const(c) => return self.index_constant(*c),
            Node::Leaf(v, signed) => return self.index_of(*v, *signed),
            _ => {}
        }
        let mut operands = Operands::default();
        match self.affine(f, &mut operands) {
            Some(e) if e.within_limits() && !operands.dims.is_empty() => {
                let map = operands.map(vec![e]);
                let all = operands.all();
                ApplyOp::build(&mut self.b(), map, &all)
            }
            _ => self.on_index(f),
        }
    }
}
