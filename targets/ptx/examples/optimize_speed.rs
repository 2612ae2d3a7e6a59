//! How long the optimiser, the checker and the printer take, pass by pass:
//!
//!     cargo run --release -p terrace-ptx --example optimize_speed [INSTRUCTIONS] [REPEAT]
//!
//! The module has kernels of some hundred instructions each, written as lowering makes
//! them: a guard in two dimensions, a loop that carries a sum, 64-bit index arithmetic
//! for each access; 20,000 instructions in all unless told otherwise. The least time of
//! the repeats counts.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};
use terrace_ptx::module::{Func, Module};
use terrace_ptx::optimize::{Level, passes};
use terrace_ptx::{check, parse, print};

/// Statements in the loop of a kernel.
const STATEMENTS: usize = 24;

fn kernel(text: &mut String, number: usize) {
    let _ = writeln!(
        text,
        ".visible .entry k{number}(.param .u64 .ptr .global .align 4 a{number}, \
         .param .u64 .ptr .global .align 4 b{number}, .param .u64 n{number}, .param .u64 s{number})\n\
         .maxntid 32, 8, 1\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %d<400>;\n\
         .reg .f32 %f<120>;\n.reg .f32 %acc;\n.reg .b64 %k;\n\
         ld.param.u64 %d0, [a{number}];\nld.param.u64 %d1, [b{number}];\n\
         ld.param.u64 %d2, [n{number}];\nld.param.u64 %d3, [s{number}];\n\
         mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ntid.x;\nmov.u32 %r2, %tid.x;\n\
         cvt.u64.u32 %d4, %r0;\ncvt.u64.u32 %d5, %r1;\ncvt.u64.u32 %d6, %r2;\n\
         mul.lo.s64 %d7, %d4, %d5;\nadd.s64 %d8, %d7, %d6;\n\
         setp.lt.s64 %p0, %d8, %d2;\n@!%p0 bra end;\n\
         mov.f32 %acc, 0f00000000;\nmov.u64 %k, 0;\nloop:\n\
         setp.lt.s64 %p1, %k, %d2;\n@!%p1 bra done;"
    );
    for s in 0..STATEMENTS {
        let (d, f) = (10 + 14 * s, 4 * s);
        let r = |i: usize| format!("%d{}", d + i);
        let _ = writeln!(
            text,
            "mov.s64 {0}, {1};\nadd.s64 {2}, %k, {0};\nrem.s64 {3}, {2}, 2;\nadd.s64 {4}, %d8, {3};\n\
             mul.lo.s64 {5}, %d8, %d3;\nshl.b64 {6}, {5}, 2;\nadd.s64 {7}, %d0, {6};\n\
             shl.b64 {8}, {2}, 2;\nadd.s64 {9}, {7}, {8};\nld.global.f32 %f{10}, [{9}];\n\
             mul.lo.s64 {11}, {4}, %d3;\nshl.b64 {12}, {11}, 2;\nadd.s64 {13}, %d1, {12};\n\
             shl.b64 {14}, %k, 2;\nadd.s64 {15}, {13}, {14};\nld.global.f32 %f{16}, [{15}];\n\
             mul.rn.f32 %f{17}, %f{10}, %f{16};\nadd.rn.f32 %f{18}, %acc, %f{17};\nmov.f32 %acc, %f{18};",
            r(0),
            s % 5,
            r(1),
            r(2),
            r(3),
            r(4),
            r(5),
            r(6),
            r(7),
            r(8),
            f,
            r(9),
            r(10),
            r(11),
            r(12),
            r(13),
            f + 1,
            f + 2,
            f + 3,
        );
    }
    text.push_str(
        "add.s64 %d390, %k, 1;\nmov.u64 %k, %d390;\nbra loop;\ndone:\n\
         mul.lo.s64 %d391, %d8, 4;\nadd.s64 %d392, %d0, %d391;\nst.global.f32 [%d392], %acc;\n\
         end:\nret;\n}\n",
    );
}

fn count(module: &Module) -> usize {
    module.funcs.iter().map(|(_, f)| f.inst_count()).sum()
}

type Times = BTreeMap<(usize, &'static str), Duration>;

fn timed<R>(times: &mut Times, at: usize, name: &'static str, f: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let r = f();
    *times.entry((at, name)).or_default() += start.elapsed();
    r
}

fn main() {
    let mut args = std::env::args()
        .skip(1)
        .filter_map(|a| a.parse::<usize>().ok());
    let wanted = args.next().unwrap_or(20_000);
    let repeat = args.next().unwrap_or(5).max(1);
    let mut text = ".version 8.0\n.target sm_90\n.address_size 64\n".to_string();
    for k in 0..wanted.div_ceil(STATEMENTS * 19 + 24).max(1) {
        kernel(&mut text, k);
    }
    let passes = passes(Level::Default);
    let mut best = Times::new();
    let mut sizes = (0, 0);
    for _ in 0..repeat {
        let mut times = Times::new();
        let mut module = match timed(&mut times, 0, "parse", || parse::parse(&text)) {
            Ok(parsed) => parsed.module,
            Err(errors) => {
                eprintln!("{errors:?}");
                std::process::exit(1);
            }
        };
        sizes.0 = count(&module);
        let ids: Vec<_> = module.funcs.iter().map(|(id, _)| id).collect();
        for (at, pass) in passes.iter().enumerate() {
            // A pass that runs several times is told of once.
            let first = passes
                .iter()
                .position(|p| p.name == pass.name)
                .unwrap_or(at);
            for id in &ids {
                let kind = module.funcs[*id].kind;
                let mut func = std::mem::replace(&mut module.funcs[*id], Func::new("", kind));
                timed(&mut times, 1 + first, pass.name, || {
                    (pass.run)(&module, &mut func)
                });
                module.funcs[*id] = func;
            }
        }
        sizes.1 = count(&module);
        timed(&mut times, 100, "check", || check(&module));
        timed(&mut times, 101, "print", || print(&module));
        for (name, time) in times {
            let slot = best.entry(name).or_insert(time);
            *slot = (*slot).min(time);
        }
    }
    println!("{} instructions, {} when optimised", sizes.0, sizes.1);
    for ((_, name), time) in &best {
        println!("{name:<16} {:>9.3} ms", time.as_secs_f64() * 1e3);
    }
    let all: Duration = best.values().sum();
    println!("{:<16} {:>9.3} ms", "all", all.as_secs_f64() * 1e3);
}
