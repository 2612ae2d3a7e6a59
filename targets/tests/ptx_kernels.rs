//! Kernels built by hand: their exact text, the checker's verdict, what the
//! cleanups make of them, and NVIDIA's assembler on the result.

use std::time::Instant;
use terrace_targets::machine::{Arch, names};
use terrace_targets::ptx::cleanup;
use terrace_targets::ptx::modifiers::{AtomOp, ReadOnly, VecLen, VoteMode};
use terrace_targets::ptx::operand::RegList;
use terrace_targets::ptx::ptxas::{Ptxas, PtxasError};
use terrace_targets::ptx::{
    Cmp, Finding, FuncBuilder, Init, Loc, Mods, Module, Param, RegTy, Space, Special, Ty, Var,
    check, print,
};

/// y[i] = a * x[i] + y[i]
fn saxpy(arch: Arch) -> Module {
    let mut module = Module::new(arch);
    let file = module.file("saxpy.c");
    let id = module.add_kernel("saxpy");
    let f = &mut module.funcs[id];
    f.bounds.max_threads = Some([256, 1, 1]);
    f.bounds.min_blocks_per_sm = Some(4);
    let n = f.add_param(Param::scalar("n", Ty::U32));
    let a = f.add_param(Param::scalar("a", Ty::F32));
    let x = f.add_param(Param::global_pointer("x", 16));
    let y = f.add_param(Param::global_pointer("y", 16));
    let mut b = FuncBuilder::new(f);
    let line = |line| Loc {
        file,
        line,
        column: 5,
    };
    b.set_loc(line(3));
    let tid = b.special(Special::TidX);
    let block = b.special(Special::CtaidX);
    let width = b.special(Special::NtidX);
    let i = b.mad(Ty::S32, block, width, tid);
    b.name(i, "i");
    let n = b.ld_param(Ty::U32, n);
    let outside = b.setp(Cmp::Ge, Ty::U32, i, n);
    let [body, end] = ["body", "end"].map(|name| b.new_block(name));
    b.cond_bra(outside, end, body);
    b.switch_to(body);
    b.set_loc(line(4));
    let a = b.ld_param(Ty::F32, a);
    let x = b.ld_param(Ty::U64, x);
    let y = b.ld_param(Ty::U64, y);
    let offset = b.mul_wide(Ty::U32, i, 4);
    let x = b.add(Ty::S64, x, offset);
    let y = b.add(Ty::S64, y, offset);
    let xi = b.ld_global_nc(Ty::F32, x);
    let yi = b.ld_global(Ty::F32, y);
    let sum = b.fma(Ty::F32, a, xi, yi);
    b.st_global(Ty::F32, y, sum);
    b.bra(end);
    b.switch_to(end);
    b.ret();
    module.fit_version();
    module
}

/// A 32 x 32 tile of f32 through padded shared memory, n a multiple of 32.
fn transpose(arch: Arch) -> Module {
    let mut module = Module::new(arch);
    let id = module.add_kernel("transpose");
    let f = &mut module.funcs[id];
    f.bounds.required_threads = Some([32, 32, 1]);
    let input = f.add_param(Param::global_pointer("input", 16));
    let output = f.add_param(Param::global_pointer("output", 16));
    let n = f.add_param(Param::scalar("n", Ty::U32));
    let tile = f.add_var(Var::array("tile", Space::Shared, Ty::F32, 32 * 33));
    let mut b = FuncBuilder::new(f);
    let [tx, ty] = [Special::TidX, Special::TidY].map(|s| b.special(s));
    let [bx, by] = [Special::CtaidX, Special::CtaidY].map(|s| b.special(s));
    let n = b.ld_param(Ty::U32, n);
    let input = b.ld_param(Ty::U64, input);
    let output = b.ld_param(Ty::U64, output);
    let tile = b.mov(Ty::U32, tile);

    let column = b.mad(Ty::U32, bx, 32, tx);
    let row = b.mad(Ty::U32, by, 32, ty);
    let index = b.mad(Ty::U32, row, n, column);
    let from = b.mad_wide(Ty::U32, index, 4, input);
    let value = b.ld_global_nc(Ty::F32, from);
    let slot = b.mad(Ty::U32, ty, 33, tx);
    let slot = b.mad(Ty::U32, slot, 4, tile);
    b.st_shared(Ty::F32, slot, value);
    b.bar_sync(0);
    let slot = b.mad(Ty::U32, tx, 33, ty);
    let slot = b.mad(Ty::U32, slot, 4, tile);
    let value = b.ld_shared(Ty::F32, slot);
    let column = b.mad(Ty::U32, by, 32, tx);
    let row = b.mad(Ty::U32, bx, 32, ty);
    let index = b.mad(Ty::U32, row, n, column);
    let to = b.mad_wide(Ty::U32, index, 4, output);
    b.st_global(Ty::F32, to, value);
    b.ret();
    module.fit_version();
    module
}

