//! Placeholder.
use super::Program;
use terrace_ir::Context;

pub fn delinearize(_: &Context, _: &mut Program) {}
