//! Random programs as regions: mapped to kernels they must compute what they did, with
//! their arrays in memory of the device, which the host part must not touch.
//!
//! `TERRACE_RANDOM_COUNT` programs from the seed `TERRACE_RANDOM_SEED` on.

use super::check::{Failure, Kind, Outcome, interpret, numbers, same, truth, words};
use super::nests::nests;
use super::{generate, over_seeds};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use terrace::dialects::gpu;
use terrace::ir::OpKind;
use terrace::ir::verify::verify;
use terrace::passes::pipeline::{GpuPipelineOptions, StageName, region_gpu};
use terrace::run::RunError;
use terrace::run::bind::{Value, bind, is_float};
use terrace::run::emulated;
use terrace::run::executor::{Executor, Program};
use terrace::run::interp::InterpExecutor;
use terrace::runtime::dtype::{DType, Scalar};
use terrace::targets::gpu_to_ptx::{self, GpuOptions};
use terrace::targets::ptx::ptxas::Ptxas;

/// Programs where the environment names no number.
const COUNT: u64 = 150;

/// How a program's parallel loops are found before its nests are mapped, in all functions.
#[derive(Clone, Copy)]
enum Road {
    /// By the dependences alone, with every reduction.
    Plain,
    /// As `terrace cc` does, with kernels of scans, products and time steps for sizes however
    /// small.
    Region,
}

fn pipeline(road: Road) -> String {
    let all = region_gpu(&GpuPipelineOptions {
        reassociate: true,
        ..GpuPipelineOptions::default()
    });
    let (found, mut rest) = match road {
        Road::Plain => (
            "inline,func.func(affine-parallelize{parallel-reductions=1})",
            all.from(StageName::Mapping),
        ),
        Road::Region => ("inline", all),
    };
    assert_eq!(rest.set("offload-map", "all-functions", true), 1);
    for (pass, option) in [
        ("gpu-map-scans", "least"),
        ("gpu-temporal-blocking", "least-box"),
    ] {
        rest.set(pass, option, 1);
    }
    format!("builtin.module({found},{})", rest.elements())
}

/// The mapped program, and its run. The assembler takes its time.
fn offloaded(text: &str, road: Road, with_assembler: bool) -> Result<(String, Outcome), Failure> {
    let fail = |kind, message: String, lowered: Option<String>| Failure {
        kind,
        message,
        lowered,
    };
    let mut p =
        Program::new("random.mlir", text).map_err(|d| fail(Kind::Generated, words(&d), None))?;
    let entry = p
        .entry(Some("main"))
        .map_err(|m| fail(Kind::Generated, m, None))?;
    let mut args = bind(&entry, &[], &[]).map_err(|m| fail(Kind::Generated, m.join("\n"), None))?;
    p.run_pipeline(&pipeline(road))
        .map_err(|d| fail(Kind::PassFailed, words(&d), None))?;
    let lowered = p.text();
    if !verify(&p.ctx, p.module) {
        let ds = p.ctx.take_diagnostics();
        return Err(fail(Kind::Invalid, words(&ds), Some(lowered)));
    }
    // Its text must be read again.
    let p = Program::new("random.mlir", &lowered)
        .map_err(|d| fail(Kind::Invalid, words(&d), Some(lowered.clone())))?;
    assemble(&p, with_assembler).map_err(|m| fail(Kind::PassFailed, m, Some(lowered.clone())))?;
    let mut run = InterpExecutor::new(p, entry.clone()).with_arguments_on_device();
    let results = run
        .call(&mut args)
        .map_err(|d| fail(Kind::RunFailed, words(&d), Some(lowered.clone())))?;
    let interpreted = Outcome {
        args,
        results: numbers(&results),
    };
    // The kernels as PTX: the emulator must find nothing, and give the same bits.
    let mut args = bind(&entry, &[], &[]).map_err(|m| fail(Kind::Generated, m.join("\n"), None))?;
    let p = Program::new("random.mlir", &lowered)
        .map_err(|d| fail(Kind::Invalid, words(&d), Some(lowered.clone())))?;
    let refused = |e: RunError| fail(Kind::PassFailed, format!("{e:?}"), Some(lowered.clone()));
    let mut run = emulated(p, &entry).map_err(refused)?;
    let results = run
        .call(&mut args)
        .map_err(|d| fail(Kind::RunFailed, words(&d), Some(lowered.clone())))?;
    same(
        &Outcome {
            args,
            results: numbers(&results),
        },
        &interpreted,
    )
    .map_err(|m| {
        fail(
            Kind::Differs,
            format!("on the emulator: {m}"),
            Some(lowered.clone()),
        )
    })?;
    Ok((lowered, interpreted))
}

