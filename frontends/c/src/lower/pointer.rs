//! The values of pointers: where they point, whether they are null, and how they compare.
//!
//! A pointer is a place that is known while lowering: an object, and the element of it, which
//! may be computed. A pointer that may be null on some way has a flag beside it. One that the
//! region takes from the program is null where the program's is: the call of the region hands
//! that in.

use terrace_dialects::arith;
use terrace_dialects::memref;
use terrace_ir::Value;

use super::capture::Step;
use super::core::Mode;
use super::env::{PointerId, PointerVar, Target};
use super::form::Form;
use super::place::{LValue, Object};
use super::{Lowerer, Refusal, Result};
use crate::hir::{BinaryOp, Expr, ExprKind, Span};
use crate::types::Type;

const SEVERAL: &str = "a pointer that may point to several arrays";

impl Lowerer<'_> {
    /// Moves the last subscript.
    pub fn advance(&mut self, p: &mut LValue, by: &Form, span: Span) -> Result<()> {
        if by.as_constant() == Some(0) {
            return Ok(());
        }
        let Some(last) = p.subscripts.last().cloned() else {
            let message = match p.object {
                Object::Null => "a null pointer that is moved",
                _ => "a pointer to a variable that is moved off it",
            };
            return Err(Refusal::new(span, message));
        };
        let sum = match last.fits(by) {
            true => last.add(by),
            false => {
                let v = self.index(&last);
                Form::leaf(v, true, last.nonneg, last.exact).add(by)
            }
        };
        if let Some(l) = p.subscripts.last_mut() {
            *l = sum;
        }
        Ok(())
    }

    /// Where the value of a pointer expression points; the type is the pointee's.
    pub fn pointer(&mut self, e: &Expr) -> Result<LValue> {
        self.enter(e.span)?;
        let p = self.pointer_inner(e);
        self.leave();
        p
    }

    fn pointer_inner(&mut self, e: &Expr) -> Result<LValue> {
        let pointee = |e: &Expr| e.ty.element().cloned().unwrap_or(Type::Void);
        match &e.kind {
            ExprKind::Decay(array) => self.decayed(array),
            ExprKind::AddressOf(of) => {
                let p = self.place(of)?;
                if p.subscripts.len() > 1 && p.ty.is_arithmetic() && !in_row_of_field(of) {
                    return self.flattened(p, e.span);
                }
                Ok(p)
            }
            ExprKind::PointerAdd {
                pointer,
                offset,
                subtract,
            } => {
                let mut p = self.pointer(pointer)?;
                if pointee(pointer) == Type::Void {
                    return Err(Refusal::new(e.span, "a pointer to void that is moved"));
                }
                let mut by = self.subscript(offset)?;
                if *subtract {
                    by = Form::constant(0).sub(&by);
                }
                self.advance(&mut p, &by, e.span)?;
                Ok(p)
            }
            ExprKind::Cast(inner) if inner.ty.is_pointer() => {
                let mut p = self.pointer(inner)?;
                let to = pointee(e);
                if p.object == Object::Null {
                    p.ty = to;
                    return Ok(p);
                }
                // A pointer to void is known by what it was made from.
                let from = match pointee(inner) {
                    Type::Void => p.ty.clone(),
                    from => from,
                };
                if from == to || to == Type::Void {
                    return Ok(p);
                }
                // The elements of an array of arrays, one after another.
                let mut element = &from;
                while let Type::Array(a) = element {
                    element = &a.of;
                }
                if *element == to && to.is_arithmetic() {
                    let mut ty = from.clone();
                    while let Type::Array(a) = &ty {
                        p.subscripts.push(Form::constant(0));
                        ty = a.of.clone();
                    }
                    p.ty = to;
                    return self.flattened(p, e.span);
                }
                Err(Refusal::new(
                    e.span,
                    "a pointer that is converted to a pointer to another type",
                ))
            }
            ExprKind::Assign { .. } | ExprKind::CompoundAssign { .. } | ExprKind::IncDec { .. } => {
                self.pointer_update(e)
            }
            ExprKind::Comma(a, b) => {
                self.effect(a)?;
                self.pointer(b)
            }
            ExprKind::Conditional {
                cond,
                then,
                otherwise,
            } => self.chosen_pointer(cond, then, otherwise, e),
            ExprKind::Call { function, args } => self.returned_pointer(function, args, e),
            ExprKind::Cast(number) if self.constant(number) == Some(0) => {
                Ok(LValue::whole(Object::Null, &pointee(e)))
            }
            ExprKind::Cast(number) if number.ty.is_integer() => self.number_pointer(number, e),
            ExprKind::Int(0) => Ok(LValue::whole(Object::Null, &pointee(e))),
            ExprKind::Int(_) | ExprKind::Cast(_) => {
                Err(Refusal::new(e.span, "a pointer made of a number"))
            }
            ExprKind::Unsupported(why) => Err(Refusal::new(e.span, why.clone())),
            _ => {
                let p = self.place(e)?;
                self.load_pointer(&p, e.span)
            }
        }
    }

    /// Where a pointer variable of the region points.
    pub fn value_of_pointer(&mut self, id: PointerId, ty: Type, span: Span) -> Result<LValue> {
        let name = &self.pointers[id.0].name;
        let message = match self.env.pointers[id.0].clone() {
            Target::Known {
                object,
                subscripts,
                null,
            } => {
                return Ok(LValue {
                    object,
                    subscripts,
                    ty,
                    null,
                });
            }
            _ if *name == CHOSEN => SEVERAL.to_string(),
            Target::Unset => format!("the pointer '{name}' has no known value here"),
            Target::Several => format!("the pointer '{name}' may point to several arrays"),
        };
        Err(Refusal::new(span, message))
    }

    /// `cond ? then : otherwise` of pointers.
    fn chosen_pointer(
        &mut self,
        cond: &Expr,
        then: &Expr,
        otherwise: &Expr,
        e: &Expr,
    ) -> Result<LValue> {
        let c = self.condition(cond)?;
        if let Some(b) = self.ctx.constant_int(c) {
            return self.pointer(if b != 0 { then } else { otherwise });
        }
        let id = self.pointer_var(PointerVar {
            root: None,
            path: Vec::new(),
            name: CHOSEN.to_string(),
        });
        let mut ty = Type::Void;
        self.branch(
            c,
            |l| {
                let p = l.pointer(then)?;
                ty = p.ty.clone();
                l.env.pointers[id.0] = Target::of(p);
                Ok(())
            },
            Some(|l: &mut Self| {
                let p = l.pointer(otherwise)?;
                l.env.pointers[id.0] = Target::of(p);
                Ok(())
            }),
        )?;
        if let Some(to) = e.ty.element().filter(|to| **to != Type::Void) {
            ty = to.clone();
        }
        self.value_of_pointer(id, ty, e.span)
    }

    /// Where the pointer at a place points.
    pub fn load_pointer(&mut self, p: &LValue, span: Span) -> Result<LValue> {
        if matches!(&p.ty, Type::Pointer(p) if p.to_volatile) {
            return Err(Refusal::new(span, "an access to a volatile object"));
        }
        let ty = p.ty.element().cloned().unwrap_or(Type::Void);
        match &p.object {
            Object::Pointer(id) => self.value_of_pointer(*id, ty, span),
            Object::Outer(id) if p.subscripts.is_empty() => Ok(LValue {
                object: Object::Outer(*id),
                subscripts: vec![Form::constant(0)],
                ty,
                null: None,
            }),
            Object::Outer(id) if self.follows_pointers => self.loaded_pointer(*id, p, span),
            Object::Outer(id) => self.row_of_table(*id, p, span),
            Object::Refused(why) => Err(Refusal::new(span, why.to_string())),
            _ => Err(Refusal::fault(span, "a pointer in no memory")),
        }
    }

    /// Assignments, `+=`, `++` of pointers; the value is the pointer's.
    fn pointer_update(&mut self, e: &Expr) -> Result<LValue> {
        let target = match &e.kind {
            ExprKind::Assign { target, .. }
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::IncDec { target, .. } => target,
            _ => return Err(Refusal::fault(e.span, "no change of a pointer")),
        };
        let at = self.place(target)?;
        let (value, result) = match &e.kind {
            ExprKind::Assign { value, .. } => {
                let v = self.pointer(value)?;
                (v.clone(), v)
            }
            ExprKind::CompoundAssign { op, value, .. } => {
                let mut p = self.load_pointer(&at, e.span)?;
                let mut by = self.subscript(value)?;
                if *op == BinaryOp::Sub {
                    by = Form::constant(0).sub(&by);
                }
                self.advance(&mut p, &by, e.span)?;
                (p.clone(), p)
            }
            ExprKind::IncDec {
                increment, prefix, ..
            } => {
                let old = self.load_pointer(&at, e.span)?;
                let mut new = old.clone();
                let by = Form::constant(if *increment { 1 } else { -1 });
                self.advance(&mut new, &by, e.span)?;
                let result = if *prefix { new.clone() } else { old };
                (new, result)
            }
            _ => return Err(Refusal::fault(e.span, "no change of a pointer")),
        };
        match at.object {
            Object::Pointer(id) if at.subscripts.is_empty() => {
                self.env.pointers[id.0] = Target::of(value);
                Ok(result)
            }
            Object::Outer(_) if !at.subscripts.is_empty() => {
                Err(Refusal::new(e.span, "a pointer in memory that is changed"))
            }
            Object::Outer(id) => Err(Refusal::new(
                e.span,
                format!("the pointer '{}' is changed", self.outer_text(id)),
            )),
            _ => Err(Refusal::fault(e.span, "a pointer in no memory")),
        }
    }

    /// The distance of two pointers into one object, in elements.
    pub fn pointer_difference(&mut self, lhs: &Expr, rhs: &Expr, span: Span) -> Result<Form> {
        let a = self.pointer(lhs)?;
        let b = self.pointer(rhs)?;
        match self.in_one_object(&a, &b, span)? {
            Some((x, y)) => Ok(x.sub(&y)),
            None => Err(Refusal::new(
                span,
                "two pointers that may point to different arrays are subtracted",
            )),
        }
    }

    /// The last subscripts of two pointers into one object.
    pub fn in_one_object(
        &mut self,
        a: &LValue,
        b: &LValue,
        span: Span,
    ) -> Result<Option<(Form, Form)>> {
        let last = a.subscripts.len().wrapping_sub(1);
        if a.object != b.object
            || a.subscripts.is_empty()
            || a.subscripts.len() != b.subscripts.len()
            || matches!(a.object, Object::Refused(_))
        {
            return Ok(None);
        }
        if a.subscripts[..last] == b.subscripts[..last] {
            return Ok(Some((
                a.subscripts[last].clone(),
                b.subscripts[last].clone(),
            )));
        }
        if !a.ty.is_arithmetic() {
            return Ok(None);
        }
        let (a, b) = (
            self.flattened(a.clone(), span)?,
            self.flattened(b.clone(), span)?,
        );
        Ok(a.subscripts.into_iter().zip(b.subscripts).next())
    }

    /// `lhs op rhs` of pointers, an i1.
    pub fn compare_pointers(
        &mut self,
        op: BinaryOp,
        lhs: &Expr,
        rhs: &Expr,
        span: Span,
    ) -> Result<Value> {
        let a = self.pointer(lhs)?;
        let b = self.pointer(rhs)?;
        let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let told = |l: &mut Self, equal: Value| match op {
            BinaryOp::Ne => l.not(equal),
            _ => equal,
        };
        let nulls = (a.object == Object::Null, b.object == Object::Null);
        if let (true, other) | (other, true) = nulls {
            if other {
                let same = matches!(op, BinaryOp::Eq | BinaryOp::Le | BinaryOp::Ge);
                return Ok(self.flag_constant(same));
            }
            if !equality {
                let message = "a comparison of a pointer with null by order";
                return Err(Refusal::new(span, message));
            }
            let null = self.is_null(if nulls.0 { &b } else { &a }, span)?;
            return Ok(told(self, null));
        }
        if let Some((x, y)) = self.in_one_object(&a, &b, span)? {
            let flags: Vec<Value> = [a.null, b.null].into_iter().flatten().collect();
            if flags.is_empty() || !equality {
                return Ok(self.compare_forms(op, &x, &y));
            }
            // Where one is null both have to be, else the elements tell.
            let (m, n) = match (a.null, b.null) {
                (Some(m), Some(n)) => (m, n),
                _ => (flags[0], self.flag_constant(false)),
            };
            let differ = self.binary(arith::XOrIOp::NAME, m, n);
            let alike = self.not(differ);
            let same = self.compare_forms(BinaryOp::Eq, &x, &y);
            let same = self.binary(arith::OrIOp::NAME, same, m);
            let equal = self.binary(arith::AndIOp::NAME, alike, same);
            return Ok(told(self, equal));
        }
        if a.object == b.object && a.subscripts.is_empty() && b.subscripts.is_empty() && equality {
            // Both are the address of one variable.
            let equal = match (a.null, b.null) {
                (None, None) => self.flag_constant(true),
                (Some(n), None) | (None, Some(n)) => self.not(n),
                (Some(m), Some(n)) => {
                    let differ = self.binary(arith::XOrIOp::NAME, m, n);
                    self.not(differ)
                }
            };
            return Ok(told(self, equal));
        }
        if equality && self.are_apart(&a, &b) {
            let (m, n) = (self.is_null(&a, span)?, self.is_null(&b, span)?);
            let both = self.binary(arith::AndIOp::NAME, m, n);
            return Ok(told(self, both));
        }
        Err(Refusal::new(
            span,
            "two pointers that may point to different arrays are compared",
        ))
    }

    /// A comparison of elements of one object.
    pub fn compare_forms(&mut self, op: BinaryOp, x: &Form, y: &Form) -> Value {
        let (a, b) = (self.index(x), self.index(y));
        let c = self.compare(op, a, b, &Type::LONG);
        self.remember(c, op, x, y);
        c
    }

    /// An i1: whether a pointer with this value is null.
    pub fn is_null(&mut self, p: &LValue, span: Span) -> Result<Value> {
        let outside = self.is_null_outside(p, span)?;
        Ok(match (p.null, outside) {
            (Some(n), Some(o)) => self.binary(arith::OrIOp::NAME, n, o),
            (Some(n), None) | (None, Some(n)) => n,
            (None, None) => self.flag_constant(false),
        })
    }

    /// Whether what a pointer was made from is null where it comes from; `None` where it is an
    /// object.
    fn is_null_outside(&mut self, p: &LValue, span: Span) -> Result<Option<Value>> {
        let id = match &p.object {
            Object::Null => return Ok(Some(self.flag_constant(true))),
            Object::Refused(why) => return Err(Refusal::new(span, why.to_string())),
            Object::Memory(m) => match self.row_of.get(m) {
                Some(id) => *id,
                None if self.mode == Mode::Function && self.is_parameter(*m) => {
                    let message = "whether a parameter is null, in a function as a whole";
                    return Err(Refusal::new(span, message));
                }
                None => return Ok(None),
            },
            Object::Outer(id) => *id,
            Object::Cell(_) | Object::Record(_) | Object::Pointer(_) => return Ok(None),
        };
        if let Some(Step::Tables { .. }) = self.outers[id].steps.last() {
            return Err(Refusal::new(span, "whether a pointer in memory is null"));
        }
        if let Some(Step::Rows { .. }) = self.outers[id].steps.last() {
            // The element is an address.
            let zero = Form::constant(0);
            let at = p.subscripts.last().unwrap_or(&zero).clone();
            return Ok(Some(self.compare_forms(BinaryOp::Eq, &at, &zero)));
        }
        if !self.lvalue_type(id).is_pointer() {
            return Ok(None);
        }
        let mut steps = self.outers[id].steps.clone();
        let fields = steps
            .iter()
            .position(|s| !matches!(s, Step::Field { .. }))
            .unwrap_or(steps.len());
        steps.truncate(fields);
        steps.push(Step::IsSet);
        let id = self.outer(self.outers[id].var, steps);
        let set = self.captured_scalar(id, span)?;
        let zero = self.int_constant(0, &Type::INT, span)?;
        Ok(Some(self.compare(BinaryOp::Eq, set, zero, &Type::INT)))
    }

    /// Whether a memref is an argument of the function that is lowered, or a row of one.
    fn is_parameter(&self, m: Value) -> bool {
        match m.def_op() {
            None => m.arg_block() == Some(self.entry),
            Some(op) if op.isa::<memref::CollapseShapeOp>(self.ctx) => {
                let of = op.operands(self.ctx);
                of.first().is_some_and(|v| self.is_parameter(*v))
            }
            Some(_) => false,
        }
    }

    /// Whether two pointers surely lead to different objects, if to any.
    pub fn are_apart(&self, a: &LValue, b: &LValue) -> bool {
        // An object, and whether it is one of the region's own.
        let object = |l: &Self, p: &LValue| match &p.object {
            Object::Cell(_) => Some(true),
            Object::Memory(m) if l.row_of.contains_key(m) || l.is_parameter(*m) => None,
            Object::Memory(_) => Some(true),
            Object::Outer(id) => {
                let named = l.outers[*id].steps.is_empty() && !l.lvalue_type(*id).is_pointer();
                named.then_some(false)
            }
            _ => None,
        };
        if a.object == b.object {
            return false;
        }
        let outside = |p: &LValue| matches!(p.object, Object::Outer(_));
        match (object(self, a), object(self, b)) {
            (Some(true), Some(_)) | (Some(_), Some(true)) => true,
            // What is outside of the region does not lead into it.
            (Some(true), None) => outside(b),
            (None, Some(true)) => outside(a),
            (Some(false), Some(false)) => true,
            _ => false,
        }
    }
}

/// The name of a pointer that `?:` gives.
const CHOSEN: &str = "?:";

/// Whether an lvalue is an element of a record's array of numbers: a pointer to it may move
/// in that array alone, which is the last dimension of the memref of all records' arrays.
fn in_row_of_field(e: &Expr) -> bool {
    let ExprKind::Index { base, .. } = &e.kind else {
        return false;
    };
    let array = match &base.kind {
        ExprKind::Decay(array) => array,
        _ => base,
    };
    matches!(array.kind, ExprKind::Member { .. }) && matches!(array.ty, Type::Array(_))
}
