// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_90' | FileCheck %s

// Products side by side: blocks along z of the grid, along y where there are more than 65535.
// The program knows the sizes when it runs, and leaves the loops where matrices are small.
// CHECK-LABEL: func.func @open
// CHECK: %[[COUNT:.*]] = arith.maxsi %arg3, %{{.*}} : index
// CHECK: %[[LESS:.*]] = arith.constant 65534 : index
// CHECK-NEXT: arith.addi %[[COUNT]], %[[LESS]] : index
// CHECK: %[[ELEMENTS:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-NEXT: arith.constant 100
// CHECK-NEXT: %[[TIMES:.*]] = arith.muli %[[ELEMENTS]],
// CHECK: %[[ENOUGH:.*]] = arith.cmpi sge, %[[TIMES]],
// CHECK-NEXT: scf.if %[[ENOUGH]] {
// CHECK: %[[KEEPS:.*]] = arith.cmpi sle
// CHECK-NEXT: scf.if %[[KEEPS]] {
// CHECK: gpu.launch blocks(%{{[a-z0-9]+}}, %[[Y:[a-z0-9]+]], %[[Z:[a-z0-9]+]]) in (
// CHECK: %[[BEFORE:.*]] = arith.muli %[[Z]],
// CHECK-NEXT: %[[NUMBER:.*]] = arith.addi %[[BEFORE]], %[[Y]]
// CHECK-NEXT: %[[IS_ONE:.*]] = arith.cmpi slt, %[[NUMBER]], %[[COUNT]]
// CHECK-NEXT: scf.if %[[IS_ONE]]
// CHECK: nvgpu.device_async_copy %arg0[%[[NUMBER]],
// CHECK: memref.store %{{.*}}, %arg2[%[[NUMBER]],
// CHECK: gpu.note = "matrix products side by side, blocks of 128 x 128, 16 of k at a time, matrix units"
// CHECK: } else {
// CHECK: gpu.note = "matrix products side by side, blocks of 64 x 64, 8 of k at a time, matrix units"
// CHECK: } else {
// CHECK-NEXT: affine.for
func.func @open(%A: memref<?x?x?xf64>, %B: memref<?x?x?xf64>, %C: memref<?x?x?xf64>, %r: index, %m: index, %n: index) {
  affine.for %q = 0 to %r {
    affine.for %i = 0 to %m {
      affine.for %j = 0 to %m {
        affine.for %k = 0 to %n {
          %0 = affine.load %A[%q, %i, %k] : memref<?x?x?xf64>
          %1 = affine.load %B[%q, %k, %j] : memref<?x?x?xf64>
          %2 = arith.mulf %0, %1 : f64
          %3 = affine.load %C[%q, %i, %j] : memref<?x?x?xf64>
          %4 = arith.addf %3, %2 : f64
          affine.store %4, %C[%q, %i, %j] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}

// Many matrices of 64 x 64: small blocks, though there would be enough large ones. One block
// along y, no condition, and the loops are gone. Two counters are one along z.
// CHECK-LABEL: func.func @known
// CHECK-NOT: affine.for
// CHECK-NOT: scf.if
// CHECK: %[[COUNT:.*]] = arith.constant 400 : index
// CHECK: gpu.launch blocks(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %[[Z:[a-z0-9]+]]) in (%{{[a-z0-9]+}} = %{{[0-9a-z_]+}}, %{{[a-z0-9]+}} = %{{[0-9a-z_]+}}, %{{[a-z0-9]+}} = %[[COUNT]])
// CHECK: %[[P:.*]] = arith.divui %[[Z]],
// CHECK-NEXT: %[[BEFORE:.*]] = arith.muli %[[P]],
// CHECK-NEXT: %[[Q:.*]] = arith.subi %[[Z]], %[[BEFORE]]
// CHECK: nvgpu.device_async_copy %arg0[%[[P]], %{{.*}}, %{{.*}}]
// CHECK: nvgpu.device_async_copy %arg1[%[[Q]],
// CHECK: gpu.note = "matrix products side by side, blocks of 64 x 64, 16 of k at a time, 4 x 4 in registers of a thread"
func.func @known(%A: memref<80x64x96xf32>, %B: memref<5x96x64xf32>, %C: memref<80x5x64x64xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %p = 0 to 80 {
      affine.for %j = 0 to 64 {
        affine.for %q = 0 to 5 {
          affine.for %k = 0 to 96 {
            %0 = affine.load %A[%p, %i, %k] : memref<80x64x96xf32>
            %1 = affine.load %B[%q, %k, %j] : memref<5x96x64xf32>
            %2 = arith.mulf %0, %1 : f32
            %3 = affine.load %C[%p, %q, %i, %j] : memref<80x5x64x64xf32>
            %4 = arith.addf %3, %2 : f32
            affine.store %4, %C[%p, %q, %i, %j] : memref<80x5x64x64xf32>
          }
        }
      }
    }
  }
  return
}

// Rows may be %i or %p, which only the first factor has: those next to k are taken, unless
// they are known to be few.
// CHECK-LABEL: func.func @nearest
// CHECK: gpu.launch blocks(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %[[Z:[a-z0-9]+]]) in
// CHECK: %[[BEFORE:.*]] = arith.muli %[[Z]],
// CHECK-NEXT: %[[P:.*]] = arith.addi %[[BEFORE]],
// CHECK: nvgpu.device_async_copy %arg0[%[[P]], %{{.*}}, %{{.*}}]
// CHECK: return
// CHECK-LABEL: func.func @not_few
// CHECK: gpu.launch blocks(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %[[Z:[a-z0-9]+]]) in
// CHECK: nvgpu.device_async_copy %arg0[%{{[0-9]+}}, %[[Z]], %{{[0-9]+}}]
func.func @nearest(%A: memref<?x?x64xbf16>, %B: memref<?x64xbf16>, %C: memref<?x?x?xf32>, %r: index, %m: index) {
  affine.for %p = 0 to %r {
    affine.for %i = 0 to %m {
      affine.for %j = 0 to %m {
        affine.for %k = 0 to 64 {
          %a = affine.load %A[%p, %i, %k] : memref<?x?x64xbf16>
          %b = affine.load %B[%j, %k] : memref<?x64xbf16>
          %0 = arith.extf %a : bf16 to f32
          %1 = arith.extf %b : bf16 to f32
          %2 = arith.mulf %0, %1 : f32
          %3 = affine.load %C[%i, %p, %j] : memref<?x?x?xf32>
          %4 = arith.addf %3, %2 : f32
          affine.store %4, %C[%i, %p, %j] : memref<?x?x?xf32>
        }
      }
    }
  }
  return
}
func.func @not_few(%A: memref<?x8x64xbf16>, %B: memref<?x64xbf16>, %C: memref<?x8x?xf32>, %r: index, %m: index) {
  affine.for %p = 0 to %r {
    affine.for %i = 0 to 8 {
      affine.for %j = 0 to %m {
        affine.for %k = 0 to 64 {
          %a = affine.load %A[%p, %i, %k] : memref<?x8x64xbf16>
          %b = affine.load %B[%j, %k] : memref<?x64xbf16>
          %0 = arith.extf %a : bf16 to f32
          %1 = arith.extf %b : bf16 to f32
          %2 = arith.mulf %0, %1 : f32
          %3 = affine.load %C[%p, %i, %j] : memref<?x8x?xf32>
          %4 = arith.addf %3, %2 : f32
          affine.store %4, %C[%p, %i, %j] : memref<?x8x?xf32>
        }
      }
    }
  }
  return
}
