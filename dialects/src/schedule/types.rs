//! `!schedule.loop`: a handle to a loop of the program that is scheduled.

use terrace_ir::constraint::TypeConstraint;
use terrace_ir::opdef::ParamDef;
use terrace_ir::{Context, Type, TypeData};

pub(super) static TYPES: &[ParamDef] = &[ParamDef {
    mnemonic: "loop",
    parse: |_| Ok(Vec::new()),
    print: |_, _| {},
}];

/// The type of handles to loops.
pub fn loop_type(ctx: &Context) -> Type {
    ctx.ty(TypeData::Dialect {
        dialect: "schedule",
        mnemonic: "loop",
        params: Vec::new(),
    })
}

pub(super) const LOOP: TypeConstraint =
    TypeConstraint::exactly("loop handle", |c, t| t == loop_type(c), loop_type);
