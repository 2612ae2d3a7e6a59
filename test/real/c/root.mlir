// As Polygeist prints this C: a loop without a count, calls of its own functions, and local arrays:
//   static double step(double x, double a) { return 0.5 * (x + a / x); }
//   void root(int n, double *a, double *out) {
//     double x[1] = {0};
//     for (int i = 0; i < n; i++) {
//       x[0] = a[i] + 1.0;
//       while (x[0] * x[0] - a[i] > 1e-9) x[0] = step(x[0], a[i]);
//       out[i] = x[0];
//     }
//   }
// RUN: terrace-opt %s --verify-roundtrip | FileCheck %s
// CHECK: func.func @root(

module attributes {dlti.dl_spec = #dlti.dl_spec<!llvm.ptr = dense<64> : vector<4xi64>, i1 = dense<8> : vector<2xi64>, i32 = dense<32> : vector<2xi64>, f64 = dense<64> : vector<2xi64>, "dlti.endianness" = "little", "dlti.stack_alignment" = 128 : i64>, llvm.data_layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128", llvm.target_triple = "x86_64-unknown-linux-gnu", "polygeist.target-cpu" = "x86-64", "polygeist.target-features" = "+cx8,+fxsr,+mmx,+sse,+sse2,+x87", "polygeist.tune-cpu" = "generic"} {
  func.func @root(%arg0: i32, %arg1: memref<?xf64>, %arg2: memref<?xf64>) attributes {llvm.linkage = #llvm.linkage<external>} {
    %cst = arith.constant 1.000000e-09 : f64
    %cst_0 = arith.constant 1.000000e+00 : f64
    %0 = arith.constant 0.000000e+00 : f64
    %alloca = memref.alloca() : memref<1xf64>
    affine.store %0, %alloca[0] : memref<1xf64>
    %1 = arith.index_cast %arg0 : i32 to index
    affine.for %arg3 = 0 to %1 {
      %2 = affine.load %arg1[%arg3] : memref<?xf64>
      %3 = arith.addf %2, %cst_0 : f64
      affine.store %3, %alloca[0] : memref<1xf64>
      scf.while : () -> () {
        %5 = affine.load %alloca[0] : memref<1xf64>
        %6 = arith.mulf %5, %5 : f64
        %7 = memref.load %arg1[%arg3] : memref<?xf64>
        %8 = arith.subf %6, %7 : f64
        %9 = arith.cmpf ogt, %8, %cst : f64
        scf.condition(%9)
      } do {
        %5 = affine.load %alloca[0] : memref<1xf64>
        %6 = memref.load %arg1[%arg3] : memref<?xf64>
        %7 = func.call @step(%5, %6) : (f64, f64) -> f64
        affine.store %7, %alloca[0] : memref<1xf64>
        scf.yield
      }
      %4 = affine.load %alloca[0] : memref<1xf64>
      affine.store %4, %arg2[%arg3] : memref<?xf64>
    }
    return
  }
  func.func private @step(%arg0: f64, %arg1: f64) -> f64 attributes {llvm.linkage = #llvm.linkage<internal>} {
    %cst = arith.constant 5.000000e-01 : f64
    %0 = arith.divf %arg1, %arg0 : f64
    %1 = arith.addf %arg0, %0 : f64
    %2 = arith.mulf %1, %cst : f64
    return %2 : f64
  }
}
