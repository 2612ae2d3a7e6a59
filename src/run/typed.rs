//! Functions of a program called with Rust's types: numbers, and slices that are not copied.
//!
//! ```
//! use terrace::run::executor::Program;
//! use terrace::run::typed::Kernel;
//!
//! let program = Program::new("axpy.mlir", "
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
//! }").map_err(terrace::run::RunError::from)?;
//! let kernel = Kernel::new(program, None)?;
//! let axpy = kernel.bind::<(f64, &[f64], &mut [f64])>()?;
//! let (x, mut y) = ([1.0, 2.0], [10.0, 20.0]);
//! axpy.call((2.0, &x, &mut y))?;
//! assert_eq!(y, [12.0, 24.0]);
//! # Ok::<(), terrace::run::RunError>(())
//! ```
//!
//! What a function takes is held against Rust's types once, when they are bound. A call then
//! checks lengths, passes addresses, and allocates nothing.

use super::RunError;
use super::cpu;
use super::entry::{Entry, Param, ParamKind, public_functions};
use super::executor::Program;
use super::options::CoreOptions;
use crate::dialects::{affine, memref};
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::ir::{Context, Loc, Op};
use crate::passes::pipeline::Algebra;
use crate::runtime::dtype::{DType, Element};
use crate::targets::native::NativeModule;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::marker::PhantomData;

/// A function of a program, compiled for the cores. Its accesses are checked. It may be called from
/// several threads at once.
pub struct Kernel {
    native: NativeModule,
    entry: Entry,
    /// The parameters that the function may write.
    written: Vec<bool>,
    /// The places of ops in the source.
    places: HashMap<Loc, DiagLoc>,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel")
            .field("entry", &self.entry)
            .finish_non_exhaustive()
    }
}

impl Kernel {
    /// Compiles a program for the cores. `entry` is the function to call, the first public one where
    /// none is named.
    ///
    /// # Errors
    ///
    /// What in the program cannot be compiled, or that there is no such function.
    pub fn new(mut program: Program, entry: Option<&str>) -> Result<Kernel, RunError> {
        let entry = program.callable(entry)?;
        let usage = |m| RunError::Usage(vec![m]);
        entry.without_layouts().map_err(usage)?;
        let written = written(&program.ctx, program.module, &entry);
        let machine = CoreOptions::default().machine;
        cpu::lower(&mut program, true, Algebra::AS_WRITTEN, &machine)?;
        let native = cpu::code(&program, true)?;
        let place = |l: &Loc| (*l, program.ctx.diag_loc(*l));
        Ok(Kernel {
            places: native.locations.iter().map(place).collect(),
            native,
            entry,
            written,
        })
    }

    /// The function as one of Rust's types: numbers, `&[T]` for arrays that it only reads, and
    /// `&mut [T]` for others. Arrays have one axis, or sizes that the program knows.
    ///
    /// # Errors
    ///
    /// Every argument that does not fit, with what would.
    pub fn bind<A: Arguments>(&self) -> Result<Bound<'_, A>, RunError> {
        let (params, wanted) = (&self.entry.params, A::COUNT);
        let mut wrong = Vec::new();
        if !self.entry.results.is_empty() {
            wrong.push(format!(
                "@{} gives back results; a bound function gives back nothing, and may write an \
                 array of one element",
                self.entry.name
            ));
        }
        match params.len() == wanted {
            true => wrong.extend(A::check(params, &self.written)),
            false => wrong.push(format!(
                "@{} takes {} arguments, found {wanted} types",
                self.entry.name,
                params.len()
            )),
        }
        match wrong.is_empty() {
            true => Ok(Bound {
                kernel: self,
                arguments: PhantomData,
            }),
            false => Err(RunError::Usage(wrong)),
        }
    }
}

