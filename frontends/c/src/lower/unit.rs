//! Whole functions, and what a module needs beside them: globals and declarations.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use terrace_dialects::{func, memref};
use terrace_ir::attr::DenseData;
use terrace_ir::num::Float;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{
    AttrData, Builder, Context, InsertPoint, Loc, Op, Type as IrType, TypeData, Value,
};

use super::place::{LValue, Object};
use super::{Lowerer, Refusal, Result, clauses};
use crate::hir::{ExprKind, Init, Span, Stmt, Storage, Unit, VarId};
use crate::region::Region;
use crate::sema::constant::{Value as Constant, fold};
use crate::types::{Extent, Type};

/// Bytes of a table that a kernel may have for itself: those of constant memory.
const MAX_TABLE_BYTES: u64 = 1 << 16;

/// Symbols that functions refer to.
#[derive(Debug, Default, Clone)]
pub struct Needs {
    pub functions: FxHashMap<String, (Vec<IrType>, Vec<IrType>)>,
    pub globals: FxHashMap<String, Global>,
    /// The regions of the function, by the address of their statement.
    pub regions: Vec<(usize, RegionCall)>,
}

/// How a region is called.
#[derive(Debug, Clone)]
pub struct RegionCall {
    pub region: Region,
    pub inputs: Vec<IrType>,
    pub results: Vec<IrType>,
}

/// A `memref.global` to be made.
#[derive(Debug, Clone)]
pub struct Global {
    pub var: VarId,
    /// Fields from the variable.
    pub path: Vec<usize>,
    pub ty: IrType,
    pub span: Span,
}

impl Needs {
    pub fn function(&mut self, name: &str, inputs: &[IrType], results: &[IrType]) {
        self.functions
            .entry(name.to_string())
            .or_insert_with(|| (inputs.to_vec(), results.to_vec()));
    }

    pub fn extend(&mut self, other: Needs) {
        self.functions.extend(other.functions);
        self.globals.extend(other.globals);
    }
}

