//! Every instruction of the table, built, checked, printed and, where NVIDIA's
//! assembler is installed, assembled.

use terrace_targets::machine::Arch;
use terrace_targets::ptx::form::{Form, Kind, Slot, TyRef, resolve};
use terrace_targets::ptx::inst::Operands;
use terrace_targets::ptx::modifiers::Field;
use terrace_targets::ptx::operand::RegList;
use terrace_targets::ptx::ptxas::{Ptxas, PtxasError};
use terrace_targets::ptx::{Address, Reg, Space, form};
use terrace_targets::ptx::{
    Base, Cmp, Finding, FuncBuilder, FuncId, Guard, Inst, Mods, Module, Op, Operand, Param, RegTy,
    Special, Sym, Ty, Var, check, print,
};

/// All settings of modifiers and types worth trying for a form: every
/// combination of types with the first modifiers, and with each further value
/// of one modifier.
fn settings(form: &Form) -> Vec<(Mods, [Ty; 4])> {
    let mut base = Mods::default();
    let mut types = vec![[Ty::None; 4]];
    for slot in form.slots {
        match *slot {
            Slot::Req(field, mask) => {
                assert!(base.set(field, mask.trailing_zeros() as u8));
            }
            Slot::Ty(at, set) => {
                types = types
                    .into_iter()
                    .flat_map(|tys| {
                        set.iter().map(move |ty| {
                            let mut tys = tys;
                            tys[usize::from(at)] = ty;
                            tys
                        })
                    })
                    .collect();
            }
            Slot::Lit(_) | Slot::Opt(..) => {}
        }
    }
    let mut all: Vec<_> = types.iter().map(|tys| (base, *tys)).collect();
    for slot in form.slots {
        if let Slot::Opt(field, mask) | Slot::Req(field, mask) = *slot {
            for value in 1..field.spellings().len() as u8 {
                let mut mods = base;
                if mask >> value & 1 == 1 && mods.set(field, value) && mods != base {
                    all.extend(types.iter().map(|tys| (mods, *tys)));
                }
            }
        }
    }
    all.retain(|(mods, tys)| tys[0].bytes() * mods.vec.len() as u32 <= 16);
    all
}

/// Symbols and registers that operands are made of.
struct Stock {
    param: Sym,
    pointer: Reg,
    shared: Sym,
    local: Sym,
    /// What a call may take.
    handed: Sym,
    constant: Sym,
    callee: FuncId,
}

impl Stock {
    fn operand(&self, b: &mut FuncBuilder<'_>, inst: &Inst, kind: Kind, imm: bool) -> Operand {
        let ty = |t: TyRef| resolve(t, &inst.tys);
        let bits = |t: TyRef| match ty(t) {
            Ty::Tf32 => Ty::B32,
            other => other,
        };
        match kind {
            Kind::Def(t) | Kind::DefWide(t) | Kind::DefPair(t) => {
                Operand::Reg(b.reg(bits(t).reg()))
            }
            Kind::DefVec(t) => self.list(inst, |_| b.reg(bits(t).reg())),
            Kind::UseVec(t) => self.list(inst, |_| written(b, bits(t).reg())),
            Kind::DefParts(t) => {
                let part = if ty(t).bits() == 64 {
                    RegTy::B32
                } else {
                    RegTy::B16
                };
                Operand::Vec((0..2).map(|_| b.reg(part)).collect())
            }
            Kind::UseParts(t) => {
                let part = if ty(t).bits() == 64 {
                    RegTy::B32
                } else {
                    RegTy::B16
                };
                Operand::Vec((0..2).map(|_| written(b, part)).collect())
            }
            Kind::Use(t) | Kind::UseAny(t) if imm => match ty(t) {
                Ty::F32 => Operand::from(1.5f32),
                Ty::F64 => Operand::from(-2.5f64),
                Ty::Pred => Operand::Imm(1),
                _ => Operand::Imm(32),
            },
            Kind::Use(t) | Kind::UseAny(t) | Kind::UseReg(t) | Kind::UseWide(t) => {
                Operand::Reg(written(b, ty(t).reg()))
            }
            Kind::UsePred => Operand::Reg(written(b, RegTy::Pred)),
            Kind::DefList => Operand::Vec(RegList::from_slice(&[b.reg(RegTy::F32)])),
            Kind::UseList => Operand::Vec(RegList::from_slice(&[written(b, RegTy::F32)])),
            Kind::DefRegs(t, n) => Operand::Vec((0..n).map(|_| b.reg(ty(t).reg())).collect()),
            Kind::UseRegs(t, n) => Operand::Vec((0..n).map(|_| written(b, ty(t).reg())).collect()),
            Kind::Const(low, high) => Operand::Imm(if imm { high } else { low }),
            Kind::OneOf(list) => Operand::Imm(list[usize::from(imm) * (list.len() - 1)]),
            Kind::Addr if inst.op == Op::St && inst.mods.space == Space::Param => {
                Operand::Addr(self.handed.into())
            }
            Kind::Addr => self.address(inst.mods.space),
            Kind::AddrIn(space) => self.address(space),
            Kind::Label => Operand::Label(b.new_block("")),
            Kind::Func => Operand::Func(self.callee),
        }
    }

