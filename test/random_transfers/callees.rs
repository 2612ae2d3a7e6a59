//! The functions that random programs call.

const CALLEES: &str = "
func.func private @reads(%m: memref<4xf64>, %log: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<4xf64>
  memref.store %v, %log[%c0] : memref<1xf64>
  return
}
func.func private @writes(%m: memref<4xf64>, %log: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 5.0 : f64
  memref.store %v, %m[%c0] : memref<4xf64>
  return
}
func.func private @kernel(%m: memref<4xf64>, %log: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %v = memref.load %m[%c1] : memref<4xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %m[%c0] : memref<4xf64>
    gpu.terminator
  }
  return
}
func.func private @to_table(%m: memref<4xf64>, %log: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.get_global @table : memref<4xf64>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %v = memref.load %m[%c1] : memref<4xf64>
    memref.store %v, %t[%c0] : memref<4xf64>
    gpu.terminator
  }
  return
}
func.func private @twice(%m: memref<4xf64>, %log: memref<1xf64>) {
  func.call @kernel(%m, %log) : (memref<4xf64>, memref<1xf64>) -> ()
  func.call @writes(%m, %log) : (memref<4xf64>, memref<1xf64>) -> ()
  return
}
";

/// Functions of two arrays.
const OF_TWO: &str = "
func.func private @pair(SIGNATURE) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  KERNEL {
    %v = memref.load %m[%c1] : memref<4xf64>
    %w = memref.load %p[%c0] : memref<4xf64>
    %s = arith.addf %v, %w : f64
    memref.store %s, %p[%c0] : memref<4xf64>
    gpu.terminator
  }
  return
}
func.func private @both_ways(SIGNATURE) {
  func.call @pair(%m, %p, %log, %n, %c) : TYPES
  func.call @pair(%p, %m, %log, %n, %c) : TYPES
  func.call @reads(%m, %log) : (memref<4xf64>, memref<1xf64>) -> ()
  return
}
func.func private @loops(SIGNATURE) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    func.call @pair(%m, %p, %log, %n, %c) : TYPES
  }
  return
}
func.func private @perhaps(SIGNATURE) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 3.0 : f64
  scf.if %c {
    func.call @pair(%m, %p, %log, %n, %c) : TYPES
  } else {
    memref.store %k, %m[%c1] : memref<4xf64>
  }
  return
}
func.func private @early(SIGNATURE) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.cond_br %c, ^kernel, ^host
^kernel:
  KERNEL {
    %v = memref.load %m[%c0] : memref<4xf64>
    memref.store %v, %m[%c1] : memref<4xf64>
    gpu.terminator
  }
  return
^host:
  %w = memref.load %p[%c0] : memref<4xf64>
  memref.store %w, %m[%c1] : memref<4xf64>
  return
}
func.func private @deep(SIGNATURE) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  func.call @loops(%m, %p, %log, %n, %c) : TYPES
  func.call @perhaps(%p, %m, %log, %n, %c) : TYPES
  func.call @early(%p, %m, %log, %n, %c) : TYPES
  return
}
func.func private @partly(SIGNATURE) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %few = arith.minsi %n, %c4 : index
  scf.for %i = %c1 to %few step %c1 {
    KERNEL {
      %v = memref.load %m[%i] : memref<4xf64>
      memref.store %v, %p[%i] : memref<4xf64>
      gpu.terminator
    }
  }
  return
}
func.func private @between(SIGNATURE) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  KERNEL {
    %v = memref.load %m[%c0] : memref<4xf64>
    memref.store %v, %m[%c1] : memref<4xf64>
    gpu.terminator
  }
  %w = memref.load %m[%c1] : memref<4xf64>
  memref.store %w, %log[%c0] : memref<1xf64>
  memref.store %w, %p[%c1] : memref<4xf64>
  func.call @pair(%m, %p, %log, %n, %c) : TYPES
  return
}
";

/// The functions that programs call, with what they have in common written out.
pub fn callees() -> String {
    let of_two = OF_TWO
        .replace(
            "SIGNATURE",
            "%m: memref<4xf64>, %p: memref<4xf64>, %log: memref<1xf64>, %n: index, %c: i1",
        )
        .replace(
            "TYPES",
            "(memref<4xf64>, memref<4xf64>, memref<1xf64>, index, i1) -> ()",
        )
        .replace(
            "KERNEL",
            "gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1)",
        );
    format!("{CALLEES}{of_two}")
}
