use super::candidate::{Module, Reader};
use super::edits::{ALL, Edit};
use super::{Options, run};

const READER: Reader = Reader {
    allow_unregistered: true,
};

fn module(text: &str) -> Module {
    crate::with_stack(|| READER.read("test", text)).expect("the module is valid")
}

fn named(name: &str) -> &'static Edit {
    ALL.iter().find(|e| e.name == name).expect("an edit")
}

/// All that an edit makes of a module at single places, without white space at the ends of
/// lines.
fn made(edit: &str, text: &str) -> Vec<String> {
    let (of, edit) = (module(text), named(edit));
    crate::with_stack(|| {
        let places = 0..READER.places(&of, edit);
        places
            .filter_map(|i| READER.edited(&of, edit, i..i + 1))
            .map(|m| m.text.to_string())
            .collect()
    })
}

/// One of the modules that an edit makes has these lines in a row, and none of them `not`.
fn makes(edit: &str, text: &str, lines: &[&str], not: &str) {
    let all = made(edit, text);
    let has = |t: &String| {
        let have: Vec<&str> = t.lines().map(str::trim).collect();
        have.windows(lines.len()).any(|w| w == lines) && (not.is_empty() || !t.contains(not))
    };
    assert!(
        all.iter().any(has),
        "{edit} does not make\n{}\nbut\n{}",
        lines.join("\n"),
        all.join("\n---\n")
    );
}

const CALLS: &str = "\
func.func private @g(%a: f32 {t.x = 1 : i32}, %n: index, %b: f32) -> (f32, index) {
  %s = arith.addf %a, %b : f32
  return %s, %n : f32, index
}
func.func @f(%x: f32, %n: index) -> (f32, index) attributes {t.note} {
  %r:2 = call @g(%x, %n, %x) : (f32, index, f32) -> (f32, index)
  return %r#0, %r#1 : f32, index
}
";

#[test]
fn functions_go_with_their_calls() {
    let f = "func.func @f(%arg0: f32, %arg1: index) -> (f32, index) attributes {t.note} {";
    makes(
        "symbols",
        CALLS,
        &[f, "return %arg0, %arg1 : f32, index"],
        "@g",
    );
    makes(
        "bodies of functions",
        CALLS,
        &["func.func private @g(f32 {t.x = 1 : i32}, index, f32) -> (f32, index)"],
        "addf",
    );
    makes(
        "arguments of functions",
        CALLS,
        &["%0:2 = call @g(%arg0, %arg1) : (f32, index) -> (f32, index)"],
        "",
    );
    makes(
        "arguments of functions",
        CALLS,
        &["%0:2 = call @g(%arg1, %arg0) : (index, f32) -> (f32, index)"],
        "t.x",
    );
    makes(
        "results of functions",
        CALLS,
        &[
            "%0 = call @g(%arg0, %arg1, %arg0) : (f32, index, f32) -> f32",
            "return %0, %arg1 : f32, index",
        ],
        "",
    );
    makes(
        "attributes",
        CALLS,
        &["func.func @f(%arg0: f32, %arg1: index) -> (f32, index) {"],
        "",
    );
    makes(
        "attributes",
        CALLS,
        &["func.func private @g(%arg0: f32, %arg1: index, %arg2: f32) -> (f32, index) {"],
        "",
    );
}

const LOOPS: &str = "\
func.func @f(%m: memref<64xf32, strided<[1], offset: 3>>, %n: index, %x: f32, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.for %i = %c0 to %c64 step %c4 iter_args(%a = %x, %b = %x) -> (f32, f32) {
    %v = memref.load %m[%i] : memref<64xf32, strided<[1], offset: 3>>
    %s = arith.addf %a, %v : f32
    scf.yield %s, %a : f32, f32
  }
  %q = scf.if %c -> (f32) {
    scf.yield %r#0 : f32
  } else {
    scf.yield %r#1 : f32
  }
  return %q : f32
}
";

