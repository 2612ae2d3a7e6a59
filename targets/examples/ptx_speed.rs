//! How long the way from a `gpu.module` to PTX takes, stage by stage:
//!
//!     cargo run --release -p terrace-targets --example ptx_speed [INSTRUCTIONS] [REPEAT]
//!
//! The module has kernels of some hundred machine instructions each, as lowering makes
//! them: two-dimensional guards, loops, stencils and arithmetic on integers, 20,000
//! instructions in all unless told otherwise. The least time of the repeats counts.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};
use terrace_dialects::gpu;
use terrace_ir::OpKind;
use terrace_ir::text::parser::{Source, parse};
use terrace_targets::gpu_to_ptx::{GpuOptions, compile};
use terrace_targets::ptx::module::{Func, Module};
use terrace_targets::ptx::optimize::{Level, pipeline};
use terrace_targets::ptx::{self, check, print};

/// A kernel with about as many statements in its loop.
fn kernel(text: &mut String, number: usize, statements: usize) {
    let _ = writeln!(
        text,
        "gpu.func @k{number}(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %n: index, %m: index) kernel \
         attributes {{known_block_size = array<i32: 32, 8, 1>}} {{\n\
         %c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n\
         %f = arith.constant 0.25 : f32\n\
         %bx = gpu.block_id x\n%by = gpu.block_id y\n%tx = gpu.thread_id x\n%ty = gpu.thread_id y\n\
         %dx = gpu.block_dim x\n%dy = gpu.block_dim y\n\
         %px = arith.muli %bx, %dx : index\n%i = arith.addi %px, %tx : index\n\
         %py = arith.muli %by, %dy : index\n%j = arith.addi %py, %ty : index\n\
         %in = arith.cmpi slt, %i, %n : index\n%jn = arith.cmpi slt, %j, %m : index\n\
         %both = arith.andi %in, %jn : i1\nscf.if %both {{\n\
         %sum = scf.for %k = %c0 to %m step %c1 iter_args(%acc = %f) -> (f32) {{"
    );
    let mut last = "%acc".to_string();
    for s in 0..statements {
        let c = s % 5;
        let _ = writeln!(
            text,
            "%o{s} = arith.constant {c} : index\n%x{s} = arith.addi %k, %o{s} : index\n\
             %q{s} = arith.remsi %x{s}, %c2 : index\n%y{s} = arith.addi %j, %q{s} : index\n\
             %u{s} = memref.load %a[%i, %x{s}] : memref<?x?xf32>\n\
             %v{s} = memref.load %b[%y{s}, %k] : memref<?x?xf32>\n\
             %w{s} = arith.mulf %u{s}, %v{s} : f32\n\
             %z{s} = arith.addf {last}, %w{s} : f32"
        );
        last = format!("%z{s}");
    }
    let _ = writeln!(
        text,
        "scf.yield {last} : f32\n}}\nmemref.store %sum, %a[%i, %j] : memref<?x?xf32>\n}}\ngpu.return\n}}"
    );
}

fn count(module: &Module) -> usize {
    module.funcs.iter().map(|(_, f)| f.inst_count()).sum()
}

struct Times(BTreeMap<(usize, &'static str), Duration>);

impl Times {
    fn add<R>(&mut self, at: usize, name: &'static str, f: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let r = f();
        *self.0.entry((at, name)).or_default() += start.elapsed();
        r
    }
}

fn main() {
    let mut args = std::env::args()
        .skip(1)
        .filter_map(|a| a.parse::<usize>().ok());
    let (wanted, repeat) = (
        args.next().unwrap_or(20_000),
        args.next().unwrap_or(5).max(1),
    );
    // A kernel of 24 statements is about 600 instructions.
    let kernels = wanted.div_ceil(600).max(1);
    let mut text = "gpu.module @m {\n".to_string();
    for k in 0..kernels {
        kernel(&mut text, k, 24);
    }
    text.push_str("}\n");
    let mut ctx = terrace_dialects::context();
    let Some(module) = parse(&mut ctx, &Source::new("speed.mlir", &text)) else {
        eprintln!("{:?}", ctx.take_diagnostics());
        std::process::exit(1);
    };
    let gpu_module = module.find_all::<gpu::ModuleOp>(&ctx)[0].op();
    let plain = GpuOptions {
        level: Level::None,
        ..GpuOptions::default()
    };
    let mut best: BTreeMap<(usize, &'static str), Duration> = BTreeMap::new();
    let mut sizes = (0, 0);
    for _ in 0..repeat {
        let mut times = Times(BTreeMap::new());
        let all = times.add(0, "all", || {
            compile(&ctx, gpu_module, &GpuOptions::default())
        });
        let made = times.add(1, "lower, check, print", || {
            compile(&ctx, gpu_module, &plain)
        });
        let (Ok(_), Ok(made)) = (all, made) else {
            eprintln!("the module does not compile");
            std::process::exit(1);
        };
        let parsed = times.add(2, "parse", || ptx::parse::parse(&made.ptx));
        let Ok(parsed) = parsed else {
            eprintln!("the text cannot be read back");
            std::process::exit(1);
        };
        let mut module = parsed.module;
        sizes.0 = count(&module);
        let ids: Vec<_> = module.funcs.iter().map(|(id, _)| id).collect();
        for (at, pass) in pipeline::passes(Level::Default).iter().enumerate() {
            for id in &ids {
                let kind = module.funcs[*id].kind;
                let mut func = std::mem::replace(&mut module.funcs[*id], Func::new("", kind));
                // Passes that run several times are told of once.
                let first = pipeline::passes(Level::Default)
                    .iter()
                    .position(|p| p.name == pass.name)
                    .unwrap_or(at);
                times.add(10 + first, pass.name, || (pass.run)(&module, &mut func));
                module.funcs[*id] = func;
            }
        }
        sizes.1 = count(&module);
        times.add(100, "check", || check(&module));
        times.add(101, "print", || print(&module));
        for (name, time) in times.0 {
            let slot = best.entry(name).or_insert(time);
            *slot = (*slot).min(time);
        }
    }
    println!("{} instructions, {} when optimised", sizes.0, sizes.1);
    for ((_, name), time) in best {
        println!("{name:<22} {:>9.3} ms", time.as_secs_f64() * 1e3);
    }
}
