// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_90' | FileCheck %s
// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_86' | FileCheck %s --check-prefix=SM86

// Lines of workgroup memory are odd numbers of 16 bytes; four stages of them, three where there
// is less room. 16 bytes are copied at once where rows are aligned, else elements go through
// registers. The second factor is turned round when it is loaded.
// CHECK-LABEL: func.func @product
// CHECK: gpu.launch {{.*}} threads({{.*}} = %c256{{[_0-9]*}}, {{.*}})
// CHECK: %[[A:.*]] = memref.view {{.*}} to memref<4x128x40xf16, #gpu.address_space<workgroup>>
// CHECK: %[[B:.*]] = memref.view {{.*}} to memref<4x32x264xf16, #gpu.address_space<workgroup>>
// CHECK: gpu.rows_aligned %arg0 to 16 wanted : memref<?x?xf16>
// CHECK: scf.if
// CHECK: nvgpu.device_async_copy %arg0{{.*}}, 8, {{.*}} {bypassL1}
// CHECK: } else {
// CHECK: memref.load %arg0
// CHECK: memref.store %{{.*}}, %[[A]]
// CHECK: } {gpu.either}
// CHECK: nvgpu.device_async_wait {{.*}} {numGroups = 2 : i32}
// CHECK-NEXT: gpu.barrier
// CHECK: nvgpu.ldmatrix %[[B]]{{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK: nvgpu.ldmatrix %[[A]]{{.*}} {numTiles = 4 : i32, transpose = false}
// CHECK: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
// CHECK: } {gpu.note = "matrix product, blocks of 128 x 256, 32 of k at a time, matrix units, factors of 16 bits"
// SM86-LABEL: func.func @product
// SM86: memref<3x128x40xf16, #gpu.address_space<workgroup>>
func.func @product(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>, %m: index, %n: index, %l: index) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %l {
        %a16 = affine.load %A[%i, %k] : memref<?x?xf16>
        %b16 = affine.load %B[%k, %j] : memref<?x?xf16>
        %a = arith.extf %a16 : f16 to f32
        %b = arith.extf %b16 : f16 to f32
        %ab = arith.mulf %a, %b : f32
        %c = affine.load %C[%i, %j] : memref<?x?xf32>
        %sum = arith.addf %c, %ab : f32
        affine.store %sum, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// The other way round, in bf16, taken away; rows that are no multiples of 16 bytes are not
// asked for their alignment. Small blocks, as the sizes are known.
// CHECK-LABEL: func.func @turned
// CHECK-NOT: gpu.rows_aligned
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false}
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK-NEXT: arith.negf {{.*}} : vector<4x2xbf16>
// CHECK: nvgpu.mma.sync
// CHECK: arith.truncf {{.*}} : f32 to bf16
// CHECK: blocks of 64 x 64
func.func @turned(%A: memref<30x90xbf16>, %B: memref<70x30xbf16>, %C: memref<90x70xbf16>) {
  affine.for %i = 0 to 90 {
    affine.for %j = 0 to 70 {
      %old16 = affine.load %C[%i, %j] : memref<90x70xbf16>
      %old = arith.extf %old16 : bf16 to f32
      %dot = affine.for %k = 0 to 30 iter_args(%sum = %old) -> (f32) {
        %a16 = affine.load %A[%k, %i] : memref<30x90xbf16>
        %b16 = affine.load %B[%j, %k] : memref<70x30xbf16>
        %a = arith.extf %a16 : bf16 to f32
        %b = arith.extf %b16 : bf16 to f32
        %ab = arith.mulf %a, %b : f32
        %next = arith.subf %sum, %ab : f32
        affine.yield %next : f32
      }
      %new = arith.truncf %dot : f32 to bf16
      affine.store %new, %C[%i, %j] : memref<90x70xbf16>
    }
  }
  return
}
