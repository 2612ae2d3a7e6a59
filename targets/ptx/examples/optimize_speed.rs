//! How long the optimiser, the checker and the printer take, pass by pass:
//!
//!     cargo run --release -p terrace-ptx --example optimize_speed [INSTRUCTIONS] [REPEAT] [SHAPE | FILE]
//!
//! The module is written as lowering makes them: a guard in two dimensions, loops that
//! carry a sum, 64-bit index arithmetic for each access; 20,000 instructions in all
//! unless told otherwise. The least time of the repeats counts. Shapes:
//!
//! - `kernels` (unless told otherwise): kernels of some hundred instructions, one loop each
//! - `body`: one kernel, all of it in one loop
//! - `loops`: one kernel with a loop after another, two statements in each
//! - `branches`: one kernel with one loop, each statement in it under a condition of its own
//!
//! A name that ends in `.ptx` is a file to read instead: the first of each kernel's files
//! that `terrace compile --dump-passes=DIR` writes is the code before the optimiser.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};
use terrace_ptx::module::{Func, Module};
use terrace_ptx::optimize::{Level, passes};
use terrace_ptx::{check, parse, print};

/// What a kernel is made of.
#[derive(Clone, Copy)]
struct Shape {
    loops: usize,
    /// In each loop.
    statements: usize,
    /// Each statement under a condition.
    guarded: bool,
}

/// Instructions of a statement.
const STATEMENT: usize = 19;

/// The shape of a name for a module of so many instructions, and how many kernels.
fn shape(name: &str, wanted: usize) -> Option<(usize, Shape)> {
    let shape = |loops, statements, guarded| Shape {
        loops,
        statements,
        guarded,
    };
    Some(match name {
        "kernels" => (wanted.div_ceil(24 * STATEMENT + 24), shape(1, 24, false)),
        "body" => (1, shape(1, wanted.div_ceil(STATEMENT), false)),
        "loops" => (1, shape(wanted.div_ceil(2 * STATEMENT + 7), 2, false)),
        "branches" => (1, shape(1, wanted.div_ceil(STATEMENT + 2), true)),
        _ => return None,
    })
}

fn kernel(text: &mut String, number: usize, shape: Shape) {
    let all = shape.loops * shape.statements;
    let _ = writeln!(
        text,
        ".visible .entry k{number}(.param .u64 .ptr .global .align 4 a{number}, \
         .param .u64 .ptr .global .align 4 b{number}, .param .u64 n{number}, .param .u64 s{number})\n\
         .maxntid 32, 8, 1\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %d<{}>;\n\
         .reg .f32 %f<{}>;\n.reg .f32 %acc<{}>;\n.reg .b64 %k<{}>;\n.reg .b64 %kn<{}>;\n\
         .reg .pred %pl<{}>;\n.reg .pred %ps<{}>;\n\
         ld.param.u64 %d0, [a{number}];\nld.param.u64 %d1, [b{number}];\n\
         ld.param.u64 %d2, [n{number}];\nld.param.u64 %d3, [s{number}];\n\
         mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ntid.x;\nmov.u32 %r2, %tid.x;\n\
         cvt.u64.u32 %d4, %r0;\ncvt.u64.u32 %d5, %r1;\ncvt.u64.u32 %d6, %r2;\n\
         mul.lo.s64 %d7, %d4, %d5;\nadd.s64 %d8, %d7, %d6;\n\
         setp.lt.s64 %p0, %d8, %d2;\n@!%p0 bra end;",
        20 + 14 * all,
        4 * all,
        shape.loops + 1,
        shape.loops,
        shape.loops,
        shape.loops,
        all,
    );
    text.push_str("mov.f32 %acc0, 0f00000000;\n");
    for at in 0..shape.loops {
        let _ = writeln!(
            text,
            "mov.f32 %acc{0}, %acc{at};\nmov.u64 %k{at}, 0;\nloop{at}:\n\
             setp.lt.s64 %pl{at}, %k{at}, %d2;\n@!%pl{at} bra done{at};",
            at + 1
        );
        for statement in 0..shape.statements {
            let s = at * shape.statements + statement;
            if shape.guarded {
                let _ = writeln!(text, "setp.gt.s64 %ps{s}, %d8, {s};\n@!%ps{s} bra skip{s};");
            }
            self::statement(text, s, at);
            if shape.guarded {
                let _ = writeln!(text, "skip{s}:");
            }
        }
        let _ = writeln!(
            text,
            "add.s64 %kn{at}, %k{at}, 1;\nmov.u64 %k{at}, %kn{at};\nbra loop{at};\ndone{at}:"
        );
    }
    let _ = writeln!(
        text,
        "mul.lo.s64 %d9, %d8, 4;\nadd.s64 %d10, %d0, %d9;\nst.global.f32 [%d10], %acc{};\n\
         end:\nret;\n}}",
        shape.loops
    );
}

