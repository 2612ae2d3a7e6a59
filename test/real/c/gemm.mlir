// As Polygeist prints this C:
//   void gemm(int ni, int nj, int nk, double alpha, double beta, double C[][11], double A[][13], double B[][11]) {
//     for (int i = 0; i < ni; i++) {
//       for (int j = 0; j < nj; j++) C[i][j] *= beta;
//       for (int k = 0; k < nk; k++)
//         for (int j = 0; j < nj; j++) C[i][j] += alpha * A[i][k] * B[k][j];
//     }
//   }
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @gemm(

module attributes {dlti.dl_spec = #dlti.dl_spec<!llvm.ptr = dense<64> : vector<4xi64>, i1 = dense<8> : vector<2xi64>, i32 = dense<32> : vector<2xi64>, f64 = dense<64> : vector<2xi64>, "dlti.endianness" = "little", "dlti.stack_alignment" = 128 : i64>, llvm.data_layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128", llvm.target_triple = "x86_64-unknown-linux-gnu", "polygeist.target-cpu" = "x86-64", "polygeist.target-features" = "+cx8,+fxsr,+mmx,+sse,+sse2,+x87", "polygeist.tune-cpu" = "generic"} {
  func.func @gemm(%arg0: i32, %arg1: i32, %arg2: i32, %arg3: f64, %arg4: f64, %arg5: memref<?x11xf64>, %arg6: memref<?x13xf64>, %arg7: memref<?x11xf64>) attributes {llvm.linkage = #llvm.linkage<external>} {
    %0 = arith.index_cast %arg1 : i32 to index
    %1 = arith.index_cast %arg2 : i32 to index
    %2 = arith.index_cast %arg0 : i32 to index
    affine.for %arg8 = 0 to %2 {
      affine.for %arg9 = 0 to %0 {
        %3 = affine.load %arg5[%arg8, %arg9] : memref<?x11xf64>
        %4 = arith.mulf %3, %arg4 : f64
        affine.store %4, %arg5[%arg8, %arg9] : memref<?x11xf64>
      }
      affine.for %arg9 = 0 to %1 {
        affine.for %arg10 = 0 to %0 {
          %3 = affine.load %arg6[%arg8, %arg9] : memref<?x13xf64>
          %4 = arith.mulf %arg3, %3 : f64
          %5 = affine.load %arg7[%arg9, %arg10] : memref<?x11xf64>
          %6 = arith.mulf %4, %5 : f64
          %7 = affine.load %arg5[%arg8, %arg10] : memref<?x11xf64>
          %8 = arith.addf %7, %6 : f64
          affine.store %8, %arg5[%arg8, %arg10] : memref<?x11xf64>
        }
      }
    }
    return
  }
}
