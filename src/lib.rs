//! terrace: a compiler framework that carries affine loop programs down, level by
//! level, to PTX for NVIDIA GPUs and to native code.
//!
//! # Embedding
//!
//! A program that uses the library makes kernels while it runs. It needs no other compiler, and an
//! NVIDIA driver only where it runs on a GPU. There are three ways in.
//!
//! **Arrays and expressions** ([`array`](mod@array)). Each assignment becomes one kernel, on the cores, a GPU, the
//! emulator, or several of them:
//!
//! ```
//! use terrace::array::{Context, sum};
//!
//! let cx = Context::cpu();                           // or Context::from_environment()
//! let x = cx.vector(&[1.0, 2.0, 3.0])?;
//! let y = cx.zeros(x.shape())?;
//! y.set(2.0 * &x - x.sin())?;                        // compiled when it is first met
//! let total: f64 = cx.reduce(sum(&y))?;
//! assert!(total > 0.0);
//! # Ok::<(), terrace::array::ArrayError>(())
//! ```
//!
//! **Functions of text, called with slices** ([`run::typed`]). What the function takes is held against
//! Rust's types once. A call then copies nothing and allocates nothing:
//!
//! ```
//! use terrace::run::RunError;
//! use terrace::run::executor::Program;
//! use terrace::run::typed::Kernel;
//!
//! let text = "func.func @double(%x: memref<?xf64>) {
//!   %c0 = arith.constant 0 : index
//!   %n = memref.dim %x, %c0 : memref<?xf64>
//!   affine.for %i = 0 to %n {
//!     %v = affine.load %x[%i] : memref<?xf64>
//!     %w = arith.addf %v, %v : f64
//!     affine.store %w, %x[%i] : memref<?xf64>
//!   }
//!   return
//! }";
//! let kernel = Kernel::new(Program::new("double.mlir", text).map_err(RunError::from)?, None)?;
//! let double = kernel.bind::<(&mut [f64],)>()?;
//! let mut x = [1.0, 2.0];
//! double.call((&mut x,))?;
//! assert_eq!(x, [2.0, 4.0]);
//! # Ok::<(), RunError>(())
//! ```
//!
//! Such functions also take arrays of a context, on its device: [`array::Context::function`].
//!
//! **Programs and passes** ([`run::compile`], [`opt`], [`pass_registry`]). What the command line does
//! are functions from arguments to an outcome, and write nothing to standard error.
//!
//! Contexts, arrays, expressions and bound functions go to other threads and are shared by them. Wrong
//! input is an error that names what was found and what would be right.
//!
//! # Features
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `c` | programs in C |
//! | `cli` | the tools of the command line, with `c`, `emulator` and `formulas` |
//! | `cuda` | GPUs, by NVIDIA's driver, which is opened at run time |
//! | `emulator` | emulated GPUs, which judge what kernels do |
//! | `fft` | Fourier transforms on the cores by `rustfft`; else they are kernels |
//! | `formulas` | models in formulas |
//! | `lsp` | the language server, with `cli` |
//! | `ndarray` | views of `ndarray` as arguments and as arrays |
//!
//! All but `ndarray` are on by default. The smallest set has arrays and functions on the cores:
//!
//! ```toml
//! terrace = { version = "0.1", default-features = false }
//! ```

#![deny(missing_docs)]
// What the command line alone uses is not left out function by function.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

pub use terrace_dialects as dialects;
pub use terrace_ir as ir;
pub use terrace_passes as passes;
pub use terrace_runtime as runtime;
pub use terrace_targets as targets;

pub mod array;
#[cfg(feature = "c")]
pub mod c;
pub mod cache;
pub mod calibrate;
#[cfg(feature = "cli")]
pub mod doctor;
#[cfg(feature = "c")]
pub mod explain;
pub mod instruments;
#[cfg(feature = "lsp")]
pub mod lsp;
pub mod mappings;
pub mod opt;
mod order;
pub mod progress;
#[cfg(feature = "cli")]
pub mod reduce;
pub mod run;
mod shown;
#[cfg(feature = "cli")]
pub mod tune;
pub mod upstream;

use std::sync::OnceLock;

/// Every pass and pipeline there is.
pub fn pass_registry() -> &'static ir::pass::PassRegistry {
    static REGISTRY: OnceLock<ir::pass::PassRegistry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let mut r = ir::pass::PassRegistry::new();
        passes::register_all(&mut r);
        r
    })
}

/// The size of a stack that is deep enough for IR nested to the limit, in bytes.
const STACK: usize = 256 << 20;

/// Run `f` on a thread whose stack is deep enough for IR nested to the limit.
pub fn with_stack<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|s| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(s, f);
        match thread.map(|t| t.join()) {
            Ok(Ok(r)) => r,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(e) => panic!("cannot start a thread: {e}"),
        }
    })
}