/// Two loads at places that the loop's counter is part of, and a product that is added up.
fn statement(text: &mut String, s: usize, at: usize) {
    let (d, f, acc) = (12 + 14 * s, 4 * s, at + 1);
    let r = |i: usize| format!("%d{}", d + i);
    let _ = writeln!(
        text,
        "mov.s64 {0}, {1};\nadd.s64 {2}, %k{at}, {0};\nrem.s64 {3}, {2}, 2;\nadd.s64 {4}, %d8, {3};\n\
         mul.lo.s64 {5}, %d8, %d3;\nshl.b64 {6}, {5}, 2;\nadd.s64 {7}, %d0, {6};\n\
         shl.b64 {8}, {2}, 2;\nadd.s64 {9}, {7}, {8};\nld.global.f32 %f{10}, [{9}];\n\
         mul.lo.s64 {11}, {4}, %d3;\nshl.b64 {12}, {11}, 2;\nadd.s64 {13}, %d1, {12};\n\
         shl.b64 {14}, %k{at}, 2;\nadd.s64 {15}, {13}, {14};\nld.global.f32 %f{16}, [{15}];\n\
         mul.rn.f32 %f{17}, %f{10}, %f{16};\nadd.rn.f32 %f{18}, %acc{acc}, %f{17};\n\
         mov.f32 %acc{acc}, %f{18};",
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
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut numbers = args.iter().filter_map(|a| a.parse::<usize>().ok());
    let wanted = numbers.next().unwrap_or(20_000).max(1);
    let repeat = numbers.next().unwrap_or(5).max(1);
    let name = args.iter().find(|a| a.parse::<usize>().is_err());
    let name = name.map_or("kernels", |n| n.as_str());
    let text = if name.ends_with(".ptx") {
        std::fs::read_to_string(name).unwrap_or_else(|e| {
            eprintln!("{name}: {e}");
            std::process::exit(2);
        })
    } else {
        let Some((kernels, shape)) = shape(name, wanted) else {
            eprintln!("found '{name}', expected kernels, body, loops, branches or a file .ptx");
            std::process::exit(2);
        };
        let mut text = ".version 8.0\n.target sm_90\n.address_size 64\n".to_string();
        for k in 0..kernels {
            kernel(&mut text, k, shape);
        }
        text
    };
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
        // Where nothing changed since the last time, the clean-up is left out, as in
        // `optimize::run`.
        let mut untidy = vec![true; ids.len()];
        for (at, pass) in passes.iter().enumerate() {
            // A pass that runs several times is told of once.
            let first = passes
                .iter()
                .position(|p| p.name == pass.name)
                .unwrap_or(at);
            for (id, untidy) in ids.iter().zip(&mut untidy) {
                let cleans = pass.name == "cleanup";
                if cleans && !*untidy {
                    continue;
                }
                let kind = module.funcs[*id].kind;
                let mut func = std::mem::replace(&mut module.funcs[*id], Func::new("", kind));
                let changes = timed(&mut times, 1 + first, pass.name, || {
                    (pass.run)(&module, &mut func)
                });
                *untidy = !cleans && (*untidy || changes > 0);
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
