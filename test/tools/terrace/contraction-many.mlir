// RUN: terrace run %s --target cpu > %t.loops
// RUN: terrace-opt %s -gpu-map-contractions=arch=sm_80 | sed -e 's/constant 65534 :/constant 1 :/' -e 's/constant 65535 :/constant 2 :/' > %t.mlir
// RUN: terrace run %t.mlir --target emulator --arch sm_80 > %t.blocks
// RUN: cat %t.loops %t.blocks | FileCheck %s

// More products side by side than a grid has blocks along z, were that two: five are three times
// two blocks, of which one has nothing to do.
// CHECK: array    C {{.*}} checksum sum [[SUM:.*]]
// CHECK: f_kernel{{.*}}  gpu  1x3x2
// CHECK: array    C {{.*}} checksum sum [[SUM]]
func.func @f(%A: memref<?x40x3xf32> {terrace.name = "A", terrace.dims = ["R", "40", "3"], terrace.init = "iota:5x40x3"},
             %B: memref<?x3x36xf32> {terrace.name = "B", terrace.dims = ["R", "3", "36"], terrace.init = "iota:5x3x36"},
             %C: memref<?x40x36xf32> {terrace.name = "C", terrace.dims = ["R", "40", "36"], terrace.init = "zeros:5x40x36"}) {
  %c0 = arith.constant 0 : index
  %R = memref.dim %A, %c0 : memref<?x40x3xf32>
  affine.for %r = 0 to %R {
    affine.for %i = 0 to 40 {
      affine.for %j = 0 to 36 {
        affine.for %k = 0 to 3 {
          %a = affine.load %A[%r, %i, %k] : memref<?x40x3xf32>
          %b = affine.load %B[%r, %k, %j] : memref<?x3x36xf32>
          %c = affine.load %C[%r, %i, %j] : memref<?x40x36xf32>
          %0 = arith.mulf %a, %b : f32
          %1 = arith.addf %c, %0 : f32
          affine.store %1, %C[%r, %i, %j] : memref<?x40x36xf32>
        }
      }
    }
  }
  return
}
