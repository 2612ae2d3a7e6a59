//! Every instruction against the table: modifiers, types, operands, state
//! spaces, alignment, architecture.

use super::{InstPlace, Reporter, Rule};
use crate::congruence::Congruences;
use crate::form::{self, Form, Kind};
use crate::ids::Reg;
use crate::inst::Inst;
use crate::modifiers::{Space, VecLen};
use crate::module::{FuncKind, var_of};
use crate::op::Op;
use crate::operand::{Address, Base, Operand, Sym};
use crate::types::{RegTy, Ty};

pub(super) fn check(r: &mut Reporter<'_>) {
    let (module, func) = (r.module, r.func);
    let congruences = Congruences::new(module, func, r.cfg);
    for place in r.places() {
        let Some(inst) = func.insts.get(place.inst) else {
            let expected = "an instruction of this function";
            r.error(Rule::Missing, place, "no such instruction", expected);
            continue;
        };
        if let Some(guard) = inst.guard {
            check_reg(r, place, "guard", guard.reg, Ty::Pred, false);
        }
        let Some(form) = form::find(inst) else {
            unknown_form(r, place, inst);
            continue;
        };
        check_arch(r, place, inst);
        check_operands(r, place, inst, form);
        check_vector(r, place, inst, &congruences);
        if let (Op::CpAsync, [_, _, Operand::Imm(size), Operand::Imm(read)]) =
            (inst.op, inst.operands.as_slice())
            && read > size
        {
            let found = format!("{read} bytes to read for a copy of {size}");
            r.error(Rule::Immediate, place, found, format!("at most {size}"));
        }
        if inst.op == Op::Call {
            check_call(r, place, inst);
        }
    }
}

/// Explains by the form that comes closest: one with the same types, if any.
fn unknown_form(r: &mut Reporter<'_>, place: InstPlace, inst: &Inst) {
    use form::Misfit;
    let misfits: Vec<Misfit> = form::forms(inst.op)
        .iter()
        .filter_map(|f| f.first_misfit(inst))
        .collect();
    let about_modifiers = misfits
        .iter()
        .find(|m| !matches!(m, Misfit::Type(..) | Misfit::ExtraType(_)));
    let types_known = form::forms(inst.op).iter().any(|f| {
        f.slots.iter().all(|slot| match *slot {
            form::Slot::Ty(at, set) => set.has(inst.tys[usize::from(at).min(3)]),
            _ => true,
        })
    });
    let misfit = match about_modifiers {
        Some(misfit) if types_known => Some(misfit),
        _ => misfits
            .iter()
            .find(|m| matches!(m, Misfit::Type(..) | Misfit::ExtraType(_)))
            .or(misfits.first()),
    };
    let (found, expected) = match misfit {
        Some(misfit) => misfit.explain(),
        None => ("an unknown opcode".to_string(), "a known one".to_string()),
    };
    r.error(
        Rule::Form,
        place,
        format!("{found} on {}", inst.op.name()),
        expected,
    );
}

fn check_arch(r: &mut Reporter<'_>, place: InstPlace, inst: &Inst) {
    let Some((sm, ptx)) = inst.since() else {
        return;
    };
    let arch = r.module.arch;
    let what = format!("{}{}", inst.op.name(), inst.ty().suffix());
    if arch.sm < sm {
        r.error(
            Rule::Arch,
            place,
            format!("{what} in this form, for target {arch}"),
            format!("target sm_{sm} or later"),
        );
    }
    let version = r.module.version;
    if version < ptx {
        r.error(
            Rule::Arch,
            place,
            format!("{what} in this form, in PTX {}.{}", version.0, version.1),
            format!("PTX {}.{} or later", ptx.0, ptx.1),
        );
    }
}