    fn address(&self, space: Space) -> Operand {
        Operand::Addr(match space {
            Space::Generic | Space::Global => (self.pointer, 32).into(),
            Space::Shared => (self.shared, 16).into(),
            Space::Local => self.local.into(),
            Space::Const => self.constant.into(),
            Space::Param => self.param.into(),
        })
    }

    fn list(&self, inst: &Inst, mut reg: impl FnMut(usize) -> Reg) -> Operand {
        match inst.mods.vec.len() {
            1 => Operand::Reg(reg(0)),
            n => Operand::Vec((0..n).map(reg).collect()),
        }
    }
}

/// A register of a type that has been written.
fn written(b: &mut FuncBuilder<'_>, ty: RegTy) -> Reg {
    match ty {
        RegTy::Pred => {
            let n = b.special(Special::NtidX);
            b.setp(Cmp::Eq, Ty::S32, n, 64)
        }
        RegTy::F32 => b.mov(Ty::F32, 1.0f32),
        RegTy::F64 => b.mov(Ty::F64, 1.0f64),
        other => b.mov(other.ty(), 7),
    }
}

fn new_module(arch: Arch) -> (Module, FuncId, Stock) {
    let mut module = Module::new(arch);
    let callee = module.add_device_function("twice");
    let f = &mut module.funcs[callee];
    let arg = f.add_arg(RegTy::F32);
    let mut b = FuncBuilder::new(f);
    let sum = b.add(Ty::F32, arg, arg);
    b.ret();
    f.result = Some(sum);
    let constant = module.add_var(Var::array("lut", Space::Const, Ty::B8, 64).aligned(16));
    let id = module.add_kernel("every");
    let kernel = &mut module.funcs[id];
    let pointer = kernel.add_param(Param::global_pointer("data", 16));
    let param = kernel.add_param(Param {
        len: Some(64),
        align: 16,
        ..Param::scalar("block", Ty::B8)
    });
    let shared = kernel.add_var(Var::array("tile", Space::Shared, Ty::B8, 64).aligned(16));
    let handed = kernel.add_var(Var::array("handed", Space::Param, Ty::B8, 64).aligned(16));
    let local = kernel.add_var(Var::array("spill", Space::Local, Ty::B8, 64).aligned(16));
    let mut b = FuncBuilder::new(kernel);
    let pointer = b.ld_param(Ty::U64, pointer);
    let stock = Stock {
        param,
        pointer,
        shared,
        local,
        handed,
        constant,
        callee,
    };
    (module, id, stock)
}

/// A kernel with every setting of every form that the architecture has.
fn everything(arch: Arch) -> (Module, usize) {
    let (mut module, id, stock) = new_module(arch);
    let mut count = 0;
    let mut b = FuncBuilder::new(&mut module.funcs[id]);
    let pred = written(&mut b, RegTy::Pred);
    for &op in Op::ALL {
        let forms = form::forms(op);
        assert!(!forms.is_empty(), "{op:?} has no forms");
        for form in forms {
            for (mods, tys) in settings(form) {
                for imm in [false, true] {
                    let mut inst = Inst::with_types(op, mods, &tys, []);
                    if inst_since(&inst, form) > arch.sm {
                        continue;
                    }
                    let operands: Operands = form
                        .operands
                        .iter()
                        .map(|kind| stock.operand(&mut b, &inst, *kind, imm))
                        .collect();
                    inst.operands = operands;
                    count += 1;
                    let next = match &inst.operands[..] {
                        [Operand::Label(next)] => Some(*next),
                        _ => None,
                    };
                    if op.is_terminator() || op == Op::Trap {
                        inst.guard = Some(Guard {
                            reg: pred,
                            negated: imm,
                        });
                    }
                    b.emit(inst);
                    if let Some(next) = next {
                        b.bra(next);
                        b.switch_to(next);
                    }
                }
            }
        }
    }
    b.ret();
    module.fit_version();
    (module, count)
}

