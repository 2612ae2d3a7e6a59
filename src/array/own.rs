//! Functions that are written as text, called with arrays of a context.
//!
//! ```
//! # use terrace::array::Context;
//! # use terrace::run::source::ProgramText;
//! # let cx = Context::cpu();
//! let axpy = cx.function(&ProgramText::mlir("axpy.mlir", "
//! func.func @axpy(%a: f64, %x: memref<?xf64>, %y: memref<?xf64>) {
//!   %c0 = arith.constant 0 : index
//!   %n = memref.dim %x, %c0 : memref<?xf64>
//!   affine.for %i = 0 to %n {
//!     %p = affine.load %x[%i] : memref<?xf64>
//!     %q = affine.load %y[%i] : memref<?xf64>
//!     %r = arith.mulf %a, %p : f64
//!     %s = arith.addf %r, %q : f64
//!     affine.store %s, %y[%i] : memref<?xf64>
//!   }
//!   return
//! }"), None)?;
//! let (x, y) = (cx.vector(&[1.0, 2.0])?, cx.vector(&[10.0, 20.0])?);
//! axpy.call((2.0, &x, &y))?;
//! assert_eq!(y.to_vec()?, [12.0, 24.0]);
//! # Ok::<(), terrace::array::ArrayError>(())
//! ```
//!
//! They go the way of all programs, on the first device of the context. Arrays are used where they
//! are, if they are there in row-major order; others are copied, and copied back.

use super::arrays::{Array, memory_of};
use super::context::Context;
use super::error::ArrayError;
use super::kernel::Kernel;
use super::run::Guard;
use crate::dialects::func::CallOp;
use crate::ir::Loc;
use crate::ir::OpKind;
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::passes::pipeline;
use crate::run::RunError;
use crate::run::entry::{Entry, Param, ParamKind, open_words, public_functions};
use crate::run::executor::Program;
use crate::run::source::ProgramText;
use crate::run::typed::{kind_text, written};
use crate::runtime::dtype::DType;
use smallvec::SmallVec;
use std::collections::HashMap;
use terrace_dsl::{Element, ElementType, View, sizes_text};

/// A function of a program, compiled for the first device of a context.
pub struct Function {
    context: Context,
    code: Code,
}

/// The code of a function, without the context that it is for.
pub(super) struct Code {
    kernel: Kernel,
    entry: Entry,
    /// The parameters that it may write.
    written: Vec<bool>,
    /// The places of ops in the text.
    places: HashMap<Loc, DiagLoc>,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Function")
            .field("entry", &self.code.entry)
            .finish_non_exhaustive()
    }
}

/// An argument of a call.
#[doc(hidden)]
pub struct Given<'a>(Kind<'a>);

enum Kind<'a> {
    Number(ElementType, u64),
    Array(&'a dyn AnyArray),
}

/// An array of any type.
trait AnyArray {
    fn ty(&self) -> ElementType;
    fn view(&self) -> Result<&View, ArrayError>;
    fn context(&self) -> &Context;
    /// A copy in another context, in row-major order.
    fn copied(&self, to: &Context) -> Result<View, ArrayError>;
    /// Takes over what a copy holds.
    fn back(&self, from: &Context, copy: View) -> Result<(), ArrayError>;
}

impl<T: Element> AnyArray for Array<T> {
    fn ty(&self) -> ElementType {
        T::TYPE
    }

    fn view(&self) -> Result<&View, ArrayError> {
        Ok(Array::view(self)?)
    }

    fn context(&self) -> &Context {
        Array::context(self)
    }

    fn copied(&self, to: &Context) -> Result<View, ArrayError> {
        let copy = to.array(self.shape(), &self.to_vec()?)?;
        Ok(Array::view(&copy)?.clone())
    }

    fn back(&self, from: &Context, copy: View) -> Result<(), ArrayError> {
        self.copy_from(&Array::<T>::new(from, copy).to_vec()?)
    }
}

/// What a function takes: a number, or an array.
pub trait Passed {
    /// It as an argument.
    #[doc(hidden)]
    fn given(&self) -> Given<'_>;
}

