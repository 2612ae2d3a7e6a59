//! What a function takes, in terms that C, Fortran and Rust have.

use crate::dialects::affine::LoadOp;
use crate::dialects::func::FuncOp;
use crate::dialects::memref;
use crate::ir::affine::{AffineExpr, AffineMap, AffineOp};
use crate::ir::{Context, Op, OpKind, Value};
use crate::run::entry::{Entry, ParamKind, public_functions};
use crate::run::executor::Program;
use crate::runtime::dtype::DType;
use crate::targets::native::PlainType;

/// A parameter of the function.
#[derive(Debug, Clone)]
pub(super) struct Param {
    /// As the program calls it.
    pub name: String,
    /// What it is.
    pub of: ParamOf,
}

/// What a parameter is.
#[derive(Debug, Clone)]
pub(super) enum ParamOf {
    /// A number.
    Number(Number),
    /// An array.
    Array {
        /// Of such elements.
        element: Number,
        /// Sizes where the attributes tell all of them, over the first parameters.
        map: Option<AffineMap>,
        /// The sizes of its type otherwise; `None` for those that are arguments.
        shape: Vec<Option<usize>>,
        /// No element is written.
        only_read: bool,
    },
}

/// A type of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(super) enum Number {
    I8,
    I16,
    I32,
    I64,
    F32,
    F64,
}

impl Number {
    fn of(d: DType) -> Option<Number> {
        match d {
            DType::I8 => Some(Number::I8),
            DType::I16 => Some(Number::I16),
            DType::I32 => Some(Number::I32),
            DType::I64 | DType::Index => Some(Number::I64),
            DType::F32 => Some(Number::F32),
            DType::F64 => Some(Number::F64),
            _ => None,
        }
    }
}

/// A function and what it takes.
#[derive(Debug, Clone)]
pub(super) struct Interface {
    /// Its name, which is its symbol.
    pub name: String,
    /// In order.
    pub params: Vec<Param>,
    /// The file that it was made of.
    pub source: String,
}

