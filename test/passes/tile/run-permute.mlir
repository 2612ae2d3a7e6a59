// Dimensions of two arrays change places, at sizes around those of tiles, and where a side is shorter than an access.
// Elements have 8 bytes and 1.
//
// DEFINE: %{run} = terrace run %s --target emulator --verify
// RUN: %{run} --size I=1 --size J=1 --size K=1 | FileCheck %s
// RUN: %{run} --size I=3 --size J=31 --size K=33 | FileCheck %s
// RUN: %{run} --size I=33 --size J=3 --size K=31 | FileCheck %s
// RUN: %{run} --size I=64 --size J=2 --size K=64 | FileCheck %s
// RUN: %{run} --size I=65 --size J=1 --size K=130 | FileCheck %s
// RUN: %{run} --size I=4 --size J=5 --size K=260 | FileCheck %s
// RUN: %{run} --size I=300 --size J=2 --size K=4 | FileCheck %s
// RUN: %{run} --size I=255 --size J=1 --size K=257 | FileCheck %s
// RUN: %{run} --size I=1 --size J=4 --size K=4097 | FileCheck %s
// RUN: %{run} --size I=0 --size J=4 --size K=8 | FileCheck %s
//
// CHECK: verify passed
func.func @permute(
    %A: memref<?x?x?xi64> {terrace.name = "A", terrace.dims = ["I", "J", "K"], terrace.init = "iota:3x5x7"},
    %B: memref<?x?x?xi64> {terrace.name = "B", terrace.dims = ["K", "J", "I"], terrace.init = "zeros:7x5x3"},
    %C: memref<?x?x?xi8> {terrace.name = "C", terrace.dims = ["I", "J", "K"], terrace.init = "iota:3x5x7"},
    %D: memref<?x?x?xi8> {terrace.name = "D", terrace.dims = ["J", "K", "I"], terrace.init = "zeros:5x7x3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = memref.dim %A, %c0 : memref<?x?x?xi64>
  %j = memref.dim %A, %c1 : memref<?x?x?xi64>
  %k = memref.dim %A, %c2 : memref<?x?x?xi64>
  affine.for %z = 0 to %k {
    affine.for %y = 0 to %j {
      affine.for %x = 0 to %i {
        %v = affine.load %A[%x, %y, %z] : memref<?x?x?xi64>
        affine.store %v, %B[%z, %y, %x] : memref<?x?x?xi64>
      }
    }
  }
  affine.for %y = 0 to %j {
    affine.for %z = 0 to %k {
      affine.for %x = 0 to %i {
        %v = affine.load %C[%x, %y, %z] : memref<?x?x?xi8>
        affine.store %v, %D[%y, %z, %x] : memref<?x?x?xi8>
      }
    }
  }
  return
}
