//! Names of registers and labels.

use super::*;
use terrace_targets::ptx::optimize::Level;
use terrace_targets::ptx::parse;

/// As the tools read programs: names of values are kept.
fn named(functions: &str) -> String {
    let mut ctx: Context = terrace_dialects::context();
    ctx.config.keep_names = true;
    let text = in_module(functions);
    // Whatever the optimiser does to loops.
    let options = GpuOptions {
        level: Level::Less,
        ..options("sm_90")
    };
    compile_in(ctx, &text, &options).unwrap().ptx
}

const SCALE: &str = r#"
gpu.func @scale(%a: memref<?xf32>, %n: index) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum0 = arith.constant 0.0 : f32
  %total = scf.for %row = %c0 to %n step %c1 iter_args(%partial_sum = %sum0) -> (f32) {
    %x = memref.load %a[%row] : memref<?xf32>
    %1 = arith.addf %partial_sum, %x : f32
    scf.yield %1 : f32
  }
  memref.store %total, %a[%c0] : memref<?xf32>
  gpu.return
}
"#;

#[test]
fn registers_and_labels_are_called_what_values_are() {
    let ptx = named(SCALE);
    expect(
        &ptx,
        &["%row_", "%partial_sum_", "$for_row_", "ld.global.f32 %x_"],
    );
    // Without names there are numbers.
    let plain = compile_with(&in_module(SCALE), &options("sm_90"))
        .unwrap()
        .ptx;
    count(&plain, "row", 0);
    expect(&plain, &["$for_", "ld.global.f32 %f"]);
}

#[test]
fn names_of_locations_are_names_and_odd_ones_are_mended() {
    let ptx = named(
        r#"
gpu.func @k(%a: memref<?xf32>) kernel {
  %i = gpu.thread_id x
  %0 = memref.load %a[%i] : memref<?xf32> loc("wind.speed"("f.c":1:1))
  %1 = math.sqrt %0 : f32 loc("3rd"("f.c":2:1))
  %2 = arith.addf %1, %0 : f32 loc("a_name_that_is_longer_than_lines_bear"("f.c":3:1))
  memref.store %2, %a[%i] : memref<?xf32>
  gpu.return
}
"#,
    );
    expect(
        &ptx,
        &[
            "ld.global.f32 %wind_speed_",
            "sqrt.rn.f32 %f",
            "add.rn.f32 %a_name_that_is_longer_th_",
        ],
    );
}

#[test]
fn an_op_taken_apart_gives_its_name_to_what_it_computes() {
    // Both lines come from one, as lowering leaves them.
    let ptx = named(
        r#"
gpu.func @k(%a: memref<?xi32>) kernel {
  %i = gpu.thread_id x
  %c3 = arith.constant 3 : index
  %0 = arith.muli %i, %c3 : index loc("v"("f.c":1:1))
  %1 = memref.load %a[%0] : memref<?xi32> loc("v"("f.c":1:1))
  memref.store %1, %a[%i] : memref<?xi32>
  gpu.return
}
"#,
    );
    expect(&ptx, &["ld.global.u32 %v_"]);
    count(&ptx, "mul.lo.s64 %v", 0);
}

#[test]
fn many_names_are_declared_in_few_lines() {
    let mut body = String::from("gpu.func @k(%a: memref<?xf32>) kernel {\n%i = gpu.thread_id x\n");
    for n in 0..20 {
        body.push_str(&format!(
            "%c{n} = arith.constant {n} : index\n%v{n} = memref.load %a[%c{n}] : memref<?xf32>\n\
             memref.store %v{n}, %a[%i] : memref<?xf32>\n"
        ));
    }
    body.push_str("gpu.return }");
    let text = named(&body);
    let lines = text
        .lines()
        .filter(|l| l.starts_with("\t.reg .f32 %v"))
        .count();
    assert_eq!(lines, 3, "{text}");
    // Which the assembler takes, and our own parser.
    if let Some(ptxas) = assembler() {
        ptxas.assemble_unoptimised(&text, "sm_90").unwrap();
    }
    let parsed = parse::parse(&text).unwrap().module;
    assert!(parsed.funcs.iter().all(|(_, f)| f.regs.len() > 20));
}
