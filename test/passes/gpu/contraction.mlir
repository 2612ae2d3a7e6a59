// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_90' | FileCheck %s
// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_80' | FileCheck %s --check-prefix=SM80
// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_75' | FileCheck %s --check-prefix=SM75
// RUN: not terrace-opt %s -gpu-map-contractions='arch=fast' 2>&1 | FileCheck %s --check-prefix=ARCH

// ARCH: 'fast' is not an architecture; write it like sm_90 or sm_90a

// A sum that a loop carries, with something behind it. One block has 128 x 128 elements, eight
// warps, and four slabs of each factor.
// CHECK-LABEL: func.func @carried
// CHECK-NOT: affine.for
// CHECK: %[[KEEPS:.*]] = arith.cmpi sle
// CHECK-NEXT: scf.if %[[KEEPS]] {
// CHECK: %[[BYTES:.*]] = arith.constant 149504 : i32
// CHECK: %[[THREADS:.*]] = arith.constant 256 : index
// CHECK: gpu.launch blocks({{.*}}) threads({{.*}} = %[[THREADS]], {{.*}}) dynamic_shared_memory_size %[[BYTES]]
// CHECK: memref.view {{.*}} to memref<4x128x20xf64, #gpu.address_space<workgroup>>
// CHECK: memref.view {{.*}} to memref<4x16x132xf64, #gpu.address_space<workgroup>>
// CHECK: nvgpu.device_async_copy %arg2[{{.*}}], {{.*}}, 1, {{.*}} : memref<?x?xf64>
// CHECK: scf.for
// CHECK-NEXT: nvgpu.device_async_wait {{.*}} {numGroups = 2 : i32}
// CHECK-NEXT: gpu.barrier
// CHECK: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 8]}
// CHECK: nvgpu.device_async_create_group
// CHECK: scf.if
// CHECK: arith.mulf %arg0,
// CHECK: memref.store %{{.*}}, %arg4
// CHECK: } {gpu.note = "matrix product, blocks of 128 x 128, 16 of k at a time, matrix units"
// CHECK: } else {
// CHECK: %[[THREADS:.*]] = arith.constant 128 : index
// CHECK: gpu.launch blocks({{.*}}) threads({{.*}} = %[[THREADS]], {{.*}})
// CHECK: memref.view {{.*}} to memref<3x64x20xf64, #gpu.address_space<workgroup>>
// CHECK: memref.view {{.*}} to memref<3x16x100xf64, #gpu.address_space<workgroup>>
// CHECK: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 8]}
// CHECK: } {gpu.note = "matrix product, blocks of 64 x 96, 16 of k at a time, matrix units"
// SM80-LABEL: func.func @carried
// SM80: nvgpu.mma.sync({{.*}}) {mmaShape = [8, 8, 4]}
// SM75-LABEL: func.func @carried
// SM75-NOT: gpu.launch
func.func @carried(%alpha: f64, %beta: f64, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %m: index, %n: index, %l: index) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %dot = affine.for %k = 0 to %l iter_args(%sum = %zero) -> (f64) {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %ab = arith.mulf %a, %b : f64
        %next = arith.addf %sum, %ab : f64
        affine.yield %next : f64
      }
      %old = affine.load %C[%i, %j] : memref<?x?xf64>
      %new = arith.mulf %alpha, %dot : f64
      %kept = arith.mulf %beta, %old : f64
      %c = arith.addf %new, %kept : f64
      affine.store %c, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A sum in memory, k outside, the element scaled before; a triangle; a factor with