impl Interface {
    /// The interface of an entry.
    ///
    /// # Errors
    ///
    /// What has no form in C.
    pub fn of(program: &Program, entry: &Entry, source: &str) -> Result<Interface, Vec<String>> {
        let mut said = Vec::new();
        let word = |s: &str| {
            let mut all = s.chars();
            all.next().is_some_and(|c| c.is_ascii_alphabetic())
                && all.all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        if !word(&entry.name) || super::languages::is_taken(&entry.name) {
            said.push(format!(
                "a function of C cannot be called `{}`; give it another name, of letters, digits and `_`",
                entry.name
            ));
        }
        if !entry.results.is_empty() {
            said.push(format!(
                "@{} returns results; expected a function that writes what it computes to arrays",
                entry.name
            ));
        }
        said.extend(entry.without_layouts().err());
        let (ctx, module) = (&program.ctx, program.module);
        let function = public_functions(ctx, module)
            .into_iter()
            .find(|f| f.name(ctx) == entry.name);
        let mut params = Vec::new();
        for (k, p) in entry.params.iter().enumerate() {
            let name = match word(&p.name) {
                true => p.name.clone(),
                false => format!(
                    "a{}",
                    p.name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
                ),
            };
            let unusable = |d: DType| {
                format!(
                    "parameter {} of @{} has the type {}, which has no form here; expected index, i8 to i64, f32 or f64",
                    p.name,
                    entry.name,
                    d.name()
                )
            };
            let of = match &p.kind {
                ParamKind::Scalar(d) => match Number::of(*d) {
                    Some(n @ (Number::I64 | Number::F32 | Number::F64)) => ParamOf::Number(n),
                    _ => {
                        said.push(unusable(*d).replace("i8 to i64", "i64"));
                        continue;
                    }
                },
                ParamKind::Array { dtype, shape, .. } => {
                    let Some(element) = Number::of(*dtype) else {
                        said.push(unusable(*dtype));
                        continue;
                    };
                    ParamOf::Array {
                        element,
                        map: p.sizes.clone().filter(|m| m.num_inputs() <= k),
                        shape: shape.clone(),
                        only_read: function.is_some_and(|f| only_read(ctx, f, k)),
                    }
                }
            };
            params.push(Param { name, of });
        }
        match said.is_empty() {
            true => Ok(Interface {
                name: entry.name.clone(),
                params,
                source: source.to_string(),
            }),
            false => Err(said),
        }
    }

    /// The name of the function that tells what results mean.
    pub fn message(&self) -> String {
        format!("{}_message", self.name)
    }

    /// The types of the words of the packed entry, which are the parameters of the C function.
    pub fn words(&self) -> Vec<PlainType> {
        let mut words = Vec::new();
        for p in &self.params {
            match &p.of {
                ParamOf::Number(Number::F32) => words.push(PlainType::F32),
                ParamOf::Number(Number::F64) => words.push(PlainType::F64),
                ParamOf::Number(_) => words.push(PlainType::Int64),
                ParamOf::Array { map, shape, .. } => {
                    words.push(PlainType::Pointer);
                    let open = shape.iter().filter(|s| s.is_none() && map.is_none());
                    words.extend(open.map(|_| PlainType::Int64));
                }
            }
        }
        words
    }
}

/// Whether a function only loads elements of an argument.
fn only_read(ctx: &Context, f: FuncOp, argument: usize) -> bool {
    let entry = f.op().region(ctx, 0).entry(ctx);
    let Some(v) = entry.and_then(|e| e.args(ctx).get(argument).copied()) else {
        return false;
    };
    let reads = |op: &Op, v: Value| {
        op.isa::<LoadOp>(ctx) && op.operand(ctx, 0) == v
            || op.isa::<memref::LoadOp>(ctx) && op.operand(ctx, 0) == v
            || op.isa::<memref::DimOp>(ctx)
    };
    v.users(ctx).iter().all(|op| reads(op, v))
}

/// How a language writes a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wording {
    /// For people: quotients are rounded down.
    Plain,
    /// As Rust computes it.
    Rust,
}

/// An expression over parameters in their names.
pub(super) fn shown(e: &AffineExpr, dims: u32, names: &[String], wording: Wording) -> String {
    let name = |k: u32| names.get(k as usize).cloned().unwrap_or_default();
    match e {
        AffineExpr::Dim(k) => name(*k),
        AffineExpr::Symbol(k) => name(dims + *k),
        AffineExpr::Constant(n) => n.to_string(),
        AffineExpr::Binary(both) => {
            let leaf = |e: &AffineExpr| !matches!(e, AffineExpr::Binary(_));
            let part = |e: &AffineExpr| {
                let text = shown(e, dims, names, wording);
                match leaf(e) || both.op() == AffineOp::Add {
                    true => text,
                    false => format!("({text})"),
                }
            };
            let (l, r) = (part(both.lhs()), part(both.rhs()));
            let rust = wording == Wording::Rust;
            match both.op() {
                AffineOp::Add => match r.strip_prefix('-') {
                    Some(r) if leaf(both.rhs()) => format!("{l} - {r}"),
                    _ => format!("{l} + {r}"),
                },
                AffineOp::Mul => format!("{l} * {r}"),
                AffineOp::Mod if rust => format!("{l}.rem_euclid({r})"),
                AffineOp::Mod => format!("{l} mod {r}"),
                AffineOp::FloorDiv if rust => format!("{l}.div_euclid({r})"),
                AffineOp::FloorDiv => format!("floor({l} / {r})"),
                AffineOp::CeilDiv if rust => format!("-((-{l}).div_euclid({r}))"),
                AffineOp::CeilDiv => format!("ceil({l} / {r})"),
            }
        }
    }
}