/// The sum of n doubles: a grid-stride loop with 16-byte loads, shuffles within
/// warps, one atomic a warp.
fn reduction(arch: Arch) -> Module {
    let mut module = Module::new(arch);
    let id = module.add_kernel("sum");
    let f = &mut module.funcs[id];
    let input = f.add_param(Param::global_pointer("input", 16));
    let output = f.add_param(Param::global_pointer("output", 8));
    let pairs = f.add_param(Param::scalar("pairs", Ty::U32));
    let mut b = FuncBuilder::new(f);
    let [tid, block, width, blocks] = [
        Special::TidX,
        Special::CtaidX,
        Special::NtidX,
        Special::NctaidX,
    ]
    .map(|s| b.special(s));
    let input = b.ld_param(Ty::U64, input);
    let pairs = b.ld_param(Ty::U32, pairs);
    let i = b.named_reg(RegTy::B32, "i");
    let sum = b.named_reg(RegTy::F64, "sum");
    let start = b.mad(Ty::U32, block, width, tid);
    b.mov_to(i, Ty::U32, start);
    b.mov_to(sum, Ty::F64, 0.0f64);
    let stride = b.mul(Ty::U32, width, blocks);
    let [head, body, done, write, end] =
        ["head", "body", "done", "write", "end"].map(|name| b.new_block(name));
    b.bra(head);

    b.switch_to(head);
    let more = b.setp(Cmp::Lt, Ty::U32, i, pairs);
    b.cond_bra(more, body, done);

    b.switch_to(body);
    let at = b.mad_wide(Ty::U32, i, 16, input);
    let mods = Mods {
        space: Space::Global,
        nc: ReadOnly::On,
        ..Mods::default()
    };
    let pair = b.ld_vec(mods, Ty::F64, 2, at);
    b.add_to(sum, Ty::F64, sum, pair[0]);
    b.add_to(sum, Ty::F64, sum, pair[1]);
    b.add_to(i, Ty::U32, i, stride);
    b.bra(head);

    b.switch_to(done);
    let mut total = b.mov(Ty::F64, sum);
    for mask in [16, 8, 4, 2, 1] {
        let halves = b.unpack(Ty::B64, total, 2);
        let other: RegList = halves.iter().map(|h| b.shfl_bfly(*h, mask)).collect();
        let bits = b.pack(Ty::B64, &other);
        let other = b.mov(Ty::B64, bits);
        total = b.add(Ty::F64, total, other);
    }
    let lane = b.special(Special::LaneId);
    let first = b.setp(Cmp::Eq, Ty::S32, lane, 0);
    b.cond_bra(first, write, end);
    b.switch_to(write);
    let output = b.ld_param(Ty::U64, output);
    b.red(Space::Global, AtomOp::Add, Ty::F64, output, total);
    b.bra(end);
    b.switch_to(end);
    b.ret();
    module.fit_version();
    module
}

