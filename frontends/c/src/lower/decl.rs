//! Local variables and their initialisers.

use std::rc::Rc;
use terrace_dialects::affine;

use terrace_dialects::affine::ForOp;
use terrace_dialects::memref;
use terrace_ir::affine::AffineMap;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Type as IrType, Value};

use super::env::{Cell, PointerVar};
use super::form::Form;
use super::place::{LValue, Object};
use super::{Lowerer, Refusal, Result};
use crate::hir::{ExprKind, Init, Span, Storage, Var, VarId};
use crate::types::{Extent, Type};

/// Elements of an array that a string initialises: each is a store.
const MAX_STRING: u64 = 4096;

impl Lowerer<'_> {
    /// A declaration of a local variable.
    pub fn declare(&mut self, v: VarId, init: Option<&Init>) -> Result<()> {
        let var = self.unit.var(v);
        match var.storage {
            Storage::Local | Storage::Param => {}
            // What lives on is a global.
            _ => return Ok(()),
        }
        if let (true, Some(Init::Expr(e))) = (var.is_const && var.ty.is_integer(), init)
            && let Some(n) = self.constant_as(e, &var.ty)
        {
            self.constants.insert(v, n);
        }
        let object = self.local(v, var)?;
        self.objects.insert(v, object.clone());
        let place = LValue {
            object,
            subscripts: Vec::new(),
            ty: var.ty.clone(),
            null: None,
        };
        match init {
            Some(i) => {
                if let Init::List(_) = i {
                    self.clear(&place, i, var.span)?;
                }
                self.initialise(&place, i, var.span)
            }
            None => {
                // A value of an iteration before is not to be seen again.
                if let Object::Cell(c) = place.object {
                    self.env.cells[c.0] = None;
                }
                Ok(())
            }
        }
    }

    /// The object of a local variable.
    pub fn local(&mut self, v: VarId, var: &Var) -> Result<Object> {
        if var.is_volatile {
            return Ok(Object::Refused(
                format!("'{}', which is volatile", var.name).into(),
            ));
        }
        let in_memory = var.address_taken;
        self.object_for(
            &var.ty,
            Some(v),
            &mut Vec::new(),
            &mut Vec::new(),
            in_memory,
            &var.name,
            var.span,
        )
    }

    /// An object of a type that is no variable: what a call returns.
    pub fn unnamed(&mut self, ty: &Type, name: &str, span: Span) -> Result<Object> {
        let (mut path, mut dims) = (Vec::new(), Vec::new());
        self.object_for(ty, None, &mut path, &mut dims, false, name, span)
    }

    /// The object of a type: `dims` are the sizes of arrays of records around it, and
    /// `path` the fields from the variable.
    #[allow(clippy::too_many_arguments)]
    fn object_for(
        &mut self,
        ty: &Type,
        root: Option<VarId>,
        path: &mut Vec<(usize, usize)>,
        dims: &mut Vec<Option<Value>>,
        in_memory: bool,
        name: &str,
        span: Span,
    ) -> Result<Object> {
        // Sizes of arrays of records come before those of their fields.
        let mut ty = ty;
        let depth = dims.len();
        let mut shape_of = Vec::new();
        while let Type::Array(a) = ty {
            shape_of.push(&a.len);
            ty = &a.of;
        }
        for len in shape_of {
            let d = match len {
                Extent::Const(n) => {
                    let n = i64::try_from(*n).unwrap_or(i64::MAX);
                    Some(self.index_constant(n))
                }
                Extent::Expr(e) => {
                    let v = self.expr(e)?;
                    let f = self.form(v, &e.ty);
                    Some(self.index(&f))
                }
                Extent::Unknown => None,
            };
            dims.push(d);
        }
        let object = match ty {
            Type::Record(r) => self.record_object(*r, root, path, dims, in_memory, name, span)?,
            Type::Pointer(_) if dims.is_empty() && !in_memory => {
                Object::Pointer(self.pointer_var(PointerVar {
                    root,
                    path: path.clone(),
                    name: name.to_string(),
                }))
            }
            Type::Pointer(_) => Object::Refused(
                match dims.is_empty() {
                    true => format!("the pointer '{name}', whose address is taken"),
                    false => format!("'{name}', an array of pointers"),
                }
                .into(),
            ),
            _ => match self.arithmetic_type(ty) {
                None => Object::Refused(
                    format!("'{name}', which is of type {}", self.type_name(ty)).into(),
                ),
                Some(_) if dims.is_empty() && !in_memory => Object::Cell(self.cell(Cell {
                    root,
                    path: path.clone(),
                    ty: Some(ty.clone()),
                    name: name.to_string(),
                })),
                Some(elem) => self.allocated(elem, dims, name, span)?,
            },
        };
        dims.truncate(depth);
        Ok(object)
    }

    #[allow(clippy::too_many_arguments)]
    fn record_object(
        &mut self,
        record: usize,
        root: Option<VarId>,
        path: &mut Vec<(usize, usize)>,
        dims: &mut Vec<Option<Value>>,
        in_memory: bool,
        name: &str,
        span: Span,
    ) -> Result<Object> {
        let info = &self.unit.records[record];
        if info.union {
            return Ok(Object::Refused(
                format!("'{name}', which is a union").into(),
            ));
        }
        let Some(fields) = &info.fields else {
            return Err(Refusal::fault(span, "a variable of an incomplete type"));
        };
        let mut objects = Vec::new();
        for (i, f) in fields.iter().enumerate() {
            let name = format!("{name}.{}", f.name);
            if f.bits.is_some() {
                objects.push(Object::Refused(format!("the bit-field '{name}'").into()));
                continue;
            }
            path.push((record, i));
            let o = self.object_for(&f.ty, root, path, dims, in_memory, &name, span);
            path.pop();
            objects.push(o?);
        }
        Ok(Object::Record(Rc::new(objects)))
    }

    /// Memory on the stack.
    pub fn allocated(
        &mut self,
        elem: IrType,
        dims: &[Option<Value>],
        name: &str,
        span: Span,
    ) -> Result<Object> {
        let (mut shape, mut sizes) = (Vec::new(), Vec::new());
        for d in dims {
            let Some(d) = *d else {
                return Err(Refusal::new(span, format!("'{name}' has no known size")));
            };
            match self.ctx.constant_int(d) {
                Some(n) => shape.push(n),
                None => {
                    shape.push(DYNAMIC);
                    sizes.push(d);
                }
            }
        }
        if shape.iter().any(|n| *n < 0 && *n != DYNAMIC) {
            return Err(Refusal::new(span, format!("'{name}' has a negative size")));
        }
        let ty = self.ctx.memref(&shape, elem);
        let loc = self.location(span).named(self.ctx, name);
        let saved = std::mem::replace(&mut self.loc, loc);
        let m = memref::AllocaOp::build(&mut self.b(), ty, &sizes);
        self.loc = saved;
        Ok(Object::Memory(m))
    }

    /// A field of the record at a place.
    pub fn field(&mut self, p: LValue, field: usize, span: Span) -> Result<LValue> {
        let Type::Record(r) = p.ty else {
            return Err(Refusal::fault(span, "a field of what is no record"));
        };
        let ty = self.unit.records[r]
            .fields
            .as_ref()
            .and_then(|f| f.get(field))
            .map_or(Type::Void, |f| f.ty.clone());
        let mut p = p;
        match &p.object {
            Object::Record(all) => {
                let Some(o) = all.get(field) else {
                    return Err(Refusal::fault(span, "a field that is not there"));
                };
                p.object = o.clone();
            }
            Object::Outer(id) => {
                let (id, subscripts) = self.outer_member(*id, &p.subscripts, r, field);
                p.object = Object::Outer(id);
                p.subscripts = subscripts;
            }
            Object::Refused(why) => return Err(Refusal::new(span, why.to_string())),
            _ => {
                return Err(Refusal::fault(
                    span,
                    "a record that is not kept as its fields",
                ));
            }
        }
        p.ty = ty;
        Ok(self.element(p))
    }

    /// Stores what an initialiser gives.
    fn initialise(&mut self, p: &LValue, init: &Init, span: Span) -> Result<()> {
        match init {
            Init::Expr(e) => match &p.ty {
                Type::Record(_) => {
                    let from = self.place(e)?;
                    self.copy_record(p, &from, e.span)
                }
                Type::Pointer(_) => {
                    let to = self.pointer(e)?;
                    match &p.object {
                        Object::Pointer(id) => {
                            self.env.pointers[id.0] = super::env::Target::of(to);
                            Ok(())
                        }
                        Object::Refused(why) => Err(Refusal::new(e.span, why.to_string())),
                        _ => Err(Refusal::new(e.span, "an array of pointers")),
                    }
                }
                Type::Array(a) => {
                    let bytes = match &e.kind {
                        ExprKind::Str(bytes) => bytes,
                        ExprKind::Unsupported(why) => {
                            return Err(Refusal::new(e.span, why.clone()));
                        }
                        _ => return Err(Refusal::fault(e.span, "an array made of a value")),
                    };
                    let n = match a.len {
                        Extent::Const(n) => n,
                        _ => bytes.len() as u64 + 1,
                    };
                    if n > MAX_STRING {
                        let message = format!(
                            "an array of more than {MAX_STRING} characters that a string initialises"
                        );
                        return Err(Refusal::new(e.span, message));
                    }
                    for i in 0..n {
                        let c = bytes.get(i as usize).copied().unwrap_or(0);
                        let v = self.int_constant(i128::from(c), &a.of, e.span)?;
                        let at = element(p, i as i64, &a.of);
                        self.store(&at, v, e.span)?;
                    }
                    Ok(())
                }
                _ => {
                    let v = self.expr(e)?;
                    self.store(p, v, e.span)
                }
            },
            Init::List(list) => {
                for (i, init) in list {
                    let at = match &p.ty {
                        Type::Array(a) => element(p, *i as i64, &a.of),
                        Type::Record(_) => self.field(p.clone(), *i as usize, span)?,
                        _ => p.clone(),
                    };
                    self.initialise(&at, init, span)?;
                }
                Ok(())
            }
        }
    }

    /// Zeros where a list of initialisers names nothing.
    fn clear(&mut self, p: &LValue, init: &Init, span: Span) -> Result<()> {
        let Init::List(list) = init else {
            return Ok(());
        };
        match &p.ty {
            Type::Record(r) => {
                let n = self.unit.records[*r].fields.as_ref().map_or(0, Vec::len);
                for i in 0..n {
                    let at = self.field(p.clone(), i, span)?;
                    match list.iter().find(|e| e.0 == i as u64) {
                        Some((_, inner)) => self.clear(&at, inner, span)?,
                        None => self.clear_whole(&at, span)?,
                    }
                }
                Ok(())
            }
            Type::Array(a) => {
                let complete = matches!(a.len, Extent::Const(n) if n == list.len() as u64)
                    && list.iter().all(|(_, i)| covers(i, &a.of));
                match complete {
                    true => Ok(()),
                    false => self.clear_whole(p, span),
                }
            }
            _ if list.is_empty() => self.clear_whole(p, span),
            _ => Ok(()),
        }
    }

    pub fn clear_whole(&mut self, p: &LValue, span: Span) -> Result<()> {
        match &p.ty {
            Type::Record(r) => {
                let n = self.unit.records[*r].fields.as_ref().map_or(0, Vec::len);
                for i in 0..n {
                    let at = self.field(p.clone(), i, span)?;
                    self.clear_whole(&at, span)?;
                }
                Ok(())
            }
            Type::Array(a) => {
                let Extent::Const(n) = a.len else {
                    return Err(Refusal::new(
                        span,
                        "an initialiser of an array of variable length",
                    ));
                };
                let n = n as i64;
                let (lo, hi) = (AffineMap::constant(0), AffineMap::constant(n));
                let f = ForOp::build_open(&mut self.b(), (lo, &[]), (hi, &[]), 1, &[]);
                let outside = self.block;
                self.block = f.body(self.ctx);
                let iv = f.iv(self.ctx);
                let mut at = p.clone();
                at.subscripts.push(Form::leaf(iv, true, true, true));
                at.ty = a.of.clone();
                self.clear_whole(&at, span)?;
                self.op(affine::YieldOp::NAME, &[], &[], &[]);
                self.block = outside;
                Ok(())
            }
            Type::Pointer(_) => Ok(()),
            ty => {
                let t = self.scalar_type(ty, span)?;
                let zero = self.zero(t);
                self.store(p, zero, span)
            }
        }
    }
}

/// Whether an initialiser says all of an object.
fn covers(init: &Init, ty: &Type) -> bool {
    match (init, ty) {
        (Init::Expr(_), _) => true,
        (Init::List(l), Type::Array(a)) => {
            matches!(a.len, Extent::Const(n) if n == l.len() as u64)
                && l.iter().all(|(_, i)| covers(i, &a.of))
        }
        (Init::List(_), Type::Record(_)) => false,
        (Init::List(l), _) => !l.is_empty(),
    }
}

fn element(p: &LValue, i: i64, ty: &Type) -> LValue {
    let mut p = p.clone();
    p.subscripts.push(Form::constant(i));
    p.ty = ty.clone();
    p
}