fn check_operands(r: &mut Reporter<'_>, place: InstPlace, inst: &Inst, form: &Form) {
    if form.operands.len() != inst.operands.len() {
        r.error(
            Rule::OperandKind,
            place,
            format!("{} operands", inst.operands.len()),
            format!("{}", form.operands.len()),
        );
        return;
    }
    for (i, (kind, operand)) in form.operands.iter().zip(&inst.operands).enumerate() {
        let at = format!("operand {}", i + 1);
        if !kind.accepts_shape(operand) {
            r.error(
                Rule::OperandKind,
                place,
                format!("{} as {at}", operand.describe()),
                kind.expected(),
            );
            continue;
        }
        check_operand(r, place, inst, &at, *kind, operand);
    }
}

fn check_operand(
    r: &mut Reporter<'_>,
    place: InstPlace,
    inst: &Inst,
    at: &str,
    kind: Kind,
    operand: &Operand,
) {
    let ty = |t| form::resolve(t, &inst.tys);
    match (kind, operand) {
        (Kind::Def(t) | Kind::UseReg(t), Operand::Reg(reg)) => {
            check_reg(r, place, at, *reg, ty(t), false);
        }
        (Kind::DefWide(t) | Kind::UseWide(t), Operand::Reg(reg)) => {
            check_reg(r, place, at, *reg, ty(t), true);
        }
        (Kind::UseVec(t), value @ (Operand::Imm(_) | Operand::F32(_) | Operand::F64(_)))
            if inst.mods.vec.len() == 1 =>
        {
            check_value(r, place, at, ty(t), value);
        }
        (Kind::DefVec(t) | Kind::UseVec(t), data) => {
            check_data(r, place, inst, at, ty(t), data);
        }
        (Kind::DefPair(t), Operand::Reg(reg)) => check_reg(r, place, at, *reg, ty(t), false),
        (Kind::DefPair(t), Operand::Pair(first, second)) => {
            check_reg(r, place, at, *first, ty(t), false);
            check_reg(r, place, at, *second, Ty::Pred, false);
        }
        (Kind::DefParts(t) | Kind::UseParts(t), Operand::Vec(list)) => {
            let part = ty(t).bits() as usize / list.len().max(1);
            if !matches!(list.len(), 2 | 4) || !matches!(part, 16 | 32) {
                r.error(
                    Rule::OperandKind,
                    place,
                    format!("{} parts as {at}", list.len()),
                    "two or four parts of 16 or 32 bits",
                );
                return;
            }
            let part = if part == 16 { Ty::B16 } else { Ty::B32 };
            for reg in list {
                check_reg(r, place, at, *reg, part, false);
            }
        }
        (Kind::DefRegs(t, n) | Kind::UseRegs(t, n), Operand::Vec(list)) => {
            if list.len() != usize::from(n) {
                let found = format!("a list of {} registers as {at}", list.len());
                r.error(Rule::OperandKind, place, found, kind.expected());
            }
            for reg in list {
                check_reg(r, place, at, *reg, ty(t), false);
            }
        }
        (Kind::UsePred, Operand::Reg(reg) | Operand::Not(reg)) => {
            check_reg(r, place, at, *reg, Ty::Pred, false);
        }
        (Kind::Use(t) | Kind::UseAny(t), operand) => {
            check_value(r, place, at, ty(t), operand);
        }
        (Kind::Const(low, high), Operand::Imm(v)) if !(low..=high).contains(v) => {
            r.error(
                Rule::Immediate,
                place,
                format!("{v} as {at}"),
                format!("{low} to {high}"),
            );
        }
        (Kind::OneOf(list), Operand::Imm(v)) if !list.contains(v) => {
            let list: Vec<String> = list.iter().map(i64::to_string).collect();
            r.error(
                Rule::Immediate,
                place,
                format!("{v} as {at}"),
                list.join(" or "),
            );
        }
        (Kind::Addr, Operand::Addr(address)) => {
            check_address(r, place, inst, *address, inst.mods.space);
        }
        (Kind::AddrIn(space), Operand::Addr(address)) => {
            check_address(r, place, inst, *address, space);
        }
        (Kind::Label, Operand::Label(block)) if r.cfg.position(*block).is_none() => {
            r.error(
                Rule::Missing,
                place,
                format!("a branch to block {}, which is not laid out", block.index()),
                "a block of this function",
            );
        }
        _ => {}
    }
}