/// The kernels must become PTX, which NVIDIA's assembler takes if it is to be asked and
/// is there.
fn assemble(p: &Program, with_assembler: bool) -> Result<(), String> {
    for m in p.module.find_all::<gpu::ModuleOp>(&p.ctx) {
        let made = gpu_to_ptx::compile(&p.ctx, m.op(), &GpuOptions::default());
        let binary = made.map_err(|e| {
            let all: Vec<String> = e.into_iter().map(|e| e.1).collect();
            all.join("\n")
        })?;
        if !with_assembler {
            continue;
        }
        match Ptxas::find() {
            Some(ptxas) => ptxas
                .assemble_unoptimised(&binary.ptx, "sm_90")
                .map(|_| ())
                .map_err(|e| format!("{e}\n{}", binary.ptx))?,
            None => terrace_lit::feature::skip("ptxas", "assembling the kernels"),
        }
    }
    Ok(())
}

/// Whether two numbers agree: integers exactly, floats up to the order of sums.
fn agree(d: DType, a: u64, b: u64) -> bool {
    let number = |bits| Scalar::from_bits(d, bits).as_f64();
    let (x, y) = (number(a), number(b));
    let scale = x.abs().max(y.abs()).max(1.0);
    a == b || is_float(d) && ((x.is_nan() && y.is_nan()) || x == y || (x - y).abs() <= 1e-5 * scale)
}

fn difference(a: &Outcome, b: &Outcome) -> Option<String> {
    for (i, (x, y)) in a.args.iter().zip(&b.args).enumerate() {
        let (Value::Array(x), Value::Array(y)) = (x, y) else {
            continue;
        };
        for n in 0..x.len() {
            let (u, v) = (x.bits(n).unwrap_or(0), y.bits(n).unwrap_or(0));
            if !agree(x.dtype(), u, v) {
                let number = |b| Scalar::from_bits(x.dtype(), b).as_f64();
                return Some(format!(
                    "argument {i} at {:?}: {} instead of {}",
                    x.subscripts(n),
                    number(u),
                    number(v)
                ));
            }
        }
    }
    let mut results = a.results.iter().zip(&b.results).enumerate();
    results
        .find(|(_, (x, y))| !agree(x.dtype(), x.bits(), y.bits()))
        .map(|(i, (x, y))| format!("result {i}: {} instead of {}", x.as_f64(), y.as_f64()))
}

fn one(seed: u64, text: &str, kernels: &AtomicU64, with_assembler: bool) -> Vec<String> {
    let expected = match truth(text) {
        Ok(t) => t,
        Err(f) => return vec![format!("=== seed {seed}: {}\n{text}", f.message)],
    };
    let road = match seed % 2 {
        0 => Road::Plain,
        _ => Road::Region,
    };
    let ran = catch_unwind(AssertUnwindSafe(|| offloaded(text, road, with_assembler)));
    let report = |what: &str, after: &str| {
        vec![format!("=== seed {seed}: {what}\n{text}--- after\n{after}")]
    };
    match ran {
        Err(p) => {
            let m = p.downcast_ref::<String>().cloned();
            let m = m.or(p.downcast_ref::<&str>().map(|s| (*s).to_string()));
            report(&format!("panic: {}", m.unwrap_or_default()), "")
        }
        Ok(Err(f)) => report(
            &format!("{:?}: {}", f.kind, f.message),
            &f.lowered.unwrap_or_default(),
        ),
        Ok(Ok((lowered, outcome))) => {
            let n = lowered.matches("gpu.launch_func").count();
            kernels.fetch_add(n as u64, Ordering::Relaxed);
            match difference(&outcome, &expected) {
                Some(m) => report(&m, &lowered),
                None => Vec::new(),
            }
        }
    }
}

#[test]
fn mapped_programs_compute_the_same_in_memory_of_the_device() {
    let kernels = AtomicU64::new(0);
    let count = over_seeds(COUNT, |seed| {
        let text = match seed % 3 {
            0 => generate::Generator::new(seed).program().text(),
            _ => nests(seed).program.text(),
        };
        one(seed, &text, &kernels, false)
    });
    let kernels = kernels.load(Ordering::Relaxed);
    assert!(
        count < 10 || kernels > count,
        "{kernels} kernels of {count} programs"
    );
}

