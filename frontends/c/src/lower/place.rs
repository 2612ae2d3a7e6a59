//! Objects of the program, and places in them: what lvalues and pointers denote.

use std::rc::Rc;

use terrace_dialects::affine;
use terrace_dialects::memref;
use terrace_ir::affine::AffineMap;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Type as IrType, Value};

use super::env::{CellId, PointerId};
use super::form::{Form, Operands};
use super::{Lowerer, Refusal, Result};
use crate::hir::{Expr, ExprKind, Span};
use crate::types::{Extent, Type};

/// An object, or the same field of all records of an array.
#[derive(Debug, Clone)]
pub enum Object {
    Cell(CellId),
    /// A memref, whose leading subscripts are those of arrays of records around it.
    Memory(Value),
    /// Each field by itself.
    Record(Rc<Vec<Object>>),
    Pointer(PointerId),
    /// None: what a null pointer points to.
    Null,
    /// An object outside the region that is lowered, by number of its path.
    Outer(usize),
    /// One that cannot be translated, and why.
    Refused(Rc<str>),
}

impl PartialEq for Object {
    fn eq(&self, other: &Object) -> bool {
        match (self, other) {
            (Object::Cell(a), Object::Cell(b)) => a == b,
            (Object::Memory(a), Object::Memory(b)) => a == b,
            (Object::Record(a), Object::Record(b)) => Rc::ptr_eq(a, b),
            (Object::Pointer(a), Object::Pointer(b)) => a == b,
            (Object::Outer(a), Object::Outer(b)) => a == b,
            (Object::Null, Object::Null) => true,
            _ => false,
        }
    }
}

/// A part of an object: the object at as many subscripts as were applied.
#[derive(Debug, Clone)]
pub struct LValue {
    pub object: Object,
    pub subscripts: Vec<Form>,
    /// The C type of what is there.
    pub ty: Type,
    /// Of where a pointer points: an i1 that says that it is null and points nowhere, where it
    /// may be by what the region does.
    pub null: Option<Value>,
}

impl LValue {
    pub fn whole(object: Object, ty: &Type) -> LValue {
        LValue {
            object,
            subscripts: Vec::new(),
            ty: ty.clone(),
            null: None,
        }
    }
}

impl Object {
    /// The cells that the object is made of.
    pub fn cells(&self) -> Vec<CellId> {
        match self {
            Object::Cell(c) => vec![*c],
            Object::Record(fields) => fields.iter().flat_map(Object::cells).collect(),
            _ => Vec::new(),
        }
    }
}

