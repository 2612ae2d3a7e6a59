// As Polygeist prints this C, where the sum is kept in x[i]:
//   void trisolv(int n, double L[][17], double x[], double b[]) {
//     for (int i = 0; i < n; i++) {
//       x[i] = b[i];
//       for (int j = 0; j < i; j++) x[i] -= L[i][j] * x[j];
//       x[i] = x[i] / (L[i][i] + 1);
//     }
//   }
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @trisolv(

module attributes {dlti.dl_spec = #dlti.dl_spec<!llvm.ptr = dense<64> : vector<4xi64>, i1 = dense<8> : vector<2xi64>, i32 = dense<32> : vector<2xi64>, f64 = dense<64> : vector<2xi64>, "dlti.endianness" = "little", "dlti.stack_alignment" = 128 : i64>, llvm.data_layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128", llvm.target_triple = "x86_64-unknown-linux-gnu", "polygeist.target-cpu" = "x86-64", "polygeist.target-features" = "+cx8,+fxsr,+mmx,+sse,+sse2,+x87", "polygeist.tune-cpu" = "generic"} {
  func.func @trisolv(%arg0: i32, %arg1: memref<?x17xf64>, %arg2: memref<?xf64>, %arg3: memref<?xf64>) attributes {llvm.linkage = #llvm.linkage<external>} {
    %cst = arith.constant 1.000000e+00 : f64
    %0 = arith.index_cast %arg0 : i32 to index
    affine.for %arg4 = 0 to %0 {
      %1 = affine.load %arg3[%arg4] : memref<?xf64>
      affine.store %1, %arg2[%arg4] : memref<?xf64>
      affine.for %arg5 = 0 to affine_map<(d0) -> (d0)>(%arg4) {
        %6 = affine.load %arg1[%arg4, %arg5] : memref<?x17xf64>
        %7 = affine.load %arg2[%arg5] : memref<?xf64>
        %8 = arith.mulf %6, %7 : f64
        %9 = affine.load %arg2[%arg4] : memref<?xf64>
        %10 = arith.subf %9, %8 : f64
        affine.store %10, %arg2[%arg4] : memref<?xf64>
      }
      %2 = affine.load %arg2[%arg4] : memref<?xf64>
      %3 = affine.load %arg1[%arg4, %arg4] : memref<?x17xf64>
      %4 = arith.addf %3, %cst : f64
      %5 = arith.divf %2, %4 : f64
      affine.store %5, %arg2[%arg4] : memref<?xf64>
    }
    return
  }
}
