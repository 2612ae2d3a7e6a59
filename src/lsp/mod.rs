//! The language server: what editors show of `.mlir`, `.tf` and C with directives.
//!
//! `server` reads messages and keeps the texts. It sends each new text, and each question about one, to
//! the thread of `worker`, which parses and answers. What takes longer, such as compiling the regions of
//! a C file to say what becomes of its loops, is done by the thread of `slow`. Of several versions of
//! a text that wait, only the newest is looked at.
//!
//! A folder or file for each language says what is known of a text: `mlir`, `formulas`, `c`. They
//! use the parsers, the verifier and the engine of `terrace explain` as they are.

mod answers;
mod becomes;
mod c;
mod formulas;
mod mlir;
mod said;
mod server;
mod settings;
mod slow;
mod text;
mod worker;

pub use server::serve;
