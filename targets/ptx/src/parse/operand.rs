//! Operands: first as they are written, then as the table's kinds want them.

use super::body::label_block;
use super::cursor::{Parse, integer};
use super::lex::Tok;
use super::module::Reader;
use super::scope::Entity;
use crate::form::{Kind, resolve};
use crate::ids::Reg;
use crate::module::Func;
use crate::operand::{Address, Base, Operand, RegList, Special};
use crate::types::Ty;

/// An operand as written, with its place.
#[derive(Clone, Debug)]
pub(super) struct Raw<'a> {
    pub at: usize,
    pub text: Text<'a>,
}

#[derive(Clone, Debug)]
pub(super) enum Text<'a> {
    /// A name or a number, with a minus sign before it or not.
    Word(&'a str, bool),
    Not(&'a str),
    Pair(&'a str, &'a str),
    /// In braces or, of a call, in brackets.
    List(Vec<(usize, &'a str)>),
    Address(&'a str, i64),
}

/// The operands up to the `;`, which is taken too.
pub(super) fn list<'a>(reader: &mut Reader<'_, 'a>) -> Parse<Vec<Raw<'a>>> {
    let mut raw = Vec::new();
    if reader.cursor.eat(';') {
        return Ok(raw);
    }
    loop {
        let at = reader.cursor.byte();
        let text = one(reader)?;
        raw.push(Raw { at, text });
        if !reader.cursor.eat(',') {
            reader.cursor.expect(';')?;
            return Ok(raw);
        }
    }
}

fn one<'a>(reader: &mut Reader<'_, 'a>) -> Parse<Text<'a>> {
    match reader.cursor.peek() {
        Tok::Punct('{') => names(reader, '}'),
        Tok::Punct('(') => names(reader, ')'),
        Tok::Punct('[') => {
            reader.cursor.next();
            let base = reader.cursor.word("a register or a variable")?;
            let mut offset = 0i64;
            let sign = match reader.cursor.peek() {
                Tok::Punct('+') => Some(1),
                Tok::Punct('-') => Some(-1),
                _ => None,
            };
            if let Some(mut sign) = sign {
                reader.cursor.next();
                if reader.cursor.eat('-') {
                    sign = -sign;
                }
                let at = reader.cursor.byte();
                let n = reader.cursor.number("an offset in bytes")?;
                offset = match i32::try_from(n) {
                    Ok(n) => i64::from(n) * sign,
                    // Offsets may be written unsigned: 4294967292 is -4.
                    Err(_) if sign > 0 && n <= u64::from(u32::MAX) => i64::from(n as u32 as i32),
                    Err(_) => {
                        return reader
                            .cursor
                            .fail(at, format!("the offset {n} is beyond 32 bits"));
                    }
                };
            }
            reader.cursor.expect(']')?;
            Ok(Text::Address(base, offset))
        }
        Tok::Punct('!') => {
            reader.cursor.next();
            Ok(Text::Not(reader.cursor.word("a predicate")?))
        }
        Tok::Punct('-') => {
            reader.cursor.next();
            Ok(Text::Word(reader.cursor.word("a number")?, true))
        }
        _ => {
            let word = reader.cursor.word("an operand")?;
            if reader.cursor.eat('|') {
                return Ok(Text::Pair(word, reader.cursor.word("a predicate")?));
            }
            Ok(Text::Word(word, false))
        }
    }
}

fn names<'a>(reader: &mut Reader<'_, 'a>, close: char) -> Parse<Text<'a>> {
    reader.cursor.next();
    let mut list = Vec::new();
    if !reader.cursor.eat(close) {
        loop {
            let at = reader.cursor.byte();
            list.push((at, reader.cursor.word("a register")?));
            if !reader.cursor.eat(',') {
                break;
            }
        }
        reader.cursor.expect(close)?;
    }
    Ok(Text::List(list))
}

/// Whether an operand's look is what a kind asks for.
pub(super) fn fits(text: &Text<'_>, kind: Kind) -> bool {
    match text {
        Text::Word(word, negative) => {
            let number = word.starts_with(|c: char| c.is_ascii_digit());
            match kind {
                Kind::Def(_)
                | Kind::DefWide(_)
                | Kind::DefVec(_)
                | Kind::DefPair(_)
                | Kind::UseReg(_)
                | Kind::UseWide(_)
                | Kind::UsePred
                | Kind::Label
                | Kind::Func => !number && !negative,
                // A list of one may go without its braces.
                Kind::DefRegs(_, 1) | Kind::UseRegs(_, 1) => !number && !negative,
                Kind::Use(_) | Kind::UseAny(_) | Kind::UseVec(_) => true,
                Kind::Const(..) | Kind::OneOf(_) => number,
                _ => false,
            }
        }
        Text::Not(_) => kind == Kind::UsePred,
        Text::Pair(..) => matches!(kind, Kind::DefPair(_)),
        Text::List(_) => matches!(
            kind,
            Kind::DefVec(_)
                | Kind::UseVec(_)
                | Kind::DefParts(_)
                | Kind::UseParts(_)
                | Kind::DefRegs(..)
                | Kind::UseRegs(..)
                | Kind::DefList
                | Kind::UseList
        ),
        Text::Address(..) => matches!(kind, Kind::Addr | Kind::AddrIn(_)),
    }
}

/// The operand as a kind wants it.
pub(super) fn convert<'a>(
    reader: &mut Reader<'_, 'a>,
    func: &mut Func,
    raw: &Raw<'a>,
    kind: Kind,
    tys: &[Ty],
) -> Parse<Operand> {
    let ty = type_of(kind, tys);
    let at = raw.at;
    match &raw.text {
        Text::Word(word, negative) => match kind {
            Kind::Label => Ok(Operand::Label(label_block(reader, func, word))),
            Kind::Func => match reader.scopes.find(word) {
                Some(Entity::Func(id)) => Ok(Operand::Func(id)),
                _ => reader.cursor.fail(at, format!("`{word}` is no function")),
            },
            Kind::DefRegs(..) | Kind::UseRegs(..) => {
                let reg = match *word {
                    "_" if kind.is_def() => func.new_reg(ty.reg()),
                    _ => register(reader, at, word)?,
                };
                Ok(Operand::Vec(RegList::from_slice(&[reg])))
            }
            _ if *word == "_" && kind.is_def() => Ok(Operand::Reg(func.new_reg(ty.reg()))),
            _ => value(reader, at, word, *negative, ty),
        },
        Text::Not(word) => Ok(Operand::Not(register(reader, at, word)?)),
        Text::Pair(a, b) => {
            let first = match *a {
                "_" => func.new_reg(ty.reg()),
                _ => register(reader, at, a)?,
            };
            let second = match *b {
                "_" => func.new_reg(Ty::Pred.reg()),
                _ => register(reader, at, b)?,
            };
            Ok(Operand::Pair(first, second))
        }
        Text::List(names) if is_of_variables(reader, kind, names) => {
            let mut list = smallvec::SmallVec::new();
            for (at, name) in names {
                match reader.scopes.find(name) {
                    Some(Entity::Sym(sym)) => list.push(sym),
                    _ => {
                        return reader.cursor.fail(
                            *at,
                            format!(
                                "`{name}` is no variable in `.param` space, as the others of the list are"
                            ),
                        );
                    }
                }
            }
            Ok(Operand::Syms(list))
        }
        Text::List(names) => {
            let part = match kind {
                Kind::DefParts(_) if names.len() == 4 => ty.bits() / 4,
                Kind::DefParts(_) => ty.bits() / 2,
                _ => ty.bits(),
            };
            let mut regs = RegList::new();
            for (at, name) in names {
                regs.push(if *name == "_" && kind.is_def() {
                    func.new_reg(match part {
                        _ if matches!(kind, Kind::DefRegs(..)) => ty.reg(),
                        64 => Ty::B64.reg(),
                        32 => ty_of_bits(ty, 32).reg(),
                        _ => Ty::B16.reg(),
                    })
                } else {
                    register(reader, *at, name)?
                });
            }
            Ok(Operand::Vec(regs))
        }
        Text::Address(base, offset) => {
            let base = match reader.scopes.find(base) {
                Some(Entity::Reg(reg)) => Base::Reg(reg),
                Some(Entity::Sym(sym)) => Base::Sym(sym),
                _ => return reader.cursor.fail(at, unknown(base)),
            };
            Ok(Operand::Addr(Address {
                base,
                offset: *offset as i32,
            }))
        }
    }
}

/// Whether a list of a call is one of variables, by its first.
fn is_of_variables(reader: &Reader<'_, '_>, kind: Kind, names: &[(usize, &str)]) -> bool {
    let first = names.first().and_then(|(_, name)| reader.scopes.find(name));
    matches!(kind, Kind::DefList | Kind::UseList) && matches!(first, Some(Entity::Sym(_)))
}

/// A type of the width: the type itself if it has it.
fn ty_of_bits(ty: Ty, bits: u32) -> Ty {
    if ty.bits() == bits { ty } else { Ty::B32 }
}

fn type_of(kind: Kind, tys: &[Ty]) -> Ty {
    match kind {
        Kind::Def(t)
        | Kind::DefWide(t)
        | Kind::DefVec(t)
        | Kind::DefPair(t)
        | Kind::DefParts(t)
        | Kind::DefRegs(t, _)
        | Kind::UseRegs(t, _)
        | Kind::Use(t)
        | Kind::UseReg(t)
        | Kind::UseWide(t)
        | Kind::UseVec(t)
        | Kind::UseParts(t)
        | Kind::UseAny(t) => resolve(t, tys),
        Kind::UsePred => Ty::Pred,
        Kind::Const(..) | Kind::OneOf(_) => Ty::S64,
        _ => Ty::None,
    }
}

fn unknown(name: &str) -> String {
    format!("`{name}` is not declared")
}

pub(super) fn register(reader: &mut Reader<'_, '_>, at: usize, name: &str) -> Parse<Reg> {
    match reader.scopes.find(name) {
        Some(Entity::Reg(reg)) => Ok(reg),
        Some(_) => reader
            .cursor
            .fail(at, format!("`{name}` is not a register")),
        None => reader.cursor.fail(at, unknown(name)),
    }
}

fn value(
    reader: &mut Reader<'_, '_>,
    at: usize,
    word: &str,
    negative: bool,
    ty: Ty,
) -> Parse<Operand> {
    if let Some(value) = immediate(word, negative, ty) {
        return Ok(value);
    }
    match reader.scopes.find(word) {
        Some(Entity::Reg(reg)) => Ok(Operand::Reg(reg)),
        Some(Entity::Sym(sym)) => Ok(Operand::Sym(sym)),
        Some(Entity::Func(_)) => reader.cursor.fail(
            at,
            format!("the address of the function `{word}` is not supported"),
        ),
        Some(Entity::Range(..)) => reader.cursor.fail(
            at,
            format!("`{word}` is a range of registers; add a number"),
        ),
        None => match Special::ALL.iter().find(|s| s.name() == word) {
            Some(special) => Ok(Operand::Special(*special)),
            None => reader.cursor.fail(at, unknown(word)),
        },
    }
}

/// A number as an operand of type `ty`; none if it is not one.
pub(super) fn immediate(word: &str, negative: bool, ty: Ty) -> Option<Operand> {
    if word == "WARP_SZ" {
        return Some(Operand::Imm(32));
    }
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let sign = |v: f64| if negative { -v } else { v };
    if let Some(hex) = lower.strip_prefix("0f")
        && hex.len() == 8
    {
        let bits = u32::from_str_radix(hex, 16).ok()?;
        let bits = if negative { bits ^ 1 << 31 } else { bits };
        return Some(match ty {
            Ty::F64 => Operand::F64(f64::from(f32::from_bits(bits)).to_bits()),
            _ => Operand::F32(bits),
        });
    }
    if let Some(hex) = lower.strip_prefix("0d")
        && hex.len() == 16
    {
        let value = sign(f64::from_bits(u64::from_str_radix(hex, 16).ok()?));
        return Some(float(value, ty));
    }
    if let Some(v) = integer(word) {
        return Some(match (ty, negative) {
            // A whole number where a float is wanted.
            (Ty::F32 | Ty::F64, _) => float(sign(v as f64), ty),
            (_, true) => Operand::Imm((v as i64).wrapping_neg()),
            (_, false) => Operand::Imm(v as i64),
        });
    }
    lower.parse().ok().map(|v| float(sign(v), ty))
}

fn float(value: f64, ty: Ty) -> Operand {
    match ty {
        Ty::F32 => Operand::F32((value as f32).to_bits()),
        _ => Operand::F64(value.to_bits()),
    }
}
