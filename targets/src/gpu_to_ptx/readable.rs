//! Names of registers from names of the source.
//!
//! A location carries the name of a variable of C, or of a value of MLIR's text, through
//! the passes. When an op is taken apart its parts get its location, and the last of
//! them is what it computes; so a name goes to the last value at its location.

use super::lower::Lower;
use super::value::Val;
use crate::ptx::Reg;
use rustc_hash::FxHashMap;
use terrace_ir::loc::LocData;
use terrace_ir::{Context, Loc, Op, Value};

/// Names longer than this are cut: they would make lines hard to read.
const MAX_LENGTH: usize = 24;

impl Lower<'_> {
    /// Names the registers of the values in a function that was lowered.
    pub fn name_registers(&mut self, op: Op) {
        let ctx = self.ctx;
        let mut places: Vec<(Value, Loc)> = Vec::new();
        for o in op.pre_order(ctx) {
            for block in o.blocks(ctx) {
                let args = block.args(ctx).into_iter().enumerate();
                places.extend(args.map(|(i, v)| (v, block.arg_loc(ctx, i))));
            }
            places.extend(o.results(ctx).into_iter().map(|v| (v, o.loc(ctx))));
        }
        let last: FxHashMap<Loc, usize> = (places.iter().enumerate())
            .map(|(at, (_, loc))| (*loc, at))
            .collect();
        for (at, (value, loc)) in places.iter().enumerate() {
            if last.get(loc) != Some(&at) {
                continue;
            }
            let Some(name) = name_of(ctx, *loc) else {
                continue;
            };
            let regs: Vec<Reg> = match self.values.get(value) {
                Some(Val::Scalar(r)) => vec![*r],
                Some(Val::Vector(rs)) => rs.to_vec(),
                // The pointer: numbers of a memref are known by their parameters.
                Some(Val::MemRef(m)) => vec![m.base],
                Some(Val::Token) | None => continue,
            };
            for reg in regs {
                if let Some(info) = self.b.func().regs.get_mut(reg)
                    && info.name.is_none()
                {
                    info.name = Some(name.as_str().into());
                }
            }
        }
    }
}

/// The name at a location, as PTX may have it.
pub(super) fn name_of(ctx: &Context, loc: Loc) -> Option<String> {
    let name = match loc.data(ctx) {
        LocData::Name { name, .. } => ctx.str(name).to_string(),
        // Of an inlined function its own names.
        LocData::CallSite { callee, .. } => match callee.data(ctx) {
            LocData::Name { name, .. } => ctx.str(name).to_string(),
            _ => return None,
        },
        _ => return None,
    };
    let plain = |c: char| match c {
        c if c.is_ascii_alphanumeric() => c,
        _ => '_',
    };
    let name: String = name.chars().take(MAX_LENGTH).map(plain).collect();
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        .then_some(name)
}
