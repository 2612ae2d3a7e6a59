//! The reference interpreter: the judge of every other target.
//!
//! It runs programs at every level, from affine loops down to kernels on a grid of
//! threads, one op after another in a defined order, and checks what the other targets
//! take for granted: bounds of every dimension, reads of memory that was never written (lanes of vectors apart),
//! memory that was freed, is of another block, or of the host while the device runs,
//! division by zero and what else is undefined, and barriers that not all threads reach.
//! Every error names the op's source location.
//!
//! A function is decoded once to a list of instructions over numbered slots
//! (`code`); a machine with an explicit stack of frames runs it (`exec`), so that
//! neither recursion of the program nor the threads of a block, which stop at barriers,
//! need native stack.
//!
//! ```
//! use terrace_targets::interp::{Interpreter, Value};
//! # use terrace_ir::text::parser::{Source, parse};
//! let mut ctx = terrace_dialects::context();
//! let text = "func.func @f(%a: i32) -> i32 {
//!   %b = arith.addi %a, %a : i32
//!   return %b : i32
//! }";
//! let module = parse(&mut ctx, &Source::new("f.mlir", text)).unwrap();
//! let mut interp = Interpreter::new(&ctx, module);
//! assert_eq!(interp.call("f", vec![Value::int(32, 21)]), Ok(vec![Value::int(32, 42)]));
//! ```

mod affine;
mod c_function;
mod code;
mod coherence;
mod decode;
mod error;
mod ew;
mod exec;
mod float;
mod int;
mod interpreter;
mod math;
mod memory;
mod memref;
mod present;
mod tasks;
mod value;

pub use code::OpClass;
pub use error::InterpError;
pub use interpreter::{Array, Config, Counters, Interpreter};
pub use memory::{Actor, Buffer, Memory, Origin, Space};
pub use memref::{BufferId, Dims, MemRef};
pub use tasks::Tasks;
pub use value::{Elem, Value, VectorValue};
