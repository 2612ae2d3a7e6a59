//! Programs whose kernels are in functions that they call: how much is copied, and that the
//! results are those of the interpreter.

use super::tools::terrace_with;

/// A step of a stencil, and functions that call it.
const PROGRAM: &str = r#"
func.func @time(%A: memref<?xf64>, %B: memref<?xf64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    func.call @step(%A, %B) : (memref<?xf64>, memref<?xf64>) -> ()
    func.call @step(%B, %A) : (memref<?xf64>, memref<?xf64>) -> ()
  }
  return
}
func.func @rounds(%A: memref<?xf64>, %B: memref<?xf64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    func.call @steps(%A, %B, %m) : (memref<?xf64>, memref<?xf64>, index) -> ()
    func.call @steps(%B, %A, %m) : (memref<?xf64>, memref<?xf64>, index) -> ()
  }
  return
}
func.func @itself(%A: memref<?xf64>, %B: memref<?xf64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    func.call @scale(%A, %A) : (memref<?xf64>, memref<?xf64>) -> ()
    func.call @scale(%A, %B) : (memref<?xf64>, memref<?xf64>) -> ()
  }
  return
}
func.func private @steps(%A: memref<?xf64>, %B: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    func.call @step(%A, %B) : (memref<?xf64>, memref<?xf64>) -> ()
  }
  return
}
func.func private @step(%X: memref<?xf64>, %Y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %quarter = arith.constant 0.25 : f64
  %n = memref.dim %X, %c0 : memref<?xf64>
  affine.parallel (%i) = (1) to (symbol(%n) - 1) {
    %l = affine.load %X[%i - 1] : memref<?xf64>
    %m = affine.load %X[%i] : memref<?xf64>
    %r = affine.load %X[%i + 1] : memref<?xf64>
    %s = arith.addf %l, %m : f64
    %u = arith.addf %s, %r : f64
    %v = arith.mulf %u, %quarter : f64
    affine.store %v, %Y[%i] : memref<?xf64>
  }
  return
}
func.func private @scale(%X: memref<?xf64>, %Y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %X, %c0 : memref<?xf64>
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %x = affine.load %X[%i] : memref<?xf64>
    %y = affine.load %Y[%i] : memref<?xf64>
    %v = arith.addf %x, %y : f64
    affine.store %v, %Y[%i] : memref<?xf64>
  }
  return
}
"#;

/// Runs a function of the program on the emulator, beside the interpreter; the bytes that
/// went to the device and back.
fn bytes(entry: &str, n: u32, m: u32) -> (u64, u64) {
    let n = format!("n={n}");
    let m = format!("m={m}");
    let args = [
        "run",
        "-",
        "--target",
        "emulator",
        "--verify",
        "--entry",
        entry,
        "--arg",
        "0=iota:64",
        "--arg",
        "1=random:64",
        "--arg",
        &n.replace('n', "2"),
        "--arg",
        &m.replace('m', "3"),
    ];
    let r = terrace_with(PROGRAM, &args).exits(0);
    assert!(
        r.stdout.contains("verify   passed"),
        "{entry}: {}",
        r.stdout
    );
    let moved = |way: &str| {
        let line = r.stdout.lines().find_map(|l| l.strip_prefix(way));
        let bytes = line.and_then(|l| l.split_whitespace().next());
        bytes.map_or(0, |b| b.parse().expect("a number of bytes"))
    };
    (moved("host to device"), moved("device to host"))
}

/// Each array goes there once and back once, however often the functions are called.
#[test]
fn a_loop_over_time_around_calls() {
    assert_eq!(bytes("time", 10, 0), (1024, 1024));
    assert_eq!(bytes("time", 0, 0), (0, 0));
}

/// Where the inner loop may not run, flags say at run time what is to be copied.
#[test]
fn loops_in_functions_in_loops() {
    assert_eq!(bytes("rounds", 4, 3), (1024, 1024));
    assert_eq!(bytes("rounds", 4, 0), (0, 0));
    assert_eq!(bytes("rounds", 0, 3), (0, 0));
}

#[test]
fn an_array_handed_over_twice() {
    assert_eq!(bytes("itself", 3, 0), (1024, 1024));
}
