//! What each instruction does.

use super::code::{Act, NO_ROW, R, Shuffle, Vote};
use super::lower::{LOCAL_WINDOW, Lower, PARAM_WINDOW, SHARED_WINDOW, Scope, WINDOW};
use super::{collective, memory, pure, pure_bits, pure_move};
use crate::count::Class;
use smallvec::SmallVec;
use terrace_ptx::form::Form;
use terrace_ptx::modifiers::{Scope as PtxScope, ShflMode, ToSpace, VoteMode};
use terrace_ptx::{Op, Operand, Space, Special};

impl Lower<'_> {
    pub(super) fn act(&mut self, scope: &Scope<'_>, form: &Form) -> Option<(Act, Class)> {
        let inst = scope.inst;
        let operands = &inst.operands;
        let class = pure::class(inst);
        Some(match inst.op {
            Op::Ld | Op::St | Op::Atom | Op::Red => return memory::lower(self, scope, form),
            Op::Prefetch => (Act::Nothing, Class::Load),
            Op::Nanosleep => (Act::Nothing, Class::Synchronize),
            Op::Match
            | Op::Redux
            | Op::Mma
            | Op::Ldmatrix
            | Op::Stmatrix
            | Op::CpAsync
            | Op::CpAsyncCommit
            | Op::CpAsyncWait
            | Op::CpAsyncWaitAll => return collective::lower(self, scope, form),
            op if op.is_block_barrier_of_any_kind() => {
                (collective::barrier(self, scope, form)?, Class::Synchronize)
            }
            Op::AddCc
            | Op::Addc
            | Op::SubCc
            | Op::Subc
            | Op::MadLoCc
            | Op::MadHiCc
            | Op::MadcLo
            | Op::MadcHi => (self.carry(scope, form)?, class),
            Op::Isspacep => {
                let (to, _) = self.results(scope)?;
                let from = self.sources(scope, form)?;
                let f = self.is_in_space(inst.mods.space);
                (Act::Pure { f, to, from }, class)
            }
            Op::Lop3 => {
                let Some(table) = operands.get(4).and_then(Operand::as_imm) else {
                    return self.error("the table of a logic function must be a constant");
                };
                let (to, _) = self.results(scope)?;
                let from = self.first_sources(scope, form)?;
                let f = pure_bits::lop3(table as u64);
                (Act::Pure { f, to, from }, class)
            }
            Op::Set => (self.set(scope, form)?, class),
            Op::Mov if matches!(operands.as_slice(), [_, Operand::Vec(_)]) => {
                (self.pack(scope)?, class)
            }
            Op::Mov if matches!(operands.as_slice(), [Operand::Vec(_), _]) => {
                (self.unpack(scope)?, class)
            }
            Op::Mov if matches!(operands.get(1), Some(Operand::Special(s)) if is_clock(*s)) => {
                let (to, _) = self.results(scope)?;
                (Act::Clock { to }, class)
            }
            Op::Cvta => (self.window(scope)?, class),
            Op::Setp => (self.compare(scope, form)?, class),
            Op::Bfi => {
                let from = self.bfi_sources(scope, form)?;
                let (to, _) = self.results(scope)?;
                let f = pure::insert_field(inst.ty().bits());
                (Act::Pure { f, to, from }, class)
            }
            Op::Shfl => (self.shuffle(scope, form)?, Class::Synchronize),
            Op::Vote => (self.vote(scope, form)?, Class::Synchronize),
            Op::Activemask => {
                let (to, _) = self.results(scope)?;
                (Act::ActiveMask { to }, Class::Synchronize)
            }
            Op::BarWarpSync => {
                let members = self.source(scope, operands.first()?, *form.operands.first()?)?;
                (Act::WarpBarrier { members }, Class::Synchronize)
            }
            Op::Membar | Op::Fence => {
                self.has_fences = true;
                let within_block = inst.mods.scope == PtxScope::Cta;
                (Act::Fence { within_block }, Class::Synchronize)
            }
            Op::Bra => match inst.branch_target() {
                Some(block) => {
                    let target = block.index() as u32;
                    (Act::Branch { target }, Class::Control)
                }
                None => return self.error("a branch without a label"),
            },
            Op::Ret => {
                let return_to = self.functions[scope.function].return_to;
                let act = match return_to {
                    NO_ROW => Act::Exit,
                    return_to => Act::Return { return_to },
                };
                (act, Class::Control)
            }
            Op::Exit => (Act::Exit, Class::Control),
            Op::Trap => (Act::Trap, Class::Control),
            Op::Call => (self.call(scope)?, Class::Control),
            _ => (self.pure(scope, form)?, class),
        })
    }

    fn carry(&mut self, scope: &Scope<'_>, form: &Form) -> Option<Act> {
        let inst = scope.inst;
        let (to, _) = self.results(scope)?;
        let from = self.sources(scope, form)?;
        let carry = self.carry;
        Some(Act::Carry {
            f: pure_bits::carry(inst),
            bits: inst.ty().bits(),
            to,
            from,
            carry_in: if inst.op.reads_carry() { carry } else { NO_ROW },
            carry_out: if inst.writes_carry() { carry } else { NO_ROW },
        })
    }

    fn set(&mut self, scope: &Scope<'_>, form: &Form) -> Option<Act> {
        let inst = scope.inst;
        let (to, _) = self.results(scope)?;
        let from = self.sources(scope, form)?;
        let negated = matches!(scope.inst.operands.get(3), Some(Operand::Not(_)));
        match pure_move::compare_to_value(inst, negated) {
            Some(f) => Some(Act::Pure { f, to, from }),
            None => self.error("no such comparison"),
        }
    }

    fn pack(&mut self, scope: &Scope<'_>) -> Option<Act> {
        let inst = scope.inst;
        let [Operand::Reg(to), Operand::Vec(parts)] = scope.inst.operands.as_slice() else {
            return self.error("operands that do not fit");
        };
        let bits = inst.ty().bits() / parts.len().max(1) as u32;
        let parts = parts.iter().map(|r| self.row(scope, *r)).collect();
        let to = self.row(scope, *to);
        Some(Act::Pack { to, parts, bits })
    }

    fn unpack(&mut self, scope: &Scope<'_>) -> Option<Act> {
        let inst = scope.inst;
        let [Operand::Vec(parts), Operand::Reg(from)] = scope.inst.operands.as_slice() else {
            return self.error("operands that do not fit");
        };
        let bits = inst.ty().bits() / parts.len().max(1) as u32;
        let to = parts.iter().map(|r| self.row(scope, *r)).collect();
        let from = self.row(scope, *from);
        Some(Act::Unpack { to, from, bits })
    }

    fn vote(&mut self, scope: &Scope<'_>, form: &Form) -> Option<Act> {
        let inst = scope.inst;
        let (to, _) = self.results(scope)?;
        let mode = match inst.mods.vote {
            VoteMode::Any => Vote::Any,
            VoteMode::Uni => Vote::Uniform,
            VoteMode::Ballot => Vote::Ballot,
            _ => Vote::All,
        };
        let negated = matches!(scope.inst.operands.get(1), Some(Operand::Not(_)));
        let [value, members, _] = self.sources(scope, form)?;
        Some(Act::Vote {
            mode,
            to,
            value,
            negated,
            members,
        })
    }

    fn compare(&mut self, scope: &Scope<'_>, form: &Form) -> Option<Act> {
        let inst = scope.inst;
        let from = self.sources(scope, form)?;
        let (to, other) = self.results(scope)?;
        let negated = matches!(scope.inst.operands.get(3), Some(Operand::Not(_)));
        match pure_move::compare(inst, negated) {
            Some(f) => Some(Act::Compare { f, to, other, from }),
            None => self.error("no such comparison"),
        }
    }

    fn pure(&mut self, scope: &Scope<'_>, form: &Form) -> Option<Act> {
        let inst = scope.inst;
        let (to, _) = self.results(scope)?;
        let register_bits = match scope.inst.operands.first() {
            Some(Operand::Reg(reg)) => scope.func.reg_ty(*reg).map_or(64, |t| t.bits()),
            _ => 64,
        };
        let from = self.sources(scope, form)?;
        match pure::build(inst, register_bits) {
            Some(f) => Some(Act::Pure { f, to, from }),
            None => self.error("this form of the instruction is not supported"),
        }
    }

    /// The rows of up to three sources; those that are left out read the first.
    fn sources(&mut self, scope: &Scope<'_>, form: &Form) -> Option<[R; 3]> {
        let skip = usize::from(scope.inst.op.has_dest());
        let mut rows = [NO_ROW; 3];
        let pairs = scope.inst.operands.iter().zip(form.operands).skip(skip);
        let mut n = 0;
        for (operand, kind) in pairs {
            let row = self.source(scope, operand, *kind)?;
            match rows.get_mut(n) {
                Some(slot) => *slot = row,
                None => return self.error("too many operands"),
            }
            n += 1;
        }
        let first = if n == 0 { self.constant(0) } else { rows[0] };
        for row in &mut rows[n..] {
            *row = first;
        }
        Some(rows)
    }

    /// The rows of the first three sources of four.
    fn first_sources(&mut self, scope: &Scope<'_>, form: &Form) -> Option<[R; 3]> {
        let mut rows = [NO_ROW; 3];
        let pairs = scope.inst.operands.iter().zip(form.operands).skip(1);
        for ((operand, kind), row) in pairs.zip(&mut rows) {
            *row = self.source(scope, operand, *kind)?;
        }
        Some(rows)
    }

    /// `isspacep`: constants and parameters lie among the global addresses.
    fn is_in_space(&self, space: Space) -> super::code::PureFn {
        let within = |window: u64| move |a: u64| a.wrapping_sub(window) < WINDOW;
        let (shared, local) = (within(SHARED_WINDOW), within(LOCAL_WINDOW));
        let param = within(PARAM_WINDOW);
        let vars = self.parsed.module.vars.iter().zip(self.addresses);
        let constants: Vec<(u64, u64)> = vars
            .filter(|(v, _)| v.space == Space::Const)
            .map(|(v, at)| (*at, v.bytes()))
            .collect();
        let constant = move |a: u64| {
            constants
                .iter()
                .any(|(at, bytes)| a.wrapping_sub(*at) < *bytes)
        };
        match space {
            Space::Shared => pure::un(move |a| u64::from(shared(a))),
            Space::Local => pure::un(move |a| u64::from(local(a))),
            Space::Param => pure::un(move |a| u64::from(param(a))),
            Space::Const => pure::un(move |a| u64::from(constant(a))),
            _ => pure::un(move |a| u64::from(!shared(a) && !local(a) && !constant(a))),
        }
    }

    /// `bfi` with a position and a length that are constants: both in one row.
    fn bfi_sources(&mut self, scope: &Scope<'_>, form: &Form) -> Option<[R; 3]> {
        let operands = &scope.inst.operands;
        let field = |i: usize| operands.get(i).and_then(Operand::as_imm);
        let (Some(pos), Some(len)) = (field(3), field(4)) else {
            return self
                .error("`bfi` with a position or length that is no constant is not supported");
        };
        let a = self.source(scope, operands.get(1)?, *form.operands.get(1)?)?;
        let into = self.source(scope, operands.get(2)?, *form.operands.get(2)?)?;
        let both = self.constant((pos & 255) as u64 | ((len & 255) as u64) << 8);
        Some([a, into, both])
    }

    /// The rows of the result and of a second one.
    pub(super) fn results(&mut self, scope: &Scope<'_>) -> Option<(R, R)> {
        match scope.inst.operands.first() {
            Some(Operand::Reg(to)) => Some((self.row(scope, *to), NO_ROW)),
            Some(Operand::Pair(to, other)) => Some((self.row(scope, *to), self.row(scope, *other))),
            _ => self.error("an instruction without a result register"),
        }
    }

    /// `cvta`: shared, local and parameter memory lie in windows of the generic
    /// addresses; global and constant addresses are generic ones.
    fn window(&mut self, scope: &Scope<'_>) -> Option<Act> {
        let inst = scope.inst;
        let window = match inst.mods.space {
            Space::Shared => SHARED_WINDOW,
            Space::Local => LOCAL_WINDOW,
            Space::Param => PARAM_WINDOW,
            _ => 0,
        };
        let (to, _) = self.results(scope)?;
        let Some(Operand::Reg(from)) = inst.operands.get(1) else {
            return self.error("`cvta` of something that is no register");
        };
        let from = self.row(scope, *from);
        let f = match inst.mods.to {
            ToSpace::On => pure::un(move |a| a.wrapping_sub(window)),
            ToSpace::Off => pure::un(move |a| a.wrapping_add(window)),
        };
        Some(Act::Pure {
            f,
            to,
            from: [from; 3],
        })
    }

    fn shuffle(&mut self, scope: &Scope<'_>, form: &Form) -> Option<Act> {
        let (to, in_range) = self.results(scope)?;
        let mut rows = SmallVec::<[R; 4]>::new();
        for (operand, kind) in scope.inst.operands.iter().zip(form.operands).skip(1) {
            rows.push(self.source(scope, operand, *kind)?);
        }
        let [value, lane, clamp, members] = rows[..] else {
            return self.error("a shuffle takes four sources");
        };
        let mode = match scope.inst.mods.shfl {
            ShflMode::Up => Shuffle::Up,
            ShflMode::Down => Shuffle::Down,
            ShflMode::Bfly => Shuffle::Butterfly,
            _ => Shuffle::Index,
        };
        Some(Act::Shuffle {
            mode,
            to,
            in_range,
            value,
            lane,
            clamp,
            members,
        })
    }

    fn call(&mut self, scope: &Scope<'_>) -> Option<Act> {
        let [_, Operand::Func(callee), arguments] = scope.inst.operands.as_slice() else {
            return self.error("a call of something that is no function");
        };
        let func = &self.parsed.module.funcs[*callee];
        if func.layout.is_empty() {
            // Reported before.
            return None;
        }
        // What is in `.param` space is copied before.
        let registers: &[_] = match arguments {
            Operand::Vec(list) => list,
            _ => &[],
        };
        let given = match arguments {
            Operand::Syms(list) => list.len(),
            _ => registers.len(),
        };
        let taken = func.args.len() + func.params.len();
        if given != taken || registers.len() != func.args.len() {
            return self.error(format!(
                "`{}` takes {taken} arguments, found {given}, or not in the same space",
                func.name
            ));
        }
        let mut copies = SmallVec::new();
        for (argument, parameter) in registers.iter().zip(&func.args) {
            let parameter = self.callee_row(*callee, *parameter)?;
            copies.push((self.row(scope, *argument), parameter));
        }
        let function = self.functions.iter().find(|f| f.id == *callee)?;
        Some(Act::Call {
            target: callee.index() as u32,
            arguments: copies,
            return_to: function.return_to,
        })
    }
}

const fn is_clock(special: Special) -> bool {
    matches!(
        special,
        Special::Clock | Special::Clock64 | Special::GlobalTimer
    )
}
