// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s -gpu-map-reductions -o %t.mlir
// RUN: FileCheck %s --check-prefix=TILES < %t.mlir
// RUN: terrace run %t.mlir --target emulator | FileCheck %s

// Loops whose bounds differ from row to row: a block goes along what its rows have together, and what
// is beyond a row's own bounds is neither copied nor stored.

// TILES-COUNT-4: gpu.launch

// CHECK: array A 150x150xf32 checksum sum 1.1144403745e4 weighted 5.5464481940e3
// CHECK: array B 150x150xf32 checksum sum 2.8063873207e5 weighted 1.3963115885e5
// CHECK: array C 150x150xf64 checksum sum 1.6435597012e4 weighted 8.1845379256e3
// CHECK: array x 150xf32 checksum sum 7.6277818659e1 weighted 4.0984585431e1
// CHECK: array y 150xf32 checksum sum 2.8555165819e3 weighted 1.4562952740e3
// CHECK: array z 150xf64 checksum sum 1.5477849932e3 weighted 7.9274357765e2
func.func @ragged(
    %A: memref<150x150xf32> {terrace.name = "A", terrace.init = "random:150x150:1"},
    %B: memref<150x150xf32> {terrace.name = "B", terrace.init = "zeros"},
    %C: memref<150x150xf64> {terrace.name = "C", terrace.init = "random:150x150:4"},
    %x: memref<150xf32> {terrace.name = "x", terrace.init = "random:150:2"},
    %y: memref<150xf32> {terrace.name = "y", terrace.init = "zeros"},
    %z: memref<150xf64> {terrace.name = "z", terrace.init = "zeros"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %c149 = arith.constant 149 : index
  %c150 = arith.constant 150 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  // Above the diagonal, behind which the last row has nothing.
  scf.parallel (%i) = (%c0) to (%c150) step (%c1) {
    %from = arith.addi %i, %c1 : index
    %r = scf.for %j = %from to %c150 step %c1 iter_args(%s = %zero) -> (f32) {
      %a = memref.load %A[%i, %j] : memref<150x150xf32>
      %v = memref.load %x[%j] : memref<150xf32>
      %p = arith.mulf %a, %v : f32
      %t = arith.addf %s, %p : f32
      scf.yield %t : f32
    }
    memref.store %r, %y[%i] : memref<150xf32>
    scf.reduce
  }
  // Below it, with running values, backwards; the first row has nothing.
  scf.parallel (%i) = (%c0) to (%c150) step (%c1) {
    scf.for %j = %c0 to %i step %c1 iter_args(%s = %zero) -> (f32) {
      %k = arith.subi %c149, %j : index
      %a = memref.load %A[%i, %k] : memref<150x150xf32>
      %t = arith.addf %s, %a : f32
      memref.store %t, %B[%i, %k] : memref<150x150xf32>
      scf.yield %t : f32
    }
    scf.reduce
  }
  // A band in place; then a sum in memory along columns, of nothing in some.
  scf.parallel (%i) = (%c0) to (%c150) step (%c1) {
    %low = arith.subi %i, %c40 : index
    %high = arith.addi %i, %c40 : index
    %from = arith.maxsi %low, %c0 : index
    %to = arith.minsi %high, %c150 : index
    scf.for %j = %from to %to step %c1 iter_args(%s = %one) -> (f64) {
      %a = memref.load %C[%i, %j] : memref<150x150xf64>
      %p = arith.mulf %s, %half : f64
      %t = arith.addf %a, %p : f64
      memref.store %t, %C[%i, %j] : memref<150x150xf64>
      scf.yield %t : f64
    }
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%c150) step (%c1) {
    %from = arith.addi %i, %c40 : index
    scf.for %j = %from to %c150 step %c1 {
      %s = memref.load %z[%i] : memref<150xf64>
      %a = memref.load %C[%i, %j] : memref<150x150xf64>
      %b = memref.load %C[%j, %i] : memref<150x150xf64>
      %p = arith.mulf %a, %b : f64
      %t = arith.addf %s, %p : f64
      memref.store %t, %z[%i] : memref<150xf64>
    }
    scf.reduce
  }
  return
}
