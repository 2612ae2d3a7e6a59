//! `memset`, `memcpy`, `memmove` and `memcmp` in regions: loops over elements.
//!
//! The number of bytes has to be one of elements, as `sizeof a` and `n * sizeof *p` are.

use terrace_dialects::affine::ForOp;
use terrace_dialects::arith;
use terrace_dialects::{affine, scf};
use terrace_ir::Value;

use super::calls::not_so_many;
use super::expr::is_signed;
use super::form::Form;
use super::place::LValue;
use super::{Lowerer, Refusal, Result};
use crate::hir::{BinaryOp, Expr, ExprKind, Span, Unit};
use crate::types::{Int, Rank, Type};

/// What a function of `string.h` does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    Set,
    Copy,
    Move,
    Compare,
}

/// The function of this name, which may be the compiler's own or the one that looks at sizes.
pub fn function(unit: &Unit, name: &str) -> Option<Memory> {
    let own = name.strip_prefix("__builtin_");
    if own.is_none() && unit.source.dialect().no_builtins {
        return None;
    }
    let name = own.unwrap_or(name);
    let plain = name.strip_prefix("__").and_then(|n| n.strip_suffix("_chk"));
    Some(match plain.unwrap_or(name) {
        "memset" => Memory::Set,
        "memcpy" => Memory::Copy,
        "memmove" => Memory::Move,
        "memcmp" => Memory::Compare,
        _ => return None,
    })
}

/// The type of the elements behind the pointer that a function is given.
pub fn elements(pointer: &Expr) -> Option<&Type> {
    let mut e = pointer;
    while let ExprKind::Cast(inner) = &e.kind
        && inner.ty.element().is_some()
    {
        e = inner;
    }
    let mut ty = e.ty.element()?;
    while let Type::Array(a) = ty {
        ty = &a.of;
    }
    Some(ty)
}

/// Where a loop of ours is to go on.
enum Order {
    Forward,
    Backward,
}

