// The last of the greatest of each column, and of each row, with its place. What begins with infinity, and may so end
// with it though nothing was chosen, is left to one thread each.
//
// RUN: terrace run %s --target emulator --verify | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size M=0 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size M=3000 --size N=3 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --index-bitwidth 32 | FileCheck %s
// RUN: terrace-opt %s --terrace-gpu-pipeline='last=parallel' | terrace-opt -tile-from-affine='notes=true' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOTES
//
// CHECK: verify   passed
//
// NOTES:     chooses the last of equal elements, and may begin with one of them
// NOTES-NOT: chooses the last
func.func @last(%A: memref<?x?xi32> {terrace.dims = ["M", "N"], terrace.init = "random:600x40:1"},
                %B: memref<?xi32> {terrace.dims = ["N"], terrace.init = "zeros:40"},
                %P: memref<?xi32> {terrace.dims = ["N"], terrace.init = "zeros:40"},
                %R: memref<?xi32> {terrace.dims = ["N"], terrace.init = "zeros:40"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xi32>
  %n = memref.dim %A, %c1 : memref<?x?xi32>
  %least = arith.constant -100000 : i32
  %worst = arith.constant -2147483648 : i32
  %nowhere = arith.constant -1 : i32
  affine.parallel (%j) = (0) to (symbol(%n)) {
    %r:2 = affine.for %i = 0 to %m iter_args(%best = %least, %at = %nowhere) -> (i32, i32) {
      %k = arith.index_cast %i : index to i32
      %x = affine.load %A[%i, %j] : memref<?x?xi32>
      %c = arith.cmpi sge, %x, %best : i32
      %v = arith.select %c, %x, %best : i32
      %w = arith.select %c, %k, %at : i32
      affine.yield %v, %w : i32, i32
    }
    affine.store %r#0, %B[%j] : memref<?xi32>
    affine.store %r#1, %P[%j] : memref<?xi32>
  }
  affine.parallel (%j) = (0) to (symbol(%n)) {
    %r:2 = affine.for %i = 0 to %m iter_args(%best = %worst, %at = %nowhere) -> (i32, i32) {
      %k = arith.index_cast %i : index to i32
      %x = affine.load %A[%i, %j] : memref<?x?xi32>
      %c = arith.cmpi sge, %x, %best : i32
      %v = arith.select %c, %x, %best : i32
      %w = arith.select %c, %k, %at : i32
      affine.yield %v, %w : i32, i32
    }
    affine.store %r#1, %R[%j] : memref<?xi32>
  }
  return
}
