// What is stored is there for whoever reads it: a load under a condition between two stores, and what a loop uses
// that was stored in front of it, where several blocks share its iterations. Loops may have no iterations.
//
// DEFINE: %{run} = terrace run %s --target emulator --verify
// RUN: %{run} --size M=3 --size N=40 | FileCheck %s
// RUN: %{run} --size M=3 --size N=5000 | FileCheck %s
// RUN: %{run} --size M=9 --size N=12 | FileCheck %s
// RUN: %{run} --size M=5000 --size N=12 | FileCheck %s
// RUN: %{run} --size M=40 --size N=1 | FileCheck %s
//
// The pass alone, so that no other has made values of what is stored:
// RUN: terrace-opt %s -tile-from-affine -o %t.mlir
// RUN: terrace run %s --target interp --size M=3 --size N=40 | FileCheck %s --check-prefix=FEW
// RUN: terrace run %t.mlir --target interp --size M=3 --size N=40 | FileCheck %s --check-prefix=FEW
// RUN: terrace run %s --target interp --size M=5000 --size N=12 | FileCheck %s --check-prefix=MANY
// RUN: terrace run %t.mlir --target interp --size M=5000 --size N=12 | FileCheck %s --check-prefix=MANY
//
// FEW: A {{.*}} sum -4.0000000000e0 weighted -6.5601070523e0
// FEW: B {{.*}} sum -4.0000000000e0 weighted -6.5601070523e0
// FEW: T {{.*}} sum 8.0000000000e1 weighted 4.1597920060e1
// FEW: S {{.*}} sum -8.0000000000e0 weighted -1.2883969069e1
// FEW: R {{.*}} sum 0.0000000000e0 weighted 2.7910120487e0
//
// MANY: A {{.*}} sum -3.0902000000e4 weighted -1.5764023701e4
// MANY: B {{.*}} sum -3.0902000000e4 weighted -1.5764023701e4
// MANY: T {{.*}} sum 2.4000000000e1 weighted 1.2092926264e1
// MANY: S {{.*}} sum -6.1804000000e4 weighted -3.0317900752e4
// MANY: R {{.*}} sum -6.4920000000e4 weighted -3.2352025519e4
//
// CHECK: verify   passed
func.func @memory(
    %A: memref<?x?xi32> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:7x9:1"},
    %B: memref<?x?xi32> {terrace.name = "B", terrace.dims = ["M", "N"], terrace.init = "zeros:7x9"},
    %T: memref<?xi32> {terrace.name = "T", terrace.dims = ["N"], terrace.init = "iota:9"},
    %S: memref<?xi32> {terrace.name = "S", terrace.dims = ["N"], terrace.init = "zeros:9"},
    %R: memref<?x?xi32> {terrace.name = "R", terrace.dims = ["M", "N"], terrace.init = "zeros:7x9"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %m = memref.dim %A, %c0 : memref<?x?xi32>
  %n = memref.dim %A, %c1 : memref<?x?xi32>
  // The first store is read under a condition before the second.
  affine.parallel (%i) = (0) to (symbol(%m)) {
    affine.for %j = 0 to %n {
      %x = affine.load %A[%i, %j] : memref<?x?xi32>
      %y = arith.muli %x, %two : i32
      affine.store %y, %B[%i, %j] : memref<?x?xi32>
    }
    affine.for %j = 0 to %n {
      %y = affine.if affine_set<()[s0] : (s0 - 4 >= 0)>()[%n] -> i32 {
        %z = affine.load %B[%i, 2] : memref<?x?xi32>
        affine.yield %z : i32
      } else {
        affine.yield %none : i32
      }
      affine.store %y, %R[%i, %j] : memref<?x?xi32>
    }
    affine.for %j = 0 to %n {
      %x = affine.load %A[%i, %j] : memref<?x?xi32>
      affine.store %x, %B[%i, %j] : memref<?x?xi32>
    }
  }
  // What is stored in front of the loop is read in it.
  affine.parallel (%j) = (0) to (symbol(%n)) {
    affine.store %two, %T[%j] : memref<?xi32>
    %s = affine.for %i = 0 to %m iter_args(%t = %none) -> (i32) {
      %x = affine.load %A[%i, %j] : memref<?x?xi32>
      %f = affine.load %T[%j] : memref<?xi32>
      %p = arith.muli %x, %f : i32
      %q = arith.addi %t, %p : i32
      affine.yield %q : i32
    }
    affine.store %s, %S[%j] : memref<?xi32>
  }
  return
}
