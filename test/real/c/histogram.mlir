// As Polygeist prints this C, whose subscripts are no affine ones:
//   int histogram(int n, int *data, int *bins) {
//     int most = 0;
//     for (int i = 0; i < n; i++) bins[data[i]]++;
//     for (int i = 0; i < 8; i++) if (bins[i] > most) most = bins[i];
//     return most;
//   }
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @histogram(

module attributes {dlti.dl_spec = #dlti.dl_spec<!llvm.ptr = dense<64> : vector<4xi64>, i1 = dense<8> : vector<2xi64>, i32 = dense<32> : vector<2xi64>, f64 = dense<64> : vector<2xi64>, "dlti.endianness" = "little", "dlti.stack_alignment" = 128 : i64>, llvm.data_layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128", llvm.target_triple = "x86_64-unknown-linux-gnu", "polygeist.target-cpu" = "x86-64", "polygeist.target-features" = "+cx8,+fxsr,+mmx,+sse,+sse2,+x87", "polygeist.tune-cpu" = "generic"} {
  func.func @histogram(%arg0: i32, %arg1: memref<?xi32>, %arg2: memref<?xi32>) -> i32 attributes {llvm.linkage = #llvm.linkage<external>} {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = arith.index_cast %arg0 : i32 to index
    scf.for %arg3 = %c0 to %0 step %c1 {
      %2 = memref.load %arg1[%arg3] : memref<?xi32>
      %3 = arith.index_cast %2 : i32 to index
      %4 = memref.load %arg2[%3] : memref<?xi32>
      %5 = arith.addi %4, %c1_i32 : i32
      memref.store %5, %arg2[%3] : memref<?xi32>
    }
    %1 = affine.for %arg3 = 0 to 8 iter_args(%arg4 = %c0_i32) -> (i32) {
      %2 = affine.load %arg2[%arg3] : memref<?xi32>
      %3 = arith.cmpi sgt, %2, %arg4 : i32
      %4 = scf.if %3 -> (i32) {
        %5 = affine.load %arg2[%arg3] : memref<?xi32>
        scf.yield %5 : i32
      } else {
        scf.yield %arg4 : i32
      }
      affine.yield %4 : i32
    }
    return %1 : i32
  }
}
