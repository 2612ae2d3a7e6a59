// Functions of a file that nothing here runs do not matter, whatever dialects they are of.
//
// REQUIRES: terrace-mlir
// RUN: terrace run --mlir-import %s --entry norms --arg 0=random:5x2 --arg 1=zeros:5 --arg 2=5 --verify | FileCheck %s
// RUN: terrace run --mlir-import %s --entry norms --arg 0=random:5x2 --arg 1=zeros:5 --arg 2=5 --target emulator --verify | FileCheck %s
// RUN: not terrace run --mlir-import %s --entry print --arg 0=zeros:5 2>&1 | FileCheck %s --check-prefix=PRINT
// CHECK: verify   passed
// PRINT: functions.mlir:[[@LINE+7]]:10: error: 'llvm.mlir.addressof' op cannot run: nothing here knows its dialect; it is what mlir-opt's conversions make of programs
// PRINT-NEXT: %0 = llvm.mlir.addressof @format : !llvm.ptr

module attributes {dlti.dl_spec = #dlti.dl_spec<i64 = dense<64> : vector<2xi64>>, llvm.data_layout = "e-m:e"} {
  llvm.mlir.global internal constant @format("%f\0A\00") {addr_space = 0 : i32}
  llvm.func @printf(!llvm.ptr, ...) -> i32
  func.func @print(%a: memref<?xf64>) attributes {llvm.linkage = #llvm.linkage<external>} {
    %0 = llvm.mlir.addressof @format : !llvm.ptr
    affine.for %i = 0 to 4 {
      %1 = affine.load %a[%i] : memref<?xf64>
      %2 = llvm.call @printf(%0, %1) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, f64) -> i32
    }
    return
  }
  func.func @norms(%a: memref<?x2xf64>, %b: memref<?xf64>, %n: i32) attributes {llvm.linkage = #llvm.linkage<external>} {
    %0 = arith.index_cast %n : i32 to index
    affine.for %i = 0 to %0 {
      %1 = affine.load %a[%i, 0] : memref<?x2xf64>
      %2 = affine.load %a[%i, 1] : memref<?x2xf64>
      %3 = arith.mulf %1, %1 : f64
      %4 = arith.mulf %2, %2 : f64
      %5 = arith.addf %3, %4 : f64
      %6 = math.sqrt %5 : f64
      affine.store %6, %b[%i] : memref<?xf64>
    }
    return
  }
}