fn check_reg(r: &mut Reporter<'_>, place: InstPlace, at: &str, reg: Reg, ty: Ty, wider: bool) {
    match r.func.reg_ty(reg) {
        None => r.error(
            Rule::Missing,
            place,
            format!("register {} as {at}, which the function lacks", reg.index()),
            "a register of this function",
        ),
        Some(have) if !have.fits(ty, wider) => r.error(
            Rule::OperandType,
            place,
            format!("a {have} register as {at} of type {ty}"),
            wanted(ty, wider),
        ),
        Some(_) => {}
    }
}

fn wanted(ty: Ty, wider: bool) -> String {
    let list: Vec<String> = RegTy::ALL
        .iter()
        .filter(|reg| reg.fits(ty, wider))
        .map(RegTy::to_string)
        .collect();
    format!("a register of type {}", list.join(" or "))
}

/// A register, immediate, special register or symbol in a typed position.
fn check_value(r: &mut Reporter<'_>, place: InstPlace, at: &str, ty: Ty, operand: &Operand) {
    match operand {
        Operand::Reg(reg) => check_reg(r, place, at, *reg, ty, false),
        Operand::Imm(v) => {
            let bits = ty.bits();
            let fits = match ty {
                _ if ty.is_float() => false,
                Ty::Pred => matches!(v, 0 | 1),
                _ if bits >= 64 => true,
                _ if ty.is_signed() => (-(1i64 << (bits - 1))..1i64 << (bits - 1)).contains(v),
                // Negative values stand for the bits of the same width.
                _ => (-(1i64 << (bits - 1))..1i64 << bits).contains(v),
            };
            if !fits {
                let expected = match ty {
                    Ty::F32 => "a single-precision immediate".to_string(),
                    Ty::F64 => "a double-precision immediate".to_string(),
                    Ty::Pred => "0 or 1".to_string(),
                    _ => format!("a value that fits {bits} bits"),
                };
                let found = format!("integer {v} as {at} of type {ty}");
                r.error(Rule::Immediate, place, found, expected);
            }
        }
        Operand::F32(_) if !matches!(ty, Ty::F32 | Ty::B32) => {
            let found = format!("a single-precision immediate as {at} of type {ty}");
            r.error(Rule::Immediate, place, found, format!("one of type {ty}"));
        }
        Operand::F64(_) if !matches!(ty, Ty::F64 | Ty::B64) => {
            let found = format!("a double-precision immediate as {at} of type {ty}");
            r.error(Rule::Immediate, place, found, format!("one of type {ty}"));
        }
        Operand::Special(s) => {
            let have = s.ty();
            if ty.bits() != have.bits() || ty.is_float() {
                r.error(
                    Rule::OperandType,
                    place,
                    format!("{s}, which is {have}, as {at} of type {ty}"),
                    format!("type {have}"),
                );
            }
        }
        Operand::Sym(sym) => check_symbol_value(r, place, at, ty, *sym),
        _ => {}
    }
}

/// The address of a symbol as a value: 32 bits suffice only for shared memory.
fn check_symbol_value(r: &mut Reporter<'_>, place: InstPlace, at: &str, ty: Ty, sym: Sym) {
    let space = match sym {
        Sym::Param(i) => r.func.params.get(i as usize).map(|_| Space::Param),
        _ => var_of(r.module, r.func, sym).map(|v| v.space),
    };
    match space {
        None => missing_symbol(r, place, sym),
        Some(Space::Global | Space::Generic | Space::Const) if ty.bits() != 64 => r.error(
            Rule::OperandType,
            place,
            format!("a 64-bit address as {at} of type {ty}"),
            "a type of 64 bits",
        ),
        Some(_) if ty.is_float() || ty.bits() < 32 => r.error(
            Rule::OperandType,
            place,
            format!("an address as {at} of type {ty}"),
            "an integer type of 32 or 64 bits",
        ),
        Some(_) => {}
    }
}