#[test]
fn regions_and_results_go() {
    let body = [
        "%0 = memref.load %arg0[%c0] : memref<64xf32, strided<[1], offset: 3>>",
        "%1 = arith.addf %arg2, %0 : f32",
    ];
    makes("ops around regions", LOOPS, &body, "scf.for");
    makes(
        "ops around regions",
        LOOPS,
        &["return %0#1 : f32"],
        "scf.if",
    );
    makes(
        "results",
        LOOPS,
        &["%0 = scf.for %arg4 = %c0 to %c64 step %c4 iter_args(%arg5 = %arg2) -> (f32) {"],
        "%0#",
    );
    makes("ops", LOOPS, &["%2 = arith.addf %arg5, %cst : f32"], "");
    makes(
        "results by constants",
        LOOPS,
        &["%2 = arith.addf %arg5, %cst : f32"],
        "memref.load",
    );
    makes(
        "results by arguments",
        LOOPS,
        &["return %arg2 : f32"],
        "scf.if",
    );
    makes("sizes", LOOPS, &["%c32 = arith.constant 32 : index"], "64");
    makes(
        "types",
        LOOPS,
        &["%2 = memref.load %arg0[%arg4] : memref<64xf32>"],
        "strided",
    );
    makes(
        "types",
        LOOPS,
        &["%2 = memref.load %arg0[%arg4] : memref<1xf32, strided<[1], offset: 3>>"],
        "",
    );
    makes("constants", LOOPS, &["%c3 = arith.constant 3 : index"], "");
    makes(
        "operands by earlier values",
        LOOPS,
        &["scf.yield %3, %arg2 : f32, f32"],
        "",
    );
}

#[test]
fn what_may_be_empty_is_emptied() {
    let text = "\
func.func @f(%c: i1, %m: memref<4xf32>, %x: f32, %n: index) {
  scf.if %c {
  } else {
    memref.store %x, %m[%n] : memref<4xf32>
  }
  return
}
";
    makes("regions", text, &["scf.if %arg0 {", "}", "return"], "store");
}

const BLOCKS: &str = "\
func.func @f(%c: i1, %x: i32, %y: i32) -> i32 {
  cf.cond_br %c, ^a(%x : i32), ^b(%y : i32)
^a(%p: i32):
  %q = arith.addi %p, %x : i32
  cf.br ^b(%q : i32)
^b(%r: i32):
  return %r : i32
}
";

#[test]
fn blocks_go() {
    makes("branches", BLOCKS, &["cf.br ^bb1(%arg2 : i32)"], "addi");
    makes(
        "branches",
        BLOCKS,
        &["%c0_i32 = arith.constant 0 : i32", "return %c0_i32 : i32"],
        "cf.",
    );
    makes(
        "arguments of blocks",
        BLOCKS,
        &["cf.cond_br %arg0, ^bb1(%arg1 : i32), ^bb2"],
        "",
    );
    let one = "\
func.func @f(%x: i32) -> i32 {
  cf.br ^a(%x : i32)
^a(%p: i32):
  return %p : i32
}
";
    makes(
        "blocks",
        one,
        &["func.func @f(%arg0: i32) -> i32 {", "return %arg0 : i32"],
        "",
    );
}

const AFFINE: &str = "\
func.func @f(%m: memref<100xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to min affine_map<()[s0] -> (s0, 90)>()[%n] step 3 {
    affine.if affine_set<(d0)[s0] : (d0 - 10 >= 0, s0 - d0 >= 0)>(%i)[%n] {
      affine.store %x, %m[(%i + symbol(%n)) mod 8] : memref<100xf32>
    }
  }
  return
}
";

