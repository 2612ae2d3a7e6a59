// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s -affine-parallel-boxes | terrace run - --target interp | FileCheck %s
// RUN: terrace run %s --target emulator --verify | FileCheck %s --check-prefix=VERIFY

// Both triangles of what a step of LU changes.
// CHECK: array a 13x13xf64 checksum sum
// VERIFY: verify passed
func.func @update(%a: memref<?x?xf64> {terrace.name = "a", terrace.dims = ["N", "N"], terrace.init = "random:13x13:1"}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?x?xf64>
  affine.for %k = 0 to %n {
    affine.parallel (%i) = (%k + 2) to (symbol(%n)) {
      affine.parallel (%j) = (%k + 1) to (%i) {
        %0 = affine.load %a[%i, %j] : memref<?x?xf64>
        %1 = affine.load %a[%i, %k] : memref<?x?xf64>
        %2 = affine.load %a[%k, %j] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.subf %0, %3 : f64
        affine.store %4, %a[%i, %j] : memref<?x?xf64>
      }
    }
    affine.parallel (%i) = (%k + 1) to (symbol(%n)) {
      affine.parallel (%j) = (%i) to (symbol(%n)) {
        %0 = affine.load %a[%i, %j] : memref<?x?xf64>
        %1 = affine.load %a[%i, %k] : memref<?x?xf64>
        %2 = affine.load %a[%k, %j] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.subf %0, %3 : f64
        affine.store %4, %a[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