/// Tables, dynamic shared memory, a device function, votes, vector stores.
fn assorted(arch: Arch) -> Module {
    let mut module = Module::new(arch);
    let lut = module.add_var(
        Var::array("lut", Space::Const, Ty::F32, 3)
            .with_init(Init::F32([1.0f32, 0.5, -2.0].map(f32::to_bits).to_vec())),
    );
    let offsets = module.add_var(
        Var::array("offsets", Space::Global, Ty::S32, 4).with_init(Init::Ints(vec![-1, 0, 1])),
    );
    let dynamic = module.add_var(Var::dynamic_shared("scratch", 16));
    let scale = module.add_device_function("scale");
    let f = &mut module.funcs[scale];
    let x = f.add_arg(RegTy::F32);
    let mut b = FuncBuilder::new(f);
    let k = b.ld(Space::Const, Ty::F32, (lut, 4));
    let y = b.mul(Ty::F32, x, k);
    b.ret();
    f.result = Some(y);

    let id = module.add_kernel("assorted");
    let f = &mut module.funcs[id];
    let out = f.add_param(Param::global_pointer("out", 16));
    let mut b = FuncBuilder::new(f);
    let tid = b.special(Special::TidX);
    let base = b.mov(Ty::U32, dynamic);
    let slot = b.mad(Ty::U32, tid, 16, base);
    let v = b.cvt(Ty::F32, Ty::U32, tid);
    let w = b.call(scale, &[v], Some(RegTy::F32)).unwrap();
    let mods = Mods {
        space: Space::Shared,
        ..Mods::default()
    };
    b.st_vec(mods, Ty::F32, slot, &[v, w, v, w]);
    b.bar_sync(0);
    let read = b.ld_vec(mods, Ty::F32, VecLen::V4.len(), slot);
    let big = b.setp(Cmp::Gtu, Ty::F32, read[1], 3.0f32);
    let ballot = b.vote(VoteMode::Ballot, big);
    let count = b.popc(Ty::B32, ballot);
    let table = b.mov(Ty::U64, offsets);
    let shift = b.ld_global(Ty::S32, (table, 8));
    let result = b.add(Ty::S32, count, shift);
    let out = b.ld_param(Ty::U64, out);
    let at = b.mad_wide(Ty::U32, tid, 4, out);
    b.guarded(big, true, |b| b.st_global(Ty::U32, at, result));
    b.ret();
    module.fit_version();
    module
}

fn show(findings: &[Finding]) -> String {
    let lines: Vec<String> = findings.iter().map(Finding::to_string).collect();
    lines.join("\n")
}

#[test]
fn saxpy_reads_like_this() {
    let expected = "\
.version 7.8
.target sm_90
.address_size 64
.file 1 \"saxpy.c\"

.visible .entry saxpy(
\t.param .u32 n,
\t.param .f32 a,
\t.param .u64 .ptr .global .align 16 x,
\t.param .u64 .ptr .global .align 16 y
)
.maxntid 256, 1, 1
.minnctapersm 4
{
\t.reg .pred %p<2>;
\t.reg .b32 %r<5>;
\t.reg .b64 %rd<6>;
\t.reg .f32 %f<5>;
\t.reg .b32 %i_1;
\t.loc 1 3 5
\tmov.u32 %r1, %tid.x;
\tmov.u32 %r2, %ctaid.x;
\tmov.u32 %r3, %ntid.x;
\tmad.lo.s32 %i_1, %r2, %r3, %r1;
\tld.param.u32 %r4, [n];
\tsetp.ge.u32 %p1, %i_1, %r4;
\t@%p1 bra $end_2;
\t.loc 1 4 5
\tld.param.f32 %f1, [a];
\tld.param.u64 %rd1, [x];
\tld.param.u64 %rd2, [y];
\tmul.wide.u32 %rd3, %i_1, 4;
\tadd.s64 %rd4, %rd1, %rd3;
\tadd.s64 %rd5, %rd2, %rd3;
\tld.global.nc.f32 %f2, [%rd4];
\tld.global.f32 %f3, [%rd5];
\tfma.rn.f32 %f4, %f1, %f2, %f3;
\tst.global.f32 [%rd5], %f4;
$end_2:
\tret;
}
";
    assert_eq!(print(&saxpy(Arch::sm(90))), expected);
}