impl<T: Element> Passed for &Array<T> {
    fn given(&self) -> Given<'_> {
        Given(Kind::Array(*self))
    }
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl Passed for $t {
            fn given(&self) -> Given<'_> {
                Given(Kind::Number(<$t as Element>::TYPE, Element::to_bits(*self) as u64))
            }
        }
    )*};
}

numbers!(bool i32 i64 u32 u64 f32 f64);

/// Arguments of a function: a tuple of up to eight.
pub trait AllPassed {
    /// All of them, in order.
    #[doc(hidden)]
    fn list(&self) -> Vec<Given<'_>>;
}

macro_rules! tuples {
    ($($name:ident $n:tt),*) => {
        impl<$($name: Passed),*> AllPassed for ($($name,)*) {
            fn list(&self) -> Vec<Given<'_>> {
                vec![$(self.$n.given()),*]
            }
        }
    };
}

up_to_eight!(tuples);

/// Whether elements of a type are those of a program's.
fn fits(ty: ElementType, of: DType) -> bool {
    use {DType as D, ElementType as E};
    match ty {
        E::Bool => of == D::I1,
        E::I32 => of == D::I32,
        E::U32 => matches!(of, D::I32 | D::U32),
        E::I64 => matches!(of, D::I64 | D::Index),
        E::U64 => matches!(of, D::I64 | D::U64 | D::Index),
        E::F16 => of == D::F16,
        E::BF16 => of == D::BF16,
        E::F32 => of == D::F32,
        E::F64 => of == D::F64,
        E::ComplexF32 | E::ComplexF64 => false,
    }
}

impl Context {
    /// Compiles a function of a program: the one that is named, else its first public one. Numbers
    /// and arrays are its parameters, and it gives nothing back. Regions of C are functions.
    ///
    /// # Errors
    ///
    /// What is wrong with the program, with its line, or with the function for this.
    pub fn function(
        &self,
        program: &ProgramText,
        entry: Option<&str>,
    ) -> Result<Function, ArrayError> {
        let code = Code::made(self, program, entry, false)?;
        Ok(Function {
            context: self.clone(),
            code,
        })
    }
}

impl Function {
    /// Calls it, and waits for it. An array that it fails to write holds nothing afterwards.
    ///
    /// # Errors
    ///
    /// Arguments do not fit, share elements that are written, or are of another context; a GPU does
    /// not check the accesses of kernels, so that [`Function::call_unchecked`] is for it; or what
    /// went wrong, with its place in the text.
    pub fn call(&self, args: impl AllPassed) -> Result<(), ArrayError> {
        let checks = self.context.inner.devices[0].device.as_ref();
        if checks.is_some_and(|d| !d.looks_at_accesses()) {
            return Err(ArrayError::Setting(format!(
                "a GPU does not check the accesses of @{}; call it by `call_unchecked`",
                self.code.entry.name
            )));
        }
        self.code.called(&self.context, &args.list())
    }

    /// As [`Function::call`], where a GPU does not check accesses.
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// # Safety
    ///
    /// All accesses of the function are to elements of its arrays.
    pub unsafe fn call_unchecked(&self, args: impl AllPassed) -> Result<(), ArrayError> {
        self.code.called(&self.context, &args.list())
    }
}

impl Code {
    /// A function that launches kernels which are there already.
    ///
    /// # Errors
    ///
    /// As [`Context::function`].
    pub fn of_kernels(cx: &Context, program: &ProgramText) -> Result<Code, ArrayError> {
        Code::made(cx, program, None, true)
    }