#[test]
fn affine_maps_and_sets_are_simplified() {
    let e = "affine expressions";
    let store = |s: &str| format!("affine.store %arg2, %arg0[{s}] : memref<100xf32>");
    makes(e, AFFINE, &[&store("0")], "");
    makes(e, AFFINE, &[&store("%arg3 + symbol(%arg1)")], " mod ");
    makes(e, AFFINE, &[&store("%arg3 mod 8")], "");
    makes(e, AFFINE, &["affine.for %arg3 = 0 to 90 step 3 {"], "min");
    makes(e, AFFINE, &["affine.if #set(%arg3) {"], "#set1");
    makes(
        "constants",
        AFFINE,
        &["affine.for %arg3 = 0 to min #map()[%arg1] {"],
        "step",
    );
    makes(
        "sizes",
        AFFINE,
        &[&store("(%arg3 + symbol(%arg1)) mod 8").replace("100", "50")],
        "",
    );
}

/// Whatever is taken away, wherever: no edit panics, and what comes out is valid and smaller.
#[test]
fn every_edit_at_every_place() {
    let gpu = "\
module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @f(%m: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %m[%i] : memref<?xf32>
    memref.store %v, %m[%i] : memref<?xf32>
    gpu.return
  }
}
func.func @main(%m: memref<?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @k::@f blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<?xf32>)
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %v = memref.load %m[%bx] : memref<?xf32>
    memref.store %v, %m[%tx] : memref<?xf32>
    gpu.terminator
  }
  return
}
}
";
    let other = "\
memref.global constant @t : memref<2x2xi32> = dense<[[1, 2], [3, 4]]>
func.func @w(%n: i32, %v: vector<4xf32>, %u: tensor<*xf32>) -> i32 {
  %k = \"x.op\"(%n) ({
  ^bb0(%z: i32):
    \"x.end\"(%z) : (i32) -> ()
  }) {q = [1, 2.5, \"s\"]} : (i32) -> i32
  %r = scf.while (%a = %k) : (i32) -> i32 {
    %c = arith.cmpi slt, %a, %n : i32
    scf.condition(%c) %a : i32
  } do {
  ^bb0(%b: i32):
    %d = arith.addi %b, %b : i32
    scf.yield %d : i32
  }
  cf.switch %r : i32, [default: ^x(%r : i32), 7: ^y, 8: ^x(%n : i32)]
^x(%p: i32):
  return %p : i32
^y:
  return %n : i32
}
";
    for text in [CALLS, LOOPS, BLOCKS, AFFINE, gpu, other] {
        let of = module(text);
        for edit in ALL {
            crate::with_stack(|| {
                let n = READER.places(&of, edit);
                for i in 0..n {
                    for to in [i + 1, n] {
                        if let Some(m) = READER.edited(&of, edit, i..to) {
                            assert!(m.size < of.size && m.text != of.text, "{}", edit.name);
                        }
                    }
                }
            });
        }
    }
}

#[test]
fn the_result_is_the_same_for_any_number_of_jobs() {
    let folder = std::env::temp_dir().join(format!("terrace-reduce-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("in.mlir");
    std::fs::write(&file, LOOPS).unwrap();
    let reduced = |jobs: usize, max_tests: Option<usize>| {
        let options = Options {
            file: file.display().to_string(),
            test: "grep -q 'scf.yield %.*, %'".to_string(),
            output: None,
            jobs,
            timeout: None,
            max_tests,
            allow_unregistered: false,
        };
        let mut lines = Vec::new();
        let outcome = run(&options, &mut |l| lines.push(l.to_string()));
        assert_eq!((outcome.code, &*outcome.stderr), (0, ""));
        // The last line has the time.
        let last = lines.pop().unwrap();
        let tests = last.split(", ").nth(1).unwrap().to_string();
        (outcome.stdout, lines, tests)
    };
    let one = reduced(1, None);
    assert!(
        one.0.contains("scf.yield") && one.0.lines().count() < 12,
        "{}",
        one.0
    );
    for jobs in [2, 5] {
        assert_eq!(reduced(jobs, None), one);
    }
    let few = reduced(1, Some(9));
    assert_eq!(few.2, "9 tests");
    assert_eq!(reduced(4, Some(9)), few);
    std::fs::remove_dir_all(&folder).unwrap();
}