fn inst_since(inst: &Inst, form: &Form) -> u16 {
    let mut with_shape = inst.clone();
    with_shape.operands.clear();
    let by_suffixes = with_shape.since().map_or(0, |s| s.0);
    form.sm.max(by_suffixes)
}

fn show(findings: &[Finding]) -> String {
    let lines: Vec<String> = findings.iter().map(Finding::to_string).collect();
    lines.join("\n")
}

#[test]
fn every_form_passes_the_checker() {
    for sm in [70, 75, 80, 86, 89, 90, 100, 120] {
        let (module, count) = everything(Arch::sm(sm));
        let findings = check(&module);
        assert!(findings.is_empty(), "sm_{sm}:\n{}", show(&findings));
        assert!(count > 900, "only {count} instructions for sm_{sm}");
    }
}

#[test]
fn every_form_is_refused_below_its_architecture() {
    for &op in Op::ALL {
        for form in form::forms(op) {
            for sm in [70, 75, 80, 86, 89, 90] {
                if form.sm <= sm {
                    continue;
                }
                let (mut module, id, stock) = new_module(Arch::sm(sm));
                let (mods, tys) = settings(form)[0];
                let mut b = FuncBuilder::new(&mut module.funcs[id]);
                let mut inst = Inst::with_types(op, mods, &tys, []);
                inst.operands = form
                    .operands
                    .iter()
                    .map(|kind| stock.operand(&mut b, &inst, *kind, false))
                    .collect();
                b.emit(inst);
                b.ret();
                let text = show(&check(&module));
                let expected = format!("expected target sm_{} or later", form.sm);
                assert!(text.contains(&expected), "{op:?} on sm_{sm}: {text}");
            }
        }
    }
}

#[test]
fn every_form_assembles() {
    let Some(ptxas) = Ptxas::find() else {
        terrace_lit::feature::skip("ptxas", "assembling the table");
        return;
    };
    for sm in [70, 75, 80, 86, 89, 90, 100, 120] {
        let arch = Arch::sm(sm);
        let (module, count) = everything(arch);
        let text = print(&module);
        let name = arch.to_string();
        // Machine code for three of them, which is slow; the others only read.
        let result = match sm {
            80 | 90 | 100 => ptxas
                .assemble_unoptimised(&text, &name)
                .map(|resources| assert_eq!(resources.len(), 1)),
            _ => ptxas.parse(&text, &name),
        };
        match result {
            Ok(()) => eprintln!("{arch}: {count} instructions accepted"),
            Err(error @ PtxasError::Arch { .. }) => eprintln!("skipped {arch}: {error}"),
            Err(error) => panic!("{arch}: {error}\n{}", quoted(&text, &error.to_string())),
        }
    }
}

/// The lines of the text that messages of the form `file, line N;` name.
fn quoted(text: &str, messages: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::new();
    for message in messages.lines() {
        let number = message
            .split(", line ")
            .nth(1)
            .and_then(|rest| rest.split(';').next())
            .and_then(|n| n.trim().parse::<usize>().ok());
        if let Some(line) = number.and_then(|n| lines.get(n.wrapping_sub(1))) {
            out.push_str(&format!("{}   <- {message}\n", line.trim()));
        }
    }
    out
}

#[test]
fn fields_have_distinct_spellings_within_a_form() {
    // A parser reads suffixes in order; two spellings of one optional slot
    // must differ, and no slot may follow itself.
    for &op in Op::ALL {
        for form in form::forms(op) {
            let mut seen: Vec<Field> = Vec::new();
            for slot in form.slots {
                if let Slot::Opt(field, mask) | Slot::Req(field, mask) = *slot {
                    assert!(!seen.contains(&field), "{op:?} has {field:?} twice");
                    assert_ne!(mask, 0);
                    assert_eq!(mask & 1, 0, "{op:?}: the absent value in a mask");
                    seen.push(field);
                }
            }
        }
    }
}

#[test]
fn an_address_prints_its_base_and_offset() {
    let (mut module, id, stock) = new_module(Arch::sm(90));
    let mut b = FuncBuilder::new(&mut module.funcs[id]);
    let address = Address {
        base: Base::Reg(stock.pointer),
        offset: -16,
    };
    b.ld_global(Ty::F32, address);
    b.ret();
    let text = print(&module);
    assert!(text.contains("ld.global.f32 %f1, [%rd1+-16];"), "{text}");
}
