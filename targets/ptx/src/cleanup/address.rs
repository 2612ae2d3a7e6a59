//! Address arithmetic into immediate offsets.
//!
//! Every address register is written as a sum of multiples of registers and a
//! constant, modulo its width. Then
//! - an address that is a register plus a constant becomes `[r + constant]`,
//!   one that is a variable plus a constant `[name + constant]`;
//! - of two addresses that differ by a constant, the later is formed from the
//!   earlier, so that the points of a stencil share one register.
//!
//! `ld [p2]` with `p2 = p + 8*(i+1)`, `p1 = p + 8*i` becomes `ld [p1+8]`.

use crate::cfg::{Cfg, Point, points};
use crate::defs::Defs;
use crate::ids::{InstId, Reg};
use crate::inst::Inst;
use crate::modifiers::{Half, Sat, Space};
use crate::module::Func;
use crate::op::Op;
use crate::operand::{Address, Base, Operand, Sym};
use crate::types::{RegTy, Ty};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Offsets that the machine's instructions hold: 24 bits, signed.
const OFFSETS: std::ops::Range<i64> = -(1 << 23)..1 << 23;

/// Sums with more terms are left alone.
const MOST_TERMS: usize = 8;

/// `sum of coefficient * register + symbol + constant`, modulo 2^width; the
/// terms sorted by register, coefficients not zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Linear {
    terms: SmallVec<[(Reg, i64); 4]>,
    sym: Option<Sym>,
    constant: i64,
}

impl Linear {
    fn constant(value: i64) -> Linear {
        Linear {
            constant: value,
            ..Linear::default()
        }
    }

    fn reg(reg: Reg) -> Linear {
        Linear {
            terms: SmallVec::from_slice(&[(reg, 1)]),
            ..Linear::default()
        }
    }

    /// The sum of this and `k` times the other; none if it gets too long or
    /// has more than one symbol.
    fn plus(&self, other: &Linear, k: i64) -> Option<Linear> {
        let sym = match (self.sym, other.sym) {
            (sym, None) => sym,
            (None, sym) if k == 1 => sym,
            _ => return None,
        };
        let mut terms = self.terms.clone();
        for (reg, c) in &other.terms {
            let c = c.wrapping_mul(k);
            match terms.binary_search_by_key(reg, |t| t.0) {
                Ok(at) => {
                    terms[at].1 = terms[at].1.wrapping_add(c);
                    if terms[at].1 == 0 {
                        terms.remove(at);
                    }
                }
                Err(at) if c != 0 => terms.insert(at, (*reg, c)),
                Err(_) => {}
            }
        }
        (terms.len() <= MOST_TERMS).then_some(Linear {
            terms,
            sym,
            constant: self.constant.wrapping_add(other.constant.wrapping_mul(k)),
        })
    }

    fn times(&self, k: i64) -> Option<Linear> {
        Linear::default().plus(self, k)
    }

    /// The constant where arithmetic is on 32 bits.
    fn wrapped(mut self, bits: u32) -> Linear {
        if bits == 32 {
            self.constant = i64::from(self.constant as i32);
            for (_, c) in &mut self.terms {
                *c = i64::from(*c as i32);
            }
            self.terms.retain(|(_, c)| *c != 0);
        }
        self
    }
}

/// Folds; returns the number of addresses changed.
pub fn fold_offsets(func: &mut Func) -> usize {
    let cfg = Cfg::new(func);
    let defs = Defs::new(func);
    let linear = linear_forms(func, &cfg, &defs);
    let mut changes: Vec<(InstId, usize, Address)> = Vec::new();
    // Address registers seen so far by what they are but for the constant, in
    // the order of a walk that meets dominators first.
    let mut bases: FxHashMap<(Linear, RegTy), Vec<(Reg, i64)>> = FxHashMap::default();
    let mut order: Vec<(Point, InstId)> = points(func).collect();
    let mut rank = vec![u32::MAX; cfg.len()];
    for (i, b) in cfg.rpo.iter().enumerate() {
        rank[*b as usize] = i as u32;
    }
    order.sort_by_key(|(p, _)| (rank[p.block as usize], p.index));
    for (point, id) in order {
        let Some(inst) = func.insts.get(id) else {
            continue;
        };
        for (at, address, space) in inst.addresses() {
            let Base::Reg(reg) = address.base else {
                continue;
            };
            let (Some(ty), Some(form)) = (func.reg_ty(reg), linear.get(&reg)) else {
                continue;
            };
            let offset = i64::from(address.offset);
            let bytes = inst.access_bytes();
            if let Some(simpler) = direct(func, form, offset, ty, space, bytes)
                && simpler != address
            {
                changes.push((id, at, simpler));
                continue;
            }
            let mut key = form.clone();
            let constant = std::mem::take(&mut key.constant);
            let group = bases.entry((key, ty)).or_default();
            let shared = group.iter().find_map(|(base, at)| {
                let offset = offset.checked_add(constant.checked_sub(*at)?)?;
                let usable = OFFSETS.contains(&offset) && defs.reaches(&cfg, *base, point);
                usable.then_some((*base, offset))
            });
            match shared {
                Some((base, offset)) if base != reg => {
                    let offset = i32::try_from(offset).unwrap_or(0);
                    let base = Base::Reg(base);
                    changes.push((id, at, Address { base, offset }));
                }
                Some(_) => {}
                None => group.push((reg, constant)),
            }
        }
    }
    for (id, at, address) in &changes {
        let operand = func
            .insts
            .get_mut(*id)
            .and_then(|i| i.operands.get_mut(*at));
        if let Some(Operand::Addr(a)) = operand {
            *a = *address;
        }
    }
    changes.len()
}

