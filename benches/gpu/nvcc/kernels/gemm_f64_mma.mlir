// C = A B of doubles on tensor cores: tiles of 64 x 32 a block, 32 x 16 a warp. Static
// sizes, multiples of 64.
// @N@ = 2048, small 64
#shared = #gpu.address_space<workgroup>
gpu.module @gemm_f64_mma {
  gpu.func @gemm_f64_mma(%a: memref<@N@x@N@xf64> {llvm.noalias, llvm.align = 16 : i32},
      %b: memref<@N@x@N@xf64> {llvm.noalias, llvm.align = 16 : i32},
      %c: memref<@N@x@N@xf64> {llvm.noalias, llvm.align = 16 : i32})
      workgroup(%as: memref<64x20xf64, #shared>, %bs: memref<16x36xf64, #shared>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %z = arith.constant dense<0.0> : vector<1x2xf64>
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %lane = affine.apply affine_map<()[t] -> (t mod 32)>()[%t]
    %wm = affine.apply affine_map<()[t] -> (t floordiv 64)>()[%t]
    %wn = affine.apply affine_map<()[t] -> ((t floordiv 32) mod 2)>()[%t]
    %sum:8 = affine.for %k = 0 to @N@ step 16 iter_args(%o00 = %z, %o01 = %z, %o10 = %z, %o11 = %z, %o20 = %z, %o21 = %z, %o30 = %z, %o31 = %z)
        -> (vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>) {
      // 64 rows of 16 of A, 16 rows of 32 of B.
      affine.for %i = 0 to 8 {
        %u = affine.load %a[symbol(%by) * 64 + symbol(%t) floordiv 16 + %i * 8, %k + symbol(%t) mod 16] : memref<@N@x@N@xf64>
        affine.store %u, %as[symbol(%t) floordiv 16 + %i * 8, symbol(%t) mod 16] : memref<64x20xf64, #shared>
      }
      affine.for %i = 0 to 4 {
        %u = affine.load %b[%k + symbol(%t) floordiv 32 + %i * 4, symbol(%bx) * 32 + symbol(%t) mod 32] : memref<@N@x@N@xf64>
        affine.store %u, %bs[symbol(%t) floordiv 32 + %i * 4, symbol(%t) mod 32] : memref<16x36xf64, #shared>
      }
      gpu.barrier
      %part:8 = affine.for %l = 0 to 16 step 4 iter_args(%i00 = %o00, %i01 = %o01, %i10 = %o10, %i11 = %o11, %i20 = %o20, %i21 = %o21, %i30 = %o30, %i31 = %o31)
          -> (vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>) {
        %x0 = affine.load %as[symbol(%wm) * 32 + symbol(%lane) floordiv 4 + 0, %l + symbol(%lane) mod 4] : memref<64x20xf64, #shared>
        %fa0 = vector.broadcast %x0 : f64 to vector<1x1xf64>
        %x1 = affine.load %as[symbol(%wm) * 32 + symbol(%lane) floordiv 4 + 8, %l + symbol(%lane) mod 4] : memref<64x20xf64, #shared>
        %fa1 = vector.broadcast %x1 : f64 to vector<1x1xf64>
        %x2 = affine.load %as[symbol(%wm) * 32 + symbol(%lane) floordiv 4 + 16, %l + symbol(%lane) mod 4] : memref<64x20xf64, #shared>
        %fa2 = vector.broadcast %x2 : f64 to vector<1x1xf64>
        %x3 = affine.load %as[symbol(%wm) * 32 + symbol(%lane) floordiv 4 + 24, %l + symbol(%lane) mod 4] : memref<64x20xf64, #shared>
        %fa3 = vector.broadcast %x3 : f64 to vector<1x1xf64>
        %y0 = affine.load %bs[%l + symbol(%lane) mod 4, symbol(%wn) * 16 + symbol(%lane) floordiv 4 + 0] : memref<16x36xf64, #shared>
        %fb0 = vector.broadcast %y0 : f64 to vector<1x1xf64>
        %y1 = affine.load %bs[%l + symbol(%lane) mod 4, symbol(%wn) * 16 + symbol(%lane) floordiv 4 + 8] : memref<16x36xf64, #shared>
        %fb1 = vector.broadcast %y1 : f64 to vector<1x1xf64>
        %d00 = nvgpu.mma.sync(%fa0, %fb0, %i00) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d01 = nvgpu.mma.sync(%fa0, %fb1, %i01) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d10 = nvgpu.mma.sync(%fa1, %fb0, %i10) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d11 = nvgpu.mma.sync(%fa1, %fb1, %i11) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d20 = nvgpu.mma.sync(%fa2, %fb0, %i20) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d21 = nvgpu.mma.sync(%fa2, %fb1, %i21) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d30 = nvgpu.mma.sync(%fa3, %fb0, %i30) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d31 = nvgpu.mma.sync(%fa3, %fb1, %i31) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        affine.yield %d00, %d01, %d10, %d11, %d20, %d21, %d30, %d31
            : vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>
      }
      gpu.barrier
      affine.yield %part#0, %part#1, %part#2, %part#3, %part#4, %part#5, %part#6, %part#7
          : vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>
    }
    %r00 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 0 + l floordiv 4)>()[%by, %wm, %lane]
    %s00 = affine.apply affine_map<()[b, w, l] -> (b * 32 + w * 16 + 0 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %v00 = vector.extract %sum#0[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %v00, %c[%r00, %s00] : memref<@N@x@N@xf64>, vector<2xf64>
    %r01 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 0 + l floordiv 4)>()[%by, %wm, %lane]
    %s01 = affine.apply affine_map<()[b, w, l] -> (b * 32 + w * 16 + 8 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %v01 = vector.extract %sum#1[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %v01, %c[%r01, %s01] : memref<@N@x@N@xf64>, vector<2xf64>
    %r10 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 8 + l floordiv 4)>()[%by, %wm, %lane]
    %s10 = affine.apply affine_map<()[b, w, l] -> (b * 32 + w * 16 + 0 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %v10 = vector.extract %sum#2[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %v10, %c[%r10, %s10] : memref<@N@x@N@xf64>, vector<2xf64>
    %r11 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 8 + l floordiv 4)>()[%by, %wm, %lane]
    %s11 = affine.apply affine_map<()[b, w, l] -> (b * 32 + w * 16 + 8 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %v11 = vector.extract %sum#3[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %v11, %c[%r11, %s11] : memref<@N@x@N@xf64>, vector<2xf64>
    %r20 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 16 + l floordiv 4)>()[%by, %wm, %lane]
    %s20 = affine.apply affine_map<()[b, w, l] -> (b * 32 + w * 16 + 0 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %v20 = vector.extract %sum#4[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %v20, %c[%r20, %s20] : memref<@N@x@N@xf64>, vector<2xf64>
    %r21 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 16 + l floordiv 4)>()[%by, %wm, %lane]
    %s21 = affine.apply affine_map<()[b, w, l] -> (b * 32 + w * 16 + 8 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %v21 = vector.extract %sum#5[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %v21, %c[%r21, %s21] : memref<@N@x@N@xf64>, vector<2xf64>
    %r30 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 24 + l floordiv 4)>()[%by, %wm, %lane]
    %s30 = affine.apply affine_map<()[b, w, l] -> (b * 32 + w * 16 + 0 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %v30 = vector.extract %sum#6[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %v30, %c[%r30, %s30] : memref<@N@x@N@xf64>, vector<2xf64>
    %r31 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 24 + l floordiv 4)>()[%by, %wm, %lane]
    %s31 = affine.apply affine_map<()[b, w, l] -> (b * 32 + w * 16 + 8 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %v31 = vector.extract %sum#7[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %v31, %c[%r31, %s31] : memref<@N@x@N@xf64>, vector<2xf64>
    gpu.return
  }
}
