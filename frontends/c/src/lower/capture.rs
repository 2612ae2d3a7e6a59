//! What a region takes from the program around it.

use terrace_ir::Value;

use super::core::Mode;
use super::env::{Cell, CellId};
use super::form::Form;
use super::place::Object;
use super::sharing::Part;
use super::{Lowerer, Refusal, Result};
use crate::directive::Compute;
use crate::hir::{BinaryOp, Expr, ExprKind, Function, Span, Storage, VarId};
use crate::region::{Capture, CaptureKind, ON_DEVICE};
use crate::types::Type;

/// A path from a variable outside the region: `a`, `s.n`, `a->m`, `b[].x`.
#[derive(Debug, Clone)]
pub struct Outer {
    pub var: VarId,
    pub steps: Vec<Step>,
    /// Where it was captured: an index into the captures.
    pub capture: Option<usize>,
    /// A scalar that the region changes.
    pub cell: Option<CellId>,
    /// A scalar that is an element of memory while the region runs.
    pub in_memory: bool,
    pub read: bool,
    pub written: bool,
}

/// A field on the way.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// `.f`, or `->f` through a pointer that is not moved.
    Field {
        record: usize,
        field: usize,
        arrow: bool,
    },
    /// `.f` of the records of an array.
    Inner { record: usize, field: usize },
    /// Not of the variable: whether the region runs on a device.
    OnDevice,
    /// Not of the variable: addresses that the program computes as numbers.
    Numbers,
    /// Whether the pointer that the path leads to is not null.
    IsSet,
    /// What the pointers in an array point to, all of it as one array.
    Rows { to: Type, is_const: bool },
    /// What they point to as the rows of one array, which lie apart.
    Tables { is_const: bool },
}

/// An argument of the region's function.
#[derive(Debug, Clone)]
pub struct CapturedValue {
    pub outer: usize,
    pub value: Value,
    pub kind: CaptureKind,
}

impl Outer {
    /// What the path leads to.
    pub fn part(&self) -> Part {
        let arrow = |s: &Step| matches!(s, Step::Field { arrow: true, .. });
        match self.steps.as_slice() {
            [] => Part::Whole,
            steps if steps.iter().any(arrow) => Part::Behind,
            _ => Part::Member,
        }
    }
}

