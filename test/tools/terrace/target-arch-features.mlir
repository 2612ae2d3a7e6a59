// What an architecture does not have yet is refused where it is asked for, with the
// architecture that has it; from there on it compiles. What can be done otherwise is.
//
// RUN: not terrace compile %s --emit ptx --target-arch sm_70 2>&1 | FileCheck %s --check-prefix=SM70
// RUN: not terrace compile %s --emit ptx --target-arch sm_75 2>&1 | FileCheck %s --check-prefix=SM75
// RUN: terrace compile %s --emit ptx --target-arch sm_80 | FileCheck %s --check-prefix=SM80
// RUN: terrace compile %s --emit ptx --target-arch sm_120 | FileCheck %s --check-prefix=SM120

gpu.module @m {
  gpu.func @functions(%m: memref<?xbf16>, %f: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<?xbf16>
    // SM70: target-arch-features.mlir:[[@LINE+3]]:10: error: 'math.fma' op on bf16 needs sm_80 or later, compiling for sm_70
    // SM75: target-arch-features.mlir:[[@LINE+2]]:10: error: 'math.fma' op on bf16 needs sm_80 or later, compiling for sm_75
    // SM80: fma.rn.bf16
    %y = math.fma %x, %x, %x : bf16
    memref.store %y, %m[%i] : memref<?xbf16>
    %a = memref.load %f[%i] : memref<?xf32>
    // Where there is no instruction it is made of others.
    // SM70-NOT: math.tanh
    // SM80: tanh.approx.f32
    %b = math.tanh %a fastmath<afn> : f32
    memref.store %b, %f[%i] : memref<?xf32>
    gpu.return
  }

  gpu.func @copies(%g: memref<8x8xf32>) workgroup(%s: memref<8x8xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    // SM70: target-arch-features.mlir:[[@LINE+3]]:10: error: 'nvgpu.device_async_copy' op needs sm_80 or later, compiling for sm_70
    // SM75: target-arch-features.mlir:[[@LINE+2]]:10: error: 'nvgpu.device_async_copy' op needs sm_80 or later, compiling for sm_75
    // SM80: cp.async
    %t = nvgpu.device_async_copy %g[%c0, %c0], %s[%c0, %c0], 4 : memref<8x8xf32> to memref<8x8xf32, #gpu.address_space<workgroup>>
    %u = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %u
    gpu.return
  }

  gpu.func @matrices(%f: memref<?xf64>) workgroup(%s: memref<16x16xf16, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    // SM70: 'nvgpu.ldmatrix' op needs sm_75 or later, compiling for sm_70
    // SM75-NOT: nvgpu.ldmatrix
    // SM80: ldmatrix
    %l = nvgpu.ldmatrix %s[%c0, %c0] {numTiles = 4 : i32, transpose = false} : memref<16x16xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
    %e = vector.extract %l[0, 0] : f16 from vector<4x2xf16>
    memref.store %e, %s[%c0, %c0] : memref<16x16xf16, #gpu.address_space<workgroup>>
    %a = arith.constant dense<1.0> : vector<1x1xf64>
    %z = arith.constant dense<0.0> : vector<1x2xf64>
    // SM75: 'nvgpu.mma.sync' op needs sm_80 or later, compiling for sm_75
    // SM80: mma.sync.aligned.m8n8k4
    %d = nvgpu.mma.sync (%a, %a, %z) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
    %r = vector.extract %d[0, 0] : f64 from vector<1x2xf64>
    memref.store %r, %f[%c0] : memref<?xf64>
    gpu.return
  }

  // bf16 is computed as f32 where there are no conversions: no architecture is refused.
  gpu.func @everywhere(%m: memref<?xbf16>, %n: memref<?xi32>) kernel {
    // SM70-NOT: arith.addf
    // SM120: .entry everywhere(
    // SM120: add.rn.f32
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<?xbf16>
    %y = arith.addf %x, %x : bf16
    memref.store %y, %m[%i] : memref<?xbf16>
    gpu.return
  }
}
