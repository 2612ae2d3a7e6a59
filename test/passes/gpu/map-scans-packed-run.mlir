// RUN: terrace run %s --target emulator --verify --size N=20001 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size N=700 | FileCheck %s

// The positive numbers one behind the other, with where they stood, and the others from the end on.

// CHECK: verify passed
func.func @packed(
    %A: memref<?xi32> {terrace.name = "A", terrace.dims = ["N"], terrace.init = "random:20001:1"},
    %B: memref<?xi32> {terrace.name = "B", terrace.dims = ["N"], terrace.init = "zeros:20001"},
    %at: memref<?xi64> {terrace.name = "at", terrace.dims = ["N"], terrace.init = "zeros:20001"},
    %C: memref<?xi32> {terrace.name = "C", terrace.dims = ["N"], terrace.init = "zeros:20001"}
) -> (i32, index) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xi32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant 1 : index
  %count = affine.for %i = 0 to %n iter_args(%k = %zero) -> (i32) {
    %x = affine.load %A[%i] : memref<?xi32>
    %is = arith.cmpi sgt, %x, %zero : i32
    %next = scf.if %is -> (i32) {
      %place = arith.index_cast %k : i32 to index
      %stood = arith.index_cast %i : index to i64
      memref.store %x, %B[%place] : memref<?xi32>
      memref.store %stood, %at[%place] : memref<?xi64>
      %more = arith.addi %k, %one : i32
      scf.yield %more : i32
    } else {
      scf.yield %k : i32
    }
    affine.yield %next : i32
  }
  %others = affine.for %i = 0 to %n iter_args(%k = %c0) -> (index) {
    %x = affine.load %A[%i] : memref<?xi32>
    %is = arith.cmpi sgt, %x, %zero : i32
    %next = scf.if %is -> (index) {
      scf.yield %k : index
    } else {
      memref.store %x, %C[%k] : memref<?xi32>
      %more = arith.addi %step, %k : index
      scf.yield %more : index
    }
    affine.yield %next : index
  }
  return %count, %others : i32, index
}