impl Lowerer<'_> {
    /// The object of a variable that lives as long as the program.
    pub fn global_object(&mut self, v: VarId, span: Span) -> Result<Object> {
        let var = self.unit.var(v);
        let name = match var.storage {
            Storage::LocalStatic => {
                let f = &self.unit.functions[self.function];
                format!("{}.{}", f.name, var.name)
            }
            Storage::Local | Storage::Param => {
                return Err(Refusal::new(
                    span,
                    format!("'{}', whose declaration is jumped over", var.name),
                ));
            }
            _ => var.name.clone(),
        };
        let ty = var.ty.clone();
        self.global_part(v, &ty, &mut Vec::new(), &mut Vec::new(), &name)
    }

    /// Whether a variable is a table of constants that a region may have a copy of, in
    /// constant memory where that serves: it lies in this file alone and no directive
    /// names it.
    pub fn is_table(&self, v: VarId) -> bool {
        let var = self.unit.var(v);
        let own = matches!(var.storage, Storage::FileStatic | Storage::LocalStatic);
        if !own || !var.is_const || var.is_volatile || var.init.is_none() {
            return false;
        }
        let mut ty = &var.ty;
        let mut bytes = 1u64;
        while let Type::Array(a) = ty {
            let Extent::Const(n) = a.len else {
                return false;
            };
            bytes = bytes.saturating_mul(n);
            ty = &a.of;
        }
        let width = self.arithmetic_type(ty).and_then(|t| t.bit_width(self.ctx));
        let each = width.map(|bits| u64::from(bits.div_ceil(8)));
        let fits = each.is_some_and(|n| bytes.saturating_mul(n) <= MAX_TABLE_BYTES);
        matches!(var.ty, Type::Array(_)) && fits && !self.is_in_a_clause(v)
    }

    fn is_in_a_clause(&self, v: VarId) -> bool {
        let mut clauses = self.unit.directives.iter().flat_map(|d| &d.clauses);
        clauses.any(|c| clauses::names(c, v))
    }

    /// The object of such a table.
    pub fn table(&mut self, v: VarId) -> Result<Object> {
        let var = self.unit.var(v);
        // Several functions, and blocks of one, may have tables of one name.
        let name = match var.storage {
            Storage::LocalStatic => format!("{}.{}", var.name, v.0),
            _ => var.name.clone(),
        };
        let ty = var.ty.clone();
        self.global_part(v, &ty, &mut Vec::new(), &mut Vec::new(), &name)
    }

    fn global_part(
        &mut self,
        v: VarId,
        ty: &Type,
        path: &mut Vec<usize>,
        dims: &mut Vec<i64>,
        name: &str,
    ) -> Result<Object> {
        let depth = dims.len();
        let mut ty = ty;
        while let Type::Array(a) = ty {
            let Extent::Const(n) = a.len else {
                return Ok(Object::Refused(
                    format!("the array '{name}', whose size is not known here").into(),
                ));
            };
            dims.push(i64::try_from(n).unwrap_or(i64::MAX));
            ty = &a.of;
        }
        let object = match ty {
            Type::Record(r) => {
                let info = &self.unit.records[*r];
                if info.union {
                    let why = format!("'{name}', which is a union");
                    return Ok(Object::Refused(why.into()));
                }
                let Some(fields) = info.fields.clone() else {
                    let why = format!("'{name}', whose type is not complete");
                    return Ok(Object::Refused(why.into()));
                };
                let mut objects = Vec::new();
                for (i, f) in fields.iter().enumerate() {
                    path.push(i);
                    let name = format!("{name}.{}", f.name);
                    let o = match f.bits {
                        Some(_) => Ok(Object::Refused(format!("the bit-field '{name}'").into())),
                        None => self.global_part(v, &f.ty, path, dims, &name),
                    };
                    path.pop();
                    objects.push(o?);
                }
                Object::Record(Rc::new(objects))
            }
            ty => match self.arithmetic_type(ty) {
                None => Object::Refused(
                    format!("'{name}', a global of type {}", self.type_name(ty)).into(),
                ),
                Some(elem) => {
                    let t = self.ctx.memref(dims, elem);
                    self.needs.globals.insert(
                        name.to_string(),
                        Global {
                            var: v,
                            path: path.clone(),
                            ty: t,
                            span: self.unit.var(v).span,
                        },
                    );
                    let mut b = Builder::new(self.ctx, InsertPoint::Start(self.entry), self.loc);
                    Object::Memory(memref::GetGlobalOp::build(&mut b, name, t))
                }
            },
        };
        dims.truncate(depth);
        Ok(object)
    }

    /// Calls the function of the region that a statement is; `false` if it is none.
    pub fn region_call(&mut self, s: &Stmt) -> Result<bool> {
        let at = std::ptr::from_ref(s) as usize;
        let Some((_, call)) = self.needs.regions.iter().find(|r| r.0 == at).cloned() else {
            return Ok(false);
        };
        let mut operands = Vec::new();
        for (c, want) in call.region.captures.iter().zip(&call.inputs) {
            if c.array().is_some_and(|a| a.field.is_some()) {
                return Err(Refusal::new(s.span, "a region over an array of records"));
            }
            operands.push(match c.array() {
                None if c.is_computed() => self.expr(&c.lvalue)?,
                None => {
                    let p = self.place(&c.lvalue)?;
                    self.load(&p, s.span)?
                }
                Some(_) => {
                    let p = match c.ty {
                        Type::Pointer(_) => self.pointer(&c.lvalue)?,
                        _ => self.place(&c.lvalue)?,
                    };
                    self.whole(&p, *want, s.span)?
                }
            });
        }
        let name = call.region.name.clone();
        let op = func::CallOp::build(&mut self.b(), &name, &operands, &call.results);
        for (k, i) in call.region.results.iter().enumerate() {
            let lvalue = &call.region.captures[*i].lvalue;
            let p: LValue = self.place(lvalue)?;
            let v = op.result(self.ctx, k);
            self.store(&p, v, s.span)?;
        }
        Ok(true)
    }
}

/// Makes the global variable `name`.
pub fn define_global(ctx: &mut Context, unit: &Unit, module: Op, name: &str, g: &Global) {
    let var = unit.var(g.var);
    let loc = super::location(ctx, unit, g.span);
    let external = var.storage == Storage::Extern;
    let initial = match external {
        true => None,
        false => Some(initial_value(ctx, unit, g)),
    };
    let body = module.body(ctx, 0);
    let mut b = Builder::at_start(ctx, body, loc);
    let op = memref::GlobalOp::build(&mut b, name, g.ty, initial, var.is_const && !external);
    if external || var.storage != Storage::Global {
        let private = ctx.string_attr("private");
        op.set_attr(ctx, "sym_visibility", private);
    }
}

/// The elements that a global starts with: zeros where nothing is said.
fn initial_value(ctx: &Context, unit: &Unit, g: &Global) -> terrace_ir::Attr {
    let elem = g.ty.element_or_self(ctx);
    let shape = g.ty.shape(ctx).unwrap_or(&[]).to_vec();
    let bytes = (elem.bit_width(ctx).unwrap_or(8) as usize).div_ceil(8);
    let tensor = ctx.ty(TypeData::Tensor {
        shape: shape.clone(),
        elem,
        encoding: None,
    });
    let count = shape
        .iter()
        .try_fold(1usize, |n, d| n.checked_mul(usize::try_from(*d).ok()?));
    let var = unit.var(g.var);
    let data = match (&var.init, count) {
        (Some(init), Some(n)) if n <= 1 << 24 && shape.iter().all(|d| *d != DYNAMIC) => {
            let mut out = vec![0u8; n * bytes];
            let filled = fill(ctx, unit, init, &var.ty, &g.path, elem, &mut out);
            match filled {
                true if n != 1 => DenseData::Raw {
                    splat: false,
                    bytes: out.into(),
                },
                _ => DenseData::Raw {
                    splat: true,
                    bytes: out[..bytes].into(),
                },
            }
        }
        _ => DenseData::Raw {
            splat: true,
            bytes: vec![0u8; bytes].into(),
        },
    };
    ctx.attr(AttrData::Dense { ty: tensor, data })
}

