//! Address arithmetic: constants folded, common parts computed once, and each part
//! computed in the outermost loop in which its operands are known.
//!
//! The lowering of structured control flow opens a [`Scope`] for each loop and branch
//! it goes into. A part whose operands all come from an outer scope is inserted there,
//! in front of the branch that leads inwards; since the arithmetic wraps and cannot
//! fail, it may run where the loop does not.

use super::abi::{Desc, Part};
use super::lower::{Lower, R};
use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::{self, InstBuilder, types};
use rustc_hash::FxHashMap;
use terrace_dialects::arith;
use terrace_ir::Value;

/// A piece of structured control flow that the lowering is in.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// Results of address arithmetic by operation and operands.
    known: FxHashMap<(Kind, ir::Value, Part2), ir::Value>,
    /// The branch that leads here from the next outer scope.
    entry: Option<ir::Inst>,
}

impl Scope {
    pub fn root() -> Scope {
        Scope::default()
    }

    /// A scope that `entry` leads into.
    pub fn entered_by(entry: ir::Inst) -> Scope {
        Scope {
            entry: Some(entry),
            ..Scope::default()
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Add,
    Mul,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Part2 {
    Const(i64),
    Val(ir::Value),
}

impl<'m, 'f> Lower<'m, 'f> {
    /// Forget what was computed: control may come here another way.
    pub fn new_block(&mut self) {
        if let Some(s) = self.scopes.last_mut() {
            s.known.clear();
        }
    }

    /// How many scopes out a machine value is defined, the body of the function being 0.
    fn depth_of(&self, v: ir::Value) -> usize {
        let current = self.scopes.len() - 1;
        match self.depth[v] {
            0 => current,
            d => (d as usize - 1).min(current),
        }
    }

    fn arith(&mut self, kind: Kind, a: ir::Value, b: Part2) -> ir::Value {
        let mut d = self.depth_of(a);
        if let Part2::Val(b) = b {
            d = d.max(self.depth_of(b));
        }
        let key = (kind, a, b);
        if let Some(v) = self.scopes[d].known.get(&key) {
            return *v;
        }
        let current = self.scopes.len() - 1;
        let outer = self.scopes.get(d + 1).and_then(|s| s.entry);
        let v = match outer {
            Some(inst) if d < current => {
                let mut c = FuncCursor::new(self.b.func).at_inst(inst);
                emit(&mut c, kind, a, b)
            }
            _ => emit(&mut self.b.cursor(), kind, a, b),
        };
        // Without a place further out it belongs where it was put.
        let d = if outer.is_some() { d } else { current };
        self.depth[v] = d as u32 + 1;
        self.scopes[d].known.insert(key, v);
        v
    }

    pub fn add(&mut self, a: Part, b: Part) -> Part {
        match (a, b) {
            (Part::Const(x), Part::Const(y)) => Part::Const(x.wrapping_add(y)),
            (Part::Val(v), Part::Const(0)) | (Part::Const(0), Part::Val(v)) => Part::Val(v),
            (Part::Val(v), Part::Const(c)) | (Part::Const(c), Part::Val(v)) => {
                Part::Val(self.arith(Kind::Add, v, Part2::Const(c)))
            }
            (Part::Val(v), Part::Val(w)) => Part::Val(self.arith(Kind::Add, v, Part2::Val(w))),
        }
    }

    pub fn mul(&mut self, a: Part, b: Part) -> Part {
        match (a, b) {
            (Part::Const(x), Part::Const(y)) => Part::Const(x.wrapping_mul(y)),
            (_, Part::Const(0)) | (Part::Const(0), _) => Part::Const(0),
            (Part::Val(v), Part::Const(1)) | (Part::Const(1), Part::Val(v)) => Part::Val(v),
            (Part::Val(v), Part::Const(c)) | (Part::Const(c), Part::Val(v)) => {
                Part::Val(self.arith(Kind::Mul, v, Part2::Const(c)))
            }
            (Part::Val(v), Part::Val(w)) => Part::Val(self.arith(Kind::Mul, v, Part2::Val(w))),
        }
    }

    /// An index operand as a sum of a value and a constant.
    pub fn index(&self, v: Value) -> R<(Option<ir::Value>, i64)> {
        let ctx = self.ctx;
        if let Some(c) = ctx.constant_int(v) {
            return Ok((None, c));
        }
        let (mut v, mut sum) = (v, 0i64);
        for _ in 0..4 {
            let Some(op) = v.def_op() else { break };
            let name = op.name(ctx);
            if name != terrace_dialects::arith::AddIOp::NAME
                && name != terrace_dialects::arith::SubIOp::NAME
            {
                break;
            }
            let (x, y) = (op.operand(ctx, 0), op.operand(ctx, 1));
            if !self.is_bound(x) {
                break;
            }
            match ctx.constant_int(y) {
                Some(c) if name == terrace_dialects::arith::AddIOp::NAME => {
                    sum = sum.wrapping_add(c)
                }
                Some(c) => sum = sum.wrapping_sub(c),
                None => break,
            }
            v = x;
        }
        Ok((Some(self.one(v)?), sum))
    }

    /// An index operand.
    pub fn index_part(&self, v: Value) -> R<Part> {
        match self.ctx.constant_int(v) {
            Some(c) => Ok(Part::Const(c)),
            None => Ok(Part::Val(self.one(v)?)),
        }
    }

    /// The parts that an index is a sum of, each with 1 or -1. It is taken apart where one side is
    /// known further out than the other, so that it is added to the array's address there, once.
    fn terms(&self, v: Value) -> Vec<(Value, i64)> {
        let ctx = self.ctx;
        let (mut inner, mut v, mut sign) = (Vec::new(), v, 1i64);
        for _ in 0..4 {
            let Some(op) = v.def_op() else { break };
            let minus = match op.name(ctx) {
                arith::AddIOp::NAME => 1,
                arith::SubIOp::NAME => -1,
                _ => break,
            };
            let (x, y) = (op.operand(ctx, 0), op.operand(ctx, 1));
            // A constant is added in any case.
            if ctx.constant_int(y).is_some() && self.is_bound(x) {
                inner.push((y, sign.wrapping_mul(minus)));
                v = x;
                continue;
            }
            let (Some(a), Some(b)) = (self.depth_where_bound(x), self.depth_where_bound(y)) else {
                break;
            };
            if a == b {
                break;
            }
            // What is further in may be a sum itself.
            if a < b {
                inner.push((x, sign));
                (v, sign) = (y, sign * minus);
            } else {
                inner.push((y, sign * minus));
                v = x;
            }
        }
        inner.push((v, sign));
        inner
    }

    fn depth_where_bound(&self, v: Value) -> Option<usize> {
        if !self.is_bound(v) {
            return None;
        }
        self.one(v).ok().map(|x| self.depth_of(x))
    }

    /// The address of an element, as a machine value and a constant to add to it.
    pub fn address(&mut self, d: &Desc, indices: &[Value]) -> R<(ir::Value, i32)> {
        let size = Part::Const(i64::from(d.elem.bytes()));
        let mut constant = Part::Const(0);
        let mut terms = vec![d.ptr];
        let mut take = |p: Part| match p {
            Part::Const(_) => constant = sum_const(constant, p),
            Part::Val(v) => terms.push(v),
        };
        take(self.mul(d.offset, size));
        for (index, stride) in indices.iter().zip(&d.strides) {
            let stride = self.mul(*stride, size);
            let mut sum = 0i64;
            for (v, sign) in self.terms(*index) {
                let (v, c) = self.index(v)?;
                sum = sum.wrapping_add(c.wrapping_mul(sign));
                if let Some(v) = v {
                    let stride = self.mul(stride, Part::Const(sign));
                    take(self.mul(Part::Val(v), stride));
                }
            }
            take(self.mul(stride, Part::Const(sum)));
        }
        self.sum(terms, constant)
    }

    /// The address of the first element of a memref.
    pub fn start(&mut self, d: &Desc) -> R<ir::Value> {
        let size = Part::Const(i64::from(d.elem.bytes()));
        let offset = self.mul(d.offset, size);
        let p = self.add(Part::Val(d.ptr), offset);
        Ok(self.part(p))
    }

    /// The sum of `terms`, the outermost added first.
    fn sum(&mut self, mut terms: Vec<ir::Value>, constant: Part) -> R<(ir::Value, i32)> {
        terms.sort_by_key(|t| self.depth_of(*t));
        let mut sum = Part::Val(terms[0]);
        for t in &terms[1..] {
            sum = self.add(sum, Part::Val(*t));
        }
        let c = match constant {
            Part::Const(c) => c,
            Part::Val(_) => 0,
        };
        match i32::try_from(c) {
            Ok(c) => Ok((self.part(sum), c)),
            Err(_) => {
                let sum = self.add(sum, Part::Const(c));
                Ok((self.part(sum), 0))
            }
        }
    }
}

fn sum_const(a: Part, b: Part) -> Part {
    match (a, b) {
        (Part::Const(x), Part::Const(y)) => Part::Const(x.wrapping_add(y)),
        (p, _) => p,
    }
}

fn emit(c: &mut FuncCursor, kind: Kind, a: ir::Value, b: Part2) -> ir::Value {
    match (kind, b) {
        (Kind::Mul, Part2::Const(k)) if k > 0 && (k as u64).is_power_of_two() => {
            let by = c.ins().iconst(types::I64, i64::from(k.trailing_zeros()));
            c.ins().ishl(a, by)
        }
        (_, Part2::Const(k)) => {
            let k = c.ins().iconst(types::I64, k);
            binary(c, kind, a, k)
        }
        (_, Part2::Val(b)) => binary(c, kind, a, b),
    }
}

fn binary(c: &mut FuncCursor, kind: Kind, a: ir::Value, b: ir::Value) -> ir::Value {
    match kind {
        Kind::Add => c.ins().iadd(a, b),
        Kind::Mul => c.ins().imul(a, b),
    }
}
