// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_90 tf32=true' | FileCheck %s
// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_80 tf32=true' | FileCheck %s
// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_90' | FileCheck %s --check-prefix=EXACT

// One factor lies along k in workgroup memory, with lines of 32 and 4 elements, the other along
// the tile, with lines of 128 and 8: fragments of 4 bytes are then read without bank conflicts.
// Eight warps have 64 x 32 elements each.
// CHECK-LABEL: func.func @product
// CHECK: %[[THREADS:.*]] = arith.constant 256 : index
// CHECK: gpu.launch {{.*}} threads({{.*}} = %[[THREADS]], {{.*}})
// CHECK: memref.view {{.*}} to memref<3x128x36xf32, #gpu.address_space<workgroup>>
// CHECK: memref.view {{.*}} to memref<3x32x136xf32, #gpu.address_space<workgroup>>
// CHECK: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
// CHECK: } {gpu.note = "matrix product, blocks of 128 x 128, 32 of k at a time, matrix units in tf32"
// EXACT-LABEL: func.func @product
// EXACT-NOT: nvgpu.mma.sync
// EXACT: math.fma
func.func @product(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %m: index, %n: index, %l: index) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %l {
        %a = affine.load %A[%i, %k] : memref<?x?xf32>
        %b = affine.load %B[%k, %j] : memref<?x?xf32>
        %ab = arith.mulf %a, %b : f32
        %c = affine.load %C[%i, %j] : memref<?x?xf32>
        %sum = arith.addf %c, %ab : f32
        affine.store %sum, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// Products of f64 stay as they are.
// CHECK-LABEL: func.func @double
// CHECK: nvgpu.mma.sync
// CHECK-NOT: tf32
func.func @double(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %m: index, %n: index, %l: index) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %l {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %ab = arith.mulf %a, %b : f64
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %sum = arith.addf %c, %ab : f64
        affine.store %sum, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
