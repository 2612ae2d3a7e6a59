// Columns of which only some elements are combined, so many rows that blocks share them, and a transpose of which
// only some elements are stored.
//
// DEFINE: %{run} = terrace run %s --target emulator --verify
// RUN: %{run} --size M=7 --size N=40 | FileCheck %s
// RUN: %{run} --size M=33 --size N=129 | FileCheck %s
// RUN: %{run} --size M=5000 --size N=12 | FileCheck %s
// RUN: %{run} --size M=3 --size N=1 | FileCheck %s
//
// CHECK: verify passed
//
// RUN: terrace-opt %s -affine-parallelize -tile-from-affine | FileCheck %s --check-prefix=TILES
// TILES: tile.load {{.*}} mask
// TILES: tile.store {{.*}} mask
func.func @folds(
    %A: memref<?x?xi32> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:7x9:1"},
    %B: memref<?x?xi32> {terrace.name = "B", terrace.dims = ["M", "N"], terrace.init = "random:7x9:2"},
    %S: memref<?xi32> {terrace.name = "S", terrace.dims = ["N"], terrace.init = "iota:9"},
    %T: memref<?x?xi32> {terrace.name = "T", terrace.dims = ["N", "M"], terrace.init = "random:9x7:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = memref.dim %A, %c0 : memref<?x?xi32>
  %n = memref.dim %A, %c1 : memref<?x?xi32>
  affine.for %j = 0 to %n {
    %s = affine.for %i = 1 to %m iter_args(%a = %zero) -> (i32) {
      %x = affine.load %A[%i, %j] : memref<?x?xi32>
      %c = arith.cmpi slt, %x, %zero : i32
      %t = scf.if %c -> (i32) {
        %y = affine.load %B[%i, %j] : memref<?x?xi32>
        %d = affine.if affine_set<(d0) : (d0 mod 3 - 1 >= 0)>(%j) -> i32 {
          %z = affine.load %B[%i - 1, %j] : memref<?x?xi32>
          %w = arith.addi %a, %z : i32
          affine.yield %w : i32
        } else {
          %w = arith.addi %y, %a : i32
          affine.yield %w : i32
        }
        scf.yield %d : i32
      } else {
        scf.yield %a : i32
      }
      affine.yield %t : i32
    }
    %c = arith.cmpi sgt, %s, %zero : i32
    scf.if %c {
      affine.store %s, %S[%j] : memref<?xi32>
    }
  }
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %x = affine.load %A[%i, %j] : memref<?x?xi32>
      %c = arith.cmpi slt, %x, %zero : i32
      scf.if %c {
        %y = affine.load %B[%i, %j] : memref<?x?xi32>
        affine.store %y, %T[%j, %i] : memref<?x?xi32>
      }
    }
  }
  return
}