// arithmetic; two products for one k. Factors that lie along k are turned on their way to
// workgroup memory where registers multiply.
// CHECK-LABEL: func.func @triangle
// CHECK-NOT: affine.for
// CHECK: gpu.launch
// CHECK: arith.cmpi sge
// CHECK: scf.if
// CHECK: memref<3x16x132xf32, #gpu.address_space<workgroup>>
// CHECK: arith.mulf %{{.*}}, %arg1
// CHECK: vector.load {{.*}} vector<4xf32>
// CHECK: arith.mulf %{{.*}}, %arg0
// CHECK: math.fma
// CHECK: nvgpu.device_async_wait {{.*}} {numGroups = 0 : i32}
// CHECK-NEXT: gpu.barrier
// CHECK: math.fma
// CHECK: } {gpu.note = "matrix product, blocks of 128 x 128, 16 of k at a time, 8 x 8 in registers of a thread"
func.func @triangle(%alpha: f32, %beta: f32, %A: memref<?x60xf32>, %B: memref<?x60xf32>, %C: memref<?x80xf32>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %0 = affine.load %C[%i, %j] : memref<?x80xf32>
      %1 = arith.mulf %0, %beta : f32
      affine.store %1, %C[%i, %j] : memref<?x80xf32>
    }
    affine.for %k = 0 to %m {
      affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
        %0 = affine.load %A[%j, %k] : memref<?x60xf32>
        %1 = arith.mulf %0, %alpha : f32
        %2 = affine.load %B[%i, %k] : memref<?x60xf32>
        %3 = arith.mulf %1, %2 : f32
        %4 = affine.load %B[%j, %k] : memref<?x60xf32>
        %5 = arith.mulf %4, %alpha : f32
        %6 = affine.load %A[%i, %k] : memref<?x60xf32>
        %7 = arith.mulf %5, %6 : f32
        %8 = arith.addf %3, %7 : f32
        %9 = affine.load %C[%i, %j] : memref<?x80xf32>
        %10 = arith.addf %9, %8 : f32
        affine.store %10, %C[%i, %j] : memref<?x80xf32>
      }
    }
  }
  return
}

// The upper triangle is copied to the lower; the diagonal is another statement's, which keeps
// its loop.
// CHECK-LABEL: func.func @mirrored
// CHECK: affine.for %[[I:.*]] = 0 to
// CHECK-NEXT: affine.store %{{.*}}, %arg1[%[[I]], %[[I]]]
// CHECK-NEXT: }
// CHECK: gpu.launch
// CHECK: memref.store %[[V:.*]], %arg1[%[[R:.*]], %[[S:.*]]]
// CHECK-NEXT: memref.store %[[V]], %arg1[%[[S]], %[[R]]]
func.func @mirrored(%data: memref<?x80xf64>, %corr: memref<?x80xf64>, %m: index, %n: index) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  affine.for %i = 0 to %m {
    affine.store %one, %corr[%i, %i] : memref<?x80xf64>
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %m {
      affine.store %zero, %corr[%i, %j] : memref<?x80xf64>
      affine.for %k = 0 to %n {
        %0 = affine.load %data[%k, %i] : memref<?x80xf64>
        %1 = affine.load %data[%k, %j] : memref<?x80xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %corr[%i, %j] : memref<?x80xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %corr[%i, %j] : memref<?x80xf64>
      }
      %5 = affine.load %corr[%i, %j] : memref<?x80xf64>
      affine.store %5, %corr[%j, %i] : memref<?x80xf64>
    }
  }
  return
}

// Sizes that are known and would leave a machine idle get smaller blocks.
// CHECK-LABEL: func.func @small
// CHECK: gpu.note = "matrix product, blocks of 64 x 64, 16 of k at a time, matrix units"
func.func @small(%A: memref<200x300xf64>, %B: memref<300x200xf64>, %C: memref<200x200xf64>) {
  affine.for %i = 0 to 200 {
    affine.for %k = 0 to 300 {
      affine.for %j = 0 to 200 {
        %0 = affine.load %A[%i, %k] : memref<200x300xf64>
        %1 = affine.load %B[%k, %j] : memref<300x200xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<200x200xf64>
        %4 = arith.subf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<200x200xf64>
      }
    }
  }
  return
}
