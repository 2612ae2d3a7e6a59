// Divisors and distances of shifts that only conditions keep within what is allowed. Where no element is, a divisor
// would be 0.
//
// DEFINE: %{run} = terrace run %s --target emulator --verify
// RUN: %{run} --size N=37 | FileCheck %s
// RUN: %{run} --size N=300 | FileCheck %s
// RUN: %{run} --size N=4100 | FileCheck %s
//
// CHECK: divisions_kernel
// CHECK: verify passed
//
// The interpreter of tiles takes no divisor of 0, no shift too far and no broken promise, for any element.
// RUN: terrace-opt %s -affine-parallelize -tile-from-affine -o %t.mlir
// RUN: FileCheck %s --check-prefix=TILES --input-file=%t.mlir
// RUN: terrace run %s --target interp --size N=37 | FileCheck %s --check-prefix=SAME
// RUN: terrace run %t.mlir --target interp --size N=37 | FileCheck %s --check-prefix=SAME
// TILES: gpu.mapper = "tile"
// SAME: array B {{.*}} checksum sum 3.1620000000e3 weighted 1.6735431380e3
func.func @divisions(
    %A: memref<?x?xi32> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:5x37:1"},
    %D: memref<?xi32> {terrace.name = "D", terrace.dims = ["M"], terrace.init = "random:5:3"},
    %B: memref<?x?xi32> {terrace.name = "B", terrace.dims = ["M", "N"], terrace.init = "zeros:5x37"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bits = arith.constant 32 : i32
  %all = arith.constant 7 : i32
  %m = memref.dim %A, %c0 : memref<?x?xi32>
  %n = memref.dim %A, %c1 : memref<?x?xi32>
  affine.for %i = 0 to %m {
    %most = affine.for %j = 1 to %n iter_args(%a = %one) -> (i32) {
      %x = affine.load %A[%i, %j] : memref<?x?xi32>
      %t = arith.maxsi %a, %x : i32
      affine.yield %t : i32
    }
    affine.for %j = 0 to %n {
      %x = affine.load %A[%i, %j] : memref<?x?xi32>
      %share = arith.divsi %all, %most : i32
      %place = arith.index_cast %j : index to i32
      %next = arith.addi %place, %one : i32
      %odd = arith.remsi %x, %next : i32
      %c = arith.cmpi sgt, %x, %zero : i32
      %q = scf.if %c -> (i32) {
        %d = affine.load %D[%i] : memref<?xi32>
        %e = arith.divsi %all, %x : i32
        %f = arith.addi %d, %e : i32
        scf.yield %f : i32
      } else {
        scf.yield %share : i32
      }
      %few = arith.cmpi ult, %x, %bits : i32
      %r = scf.if %few -> (i32) {
        %s = arith.shli %one, %x : i32
        %u = arith.addi %s, %odd overflow<nsw> : i32
        scf.yield %u : i32
      } else {
        scf.yield %q : i32
      }
      affine.store %r, %B[%i, %j] : memref<?x?xi32>
    }
  }
  return
}
