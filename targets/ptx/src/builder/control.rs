//! Branches, calls, barriers, warp communication.

use super::FuncBuilder;
use crate::ids::{BlockId, FuncId, Reg};
use crate::inst::{Guard, Inst};
use crate::modifiers::{Mods, Reduce, Scope, Sem, ShflMode, Uni, VoteMode};
use crate::op::Op;
use crate::operand::{Operand, RegList};
use crate::types::{RegTy, Ty};

const FULL_WARP: i64 = 0xffff_ffff;

impl FuncBuilder<'_> {
    /// Jumps.
    pub fn bra(&mut self, target: BlockId) {
        self.effect(Op::Bra, Mods::default(), &[], [Operand::Label(target)]);
    }

    /// Goes to `then` where `pred` is true, else to `otherwise`. Ends the block.
    pub fn cond_bra(&mut self, pred: Reg, then: BlockId, otherwise: BlockId) {
        self.branch(Mods::default(), pred, then, otherwise);
    }

    /// The same where all active threads of a warp agree.
    pub fn cond_bra_uniform(&mut self, pred: Reg, then: BlockId, otherwise: BlockId) {
        let mods = Mods {
            uni: Uni::On,
            ..Mods::default()
        };
        self.branch(mods, pred, then, otherwise);
    }

    fn branch(&mut self, mods: Mods, pred: Reg, then: BlockId, otherwise: BlockId) {
        let mut taken = Inst::with_types(Op::Bra, mods, &[], [Operand::Label(then)]);
        taken.guard = Some(Guard {
            reg: pred,
            negated: false,
        });
        self.emit(taken);
        self.effect(Op::Bra, mods, &[], [Operand::Label(otherwise)]);
    }

    /// Returns from a kernel or device function.
    pub fn ret(&mut self) {
        self.effect(Op::Ret, Mods::default(), &[], []);
    }

    /// Ends the thread.
    pub fn exit(&mut self) {
        self.effect(Op::Exit, Mods::default(), &[], []);
    }

    /// Stops the kernel with an error.
    pub fn trap(&mut self) {
        self.effect(Op::Trap, Mods::default(), &[], []);
        // The assembler takes control to go on after a trap.
        self.exit();
    }

    /// Calls a device function; returns the register of its result, if
    /// `result` says that it has one.
    pub fn call(&mut self, callee: FuncId, args: &[Reg], result: Option<RegTy>) -> Option<Reg> {
        let dest = result.map(|ty| self.reg(ty));
        let mods = Mods {
            uni: Uni::On,
            ..Mods::default()
        };
        let operands = [
            Operand::Vec(dest.into_iter().collect()),
            Operand::Func(callee),
            Operand::Vec(RegList::from_slice(args)),
        ];
        self.effect(Op::Call, mods, &[], operands);
        dest
    }

    /// Waits for all threads of the block at barrier `id`.
    pub fn bar_sync(&mut self, id: u32) {
        self.effect(Op::BarSync, Mods::default(), &[], [Operand::from(id)]);
    }

    /// Waits at barrier `id` for so many threads, a multiple of the warp size.
    pub fn bar_sync_some(&mut self, id: u32, threads: impl Into<Operand>) {
        let operands = [Operand::from(id), threads.into()];
        self.effect(Op::BarSync, Mods::default(), &[], operands);
    }

    /// Arrives at barrier `id` of so many threads without waiting.
    pub fn bar_arrive(&mut self, id: u32, threads: impl Into<Operand>) {
        let operands = [Operand::from(id), threads.into()];
        self.effect(Op::BarArrive, Mods::default(), &[], operands);
    }

    /// Waits for all threads of the block at barrier `id`; the number of them whose
    /// predicate is true, or whether all or any is.
    pub fn bar_red(&mut self, reduce: Reduce, id: u32, pred: Reg) -> Reg {
        let mods = Mods {
            reduce,
            ..Mods::default()
        };
        let sources = [Operand::from(id), Operand::Reg(pred)];
        self.value(Op::BarRed, mods, &[], sources)
    }

    /// Sleeps for about so many nanoseconds.
    pub fn nanosleep(&mut self, time: impl Into<Operand>) {
        self.effect(Op::Nanosleep, Mods::default(), &[], [time.into()]);
    }

    /// Waits for the threads of the warp in a mask.
    pub fn bar_warp_sync(&mut self, mask: impl Into<Operand>) {
        self.effect(Op::BarWarpSync, Mods::default(), &[], [mask.into()]);
    }

    /// Orders memory accesses: `Cta`, `Gl` or `Sys`.
    pub fn membar(&mut self, scope: Scope) {
        let mods = Mods {
            scope,
            ..Mods::default()
        };
        self.effect(Op::Membar, mods, &[], []);
    }

    /// Orders memory accesses: `Sc` or `AcqRel`, within a scope.
    pub fn fence(&mut self, sem: Sem, scope: Scope) {
        let mods = Mods {
            sem,
            scope,
            ..Mods::default()
        };
        self.effect(Op::Fence, mods, &[], []);
    }

    /// 32 bits from another lane of a full warp. `b` is the distance, mask or
    /// lane, `c` the clamp and segment mask of the ISA manual.
    pub fn shfl(
        &mut self,
        shfl: ShflMode,
        a: Reg,
        b: impl Into<Operand>,
        c: impl Into<Operand>,
    ) -> Reg {
        // f32 registers are as good as b32 ones here, and the result keeps
        // the type of what was sent.
        let ty = self.func.reg_ty(a).unwrap_or(RegTy::B32);
        let dest = self.reg(ty);
        let mods = Mods {
            shfl,
            ..Mods::default()
        };
        let sources = [Operand::Reg(a), b.into(), c.into(), Operand::Imm(FULL_WARP)];
        self.value_to(dest, Op::Shfl, mods, &[], sources);
        dest
    }

    /// Exchange with the lane whose number differs in the bits of `mask`.
    pub fn shfl_bfly(&mut self, a: Reg, mask: u32) -> Reg {
        self.shfl(ShflMode::Bfly, a, mask, 31)
    }

    /// The value of the lane `delta` higher.
    pub fn shfl_down(&mut self, a: Reg, delta: u32) -> Reg {
        self.shfl(ShflMode::Down, a, delta, 31)
    }

    /// The value of the lane `delta` lower.
    pub fn shfl_up(&mut self, a: Reg, delta: u32) -> Reg {
        self.shfl(ShflMode::Up, a, delta, 0)
    }

    /// The value of a lane.
    pub fn shfl_idx(&mut self, a: Reg, lane: impl Into<Operand>) -> Reg {
        self.shfl(ShflMode::Idx, a, lane, 31)
    }

    /// A vote of a full warp: a predicate, or for a ballot the 32 bits.
    pub fn vote(&mut self, vote: VoteMode, pred: Reg) -> Reg {
        let mods = Mods {
            vote,
            ..Mods::default()
        };
        let sources = [Operand::Reg(pred), Operand::Imm(FULL_WARP)];
        self.value(Op::Vote, mods, &[], sources)
    }

    /// The lanes that execute this together.
    pub fn activemask(&mut self) -> Reg {
        self.value(Op::Activemask, Mods::default(), &[Ty::None], [])
    }
}
