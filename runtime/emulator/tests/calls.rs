//! Device functions as nvcc and clang call them: arguments and results in `.param`
//! space, structures by value, pointers to local memory.

mod common;

use common::{Device, clean};
use terrace_emulator::{Config, Launch, Memory, Module, launch};
use terrace_ptx::parse::parse;
use terrace_ptx::print;

/// What `tests/Inputs/calls.cu` computes for element `i`.
fn expected(i: i32, n: i32, x: &[f32]) -> (Option<f32>, Option<f64>) {
    if i >= n {
        return (None, None);
    }
    let axpy = |a: f32, i: i32| x[i as usize].mul_add(a, 1.0);
    let mut v = axpy(2.0, i);
    if i & 1 == 1 {
        v += axpy(v, i / 2);
    }
    let mut c = [i, i + 1, i + 2];
    c[(i % 3) as usize] = i;
    let sum = f64::from(v + i as f32) + f64::from(i) + c.map(f64::from).iter().sum::<f64>();
    // The order of the sum does not matter: nothing is lost.
    let narrow = match i % 5 {
        0 => (i >> 1) as i8,
        _ => i as i8,
    };
    let stored = (i % 3 != 0).then_some(v);
    (stored, Some(sum + f64::from(narrow)))
}

#[test]
fn what_nvcc_does_not_inline() {
    let source = include_str!("Inputs/calls.ptx");
    let printed = print(&parse(source).expect("nvcc writes PTX").module);
    assert_eq!(print(&parse(&printed).expect("we do too").module), printed);
    for text in [source, &printed] {
        let memory = Memory::new(1 << 30);
        let module = Module::load(&memory, text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let n = 300i32;
        let x: Vec<f32> = (0..n).map(|i| (i % 32) as f32 * 0.25).collect();
        let bytes: Vec<u8> = x.iter().flat_map(|v| v.to_le_bytes()).collect();
        let [px, py, pz] = [4, 4, 8].map(|b| memory.alloc(b * 320).unwrap());
        memory.write(px, &bytes).unwrap();
        memory.fill(py, &[0xff], 4 * 320).unwrap();
        memory.fill(pz, &[0xff], 8 * 320).unwrap();
        let mut params: Vec<u8> = [py, pz, px].iter().flat_map(|p| p.to_le_bytes()).collect();
        params.extend(n.to_le_bytes());
        let run = Launch {
            kernel: module.kernel("calls").expect("it is there"),
            config: Config {
                grid: [5, 1, 1],
                block: [64, 1, 1],
                shared_bytes: 0,
            },
            params: &params,
        };
        let outcome = launch(&memory, &run, &Default::default()).unwrap();
        clean(&outcome);
        let (mut y, mut z) = (vec![0; 4 * 320], vec![0; 8 * 320]);
        memory.read(py, &mut y).unwrap();
        memory.read(pz, &mut z).unwrap();
        for i in 0..320usize {
            let (stored, sum) = expected(i as i32, n, &x);
            let bits = u32::from_le_bytes(y[4 * i..4 * i + 4].try_into().unwrap());
            assert_eq!(bits, stored.map_or(u32::MAX, f32::to_bits), "y[{i}]");
            let bits = u64::from_le_bytes(z[8 * i..8 * i + 8].try_into().unwrap());
            assert_eq!(bits, sum.map_or(u64::MAX, f64::to_bits), "z[{i}]");
        }
    }
}

/// A function declared before, with arrays of bytes and addresses of parameters as
/// clang writes them, and a function that calls another.
const NESTED: &str = ".version 7.8\n.target sm_80\n.address_size 64\n
.func (.param .b32 func_retval0) outer(.param .align 4 .b8 outer_param_0[8], .param .b32 outer_param_1);
.func (.param .b32 func_retval0) inner(.param .b32 inner_param_0)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [inner_param_0]; mul.lo.s32 %r2, %r1, 10; st.param.b32 [func_retval0], %r2; ret;
}
.visible .entry k(.param .u64 p0)
{
  .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
  setp.lt.u32 %p1, %r1, 20; @%p1 bra $L_first;
  { .param .b32 param0; .param .b32 retval0; st.param.b32 [param0], %r1;
    call.uni (retval0), inner, (param0); ld.param.b32 %r2, [retval0]; }
  bra.uni $L_done;
$L_first:
  { .param .align 4 .b8 param0[8]; .param .b32 param1; .param .b32 retval0;
    st.param.v2.b32 [param0], {%r1, %r1}; st.param.b32 [param1+0], 7;
    call.uni (retval0), outer, (param0, param1); ld.param.b32 %r2, [retval0+0]; }
$L_done:
  st.global.u32 [%rd3], %r2; ret;
}
.func (.param .b32 func_retval0) outer(.param .align 4 .b8 outer_param_0[8], .param .b32 outer_param_1)
{
  .reg .b32 %r<7>; .reg .b64 %rd<2>;
  mov.b64 %rd1, outer_param_0; ld.param.b32 %r1, [%rd1+4]; ld.param.b32 %r2, [outer_param_1];
  { .param .b32 param0; st.param.b32 [param0], %r1; .param .b32 retval0;
    call.uni (retval0), inner, (param0); ld.param.b32 %r3, [retval0]; }
  add.s32 %r4, %r3, %r2; st.param.b32 [func_retval0], %r4; ret;
}
";

#[test]
fn functions_that_call_functions_by_both_ways_of_a_branch() {
    let device = Device::new(NESTED);
    let out = device.u32s(&[0; 64]);
    clean(&device.run(1, 64, &[out]));
    let expected: Vec<u32> = (0..64)
        .map(|i| if i < 20 { 10 * i + 7 } else { 10 * i })
        .collect();
    assert_eq!(device.read_u32s(out, 64), expected);
}

#[test]
fn calls_whose_lists_do_not_fit() {
    let memory = Memory::new(1 << 20);
    let load = |text: &str| match Module::load(&memory, text) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    assert_eq!(load(NESTED), "");
    let few = load(&NESTED.replace("outer, (param0, param1)", "outer, (param0)"));
    assert!(few.contains("`outer` takes 2 arguments, found 1"), "{few}");
    let size = load(&NESTED.replace(
        ".param .b32 param1; .param .b32 retval0",
        ".param .b64 param1; .param .b32 retval0",
    ));
    assert!(
        size.contains("a variable of 8 bytes in a call's list, where 4 are wanted"),
        "{size}"
    );
    let register = load(&NESTED.replace(
        "inner, (param0); ld.param.b32 %r3",
        "inner, (%r1); ld.param.b32 %r3",
    ));
    assert!(register.contains("not in the same space"), "{register}");
    let mixed = load(&NESTED.replace("outer, (param0, param1)", "outer, (param0, %r1)"));
    assert!(
        mixed.contains("`%r1` is no variable in `.param` space"),
        "{mixed}"
    );
}
