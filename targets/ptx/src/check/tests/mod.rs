//! One test a rule: what is found, where, and what would be right.

mod collective;
mod flow;
mod limits;
mod operands;

use super::*;
use crate::ids::Reg;
use crate::inst::{Guard, Inst};
use crate::machine::Arch;
use crate::modifiers::{AtomOp, Cmp, Mods, Rnd, Scope, Space, VecLen};
use crate::module::{FuncKind, Init, Param, Var};
use crate::op::Op;
use crate::operand::{Operand, RegList, Special, Sym};
use crate::types::{RegTy, Ty};
use crate::{FuncBuilder, Loc};

/// The findings on a kernel for sm_90 with a pointer parameter `p`, aligned to
/// 16 bytes, and a shared array `tile` of 64 bytes.
fn findings_on(build: impl FnOnce(&mut FuncBuilder<'_>)) -> Vec<String> {
    let mut module = Module::new(Arch::sm(90));
    let id = module.add_kernel("k");
    let f = &mut module.funcs[id];
    f.add_param(Param::global_pointer("p", 16));
    f.add_var(Var::array("tile", Space::Shared, Ty::B8, 64).aligned(16));
    build(&mut FuncBuilder::new(f));
    texts(&module)
}

fn texts(module: &Module) -> Vec<String> {
    check(module).iter().map(Finding::to_string).collect()
}

const P: Sym = Sym::Param(0);
const TILE: Sym = Sym::Local(0);

#[track_caller]
fn only(findings: &[String], expected: &str) {
    assert_eq!(findings, [expected], "\n{}", findings.join("\n"));
}

#[test]
fn all_findings_are_reported_and_errors_told_from_warnings() {
    let mut module = Module::new(Arch::sm(90));
    let id = module.add_kernel("k");
    let mut b = FuncBuilder::new(&mut module.funcs[id]);
    let x = b.reg(RegTy::F32);
    b.add(Ty::S32, x, 1);
    let mut wrong = Inst::new(Op::Not, Mods::default(), Ty::F32, []);
    wrong.guard = Some(Guard {
        reg: x,
        negated: true,
    });
    b.emit(wrong);
    let rules: Vec<Rule> = check(&module).iter().map(|f| f.rule).collect();
    assert_eq!(
        rules,
        [
            Rule::OperandType,
            Rule::OperandType,
            Rule::Form,
            Rule::BlockEnd,
            Rule::Undefined
        ]
    );
    assert_eq!(errors(&module).map(|e| e.lines().count()), Some(5));
    assert_eq!(errors(&Module::new(Arch::sm(90))), None);
}
