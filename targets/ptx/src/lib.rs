//! PTX as a machine form: instructions as data over typed virtual registers.
//!
//! | file | what |
//! | --- | --- |
//! | `types`, `modifiers`, `operand`, `op` | the vocabulary |
//! | `form`, `table/` | the instruction table: what each opcode takes |
//! | `inst`, `module`, `ids` | instructions, blocks, functions, modules |
//! | `builder/` | making code; result types come from the table |
//! | `print`, `names` | PTX text |
//! | `parse/` | PTX text, ours and others', back to the machine form |
//! | `cfg`, `defs`, `congruence` | control flow, definitions, alignment facts |
//! | `values`, `polynomial` | what registers hold, as in SSA form, and how it is computed |
//! | `check/` | everything that must hold, reported all at once |
//! | `cleanup/` | simplifications, one a file |
//! | `optimize/` | the optimiser: passes over functions, in one order |
//! | `ptxas` | NVIDIA's assembler, where there is one, as a second judge |
//! | `launch` | what launches of a kernel must keep to |
//!
//! Registers need not be in SSA form: a loop variable is a register written
//! in two places. Cleanups that need single values take the registers that
//! are written once, unguarded, and leave the others alone.
//!
//! The builder builds whatever it is asked for; the checker says what is wrong
//! with it. Nothing here panics on broken code.

pub mod builder;
pub mod cfg;
pub mod check;
pub mod cleanup;
pub mod congruence;
pub mod defs;
pub mod form;
pub mod ids;
pub mod inst;
pub mod launch;
pub use terrace_machine as machine;
pub mod modifiers;
pub mod module;
mod names;
pub mod op;
pub mod operand;
pub mod optimize;
pub mod parse;
pub mod polynomial;
pub mod print;
pub mod ptxas;
pub mod table;
pub mod types;
pub mod values;

pub use builder::FuncBuilder;
pub use check::{Finding, Severity, check};
pub use ids::{BlockId, FuncId, InstId, Reg};
pub use inst::{Guard, Inst, Loc};
pub use modifiers::{Cmp, Mods, Space};
pub use module::{Func, FuncKind, Init, LaunchBounds, Module, Param, Var};
pub use op::Op;
pub use operand::{Address, Base, Operand, Special, Sym};
pub use print::print;
pub use types::{RegTy, Ty};
