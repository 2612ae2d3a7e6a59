//! Address arithmetic into immediate offsets.
//!
//! Every address is written as a polynomial of values and a constant, modulo
//! its width. Then
//! - an address that is a register plus a constant becomes `[r + constant]`,
//!   one that is a variable plus a constant `[name + constant]`;
//! - of two addresses that differ by a constant, the later is formed from the
//!   earlier, so that the points of a stencil share one register.
//!
//! `ld [p2]` with `p2 = p + 8*(i+1)`, `p1 = p + 8*i` becomes `ld [p1+8]`.

use super::Shared;
use crate::cfg::{Cfg, Point};
use crate::defs::Defs;
use crate::ids::{InstId, Reg};
use crate::modifiers::Space;
use crate::module::Func;
use crate::operand::{Address, Base, Operand, Sym};
use crate::polynomial::{Ext, Polynomial, Polynomials, never_exact};
use crate::types::RegTy;
use crate::values::{Value, Values};
use rustc_hash::FxHashMap;

/// Offsets that the machine's instructions hold: 24 bits, signed.
const OFFSETS: std::ops::Range<i64> = -(1 << 23)..1 << 23;

struct Context<'a> {
    func: &'a Func,
    cfg: &'a Cfg,
    defs: &'a Defs,
    values: Values,
    forms: Polynomials,
    copies: Copies,
}

/// An address register, what it holds, and the constant of its polynomial.
type Same = (Reg, Value, i64);

/// Folds; returns the number of addresses changed.
pub fn fold_offsets(func: &mut Func, shared: &mut Shared) -> usize {
    let by_register = |(_, address, _): (usize, Address, Space)| match address.base {
        Base::Reg(_) => true,
        Base::Sym(_) => false,
    };
    if !(func.insts_in_layout()).any(|i| i.addresses().any(by_register)) {
        return 0;
    }
    let (cfg, defs) = shared.both(func);
    let changes = find(func, cfg, defs);
    for (id, at, address) in &changes {
        let operand = func
            .insts
            .get_mut(*id)
            .and_then(|i| i.operands.get_mut(*at));
        if let Some(operand @ Operand::Addr(_)) = operand {
            *operand = Operand::Addr(*address);
        }
    }
    changes.len()
}

/// The registers written once that are copies of a value, in order.
struct Copies {
    /// By value: where its list starts.
    first: Vec<u32>,
    /// Copies, and where the list goes on.
    entries: Vec<(Reg, Value, u32)>,
}

/// The end of a list.
const END: u32 = u32::MAX;

impl Copies {
    fn new(func: &Func, defs: &Defs, values: &Values, forms: &Polynomials) -> Copies {
        let mut copies = Copies {
            first: vec![END; values.len()],
            entries: Vec::new(),
        };
        // Each goes to the front of its list.
        for value in values.iter().rev() {
            if let Some(reg) = values.reg(value).filter(|r| defs.is_stable(*r))
                && matches!(func.reg_ty(reg), Some(RegTy::B32 | RegTy::B64))
                && let Some(atom) = forms.as_atom(value)
                && atom.ext == Ext::None
                && let Some(first) = copies.first.get_mut(atom.value.index())
            {
                copies.entries.push((reg, value, *first));
                *first = (copies.entries.len() - 1) as u32;
            }
        }
        copies
    }

    fn of(&self, value: Value) -> impl Iterator<Item = (Reg, Value)> {
        let mut at = self.first.get(value.index()).copied().unwrap_or(END);
        std::iter::from_fn(move || {
            let (reg, value, next) = *self.entries.get(at as usize)?;
            at = next;
            Some((reg, value))
        })
    }
}