    fn made(
        cx: &Context,
        program: &ProgramText,
        entry: Option<&str>,
        lowered: bool,
    ) -> Result<Code, ArrayError> {
        let context = cx.alone();
        let shown = |e: RunError| match e {
            RunError::Program(ds) => ArrayError::Compile(program.render(&ds).trim_end().into()),
            e => e.into(),
        };
        crate::with_stack(|| {
            let mut p = program.program().map_err(|ds| shown(ds.into()))?;
            let entry = p.callable(entry).map_err(shown)?;
            entry.without_layouts().map_err(ArrayError::Compile)?;
            if !entry.results.is_empty() {
                return Err(ArrayError::Compile(format!(
                    "@{} gives back numbers; a function on arrays gives back nothing, and may \
                     write an array of one element",
                    entry.name
                )));
            }
            if !lowered {
                // Regions of C are functions that the others call.
                p.run(&pipeline::inline()).map_err(|ds| shown(ds.into()))?;
                alone_in(&mut p, &entry.name);
            }
            let written = written(&p.ctx, p.module, &entry);
            let here = &context.inner.devices[0];
            let kernel = Kernel::of_text(here, &mut p, &entry.name, lowered);
            let kernel = kernel.map_err(shown)?;
            let place = |l: &Loc| (*l, p.ctx.diag_loc(*l));
            Ok(Code {
                places: kernel.locations().iter().map(place).collect(),
                kernel,
                entry,
                written,
            })
        })
    }

    /// Calls it with arrays of a context that it was made for.
    ///
    /// # Errors
    ///
    /// As [`Function::call_unchecked`].
    ///
    /// # Safety
    ///
    /// As there.
    pub unsafe fn called_unchecked(
        &self,
        cx: &Context,
        args: &impl AllPassed,
    ) -> Result<(), ArrayError> {
        self.called(cx, &args.list())
    }

