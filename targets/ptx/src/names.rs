//! Names of registers and blocks in the text.
//!
//! Unnamed registers are numbered within their type in the order of their
//! first appearance (`%r1`, `%f2`), so that deleting code leaves no gaps.
//! A named register keeps its name and gets a number: `%row_3`.

use super::ids::{BlockId, Reg};
use super::module::Func;
use super::print::push_int;
use super::types::RegTy;

/// Named registers declared in one line.
const NAMES_A_LINE: usize = 8;

#[derive(Clone, Copy)]
enum Name<'a> {
    /// Appears nowhere.
    Absent,
    Numbered(RegTy, u32),
    Named(RegTy, &'a str, u32),
    Arg(u32),
    Result,
}

/// The names of one function.
pub(super) struct Names<'a> {
    regs: Vec<Name<'a>>,
    /// Highest number per register type.
    counts: [u32; 6],
    labels: Vec<Option<(&'a str, u32)>>,
}

impl<'a> Names<'a> {
    pub fn new(func: &'a Func) -> Names<'a> {
        let mut names = Names {
            regs: vec![Name::Absent; func.regs.len()],
            counts: [0; 6],
            labels: vec![None; func.blocks.len()],
        };
        for (i, arg) in func.args.iter().enumerate() {
            if let Some(slot) = names.regs.get_mut(arg.index()) {
                *slot = Name::Arg(i as u32);
            }
        }
        if let Some(result) = func.result
            && let Some(slot) = names.regs.get_mut(result.index())
        {
            *slot = Name::Result;
        }
        let mut named = 0;
        for inst in func.insts_in_layout() {
            let mut see = |reg: Reg| names.see(func, reg, &mut named);
            inst.for_each_def(&mut see);
            inst.for_each_use(&mut see);
        }
        for (i, block) in func.layout.iter().enumerate() {
            if let Some(slot) = names.labels.get_mut(block.index()) {
                let name = func.blocks.get(*block).and_then(|b| b.name.as_deref());
                *slot = Some((name.unwrap_or("L"), i as u32));
            }
        }
        names
    }

    fn see(&mut self, func: &'a Func, reg: Reg, named: &mut u32) {
        let Some(Name::Absent) = self.regs.get(reg.index()) else {
            return;
        };
        let Some(info) = func.regs.get(reg) else {
            return;
        };
        self.regs[reg.index()] = match info.name.as_deref() {
            Some(name) if is_plain(name) => {
                *named += 1;
                Name::Named(info.ty, name, *named)
            }
            _ => {
                let count = &mut self.counts[info.ty as usize];
                *count += 1;
                Name::Numbered(info.ty, *count)
            }
        };
    }

    pub fn push_reg(&self, out: &mut String, reg: Reg) {
        match self.regs.get(reg.index()).copied() {
            Some(Name::Numbered(ty, n)) => {
                out.push('%');
                out.push_str(ty.prefix());
                push_int(out, i128::from(n));
            }
            Some(Name::Named(_, name, n)) => {
                out.push('%');
                out.push_str(name);
                out.push('_');
                push_int(out, i128::from(n));
            }
            Some(Name::Arg(n)) => {
                out.push_str("%arg");
                push_int(out, i128::from(n));
            }
            Some(Name::Result) => out.push_str("%result"),
            // Only in a message about a register that the function lacks or
            // that stands in no block.
            Some(Name::Absent) | None => {
                out.push_str("%unplaced");
                push_int(out, reg.index() as i128);
            }
        }
    }

    pub fn push_label(&self, out: &mut String, block: BlockId) {
        let label = self.labels.get(block.index()).copied().flatten();
        let (name, n) = label.unwrap_or(("missing", block.index() as u32));
        out.push('$');
        if name == "L" || !is_plain(name) {
            out.push('L');
        } else {
            out.push_str(name);
            out.push('_');
        }
        push_int(out, i128::from(n));
    }

    pub fn push_declarations(&self, out: &mut String) {
        for ty in RegTy::ALL {
            let count = self.counts[ty as usize];
            if count > 0 {
                out.push_str("\t.reg ");
                out.push_str(ty.ty().suffix());
                out.push_str(" %");
                out.push_str(ty.prefix());
                out.push('<');
                push_int(out, i128::from(count) + 1);
                out.push_str(">;\n");
            }
        }
        for ty in RegTy::ALL {
            self.push_named(out, ty);
        }
    }
}

impl Names<'_> {
    /// The named registers of a type, several a line.
    fn push_named(&self, out: &mut String, ty: RegTy) {
        let is_one = |name: &Name<'_>| matches!(name, Name::Named(t, ..) if *t == ty);
        let named = (0u32..).zip(&self.regs).filter(|(_, name)| is_one(name));
        let mut in_line = 0;
        for (i, _) in named {
            if in_line == 0 {
                out.push_str("\t.reg ");
                out.push_str(ty.ty().suffix());
                out.push(' ');
            } else {
                out.push_str(", ");
            }
            self.push_reg(out, Reg::from_index(i));
            in_line += 1;
            if in_line == NAMES_A_LINE {
                out.push_str(";\n");
                in_line = 0;
            }
        }
        if in_line > 0 {
            out.push_str(";\n");
        }
    }
}

/// Whether a hint can stand in an identifier and cannot meet a name of the
/// machine's or one of ours.
fn is_plain(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with("reserved")
}

/// Whether a name may stand in PTX as the name of a function or variable.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    match chars.next() {
        Some(c) if c.is_ascii_alphabetic() => {}
        Some('_' | '$') if name.len() > 1 => {}
        _ => return false,
    }
    chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}
