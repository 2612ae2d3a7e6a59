// RUN: terrace run %s --target emulator --arch sm_90 --verify | FileCheck %s --check-prefixes=CHECK,SHORT
// RUN: terrace run %s --target emulator --arch sm_90 --verify --size N=1 --size M=1 | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: terrace run %s --target emulator --arch sm_90 --verify --size N=33 | FileCheck %s --check-prefixes=CHECK,ODD
// RUN: terrace run %s --target emulator --arch sm_90 --verify --size N=300 --size M=3 | FileCheck %s --check-prefixes=CHECK,LONG
// RUN: terrace run %s --target emulator --arch sm_90 --verify --size N=0 | FileCheck %s --check-prefixes=CHECK

// Blocks fit the extents of the run: two rows beside each other in blocks of rows of 2, 1, 33
// and 300 elements; and with a fourth loop, which goes along z with the third.
// SHORT: short_kernel {{.*}} 2x{{[0-9]+}}x{{[0-9]+}}
// ONE: short_kernel {{.*}} 1x1x
// ODD: short_kernel {{.*}} 33x
// LONG: short_kernel {{.*}} 32x3x2
// CHECK: verify {{ *}}passed
func.func @short(%A: memref<?x?x?xf32> {terrace.name = "A", terrace.dims = ["L", "M", "N"], terrace.init = "random:19x45x2:1"},
    %B: memref<?x?x?xf32> {terrace.name = "B", terrace.dims = ["L", "M", "N"], terrace.init = "random:19x45x2:2"},
    %C: memref<?x?x?x?xf32> {terrace.name = "C", terrace.dims = ["L", "L", "M", "N"], terrace.init = "random:19x19x45x2:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %l = memref.dim %A, %c0 : memref<?x?x?xf32>
  %m = memref.dim %A, %c1 : memref<?x?x?xf32>
  %n = memref.dim %A, %c2 : memref<?x?x?xf32>
  affine.for %i = 0 to %l {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %n {
        affine.if affine_set<(d0) : (d0 mod 3 == 0)>(%j) {
          %0 = affine.load %A[%i, %j, %k] : memref<?x?x?xf32>
          %1 = arith.addf %0, %0 : f32
          affine.store %1, %B[%i, %j, %k] : memref<?x?x?xf32>
        }
      }
    }
  }
  affine.for %h = 0 to %l {
    affine.for %i = 0 to %l {
      affine.for %j = 0 to %m {
        affine.for %k = 0 to %n {
          %0 = affine.load %B[%i, %j, %k] : memref<?x?x?xf32>
          %1 = affine.load %C[%h, %i, %j, %k] : memref<?x?x?x?xf32>
          %2 = arith.mulf %0, %1 : f32
          affine.store %2, %C[%h, %i, %j, %k] : memref<?x?x?x?xf32>
        }
      }
    }
  }
  return
}