/// The parameters that a function may write: arrays of which it does not only load elements.
pub(crate) fn written(ctx: &Context, module: Op, entry: &Entry) -> Vec<bool> {
    let functions = public_functions(ctx, module).into_iter();
    let Some(f) = functions.into_iter().find(|f| f.name(ctx) == entry.name) else {
        return vec![true; entry.params.len()];
    };
    let reads = |op: &Op| {
        op.isa::<affine::LoadOp>(ctx)
            || op.isa::<memref::LoadOp>(ctx)
            || op.isa::<memref::DimOp>(ctx)
    };
    let args = f.entry(ctx).args(ctx).into_iter();
    args.map(|a| !a.users(ctx).iter().all(reads)).collect()
}

/// A function with the types that it is called with.
pub struct Bound<'k, A> {
    kernel: &'k Kernel,
    arguments: PhantomData<fn(A)>,
}

/// Words of a call, on the stack unless there are very many.
pub(super) type Words = SmallVec<[u64; 48]>;

impl<A: Arguments> Bound<'_, A> {
    /// Calls the function, and waits for it.
    ///
    /// # Errors
    ///
    /// A slice has another length than the program's array, or what went wrong while it ran, with
    /// its place in the source.
    pub fn call(&self, args: A::With<'_>) -> Result<(), RunError> {
        let mut words = Words::new();
        A::push(args, &self.kernel.entry.params, &mut words)
            .map_err(|m| RunError::Usage(vec![m]))?;
        // SAFETY: the words are those of the parameters, which were checked when the types were
        // bound. Slices are borrowed for the call; those that are shared are not written, which
        // was checked too. Accesses are checked against the sizes.
        let ran = unsafe {
            self.kernel
                .native
                .call_words(&self.kernel.entry.name, &words)
        };
        ran.map_err(|e| {
            let at = self.kernel.places.get(&e.loc).cloned();
            let at = at.unwrap_or(DiagLoc::Unknown);
            RunError::Program(vec![Diagnostic::error(at, e.message)])
        })
    }
}

/// A type that an argument has.
pub trait Argument {
    /// The same, borrowed for a call.
    type With<'c>;

    /// What is wrong with it for a parameter.
    #[doc(hidden)]
    fn mismatch(param: &Param, written: bool) -> Option<String>;

