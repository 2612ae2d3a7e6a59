//! One test a rule: what is found, where, and what would be right.

use super::*;
use crate::machine::Arch;
use crate::ptx::ids::Reg;
use crate::ptx::inst::{Guard, Inst};
use crate::ptx::modifiers::{AtomOp, Cmp, Mods, Rnd, Scope, Space, VecLen};
use crate::ptx::module::{FuncKind, Init, Param, Var};
use crate::ptx::op::Op;
use crate::ptx::operand::{Operand, RegList, Special, Sym};
use crate::ptx::types::{RegTy, Ty};
use crate::ptx::{FuncBuilder, Loc};

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
fn modifiers_an_opcode_does_not_have() {
    let f = findings_on(|b| {
        let x = b.mov(Ty::F32, 1.0f32);
        let mods = Mods {
            rnd: Rnd::Rni,
            ..Mods::default()
        };
        b.value(Op::Add, mods, &[Ty::F32], [x.into(), x.into()]);
        b.ret();
    });
    only(
        &f,
        "error[form] in k, block 0, instruction 1 `add.rni.f32 %f2, %f1, %f1`: found modifier \
         .rni on add; expected one of .rn, .rz, .rm, .rp",
    );
}

#[test]
fn a_missing_modifier_a_foreign_one_and_a_wrong_type() {
    let f = findings_on(|b| {
        let x = b.mov(Ty::B32, 1);
        b.value(Op::Mul, Mods::default(), &[Ty::S32], [x.into(), x.into()]);
        let mods = Mods {
            space: Space::Global,
            ..Mods::default()
        };
        b.value(Op::And, mods, &[Ty::B32], [x.into(), x.into()]);
        b.value(Op::And, Mods::default(), &[Ty::S32], [x.into(), x.into()]);
        b.ret();
    });
    assert_eq!(f.len(), 3, "{f:#?}");
    assert!(
        f[0].ends_with("found no Half modifier on mul; expected one of .lo, .hi"),
        "{}",
        f[0]
    );
    assert!(
        f[1].ends_with("found modifier .global on and; expected no Space modifier here"),
        "{}",
        f[1]
    );
    assert!(
        f[2].ends_with(
            "found type .s32 at type position 1 on and; expected one of .pred .b16 .b32 .b64"
        ),
        "{}",
        f[2]
    );
}

#[test]
fn operands_of_the_wrong_kind_or_number() {
    let f = findings_on(|b| {
        let x = b.mov(Ty::B32, 1);
        b.add(Ty::S32, x, Special::TidX);
        b.value(Op::Add, Mods::default(), &[Ty::S32], [x.into()]);
        b.ret();
    });
    assert_eq!(f.len(), 2, "{f:#?}");
    assert!(
        f[0].ends_with(
            "found a special register as operand 3; expected a register or an immediate"
        ),
        "{}",
        f[0]
    );
    assert!(f[1].ends_with("found 2 operands; expected 3"), "{}", f[1]);
}

#[test]
fn a_register_of_the_wrong_type() {
    let f = findings_on(|b| {
        b.set_loc(Loc {
            file: 1,
            line: 12,
            column: 3,
        });
        let x = b.mov(Ty::F32, 1.0f32);
        let y = b.mov(Ty::B64, 1);
        b.add(Ty::S32, x, y);
        b.ret();
    });
    assert_eq!(f.len(), 2, "{f:#?}");
    assert_eq!(
        f[0],
        "error[type] in k, block 0, instruction 2 (file 1, line 12:3) `add.s32 %r1, %f1, %rd1`: \
         found a .f32 register as operand 2 of type .s32; expected a register of type .b32"
    );
    assert!(
        f[1].contains("found a .b64 register as operand 3"),
        "{}",
        f[1]
    );
}

#[test]
fn a_guard_that_is_no_predicate() {
    let f = findings_on(|b| {
        let x = b.mov(Ty::B32, 1);
        b.guarded(x, false, |b| b.mov(Ty::B32, 2));
        b.ret();
    });
    assert_eq!(f.len(), 1, "{f:#?}");
    assert!(
        f[0].ends_with(
            "found a .b32 register as guard of type .pred; expected a register of type .pred"
        ),
        "{}",
        f[0]
    );
}

