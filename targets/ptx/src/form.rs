//! The shape of a table row: what an instruction may look like.
//!
//! A [`Form`] lists, in the order of the PTX text, the modifiers an opcode
//! takes and what each operand must be. The builder reads result types from
//! it, the printer the order of the text, the checker everything else; a
//! parser can walk the same slots.

use super::inst::Inst;
use super::modifiers::{Field, Space};
use super::op::Op;
use super::operand::Operand;
use super::types::{Ty, TySet};

/// One piece of the text between the opcode and the operands.
#[derive(Clone, Copy, Debug)]
pub enum Slot {
    /// Fixed text.
    Lit(&'static str),
    /// A modifier that may be absent; the mask is of permitted values.
    Opt(Field, u32),
    /// A modifier that must be there.
    Req(Field, u32),
    /// A type position and what may stand in it.
    Ty(u8, TySet),
}

/// Where an operand's type comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TyRef {
    /// The instruction's type at a position.
    At(u8),
    /// Twice the width of the type at a position.
    Wide(u8),
    /// Always this one.
    Is(Ty),
}

/// What an operand must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Result register.
    Def(TyRef),
    /// Result register that may be wider than the type.
    DefWide(TyRef),
    /// Results of a load: one register or a list as long as `.v2`/`.v4` says;
    /// each may be wider than the type.
    DefVec(TyRef),
    /// A result register, or it and a predicate: `d|p`.
    DefPair(TyRef),
    /// Parts that a wider value is split into: two or four registers.
    DefParts(TyRef),
    /// Results that are a list of exactly so many registers.
    DefRegs(TyRef, u8),
    /// Results of a call: a list, maybe empty.
    DefList,
    /// Register or immediate.
    Use(TyRef),
    /// Register.
    UseReg(TyRef),
    /// Register that may be wider than the type.
    UseWide(TyRef),
    /// Register or negated register.
    UsePred,
    /// Data of a store, as [`Kind::DefVec`], or an immediate.
    UseVec(TyRef),
    /// Parts that a wider value is put together from.
    UseParts(TyRef),
    /// A list of exactly so many registers.
    UseRegs(TyRef, u8),
    /// Arguments of a call.
    UseList,
    /// Register, immediate, special register or a symbol's address.
    UseAny(TyRef),
    /// Immediate within bounds, both included.
    Const(i64, i64),
    /// One of a few integers.
    OneOf(&'static [i64]),
    /// Memory operand in the instruction's state space.
    Addr,
    /// Memory operand in a space that the opcode fixes.
    AddrIn(Space),
    Label,
    Func,
}

impl Kind {
    /// Whether the operand is a result.
    pub const fn is_def(self) -> bool {
        matches!(
            self,
            Kind::Def(_)
                | Kind::DefWide(_)
                | Kind::DefVec(_)
                | Kind::DefPair(_)
                | Kind::DefParts(_)
                | Kind::DefRegs(..)
                | Kind::DefList
        )
    }

    /// Whether an operand has the outward shape this kind asks for. Types and
    /// values are the checker's business.
    pub fn accepts_shape(self, operand: &Operand) -> bool {
        match self {
            Kind::Def(_) | Kind::DefWide(_) | Kind::UseReg(_) | Kind::UseWide(_) => {
                matches!(operand, Operand::Reg(_))
            }
            Kind::DefVec(_) => matches!(operand, Operand::Reg(_) | Operand::Vec(_)),
            Kind::UseVec(_) => matches!(
                operand,
                Operand::Reg(_)
                    | Operand::Vec(_)
                    | Operand::Imm(_)
                    | Operand::F32(_)
                    | Operand::F64(_)
            ),
            Kind::DefPair(_) => matches!(operand, Operand::Reg(_) | Operand::Pair(..)),
            Kind::DefParts(_) | Kind::UseParts(_) | Kind::DefRegs(..) | Kind::UseRegs(..) => {
                matches!(operand, Operand::Vec(_))
            }
            Kind::DefList | Kind::UseList => {
                matches!(operand, Operand::Vec(_) | Operand::Syms(_))
            }
            Kind::Use(_) => matches!(
                operand,
                Operand::Reg(_) | Operand::Imm(_) | Operand::F32(_) | Operand::F64(_)
            ),
            Kind::UsePred => matches!(operand, Operand::Reg(_) | Operand::Not(_)),
            Kind::UseAny(_) => matches!(
                operand,
                Operand::Reg(_)
                    | Operand::Imm(_)
                    | Operand::F32(_)
                    | Operand::F64(_)
                    | Operand::Special(_)
                    | Operand::Sym(_)
            ),
            Kind::Const(..) | Kind::OneOf(_) => matches!(operand, Operand::Imm(_)),
            Kind::Addr | Kind::AddrIn(_) => matches!(operand, Operand::Addr(_)),
            Kind::Label => matches!(operand, Operand::Label(_)),
            Kind::Func => matches!(operand, Operand::Func(_)),
        }
    }

