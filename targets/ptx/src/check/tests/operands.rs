//! Forms, operands, addresses, architecture, calls.

use super::*;

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
    b.fence(crate::modifiers::Sem::AcqRel, Scope::Cluster);
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
        f[0].contains("arguments or results both in registers and in .param"),
        "{}",
        f[0]
    );
    assert!(
        f[1].contains("a predicate, or no register, as argument"),
        "{}",
        f[1]
    );
}
