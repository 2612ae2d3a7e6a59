//! Loads, stores and atomics.

use super::code::{Access, Act, AtomicFn, NO_ROW, Ordering, Space};
use super::lower::{Lower, Scope};
use crate::count::Class;
use crate::value::float::Operation;
use crate::value::float::{bits32, bits64, f32_of, f64_of};
use crate::value::half::{Half, pairs};
use crate::value::int::{low, signed};
use smallvec::SmallVec;
use terrace_ptx::form::{Form, Kind};
use terrace_ptx::modifiers::{AtomOp, ReadOnly, Scope as PtxScope, Sem};
use terrace_ptx::{Base, Inst, Op, Operand, Space as PtxSpace, Ty};

pub(super) fn lower(lower: &mut Lower<'_>, scope: &Scope<'_>, form: &Form) -> Option<(Act, Class)> {
    let inst = scope.inst;
    let access = access(lower, scope)?;
    if matches!(access.space, Space::Generic | Space::Global | Space::Shared) {
        // Vectors are aligned to all of their bytes.
        let shift = access.bytes.trailing_zeros() + inst.mods.vec.len().trailing_zeros();
        lower.granule_shift = lower.granule_shift.min(shift);
    }
    lower.has_fences |= access.ordering.acquire || access.ordering.release;
    Some(match inst.op {
        Op::Ld => (Act::Load(access), Class::Load),
        Op::St => (Act::Store(access), Class::Store),
        _ => {
            let Some(f) = atomic(inst) else {
                return lower.error("this form of the atomic is not supported");
            };
            let has_result = inst.op == Op::Atom;
            let to = match inst.operands.first() {
                Some(Operand::Reg(to)) if has_result => lower.row(scope, *to),
                _ => NO_ROW,
            };
            let mut rows = SmallVec::<[u32; 2]>::new();
            let sources = inst.operands.iter().zip(form.operands);
            for (operand, kind) in sources.skip(1 + usize::from(has_result)) {
                rows.push(lower.source(scope, operand, *kind)?);
            }
            let Some(first) = rows.first().copied() else {
                return lower.error("an atomic without an operand");
            };
            let operands = [first, rows.get(1).copied().unwrap_or(first)];
            let act = Act::Atomic {
                access,
                f,
                to,
                operands,
            };
            (act, Class::Atomic)
        }
    })
}

fn access(lower: &mut Lower<'_>, scope: &Scope<'_>) -> Option<Access> {
    let inst = scope.inst;
    let Some(address) = inst.address() else {
        return lower.error("an access without an address");
    };
    let space = match (inst.mods.space, address.base) {
        // A variable named in a generic access is meant in its own space.
        (PtxSpace::Generic, Base::Sym(sym)) => lower.space_of(scope, sym)?,
        (space, _) => space,
    };
    let handed = space == PtxSpace::Param && lower.is_handed_by_calls(scope, address.base);
    let space = match space {
        PtxSpace::Generic => Space::Generic,
        PtxSpace::Global | PtxSpace::Const => Space::Global,
        PtxSpace::Shared => Space::Shared,
        PtxSpace::Local => Space::Local,
        // What calls take and give lies in local memory.
        PtxSpace::Param if handed => Space::Local,
        PtxSpace::Param => Space::Param,
    };
    let mut data = SmallVec::new();
    let mut register_bits = 64;
    if matches!(inst.op, Op::Ld | Op::St) {
        let at = usize::from(inst.op == Op::St);
        let regs: SmallVec<[_; 4]> = match inst.operands.get(at) {
            Some(Operand::Reg(reg)) => std::iter::once(*reg).collect(),
            Some(Operand::Vec(list)) => list.iter().copied().collect(),
            // A store of a constant.
            Some(operand) => {
                let row =
                    lower.source(scope, operand, Kind::Use(terrace_ptx::form::TyRef::At(0)))?;
                data.push(row);
                SmallVec::new()
            }
            None => return lower.error("an access without data"),
        };
        if let Some(ty) = regs.first().and_then(|r| scope.func.reg_ty(*r)) {
            register_bits = ty.bits();
        }
        data.extend(regs.iter().map(|r| lower.row(scope, *r)));
        if data.len() != inst.mods.vec.len() {
            return lower.error(format!(
                "{} registers for a vector of {}",
                data.len(),
                inst.mods.vec.len()
            ));
        }
    }
    let sem = inst.mods.sem;
    let atomic = matches!(inst.op, Op::Atom | Op::Red);
    Some(Access {
        space,
        base: lower.base(scope, address.base)?,
        offset: i64::from(address.offset),
        bytes: inst.ty().bytes(),
        signed: inst.ty().is_signed(),
        register_bits,
        data,
        ordering: Ordering {
            strong: atomic || !matches!(sem, Sem::Default | Sem::Weak),
            acquire: matches!(sem, Sem::Acquire | Sem::AcqRel),
            release: matches!(sem, Sem::Release | Sem::AcqRel),
            within_block: inst.mods.scope == PtxScope::Cta,
            read_only: inst.mods.nc == ReadOnly::On,
        },
        padding: handed,
    })
}

fn atomic(inst: &Inst) -> Option<AtomicFn> {
    let ty = inst.ty();
    let bits = ty.bits();
    let is_signed = ty.is_signed();
    Some(match inst.mods.atom {
        AtomOp::Add => match ty {
            Ty::F32 => Box::new(|old, v, _| bits32(f32_of(old) + f32_of(v))),
            Ty::F64 => Box::new(|old, v, _| bits64(f64_of(old) + f64_of(v))),
            Ty::F16 => Box::new(|old, v, _| Half::F16.compute(Operation::Add, old, v, 0)),
            Ty::Bf16 => Box::new(|old, v, _| Half::Bf16.compute(Operation::Add, old, v, 0)),
            Ty::F16x2 | Ty::Bf16x2 => {
                let half = if ty == Ty::F16x2 {
                    Half::F16
                } else {
                    Half::Bf16
                };
                Box::new(move |old, v, _| {
                    pairs(|a, b, _| half.compute(Operation::Add, a, b, 0), old, v, 0)
                })
            }
            _ => Box::new(move |old, v, _| low(old.wrapping_add(v), bits)),
        },
        AtomOp::Min if is_signed => Box::new(move |old, v, _| {
            if signed(v, bits) < signed(old, bits) {
                v
            } else {
                old
            }
        }),
        AtomOp::Max if is_signed => Box::new(move |old, v, _| {
            if signed(v, bits) > signed(old, bits) {
                v
            } else {
                old
            }
        }),
        AtomOp::Min => Box::new(|old, v, _| old.min(v)),
        AtomOp::Max => Box::new(|old, v, _| old.max(v)),
        AtomOp::And => Box::new(|old, v, _| old & v),
        AtomOp::Or => Box::new(|old, v, _| old | v),
        AtomOp::Xor => Box::new(|old, v, _| old ^ v),
        AtomOp::Exch => Box::new(|_, v, _| v),
        AtomOp::Cas => Box::new(|old, expected, v| if old == expected { v } else { old }),
        AtomOp::Inc => Box::new(|old, v, _| if old >= v { 0 } else { old + 1 }),
        AtomOp::Dec => Box::new(|old, v, _| if old == 0 || old > v { v } else { old - 1 }),
        AtomOp::Default => return None,
    })
}