impl Lowerer<'_> {
    /// A call of such a function: the number that it gives, or where its first argument points.
    pub fn memory_call(
        &mut self,
        f: Memory,
        args: &[Expr],
        e: &Expr,
    ) -> Result<(Option<Value>, LValue)> {
        let [first, second, bytes, ..] = args else {
            let ExprKind::Call { function, .. } = &e.kind else {
                return Err(Refusal::fault(e.span, "no call"));
            };
            return Err(not_so_many(e.span, function, args.len(), 3));
        };
        let to = self.pointer(first)?;
        if f == Memory::Set {
            let byte = self.expr(second)?;
            let byte = self.convert(byte, &second.ty, &BYTE, second.span)?;
            self.set_memory(&to, byte, bytes, e.span)?;
            return Ok((None, to));
        }
        let from = self.pointer(second)?;
        let value = match f {
            Memory::Compare => Some(self.compare_memory(&to, &from, bytes, e.span)?),
            _ => {
                self.copy_memory(f, &to, &from, bytes, e.span)?;
                None
            }
        };
        Ok((value, to))
    }

    /// The first of the elements that a pointer leads to, as one of a row of them.
    fn row(&mut self, p: &LValue, span: Span) -> Result<LValue> {
        let mut p = p.clone();
        p.null = None;
        while let Type::Array(a) = &p.ty {
            p.subscripts.push(Form::constant(0));
            p.ty = a.of.clone();
        }
        match p.ty.is_arithmetic() && p.subscripts.len() > 1 {
            true => self.flattened(p, span),
            false => Ok(p),
        }
    }

    /// Bytes of an element.
    fn bytes_of(&self, ty: &Type, span: Span) -> Result<u64> {
        match ty {
            Type::Record(r) => Ok(self.unit.records[*r].size),
            ty => {
                let t = self.scalar_type(ty, span)?;
                Ok(u64::from(t.bit_width(self.ctx).unwrap_or(8)).div_ceil(8))
            }
        }
    }

    /// How many elements of `each` bytes these bytes are.
    fn count(&mut self, bytes: &Expr, each: u64, span: Span) -> Result<Form> {
        match self.divided(bytes, each)? {
            Some(n) => Ok(n),
            None => Err(Refusal::new(
                span,
                format!(
                    "a number of bytes of which nothing says how many elements of {each} bytes \
                     they are"
                ),
            )),
        }
    }

    fn divided(&mut self, e: &Expr, by: u64) -> Result<Option<Form>> {
        if let Some(n) = self.constant(e) {
            let by = i128::from(by);
            let whole = by > 0 && n >= 0 && n % by == 0;
            let n = whole.then(|| i64::try_from(n / by).ok()).flatten();
            return Ok(n.map(Form::constant));
        }
        if by == 1 {
            let v = self.expr(e)?;
            return Ok(Some(self.form(v, &e.ty)));
        }
        let wide = |t: &Type| matches!(t, Type::Int(Int { bits, .. }) if *bits >= 32);
        Ok(match &e.kind {
            ExprKind::Cast(a) if wide(&a.ty) && wide(&e.ty) => self.divided(a, by)?,
            ExprKind::Binary { op, lhs, rhs } => match op {
                BinaryOp::Mul => {
                    for (a, b) in [(rhs, lhs), (lhs, rhs)] {
                        if self.is_multiple(a, by)
                            && let Some(a) = self.divided(a, by)?
                        {
                            let v = self.expr(b)?;
                            let b = self.form(v, &b.ty);
                            return Ok(a.fits(&b).then(|| a.mul(&b)));
                        }
                    }
                    None
                }
                BinaryOp::Add | BinaryOp::Sub if self.is_multiple(e, by) => {
                    match (self.divided(lhs, by)?, self.divided(rhs, by)?) {
                        (Some(a), Some(b)) if a.fits(&b) => Some(match op {
                            BinaryOp::Add => a.add(&b),
                            _ => a.sub(&b),
                        }),
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// Whether the text says that a number is a multiple of this one.
    fn is_multiple(&self, e: &Expr, of: u64) -> bool {
        if let Some(n) = self.constant(e) {
            return of > 0 && n % i128::from(of) == 0;
        }
        match &e.kind {
            ExprKind::Cast(a) if a.ty.is_integer() => self.is_multiple(a, of),
            ExprKind::Binary { op, lhs, rhs } => {
                let (a, b) = (self.is_multiple(lhs, of), self.is_multiple(rhs, of));
                match op {
                    BinaryOp::Mul => a || b,
                    BinaryOp::Add | BinaryOp::Sub => a && b,
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Does something for each of `count` elements from `p` on and, at the same distance, from
    /// `q` on; a scalar is the one there is.
    fn each_element(
        &mut self,
        places: &[&LValue],
        count: &Form,
        order: &Order,
        span: Span,
        f: &mut dyn FnMut(&mut Self, &[LValue]) -> Result<()>,
    ) -> Result<()> {
        let alone = places.iter().any(|p| p.subscripts.is_empty());
        match count.as_constant() {
            Some(0) => return Ok(()),
            Some(1) => {
                let all: Vec<LValue> = places.iter().map(|p| (*p).clone()).collect();
                return f(self, &all);
            }
            _ if alone => {
                return Err(Refusal::new(span, PART));
            }
            _ => {}
        }
        let (op, block, iv) =
            self.counting_op(&[Form::constant(0)], std::slice::from_ref(count), 1, &[]);
        let outside = std::mem::replace(&mut self.block, block);
        let iv = Form::leaf(iv, true, true, true);
        let by = match order {
            Order::Forward => iv,
            Order::Backward => count.sub(&Form::constant(1)).sub(&iv),
        };
        let mut all: Vec<LValue> = places.iter().map(|p| (*p).clone()).collect();
        for p in &mut all {
            self.advance(p, &by, span)?;
        }
        f(self, &all)?;
        let end = match op.isa::<ForOp>(self.ctx) {
            true => affine::YieldOp::NAME,
            false => scf::YieldOp::NAME,
        };
        self.op(end, &[], &[], &[]);
        self.block = outside;
        Ok(())
    }

    fn set_memory(&mut self, to: &LValue, byte: Value, bytes: &Expr, span: Span) -> Result<()> {
        let to = self.row(to, span)?;
        let each = self.bytes_of(&to.ty, span)?;
        let count = self.count(bytes, each, span)?;
        let zero = self.ctx.constant_int(byte) == Some(0);
        if let Type::Record(_) = to.ty {
            if !zero {
                let message = "memset of records with other than 0";
                return Err(Refusal::new(span, message));
            }
            return self.each_element(&[&to], &count, &Order::Forward, span, &mut |l, p| {
                l.clear_whole(&p[0], span)
            });
        }
        let bit = self.ctx.constant_int(byte) == Some(1) && each == 1;
        if to.ty == Type::Bool && !zero && !bit {
            return Err(Refusal::new(
                span,
                "memset of _Bool with other than 0 and 1",
            ));
        }
        let v = self.repeated(byte, &to.ty, each, span)?;
        self.each_element(&[&to], &count, &Order::Forward, span, &mut |l, p| {
            l.store(&p[0], v, span)
        })
    }

    /// The element of which each byte is this one.
    fn repeated(&mut self, byte: Value, ty: &Type, each: u64, span: Span) -> Result<Value> {
        let t = self.scalar_type(ty, span)?;
        if self.ctx.constant_int(byte) == Some(0) {
            return Ok(self.zero(t));
        }
        if each == 1 {
            return Ok(byte);
        }
        let word = word(each);
        let wide = self.convert(byte, &BYTE, &word, span)?;
        let ones = self.int_constant(0x0101_0101_0101_0101, &word, span)?;
        let all = self.binary(arith::MulIOp::NAME, wide, ones);
        Ok(match ty.is_float() {
            true => self.value(arith::BitcastOp::NAME, &[all], t),
            false => all,
        })
    }

    fn copy_memory(
        &mut self,
        f: Memory,
        to: &LValue,
        from: &LValue,
        bytes: &Expr,
        span: Span,
    ) -> Result<()> {
        let (to, from) = (self.row(to, span)?, self.row(from, span)?);
        let each = self.bytes_of(&to.ty, span)?;
        let count = self.count(bytes, each, span)?;
        let records = matches!(to.ty, Type::Record(_)) || matches!(from.ty, Type::Record(_));
        if to.ty != from.ty && (records || self.bytes_of(&from.ty, span)? != each) {
            let (a, b) = (self.type_name(&from.ty), self.type_name(&to.ty));
            let message = format!("a copy of elements of type {a} to elements of type {b}");
            return Err(Refusal::new(span, message));
        }
        if to.ty == Type::Bool && from.ty != Type::Bool {
            return Err(Refusal::new(span, "a copy of other elements to _Bool"));
        }
        let one: &mut dyn FnMut(&mut Self, &[LValue]) -> Result<()> =
            &mut |l, p| l.copy_element(&p[0], &p[1], span);
        let places = [&to, &from];
        if f == Memory::Copy || count.as_constant().is_some_and(|n| n <= 1) {
            return self.each_element(&places, &count, &Order::Forward, span, one);
        }
        let Some((x, y)) = self.in_one_object(&to, &from, span)? else {
            if self.are_apart(&to, &from) {
                return self.each_element(&places, &count, &Order::Forward, span, one);
            }
            let message = "memmove between pointers that may point to one array";
            return Err(Refusal::new(span, message));
        };
        // From the end where what is copied later would be overwritten.
        let behind = self.compare_forms(BinaryOp::Gt, &x, &y);
        self.branch(
            behind,
            |l| l.each_element(&places, &count, &Order::Backward, span, one),
            Some(|l: &mut Self| {
                l.each_element(&places, &count, &Order::Forward, span, &mut |l, p| {
                    l.copy_element(&p[0], &p[1], span)
                })
            }),
        )
    }

    /// Copies one element.
    fn copy_element(&mut self, to: &LValue, from: &LValue, span: Span) -> Result<()> {
        if let Type::Record(_) = to.ty {
            return self.copy_record(to, from, span);
        }
        let v = self.load(from, span)?;
        let v = self.as_bits_of(v, &from.ty, &to.ty, span)?;
        self.store(to, v, span)
    }

    /// The bits of a number as another type of as many.
    fn as_bits_of(&mut self, v: Value, from: &Type, to: &Type, span: Span) -> Result<Value> {
        match from.is_float() == to.is_float() {
            true => Ok(v),
            false => {
                let t = self.scalar_type(to, span)?;
                Ok(self.value(arith::BitcastOp::NAME, &[v], t))
            }
        }
    }

    /// What `memcmp` gives: the difference of the first bytes that differ.
    fn compare_memory(
        &mut self,
        a: &LValue,
        b: &LValue,
        bytes: &Expr,
        span: Span,
    ) -> Result<Value> {
        let (a, b) = (self.row(a, span)?, self.row(b, span)?);
        let each = self.bytes_of(&a.ty, span)?;
        let count = self.count(bytes, each, span)?;
        let arithmetic = a.ty.is_arithmetic() && b.ty.is_arithmetic();
        if !arithmetic || self.bytes_of(&b.ty, span)? != each {
            let (x, y) = (self.type_name(&a.ty), self.type_name(&b.ty));
            let message = format!("a comparison of elements of type {x} with ones of type {y}");
            return Err(Refusal::new(span, message));
        }
        if count.as_constant() == Some(1) {
            return self.elements_apart(&a, &b, each, span);
        }
        if a.subscripts.is_empty() || b.subscripts.is_empty() {
            return Err(Refusal::new(span, PART));
        }
        let none = self.int_constant(0, &Type::INT, span)?;
        let (op, block, iv) = self.counting_op(&[Form::constant(0)], &[count], 1, &[none]);
        let outside = std::mem::replace(&mut self.block, block);
        let iv = Form::leaf(iv, true, true, true);
        let before = block.arg(self.ctx, 1);
        let (mut x, mut y) = (a, b);
        self.advance(&mut x, &iv, span)?;
        self.advance(&mut y, &iv, span)?;
        let now = self.elements_apart(&x, &y, each, span)?;
        let found = self.compare(BinaryOp::Ne, before, none, &Type::INT);
        let t = before.ty(self.ctx);
        let next = self.value(arith::SelectOp::NAME, &[found, before, now], t);
        let end = match op.isa::<ForOp>(self.ctx) {
            true => affine::YieldOp::NAME,
            false => scf::YieldOp::NAME,
        };
        self.op(end, &[next], &[], &[]);
        self.block = outside;
        Ok(op.result(self.ctx, 0))
    }

    /// The difference of the first bytes of two elements that differ.
    fn elements_apart(&mut self, a: &LValue, b: &LValue, each: u64, span: Span) -> Result<Value> {
        let mut words = Vec::new();
        for p in [a, b] {
            let v = self.load(p, span)?;
            words.push(self.as_bits_of(v, &p.ty, &word(each), span)?);
        }
        self.bytes_apart(words[0], words[1], each, span)
    }

    /// The difference of the lowest bytes of two words that differ.
    fn bytes_apart(&mut self, a: Value, b: Value, each: u64, span: Span) -> Result<Value> {
        let ty = word(each);
        let mut found = self.int_constant(0, &Type::INT, span)?;
        for k in (0..each).rev() {
            let mut bytes = Vec::new();
            for v in [a, b] {
                let shift = self.int_constant(i128::from(8 * k), &ty, span)?;
                let low = match k {
                    0 => v,
                    _ => self.binary(arith::ShRUIOp::NAME, v, shift),
                };
                let byte = self.convert(low, &ty, &BYTE, span)?;
                bytes.push(self.convert(byte, &BYTE, &Type::INT, span)?);
            }
            let (x, y) = (bytes[0], bytes[1]);
            let differ = self.compare(BinaryOp::Ne, x, y, &Type::INT);
            let by = self.binary(arith::SubIOp::NAME, x, y);
            let t = by.ty(self.ctx);
            found = self.value(arith::SelectOp::NAME, &[differ, by, found], t);
        }
        debug_assert!(!is_signed(&ty));
        Ok(found)
    }
}

const PART: &str = "a part of a variable, or more than it, in bytes";

const BYTE: Type = Type::int(8, false, Rank::Char);

/// An unsigned integer of so many bytes.
fn word(bytes: u64) -> Type {
    match bytes {
        1 => BYTE,
        2 => Type::int(16, false, Rank::Short),
        4 => Type::int(32, false, Rank::Int),
        _ => Type::int(64, false, Rank::Long),
    }
}