    fn called(&self, context: &Context, args: &[Given<'_>]) -> Result<(), ArrayError> {
        let params = &self.entry.params;
        let wrong: Vec<String> = match params.len() == args.len() {
            true => (params.iter().zip(args))
                .filter_map(|(p, a)| mismatch(p, a))
                .collect(),
            false => vec![format!(
                "@{} takes {} arguments, found {}",
                self.entry.name,
                params.len(),
                args.len()
            )],
        };
        if !wrong.is_empty() {
            return Err(ArrayError::Setting(wrong.join("\n")));
        }
        self.check_apart(context, args)?;
        let alone = context.alone();
        let mut views: Vec<Option<View>> = Vec::new();
        let mut copies = Vec::new();
        for (a, written) in args.iter().zip(&self.written) {
            let Kind::Array(array) = &a.0 else {
                views.push(None);
                continue;
            };
            let view = array.view()?;
            let own = alone.id() == array.context().id() && view.is_contiguous();
            let used = match own {
                true => view.clone(),
                false => array.copied(alone)?,
            };
            if !own && *written {
                copies.push((*array, used.clone()));
            }
            views.push(Some(used));
        }
        self.run(args, &views)?;
        copies
            .into_iter()
            .try_for_each(|(a, copy)| a.back(alone, copy))
    }

    /// What is written is no other argument's, and all arrays are of the context.
    fn check_apart(&self, context: &Context, args: &[Given<'_>]) -> Result<(), ArrayError> {
        for (k, a) in args.iter().enumerate() {
            let Kind::Array(array) = &a.0 else { continue };
            let name = |k: usize| &self.entry.params[k].name;
            if array.context().id() != context.id() {
                return Err(ArrayError::Setting(format!(
                    "argument {} is an array of another context than @{}; bring it over by \
                     `to_vec` and `vector`",
                    name(k),
                    self.entry.name
                )));
            }
            let view = array.view()?;
            if self.written[k]
                && view
                    .sizes
                    .iter()
                    .zip(&view.strides)
                    .any(|(n, s)| *n > 1 && *s == 0)
            {
                return Err(ArrayError::Setting(format!(
                    "argument {} may be written, found an array whose elements are repeated",
                    name(k)
                )));
            }
            for (other, b) in args.iter().enumerate().take(k) {
                if let Kind::Array(b) = &b.0
                    && (self.written[k] || self.written[other])
                    && b.view()?.may_overlap(view)
                {
                    return Err(ArrayError::Setting(format!(
                        "arguments {} and {} share elements, and @{} may write them",
                        name(other),
                        name(k),
                        self.entry.name
                    )));
                }
            }
        }
        Ok(())
    }

    fn run(&self, args: &[Given<'_>], views: &[Option<View>]) -> Result<(), ArrayError> {
        let mut memories = Vec::new();
        for (view, written) in views.iter().zip(&self.written) {
            let Some(view) = view else { continue };
            let key = view.memory();
            match memories.iter_mut().find(|(k, _, _)| *k == key) {
                Some((_, _, w)) => *w |= written,
                None => memories.push((key, memory_of(view)?, *written)),
            }
        }
        // The order in which all calls lock them.
        memories.sort_unstable_by_key(|m| m.0);
        let mut guards: Vec<Guard<'_>> = (memories.iter())
            .map(|(_, m, written)| match written {
                true => Guard::Write(m.write()),
                false => Guard::Read(m.read()),
            })
            .collect();
        for (g, (_, _, written)) in guards.iter().zip(&memories) {
            g.contents().check()?;
            g.contents().check_use(*written)?;
        }
        let mut words: SmallVec<[u64; 48]> = SmallVec::new();
        for ((a, view), param) in args.iter().zip(views).zip(&self.entry.params) {
            match (&a.0, view, &param.kind) {
                (Kind::Array(array), Some(view), ParamKind::Array { shape, .. }) => {
                    let at = memories.iter().position(|m| m.0 == view.memory());
                    let first = at.map_or(0, |g| guards[g].contents().address(0));
                    words.push(first + (view.offset * array.ty().size()) as u64);
                    words.extend(open_words(shape, &view.sizes));
                }
                (Kind::Number(_, bits), ..) => words.push(*bits),
                _ => {}
            }
        }
        // SAFETY: the words are those of the parameters, which were checked. Arrays lie in their
        // memories, whose locks are held. Accesses are checked, or the caller answers for them.
        let ran = unsafe { self.kernel.call_located(&words) };
        let failed = ran.err().map(|(loc, message)| {
            let at = self.places.get(&loc).cloned().unwrap_or(DiagLoc::Unknown);
            let said = RunError::Program(vec![Diagnostic::error(at, message)]);
            ArrayError::Kernel {
                at: None,
                message: said.to_string(),
            }
        });
        let Some(e) = failed else { return Ok(()) };
        for g in &mut guards {
            if let Guard::Write(c) = g {
                c.lost = Some(e.clone());
            }
        }
        Err(e)
    }
}

/// Leaves out the functions that nobody calls but others.
fn alone_in(p: &mut Program, name: &str) {
    let mut all = public_functions(&p.ctx, p.module);
    let mut calls = false;
    for f in &all {
        let is_it = f.name(&p.ctx) == name;
        f.op()
            .walk(&p.ctx, &mut |op| calls |= is_it && op.isa::<CallOp>(&p.ctx));
    }
    all.retain(|f| f.name(&p.ctx) != name);
    if !calls {
        all.into_iter().for_each(|f| f.op().erase(&mut p.ctx));
    }
}

/// What is wrong with an argument for a parameter.
fn mismatch(param: &Param, a: &Given<'_>) -> Option<String> {
    let (name, kind) = (&param.name, kind_text(&param.kind));
    let found = match (&a.0, &param.kind) {
        (Kind::Number(ty, _), ParamKind::Scalar(of)) if fits(*ty, *of) => return None,
        (Kind::Number(ty, _), _) => format!("a number of type {ty}"),
        (Kind::Array(array), of) => {
            let Ok(view) = array.view() else { return None };
            if let ParamKind::Array { dtype, shape, .. } = of
                && fits(array.ty(), *dtype)
                && shape.len() == view.sizes.len()
                && (shape.iter().zip(&view.sizes)).all(|(d, n)| d.is_none_or(|d| d == *n))
            {
                return None;
            }
            format!(
                "an array of shape {} of {}",
                sizes_text(&view.sizes),
                array.ty()
            )
        }
    };
    Some(format!("argument {name} is {kind}, found {found}"))
}
