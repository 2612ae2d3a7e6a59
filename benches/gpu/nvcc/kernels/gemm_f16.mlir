// C = A B of halves on tensor cores, summed as singles: tiles of 64 x 64 a block, 32 x 32
// a warp, the operands by asynchronous copies through padded shared memory. Static sizes,
// multiples of 64.
// @N@ = 4096, small 64
#shared = #gpu.address_space<workgroup>
gpu.module @gemm_f16 {
  gpu.func @gemm_f16(%a: memref<@N@x@N@xf16> {llvm.noalias, llvm.align = 16 : i32},
      %b: memref<@N@x@N@xf16> {llvm.noalias, llvm.align = 16 : i32},
      %c: memref<@N@x@N@xf32> {llvm.noalias, llvm.align = 16 : i32})
      workgroup(%as: memref<64x40xf16, #shared>, %bs: memref<32x72xf16, #shared>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %z = arith.constant dense<0.0> : vector<2x2xf32>
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %lane = affine.apply affine_map<()[t] -> (t mod 32)>()[%t]
    %wm = affine.apply affine_map<()[t] -> (t floordiv 64)>()[%t]
    %wn = affine.apply affine_map<()[t] -> ((t floordiv 32) mod 2)>()[%t]
    // Eight halves a copy: four copies fill a row of A's tile, eight one of B's.
    %ar = affine.apply affine_map<()[t] -> (t floordiv 4)>()[%t]
    %ac = affine.apply affine_map<()[t] -> ((t mod 4) * 8)>()[%t]
    %br = affine.apply affine_map<()[t] -> (t floordiv 8)>()[%t]
    %bc = affine.apply affine_map<()[t] -> ((t mod 8) * 8)>()[%t]
    %ar2 = affine.apply affine_map<()[r] -> (r + 32)>()[%ar]
    %br2 = affine.apply affine_map<()[r] -> (r + 16)>()[%br]
    %ga = affine.apply affine_map<()[b, r] -> (b * 64 + r)>()[%by, %ar]
    %ga2 = affine.apply affine_map<()[b, r] -> (b * 64 + r + 32)>()[%by, %ar]
    %gb = affine.apply affine_map<()[b, c] -> (b * 64 + c)>()[%bx, %bc]
    %sum:8 = affine.for %k = 0 to @N@ step 32 iter_args(%i00 = %z, %i01 = %z, %i02 = %z, %i03 = %z, %i10 = %z, %i11 = %z, %i12 = %z, %i13 = %z)
        -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>) {
      %ka = affine.apply affine_map<(k)[c] -> (k + c)>(%k)[%ac]
      %kb = affine.apply affine_map<(k)[r] -> (k + r)>(%k)[%br]
      %kb2 = affine.apply affine_map<(k)[r] -> (k + r + 16)>(%k)[%br]
      %t0 = nvgpu.device_async_copy %a[%ga, %ka], %as[%ar, %ac], 8 : memref<@N@x@N@xf16> to memref<64x40xf16, #shared>
      %t1 = nvgpu.device_async_copy %a[%ga2, %ka], %as[%ar2, %ac], 8 : memref<@N@x@N@xf16> to memref<64x40xf16, #shared>
      %t2 = nvgpu.device_async_copy %b[%kb, %gb], %bs[%br, %bc], 8 : memref<@N@x@N@xf16> to memref<32x72xf16, #shared>
      %t3 = nvgpu.device_async_copy %b[%kb2, %gb], %bs[%br2, %bc], 8 : memref<@N@x@N@xf16> to memref<32x72xf16, #shared>
      %g = nvgpu.device_async_create_group %t0, %t1, %t2, %t3
      nvgpu.device_async_wait %g
      gpu.barrier
      // Depth 0 to 15.
      %ar0k0 = affine.apply affine_map<()[w, l] -> (w * 32 + 0 + l mod 16)>()[%wm, %lane]
      %ac0k0 = affine.apply affine_map<()[l] -> (0 + (l floordiv 16) * 8)>()[%lane]
      %fa0k0 = nvgpu.ldmatrix %as[%ar0k0, %ac0k0] {numTiles = 4 : i32, transpose = false} : memref<64x40xf16, #shared> -> vector<4x2xf16>
      %ar1k0 = affine.apply affine_map<()[w, l] -> (w * 32 + 16 + l mod 16)>()[%wm, %lane]
      %ac1k0 = affine.apply affine_map<()[l] -> (0 + (l floordiv 16) * 8)>()[%lane]
      %fa1k0 = nvgpu.ldmatrix %as[%ar1k0, %ac1k0] {numTiles = 4 : i32, transpose = false} : memref<64x40xf16, #shared> -> vector<4x2xf16>
      %br0k0 = affine.apply affine_map<()[l] -> (0 + l mod 16)>()[%lane]
      %bc0k0 = affine.apply affine_map<()[w] -> (w * 32 + 0)>()[%wn]
      %fb0k0 = nvgpu.ldmatrix %bs[%br0k0, %bc0k0] {numTiles = 2 : i32, transpose = true} : memref<32x72xf16, #shared> -> vector<2x2xf16>
      %br1k0 = affine.apply affine_map<()[l] -> (0 + l mod 16)>()[%lane]
      %bc1k0 = affine.apply affine_map<()[w] -> (w * 32 + 8)>()[%wn]
      %fb1k0 = nvgpu.ldmatrix %bs[%br1k0, %bc1k0] {numTiles = 2 : i32, transpose = true} : memref<32x72xf16, #shared> -> vector<2x2xf16>
      %br2k0 = affine.apply affine_map<()[l] -> (0 + l mod 16)>()[%lane]
      %bc2k0 = affine.apply affine_map<()[w] -> (w * 32 + 16)>()[%wn]
      %fb2k0 = nvgpu.ldmatrix %bs[%br2k0, %bc2k0] {numTiles = 2 : i32, transpose = true} : memref<32x72xf16, #shared> -> vector<2x2xf16>
      %br3k0 = affine.apply affine_map<()[l] -> (0 + l mod 16)>()[%lane]
      %bc3k0 = affine.apply affine_map<()[w] -> (w * 32 + 24)>()[%wn]
      %fb3k0 = nvgpu.ldmatrix %bs[%br3k0, %bc3k0] {numTiles = 2 : i32, transpose = true} : memref<32x72xf16, #shared> -> vector<2x2xf16>
      %d00k0 = nvgpu.mma.sync(%fa0k0, %fb0k0, %i00) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d01k0 = nvgpu.mma.sync(%fa0k0, %fb1k0, %i01) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d02k0 = nvgpu.mma.sync(%fa0k0, %fb2k0, %i02) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d03k0 = nvgpu.mma.sync(%fa0k0, %fb3k0, %i03) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d10k0 = nvgpu.mma.sync(%fa1k0, %fb0k0, %i10) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d11k0 = nvgpu.mma.sync(%fa1k0, %fb1k0, %i11) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d12k0 = nvgpu.mma.sync(%fa1k0, %fb2k0, %i12) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d13k0 = nvgpu.mma.sync(%fa1k0, %fb3k0, %i13) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      // Depth 16 to 31.
      %ar0k16 = affine.apply affine_map<()[w, l] -> (w * 32 + 0 + l mod 16)>()[%wm, %lane]
      %ac0k16 = affine.apply affine_map<()[l] -> (16 + (l floordiv 16) * 8)>()[%lane]
      %fa0k16 = nvgpu.ldmatrix %as[%ar0k16, %ac0k16] {numTiles = 4 : i32, transpose = false} : memref<64x40xf16, #shared> -> vector<4x2xf16>
      %ar1k16 = affine.apply affine_map<()[w, l] -> (w * 32 + 16 + l mod 16)>()[%wm, %lane]
      %ac1k16 = affine.apply affine_map<()[l] -> (16 + (l floordiv 16) * 8)>()[%lane]
      %fa1k16 = nvgpu.ldmatrix %as[%ar1k16, %ac1k16] {numTiles = 4 : i32, transpose = false} : memref<64x40xf16, #shared> -> vector<4x2xf16>
      %br0k16 = affine.apply affine_map<()[l] -> (16 + l mod 16)>()[%lane]
      %bc0k16 = affine.apply affine_map<()[w] -> (w * 32 + 0)>()[%wn]
      %fb0k16 = nvgpu.ldmatrix %bs[%br0k16, %bc0k16] {numTiles = 2 : i32, transpose = true} : memref<32x72xf16, #shared> -> vector<2x2xf16>
      %br1k16 = affine.apply affine_map<()[l] -> (16 + l mod 16)>()[%lane]
      %bc1k16 = affine.apply affine_map<()[w] -> (w * 32 + 8)>()[%wn]
      %fb1k16 = nvgpu.ldmatrix %bs[%br1k16, %bc1k16] {numTiles = 2 : i32, transpose = true} : memref<32x72xf16, #shared> -> vector<2x2xf16>
      %br2k16 = affine.apply affine_map<()[l] -> (16 + l mod 16)>()[%lane]
      %bc2k16 = affine.apply affine_map<()[w] -> (w * 32 + 16)>()[%wn]
      %fb2k16 = nvgpu.ldmatrix %bs[%br2k16, %bc2k16] {numTiles = 2 : i32, transpose = true} : memref<32x72xf16, #shared> -> vector<2x2xf16>
      %br3k16 = affine.apply affine_map<()[l] -> (16 + l mod 16)>()[%lane]
      %bc3k16 = affine.apply affine_map<()[w] -> (w * 32 + 24)>()[%wn]
      %fb3k16 = nvgpu.ldmatrix %bs[%br3k16, %bc3k16] {numTiles = 2 : i32, transpose = true} : memref<32x72xf16, #shared> -> vector<2x2xf16>
      %d00k16 = nvgpu.mma.sync(%fa0k16, %fb0k16, %d00k0) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d01k16 = nvgpu.mma.sync(%fa0k16, %fb1k16, %d01k0) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d02k16 = nvgpu.mma.sync(%fa0k16, %fb2k16, %d02k0) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d03k16 = nvgpu.mma.sync(%fa0k16, %fb3k16, %d03k0) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d10k16 = nvgpu.mma.sync(%fa1k16, %fb0k16, %d10k0) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d11k16 = nvgpu.mma.sync(%fa1k16, %fb1k16, %d11k0) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d12k16 = nvgpu.mma.sync(%fa1k16, %fb2k16, %d12k0) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d13k16 = nvgpu.mma.sync(%fa1k16, %fb3k16, %d13k0) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      gpu.barrier
      affine.yield %d00k16, %d01k16, %d02k16, %d03k16, %d10k16, %d11k16, %d12k16, %d13k16
          : vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>
    }
    %r00 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 0 + l floordiv 4)>()[%by, %wm, %lane]
    %s00 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 0 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %low00 = vector.extract %sum#0[0] : vector<2xf32> from vector<2x2xf32>
    %high00 = vector.extract %sum#0[1] : vector<2xf32> from vector<2x2xf32>
    %t00 = affine.apply affine_map<()[r] -> (r + 8)>()[%r00]
    vector.store %low00, %c[%r00, %s00] : memref<@N@x@N@xf32>, vector<2xf32>
    vector.store %high00, %c[%t00, %s00] : memref<@N@x@N@xf32>, vector<2xf32>
    %r01 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 0 + l floordiv 4)>()[%by, %wm, %lane]
    %s01 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 8 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %low01 = vector.extract %sum#1[0] : vector<2xf32> from vector<2x2xf32>
    %high01 = vector.extract %sum#1[1] : vector<2xf32> from vector<2x2xf32>
    %t01 = affine.apply affine_map<()[r] -> (r + 8)>()[%r01]
    vector.store %low01, %c[%r01, %s01] : memref<@N@x@N@xf32>, vector<2xf32>
    vector.store %high01, %c[%t01, %s01] : memref<@N@x@N@xf32>, vector<2xf32>
    %r02 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 0 + l floordiv 4)>()[%by, %wm, %lane]
    %s02 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 16 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %low02 = vector.extract %sum#2[0] : vector<2xf32> from vector<2x2xf32>
    %high02 = vector.extract %sum#2[1] : vector<2xf32> from vector<2x2xf32>
    %t02 = affine.apply affine_map<()[r] -> (r + 8)>()[%r02]
    vector.store %low02, %c[%r02, %s02] : memref<@N@x@N@xf32>, vector<2xf32>
    vector.store %high02, %c[%t02, %s02] : memref<@N@x@N@xf32>, vector<2xf32>
    %r03 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 0 + l floordiv 4)>()[%by, %wm, %lane]
    %s03 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 24 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %low03 = vector.extract %sum#3[0] : vector<2xf32> from vector<2x2xf32>
    %high03 = vector.extract %sum#3[1] : vector<2xf32> from vector<2x2xf32>
    %t03 = affine.apply affine_map<()[r] -> (r + 8)>()[%r03]
    vector.store %low03, %c[%r03, %s03] : memref<@N@x@N@xf32>, vector<2xf32>
    vector.store %high03, %c[%t03, %s03] : memref<@N@x@N@xf32>, vector<2xf32>
    %r10 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 16 + l floordiv 4)>()[%by, %wm, %lane]
    %s10 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 0 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %low10 = vector.extract %sum#4[0] : vector<2xf32> from vector<2x2xf32>
    %high10 = vector.extract %sum#4[1] : vector<2xf32> from vector<2x2xf32>
    %t10 = affine.apply affine_map<()[r] -> (r + 8)>()[%r10]
    vector.store %low10, %c[%r10, %s10] : memref<@N@x@N@xf32>, vector<2xf32>
    vector.store %high10, %c[%t10, %s10] : memref<@N@x@N@xf32>, vector<2xf32>
    %r11 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 16 + l floordiv 4)>()[%by, %wm, %lane]
    %s11 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 8 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %low11 = vector.extract %sum#5[0] : vector<2xf32> from vector<2x2xf32>
    %high11 = vector.extract %sum#5[1] : vector<2xf32> from vector<2x2xf32>
    %t11 = affine.apply affine_map<()[r] -> (r + 8)>()[%r11]
    vector.store %low11, %c[%r11, %s11] : memref<@N@x@N@xf32>, vector<2xf32>
    vector.store %high11, %c[%t11, %s11] : memref<@N@x@N@xf32>, vector<2xf32>
    %r12 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 16 + l floordiv 4)>()[%by, %wm, %lane]
    %s12 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 16 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %low12 = vector.extract %sum#6[0] : vector<2xf32> from vector<2x2xf32>
    %high12 = vector.extract %sum#6[1] : vector<2xf32> from vector<2x2xf32>
    %t12 = affine.apply affine_map<()[r] -> (r + 8)>()[%r12]
    vector.store %low12, %c[%r12, %s12] : memref<@N@x@N@xf32>, vector<2xf32>
    vector.store %high12, %c[%t12, %s12] : memref<@N@x@N@xf32>, vector<2xf32>
    %r13 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 16 + l floordiv 4)>()[%by, %wm, %lane]
    %s13 = affine.apply affine_map<()[b, w, l] -> (b * 64 + w * 32 + 24 + (l mod 4) * 2)>()[%bx, %wn, %lane]
    %low13 = vector.extract %sum#7[0] : vector<2xf32> from vector<2x2xf32>
    %high13 = vector.extract %sum#7[1] : vector<2xf32> from vector<2x2xf32>
    %t13 = affine.apply affine_map<()[r] -> (r + 8)>()[%r13]
    vector.store %low13, %c[%r13, %s13] : memref<@N@x@N@xf32>, vector<2xf32>
    vector.store %high13, %c[%t13, %s13] : memref<@N@x@N@xf32>, vector<2xf32>
    gpu.return
  }
}