    /// What it asks for, in words.
    pub const fn expected(self) -> &'static str {
        match self {
            Kind::Def(_) | Kind::DefWide(_) | Kind::UseReg(_) | Kind::UseWide(_) => "a register",
            Kind::DefVec(_) => "a register, or a list as long as the vector",
            Kind::UseVec(_) => "a register, an immediate, or a list as long as the vector",
            Kind::DefPair(_) => "a register, or a register and a predicate",
            Kind::DefParts(_) | Kind::UseParts(_) => "a list of two or four registers",
            Kind::DefRegs(_, 1) | Kind::UseRegs(_, 1) => "a list of one register",
            Kind::DefRegs(_, 2) | Kind::UseRegs(_, 2) => "a list of two registers",
            Kind::DefRegs(_, 4) | Kind::UseRegs(_, 4) => "a list of four registers",
            Kind::DefRegs(_, 8) | Kind::UseRegs(_, 8) => "a list of eight registers",
            Kind::DefRegs(..) | Kind::UseRegs(..) => "a list of registers",
            Kind::DefList | Kind::UseList => "a list of registers, or of variables in .param",
            Kind::Use(_) => "a register or an immediate",
            Kind::UsePred => "a predicate or its negation",
            Kind::UseAny(_) => "a register, an immediate, a special register or a symbol",
            Kind::Const(..) | Kind::OneOf(_) => "an integer immediate",
            Kind::Addr | Kind::AddrIn(_) => "an address",
            Kind::Label => "a label",
            Kind::Func => "a function",
        }
    }
}

/// One row: an opcode with one set of modifiers, types and operands.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    pub slots: &'static [Slot],
    pub operands: &'static [Kind],
    /// First architecture that has it, as the number after `sm_`.
    pub sm: u16,
    /// First PTX version that has it.
    pub ptx: (u8, u8),
}

impl Form {
    /// A row of the oldest architecture and PTX version supported.
    pub const fn new(slots: &'static [Slot], operands: &'static [Kind]) -> Form {
        Form {
            slots,
            operands,
            sm: 0,
            ptx: (6, 0),
        }
    }

    /// The same row, from an architecture and a PTX version on.
    pub const fn since(mut self, sm: u16, ptx: (u8, u8)) -> Form {
        self.sm = sm;
        self.ptx = ptx;
        self
    }

    /// Whether modifiers and types fit. A modifier that is set but has no
    /// slot does not fit.
    pub fn accepts_suffixes(&self, inst: &Inst) -> bool {
        self.first_misfit(inst).is_none()
    }

    /// Whether number and outward shape of the operands fit.
    pub fn accepts_operands(&self, operands: &[Operand]) -> bool {
        self.operands.len() == operands.len()
            && self
                .operands
                .iter()
                .zip(operands)
                .all(|(kind, operand)| kind.accepts_shape(operand))
    }

