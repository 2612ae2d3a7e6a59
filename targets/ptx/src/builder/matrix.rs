//! Matrix products of a warp, loads and stores of their operands, and copies that
//! run beside the threads.

use super::FuncBuilder;
use crate::form::{self, Kind};
use crate::ids::Reg;
use crate::inst::Inst;
use crate::modifiers::{AtomOp, Cache, Mods, Shape, Space, Tiles, Trans, VoteMode};
use crate::op::Op;
use crate::operand::{Address, Operand, RegList};
use crate::types::{RegTy, Ty};

const FULL_WARP: i64 = 0xffff_ffff;

fn matrices(count: usize, transposed: bool) -> Mods {
    Mods {
        tiles: Tiles::from_count(count).unwrap_or_default(),
        trans: if transposed { Trans::On } else { Trans::Off },
        space: Space::Shared,
        ..Mods::default()
    }
}

impl FuncBuilder<'_> {
    /// D = A B + C by a full warp: the lane's registers of D. `tys` are the element
    /// types of D, A, B and C; `a`, `b` and `c` the lane's registers of each, as
    /// many as the shape says. None of D's for a shape that the types do not have.
    pub fn mma(&mut self, shape: Shape, tys: [Ty; 4], a: &[Reg], b: &[Reg], c: &[Reg]) -> RegList {
        let mods = Mods {
            shape,
            ..Mods::default()
        };
        let list = |regs: &[Reg]| Operand::Vec(RegList::from_slice(regs));
        let mut inst =
            Inst::with_types(Op::Mma, mods, &tys, [list(&[]), list(a), list(b), list(c)]);
        let (ty, count) = match form::find(&inst).and_then(|f| f.operands.first()) {
            Some(Kind::DefRegs(ty, count)) => (form::resolve(*ty, &tys), usize::from(*count)),
            _ => (Ty::B32, 0),
        };
        let results: RegList = (0..count).map(|_| self.reg(ty.reg())).collect();
        if let Some(first) = inst.operands.first_mut() {
            *first = Operand::Vec(results.clone());
        }
        self.emit(inst);
        results
    }

    /// The same, the sum kept in its registers: `acc` is C before and D after.
    pub fn mma_to(&mut self, acc: &[Reg], shape: Shape, tys: [Ty; 4], a: &[Reg], b: &[Reg]) {
        let mods = Mods {
            shape,
            ..Mods::default()
        };
        let list = |regs: &[Reg]| Operand::Vec(RegList::from_slice(regs));
        self.effect(
            Op::Mma,
            mods,
            &tys,
            [list(acc), list(a), list(b), list(acc)],
        );
    }

    /// Loads one, two or four 8x8 matrices of 16-bit elements from shared memory.
    /// Lane `8 m + r` gives the address of row `r` of matrix `m`, 16 bytes aligned
    /// to 16. Each result register is two neighbours of a row (of a column, if
    /// transposed) of one matrix.
    pub fn ldmatrix(
        &mut self,
        count: usize,
        transposed: bool,
        address: impl Into<Address>,
    ) -> RegList {
        let regs: RegList = (0..count).map(|_| self.reg(RegTy::B32)).collect();
        let operands = [Operand::Vec(regs.clone()), Operand::Addr(address.into())];
        self.effect(Op::Ldmatrix, matrices(count, transposed), &[], operands);
        regs
    }

    /// Stores one, two or four matrices, as [`FuncBuilder::ldmatrix`] loads them.
    pub fn stmatrix(&mut self, transposed: bool, address: impl Into<Address>, regs: &[Reg]) {
        let operands = [
            Operand::Addr(address.into()),
            Operand::Vec(RegList::from_slice(regs)),
        ];
        self.effect(
            Op::Stmatrix,
            matrices(regs.len(), transposed),
            &[],
            operands,
        );
    }

    /// Starts a copy of 4, 8 or 16 bytes from global to shared memory, both
    /// addresses aligned to as many. `Cache::Ca` goes through all caches,
    /// `Cache::Cg` (16 bytes only) past the first-level one. The bytes are there for
    /// this thread after a wait for the copy's group, for others after a barrier
    /// that follows the wait.
    pub fn cp_async(
        &mut self,
        cache: Cache,
        to: impl Into<Address>,
        from: impl Into<Address>,
        bytes: u32,
    ) {
        let mods = Mods {
            cache,
            ..Mods::default()
        };
        let (to, from) = (Operand::Addr(to.into()), Operand::Addr(from.into()));
        self.effect(Op::CpAsync, mods, &[], [to, from, Operand::from(bytes)]);
    }

    /// The same, of which only the first `read` bytes are read; zeros follow. With
    /// 0 nothing is read, and the source may be any address.
    pub fn cp_async_zero_fill(
        &mut self,
        cache: Cache,
        to: impl Into<Address>,
        from: impl Into<Address>,
        bytes: u32,
        read: impl Into<Operand>,
    ) {
        let mods = Mods {
            cache,
            ..Mods::default()
        };
        let (to, from) = (Operand::Addr(to.into()), Operand::Addr(from.into()));
        let operands = [to, from, Operand::from(bytes), read.into()];
        self.effect(Op::CpAsync, mods, &[], operands);
    }

    /// The thread's copies since the last group are one group.
    pub fn cp_async_commit(&mut self) {
        self.effect(Op::CpAsyncCommit, Mods::default(), &[], []);
    }

    /// Waits until at most the `pending` latest groups of the thread are running.
    pub fn cp_async_wait(&mut self, pending: u32) {
        self.effect(
            Op::CpAsyncWait,
            Mods::default(),
            &[],
            [Operand::from(pending)],
        );
    }

    /// Waits for all copies of the thread, in groups or not.
    pub fn cp_async_wait_all(&mut self) {
        self.effect(Op::CpAsyncWaitAll, Mods::default(), &[], []);
    }

    /// The lanes of a full warp that hold the same value.
    pub fn match_any(&mut self, ty: Ty, a: Reg) -> Reg {
        let mods = Mods {
            vote: VoteMode::Any,
            ..Mods::default()
        };
        let sources = [Operand::Reg(a), Operand::Imm(FULL_WARP)];
        self.value(Op::Match, mods, &[ty], sources)
    }

    /// All lanes, if all of a full warp hold the same value, else 0.
    pub fn match_all(&mut self, ty: Ty, a: Reg) -> Reg {
        let mods = Mods {
            vote: VoteMode::All,
            ..Mods::default()
        };
        let sources = [Operand::Reg(a), Operand::Imm(FULL_WARP)];
        self.value(Op::Match, mods, &[ty], sources)
    }

    /// The sum, least, greatest, or bitwise combination over a full warp.
    pub fn redux(&mut self, atom: AtomOp, ty: Ty, a: Reg) -> Reg {
        let mods = Mods {
            atom,
            ..Mods::default()
        };
        let sources = [Operand::Reg(a), Operand::Imm(FULL_WARP)];
        self.value(Op::Redux, mods, &[ty], sources)
    }
}