    /// Adds the words of an argument.
    #[doc(hidden)]
    fn push(with: Self::With<'_>, param: &Param, words: &mut Words) -> Result<(), String>;
}

pub(crate) fn kind_text(kind: &ParamKind) -> String {
    match kind {
        ParamKind::Scalar(d) => format!("a number of type {d}"),
        ParamKind::Array { dtype, shape, .. } => {
            let sizes = shape
                .iter()
                .map(|d| d.map_or("?x".to_string(), |n| format!("{n}x")));
            format!("an array {}{dtype}", sizes.collect::<String>())
        }
    }
}

macro_rules! numbers {
    ($($t:ty, [$($of:ident)*], $word:expr;)*) => {$(
        impl Argument for $t {
            type With<'c> = $t;

            fn mismatch(param: &Param, _: bool) -> Option<String> {
                let fits = matches!(&param.kind, ParamKind::Scalar(DType::Index) if
                    [$(DType::$of),*].contains(&DType::Index))
                    || matches!(&param.kind, ParamKind::Scalar(d) if [$(DType::$of),*].contains(d));
                (!fits).then(|| {
                    let (name, kind) = (&param.name, kind_text(&param.kind));
                    format!("argument {name} is {kind}, found {}", stringify!($t))
                })
            }

            fn push(with: $t, _: &Param, words: &mut Words) -> Result<(), String> {
                words.push(($word)(with));
                Ok(())
            }
        }
    )*};
}

numbers! {
    f64, [F64], f64::to_bits;
    f32, [F32], |v: f32| u64::from(v.to_bits());
    i64, [I64 Index], |v| v as u64;
    u64, [I64 U64], |v| v;
    i32, [I32], |v| u64::from(v as u32);
    u32, [I32 U32], u64::from;
    bool, [I1], u64::from;
}

/// What is wrong with elements of `T` for a parameter.
pub(super) fn element_mismatch<T: Element>(param: &Param, found: &str) -> Option<String> {
    let (name, kind) = (&param.name, kind_text(&param.kind));
    let ParamKind::Array { dtype, .. } = &param.kind else {
        return Some(format!("argument {name} is {kind}, found {found}"));
    };
    (!T::fits(*dtype) || *dtype == DType::I1).then(|| {
        let of = T::DTYPE;
        format!("argument {name} is {kind}, found {found} of {of}")
    })
}

/// What is wrong with a shared argument for a parameter that may be written.
pub(super) fn write_mismatch(param: &Param, written: bool, found: &str) -> Option<String> {
    let name = &param.name;
    written.then(|| {
        format!("argument {name} may be written, found a shared {found}; bind it to `&mut`")
    })
}

/// What is wrong with a slice of `T` for a parameter.
fn slice_mismatch<T: Element>(param: &Param) -> Option<String> {
    if let Some(wrong) = element_mismatch::<T>(param, "a slice") {
        return Some(wrong);
    }
    let (name, kind) = (&param.name, kind_text(&param.kind));
    let ParamKind::Array { shape, .. } = &param.kind else {
        return None;
    };
    let known = shape.iter().all(Option::is_some);
    (!known && shape.len() != 1).then(|| {
        format!(
            "argument {name} is {kind}, found a slice, which tells one size; the array must have \
             one axis, or sizes that are constants"
        )
    })
}

/// The words of a slice at an address.
fn push_slice(at: u64, len: usize, param: &Param, words: &mut Words) -> Result<(), String> {
    words.push(at);
    let ParamKind::Array { shape, .. } = &param.kind else {
        return Ok(());
    };
    if shape.as_slice() == [None] {
        words.push(len as u64);
        return Ok(());
    }
    let elements = shape.iter().try_fold(1usize, |n, d| n.checked_mul((*d)?));
    match elements == Some(len) {
        true => Ok(()),
        false => {
            let (name, kind) = (&param.name, kind_text(&param.kind));
            Err(format!(
                "argument {name} is {kind}, found a slice of {len} elements"
            ))
        }
    }
}

impl<T: Element> Argument for &[T] {
    type With<'c> = &'c [T];

    fn mismatch(param: &Param, written: bool) -> Option<String> {
        slice_mismatch::<T>(param).or_else(|| write_mismatch(param, written, "slice"))
    }

    fn push(with: &[T], param: &Param, words: &mut Words) -> Result<(), String> {
        push_slice(with.as_ptr() as u64, with.len(), param, words)
    }
}

impl<T: Element> Argument for &mut [T] {
    type With<'c> = &'c mut [T];

    fn mismatch(param: &Param, _: bool) -> Option<String> {
        slice_mismatch::<T>(param)
    }

    fn push(with: &mut [T], param: &Param, words: &mut Words) -> Result<(), String> {
        push_slice(with.as_mut_ptr() as u64, with.len(), param, words)
    }
}

/// The types of all arguments: a tuple of up to eight.
pub trait Arguments {
    /// The same, borrowed for a call.
    type With<'c>;

    /// How many there are.
    #[doc(hidden)]
    const COUNT: usize;

    /// What is wrong with them.
    #[doc(hidden)]
    fn check(params: &[Param], written: &[bool]) -> Vec<String>;

    /// Adds their words.
    #[doc(hidden)]
    fn push(with: Self::With<'_>, params: &[Param], words: &mut Words) -> Result<(), String>;
}

macro_rules! tuples {
    ($count:literal: $($name:ident $n:tt),*) => {
        impl<$($name: Argument),*> Arguments for ($($name,)*) {
            type With<'c> = ($($name::With<'c>,)*);

            const COUNT: usize = $count;

            fn check(params: &[Param], written: &[bool]) -> Vec<String> {
                let all = [$($name::mismatch(&params[$n], written[$n])),*];
                all.into_iter().flatten().collect()
            }

            fn push(with: Self::With<'_>, params: &[Param], words: &mut Words) -> Result<(), String> {
                $($name::push(with.$n, &params[$n], words)?;)*
                Ok(())
            }
        }
    };
}

