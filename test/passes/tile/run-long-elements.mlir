// Rows with nothing but elements, of values that a row has: long ones that are few are taken apart.
//
// RUN: terrace run %s --target emulator --verify | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size M=2 --size N=5000 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size M=300 --size N=4100 | FileCheck %s
//
// CHECK: verify   passed
func.func @elements(%A: memref<?x?xi32> {terrace.dims = ["M", "N"], terrace.init = "random:70x333:1"},
                    %S: memref<?xi32> {terrace.dims = ["M"], terrace.init = "random:70:2"},
                    %B: memref<?x?xi32> {terrace.dims = ["M", "N"], terrace.init = "zeros:70x333"},
                    %C: memref<?x?xi32> {terrace.dims = ["M", "N"], terrace.init = "zeros:70x333"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xi32>
  %n = memref.dim %A, %c1 : memref<?x?xi32>
  affine.parallel (%i) = (0) to (symbol(%m)) {
    %s = affine.load %S[%i] : memref<?xi32>
    affine.parallel (%j) = (0) to (symbol(%n)) {
      %x = affine.load %A[%i, %j] : memref<?x?xi32>
      %y = arith.addi %x, %s : i32
      affine.store %y, %B[%i, %j] : memref<?x?xi32>
    }
    affine.parallel (%j) = (0) to (symbol(%n)) {
      %x = affine.load %B[%i, -%j + symbol(%n) - 1] : memref<?x?xi32>
      %y = arith.muli %x, %s : i32
      affine.store %y, %C[%i, %j] : memref<?x?xi32>
    }
  }
  return
}
