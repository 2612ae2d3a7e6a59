//! One machine instruction.

use super::form;
use super::ids::Reg;
use super::modifiers::{Carry, Evict, FetchSize, Mods, Space};
use super::op::{Effect, Op};
use super::operand::{Address, Base, Operand, Sym};
use super::types::Ty;
use smallvec::SmallVec;

/// A source position; file 0 means none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Loc {
    /// 1-based index into the module's files.
    pub file: u16,
    pub column: u16,
    pub line: u32,
}

impl Loc {
    /// Whether it names a position at all.
    pub const fn is_known(self) -> bool {
        self.file != 0
    }
}

/// The predicate that decides whether an instruction takes effect.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Guard {
    pub reg: Reg,
    /// Take effect where the predicate is false.
    pub negated: bool,
}

impl Guard {
    /// The guard that holds exactly when this one does not.
    pub const fn inverted(self) -> Guard {
        Guard {
            reg: self.reg,
            negated: !self.negated,
        }
    }
}

/// The operands of an instruction, result first.
pub type Operands = SmallVec<[Operand; 4]>;

/// One instruction. Any combination of fields can be held; which ones are
/// PTX is what the instruction table says and the checker checks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Inst {
    pub op: Op,
    pub mods: Mods,
    /// The type suffixes in textual order; unused positions are [`Ty::None`].
    pub tys: [Ty; 4],
    pub guard: Option<Guard>,
    pub operands: Operands,
    pub loc: Loc,
}

impl Inst {
    /// An unguarded instruction with one type.
    pub fn new(op: Op, mods: Mods, ty: Ty, operands: impl IntoIterator<Item = Operand>) -> Inst {
        Inst::with_types(op, mods, &[ty], operands)
    }

    /// An unguarded instruction with up to four types; further ones are
    /// dropped.
    pub fn with_types(
        op: Op,
        mods: Mods,
        types: &[Ty],
        operands: impl IntoIterator<Item = Operand>,
    ) -> Inst {
        let mut tys = [Ty::None; 4];
        for (slot, ty) in tys.iter_mut().zip(types) {
            *slot = *ty;
        }
        Inst {
            op,
            mods,
            tys,
            guard: None,
            operands: operands.into_iter().collect(),
            loc: Loc::default(),
        }
    }

    /// The first type.
    #[inline]
    pub fn ty(&self) -> Ty {
        self.tys[0]
    }

    /// Calls `f` on every register written.
    #[inline]
    pub fn for_each_def(&self, mut f: impl FnMut(Reg)) {
        if self.op.has_dest() {
            match self.operands.first() {
                None | Some(Operand::Addr(_)) => {}
                Some(dest) => dest.for_each_reg(&mut f),
            }
        }
    }

    /// Calls `f` on every register read, the guard's too.
    #[inline]
    pub fn for_each_use(&self, mut f: impl FnMut(Reg)) {
        if let Some(guard) = self.guard {
            f(guard.reg);
        }
        for operand in self.sources() {
            operand.for_each_reg(&mut f);
        }
    }

    /// The operands that are read.
    #[inline]
    pub fn sources(&self) -> &[Operand] {
        let skip = usize::from(self.op.has_dest());
        self.operands.get(skip..).unwrap_or(&[])
    }

    /// The operands that are read, to change them.
    #[inline]
    pub fn sources_mut(&mut self) -> &mut [Operand] {
        let skip = usize::from(self.op.has_dest());
        self.operands.get_mut(skip..).unwrap_or(&mut [])
    }

    /// The result, if it is exactly one register.
    #[inline]
    pub fn dest(&self) -> Option<Reg> {
        match self.operands.first() {
            Some(Operand::Reg(r)) if self.op.has_dest() => Some(*r),
            _ => None,
        }
    }

    /// The memory operand, of an instruction with exactly one. An asynchronous
    /// copy has two: see [`Inst::addresses`].
    pub fn address(&self) -> Option<Address> {
        let mut all = self.addresses();
        match (all.next(), all.next()) {
            (Some((_, address, _)), None) => Some(address),
            _ => None,
        }
    }