impl Lowerer<'_> {
    /// Whether a new value of the scalar outside is seen by others than the gang that made
    /// it.
    pub fn is_shared(&self, id: usize) -> bool {
        let o = &self.outers[id];
        let sharing = self.sharing.as_ref();
        sharing.is_some_and(|s| s.is_shared(o.var, o.part()))
    }

    /// What a variable is.
    pub fn object_of(&mut self, v: VarId, span: Span) -> Result<Object> {
        if let Some(o) = self.objects.get(&v) {
            if let Object::Refused(why) = o {
                return Err(Refusal::new(span, why.to_string()));
            }
            return Ok(o.clone());
        }
        let var = self.unit.var(v);
        if var.is_volatile {
            return Err(Refusal::new(
                span,
                format!("'{}', which is volatile", var.name),
            ));
        }
        let o = match self.mode {
            Mode::Region if self.is_table(v) => self.table(v)?,
            Mode::Region => {
                self.nameable(v, span)?;
                Object::Outer(self.outer(v, Vec::new()))
            }
            Mode::Function => self.global_object(v, span)?,
        };
        self.objects.insert(v, o.clone());
        Ok(o)
    }

    /// The object of a variable, if it was used or declared before.
    pub fn known_object(&self, v: VarId) -> Option<Object> {
        self.objects.get(&v).cloned()
    }

    /// Whether reading an arithmetic variable reads no memory.
    pub fn is_value(&self, v: VarId) -> bool {
        if self.constants.contains_key(&v) {
            return true;
        }
        match self.objects.get(&v) {
            Some(Object::Cell(_)) => true,
            Some(Object::Outer(id)) => !self.outers[*id].in_memory,
            Some(_) => false,
            None => self.mode == Mode::Region && !self.unit.var(v).is_volatile,
        }
    }

    /// A variable that C text at the region can name.
    fn nameable(&self, v: VarId, span: Span) -> Result<()> {
        let var = self.unit.var(v);
        let function = &self.unit.functions[self.function];
        let inside = |s: Span| function.span.start <= s.start && s.end <= function.span.end;
        if matches!(
            var.storage,
            Storage::Local | Storage::Param | Storage::LocalStatic
        ) {
            return match inside(var.span) {
                true => Ok(()),
                false => Err(Refusal::new(
                    span,
                    format!("the static variable '{}' of another function", var.name),
                )),
            };
        }
        let elsewhere = |f: &Function| {
            let body = f.body.span;
            body.start <= var.span.start && var.span.end <= body.end && !inside(var.span)
        };
        if self.unit.functions.iter().any(elsewhere) {
            return Err(Refusal::new(
                span,
                format!("the global '{}', which another function declares", var.name),
            ));
        }
        let hidden = self.unit.vars.iter().any(|o| {
            o.name == var.name
                && matches!(
                    o.storage,
                    Storage::Local | Storage::Param | Storage::LocalStatic
                )
                && inside(o.span)
        });
        match hidden && self.inlining.len() > 1 {
            true => Err(Refusal::new(
                span,
                format!(
                    "the global '{}', which a local variable of the same name hides",
                    var.name
                ),
            )),
            false => Ok(()),
        }
    }

    /// The number of a path.
    pub fn outer(&mut self, var: VarId, steps: Vec<Step>) -> usize {
        if let Some(i) = self
            .outers
            .iter()
            .position(|o| o.var == var && o.steps == steps)
        {
            return i;
        }
        self.outers.push(Outer {
            var,
            steps,
            capture: None,
            cell: None,
            in_memory: false,
            read: false,
            written: false,
        });
        self.outers.len() - 1
    }

    /// A field of the record at subscripts of an object outside.
    pub fn outer_member(
        &mut self,
        id: usize,
        subscripts: &[Form],
        record: usize,
        field: usize,
    ) -> (usize, Vec<Form>) {
        let base = self.outers[id].clone();
        let mut steps = base.steps.clone();
        let inner = steps.iter().any(|s| matches!(s, Step::Inner { .. }));
        let at_start = matches!(subscripts, [one] if one.as_constant() == Some(0));
        let through_pointer = matches!(self.lvalue_type(id), Type::Pointer(_));
        if !inner && subscripts.is_empty() {
            let arrow = false;
            steps.push(Step::Field {
                record,
                field,
                arrow,
            });
            return (self.outer(base.var, steps), Vec::new());
        }
        if !inner && at_start && through_pointer && !self.indexed_records.contains(&record) {
            let arrow = true;
            steps.push(Step::Field {
                record,
                field,
                arrow,
            });
            return (self.outer(base.var, steps), Vec::new());
        }
        steps.push(Step::Inner { record, field });
        (self.outer(base.var, steps), subscripts.to_vec())
    }

    /// The type of the lvalue: the path up to the first array of records.
    pub fn lvalue_type(&self, id: usize) -> Type {
        let o = &self.outers[id];
        if self.no_variable(id).is_some() || o.steps.last() == Some(&Step::IsSet) {
            return Type::INT;
        }
        let mut ty = self.unit.var(o.var).ty.clone();
        for s in &o.steps {
            let Step::Field { record, field, .. } = s else {
                break;
            };
            if let Some(f) = self.unit.records[*record]
                .fields
                .as_ref()
                .and_then(|f| f.get(*field))
            {
                ty = f.ty.clone();
            }
        }
        ty
    }

    /// The name of what is no variable of the program.
    fn no_variable(&self, id: usize) -> Option<&'static str> {
        match self.outers[id].steps.first()? {
            Step::OnDevice => Some(ON_DEVICE),
            Step::Numbers => Some("memory"),
            _ => None,
        }
    }

    /// The lvalue as an expression, and in C.
    pub fn lvalue(&self, id: usize) -> (Expr, String) {
        let o = &self.outers[id];
        let var = self.unit.var(o.var);
        if let Some(text) = self.no_variable(id) {
            let e = Expr {
                kind: ExprKind::Int(0),
                ty: Type::INT,
                span: var.span,
            };
            return (e, text.to_string());
        }
        let mut e = Expr {
            kind: ExprKind::Var(o.var),
            ty: var.ty.clone(),
            span: var.span,
        };
        let mut text = var.name.clone();
        for s in &o.steps {
            let Step::Field {
                record,
                field,
                arrow,
            } = s
            else {
                break;
            };
            let (name, ty) = self.field_name(*record, *field);
            if *arrow {
                e = Expr {
                    ty: Type::Record(*record),
                    span: e.span,
                    kind: ExprKind::Deref(Box::new(e)),
                };
            }
            e = Expr {
                ty,
                span: e.span,
                kind: ExprKind::Member {
                    base: Box::new(e),
                    field: *field,
                },
            };
            text.push_str(if *arrow { "->" } else { "." });
            text.push_str(&name);
        }
        if o.steps.last() == Some(&Step::IsSet) {
            return (is_set(e), format!("({text} != 0)"));
        }
        (e, text)
    }

    fn field_name(&self, record: usize, field: usize) -> (String, Type) {
        match self.unit.records[record]
            .fields
            .as_ref()
            .and_then(|f| f.get(field))
        {
            Some(f) => (f.name.clone(), f.ty.clone()),
            None => (String::new(), Type::Void),
        }
    }

    /// The path in C: `a->m`, `b[].x`.
    pub fn outer_text(&self, id: usize) -> String {
        let (_, mut text) = self.lvalue(id);
        let path = self.inner_path(id);
        if path.starts_with('.') {
            text.push_str("[]");
        }
        text.push_str(&path);
        text
    }

    pub fn inner_path(&self, id: usize) -> String {
        let mut path = String::new();
        for s in &self.outers[id].steps {
            match s {
                Step::Inner { record, field } => {
                    path.push('.');
                    path.push_str(&self.field_name(*record, *field).0);
                }
                Step::Rows { .. } => path.push_str("[]"),
                Step::OnDevice
                | Step::Numbers
                | Step::IsSet
                | Step::Tables { .. }
                | Step::Field { .. } => {}
            }
        }
        path
    }

    /// Whether the object, or what the pointer points to, is const.
    pub fn outer_is_const(&self, id: usize) -> bool {
        if let Some(Step::Rows { is_const, .. } | Step::Tables { is_const }) =
            self.outers[id].steps.last()
        {
            return *is_const;
        }
        match self.lvalue_type(id) {
            Type::Pointer(p) => p.to_const,
            _ => self.unit.var(self.outers[id].var).is_const,
        }
    }

    /// Makes the scalars outside that a region changes cells, before anything else.
    pub fn changed_scalar(&mut self, id: usize) -> Result<()> {
        let ty = self.lvalue_type(id);
        if self.outers[id].cell.is_some() || !ty.is_arithmetic() {
            return Ok(());
        }
        let value = self.scalar_argument(id)?;
        let o = self.outers[id].clone();
        let path = o.steps.iter().filter_map(|s| match s {
            Step::Field { record, field, .. } => Some((*record, *field)),
            _ => None,
        });
        let cell = self.cell(Cell {
            root: Some(o.var),
            path: path.collect(),
            ty: Some(ty),
            name: self.outer_text(id),
        });
        self.env.cells[cell.0] = Some(value);
        self.outers[id].cell = Some(cell);
        // Whether it is read shows in the uses of the argument.
        self.outers[id].read = true;
        Ok(())
    }

    fn scalar_argument(&mut self, id: usize) -> Result<Value> {
        if let Some(i) = self.outers[id].capture {
            return Ok(self.captured[i].value);
        }
        let ty = self.lvalue_type(id);
        let span = self.unit.var(self.outers[id].var).span;
        let t = self.scalar_type(&ty, span)?;
        Ok(self.argument(id, t, CaptureKind::Scalar))
    }

    /// A new argument of the function.
    pub fn argument(&mut self, id: usize, ty: terrace_ir::Type, kind: CaptureKind) -> Value {
        let value = self.entry.add_arg(self.ctx, ty);
        let name = self.outer_text(id);
        let loc = self.location(self.unit.var(self.outers[id].var).span);
        let loc = loc.named(self.ctx, &name);
        self.entry.set_arg_loc(self.ctx, self.captured.len(), loc);
        self.outers[id].capture = Some(self.captured.len());
        self.captured.push(CapturedValue {
            outer: id,
            value,
            kind,
        });
        value
    }

    /// The value of a scalar outside.
    pub fn captured_scalar(&mut self, id: usize, span: Span) -> Result<Value> {
        if let Some(c) = self.outers[id].cell {
            self.outers[id].read = true;
            return Ok(self.read(c));
        }
        let ty = self.lvalue_type(id);
        if !ty.is_arithmetic() {
            return Err(Refusal::new(
                span,
                format!("'{}' as a whole", self.outer_text(id)),
            ));
        }
        self.outers[id].read = true;
        self.scalar_argument(id)
    }

    pub fn store_captured(&mut self, id: usize, v: Value, span: Span) -> Result<()> {
        match self.outers[id].cell {
            Some(c) => {
                self.outers[id].written = true;
                self.env.cells[c.0] = Some(v);
                Ok(())
            }
            None => {
                // Another try finds it in memory.
                let construct = self.sharing.as_ref().map(|s| s.construct);
                let has_memory = construct.is_some_and(|c| c != Compute::Auto);
                if has_memory && self.is_shared(id) && self.lvalue_type(id).is_arithmetic() {
                    let o = &self.outers[id];
                    self.to_memory.push((o.var, o.steps.clone()));
                }
                Err(Refusal::new(
                    span,
                    format!(
                        "'{}' is changed through a pointer or in a copied record; assign to it \
                         by name",
                        self.outer_text(id)
                    ),
                ))
            }
        }
    }

    /// The captures that the function uses, others dropped; and the values that are its
    /// results, by capture.
    pub fn finish_captures(&mut self, results: &[usize]) -> (Vec<Capture>, Vec<usize>) {
        let mut captures = Vec::new();
        let mut new_index = Vec::new();
        let mut erase = Vec::new();
        for (i, c) in self.captured.iter().enumerate() {
            let keep = c.value.has_uses(self.ctx) || results.contains(&c.outer);
            new_index.push(keep.then_some(captures.len()));
            if !keep {
                erase.push(i);
                continue;
            }
            let o = &self.outers[c.outer];
            let (lvalue, _) = self.lvalue(c.outer);
            let var = self.unit.var(o.var);
            let is_scalar = matches!(c.kind, CaptureKind::Scalar);
            let local = matches!(var.storage, Storage::Local | Storage::Param);
            let through = o
                .steps
                .iter()
                .any(|s| matches!(s, Step::Field { arrow: true, .. }));
            captures.push(Capture {
                ty: lvalue.ty.clone(),
                text: self.outer_text(c.outer),
                lvalue,
                kind: c.kind.clone(),
                read: o.read && c.value.has_uses(self.ctx),
                written: match is_scalar {
                    true => results.contains(&c.outer),
                    false => o.written,
                },
                addressed: is_scalar
                    && self.no_variable(c.outer).is_none()
                    && o.steps.last() != Some(&Step::IsSet)
                    && (var.address_taken || !local || through),
            });
        }
        let of_outer = |id: &usize| {
            let i = self.captured.iter().position(|c| c.outer == *id)?;
            new_index[i]
        };
        let results = results.iter().filter_map(of_outer).collect();
        for i in erase.into_iter().rev() {
            self.entry.erase_arg(self.ctx, i);
        }
        (captures, results)
    }
}

/// `pointer != 0`.
fn is_set(pointer: Expr) -> Expr {
    let span = pointer.span;
    let number = |kind, ty| Expr { kind, ty, span };
    let null = ExprKind::Cast(Box::new(number(ExprKind::Int(0), Type::INT)));
    let null = number(null, pointer.ty.clone());
    let kind = ExprKind::Binary {
        op: BinaryOp::Ne,
        lhs: Box::new(pointer),
        rhs: Box::new(null),
    };
    number(kind, Type::INT)
}
