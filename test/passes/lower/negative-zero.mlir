// RUN: terrace run %s --entry sum --target interp | FileCheck %s
// RUN: terrace run %s --entry sum --target cpu | FileCheck %s
// RUN: terrace run %s --entry sum --target emulator | FileCheck %s
// RUN: terrace-opt %s -affine-parallelize=parallel-reductions=1 -o %t.mlir
// RUN: FileCheck %s --check-prefix=PARALLEL < %t.mlir
// RUN: terrace run %t.mlir --entry loop --target interp | FileCheck %s
// RUN: terrace run %t.mlir --entry loop --target cpu | FileCheck %s
// RUN: terrace run %t.mlir --entry loop --target emulator | FileCheck %s
// RUN: terrace-opt %s -affine-super-vectorize='virtual-vector-size=4 vectorize-reductions=1' -o %t.vector.mlir
// RUN: FileCheck %s --check-prefix=VECTOR < %t.vector.mlir
// RUN: terrace run %t.vector.mlir --entry loop --target interp | FileCheck %s
// RUN: terrace-opt %s -offload-parallelize -o %t.offload.mlir
// RUN: FileCheck %s --check-prefix=PARALLEL < %t.offload.mlir
// RUN: terrace run %t.offload.mlir --entry loop --target cpu | FileCheck %s

// A sum of nothing but -0 is -0: parts of it must not start from 0, which makes 0 of it. What
// comes out is 1 divided by it.
// CHECK: result 0: -inf

func.func @sum(%x: memref<?xf64> {terrace.name = "x", terrace.init = "zeros:1000"},
               %n: index {terrace.name = "n", terrace.init = "1000"}) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %init = arith.constant -0.0 : f64
  %s = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%init) -> f64 {
    %z = memref.load %x[%i] : memref<?xf64>
    %v = arith.negf %z : f64
    scf.reduce(%v : f64) {
    ^bb0(%a: f64, %b: f64):
      %t = arith.addf %a, %b : f64
      scf.reduce.return %t : f64
    }
  }
  %q = arith.divf %one, %s : f64
  return %q : f64
}

// PARALLEL-LABEL: func.func @loop
// PARALLEL: affine.parallel
// VECTOR-LABEL: func.func @loop
// VECTOR: vector.reduction <add>
func.func @loop(%x: memref<1000xf64> {terrace.name = "x", terrace.init = "zeros"}) -> f64 {
  %one = arith.constant 1.0 : f64
  %init = arith.constant -0.0 : f64
  %s = affine.for %i = 0 to 1000 iter_args(%acc = %init) -> f64 {
    %z = affine.load %x[%i] : memref<1000xf64>
    %v = arith.negf %z : f64
    %t = arith.addf %acc, %v : f64
    affine.yield %t : f64
  }
  %q = arith.divf %one, %s : f64
  return %q : f64
}