/// A region in the manner of an iterative solver: numbers that only kernels use, a
/// condition that the host needs, local arrays, a triangle, statements between.
const SOLVER: &str = r#"
func.func @main(%a: memref<9x9xf64> {terrace.init = "random:9x9:1"},
                %x: memref<9xf64> {terrace.init = "random:9:2"},
                %n: index {terrace.init = "9"}, %steps: index {terrace.init = "3"}) -> (f64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %half = arith.constant 0.5 : f64
  %tmp = memref.alloc(%n) : memref<?xf64>
  %one = memref.alloca() : memref<1xf64>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %zero, %tmp[%i] : memref<?xf64>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<9xf64>
    %next = arith.addi %i, %c1 : index
    scf.parallel (%j) = (%next) to (%n) step (%c2) {
      %w = memref.load %a[%i, %j] : memref<9x9xf64>
      %s = arith.addf %v, %w : f64
      memref.store %s, %a[%i, %j] : memref<9x9xf64>
    }
  }
  memref.store %half, %one[%c0] : memref<1xf64>
  %f = memref.load %one[%c0] : memref<1xf64>
  %g = arith.mulf %f, %f : f64
  %r:2 = scf.while (%t = %c0, %last = %zero) : (index, f64) -> (index, f64) {
    %sum, %largest = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero, %zero) -> (f64, f64) {
      %p = memref.load %x[%i] : memref<9xf64>
      %q = memref.load %tmp[%i] : memref<?xf64>
      %d = arith.subf %p, %q : f64
      %e = arith.mulf %d, %d : f64
      scf.reduce(%e, %d : f64, f64) {
      ^bb0(%u: f64, %v: f64):
        %o = arith.addf %u, %v : f64
        scf.reduce.return %o : f64
      }, {
      ^bb0(%u: f64, %v: f64):
        %c = arith.cmpf ogt, %u, %v : f64
        %o = arith.select %c, %u, %v : f64
        scf.reduce.return %o : f64
      }
    }
    %scaled = arith.mulf %sum, %g : f64
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      %p = memref.load %x[%i] : memref<9xf64>
      %q = arith.addf %p, %scaled : f64
      memref.store %q, %tmp[%i] : memref<?xf64>
      %q2 = arith.mulf %q, %f : f64
      memref.store %q2, %x[%i] : memref<9xf64>
    }
    %large = arith.cmpf ogt, %largest, %half : f64
    %few = arith.cmpi slt, %t, %steps : index
    %more = arith.ori %large, %few : i1
    %small = arith.cmpi slt, %t, %n : index
    %go = arith.andi %more, %small : i1
    scf.condition(%go) %t, %sum : index, f64
  } do {
  ^bb0(%t: index, %s: f64):
    %k = memref.load %a[%c0, %t] : memref<9x9xf64>
    %neg = arith.cmpf olt, %k, %half : f64
    scf.if %neg {
      scf.parallel (%i) = (%c0) to (%t) step (%c1) {
        memref.store %s, %a[%i, %c0] : memref<9x9xf64>
      }
    }
    %next = arith.addi %t, %c1 : index
    scf.yield %next, %s : index, f64
  }
  %count0 = arith.constant 0 : i64
  %count = scf.parallel (%i, %j) = (%c0, %c1) to (%n, %n) step (%c1, %c2) init (%count0) -> i64 {
    %v = memref.load %a[%i, %j] : memref<9x9xf64>
    %c = arith.cmpf ogt, %v, %half : f64
    %w = arith.extui %c : i1 to i64
    scf.reduce(%w : i64) {
    ^bb0(%p: i64, %q: i64):
      %o = arith.addi %p, %q : i64
      scf.reduce.return %o : i64
    }
  }
  memref.dealloc %tmp : memref<?xf64>
  return %r#1, %count : f64, i64
}
"#;

#[test]
fn a_solver_computes_the_same_in_memory_of_the_device() {
    let kernels = AtomicU64::new(0);
    let failed = terrace::with_stack(|| one(0, SOLVER, &kernels, true));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(kernels.load(Ordering::Relaxed) >= 10);
}

/// The host touches no array: with host code as it stands the run is refused.
#[test]
fn host_code_that_touches_an_array_is_found() {
    let text = "func.func @main(%x: memref<4xf64> {terrace.init = \"random:4:1\"}) -> f64 {\n  %c = arith.constant 1 : index\n  %v = memref.load %x[%c] : memref<4xf64>\n  return %v : f64\n}\n";
    assert!(interpret(text, text).is_ok());
    let p = Program::new("random.mlir", text).unwrap_or_else(|d| panic!("{}", words(&d)));
    let entry = p.entry(Some("main")).expect("an entry");
    let mut args = bind(&entry, &[], &[]).expect("arguments");
    let mut run = InterpExecutor::new(p, entry).with_arguments_on_device();
    let found = run.call(&mut args).expect_err("an error");
    assert!(words(&found).contains("host code accesses memory of the device"));
}
