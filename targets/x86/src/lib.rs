//! Functions of x86-64 in a machine form, and their machine code.
//!
//! ```text
//! bb1(v3, v4):                                    vmovupd zmm0, [rdi+rcx*8]
//!   vmovupd v5, [v0 + v3*8]                =>     vaddpd zmm1, zmm1, zmm0
//!   vaddpd v6, v4, v5
//! ```
//!
//! An instruction is a mnemonic and its operands, each of a width; `codes` finds the encoding.
//! Values are in registers without number, of which `regalloc2` makes those of the machine, and
//! `iced-x86` writes the bytes. It knows of no loops and no IR: who has some chooses instructions.
//!
//! Functions are called as System V does, with up to six integers, and give an integer of 32 bits.

mod allocate;
mod codes;
mod emit;
mod func;
mod inst;
#[cfg(test)]
mod tests;

pub use emit::{Compiled, Error, compile};
pub use func::{Block, Func, Slot};
pub use iced_x86::Mnemonic;
pub use inst::{Arg, Base, Branch, Class, Condition, Inst, Kind, Level, Mem, Reg, Width};