    /// The first thing about modifiers and types that does not fit.
    pub fn first_misfit(&self, inst: &Inst) -> Option<Misfit> {
        let mut seen_fields = 0u64;
        let mut seen_types = 0usize;
        for slot in self.slots {
            match *slot {
                Slot::Lit(_) => {}
                Slot::Opt(field, mask) => {
                    seen_fields |= 1 << field as u32;
                    let value = inst.mods.get(field);
                    if value != 0 && mask >> value & 1 == 0 {
                        return Some(Misfit::Value(field, value, mask));
                    }
                }
                Slot::Req(field, mask) => {
                    seen_fields |= 1 << field as u32;
                    let value = inst.mods.get(field);
                    if value == 0 {
                        return Some(Misfit::Missing(field, mask));
                    }
                    if mask >> value & 1 == 0 {
                        return Some(Misfit::Value(field, value, mask));
                    }
                }
                Slot::Ty(at, set) => {
                    let at = usize::from(at);
                    seen_types = seen_types.max(at + 1);
                    let ty = inst.tys.get(at).copied().unwrap_or_default();
                    if !set.has(ty) {
                        return Some(Misfit::Type(at, ty, set));
                    }
                }
            }
        }
        for &field in Field::ALL {
            if seen_fields >> field as u32 & 1 == 0 {
                let value = inst.mods.get(field);
                if value != 0 {
                    return Some(Misfit::Extra(field, value));
                }
            }
        }
        let extra = inst.tys.iter().skip(seen_types).find(|t| **t != Ty::None);
        extra.map(|ty| Misfit::ExtraType(*ty))
    }
}

/// Why a form does not fit an instruction's modifiers and types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misfit {
    Missing(Field, u32),
    Value(Field, u8, u32),
    Extra(Field, u8),
    Type(usize, Ty, TySet),
    ExtraType(Ty),
}

fn spellings(field: Field, mask: u32) -> String {
    let mut out = String::new();
    for (i, text) in field.spellings().iter().enumerate().skip(1) {
        if mask >> i & 1 == 1 {
            if !out.is_empty() {
                out.push_str(", ");
            }
            out.push_str(text);
        }
    }
    out
}

fn spelling(field: Field, value: u8) -> &'static str {
    field
        .spellings()
        .get(usize::from(value))
        .copied()
        .unwrap_or("?")
}

impl Misfit {
    /// What was found, and what would be right.
    pub fn explain(&self) -> (String, String) {
        match *self {
            Misfit::Missing(field, mask) => (
                format!("no {field:?} modifier"),
                format!("one of {}", spellings(field, mask)),
            ),
            Misfit::Value(field, value, mask) => (
                format!("modifier {}", spelling(field, value)),
                format!("one of {}", spellings(field, mask)),
            ),
            Misfit::Extra(field, value) => (
                format!("modifier {}", spelling(field, value)),
                format!("no {field:?} modifier here"),
            ),
            Misfit::Type(at, ty, set) => (
                format!("type {ty} at type position {}", at + 1),
                format!("one of {set}"),
            ),
            Misfit::ExtraType(ty) => (format!("a further type {ty}"), "fewer types".to_string()),
        }
    }
}

/// The row that an instruction follows: the first whose modifiers, types and
/// operand shapes fit, else the first whose modifiers and types fit, else none.
pub fn find(inst: &Inst) -> Option<&'static Form> {
    let mut loose = None;
    for form in super::table::forms(inst.op) {
        if form.accepts_suffixes(inst) {
            if form.accepts_operands(&inst.operands) {
                return Some(form);
            }
            loose = loose.or(Some(form));
        }
    }
    loose
}

/// The type that a reference means in an instruction; [`Ty::None`] where the
/// instruction lacks it.
pub fn resolve(ty: TyRef, tys: &[Ty]) -> Ty {
    let at = |i: u8| tys.get(usize::from(i)).copied().unwrap_or_default();
    match ty {
        TyRef::At(i) => at(i),
        TyRef::Wide(i) => at(i).widened(),
        TyRef::Is(ty) => ty,
    }
}

/// The rows of an opcode, for code that walks the whole table.
pub fn forms(op: Op) -> &'static [Form] {
    super::table::forms(op)
}
