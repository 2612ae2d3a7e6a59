//! Names, variables, parameters, launch bounds.

use super::*;

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
         at most 1024, 1024, 64 on sm_90",
        "error[limit] in k: found 40 blocks of 2048 threads on one SM; expected at most 2048 \
         threads on one SM of sm_90",
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
