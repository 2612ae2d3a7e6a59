//! One instruction, read by the instruction table.

use super::cursor::Parse;
use super::module::{Reader, type_named};
use super::operand::{self, Raw, Text};
use crate::form::{Form, Kind, Slot};
use crate::inst::{Guard, Inst};
use crate::modifiers::{Field, Mods};
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;
use crate::table;
use crate::types::Ty;
use smallvec::SmallVec;

/// Other spellings of opcodes.
const ALIASES: &[(&str, Op)] = &[
    ("barrier.sync.aligned", Op::BarSync),
    ("barrier.cta.sync.aligned", Op::BarSync),
    ("bar.cta.sync", Op::BarSync),
    ("barrier.arrive.aligned", Op::BarArrive),
    ("barrier.cta.arrive.aligned", Op::BarArrive),
    ("bar.cta.arrive", Op::BarArrive),
    ("bar.cta.red", Op::BarRed),
    ("barrier.cta.sync", Op::BarrierSync),
    ("barrier.cta.arrive", Op::BarrierArrive),
    ("barrier.cta.red", Op::BarrierRed),
];

type Pieces<'a> = SmallVec<[&'a str; 8]>;

pub(super) fn parse<'a>(reader: &mut Reader<'_, 'a>, func: &mut Func) -> Parse<Inst> {
    let guard = guard(reader)?;
    let at = reader.cursor.byte();
    let mnemonic = reader.cursor.word("an instruction")?;
    let Some((op, pieces)) = opcode(mnemonic) else {
        return reader.cursor.fail(
            at,
            format!("the instruction `{mnemonic}` is unknown, or outside of what is supported"),
        );
    };
    let raw = operand::list(reader)?;
    let raw = if op == Op::Call { call_lists(raw) } else { raw };
    let mut suffixes_fit = None;
    for form in table::forms(op) {
        let Ok((mods, tys)) = suffixes(form, &pieces) else {
            continue;
        };
        if takes(form, &raw) {
            let mut operands: SmallVec<[Operand; 4]> = SmallVec::new();
            for (raw, kind) in raw.iter().zip(form.operands) {
                operands.push(operand::convert(reader, func, raw, *kind, &tys)?);
            }
            return Ok(Inst {
                guard,
                ..Inst {
                    mods,
                    tys,
                    ..Inst::new(op, mods, Ty::None, operands)
                }
            });
        }
        suffixes_fit = suffixes_fit.or(Some(form));
    }
    let message = match suffixes_fit {
        Some(form) => operands_wrong(mnemonic, form, &raw),
        None => suffixes_wrong(op, mnemonic, &pieces),
    };
    reader.cursor.fail(at, message)
}

fn guard(reader: &mut Reader<'_, '_>) -> Parse<Option<Guard>> {
    if !reader.cursor.eat('@') {
        return Ok(None);
    }
    let negated = reader.cursor.eat('!');
    let at = reader.cursor.byte();
    let name = reader.cursor.word("a predicate")?;
    let reg = operand::register(reader, at, name)?;
    Ok(Some(Guard { reg, negated }))
}

/// Whether a suffix is a hint of cache policy that the table does not know;
/// those change no value, and are dropped.
fn is_unknown_hint(piece: &str) -> bool {
    let known = |field: Field| field.spellings().iter().any(|s| s.get(1..) == Some(piece));
    (piece.starts_with("L1::") || piece.starts_with("L2::"))
        && !known(Field::Evict)
        && !known(Field::FetchSize)
}

/// The opcode and the suffixes after it.
fn opcode(mnemonic: &str) -> Option<(Op, Pieces<'_>)> {
    let dots = mnemonic.match_indices('.').map(|(i, _)| i);
    let mut ends: SmallVec<[usize; 8]> = dots.collect();
    ends.push(mnemonic.len());
    // The longest name wins: `bar.warp.sync` over `bar`.
    for &end in ends.iter().rev() {
        let name = &mnemonic[..end];
        let alias = ALIASES.iter().find(|(n, _)| *n == name).map(|(_, op)| *op);
        let Some(mut op) = alias.or_else(|| Op::named(name)) else {
            continue;
        };
        let rest = mnemonic[end..].split('.').skip(1);
        let mut pieces: Pieces<'_> = rest
            .filter(|p| !is_unknown_hint(p))
            .map(|p| p.strip_suffix("::cta").unwrap_or(p))
            .collect();
        // Here what makes it an aligned barrier stands among the suffixes.
        if op == Op::BarrierRed && pieces.get(1) == Some(&"aligned") {
            op = Op::BarRed;
            pieces.remove(1);
        }
        return Some((op, pieces));
    }
    None
}

