// All mappings of a kernel are made, launched and compared with the first.
//
// RUN: terrace mappings measure %s --small --target emulator --every 17 --launches 1 2>&1 | FileCheck %s
// RUN: terrace mappings show %s --point 121 | FileCheck %s --check-prefix=SHOW
// RUN: not terrace mappings show %s --point 1000 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not terrace mappings measure %s --small --target emulator --kernel f 2>&1 | FileCheck %s --check-prefix=NAME

// CHECK: kernel,point,permutation,tile,block,registers,microseconds
// CHECK-NEXT: add,0,i.j,1.1,32x8x1,
// CHECK: add,102,i.j,1.4 cyclic,64x1x1,
// CHECK: add,119,j.i,1.1,32x32x1,
// CHECK: 13 mappings of 1 kernels compiled and loaded
// CHECK-NOT: error

// The second loop runs along z or y, the first along x.
// SHOW: // j.i, tiles 1.1, block 64x4x1, grid [64, 1024, 1]
// SHOW: affine.parallel (%[[J:.*]]) = (0) to (4096)
// SHOW-NEXT: affine.parallel (%[[I:.*]]) = (0) to (4096)
// SHOW-NEXT: affine.load %{{.*}}[%[[I]], %[[J]]]
// SHOW: .visible .entry add_kernel(
// SHOW: .maxntid 64, 4, 1

// NONE: error: there is no point 1000: there are 216, from 0
// NAME: error: there is no kernel 'f'; there is add

// parallel: i j
// @N@ = 4096, small 64
func.func @add(%A: memref<@N@x@N@xf32> {llvm.noalias}, %B: memref<@N@x@N@xf32> {llvm.noalias},
    %C: memref<@N@x@N@xf32> {llvm.noalias}) {
  affine.for %i = 0 to @N@ {
    affine.for %j = 0 to @N@ {
      %a = affine.load %A[%i, %j] : memref<@N@x@N@xf32>
      %b = affine.load %B[%i, %j] : memref<@N@x@N@xf32>
      %c = arith.addf %a, %b : f32
      affine.store %c, %C[%i, %j] : memref<@N@x@N@xf32>
    }
  }
  return
}