/// The address as one register or symbol and an offset, for an access of so many
/// bytes of a space.
fn direct(
    func: &Func,
    form: &Linear,
    offset: i64,
    ty: RegTy,
    space: Space,
    bytes: u32,
) -> Option<Address> {
    let offset = offset.checked_add(form.constant)?;
    if !OFFSETS.contains(&offset) {
        return None;
    }
    let offset = i32::try_from(offset).ok()?;
    let base = match (form.sym, &form.terms[..]) {
        (None, [(reg, 1)]) if func.reg_ty(*reg) == Some(ty) => Base::Reg(*reg),
        // A symbol is an address in its own space; a generic access needs the
        // converted one, which is not this sum.
        (Some(sym @ Sym::Local(i)), []) => {
            let var = func.vars.get(i as usize)?;
            // Outside the variable the sum must stay a sum.
            let end = i64::from(offset) + i64::from(bytes);
            let inside = offset >= 0 && u64::try_from(end).is_ok_and(|end| end <= var.bytes());
            if var.space != space || !inside {
                return None;
            }
            Base::Sym(sym)
        }
        _ => return None,
    };
    Some(Address { base, offset })
}

/// The linear form of every 32- or 64-bit register written once whose
/// definition is understood.
fn linear_forms(func: &Func, cfg: &Cfg, defs: &Defs) -> FxHashMap<Reg, Linear> {
    let mut forms: FxHashMap<Reg, Linear> = FxHashMap::default();
    for &b in &cfg.rpo {
        let Some(body) = func.blocks.get(cfg.blocks[b as usize]) else {
            continue;
        };
        for inst in body.insts.iter().filter_map(|id| func.insts.get(*id)) {
            let Some(dest) = inst.dest() else { continue };
            if defs.single(dest).is_none() {
                continue;
            }
            let bits = func.reg_ty(dest).map_or(0, RegTy::bits);
            if !matches!(func.reg_ty(dest), Some(RegTy::B32 | RegTy::B64)) {
                continue;
            }
            let form = of_inst(inst, bits, |reg| {
                if !defs.is_stable(reg) || func.reg_ty(reg).map(RegTy::bits) != Some(bits) {
                    return None;
                }
                Some(forms.get(&reg).cloned().unwrap_or(Linear::reg(reg)))
            });
            let form = form.map_or_else(|| Linear::reg(dest), |f| f.wrapped(bits));
            forms.insert(dest, form);
        }
    }
    forms
}

fn of_inst(inst: &Inst, bits: u32, of_reg: impl Fn(Reg) -> Option<Linear>) -> Option<Linear> {
    let ty = inst.ty();
    if ty.bits() != bits || ty.is_float() || inst.mods.sat != Sat::Off {
        return None;
    }
    let of = |at: usize| match inst.operands.get(at)? {
        Operand::Reg(reg) => of_reg(*reg),
        Operand::Imm(v) => Some(Linear::constant(*v)),
        Operand::Sym(sym) => Some(Linear {
            sym: Some(*sym),
            ..Linear::default()
        }),
        _ => None,
    };
    let imm = |at: usize| inst.operands.get(at).and_then(Operand::as_imm);
    let low = inst.mods.half == Half::Lo;
    let product = |a: usize, b: usize| match (imm(a), imm(b)) {
        (_, Some(k)) => of(a)?.times(k),
        (Some(k), _) => of(b)?.times(k),
        _ => None,
    };
    match inst.op {
        Op::Mov if ty != Ty::Pred => of(1),
        Op::Add => of(1)?.plus(&of(2)?, 1),
        Op::Sub => of(1)?.plus(&of(2)?, -1),
        Op::Mul if low => product(1, 2),
        Op::Mad if low => product(1, 2)?.plus(&of(3)?, 1),
        Op::Shl => match imm(2)? {
            k if (0..i64::from(bits)).contains(&k) => of(1)?.times(1i64 << k),
            _ => None,
        },
        _ => None,
    }
}