#[test]
fn immediates_that_do_not_fit() {
    let f = findings_on(|b| {
        let x = b.mov(Ty::S16, 40_000);
        b.add(Ty::U16, x, 40_000);
        b.mov(Ty::U32, -5);
        b.mov(Ty::F32, 1);
        b.mov(Ty::F64, 1.0f32);
        b.mov(Ty::S32, 1.0f64);
        b.bar_sync(16);
        b.ret();
    });
    let expected = [
        "found integer 40000 as operand 2 of type .s16; expected a value that fits 16 bits",
        "found integer 1 as operand 2 of type .f32; expected a single-precision immediate",
        "found a single-precision immediate as operand 2 of type .f64; expected one of type .f64",
        "found a double-precision immediate as operand 2 of type .s32; expected one of type .s32",
        "found 16 as operand 1; expected 0 to 15",
    ];
    assert_eq!(f.len(), expected.len(), "{f:#?}");
    for (f, e) in f.iter().zip(expected) {
        assert!(f.starts_with("error[immediate]") && f.ends_with(e), "{f}");
    }
}

#[test]
fn special_registers_and_symbols_in_wrong_widths() {
    let f = findings_on(|b| {
        b.mov(Ty::U64, Special::TidX);
        b.mov(Ty::U16, TILE);
        b.ret();
    });
    assert_eq!(f.len(), 2, "{f:#?}");
    assert!(
        f[0].ends_with(
            "found %tid.x, which is .u32, as operand 2 of type .u64; expected type .u32"
        ),
        "{}",
        f[0]
    );
    assert!(
        f[1].contains("found an address as operand 2 of type .u16"),
        "{}",
        f[1]
    );
    let mut module = Module::new(Arch::sm(90));
    let table = module.add_var(Var::array("t", Space::Global, Ty::F32, 4));
    let id = module.add_kernel("k");
    let mut b = FuncBuilder::new(&mut module.funcs[id]);
    b.mov(Ty::U32, table);
    b.ret();
    let f = texts(&module);
    assert!(
        f[0].contains("found a 64-bit address as operand 2 of type .u32"),
        "{}",
        f[0]
    );
}

#[test]
fn an_address_in_the_wrong_space() {
    let f = findings_on(|b| {
        b.ld_global(Ty::F32, TILE);
        let narrow = b.mov(Ty::U32, TILE);
        b.ld_global(Ty::F32, narrow);
        let float = b.mov(Ty::F64, 0.0f64);
        b.ld_shared(Ty::F32, float);
        b.ret();
    });
    assert_eq!(f.len(), 3, "{f:#?}");
    assert_eq!(
        f[0],
        "error[space] in k, block 0, instruction 0 `ld.global.f32 %f1, [tile]`: found an address \
         in .shared for this access; expected an address in .global"
    );
    assert!(
        f[1].ends_with("found a .b32 register as address; expected a .b64 register"),
        "{}",
        f[1]
    );
    assert!(
        f[2].ends_with("found a .f64 register as address; expected a .b32 or .b64 register"),
        "{}",
        f[2]
    );
}

#[test]
fn an_access_outside_its_symbol() {
    let f = findings_on(|b| {
        b.ld_shared(Ty::F32, (TILE, 64));
        b.ld_param(Ty::U64, (P, -8));
        b.ret();
    });
    assert_eq!(f.len(), 2, "{f:#?}");
    assert!(
        f[0].ends_with(
            "found an access to bytes 64 to 68 of a symbol of 64 bytes; expected an access within \
             0 to 64"
        ),
        "{}",
        f[0]
    );
    assert!(f[1].contains("bytes -8 to 0"), "{}", f[1]);
}

