//! Calls: ops, functions inlined into regions, and `func.call`.

use terrace_dialects::{func, memref};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Type as IrType, Value};

use super::core::{Exits, Mode};
use super::env::Target;
use super::place::{LValue, Object};
use super::{Lowerer, Refusal, Result, memory, routine};
use crate::hir::{Expr, Function, Span, VarId};
use crate::types::Type;

/// How deep a function may call itself, and how often in one region: as far as its arguments,
/// known while lowering, say when it ends.
const MAX_DEPTH: usize = 24;
const MAX_CALLS: usize = 1000;

/// What the variables of a function are.
#[derive(Default)]
struct Locals {
    objects: Vec<(VarId, Object)>,
    constants: Vec<(VarId, i128)>,
}

impl Lowerer<'_> {
    pub fn call(&mut self, name: &str, args: &[Expr], e: &Expr) -> Result<Option<Value>> {
        let unit = self.unit;
        let bound = match self.mode {
            Mode::Region => routine::bound(unit, name),
            Mode::Function => None,
        };
        let name = bound.as_deref().unwrap_or(name);
        if let (Mode::Region, Some(f)) = (self.mode, memory::function(unit, name)) {
            return Ok(self.memory_call(f, args, e)?.0);
        }
        let Some(index) = unit.functions.iter().position(|f| f.name == name) else {
            if let Some(v) = self.math_call(name, args, e)? {
                return Ok(Some(v));
            }
            if let (Mode::Region, "acc_on_device", [kind]) = (self.mode, name, args) {
                return self.on_device(kind, e.span).map(Some);
            }
            return match self.mode {
                Mode::Region => Err(Refusal::new(e.span, routine::no_body(unit, name))),
                Mode::Function => self.external_call(name, args, e),
            };
        };
        let f = &unit.functions[index];
        taken_as_declared(name, &f.result, e)?;
        match self.mode {
            Mode::Region => self.inlined(index, args, e),
            Mode::Function => {
                let types = self.signature(f, e.span)?;
                self.direct_call(name, args, &self.parameters(f), types, e.span)
            }
        }
    }

    /// The record that a call returns.
    pub fn returned_record(&mut self, name: &str, args: &[Expr], e: &Expr) -> Result<LValue> {
        let index = self.unit.functions.iter().position(|f| f.name == name);
        match (index, self.mode) {
            (Some(index), Mode::Region) => {
                let result = self.inlined_to(index, args, e)?;
                result.ok_or_else(|| Refusal::fault(e.span, "a call without the record it returns"))
            }
            (None, Mode::Region) => Err(Refusal::new(
                e.span,
                format!("a call of '{name}', which has no device form"),
            )),
            _ => Err(Refusal::new(e.span, "a call that returns a record")),
        }
    }

    /// Where the pointer that a call returns points.
    pub fn returned_pointer(&mut self, name: &str, args: &[Expr], e: &Expr) -> Result<LValue> {
        let unit = self.unit;
        let bound = match self.mode {
            Mode::Region => routine::bound(unit, name),
            Mode::Function => None,
        };
        let name = bound.as_deref().unwrap_or(name);
        if let (Mode::Region, Some(f)) = (self.mode, memory::function(unit, name)) {
            return Ok(self.memory_call(f, args, e)?.1);
        }
        let index = unit.functions.iter().position(|f| f.name == name);
        let (Some(index), Mode::Region) = (index, self.mode) else {
            let message = format!("the pointer that '{name}' returns");
            return Err(Refusal::new(e.span, message));
        };
        taken_as_declared(name, &unit.functions[index].result, e)?;
        let result = self.inlined_to(index, args, e)?;
        match result.map(|r| (r.object, r.ty)) {
            Some((Object::Pointer(id), ty)) => {
                let to = ty.element().cloned().unwrap_or(Type::Void);
                self.value_of_pointer(id, to, e.span)
            }
            _ => Err(Refusal::fault(
                e.span,
                "a call without the pointer it returns",
            )),
        }
    }

    /// The body of a function in place of its call; the number that it returns.
    fn inlined(&mut self, index: usize, args: &[Expr], e: &Expr) -> Result<Option<Value>> {
        let result = self.inlined_to(index, args, e)?;
        match result {
            Some(p) if p.ty.is_arithmetic() => Ok(Some(self.load(&p, e.span)?)),
            // A pointer has another value than numbers have, and a record none.
            _ => Ok(None),
        }
    }

    /// The body of a function in place of its call; where its value is.
    fn inlined_to(&mut self, index: usize, args: &[Expr], e: &Expr) -> Result<Option<LValue>> {
        let f = &self.unit.functions[index];
        let around = self.inlining.iter().filter(|i| **i == index).count();
        if around > 0 {
            self.recursions += 1;
            if around > MAX_DEPTH || self.recursions > MAX_CALLS || self.is_deep() {
                return Err(Refusal::new(
                    e.span,
                    format!(
                        "a call of '{}', which calls itself, so that nothing says how often",
                        f.name
                    ),
                ));
            }
        }
        if f.variadic {
            return Err(variable_arguments(e.span, &f.name));
        }
        same_number(e.span, &f.name, args.len(), f.params.len())?;
        let result = match &f.result {
            Type::Void => None,
            ty if ty.is_scalar() || matches!(ty, Type::Record(_)) => {
                let object = self.unnamed(ty, &f.name, e.span)?;
                if let Object::Refused(why) = &object {
                    return Err(Refusal::new(e.span, why.to_string()));
                }
                if let Object::Pointer(id) = &object {
                    // Until something is returned, as a loop that returns hands it on.
                    self.env.pointers[id.0] = Target::of(LValue::whole(Object::Null, ty));
                }
                Some(LValue::whole(object, ty))
            }
            ty => {
                return Err(Refusal::new(
                    e.span,
                    format!(
                        "a call of '{}', which returns {}",
                        f.name,
                        self.type_name(ty)
                    ),
                ));
            }
        };
        // All arguments before any parameter.
        let mut values = Vec::new();
        for (a, ty) in args.iter().zip(self.parameters(f)) {
            self.fits(&f.name, a, &ty)?;
            values.push(match &a.ty {
                Type::Pointer(_) => Argument::Place(self.pointer(a)?),
                Type::Record(_) => Argument::Place(self.place(a)?),
                _ => Argument::Value(self.converted_argument(a, &ty)?),
            });
        }
        // The call around has variables of its own under the same names.
        let hidden = if around > 0 {
            self.hide_locals(f)
        } else {
            Locals::default()
        };
        self.inlining.push(index);
        let returned = self.new_cell(None, "return");
        self.set_flag(returned, false);
        let exits = std::mem::replace(
            &mut self.exits,
            Exits {
                stack: Vec::new(),
                returned: Some(returned),
                result_cells: result.as_ref().map_or(Vec::new(), |p| p.object.cells()),
                result: result.clone(),
            },
        );
        let directive = self.directive.take();
        let forced = self.forced.take();
        let copies = self.uncover();
        for (p, v) in f.params.iter().zip(values) {
            self.bind(*p, v, e.span)?;
        }
        self.stmt(&f.body)?;
        self.cover(copies);
        self.directive = directive;
        self.forced = forced;
        self.exits = exits;
        self.inlining.pop();
        self.objects.extend(hidden.objects);
        self.constants.extend(hidden.constants);
        Ok(result)
    }

    /// Lets names of globals mean the program's variables where directives around have given
    /// them copies, which it returns.
    fn uncover(&mut self) -> Vec<(VarId, Option<Object>)> {
        let beneath = std::mem::take(&mut self.beneath);
        let copies = beneath.keys().map(|v| (*v, self.objects.remove(v)));
        let copies = copies.collect();
        let known = beneath.into_iter().filter_map(|(v, o)| Some((v, o?)));
        self.objects.extend(known);
        copies
    }

    /// Undoes [`Self::uncover`].
    fn cover(&mut self, copies: Vec<(VarId, Option<Object>)>) {
        for (v, copy) in copies {
            self.beneath.insert(v, self.objects.remove(&v));
            self.objects.extend(copy.map(|o| (v, o)));
        }
    }

    /// Takes out what the variables of a function are.
    fn hide_locals(&mut self, f: &Function) -> Locals {
        let unit = self.unit;
        let own = |v: &VarId| {
            let at = unit.var(*v).span;
            f.span.start <= at.start && at.end <= f.span.end
        };
        Locals {
            objects: self.objects.extract_if(|v, _| own(v)).collect(),
            constants: self.constants.extract_if(|v, _| own(v)).collect(),
        }
    }

    fn bind(&mut self, p: VarId, v: Argument, span: Span) -> Result<()> {
        let var = self.unit.var(p);
        let object = self.local(p, var)?;
        self.objects.insert(p, object.clone());
        let to = LValue {
            object,
            subscripts: Vec::new(),
            ty: var.ty.clone(),
            null: None,
        };
        match v {
            Argument::Value(v) => self.store(&to, v, span),
            Argument::Place(from) => match &to.object {
                Object::Pointer(id) => {
                    self.env.pointers[id.0] = Target::of(from);
                    Ok(())
                }
                Object::Refused(why) => Err(Refusal::new(span, why.to_string())),
                _ => self.copy_record(&to, &from, span),
            },
        }
    }

    /// The types of a function of the unit in the module.
    pub fn signature(&mut self, f: &Function, span: Span) -> Result<(Vec<IrType>, Vec<IrType>)> {
        if f.variadic {
            return Err(variable_arguments(span, &f.name));
        }
        let params = self.parameters(f);
        self.types_of(&f.name, &params, &f.result, span)
    }

    fn types_of(
        &mut self,
        name: &str,
        params: &[Type],
        result: &Type,
        span: Span,
    ) -> Result<(Vec<IrType>, Vec<IrType>)> {
        let mut inputs = Vec::new();
        for ty in params {
            let t = match ty {
                Type::Pointer(_) => self.memref_type(&[], ty),
                ty => self.arithmetic_type(ty),
            };
            inputs.push(t.ok_or_else(|| {
                Refusal::new(
                    span,
                    format!("'{name}' has a parameter of type {}", self.type_name(ty)),
                )
            })?);
        }
        let results = match result {
            Type::Void => Vec::new(),
            ty => vec![self.arithmetic_type(ty).ok_or_else(|| {
                Refusal::new(span, format!("'{name}' returns {}", self.type_name(ty)))
            })?],
        };
        Ok((inputs, results))
    }

    fn external_call(&mut self, name: &str, args: &[Expr], e: &Expr) -> Result<Option<Value>> {
        let unit = self.unit;
        let ty = unit.externals.iter().find(|x| x.0 == name).map(|x| &x.1);
        let Some(Type::Function(f)) = ty else {
            return Err(Refusal::new(
                e.span,
                format!("a call of '{name}', which is not declared"),
            ));
        };
        if f.variadic || f.old_style {
            return Err(Refusal::new(
                e.span,
                format!("a call of '{name}', whose arguments are not declared"),
            ));
        }
        taken_as_declared(name, &f.result, e)?;
        let types = self.types_of(name, &f.params, &f.result, e.span)?;
        self.direct_call(name, args, &f.params, types, e.span)
    }

    fn parameters(&self, f: &Function) -> Vec<Type> {
        let ty = |p: &VarId| self.unit.var(*p).ty.clone();
        f.params.iter().map(ty).collect()
    }

    /// A call without a prototype in sight may pass anything.
    fn fits(&self, name: &str, a: &Expr, ty: &Type) -> Result<()> {
        let fits = match (&a.ty, ty) {
            (Type::Pointer(_), Type::Pointer(_)) => match (numbers(&a.ty), numbers(ty)) {
                (Some(x), Some(y)) => x == y,
                _ => true,
            },
            (Type::Record(x), Type::Record(y)) => x == y,
            (x, y) => x.is_arithmetic() == y.is_arithmetic(),
        };
        if fits {
            return Ok(());
        }
        let (given, taken) = (self.type_name(&a.ty), self.type_name(ty));
        let message = format!("a call of '{name}' with {given} and not {taken} as an argument");
        Err(Refusal::new(a.span, message))
    }

    /// The value of an argument, as the parameter's type if both are numbers.
    fn converted_argument(&mut self, a: &Expr, ty: &Type) -> Result<Value> {
        let v = self.expr(a)?;
        match ty.is_arithmetic() {
            true => self.convert(v, &a.ty, ty, a.span),
            false => Ok(v),
        }
    }

    fn direct_call(
        &mut self,
        name: &str,
        args: &[Expr],
        params: &[Type],
        (inputs, results): (Vec<IrType>, Vec<IrType>),
        span: Span,
    ) -> Result<Option<Value>> {
        same_number(span, name, args.len(), inputs.len())?;
        let mut operands = Vec::new();
        for ((a, ty), want) in args.iter().zip(params).zip(&inputs) {
            self.fits(name, a, ty)?;
            operands.push(match &a.ty {
                Type::Pointer(_) => {
                    let p = self.pointer(a)?;
                    self.whole(&p, *want, a.span)?
                }
                _ => self.converted_argument(a, ty)?,
            });
        }
        self.needs.function(name, &inputs, &results);
        let op = func::CallOp::build(&mut self.b(), name, &operands, &results);
        Ok((!results.is_empty()).then(|| op.result(self.ctx, 0)))
    }

    /// The memref of which a pointer points to the start, as the type wanted.
    pub fn whole(&mut self, p: &LValue, want: IrType, span: Span) -> Result<Value> {
        if p.object == Object::Null {
            return Err(Refusal::new(span, "a null pointer as an argument"));
        }
        let m = self.memory(p, span)?;
        if p.subscripts.iter().any(|s| s.as_constant() != Some(0)) {
            return Err(Refusal::new(
                span,
                "a pointer into the middle of an array as an argument",
            ));
        }
        let have = m.ty(self.ctx);
        if have == want {
            return Ok(m);
        }
        let (a, b) = (have.shape(self.ctx), want.shape(self.ctx));
        let fits = match (a, b) {
            (Some(a), Some(b)) => {
                let dynamic = DYNAMIC;
                a.len() == b.len()
                    && a.iter()
                        .zip(b)
                        .all(|(x, y)| x == y || *x == dynamic || *y == dynamic)
            }
            _ => false,
        };
        let plain = |t: IrType| matches!(t.memref_parts(self.ctx), Some((None, _)));
        if !fits || have.element(self.ctx) != want.element(self.ctx) || !plain(have) || !plain(want)
        {
            return Err(Refusal::new(
                span,
                "an argument that is an array of another shape than the parameter",
            ));
        }
        Ok(memref::CastOp::build(&mut self.b(), m, want))
    }
}