tuples!(1: A 0);
tuples!(2: A 0, B 1);
tuples!(3: A 0, B 1, C 2);
tuples!(4: A 0, B 1, C 2, D 3);
tuples!(5: A 0, B 1, C 2, D 3, E 4);
tuples!(6: A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(7: A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(8: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(function: &str) -> Kernel {
        let program = Program::new("test.mlir", function).expect("a right program");
        Kernel::new(program, None).expect("a program for the cores")
    }

    const SCALE: &str = "func.func @scale(%n: i64, %a: f32, %x: memref<?xf32>, %y: memref<?xf32>, \
        %t: memref<2x2xi32>) {
      %m = arith.index_cast %n : i64 to index
      affine.for %i = 0 to %m {
        %v = affine.load %x[%i] : memref<?xf32>
        %w = arith.mulf %v, %a : f32
        affine.store %w, %y[%i] : memref<?xf32>
      }
      %c = affine.load %t[0, 1] : memref<2x2xi32>
      affine.store %c, %t[1, 0] : memref<2x2xi32>
      return
    }";

    type Scale<'a> = (i64, f32, &'a [f32], &'a mut [f32], &'a mut [i32]);

    #[test]
    fn slices_are_not_copied() {
        fn shared<T: Send + Sync>(_: &T) {}
        let k = kernel(SCALE);
        shared(&k);
        let scale = k.bind::<Scale>().unwrap();
        let x = [1.0f32, 2.0, 3.0];
        let (mut y, mut t) = ([0.0f32; 3], [1, 2, 3, 4]);
        for a in [2.0, -1.0] {
            scale.call((3, a, &x, &mut y, &mut t)).unwrap();
            assert_eq!(y, x.map(|v| v * a));
        }
        assert_eq!(t, [1, 2, 2, 4]);
        scale.call((0, 5.0, &x, &mut y, &mut t)).unwrap();
        assert_eq!(y, [-1.0, -2.0, -3.0]);
        let error = scale.call((1, 5.0, &x, &mut y, &mut [1, 2])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "argument 4 is an array 2x2xi32, found a slice of 2 elements"
        );
        // What is beside a slice is not touched.
        let error = scale.call((4, 5.0, &x, &mut y, &mut t)).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("test.mlir:") && text.contains("out of bounds"),
            "{text}"
        );
    }

    #[test]
    fn types_that_do_not_fit() {
        let k = kernel(SCALE);
        let said = |r: Result<(), RunError>| r.unwrap_err().to_string();
        let shared = k.bind::<(i64, f32, &[f32], &[f32], &[i32])>().map(|_| ());
        assert_eq!(
            said(shared),
            "argument 3 may be written, found a shared slice; bind it to `&mut`\n\
             argument 4 may be written, found a shared slice; bind it to `&mut`"
        );
        let few = k.bind::<(i64, f32)>().map(|_| ());
        assert_eq!(said(few), "@scale takes 5 arguments, found 2 types");
        let wrong = k
            .bind::<(f64, &[f32], f32, &mut [f64], &mut [u32])>()
            .map(|_| ());
        assert_eq!(
            said(wrong),
            "argument 0 is a number of type i64, found f64\n\
             argument 1 is a number of type f32, found a slice\n\
             argument 2 is an array ?xf32, found f32\n\
             argument 3 is an array ?xf32, found a slice of f64"
        );
        let open = kernel("func.func @f(%a: memref<?x?xf64>) { return }");
        let text = said(open.bind::<(&[f64],)>().map(|_| ()));
        assert!(
            text.ends_with(
                "found a slice, which tells one size; the array must have one axis, or sizes that \
                 are constants"
            ),
            "{text}"
        );
        let gives = kernel("func.func @g(%a: i32) -> i32 { return %a : i32 }");
        let text = said(gives.bind::<(i32,)>().map(|_| ()));
        assert!(
            text.starts_with("@g gives back results; a bound function gives back nothing"),
            "{text}"
        );
    }
}