#[test]
fn things_that_do_not_exist() {
    let f = findings_on(|b| {
        let x = b.mov(Ty::B32, 1);
        b.add(Ty::S32, x, Reg::from_index(99));
        b.ld_param(Ty::U32, Sym::Param(7));
        b.mov(Ty::U64, Sym::Global(3));
        b.call(FuncId::from_index(9), &[], None);
        b.bra(BlockId::from_index(42));
    });
    assert_eq!(f.len(), 5, "{f:#?}");
    assert!(
        f[0].contains("found register 99 as operand 3, which the function lacks"),
        "{}",
        f[0]
    );
    assert!(
        f[1].contains("found Param(7), which does not exist"),
        "{}",
        f[1]
    );
    assert!(
        f[2].contains("found Global(3), which does not exist"),
        "{}",
        f[2]
    );
    assert!(
        f[3].contains("a call of a function that the module lacks"),
        "{}",
        f[3]
    );
    assert!(
        f[4].contains("a branch to block 42, which is not laid out"),
        "{}",
        f[4]
    );
    let mut module = Module::new(Arch::sm(90));
    let id = module.add_kernel("k");
    module.funcs[id].layout.push(BlockId::from_index(5));
    let f = texts(&module);
    assert!(
        f.iter()
            .any(|f| f.contains("block 5 in the layout, which does not exist")),
        "{f:#?}"
    );
    let block = module.funcs[id].new_block("b");
    module.funcs[id].blocks[block]
        .insts
        .push(InstId::from_index(8));
    let f = texts(&module);
    assert!(
        f.iter().any(|f| f.contains("found no such instruction")),
        "{f:#?}"
    );
}

#[test]
fn a_use_before_the_definition_on_one_path() {
    let f = findings_on(|b| {
        let x = b.named_reg(RegTy::B32, "x");
        let n = b.special(Special::NtidX);
        let p = b.setp(Cmp::Eq, Ty::U32, n, 1);
        let [set, join] = ["set", "join"].map(|name| b.new_block(name));
        b.cond_bra(p, set, join);
        b.switch_to(set);
        b.mov_to(x, Ty::U32, 1);
        b.bra(join);
        b.switch_to(join);
        b.add(Ty::U32, x, 1);
        b.add(Ty::U32, x, 2);
        b.ret();
    });
    only(
        &f,
        "error[undefined] in k, block 2, instruction 0 `add.u32 %r2, %x_1, 1`: found a use of \
         register 0 (x), which is not written on every path to here; expected a write before the \
         use on every path",
    );
}

#[test]
fn definitions_under_complementary_or_the_same_guard_count() {
    let f = findings_on(|b| {
        let [x, y] = [RegTy::B32; 2].map(|ty| b.reg(ty));
        let n = b.special(Special::NtidX);
        let p = b.setp(Cmp::Eq, Ty::U32, n, 1);
        b.guarded(p, false, |b| b.mov_to(x, Ty::U32, 1));
        b.guarded(p, true, |b| b.mov_to(x, Ty::U32, 2));
        b.add(Ty::U32, x, 1);
        b.guarded(p, false, |b| b.mov_to(y, Ty::U32, 1));
        b.guarded(p, false, |b| b.add(Ty::U32, y, 1));
        b.ret();
    });
    assert!(f.is_empty(), "{f:#?}");
    let f = findings_on(|b| {
        let y = b.reg(RegTy::B32);
        let n = b.special(Special::NtidX);
        let p = b.setp(Cmp::Eq, Ty::U32, n, 1);
        b.guarded(p, false, |b| b.mov_to(y, Ty::U32, 1));
        // The predicate changes in between, so the write proves nothing.
        b.value_to(p, Op::Setp, cmp(Cmp::Ne), &[Ty::U32], [n.into(), 3.into()]);
        b.guarded(p, false, |b| b.add(Ty::U32, y, 1));
        b.ret();
    });
    assert_eq!(f.len(), 1, "{f:#?}");
    assert!(f[0].starts_with("error[undefined]"), "{}", f[0]);
}

fn cmp(cmp: Cmp) -> Mods {
    Mods {
        cmp,
        ..Mods::default()
    }
}

#[test]
fn a_loop_variable_is_defined_around_the_loop() {
    let f = findings_on(|b| {
        let i = b.reg(RegTy::B32);
        b.mov_to(i, Ty::S32, 0);
        let [head, end] = ["head", "end"].map(|name| b.new_block(name));
        b.bra(head);
        b.switch_to(head);
        b.add_to(i, Ty::S32, i, 1);
        let p = b.setp(Cmp::Lt, Ty::S32, i, 10);
        b.cond_bra(p, head, end);
        b.switch_to(end);
        b.add(Ty::S32, i, 1);
        b.ret();
    });
    assert!(f.is_empty(), "{f:#?}");
}