fn missing_symbol(r: &mut Reporter<'_>, place: InstPlace, sym: Sym) {
    let found = format!("{sym:?}, which does not exist");
    r.error(Rule::Missing, place, found, "a declared symbol");
}

fn check_data(
    r: &mut Reporter<'_>,
    place: InstPlace,
    inst: &Inst,
    at: &str,
    ty: Ty,
    operand: &Operand,
) {
    let regs: &[Reg] = match operand {
        Operand::Reg(reg) => std::slice::from_ref(reg),
        Operand::Vec(list) => list,
        _ => &[],
    };
    let is_list = matches!(operand, Operand::Vec(_));
    let want = inst.mods.vec.len();
    if regs.len() != want || is_list != (inst.mods.vec != VecLen::V1) {
        r.error(
            Rule::OperandKind,
            place,
            format!("{} of {} as {at}", operand.describe(), regs.len()),
            match want {
                1 => "one register".to_string(),
                n => format!("a list of {n} registers, as the vector modifier says"),
            },
        );
        return;
    }
    for reg in regs {
        check_reg(r, place, at, *reg, ty, true);
    }
}

fn check_address(
    r: &mut Reporter<'_>,
    place: InstPlace,
    inst: &Inst,
    address: Address,
    space: Space,
) {
    match address.base {
        Base::Reg(reg) => {
            let fits = |ty: RegTy| match space {
                // 32 bits hold any shared, local or parameter address.
                Space::Shared | Space::Local | Space::Param => {
                    matches!(ty, RegTy::B32 | RegTy::B64)
                }
                _ => ty == RegTy::B64,
            };
            match r.func.reg_ty(reg) {
                None => check_reg(r, place, "address", reg, Ty::B64, false),
                Some(ty) if !fits(ty) => r.error(
                    Rule::OperandType,
                    place,
                    format!("a {ty} register as address"),
                    match space {
                        Space::Shared | Space::Local | Space::Param => {
                            "a .b32 or .b64 register".to_string()
                        }
                        _ => "a .b64 register".to_string(),
                    },
                ),
                Some(_) => {}
            }
        }
        Base::Sym(sym) => {
            let have = match sym {
                Sym::Param(i) => r.func.params.get(i as usize).map(|_| Space::Param),
                _ => var_of(r.module, r.func, sym).map(|v| match v.space {
                    Space::Generic => Space::Global,
                    space => space,
                }),
            };
            match have {
                None => missing_symbol(r, place, sym),
                Some(have) if have != space => r.error(
                    Rule::StateSpace,
                    place,
                    format!("an address in {} for this access", space_name(have)),
                    format!("an address in {}", space_name(space)),
                ),
                Some(_) => check_bounds(r, place, inst, sym, address.offset),
            }
        }
    }
}

/// An access to a symbol at a known offset stays inside it.
fn check_bounds(r: &mut Reporter<'_>, place: InstPlace, inst: &Inst, sym: Sym, offset: i32) {
    let size = match sym {
        Sym::Param(i) => r.func.params.get(i as usize).map(|p| p.bytes()),
        _ => var_of(r.module, r.func, sym)
            .filter(|v| v.len.is_some())
            .map(|v| v.bytes()),
    };
    let Some(size) = size else {
        return;
    };
    let access = inst.access_bytes();
    let end = i64::from(offset) + i64::from(access);
    if access > 0 && (offset < 0 || u64::try_from(end).is_ok_and(|end| end > size)) {
        r.error(
            Rule::Limit,
            place,
            format!("an access to bytes {offset} to {end} of a symbol of {size} bytes"),
            format!("an access within 0 to {size}"),
        );
    }
}