/// `call f;` and `call f, (a);` with the empty lists put in.
fn call_lists(mut raw: Vec<Raw<'_>>) -> Vec<Raw<'_>> {
    let empty = |at| Raw {
        at,
        text: Text::List(Vec::new()),
    };
    let is_list = |raw: Option<&Raw<'_>>| {
        matches!(
            raw,
            Some(Raw {
                text: Text::List(_),
                ..
            })
        )
    };
    let at = raw.first().map_or(0, |r| r.at);
    if !is_list(raw.first()) {
        raw.insert(0, empty(at));
    }
    if raw.len() == 2 {
        raw.push(empty(at));
    }
    raw
}

/// The modifiers and types that suffixes mean in a form, or how many of them
/// it understood.
fn suffixes(form: &Form, pieces: &[&str]) -> Result<(Mods, [Ty; 4]), usize> {
    let mut mods = Mods::default();
    let mut tys = [Ty::None; 4];
    let mut at = 0;
    for slot in form.slots {
        let piece = pieces.get(at).copied();
        match *slot {
            Slot::Lit(text) => {
                for part in text.split('.').skip(1) {
                    if pieces.get(at) != Some(&part) {
                        return Err(at);
                    }
                    at += 1;
                }
            }
            Slot::Opt(field, mask) | Slot::Req(field, mask) => {
                let value = piece.and_then(|p| {
                    let mut all = field.spellings().iter().enumerate().skip(1);
                    all.find(|(i, s)| mask >> i & 1 == 1 && s[1..] == *p)
                });
                match value {
                    Some((value, _)) => {
                        mods.set(field, value as u8);
                        at += 1;
                    }
                    None if matches!(slot, Slot::Req(..)) => return Err(at),
                    None => {}
                }
            }
            Slot::Ty(index, set) => match piece.and_then(type_named) {
                Some(ty) if set.has(ty) => {
                    if let Some(slot) = tys.get_mut(usize::from(index)) {
                        *slot = ty;
                    }
                    at += 1;
                }
                _ => return Err(at),
            },
        }
    }
    if at == pieces.len() {
        Ok((mods, tys))
    } else {
        Err(at)
    }
}

fn takes(form: &Form, raw: &[Raw<'_>]) -> bool {
    form.operands.len() == raw.len()
        && raw
            .iter()
            .zip(form.operands)
            .all(|(raw, kind)| operand::fits(&raw.text, *kind))
}

fn operands_wrong(mnemonic: &str, form: &Form, raw: &[Raw<'_>]) -> String {
    if form.operands.len() != raw.len() {
        return format!(
            "`{mnemonic}` takes {} operands, found {}",
            form.operands.len(),
            raw.len()
        );
    }
    let wrong = raw
        .iter()
        .zip(form.operands)
        .position(|(raw, kind)| !operand::fits(&raw.text, *kind));
    let at = wrong.unwrap_or(0);
    let kind = form.operands.get(at).copied().unwrap_or(Kind::Label);
    format!(
        "operand {} of `{mnemonic}` must be {}",
        at + 1,
        kind.expected()
    )
}

fn suffixes_wrong(op: Op, mnemonic: &str, pieces: &[&str]) -> String {
    // The form that understands most; among several, one that would fit
    // without the suffix that is wrong, or else the first.
    let best = table::forms(op)
        .iter()
        .rev()
        .map(|form| (suffixes(form, pieces).err().unwrap_or(0), form))
        .max_by_key(|(understood, form)| {
            let mut without = Pieces::from_slice(pieces);
            if *understood < without.len() {
                without.remove(*understood);
            }
            (*understood, suffixes(form, &without).is_ok())
        });
    let Some((understood, form)) = best else {
        return format!("`{mnemonic}` is in no form of the instruction table");
    };
    let found = match pieces.get(understood) {
        Some(piece) => format!("does not take `.{piece}` here"),
        None => "lacks a suffix".to_string(),
    };
    format!(
        "`{mnemonic}` {found}; right would be `{}`",
        pattern(op, form)
    )
}

/// A form as text: `add{.rn|.rz}{.ftz}.f32`.
fn pattern(op: Op, form: &Form) -> String {
    let mut out = op.name().to_string();
    for slot in form.slots {
        match *slot {
            Slot::Lit(text) => out.push_str(text),
            Slot::Opt(field, mask) | Slot::Req(field, mask) => {
                let all = field.spellings().iter().enumerate().skip(1);
                let names: Vec<&str> = all
                    .filter(|(i, _)| mask >> i & 1 == 1)
                    .map(|(_, s)| *s)
                    .collect();
                let (open, close) = match slot {
                    Slot::Opt(..) => ("{", "}"),
                    _ if names.len() > 1 => ("(", ")"),
                    _ => ("", ""),
                };
                out.push_str(open);
                out.push_str(&names.join("|"));
                out.push_str(close);
            }
            Slot::Ty(_, set) => {
                let names: Vec<&str> = set.iter().map(Ty::suffix).collect();
                if let [name] = names.as_slice() {
                    out.push_str(name);
                } else {
                    out.push('(');
                    out.push_str(&names.join("|"));
                    out.push(')');
                }
            }
        }
    }
    out
}