/// The type of the numbers that a pointer leads to.
fn numbers(pointer: &Type) -> Option<&Type> {
    let mut ty = pointer;
    while let Some(of) = ty.element() {
        ty = of;
    }
    ty.is_arithmetic().then_some(ty)
}

fn variable_arguments(span: Span, name: &str) -> Refusal {
    let message = format!("'{name}' takes a variable number of arguments");
    Refusal::new(span, message)
}

/// A function defined without a prototype can be called with any arguments.
fn same_number(span: Span, name: &str, given: usize, taken: usize) -> Result<()> {
    match given == taken {
        true => Ok(()),
        false => Err(not_so_many(span, name, given, taken)),
    }
}

/// Of a call with other than the arguments that the function takes.
pub fn not_so_many(span: Span, name: &str, given: usize, taken: usize) -> Refusal {
    let message = format!("a call of '{name}' with {given} and not {taken} arguments");
    Refusal::new(span, message)
}

enum Argument {
    Value(Value),
    Place(LValue),
}

/// A function that is called before its declaration is taken for one that gives an `int`;
/// what becomes of what it does give is for the system's compiler to say.
fn taken_as_declared(name: &str, result: &Type, e: &Expr) -> Result<()> {
    if *result == e.ty {
        return Ok(());
    }
    let m = format!("a call of '{name}' before its declaration, which gives another type");
    Err(Refusal::new(e.span, m))
}