#[test]
fn a_result_that_is_not_written() {
    let mut module = Module::new(Arch::sm(90));
    let id = module.add_device_function("f");
    let f = &mut module.funcs[id];
    f.result = Some(f.new_reg(RegTy::B32));
    FuncBuilder::new(f).ret();
    only(
        &texts(&module),
        "error[undefined] in f: found a return without the result register written; expected a \
         write of the result on every path to ret",
    );
}

#[test]
fn blocks_that_do_not_end_as_they_must() {
    let f = findings_on(|b| {
        b.mov(Ty::B32, 1);
    });
    only(
        &f,
        "error[block-end] in k, block 0, instruction 0 `mov.b32 %r1, 1`: found no terminator at \
         the end of block 0; expected an unguarded bra, ret or exit",
    );
    let f = findings_on(|b| {
        b.ret();
        b.mov(Ty::B32, 1);
    });
    only(
        &f,
        "error[block-end] in k, block 0, instruction 1 `mov.b32 %r1, 1`: found an instruction \
         after the end of its block; expected no more instructions",
    );
    let f = findings_on(|b| {
        let n = b.special(Special::NtidX);
        let p = b.setp(Cmp::Eq, Ty::U32, n, 1);
        let end = b.new_block("end");
        b.guarded(p, false, |b| b.bra(end));
        b.mov(Ty::B32, 1);
        b.bra(end);
        b.switch_to(end);
        b.ret();
    });
    assert_eq!(f.len(), 1, "{f:#?}");
    assert!(
        f[0].contains("found an instruction after a conditional branch"),
        "{}",
        f[0]
    );
    let mut module = Module::new(Arch::sm(90));
    let id = module.add_kernel("k");
    assert!(texts(&module)[0].contains("found no blocks"));
    let mut b = FuncBuilder::new(&mut module.funcs[id]);
    b.ret();
    let block = b.block();
    module.funcs[id].layout.push(block);
    assert!(texts(&module)[0].contains("found block 0 laid out twice"));
}

#[test]
fn a_vector_access_that_cannot_be_aligned() {
    let f = findings_on(|b| {
        let p = b.ld_param(Ty::U64, P);
        let i = b.special(Special::TidX);
        let q = b.mad_wide(Ty::U32, i, 16, p);
        let mods = Mods {
            space: Space::Global,
            ..Mods::default()
        };
        b.ld_vec(mods, Ty::F32, 4, (q, 32));
        b.ld_vec(mods, Ty::F32, 4, (q, 8));
        b.ret();
    });
    assert_eq!(f.len(), 1, "{f:#?}");
    assert!(
        f[0].contains("instruction 4 `ld.global.v4.f32 {%f5, %f6, %f7, %f8}, [%rd2+8]`")
            && f[0].ends_with(
                "found an address that is 8 modulo 16 for an access of 16 bytes; expected a \
                 multiple of 16"
            ),
        "{}",
        f[0]
    );
}

#[test]
fn vectors_too_wide_or_with_the_wrong_number_of_registers() {
    let f = findings_on(|b| {
        let p = b.ld_param(Ty::U64, P);
        let mods = Mods {
            space: Space::Global,
            ..Mods::default()
        };
        b.ld_vec(mods, Ty::F64, 4, p);
        let x = b.mov(Ty::F32, 1.0f32);
        b.st_vec(mods, Ty::F32, p, &[x, x, x]);
        let v2 = Mods {
            vec: VecLen::V2,
            ..mods
        };
        let list = Operand::Vec(RegList::from_slice(&[x, x, x]));
        b.effect(Op::St, v2, &[Ty::F32], [Operand::Addr(p.into()), list]);
        b.ret();
    });
    assert_eq!(f.len(), 3, "{f:#?}");
    assert!(
        f[0].contains("found an access of 32 bytes; expected at most 16 bytes"),
        "{}",
        f[0]
    );
    assert!(
        f[1].ends_with("found a register list of 3 as operand 2; expected one register"),
        "{}",
        f[1]
    );
    assert!(
        f[2].ends_with("expected a list of 2 registers, as the vector modifier says"),
        "{}",
        f[2]
    );
}

