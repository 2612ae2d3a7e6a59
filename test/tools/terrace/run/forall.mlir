// A loop over a space of points runs on all targets.
//
// RUN: terrace run %s --arg 0=iota:3x4 --target interp | FileCheck %s
// RUN: terrace run %s --arg 0=iota:3x4 --target cpu --verify | FileCheck %s
// RUN: terrace run %s --arg 0=iota:3x4 --target emulator --verify | FileCheck %s
// CHECK: array    0        3x4xf64              checksum sum 1.3200000000e2

func.func @doubled(%m: memref<?x4xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %m, %c0 : memref<?x4xf64>
  scf.forall (%i, %j) in (%n, 4) {
    %0 = memref.load %m[%i, %j] : memref<?x4xf64>
    %1 = arith.addf %0, %0 : f64
    memref.store %1, %m[%i, %j] : memref<?x4xf64>
  }
  return
}
