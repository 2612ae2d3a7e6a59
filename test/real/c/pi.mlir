// As Polygeist prints this C, with a global that functions change, calls, and an array that is passed on:
//   static int seed = 1;
//   static int next(void) { seed = seed * 1103515245 + 12345; return (unsigned)seed >> 16 & 32767; }
//   static double norm2(double *p) { return p[0] * p[0] + p[1] * p[1]; }
//   double pi(int n) {
//     int in = 0; double p[2];
//     for (int i = 0; i < n; i++) { p[0] = next() / 32767.0; p[1] = next() / 32767.0; in += norm2(p) <= 1.0; }
//     return 4.0 * in / n;
//   }
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @pi(

module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<"dlti.endianness", "little">, #dlti.dl_entry<i64, dense<64> : vector<2xi64>>, #dlti.dl_entry<f80, dense<128> : vector<2xi64>>, #dlti.dl_entry<!llvm.ptr<270>, dense<32> : vector<4xi64>>>, llvm.data_layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128", llvm.target_triple = "x86_64-unknown-linux-gnu", "polygeist.target-cpu" = "x86-64", "polygeist.target-features" = "+cx8,+fxsr,+mmx,+sse,+sse2,+x87", "polygeist.tune-cpu" = "generic"} {
  memref.global "private" @seed : memref<1xi32> = dense<1>
  func.func @pi(%arg0: i32) -> f64 attributes {llvm.linkage = #llvm.linkage<external>} {
    %cst = arith.constant 3.276700e+04 : f64
    %cst_0 = arith.constant 1.000000e+00 : f64
    %cst_4 = arith.constant 4.000000e+00 : f64
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %alloca = memref.alloca() : memref<2xf64>
    %cast = memref.cast %alloca : memref<2xf64> to memref<?xf64>
    %0 = arith.index_cast %arg0 : i32 to index
    %1 = affine.for %arg1 = 0 to %0 iter_args(%arg2 = %c0_i32) -> (i32) {
      %5 = func.call @next() : () -> i32
      %6 = arith.sitofp %5 : i32 to f64
      %7 = arith.divf %6, %cst : f64
      affine.store %7, %alloca[0] : memref<2xf64>
      %8 = func.call @next() : () -> i32
      %9 = arith.sitofp %8 : i32 to f64
      %10 = arith.divf %9, %cst : f64
      affine.store %10, %alloca[1] : memref<2xf64>
      %11 = func.call @norm2(%cast) : (memref<?xf64>) -> f64
      %12 = arith.cmpf ole, %11, %cst_0 : f64
      %13 = arith.extui %12 : i1 to i32
      %14 = arith.addi %arg2, %13 : i32
      affine.yield %14 : i32
    }
    %2 = arith.sitofp %1 : i32 to f64
    %3 = arith.mulf %2, %cst_4 : f64
    %n = arith.sitofp %arg0 : i32 to f64
    %4 = arith.divf %3, %n : f64
    return %4 : f64
  }
  func.func private @next() -> i32 attributes {llvm.linkage = #llvm.linkage<internal>} {
    %c1103515245_i32 = arith.constant 1103515245 : i32
    %c12345_i32 = arith.constant 12345 : i32
    %c16_i32 = arith.constant 16 : i32
    %c32767_i32 = arith.constant 32767 : i32
    %0 = memref.get_global @seed : memref<1xi32>
    %1 = affine.load %0[0] : memref<1xi32>
    %2 = arith.muli %1, %c1103515245_i32 : i32
    %3 = arith.addi %2, %c12345_i32 : i32
    affine.store %3, %0[0] : memref<1xi32>
    %4 = arith.shrui %3, %c16_i32 : i32
    %5 = arith.andi %4, %c32767_i32 : i32
    return %5 : i32
  }
  func.func private @norm2(%arg0: memref<?xf64>) -> f64 attributes {llvm.linkage = #llvm.linkage<internal>} {
    %0 = affine.load %arg0[0] : memref<?xf64>
    %1 = arith.mulf %0, %0 : f64
    %2 = affine.load %arg0[1] : memref<?xf64>
    %3 = arith.mulf %2, %2 : f64
    %4 = arith.addf %1, %3 : f64
    return %4 : f64
  }
}