#[test]
fn packs_of_the_wrong_number_of_parts() {
    let f = findings_on(|b| {
        let x = b.mov(Ty::B32, 1);
        b.pack(Ty::B64, &[x, x, x]);
        b.pack(Ty::B32, &[x, x]);
        b.ret();
    });
    assert!(
        f[0].ends_with("found 3 parts as operand 2; expected two or four parts of 16 or 32 bits"),
        "{}",
        f[0]
    );
    assert!(
        f[1].contains("a .b32 register as operand 2 of type .b16"),
        "{}",
        f[1]
    );
}

#[test]
fn features_below_their_architecture_or_version() {
    let mut module = Module::new(Arch::sm(75));
    let id = module.add_kernel("k");
    let mut b = FuncBuilder::new(&mut module.funcs[id]);
    let x = b.mov(Ty::B16, 1);
    b.fma(Ty::Bf16, x, x, x);
    let y = b.mov(Ty::F32, 1.0f32);
    b.tanh_approx(Ty::F32, y);
    b.fence(crate::ptx::modifiers::Sem::AcqRel, Scope::Cluster);
    b.ret();
    let f = texts(&module);
    assert_eq!(f.len(), 5, "{f:#?}");
    assert_eq!(
        f[0],
        "error[arch] in k, block 0, instruction 1 `fma.rn.bf16 %rs2, %rs1, %rs1, %rs1`: found \
         fma.bf16 in this form, for target sm_75; expected target sm_80 or later"
    );
    assert!(
        f[1].ends_with("in PTX 6.3; expected PTX 7.0 or later"),
        "{}",
        f[1]
    );
    assert!(
        f[2].contains("found tanh.f32 in this form, in PTX 6.3"),
        "{}",
        f[2]
    );
    assert!(
        f[3].ends_with("for target sm_75; expected target sm_90 or later"),
        "{}",
        f[3]
    );
    module.arch = Arch::sm(100);
    let f = texts(&module);
    assert!(
        f[0].ends_with("found PTX 6.3 for target sm_100; expected PTX 8.6 or later"),
        "{}",
        f[0]
    );
    module.fit_version();
    assert_eq!(texts(&module), Vec::<String>::new());
}

#[test]
fn parameters_shared_memory_and_bounds_over_the_limit() {
    let mut module = Module::new(Arch::sm(90));
    module.add_var(Var::array("big", Space::Const, Ty::F64, 9000));
    let id = module.add_kernel("k");
    let f = &mut module.funcs[id];
    f.add_param(Param {
        len: Some(5000),
        ..Param::scalar("block", Ty::B8)
    });
    f.add_var(Var::array("tile", Space::Shared, Ty::F32, 16000));
    f.bounds.max_threads = Some([2048, 1, 1]);
    f.bounds.min_blocks_per_sm = Some(40);
    f.bounds.max_registers = Some(300);
    f.bounds.required_threads = Some([32, 1, 1]);
    FuncBuilder::new(f).ret();
    let expected = [
        "error[limit]: found 72000 bytes of constant memory; expected at most 65536",
        "error[limit] in k: found 5000 bytes of parameters; expected at most 4352 in PTX 7.8 on \
         sm_90",
        "error[limit] in k: found 64000 bytes of static shared memory; expected at most 49152 \
         (232448 as dynamic shared memory on sm_90)",
        "error[limit] in k: found .maxntid 2048, 1, 1 (2048 threads); expected 1 to 1024 threads, \
         at most 1024, 1024, 64",
        "error[limit] in k: found 40 blocks of 2048 threads on one SM; expected at most 2048 \
         threads on one SM",
        "error[limit] in k: found .minnctapersm 40; expected 1 to 32",
        "error[limit] in k: found .maxnreg 300; expected 1 to 255",
        "error[limit] in k: found .maxntid and .reqntid together; expected one of them",
    ];
    assert_eq!(texts(&module), expected);
    module.version = (8, 1);
    assert!(
        texts(&module)
            .iter()
            .all(|f| !f.contains("bytes of parameters"))
    );
}

