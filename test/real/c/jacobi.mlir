// As Polygeist prints this C:
//   void jacobi(int tsteps, int n, double A[][20], double B[][20]) {
//     for (int t = 0; t < tsteps; t++) {
//       for (int i = 1; i < n - 1; i++)
//         for (int j = 1; j < n - 1; j++)
//           B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
//       ... and back ...
//     }
//   }
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @jacobi(

module attributes {dlti.dl_spec = #dlti.dl_spec<!llvm.ptr = dense<64> : vector<4xi64>, i1 = dense<8> : vector<2xi64>, i32 = dense<32> : vector<2xi64>, f64 = dense<64> : vector<2xi64>, "dlti.endianness" = "little", "dlti.stack_alignment" = 128 : i64>, llvm.data_layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128", llvm.target_triple = "x86_64-unknown-linux-gnu", "polygeist.target-cpu" = "x86-64", "polygeist.target-features" = "+cx8,+fxsr,+mmx,+sse,+sse2,+x87", "polygeist.tune-cpu" = "generic"} {
  func.func @jacobi(%arg0: i32, %arg1: i32, %arg2: memref<?x20xf64>, %arg3: memref<?x20xf64>) attributes {llvm.linkage = #llvm.linkage<external>} {
    %cst = arith.constant 2.000000e-01 : f64
    %0 = arith.index_cast %arg1 : i32 to index
    %1 = arith.index_cast %arg0 : i32 to index
    affine.for %arg4 = 0 to %1 {
      affine.for %arg5 = 1 to affine_map<()[s0] -> (s0 - 1)>()[%0] {
        affine.for %arg6 = 1 to affine_map<()[s0] -> (s0 - 1)>()[%0] {
          %2 = affine.load %arg2[%arg5, %arg6] : memref<?x20xf64>
          %3 = affine.load %arg2[%arg5, %arg6 - 1] : memref<?x20xf64>
          %4 = arith.addf %2, %3 : f64
          %5 = affine.load %arg2[%arg5, %arg6 + 1] : memref<?x20xf64>
          %6 = arith.addf %4, %5 : f64
          %7 = affine.load %arg2[%arg5 + 1, %arg6] : memref<?x20xf64>
          %8 = arith.addf %6, %7 : f64
          %9 = affine.load %arg2[%arg5 - 1, %arg6] : memref<?x20xf64>
          %10 = arith.addf %8, %9 : f64
          %11 = arith.mulf %10, %cst : f64
          affine.store %11, %arg3[%arg5, %arg6] : memref<?x20xf64>
        }
      }
      affine.for %arg5 = 1 to affine_map<()[s0] -> (s0 - 1)>()[%0] {
        affine.for %arg6 = 1 to affine_map<()[s0] -> (s0 - 1)>()[%0] {
          %2 = affine.load %arg3[%arg5, %arg6] : memref<?x20xf64>
          %3 = affine.load %arg3[%arg5, %arg6 - 1] : memref<?x20xf64>
          %4 = arith.addf %2, %3 : f64
          %5 = affine.load %arg3[%arg5, %arg6 + 1] : memref<?x20xf64>
          %6 = arith.addf %4, %5 : f64
          %7 = affine.load %arg3[%arg5 + 1, %arg6] : memref<?x20xf64>
          %8 = arith.addf %6, %7 : f64
          %9 = affine.load %arg3[%arg5 - 1, %arg6] : memref<?x20xf64>
          %10 = arith.addf %8, %9 : f64
          %11 = arith.mulf %10, %cst : f64
          affine.store %11, %arg2[%arg5, %arg6] : memref<?x20xf64>
        }
      }
    }
    return
  }
}