    /// The memory operands: position among the operands, address and space.
    pub fn addresses(&self) -> impl Iterator<Item = (usize, Address, Space)> {
        self.operands.iter().enumerate().filter_map(|(at, o)| {
            let space = match (self.op, at) {
                (Op::CpAsync, 0) => Space::Shared,
                (Op::CpAsync, _) => Space::Global,
                _ => self.mods.space,
            };
            match o {
                Operand::Addr(a) => Some((at, *a, space)),
                _ => None,
            }
        })
    }

    /// Whether it writes the carry flag.
    pub fn writes_carry(&self) -> bool {
        matches!(self.op, Op::AddCc | Op::SubCc | Op::MadLoCc | Op::MadHiCc)
            || self.mods.cc == Carry::Out
    }

    /// Where an unconditional or conditional branch goes.
    #[inline]
    pub fn branch_target(&self) -> Option<super::ids::BlockId> {
        match (self.op, self.operands.first()) {
            (Op::Bra, Some(Operand::Label(b))) => Some(*b),
            _ => None,
        }
    }

    /// Whether control never passes it.
    #[inline]
    pub fn ends_block(&self) -> bool {
        self.guard.is_none() && self.op.is_terminator()
    }

    /// Whether it may be dropped when its result is unused.
    pub fn is_removable(&self) -> bool {
        match self.op.effect() {
            Effect::Pure | Effect::Warp => true,
            Effect::Read => {
                use super::modifiers::Sem;
                matches!(self.mods.sem, Sem::Default | Sem::Weak)
            }
            _ => false,
        }
    }

    /// Whether equal operands give equal results at any point of the
    /// function: no effect, and nothing read that can change meanwhile.
    pub fn is_value(&self) -> bool {
        let stable = self.operands.iter().all(|o| match o {
            Operand::Special(s) => !s.is_volatile(),
            _ => true,
        });
        let repeats = match self.op.effect() {
            Effect::Pure => true,
            Effect::Read => {
                // What calls get and return in `.param` space changes.
                let parameter = matches!(
                    self.address(),
                    Some(Address {
                        base: Base::Sym(Sym::Param(_)),
                        ..
                    })
                );
                self.mods.space == Space::Param && parameter
                    || self.mods.space == Space::Const
                    || self.mods.nc == super::modifiers::ReadOnly::On
            }
            _ => false,
        };
        stable && repeats
    }

    /// Bytes that each thread's address is of: those moved by a load, store,
    /// atomic or asynchronous copy, a row of a matrix; 0 for other instructions.
    pub fn access_bytes(&self) -> u32 {
        match self.op {
            Op::Ld | Op::St => self.ty().bytes() * self.mods.vec.len() as u32,
            Op::Atom | Op::Red => self.ty().bytes(),
            Op::Ldmatrix | Op::Stmatrix => 16,
            Op::CpAsync => match self.operands.get(2) {
                Some(Operand::Imm(n @ (4 | 8 | 16))) => *n as u32,
                _ => 0,
            },
            _ => 0,
        }
    }

    /// Whether its address starts from a register.
    pub fn address_reg(&self) -> Option<Reg> {
        match self.address()?.base {
            Base::Reg(r) => Some(r),
            Base::Sym(_) => None,
        }
    }

    /// The first architecture (number after `sm_`) and PTX version that have
    /// it, by the table; none for an instruction in no form.
    pub fn since(&self) -> Option<(u16, (u8, u8))> {
        use super::modifiers::{Scope, Sem};
        let form = form::find(self)?;
        let (mut sm, mut ptx) = (form.sm, form.ptx);
        if self.mods.scope == Scope::Cluster {
            sm = sm.max(90);
            ptx = ptx.max((7, 8));
        }
        if self.mods.evict != Evict::Default || self.mods.fetch != FetchSize::Default {
            sm = sm.max(match self.mods.fetch {
                FetchSize::Default => 70,
                FetchSize::B64 | FetchSize::B128 => 75,
                FetchSize::B256 => 80,
            });
            ptx = ptx.max((7, 4));
        }
        let ordered = !matches!(self.mods.sem, Sem::Default | Sem::Weak | Sem::Volatile);
        if matches!(self.op, Op::Atom | Op::Red) && ordered {
            sm = sm.max(70);
        }
        Some((sm, ptx))
    }
}