#[test]
fn variables_that_cannot_be() {
    let mut module = Module::new(Arch::sm(90));
    let odd = Var::array("odd", Space::Global, Ty::F32, 4).aligned(12);
    let empty = Var::array("empty", Space::Global, Ty::F32, 0);
    let pred = Var::array("pred", Space::Global, Ty::Pred, 4);
    let param = Var::array("param", Space::Param, Ty::F32, 4);
    let endless = Var {
        len: None,
        ..Var::array("endless", Space::Global, Ty::F32, 4)
    };
    let local = Var::array("local", Space::Local, Ty::F32, 4);
    let init = |name: &str, space, ty, init| Var::array(name, space, ty, 2).with_init(init);
    let shared = init("shared", Space::Shared, Ty::S32, Init::Ints(vec![1]));
    let many = init("many", Space::Const, Ty::S32, Init::Ints(vec![1, 2, 3]));
    let large = init("large", Space::Const, Ty::U8, Init::Ints(vec![256]));
    let float = init("float", Space::Const, Ty::F64, Init::F32(vec![0]));
    for var in [
        odd, empty, pred, param, endless, local, shared, many, large, float,
    ] {
        module.add_var(var);
    }
    let found = texts(&module);
    let expected = [
        "alignment 12 of odd",
        "no elements in empty",
        "elements of type .pred in pred",
        "variable param in .param",
        "no length of endless",
        "local variable local at module scope",
        "initial values of shared in .shared",
        "3 initial values in many",
        "initial values in large that do not fit .u8",
        "initial values in float that do not fit .f64",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (f, e) in found.iter().zip(expected) {
        assert!(f.contains(e), "{f}");
    }
}

#[test]
fn variables_that_cannot_be_in_a_function() {
    let mut module = Module::new(Arch::sm(90));
    let id = module.add_kernel("k");
    let f = &mut module.funcs[id];
    f.add_var(Var::dynamic_shared("dyn", 16));
    f.add_var(Var::array("table", Space::Const, Ty::F32, 4));
    f.add_param(Param::scalar("flag", Ty::Pred));
    FuncBuilder::new(f).ret();
    let f = texts(&module);
    assert_eq!(f.len(), 3, "{f:#?}");
    assert!(
        f[0].contains("dynamic shared array dyn inside a function"),
        "{}",
        f[0]
    );
    assert!(
        f[1].contains("variable table in .const inside a function"),
        "{}",
        f[1]
    );
    assert!(f[2].contains("parameter flag of type .pred"), "{}", f[2]);
}

#[test]
fn names_that_ptx_does_not_allow() {
    let mut module = Module::new(Arch::sm(90));
    module.add_var(Var::array("a", Space::Global, Ty::F32, 1));
    let id = module.add_kernel("2d-kernel");
    let f = &mut module.funcs[id];
    f.add_param(Param::scalar("a", Ty::F32));
    FuncBuilder::new(f).ret();
    let f = texts(&module);
    assert_eq!(f.len(), 2, "{f:#?}");
    assert!(
        f[0].starts_with("error[name]: found the name '2d-kernel'"),
        "{}",
        f[0]
    );
    assert!(f[1].contains("found the name 'a' twice"), "{}", f[1]);
}

#[test]
fn calls_that_do_not_fit() {
    let mut module = Module::new(Arch::sm(90));
    let callee = module.add_device_function("f");
    let f = &mut module.funcs[callee];
    f.add_arg(RegTy::F32);
    FuncBuilder::new(f).ret();
    let id = module.add_kernel("k");
    let mut b = FuncBuilder::new(&mut module.funcs[id]);
    let x = b.mov(Ty::B32, 1);
    b.call(callee, &[x], Some(RegTy::B32));
    b.call(id, &[], None);
    b.ret();
    let f = texts(&module);
    assert_eq!(f.len(), 3, "{f:#?}");
    assert!(
        f[0].ends_with("found arguments (.b32) in a call of f; expected (.f32)"),
        "{}",
        f[0]
    );
    assert!(
        f[1].ends_with("found results (.b32) in a call of f; expected ()"),
        "{}",
        f[1]
    );
    assert!(
        f[2].ends_with("found a call of kernel k; expected a device function"),
        "{}",
        f[2]
    );
    let f = &mut module.funcs[callee];
    f.kind = FuncKind::Kernel;
    let f = texts(&module);
    assert!(
        f[0].contains("register arguments or a result on a kernel"),
        "{}",
        f[0]
    );
    let f = &mut module.funcs[callee];
    f.kind = FuncKind::Device;
    f.add_param(Param::scalar("n", Ty::U32));
    f.add_arg(RegTy::Pred);
    let f = texts(&module);
    assert!(
        f[0].contains("kernel parameters on a device function"),
        "{}",
        f[0]
    );
    assert!(
        f[1].contains("a predicate, or no register, as argument"),
        "{}",
        f[1]
    );
}

/// A barrier in a block that runs where `value < 16`.
fn barrier_where(value: impl FnOnce(&mut FuncBuilder<'_>) -> Reg) -> Vec<String> {
    findings_on(|b| {
        let v = value(b);
        let p = b.setp(Cmp::Lt, Ty::U32, v, 16);
        let [inner, end] = ["inner", "end"].map(|name| b.new_block(name));
        b.cond_bra(p, inner, end);
        b.switch_to(inner);
        b.bar_sync(0);
        b.bra(end);
        b.switch_to(end);
        // Here all threads are together again.
        b.bar_sync(0);
        b.ret();
    })
}

#[test]
fn a_barrier_under_a_branch_on_the_thread() {
    let f = barrier_where(|b| b.special(Special::TidX));
    only(
        &f,
        "error[divergent-barrier] in k, block 1, instruction 0 `bar.sync 0`: found a barrier \
         under a branch whose predicate depends on the thread; expected a barrier that all \
         threads of the block reach",
    );
    let f = barrier_where(|b| {
        let p = b.ld_param(Ty::U64, P);
        b.ld_global(Ty::U32, p)
    });
    assert_eq!(f.len(), 1, "{f:#?}");
    assert!(
        f[0].starts_with("warning[divergent-barrier] in k, block 1"),
        "{}",
        f[0]
    );
    let f = barrier_where(|b| b.special(Special::CtaidX));
    assert!(f.is_empty(), "{f:#?}");
    let f = barrier_where(|b| {
        let p = b.ld_param(Ty::U64, P);
        b.atom(Space::Global, AtomOp::Add, Ty::U32, p, 1)
    });
    assert!(f[0].starts_with("error[divergent-barrier]"), "{}", f[0]);
}

#[test]
fn a_barrier_under_a_guard_or_in_a_loop_that_threads_leave_at_different_times() {
    let f = findings_on(|b| {
        let tid = b.special(Special::TidX);
        let p = b.setp(Cmp::Lt, Ty::U32, tid, 16);
        b.guarded(p, false, |b| b.bar_sync(0));
        b.ret();
    });
    assert!(f[0].starts_with("error[divergent-barrier]"), "{}", f[0]);
    let loop_to = |limit: Special| {
        findings_on(|b| {
            let n = b.special(limit);
            let i = b.reg(RegTy::B32);
            b.mov_to(i, Ty::U32, 0);
            let [head, end] = ["head", "end"].map(|name| b.new_block(name));
            b.bra(head);
            b.switch_to(head);
            b.bar_sync(0);
            b.add_to(i, Ty::U32, i, 1);
            let p = b.setp(Cmp::Lt, Ty::U32, i, n);
            b.cond_bra(p, head, end);
            b.switch_to(end);
            b.ret();
        })
    };
    assert_eq!(loop_to(Special::TidX).len(), 1);
    assert!(loop_to(Special::NtidX).is_empty());
}

#[test]
fn a_register_written_on_divergent_ways_is_divergent() {
    // x is 1 or 2 depending on the thread, though each write is a constant.
    let f = barrier_where(|b| {
        let tid = b.special(Special::TidX);
        let p = b.setp(Cmp::Lt, Ty::U32, tid, 16);
        let x = b.reg(RegTy::B32);
        let [left, right, join] = ["left", "right", "join"].map(|name| b.new_block(name));
        b.cond_bra(p, left, right);
        b.switch_to(left);
        b.mov_to(x, Ty::U32, 1);
        b.bra(join);
        b.switch_to(right);
        b.mov_to(x, Ty::U32, 2);
        b.bra(join);
        b.switch_to(join);
        x
    });
    assert_eq!(f.len(), 1, "{f:#?}");
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