fn space_name(space: Space) -> &'static str {
    match space {
        Space::Generic => "generic memory",
        space => space.suffix(),
    }
}

/// Width and provable alignment of an access.
fn check_vector(
    r: &mut Reporter<'_>,
    place: InstPlace,
    inst: &Inst,
    congruences: &Congruences<'_>,
) {
    let bytes = inst.access_bytes();
    if bytes == 0 {
        return;
    }
    if bytes > 16 {
        r.error(
            Rule::Form,
            place,
            format!("an access of {bytes} bytes"),
            "at most 16 bytes (.v2 of 64 bits, .v4 of 32)",
        );
        return;
    }
    for (_, address, _) in inst.addresses() {
        let known = congruences.of_address(address);
        if known.is_multiple_of(u64::from(bytes)) == Some(false) {
            r.error(
                Rule::Alignment,
                place,
                format!(
                    "an address that is {} modulo {} for an access of {bytes} bytes",
                    known.residue, known.modulus
                ),
                format!("a multiple of {bytes}"),
            );
        }
    }
}

fn check_call(r: &mut Reporter<'_>, place: InstPlace, inst: &Inst) {
    let [results, Operand::Func(callee), args] = &inst.operands[..] else {
        return;
    };
    let Some(callee) = r.module.funcs.get(*callee) else {
        let found = "a call of a function that the module lacks";
        return r.error(Rule::Missing, place, found, "a function of this module");
    };
    if callee.kind == FuncKind::Kernel {
        let found = format!("a call of kernel {}", callee.name);
        r.error(Rule::Call, place, found, "a device function");
        return;
    }
    let of_param = |p: &crate::Param| (p.bytes(), p.alignment());
    let of_var = |v: &crate::Var| (v.bytes(), v.alignment());
    let want_args = match callee.params.as_slice() {
        [] => registers(callee, &callee.args),
        params => places(params.iter().map(of_param)),
    };
    let result_vars = callee.result_vars.iter();
    let result_vars = result_vars.filter_map(|at| callee.vars.get(*at as usize));
    let want_results = match callee.result_vars.as_slice() {
        [] => registers(callee, callee.result.as_slice()),
        _ => places(result_vars.map(of_var)),
    };
    let mut compare = |what: &str, list: &Operand, want: String| {
        let have = match list {
            Operand::Vec(regs) => registers(r.func, regs),
            Operand::Syms(syms) => {
                let vars = syms.iter().map(|sym| var_of(r.module, r.func, *sym));
                let in_param = |v: &&crate::Var| v.space == Space::Param;
                let vars: Vec<_> = vars.map(|v| v.filter(in_param)).collect();
                if vars.iter().any(Option::is_none) {
                    let found = format!("a variable outside .param among the {what}");
                    return r.error(Rule::StateSpace, place, found, "variables in .param");
                }
                places(vars.into_iter().flatten().map(of_var))
            }
            _ => return,
        };
        if have != want {
            r.error(
                Rule::Call,
                place,
                format!("{what} {have} in a call of {}", callee.name),
                want,
            );
        }
    };
    compare("arguments", args, want_args);
    compare("results", results, want_results);
}

fn registers(func: &crate::Func, regs: &[Reg]) -> String {
    let list: Vec<String> = regs
        .iter()
        .map(|reg| {
            func.reg_ty(*reg)
                .map_or_else(|| "?".to_string(), |t| t.to_string())
        })
        .collect();
    format!("({})", list.join(", "))
}

/// Sizes and alignments of variables in `.param` space.
fn places(list: impl Iterator<Item = (u64, u32)>) -> String {
    let list: Vec<String> = list
        .map(|(bytes, align)| format!("{bytes} bytes aligned to {align}"))
        .collect();
    format!("({})", list.join(", "))
}