fn find(func: &Func, cfg: &Cfg, defs: &Defs) -> Vec<(InstId, usize, Address)> {
    let values = Values::new(func, cfg, defs);
    let forms = Polynomials::new(func, cfg, &values, &never_exact);
    let copies = Copies::new(func, defs, &values, &forms);
    let context = Context {
        func,
        cfg,
        defs,
        values,
        forms,
        copies,
    };
    let mut changes: Vec<(InstId, usize, Address)> = Vec::new();
    // Address registers seen so far by what they are but for the constant, in
    // the order of a walk that meets dominators first.
    let mut bases: FxHashMap<(Polynomial, RegTy), Vec<Same>> = FxHashMap::default();
    for &block in &cfg.rpo {
        let body = func.blocks.get(cfg.blocks[block as usize]);
        for (index, &id) in (0u32..).zip(body.map_or(&[][..], |b| &b.insts)) {
            let Some(inst) = func.insts.get(id) else {
                continue;
            };
            for (at, address, space) in inst.addresses() {
                let access = Access {
                    id,
                    address,
                    space,
                    bytes: inst.access_bytes(),
                };
                let point = Point { block, index };
                if let Some(better) = context.better(&mut bases, point, access) {
                    changes.push((id, at, better));
                }
            }
        }
    }
    changes
}

/// A memory operand.
#[derive(Clone, Copy)]
struct Access {
    id: InstId,
    address: Address,
    space: Space,
    bytes: u32,
}

impl Context<'_> {
    /// A better address for an access, if there is one; otherwise its own is
    /// noted for those after it.
    fn better(
        &self,
        bases: &mut FxHashMap<(Polynomial, RegTy), Vec<Same>>,
        point: Point,
        access: Access,
    ) -> Option<Address> {
        let address = access.address;
        let Base::Reg(reg) = address.base else {
            return None;
        };
        let ty = self.func.reg_ty(reg)?;
        let value = self.values.found(access.id, reg)?;
        // Of the address, offset included.
        let mut rest = self.forms.of_address(&self.values, access.id, address)?;
        if let Some(simpler) = self.direct(access, &rest, ty, point) {
            return (simpler != address).then_some(simpler);
        }
        let constant = std::mem::take(&mut rest.constant);
        let own = constant.wrapping_sub(i64::from(address.offset));
        let group = bases.entry((rest, ty)).or_default();
        let shared = group.iter().find_map(|(base, value, at)| {
            let offset = offset(constant.checked_sub(*at)?)?;
            self.holds(*value, point).then_some((*base, offset))
        });
        match shared {
            Some((base, offset)) if base != reg => Some(Address {
                base: Base::Reg(base),
                offset,
            }),
            Some(_) => None,
            None => {
                group.push((reg, value, own));
                None
            }
        }
    }

    fn holds(&self, value: Value, point: Point) -> bool {
        self.values.holds(self.cfg, self.defs, value, point)
    }

    /// The address as one register or symbol and an offset.
    fn direct(&self, access: Access, form: &Polynomial, ty: RegTy, at: Point) -> Option<Address> {
        let offset = offset(form.constant)?;
        let base = match (form.sym, &form.terms[..]) {
            (None, [(monomial, 1)]) => {
                let [atom] = monomial[..] else { return None };
                if atom.ext != Ext::None {
                    return None;
                }
                // Of several copies the one that the code uses, if it does.
                let own = match access.address.base {
                    Base::Reg(reg) => Some(reg),
                    Base::Sym(_) => None,
                };
                let fits = |(reg, value): &(Reg, Value)| {
                    self.func.reg_ty(*reg) == Some(ty) && self.holds(*value, at)
                };
                let copies = || self.copies.of(atom.value);
                let mine = copies().find(|c| Some(c.0) == own).filter(fits);
                let (reg, _) = mine.or_else(|| copies().find(fits))?;
                Base::Reg(reg)
            }
            // A symbol is an address in its own space; a generic access needs
            // the converted one, which is not this sum.
            (Some(sym @ Sym::Local(i)), []) => {
                let var = self.func.vars.get(i as usize)?;
                // Outside the variable the sum must stay a sum.
                let end = i64::from(offset) + i64::from(access.bytes);
                let inside = offset >= 0 && u64::try_from(end).is_ok_and(|end| end <= var.bytes());
                if var.space != access.space || !inside {
                    return None;
                }
                Base::Sym(sym)
            }
            _ => return None,
        };
        Some(Address { base, offset })
    }
}

fn offset(bytes: i64) -> Option<i32> {
    OFFSETS
        .contains(&bytes)
        .then(|| i32::try_from(bytes).ok())?
}
