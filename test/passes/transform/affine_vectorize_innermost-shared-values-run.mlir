// Values that a condition chooses which all lanes share: vectors that it chooses. They are those of
// the loops.
//
// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s "-pass-pipeline=builtin.module(func.func(affine-vectorize-innermost))" > %t.mlir
// RUN: FileCheck %s --check-prefix=LANES < %t.mlir
// RUN: terrace run %t.mlir --target interp | FileCheck %s
// RUN: terrace run %t.mlir --target cpu | FileCheck %s
//
// LANES: scf.if %{{.*}} -> (vector<{{.*}}xf64>, vector<{{.*}}xf64>) {
// LANES: } else {
// LANES: scf.yield %{{.*}}, %{{.*}} : vector<{{.*}}xf64>, vector<{{.*}}xf64>
// LANES: scf.if %{{.*}} -> (vector<{{.*}}xi32>) {
//
// CHECK: result 0: 937.66370406474
// CHECK: result 1: 331280
func.func @shared(
    %a: memref<7x101xf64> {llvm.noalias, terrace.name = "a", terrace.init = "random:7x101:1"},
    %b: memref<7x101xf64> {llvm.noalias, terrace.name = "b", terrace.init = "zeros:7x101"},
    %n: memref<7x101xi32> {llvm.noalias, terrace.name = "n", terrace.init = "iota:7x101"},
    %m: memref<7x101xi32> {llvm.noalias, terrace.name = "m", terrace.init = "zeros:7x101"}) -> (f64, i32) {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %half = arith.constant 0.5 : f64
  %one = arith.constant 1 : i32
  affine.for %i = 0 to 7 {
    %inside = arith.cmpi sgt, %i, %zero : index
    affine.for %j = 0 to 101 {
      %x = affine.load %a[%i, %j] : memref<7x101xf64>
      %u:2 = scf.if %inside -> (f64, f64) {
        %y = affine.load %a[%i - 1, %j] : memref<7x101xf64>
        %z = arith.mulf %y, %half : f64
        scf.yield %y, %z : f64, f64
      } else {
        %z = arith.addf %x, %half : f64
        scf.yield %half, %z : f64, f64
      }
      %s = arith.addf %x, %u#0 : f64
      %t = arith.addf %s, %u#1 : f64
      affine.store %t, %b[%i, %j] : memref<7x101xf64>
    }
    %late = arith.cmpi sge, %i, %three : index
    affine.for %j = 0 to 101 {
      %x = affine.load %n[%i, %j] : memref<7x101xi32>
      %u = scf.if %late -> i32 {
        %y = affine.load %n[%i - 3, %j] : memref<7x101xi32>
        scf.yield %y : i32
      } else {
        scf.yield %one : i32
      }
      %s = arith.addi %x, %u : i32
      affine.store %s, %m[%i, %j] : memref<7x101xi32>
    }
  }
  %none = arith.constant 0.0 : f64
  %nought = arith.constant 0 : i32
  %sums:2 = affine.for %k = 0 to 707 iter_args(%p = %none, %q = %nought) -> (f64, i32) {
    %x = affine.load %b[%k floordiv 101, %k mod 101] : memref<7x101xf64>
    %y = affine.load %m[%k floordiv 101, %k mod 101] : memref<7x101xi32>
    %r = arith.addf %p, %x : f64
    %s = arith.addi %q, %y : i32
    affine.yield %r, %s : f64, i32
  }
  return %sums#0, %sums#1 : f64, i32
}
