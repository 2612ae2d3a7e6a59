//! The instruction table against its users: what is printed of every form can be
//! read back, and loaded to be run.

use terrace_emulator::{Memory, Module as Loaded};
use terrace_ptx::form::{Form, Kind, Slot, forms, resolve};
use terrace_ptx::machine::Arch;
use terrace_ptx::modifiers::Space;
use terrace_ptx::parse::parse;
use terrace_ptx::{
    Address, Base, BlockId, Func, FuncId, FuncKind, Inst, Mods, Module, Op, Operand, Param, Reg,
    RegTy, Ty, Var, print,
};

/// Modifiers and types of a form: each value of each slot once, with the first
/// value of the others.
fn variants(form: &Form) -> Vec<(Mods, [Ty; 4])> {
    let values = |mask: u32| (1..32u8).filter(move |v| mask >> v & 1 == 1);
    let mut base = (Mods::default(), [Ty::None; 4]);
    for slot in form.slots {
        match *slot {
            Slot::Req(field, mask) => {
                base.0.set(field, values(mask).next().unwrap());
            }
            Slot::Ty(at, set) => base.1[usize::from(at)] = set.iter().next().unwrap(),
            Slot::Opt(..) | Slot::Lit(_) => {}
        }
    }
    let mut out = vec![base];
    for slot in form.slots {
        match *slot {
            Slot::Opt(field, mask) | Slot::Req(field, mask) => {
                for value in values(mask) {
                    let mut one = base;
                    one.0.set(field, value);
                    out.push(one);
                }
            }
            Slot::Ty(at, set) => {
                for ty in set.iter() {
                    let mut one = base;
                    one.1[usize::from(at)] = ty;
                    out.push(one);
                }
            }
            Slot::Lit(_) => {}
        }
    }
    out.dedup();
    out
}

struct Maker {
    func: Func,
    callee: FuncId,
    target: BlockId,
}

impl Maker {
    fn reg(&mut self, ty: Ty) -> Reg {
        self.func.new_reg(ty.reg())
    }

    fn list(&mut self, n: usize, ty: Ty) -> Operand {
        Operand::Vec((0..n).map(|_| self.reg(ty)).collect())
    }

    fn operand(&mut self, kind: Kind, mods: &Mods, tys: &[Ty]) -> Operand {
        let lanes = mods.vec.len();
        match kind {
            Kind::Def(t)
            | Kind::DefWide(t)
            | Kind::UseReg(t)
            | Kind::UseWide(t)
            | Kind::Use(t)
            | Kind::UseAny(t) => Operand::Reg(self.reg(resolve(t, tys))),
            Kind::DefVec(t) | Kind::UseVec(t) if lanes == 1 => {
                Operand::Reg(self.reg(resolve(t, tys)))
            }
            Kind::DefVec(t) | Kind::UseVec(t) => self.list(lanes, resolve(t, tys)),
            Kind::DefPair(t) => {
                let first = self.reg(resolve(t, tys));
                Operand::Pair(first, self.reg(Ty::Pred))
            }
            Kind::DefParts(t) | Kind::UseParts(t) => {
                let part = if resolve(t, tys).bits() == 64 {
                    Ty::B32
                } else {
                    Ty::B16
                };
                self.list(2, part)
            }
            Kind::DefList | Kind::UseList => self.list(1, Ty::B32),
            Kind::UsePred => Operand::Not(self.reg(Ty::Pred)),
            Kind::DefRegs(t, n) | Kind::UseRegs(t, n) => self.list(usize::from(n), resolve(t, tys)),
            Kind::Const(low, _) => Operand::Imm(low),
            Kind::OneOf(list) => Operand::Imm(list[0]),
            Kind::Addr | Kind::AddrIn(_) => {
                let base = Base::Reg(self.reg(Ty::B64));
                Operand::Addr(Address { base, offset: -8 })
            }
            Kind::Label => Operand::Label(self.target),
            Kind::Func => Operand::Func(self.callee),
        }
    }
}

/// A module with one kernel that consists of an instruction, and a function that
/// it may call.
fn module_of(op: Op, form: &Form, mods: Mods, tys: [Ty; 4]) -> Module {
    let mut module = Module::new(Arch::sm(90));
    let callee = module.add_device_function("callee");
    {
        let func = &mut module.funcs[callee];
        func.add_arg(RegTy::B32);
        let result = func.new_reg(RegTy::B32);
        func.result = Some(result);
        let block = func.new_block("");
        func.push(
            block,
            Inst::new(
                Op::Mov,
                Mods::default(),
                Ty::B32,
                [Operand::Reg(result), Operand::Imm(1)],
            ),
        );
        func.push(block, Inst::new(Op::Ret, Mods::default(), Ty::None, []));
    }
    let mut func = Func::new("k", FuncKind::Kernel);
    func.add_param(Param::scalar("p", Ty::U64));
    func.add_var(Var::array("s", Space::Shared, Ty::B8, 64));
    let block = func.new_block("start");
    let end = func.new_block("end");
    let mut maker = Maker {
        func,
        callee,
        target: end,
    };
    let mut operands: Vec<Operand> = Vec::new();
    for (i, kind) in form.operands.iter().enumerate() {
        // `bfi` is run with constants for position and length.
        operands.push(if op == Op::Bfi && i >= 3 {
            Operand::Imm(4)
        } else {
            maker.operand(*kind, &mods, &tys)
        });
    }
    let mut inst = Inst::new(op, mods, Ty::None, operands);
    inst.tys = tys;
    let mut func = maker.func;
    let ends = inst.ends_block();
    func.push(block, inst);
    if !ends {
        func.push(
            block,
            Inst::new(Op::Bra, Mods::default(), Ty::None, [Operand::Label(end)]),
        );
    }
    func.push(end, Inst::new(Op::Ret, Mods::default(), Ty::None, []));
    module.funcs.alloc(func);
    module.fit_version();
    module
}

#[test]
fn every_form_is_printed_read_and_loaded() {
    let memory = Memory::new(1 << 20);
    let mut count = 0;
    for &op in Op::ALL {
        for form in forms(op) {
            for (mods, tys) in variants(form) {
                let text = print(&module_of(op, form, mods, tys));
                let again = match parse(&text) {
                    Ok(parsed) => print(&parsed.module),
                    Err(errors) => panic!("{errors:?}\n{text}"),
                };
                assert_eq!(text, again);
                if let Err(error) = Loaded::load(&memory, &text) {
                    panic!("{error}\n{text}");
                }
                count += 1;
            }
        }
    }
    assert!(count > 800, "{count} variants");
}
