// What is fused, and what is left over in front and behind, run on the emulator, which finds
// threads that do not wait for one another. Boxes may be empty.
// RUN: terrace-opt %s -gpu-fuse-nests=always=true -o %t.fused.mlir
// RUN: FileCheck %s --input-file=%t.fused.mlir --check-prefix=FUSED
// RUN: terrace run %t.fused.mlir --target emulator --verify | FileCheck %s
// RUN: terrace run %t.fused.mlir --target emulator --verify --size N=1 --size M=9 | FileCheck %s
// RUN: terrace run %t.fused.mlir --target emulator --verify --size N=9 --size M=1 | FileCheck %s
// RUN: terrace run %t.fused.mlir --target emulator --verify --size N=2 --size M=2 | FileCheck %s
// RUN: terrace run %t.fused.mlir --target emulator --verify --size N=0 --size M=3 | FileCheck %s

// FUSED-COUNT-9: affine.parallel
// FUSED-NOT: affine.parallel
// CHECK: passed against the interpreter
func.func @fields(
    %ex: memref<?x?xf64> {terrace.name = "ex", terrace.dims = ["N", "M"], terrace.init = "random:37x70:1"},
    %ey: memref<?x?xf64> {terrace.name = "ey", terrace.dims = ["N", "M"], terrace.init = "random:37x70:2"},
    %hz: memref<?x?xf64> {terrace.name = "hz", terrace.dims = ["N", "M"], terrace.init = "random:37x70:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %ex, %c0 : memref<?x?xf64>
  %m = memref.dim %ex, %c1 : memref<?x?xf64>
  affine.for %t = 0 to 3 {
    affine.parallel (%i) = (1) to (symbol(%n)) {
      affine.parallel (%j) = (0) to (symbol(%m)) {
        %e = affine.load %ey[%i, %j] : memref<?x?xf64>
        %h = affine.load %hz[%i, %j] : memref<?x?xf64>
        %g = affine.load %hz[%i - 1, %j] : memref<?x?xf64>
        %d = arith.subf %h, %g : f64
        %s = arith.subf %e, %d : f64
        affine.store %s, %ey[%i, %j] : memref<?x?xf64>
      }
    }
    affine.parallel (%i) = (0) to (symbol(%n)) {
      affine.parallel (%j) = (1) to (symbol(%m) - 1) {
        %e = affine.load %ex[%i, %j] : memref<?x?xf64>
        %h = affine.load %hz[%i, %j] : memref<?x?xf64>
        %g = affine.load %hz[%i, %j - 1] : memref<?x?xf64>
        %d = arith.subf %h, %g : f64
        %s = arith.subf %e, %d : f64
        affine.store %s, %ex[%i, %j] : memref<?x?xf64>
      }
    }
    affine.parallel (%i, %j) = (0, 0) to (symbol(%n) - 1, symbol(%m) - 1) {
      %h = affine.load %hz[%i, %j] : memref<?x?xf64>
      %e = affine.load %ex[%i, %j + 1] : memref<?x?xf64>
      %f = affine.load %ey[%i + 1, %j] : memref<?x?xf64>
      %d = arith.subf %e, %f : f64
      %s = arith.subf %h, %d : f64
      affine.store %s, %hz[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