/// Writes the values of an initialiser of an object of type `ty`, of the field at
/// `path` where it is of records. Whether anything was written.
fn fill(
    ctx: &Context,
    unit: &Unit,
    init: &Init,
    ty: &Type,
    path: &[usize],
    elem: IrType,
    out: &mut [u8],
) -> bool {
    match (init, ty) {
        (Init::List(list), Type::Array(a)) => {
            let Extent::Const(n) = a.len else {
                return false;
            };
            let n = n as usize;
            if n == 0 || !out.len().is_multiple_of(n) {
                return false;
            }
            let each = out.len() / n;
            let mut any = false;
            for (i, inner) in list {
                let at = (*i as usize).saturating_mul(each);
                if let Some(part) = out.get_mut(at..at.saturating_add(each)) {
                    any |= fill(ctx, unit, inner, &a.of, path, elem, part);
                }
            }
            any
        }
        (Init::List(list), Type::Record(r)) => {
            let Some((first, rest)) = path.split_first() else {
                return false;
            };
            let field = unit.records[*r].fields.as_ref().and_then(|f| f.get(*first));
            let inner = list.iter().find(|(i, _)| *i as usize == *first);
            match (field, inner) {
                (Some(f), Some((_, i))) => fill(ctx, unit, i, &f.ty, rest, elem, out),
                _ => false,
            }
        }
        (Init::List(list), ty) => match list.first() {
            Some((_, i)) => fill(ctx, unit, i, ty, path, elem, out),
            None => false,
        },
        (Init::Expr(e), Type::Array(_)) => match &e.kind {
            ExprKind::Str(s) => {
                let n = s.len().min(out.len());
                out[..n].copy_from_slice(&s[..n]);
                true
            }
            _ => false,
        },
        (Init::Expr(e), _) => match (fold(e), elem.float_kind(ctx)) {
            (Some(Constant::Int(n)), None) => {
                let bytes = n.to_le_bytes();
                let k = out.len().min(bytes.len());
                out[..k].copy_from_slice(&bytes[..k]);
                true
            }
            (Some(n), Some(kind)) => {
                let x = match n {
                    Constant::Int(i) => i as f64,
                    Constant::Float(x) => x,
                };
                let bits = Float::from_f64(kind, x).to_bits().to_le_bytes();
                let k = out.len().min(bits.len());
                out[..k].copy_from_slice(&bits[..k]);
                true
            }
            _ => false,
        },
    }
}

/// Declares a function that is defined elsewhere.
pub fn declare_function(
    ctx: &mut Context,
    module: Op,
    name: &str,
    inputs: &[IrType],
    results: &[IrType],
) {
    let ty = ctx.function_type(inputs, results);
    let body = module.body(ctx, 0);
    let mut b = Builder::at_end(ctx, body, Loc::Unknown);
    let attrs = [
        ("sym_name", b.ctx.string_attr(name)),
        ("function_type", b.ctx.type_attr(ty)),
        ("sym_visibility", b.ctx.string_attr("private")),
    ];
    let mut s = b.state::<func::FuncOp>().regions(1);
    for (k, a) in attrs {
        s.set_attr(b.ctx, k, a);
    }
    b.create(s);
}

/// The values of a new function's parameters: arguments of its entry block.
pub fn parameters(l: &mut Lowerer, params: &[VarId], args: &[Value]) -> Result<()> {
    for (p, v) in params.iter().zip(args) {
        let var = l.unit.var(*p);
        let loc = l.location(var.span).named(l.ctx, &var.name);
        let i = v.index(l.ctx);
        l.entry.set_arg_loc(l.ctx, i, loc);
        let object = l.local(*p, var)?;
        l.objects.insert(*p, object.clone());
        match (&object, &var.ty) {
            (Object::Pointer(id), _) => {
                l.env.pointers[id.0] = super::env::Target::Known {
                    object: Object::Memory(*v),
                    subscripts: vec![super::form::Form::constant(0)],
                    null: None,
                };
            }
            (Object::Refused(why), _) => return Err(Refusal::new(var.span, why.to_string())),
            (_, ty) => {
                let place = LValue {
                    object,
                    subscripts: Vec::new(),
                    ty: ty.clone(),
                    null: None,
                };
                l.store(&place, *v, var.span)?;
            }
        }
    }
    Ok(())
}
