//! Affine loops, integer sets and native code for programs of pliron.
//!
//! A program makes a module of pliron's `builtin.func` with the ops of [`affine`] and [`ops`] in it.
//! [`Module::read`] makes a module of terrace of it. That has dependences, takes terrace's passes,
//! runs as machine code, and goes back to pliron:
//!
//! ```
//! use pliron::builtin::{ops::{FuncOp, ModuleOp}, types::{FP64Type, FunctionType}};
//! use pliron::context::Context;
//! use pliron::builtin::op_interfaces::{OneResultInterface, SingleBlockRegionInterface};
//! use pliron::{ident, linked_list::ContainsLinkedList, op::Op};
//! use terrace_ir::affine::AffineMap;
//! use terrace_pliron::{Module, affine::*, ops::*, types::MemrefType};
//!
//! // for i in 0..8 { x[i] = x[i] + x[i] }
//! let ctx = &mut Context::new();
//! let f64 = FP64Type::get(ctx).into();
//! let array = MemrefType::get(ctx, vec![Some(8)], f64);
//! let ty = FunctionType::get(ctx, vec![array.into()], vec![]);
//! let module = ModuleOp::new(ctx, ident!("example"));
//! let function = FuncOp::new(ctx, ident!("double"), ty);
//! let top = module.get_body(ctx, 0);
//! function.get_operation().insert_at_back(top, ctx);
//! let entry = function.get_entry_block(ctx);
//! let x = entry.deref(ctx).get_argument(0);
//! let each = ForOp::new(ctx, Bound::constant(0), Bound::constant(8), 1, &[]);
//! let (body, i) = (each.body(ctx), each.counter(ctx));
//! let v = LoadOp::new(ctx, x, AffineMap::identity(1), &[i]);
//! let value = v.get_result(ctx);
//! let w = AddFOp::new(ctx, value, value);
//! let sum = w.get_result(ctx);
//! let s = StoreOp::new(ctx, sum, x, AffineMap::identity(1), &[i]);
//! let end = YieldOp::new(ctx, vec![]);
//! for op in [v.get_operation(), w.get_operation(), s.get_operation(), end.get_operation()] {
//!     op.insert_at_back(body, ctx);
//! }
//! each.get_operation().insert_at_back(entry, ctx);
//! ReturnOp::new(ctx, vec![]).get_operation().insert_at_back(entry, ctx);
//!
//! let kernel = Module::read(ctx, module).map_err(|e| e.to_string())?.kernel(Some("double"))?;
//! let double = kernel.bind::<(&mut [f64],)>()?;
//! let mut x = [1.0; 8];
//! double.call((&mut x,))?;
//! assert_eq!(x, [2.0; 8]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An op of one's own whose name terrace has, as `math.exp`, becomes that op. Others implement
//! [`read::TerraceOp`], types [`types::TerraceType`], and attributes [`attrs::TerraceAttr`].

#![deny(missing_docs)]

pub mod affine;
pub mod attrs;
mod dependences;
pub mod ops;
pub mod read;
pub mod sets;
pub mod types;
mod write;

pub use dependences::Dependence;
pub use terrace::run::RunError;
pub use terrace::run::typed::Kernel;

use pliron::builtin::ops::ModuleOp;
use pliron::context::{Context, Ptr};
use pliron::input_err;
use pliron::location::Location;
use pliron::operation::Operation;
use pliron::result::Result;
use rustc_hash::FxHashMap;
use terrace::run::executor::Program;
use terrace_ir as ir;
use terrace_ir::diag::Diagnostic;

/// A module of terrace that was one of pliron.
pub struct Module {
    program: Program,
    origins: FxHashMap<ir::Op, Ptr<Operation>>,
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

/// Diagnostics as one message, each with its place.
fn said(diagnostics: &[Diagnostic]) -> String {
    let all: Vec<String> = diagnostics
        .iter()
        .map(|d| match &d.loc {
            ir::diag::DiagLoc::Pos { file, line, column } => {
                format!("{file}:{line}:{column}: {}", d.message)
            }
            _ => d.message.clone(),
        })
        .collect();
    all.join("\n")
}

impl Module {
    /// Reads a module, and verifies it as terrace does.
    ///
    /// # Errors
    ///
    /// What in it has no form in terrace, at its location, or everything that is not valid there.
    pub fn read(ctx: &Context, module: ModuleOp) -> Result<Module> {
        let read::Read {
            ctx: made,
            module: top,
            origins,
        } = read::read(ctx, module)?;
        if !ir::verify::verify(&made, top) {
            return input_err!(Location::Unknown, "{}", said(&made.take_diagnostics()));
        }
        Ok(Module {
            program: Program::of(made, top),
            origins,
        })
    }

    /// The module in pliron.
    ///
    /// # Errors
    ///
    /// An op, a type or an attribute that pliron and this crate have not, at its location.
    pub fn write(&self, ctx: &mut Context) -> Result<ModuleOp> {
        write::write(&self.program.ctx, self.program.module, ctx)
    }

    /// The module as MLIR's text.
    pub fn text(&self) -> String {
        self.program.text()
    }

    /// Runs passes, as `terrace-opt --pass-pipeline` takes them: `func.func(affine-loop-tile)`. What
    /// terrace knows then is no more of the ops that pliron has.
    ///
    /// # Errors
    ///
    /// What the passes report.
    pub fn run(&mut self, pipeline: &str) -> std::result::Result<(), RunError> {
        self.origins.clear();
        self.program.run_pipeline(pipeline).map_err(RunError::from)
    }

    /// Machine code by Cranelift, to be called with Rust's types. `entry` is the function to call,
    /// the first public one where none is named.
    ///
    /// # Errors
    ///
    /// What cannot be compiled, or that there is no such function.
    pub fn kernel(self, entry: Option<&str>) -> std::result::Result<Kernel, RunError> {
        Kernel::new(self.program, entry)
    }
}