impl Lowerer<'_> {
    /// The place that an lvalue denotes.
    pub fn place(&mut self, e: &Expr) -> Result<LValue> {
        self.enter(e.span)?;
        let p = self.place_inner(e);
        self.leave();
        p
    }

    fn place_inner(&mut self, e: &Expr) -> Result<LValue> {
        match &e.kind {
            ExprKind::Var(v) => {
                let object = self.object_of(*v, e.span)?;
                let ty = &self.unit.var(*v).ty;
                Ok(self.element(LValue::whole(object, ty)))
            }
            ExprKind::Index { base, index } => {
                let mut p = match &base.ty {
                    Type::Array(_) => self.decayed(base)?,
                    _ => self.pointer(base)?,
                };
                let by = self.subscript(index)?;
                self.advance(&mut p, &by, e.span)?;
                p.ty = e.ty.clone();
                p.null = None;
                Ok(p)
            }
            ExprKind::Deref(p) => {
                let mut p = self.pointer(p)?;
                p.ty = e.ty.clone();
                p.null = None;
                Ok(p)
            }
            ExprKind::Member { base, field } => {
                let p = self.place(base)?;
                self.member(p, *field, e)
            }
            ExprKind::Comma(a, b) => {
                self.effect(a)?;
                self.place(b)
            }
            ExprKind::Cast(inner) if inner.ty == e.ty => self.place(inner),
            ExprKind::Compound { var, init } => {
                self.declare(*var, Some(init))?;
                let object = self.object_of(*var, e.span)?;
                Ok(LValue::whole(object, &e.ty))
            }
            ExprKind::Unsupported(why) => Err(Refusal::new(e.span, why.clone())),
            ExprKind::Call { function, args } => self.returned_record(function, args, e),
            ExprKind::Conditional { .. } => Err(Refusal::new(e.span, "a record that `?:` chooses")),
            ExprKind::Assign { .. } => Err(Refusal::new(
                e.span,
                "the value of an assignment of a record; use what was assigned to",
            )),
            ExprKind::Str(_) => Err(Refusal::new(e.span, "a string")),
            ExprKind::Function(_) => Err(Refusal::new(e.span, "a pointer to a function")),
            _ => Err(Refusal::fault(
                e.span,
                "an expression that denotes no variable",
            )),
        }
    }

    /// A field of the record at a place.
    fn member(&mut self, p: LValue, field: usize, e: &Expr) -> Result<LValue> {
        let Type::Record(record) = p.ty else {
            return Err(Refusal::fault(e.span, "a member of what is no record"));
        };
        let info = &self.unit.records[record];
        let Some(f) = info.fields.as_ref().and_then(|f| f.get(field)) else {
            return Err(Refusal::fault(e.span, "a member of an incomplete record"));
        };
        if info.union {
            return Err(Refusal::new(e.span, "a member of a union"));
        }
        if f.bits.is_some() {
            return Err(Refusal::new(e.span, format!("the bit-field '{}'", f.name)));
        }
        let ty = f.ty.clone();
        let mut p = p;
        match &p.object {
            Object::Record(fields) => {
                let Some(f) = fields.get(field) else {
                    return Err(Refusal::fault(e.span, "a member that is not there"));
                };
                p.object = f.clone();
            }
            Object::Outer(id) => {
                let (id, subscripts) = self.outer_member(*id, &p.subscripts, record, field);
                p.object = Object::Outer(id);
                p.subscripts = subscripts;
            }
            Object::Refused(why) => return Err(Refusal::new(e.span, why.to_string())),
            _ => {
                return Err(Refusal::fault(
                    e.span,
                    "a record that is not kept as its fields",
                ));
            }
        }
        p.ty = ty;
        Ok(self.element(p))
    }

    /// A scalar outside that is in memory is the one element there.
    pub fn element(&self, mut p: LValue) -> LValue {
        if let Object::Outer(id) = p.object
            && self.outers[id].in_memory
            && p.subscripts.is_empty()
        {
            p.subscripts.push(Form::constant(0));
        }
        p
    }

    /// An array as the pointer to its first element.
    pub fn decayed(&mut self, array: &Expr) -> Result<LValue> {
        let mut p = self.place(array)?;
        let Some(of) = p.ty.element().cloned() else {
            return Err(Refusal::fault(array.span, "an array without elements"));
        };
        p.subscripts.push(Form::constant(0));
        p.ty = of;
        Ok(p)
    }

    /// An integer expression as a number of elements.
    pub fn subscript(&mut self, e: &Expr) -> Result<Form> {
        let v = self.expr(e)?;
        Ok(self.form(v, &e.ty))
    }

    /// The memref that holds the scalars at a place.
    pub fn memory(&mut self, p: &LValue, span: Span) -> Result<Value> {
        match &p.object {
            Object::Memory(m) => Ok(*m),
            Object::Outer(id) => self.captured_array(*id, span),
            Object::Refused(why) => Err(Refusal::new(span, why.to_string())),
            Object::Record(_) => Err(Refusal::fault(span, "a record as memory")),
            Object::Null => Err(Refusal::new(span, "an access through a null pointer")),
            Object::Cell(_) | Object::Pointer(_) => {
                Err(Refusal::new(span, "a pointer to a variable"))
            }
        }
    }

    /// The value of the scalar of arithmetic type at a place.
    pub fn load(&mut self, p: &LValue, span: Span) -> Result<Value> {
        match &p.object {
            Object::Cell(c) => return Ok(self.read(*c)),
            Object::Outer(id) if p.subscripts.is_empty() => {
                return self.captured_scalar(*id, span);
            }
            _ => {}
        }
        let m = self.checked_memory(p, span)?;
        if let Some(id) = self.outer_of(p) {
            self.outers[id].read = true;
        }
        Ok(match self.access(&p.subscripts) {
            Access::Affine(map, operands) => {
                affine::LoadOp::build(&mut self.b(), m, map, &operands)
            }
            Access::Values(indices) => memref::LoadOp::build(&mut self.b(), m, &indices),
        })
    }

    /// Stores a value of the type of the place.
    pub fn store(&mut self, p: &LValue, v: Value, span: Span) -> Result<()> {
        match &p.object {
            Object::Cell(c) => {
                self.env.cells[c.0] = Some(v);
                return Ok(());
            }
            Object::Outer(id) if p.subscripts.is_empty() => {
                return self.store_captured(*id, v, span);
            }
            _ => {}
        }
        let m = self.checked_memory(p, span)?;
        if let Some(id) = self.outer_of(p) {
            if self.outer_is_const(id) {
                return Err(Refusal::wrong(
                    span,
                    format!("a store to '{}', which is const", self.outer_text(id)),
                ));
            }
            self.outers[id].written = true;
        }
        match self.access(&p.subscripts) {
            Access::Affine(map, operands) => {
                affine::StoreOp::build(&mut self.b(), v, m, map, &operands);
            }
            Access::Values(indices) => {
                memref::StoreOp::build(&mut self.b(), v, m, &indices);
            }
        }
        Ok(())
    }

    /// The memref of a place that has a subscript for each of its dimensions.
    pub fn checked_memory(&mut self, p: &LValue, span: Span) -> Result<Value> {
        let m = self.memory(p, span)?;
        let ty = m.ty(self.ctx);
        let want = self.scalar_type(&p.ty, span)?;
        if ty.rank(self.ctx) != Some(p.subscripts.len()) || ty.element(self.ctx) != Some(want) {
            return Err(Refusal::fault(
                span,
                "an access to memory as another type than it has",
            ));
        }
        Ok(m)
    }

    /// Subscripts as an affine map, or as values.
    pub fn access(&mut self, subscripts: &[Form]) -> Access {
        let mut operands = Operands::default();
        let mut exprs = Vec::new();
        for s in subscripts {
            match self.affine(s, &mut operands) {
                Some(e) if e.within_limits() => exprs.push(e),
                _ => break,
            }
        }
        if exprs.len() == subscripts.len() {
            return Access::Affine(operands.map(exprs), operands.all());
        }
        Access::Values(subscripts.iter().map(|s| self.index(s)).collect())
    }

    /// The memref type of an array of this C type, `dims` being sizes around it; for a
    /// pointer the first size is unknown. `None` where the elements are no numbers.
    pub fn memref_type(&mut self, dims: &[i64], ty: &Type) -> Option<IrType> {
        let mut shape = dims.to_vec();
        let mut ty = ty;
        loop {
            match ty {
                Type::Array(a) => {
                    shape.push(match &a.len {
                        Extent::Const(n) => i64::try_from(*n).ok()?,
                        Extent::Expr(e) => match self.constant(e) {
                            Some(n) => i64::try_from(n).ok()?,
                            None => DYNAMIC,
                        },
                        Extent::Unknown => DYNAMIC,
                    });
                    ty = &a.of;
                }
                Type::Pointer(p) if shape.is_empty() => {
                    shape.push(DYNAMIC);
                    ty = &p.to;
                }
                _ => break,
            }
        }
        let elem = self.arithmetic_type(ty)?;
        Some(self.ctx.memref(&shape, elem))
    }
}

/// How an element is accessed.
pub enum Access {
    Affine(AffineMap, Vec<Value>),
    Values(Vec<Value>),
}
