// As Polygeist prints this C, with values that are undefined before the loop:
//   double last(double *a, int n) {
//     double x; int k;
//     for (int i = 0; i < n; i++) { x = a[i] * a[i]; a[i] = x; k = i; }
//     return x;
//   }
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @last(
// CHECK: llvm.mlir.undef : f64

module attributes {dlti.dl_spec = #dlti.dl_spec<!llvm.ptr = dense<64> : vector<4xi64>, i32 = dense<32> : vector<2xi64>, f64 = dense<64> : vector<2xi64>, "dlti.endianness" = "little">, llvm.data_layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128", llvm.target_triple = "x86_64-unknown-linux-gnu"} {
  func.func @last(%arg0: memref<?xf64>, %arg1: i32) -> f64 attributes {llvm.linkage = #llvm.linkage<external>} {
    %0 = llvm.mlir.undef : i32
    %1 = llvm.mlir.undef : f64
    %2 = arith.index_cast %arg1 : i32 to index
    %3:2 = affine.for %arg2 = 0 to %2 iter_args(%arg3 = %1, %arg4 = %0) -> (f64, i32) {
      %4 = arith.index_cast %arg2 : index to i32
      %5 = affine.load %arg0[%arg2] : memref<?xf64>
      %6 = arith.mulf %5, %5 : f64
      affine.store %6, %arg0[%arg2] : memref<?xf64>
      affine.yield %6, %4 : f64, i32
    }
    return %3#0 : f64
  }
}
