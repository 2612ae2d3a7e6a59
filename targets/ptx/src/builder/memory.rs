//! Loads, stores, atomics, addresses.

use super::FuncBuilder;
use crate::ids::Reg;
use crate::modifiers::{AtomOp, Cache, Level, Mods, ReadOnly, Scope, Sem, Space, ToSpace, VecLen};
use crate::op::Op;
use crate::operand::{Address, Operand, RegList};
use crate::types::Ty;

fn in_space(space: Space) -> Mods {
    Mods {
        space,
        ..Mods::default()
    }
}

/// Of an access that other threads' accesses are ordered by.
fn strong(sem: Sem, space: Space) -> Mods {
    let scope = match space {
        Space::Shared => Scope::Cta,
        _ => Scope::Gpu,
    };
    Mods {
        sem,
        scope,
        ..in_space(space)
    }
}

impl FuncBuilder<'_> {
    /// Loads one element.
    pub fn ld(&mut self, space: Space, ty: Ty, address: impl Into<Address>) -> Reg {
        self.value(
            Op::Ld,
            in_space(space),
            &[ty],
            [Operand::Addr(address.into())],
        )
    }

    /// Loads what other threads may be updating by atomics.
    pub fn ld_relaxed(&mut self, space: Space, ty: Ty, address: impl Into<Address>) -> Reg {
        self.ld_strong(Sem::Relaxed, space, ty, address)
    }

    /// The same, and what the thread accesses afterwards comes after all that was released
    /// by what it reads.
    pub fn ld_acquire(&mut self, space: Space, ty: Ty, address: impl Into<Address>) -> Reg {
        self.ld_strong(Sem::Acquire, space, ty, address)
    }

    fn ld_strong(&mut self, sem: Sem, space: Space, ty: Ty, address: impl Into<Address>) -> Reg {
        let mods = strong(sem, space);
        self.value(Op::Ld, mods, &[ty], [Operand::Addr(address.into())])
    }

    /// Stores what other threads load by [`FuncBuilder::ld_acquire`], behind all that the thread wrote.
    pub fn st_release(&mut self, space: Space, ty: Ty, address: impl Into<Address>, value: Reg) {
        let operands = [Operand::Addr(address.into()), Operand::Reg(value)];
        self.effect(Op::St, strong(Sem::Release, space), &[ty], operands);
    }

    /// Stores what other threads load by [`FuncBuilder::ld_relaxed`], in no order with anything else.
    pub fn st_relaxed(&mut self, space: Space, ty: Ty, address: impl Into<Address>, value: Reg) {
        let operands = [Operand::Addr(address.into()), Operand::Reg(value)];
        self.effect(Op::St, strong(Sem::Relaxed, space), &[ty], operands);
    }

    /// Loads a kernel parameter.
    pub fn ld_param(&mut self, ty: Ty, address: impl Into<Address>) -> Reg {
        self.ld(Space::Param, ty, address)
    }

    /// Loads from global memory.
    pub fn ld_global(&mut self, ty: Ty, address: impl Into<Address>) -> Reg {
        self.ld(Space::Global, ty, address)
    }

    /// Loads from global memory that nobody writes during the kernel.
    pub fn ld_global_nc(&mut self, ty: Ty, address: impl Into<Address>) -> Reg {
        let mods = Mods {
            nc: ReadOnly::On,
            ..in_space(Space::Global)
        };
        self.value(Op::Ld, mods, &[ty], [Operand::Addr(address.into())])
    }

    /// Loads from shared memory.
    pub fn ld_shared(&mut self, ty: Ty, address: impl Into<Address>) -> Reg {
        self.ld(Space::Shared, ty, address)
    }

    /// Loads two or four elements with the given modifiers, the lowest first;
    /// one element for any other count.
    pub fn ld_vec(
        &mut self,
        mods: Mods,
        ty: Ty,
        count: usize,
        address: impl Into<Address>,
    ) -> RegList {
        let address = Operand::Addr(address.into());
        match VecLen::from_len(count) {
            Some(vec @ (VecLen::V2 | VecLen::V4)) => {
                let regs: RegList = (0..count).map(|_| self.reg(ty.reg())).collect();
                let mods = Mods { vec, ..mods };
                let dest = Operand::Vec(regs.clone());
                self.effect(Op::Ld, mods, &[ty], [dest, address]);
                regs
            }
            _ => RegList::from_slice(&[self.value(Op::Ld, mods, &[ty], [address])]),
        }
    }

    /// Stores one element.
    pub fn st(&mut self, space: Space, ty: Ty, address: impl Into<Address>, value: Reg) {
        let operands = [Operand::Addr(address.into()), Operand::Reg(value)];
        self.effect(Op::St, in_space(space), &[ty], operands);
    }

    /// Stores to global memory.
    pub fn st_global(&mut self, ty: Ty, address: impl Into<Address>, value: Reg) {
        self.st(Space::Global, ty, address, value);
    }

    /// Stores to shared memory.
    pub fn st_shared(&mut self, ty: Ty, address: impl Into<Address>, value: Reg) {
        self.st(Space::Shared, ty, address, value);
    }

    /// Stores one, two or four elements with the given modifiers; the checker
    /// refuses other counts.
    pub fn st_vec(&mut self, mods: Mods, ty: Ty, address: impl Into<Address>, values: &[Reg]) {
        let address = Operand::Addr(address.into());
        let vec = VecLen::from_len(values.len()).unwrap_or_default();
        let data = match values {
            [one] => Operand::Reg(*one),
            many => Operand::Vec(RegList::from_slice(many)),
        };
        self.effect(Op::St, Mods { vec, ..mods }, &[ty], [address, data]);
    }

    /// Atomic read-modify-write; returns the old value.
    pub fn atom(
        &mut self,
        space: Space,
        atom: AtomOp,
        ty: Ty,
        address: impl Into<Address>,
        value: impl Into<Operand>,
    ) -> Reg {
        let mods = Mods {
            atom,
            ..in_space(space)
        };
        let sources = [Operand::Addr(address.into()), value.into()];
        self.value(Op::Atom, mods, &[ty], sources)
    }

    /// Atomic compare and swap; returns the old value.
    pub fn atom_cas(
        &mut self,
        space: Space,
        ty: Ty,
        address: impl Into<Address>,
        expected: impl Into<Operand>,
        new: impl Into<Operand>,
    ) -> Reg {
        let mods = Mods {
            atom: AtomOp::Cas,
            ..in_space(space)
        };
        let sources = [Operand::Addr(address.into()), expected.into(), new.into()];
        self.value(Op::Atom, mods, &[ty], sources)
    }

    /// Atomic update whose old value nobody wants.
    pub fn red(
        &mut self,
        space: Space,
        atom: AtomOp,
        ty: Ty,
        address: impl Into<Address>,
        value: impl Into<Operand>,
    ) {
        let mods = Mods {
            atom,
            ..in_space(space)
        };
        let operands = [Operand::Addr(address.into()), value.into()];
        self.effect(Op::Red, mods, &[ty], operands);
    }

    /// Brings a line of global memory into a cache.
    pub fn prefetch_global(&mut self, level: Level, address: impl Into<Address>) {
        let mods = Mods {
            level,
            ..in_space(Space::Global)
        };
        self.effect(Op::Prefetch, mods, &[], [Operand::Addr(address.into())]);
    }

    /// A generic address as an address in a space.
    pub fn cvta_to(&mut self, space: Space, address: Reg) -> Reg {
        let mods = Mods {
            to: ToSpace::On,
            ..in_space(space)
        };
        self.value(Op::Cvta, mods, &[], [Operand::Reg(address)])
    }

    /// An address in a space as a generic address.
    pub fn cvta(&mut self, space: Space, address: Reg) -> Reg {
        self.value(Op::Cvta, in_space(space), &[], [Operand::Reg(address)])
    }

    /// The modifiers of an access with a cache operator.
    pub fn cached(space: Space, cache: Cache) -> Mods {
        Mods {
            cache,
            ..in_space(space)
        }
    }
}
