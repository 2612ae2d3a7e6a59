//! How long a gpu.module takes to become PTX text, without and with the optimiser.
//!
//! ```text
//! cargo bench --bench lower [-- INSTRUCTIONS [RUNS]]
//! ```
//!
//! Three generated modules of about so many machine instructions (20,000 unless told
//! otherwise): one kernel with a long straight body, one with a loop after every few
//! statements, nested two deep, and many small kernels. Printed are the instructions
//! that lowering makes, and the least milliseconds of the runs for
//!
//! - `lower`: lowering, the checker and the printer, which is all at level `none`,
//! - `check`, `print`: those two by themselves, on the text parsed back,
//! - `optimised`: everything at the default level.

use std::fmt::Write as _;
use std::time::Instant;
use terrace::dialects::gpu::ModuleOp;
use terrace::ir::OpKind;
use terrace::run::executor::Program;
use terrace::targets::gpu_to_ptx::{GpuBinary, GpuOptions, compile};
use terrace::targets::ptx;

/// Machine instructions of one statement as lowering makes it, about.
const PER_STATEMENT: usize = 23;

#[derive(Clone, Copy)]
enum Shape {
    Straight,
    Loops,
    Kernels,
}

/// `%s = %s + a[x + i, y] * b[y, x + i]`, then stored.
fn statement(out: &mut String, n: usize) {
    let _ = writeln!(
        out,
        "      %i{n} = arith.constant {} : index
      %x{n} = arith.addi %x, %i{n} : index
      %a{n} = memref.load %a[%x{n}, %y] : memref<?x?xf32>
      %b{n} = memref.load %b[%y, %x{n}] : memref<?x?xf32>
      %m{n} = arith.mulf %a{n}, %b{n} : f32
      %s{n} = arith.addf %m{n}, %f : f32
      memref.store %s{n}, %c[%x{n}, %y] : memref<?x?xf32>",
        n % 61
    );
}

/// The same in two loops, with their counters.
fn nest(out: &mut String, n: usize) {
    let _ = writeln!(
        out,
        "      scf.for %j{n} = %zero to %x step %one {{
      %t{n} = scf.for %k{n} = %zero to %y step %one iter_args(%u{n} = %f) -> (f32) {{
      %a{n} = memref.load %a[%j{n}, %k{n}] : memref<?x?xf32>
      %m{n} = arith.mulf %a{n}, %u{n} : f32
      scf.yield %m{n} : f32
      }}
      memref.store %t{n}, %c[%j{n}, %y] : memref<?x?xf32>
      }}"
    );
}

fn kernel(out: &mut String, name: usize, statements: usize, shape: Shape) {
    let _ = writeln!(
        out,
        "    gpu.func @k{name}(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>, %n: index, %f: f32) kernel {{
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %bx = gpu.block_id x
      %dx = gpu.block_dim x
      %tx = gpu.thread_id x
      %y = gpu.thread_id y
      %ox = arith.muli %bx, %dx : index
      %x = arith.addi %ox, %tx : index
      %in = arith.cmpi slt, %x, %n : index
      scf.if %in {{"
    );
    for n in 0..statements {
        match shape {
            Shape::Loops if n % 2 == 1 => nest(out, n),
            _ => statement(out, n),
        }
    }
    out.push_str("      }\n      gpu.return\n    }\n");
}

fn module(instructions: usize, shape: Shape) -> String {
    let statements = (instructions / PER_STATEMENT).max(1);
    let mut out = "module attributes {gpu.container_module} {\n  gpu.module @m {\n".to_string();
    match shape {
        Shape::Kernels => {
            for name in 0..statements.div_ceil(20) {
                kernel(&mut out, name, 20, shape);
            }
        }
        _ => kernel(&mut out, 0, statements, shape),
    }
    out.push_str("  }\n}\n");
    out
}

/// The least milliseconds of so many runs.
fn least<R>(runs: usize, mut f: impl FnMut() -> R) -> f64 {
    let times = (0..runs).map(|_| {
        let start = Instant::now();
        std::hint::black_box(f());
        start.elapsed().as_secs_f64() * 1e3
    });
    times.fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), String> {
    let mut numbers = std::env::args().filter_map(|a| a.parse::<usize>().ok());
    let wanted = numbers.next().unwrap_or(20_000);
    let runs = numbers.next().unwrap_or(7).max(1);
    println!(
        "{:<10}{:>14}{:>10}{:>10}{:>10}{:>12}   milliseconds, least of {runs}",
        "module", "instructions", "lower", "check", "print", "optimised"
    );
    let shapes = [
        ("straight", Shape::Straight),
        ("loops", Shape::Loops),
        ("kernels", Shape::Kernels),
    ];
    for (name, shape) in shapes {
        let text = module(wanted, shape);
        let program = Program::new("lower.mlir", &text).map_err(|e| format!("{name}: {e:?}"))?;
        let modules = program.module.find_all::<ModuleOp>(&program.ctx);
        let module = modules.first().ok_or("no gpu.module")?.op();
        let made = |level| -> Result<GpuBinary, String> {
            let options = GpuOptions {
                level,
                ..GpuOptions::default()
            };
            compile(&program.ctx, module, &options).map_err(|e| format!("{name}: {e:?}"))
        };
        let plain = made(ptx::optimize::Level::None)?;
        let parsed = ptx::parse::parse(&plain.ptx).map_err(|e| format!("{name}: {e:?}"))?;
        let count: usize = (parsed.module.funcs.iter().map(|(_, f)| f.inst_count())).sum();
        println!(
            "{name:<10}{count:>14}{:>10.2}{:>10.2}{:>10.2}{:>12.2}",
            least(runs, || made(ptx::optimize::Level::None)),
            least(runs, || ptx::check(&parsed.module)),
            least(runs, || ptx::print(&parsed.module)),
            least(runs, || made(ptx::optimize::Level::Default)),
        );
    }
    Ok(())
}
