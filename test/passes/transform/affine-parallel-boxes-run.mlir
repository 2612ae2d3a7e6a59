// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s -affine-parallel-boxes | terrace run - --target interp | FileCheck %s
// RUN: terrace run %s --target emulator --verify | FileCheck %s --check-prefix=VERIFY
// RUN: terrace run %s --target emulator --emit schedule | FileCheck %s --check-prefix=MAPPED

// Both triangles of what a step of LU changes, written so that they are not united, then a corner in steps; beside the box there is
// nothing in memory, as the bounds of b are those of the triangle.
// CHECK: array {{ *}}a {{ *}}13x13xf64 {{ *}}checksum sum 2.6108782900e1 weighted 1.1756883959e1
// CHECK: array {{ *}}b {{ *}}13x13xf64 {{ *}}checksum sum 1.4173512885e0 weighted -1.0006093729e0
// VERIFY: verify passed
// MAPPED: map_to_gpu %0 block [32, 8, 1]
// MAPPED: map_to_gpu %1 block [32, 8, 1]
// MAPPED: map_to_gpu %2 block [32, 8, 1]
func.func @update(
    %a: memref<?x?xf64> {terrace.name = "a", terrace.dims = ["N", "N"], terrace.init = "random:13x13:1"},
    %b: memref<?x?xf64> {terrace.name = "b", terrace.dims = ["N", "N"], terrace.init = "zeros:13x13"}) {
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
        %3 = arith.mulf %2, %1 : f64
        %4 = arith.subf %0, %3 : f64
        affine.store %4, %a[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.parallel (%j) = (1) to (symbol(%n) - %i) step (2) {
      %0 = affine.load %a[%i + %j, %j] : memref<?x?xf64>
      affine.store %0, %b[%i, symbol(%n) - %i - %j - 1] : memref<?x?xf64>
    }
  }
  return
}