#[test]
fn declarations_read_like_this() {
    let text = print(&assorted(Arch::sm(80)));
    for line in [
        ".const .align 4 .f32 lut[3] = {0f3F800000, 0f3F000000, 0fC0000000};",
        ".global .align 4 .s32 offsets[4] = {-1, 0, 1};",
        ".extern .shared .align 16 .b8 scratch[];",
        ".func (.reg .f32 %result) scale(.reg .f32 %arg0);",
        "\tmul.rn.f32 %result, %arg0, %f1;",
        "\tcall.uni (%f2), scale, (%f1);",
        "\tst.shared.v4.f32 [%r3], {%f1, %f2, %f1, %f2};",
        "\tsetp.gtu.f32 %p1, %f4, 0f40400000;",
        "\tvote.sync.ballot.b32 %r4, %p1, 4294967295;",
        "\t@!%p1 st.global.u32 [%rd3], %r7;",
    ] {
        assert!(text.contains(line), "no line {line:?} in\n{text}");
    }
}

#[test]
fn kernels_are_clean_and_assemble_before_and_after_cleanup() {
    let ptxas = Ptxas::find();
    if ptxas.is_none() {
        terrace_lit::feature::skip("ptxas", "assembling the kernels");
    }
    for name in names() {
        let arch: Arch = name.parse().unwrap();
        for build in [saxpy, transpose, reduction, assorted] {
            let raw = build(arch);
            let mut cleaned = raw.clone();
            cleanup::run_module(&mut cleaned);
            for module in [&raw, &cleaned] {
                let findings = check(module);
                let text = print(module);
                assert!(findings.is_empty(), "{}\n{text}", show(&findings));
                let Some(ptxas) = ptxas else { continue };
                match ptxas.assemble(&text, &name) {
                    Ok(resources) => {
                        assert_eq!(resources.len(), 1, "{text}");
                        assert_eq!(resources[0].spill_store_bytes, 0, "{text}");
                        let tile = if resources[0].kernel == "transpose" {
                            4224
                        } else {
                            0
                        };
                        // Newer architectures reserve a kilobyte of their own.
                        assert_eq!(resources[0].shared_bytes % 1024, tile % 1024);
                        assert!(resources[0].registers > 0);
                    }
                    Err(error @ PtxasError::Arch { .. }) => eprintln!("skipped {name}: {error}"),
                    Err(error) => panic!("{name}: {error}\n{text}"),
                }
            }
        }
    }
}

#[test]
fn a_refused_text_says_why() {
    let Some(ptxas) = Ptxas::find() else {
        terrace_lit::feature::skip("ptxas", "what a refused text says");
        return;
    };
    let text = print(&saxpy(Arch::sm(90))).replace("fma.rn.f32", "fma.f32");
    match ptxas.assemble(&text, "sm_90") {
        Err(PtxasError::Refused(messages)) => assert!(messages.contains("fma"), "{messages}"),
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        ptxas.parse(&text, "sm_90"),
        Err(PtxasError::Refused(_))
    ));
    assert!(matches!(
        ptxas.assemble(&text, "sm_1"),
        Err(PtxasError::Arch { .. })
    ));
}

#[test]
fn twenty_thousand_instructions_build_and_print_quickly() {
    let mut module = Module::new(Arch::sm(90));
    let id = module.add_kernel("long");
    let f = &mut module.funcs[id];
    let out = f.add_param(Param::global_pointer("out", 16));
    let started = Instant::now();
    let mut b = FuncBuilder::new(f);
    let mut x = b.special(Special::TidX);
    for i in 0..9_999 {
        let y = b.mad(Ty::S32, x, 3, i);
        x = b.xor(Ty::B32, y, x);
    }
    let out = b.ld_param(Ty::U64, out);
    b.st_global(Ty::U32, out, x);
    b.ret();
    let built = started.elapsed();
    let started = Instant::now();
    let text = print(&module);
    let printed = started.elapsed();
    assert_eq!(text.matches(";\n").count(), 20_002 + 2);
    let started = Instant::now();
    assert!(check(&module).is_empty());
    let checked = started.elapsed();
    eprintln!("20,000 instructions: built {built:?}, printed {printed:?}, checked {checked:?}");
    // Unoptimised builds are held to nothing.
    if !cfg!(debug_assertions) {
        assert!(printed.as_millis() < 10, "{printed:?}");
    }
}
