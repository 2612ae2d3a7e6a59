// C = A * B on tensor cores: f16 factors, f32 sums.
//
// A block of 256 threads computes 128 x 128 elements of C. Tiles of A (128 x 32) and of
// B (32 x 128) are copied to workgroup memory in the background, one step ahead of the
// one that is multiplied. Of its 2 x 4 warps each computes 64 x 32 elements: 4 x 4
// products of 16 x 8 elements and depth 16. Rows in workgroup memory are 8 elements
// longer than the tiles, so that the eight rows that ldmatrix takes at a time lie in
// different banks.
//
// M and N are multiples of 128, K of 32.

func.func @gemm_f16(
    %A: memref<?x?xf16> {terrace.name = "A", terrace.dims = ["M", "K"], terrace.init = "random:1024x1024:1"},
    %B: memref<?x?xf16> {terrace.name = "B", terrace.dims = ["K", "N"], terrace.init = "random:1024x1024:2"},
    %C: memref<?x?xf32> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "zeros:1024x1024"}
) attributes {terrace.flops = "2*M*N*K"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %M = memref.dim %A, %c0 : memref<?x?xf16>
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  %rows = arith.divui %M, %c128 : index
  %columns = arith.divui %N, %c128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %columns, %gy = %rows, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c256, %sy = %c1, %sz = %c1)
             workgroup(%As: memref<2x128x40xf16, #gpu.address_space<workgroup>>,
                       %Bs: memref<2x32x136xf16, #gpu.address_space<workgroup>>) {
    %zero = arith.constant dense<0.0> : vector<2x2xf32>
    %row0 = arith.muli %by, %c128 : index
    %column0 = arith.muli %bx, %c128 : index

    // What this thread copies: 8 elements of two rows of each tile.
    %ar = arith.divui %t, %c4 : index
    %at = arith.remui %t, %c4 : index
    %ac = arith.muli %at, %c8 : index
    %ar64 = arith.addi %ar, %c64 : index
    %am = arith.addi %row0, %ar : index
    %am64 = arith.addi %row0, %ar64 : index
    %br = arith.divui %t, %c16 : index
    %bt = arith.remui %t, %c16 : index
    %bc = arith.muli %bt, %c8 : index
    %br16 = arith.addi %br, %c16 : index
    %bn = arith.addi %column0, %bc : index

    // Where this warp's part of the tile begins, and the rows that this lane names to
    // ldmatrix.
    %lane = arith.remui %t, %c32 : index
    %warp = arith.divui %t, %c32 : index
    %wr = arith.divui %warp, %c4 : index
    %wc = arith.remui %warp, %c4 : index
    %wm = arith.muli %wr, %c64 : index
    %wn = arith.muli %wc, %c32 : index
    %lr = arith.remui %lane, %c16 : index
    %lt = arith.divui %lane, %c16 : index
    %lc = arith.muli %lt, %c8 : index
    %m0 = arith.addi %wm, %lr : index
    %m16 = arith.addi %m0, %c16 : index
    %m32 = arith.addi %m0, %c32 : index
    %m48 = arith.addi %m0, %c48 : index
    %n0 = arith.addi %wn, %lc : index
    %n16 = arith.addi %n0, %c16 : index

    %ka_c0 = arith.addi %c0, %ac : index
    %kb_c0 = arith.addi %c0, %br : index
    %kb16_c0 = arith.addi %c0, %br16 : index
    %cp0_c0 = nvgpu.device_async_copy %A[%am, %ka_c0], %As[%c0, %ar, %ac], 8 {bypassL1} : memref<?x?xf16> to memref<2x128x40xf16, #gpu.address_space<workgroup>>
    %cp1_c0 = nvgpu.device_async_copy %A[%am64, %ka_c0], %As[%c0, %ar64, %ac], 8 {bypassL1} : memref<?x?xf16> to memref<2x128x40xf16, #gpu.address_space<workgroup>>
    %cp2_c0 = nvgpu.device_async_copy %B[%kb_c0, %bn], %Bs[%c0, %br, %bc], 8 {bypassL1} : memref<?x?xf16> to memref<2x32x136xf16, #gpu.address_space<workgroup>>
    %cp3_c0 = nvgpu.device_async_copy %B[%kb16_c0, %bn], %Bs[%c0, %br16, %bc], 8 {bypassL1} : memref<?x?xf16> to memref<2x32x136xf16, #gpu.address_space<workgroup>>
    %group_c0 = nvgpu.device_async_create_group %cp0_c0, %cp1_c0, %cp2_c0, %cp3_c0

    %sums:16 = scf.for %k = %c0 to %K step %c32 iter_args(
        %x00 = %zero, %x01 = %zero, %x02 = %zero, %x03 = %zero,
        %x10 = %zero, %x11 = %zero, %x12 = %zero, %x13 = %zero,
        %x20 = %zero, %x21 = %zero, %x22 = %zero, %x23 = %zero,
        %x30 = %zero, %x31 = %zero, %x32 = %zero, %x33 = %zero)
        -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>,
            vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>,
            vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>,
            vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>) {
      // This step's tiles are there, and nobody reads the other ones any more.
      nvgpu.device_async_wait %group_c0 {numGroups = 0 : i32}
      gpu.barrier
      %step = arith.divui %k, %c32 : index
      %here = arith.remui %step, %c2 : index
      %there = arith.subi %c1, %here : index
      %next = arith.addi %k, %c32 : index
      %more = arith.cmpi ult, %next, %K : index
      scf.if %more {
        %ka_there = arith.addi %next, %ac : index
        %kb_there = arith.addi %next, %br : index
        %kb16_there = arith.addi %next, %br16 : index
        %cp0_there = nvgpu.device_async_copy %A[%am, %ka_there], %As[%there, %ar, %ac], 8 {bypassL1} : memref<?x?xf16> to memref<2x128x40xf16, #gpu.address_space<workgroup>>
        %cp1_there = nvgpu.device_async_copy %A[%am64, %ka_there], %As[%there, %ar64, %ac], 8 {bypassL1} : memref<?x?xf16> to memref<2x128x40xf16, #gpu.address_space<workgroup>>
        %cp2_there = nvgpu.device_async_copy %B[%kb_there, %bn], %Bs[%there, %br, %bc], 8 {bypassL1} : memref<?x?xf16> to memref<2x32x136xf16, #gpu.address_space<workgroup>>
        %cp3_there = nvgpu.device_async_copy %B[%kb16_there, %bn], %Bs[%there, %br16, %bc], 8 {bypassL1} : memref<?x?xf16> to memref<2x32x136xf16, #gpu.address_space<workgroup>>
        %group_there = nvgpu.device_async_create_group %cp0_there, %cp1_there, %cp2_there, %cp3_there
      }
      %inner:16 = scf.for %kk = %c0 to %c32 step %c16 iter_args(
          %x00i = %x00, %x01i = %x01, %x02i = %x02, %x03i = %x03,
          %x10i = %x10, %x11i = %x11, %x12i = %x12, %x13i = %x13,
          %x20i = %x20, %x21i = %x21, %x22i = %x22, %x23i = %x23,
          %x30i = %x30, %x31i = %x31, %x32i = %x32, %x33i = %x33)
          -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>,
              vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>,
              vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>,
              vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>) {
        %ka = arith.addi %kk, %lc : index
        %kb = arith.addi %kk, %lr : index
        %a0 = nvgpu.ldmatrix %As[%here, %m0, %ka] {numTiles = 4 : i32, transpose = false} : memref<2x128x40xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
        %a1 = nvgpu.ldmatrix %As[%here, %m16, %ka] {numTiles = 4 : i32, transpose = false} : memref<2x128x40xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
        %a2 = nvgpu.ldmatrix %As[%here, %m32, %ka] {numTiles = 4 : i32, transpose = false} : memref<2x128x40xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
        %a3 = nvgpu.ldmatrix %As[%here, %m48, %ka] {numTiles = 4 : i32, transpose = false} : memref<2x128x40xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
        %b0 = nvgpu.ldmatrix %Bs[%here, %kb, %n0] {numTiles = 4 : i32, transpose = true} : memref<2x32x136xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
        %b1 = nvgpu.ldmatrix %Bs[%here, %kb, %n16] {numTiles = 4 : i32, transpose = true} : memref<2x32x136xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
        %b0l = vector.extract_strided_slice %b0 {offsets = [0], sizes = [2], strides = [1]} : vector<4x2xf16> to vector<2x2xf16>
        %b0r = vector.extract_strided_slice %b0 {offsets = [2], sizes = [2], strides = [1]} : vector<4x2xf16> to vector<2x2xf16>
        %b1l = vector.extract_strided_slice %b1 {offsets = [0], sizes = [2], strides = [1]} : vector<4x2xf16> to vector<2x2xf16>
        %b1r = vector.extract_strided_slice %b1 {offsets = [2], sizes = [2], strides = [1]} : vector<4x2xf16> to vector<2x2xf16>
        %d00 = nvgpu.mma.sync(%a0, %b0l, %x00i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d01 = nvgpu.mma.sync(%a0, %b0r, %x01i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d02 = nvgpu.mma.sync(%a0, %b1l, %x02i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d03 = nvgpu.mma.sync(%a0, %b1r, %x03i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d10 = nvgpu.mma.sync(%a1, %b0l, %x10i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d11 = nvgpu.mma.sync(%a1, %b0r, %x11i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d12 = nvgpu.mma.sync(%a1, %b1l, %x12i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d13 = nvgpu.mma.sync(%a1, %b1r, %x13i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d20 = nvgpu.mma.sync(%a2, %b0l, %x20i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d21 = nvgpu.mma.sync(%a2, %b0r, %x21i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d22 = nvgpu.mma.sync(%a2, %b1l, %x22i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d23 = nvgpu.mma.sync(%a2, %b1r, %x23i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d30 = nvgpu.mma.sync(%a3, %b0l, %x30i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d31 = nvgpu.mma.sync(%a3, %b0r, %x31i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d32 = nvgpu.mma.sync(%a3, %b1l, %x32i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %d33 = nvgpu.mma.sync(%a3, %b1r, %x33i) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        scf.yield %d00, %d01, %d02, %d03,
                  %d10, %d11, %d12, %d13,
                  %d20, %d21, %d22, %d23,
                  %d30, %d31, %d32, %d33
            : vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>,
              vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>,
              vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>,
              vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>
      }
      scf.yield %inner#0, %inner#1, %inner#2, %inner#3,
                %inner#4, %inner#5, %inner#6, %inner#7,
                %inner#8, %inner#9, %inner#10, %inner#11,
                %inner#12, %inner#13, %inner#14, %inner#15
          : vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>,
            vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>,
            vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>,
            vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>
    }

    // Of each product this lane has two neighbours in row lane / 4 and two 8 rows below.
    %g = arith.divui %lane, %c4 : index
    %q = arith.remui %lane, %c4 : index
    %q2 = arith.muli %q, %c2 : index
    %r = arith.addi %row0, %wm : index
    %r0 = arith.addi %r, %g : index
    %s = arith.addi %column0, %wn : index
    %s0 = arith.addi %s, %q2 : index
    %c24 = arith.constant 24 : index
    %c40 = arith.constant 40 : index
    %c56 = arith.constant 56 : index
    %r8 = arith.addi %r0, %c8 : index
    %r16 = arith.addi %r0, %c16 : index
    %r24 = arith.addi %r0, %c24 : index
    %r32 = arith.addi %r0, %c32 : index
    %r40 = arith.addi %r0, %c40 : index
    %r48 = arith.addi %r0, %c48 : index
    %r56 = arith.addi %r0, %c56 : index
    %s8 = arith.addi %s0, %c8 : index
    %s16 = arith.addi %s0, %c16 : index
    %s24 = arith.addi %s0, %c24 : index
    %o000 = vector.extract %sums#0[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o000, %C[%r0, %s0] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o001 = vector.extract %sums#0[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o001, %C[%r8, %s0] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o010 = vector.extract %sums#1[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o010, %C[%r0, %s8] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o011 = vector.extract %sums#1[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o011, %C[%r8, %s8] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o020 = vector.extract %sums#2[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o020, %C[%r0, %s16] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o021 = vector.extract %sums#2[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o021, %C[%r8, %s16] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o030 = vector.extract %sums#3[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o030, %C[%r0, %s24] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o031 = vector.extract %sums#3[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o031, %C[%r8, %s24] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o100 = vector.extract %sums#4[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o100, %C[%r16, %s0] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o101 = vector.extract %sums#4[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o101, %C[%r24, %s0] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o110 = vector.extract %sums#5[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o110, %C[%r16, %s8] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o111 = vector.extract %sums#5[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o111, %C[%r24, %s8] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o120 = vector.extract %sums#6[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o120, %C[%r16, %s16] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o121 = vector.extract %sums#6[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o121, %C[%r24, %s16] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o130 = vector.extract %sums#7[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o130, %C[%r16, %s24] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o131 = vector.extract %sums#7[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o131, %C[%r24, %s24] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o200 = vector.extract %sums#8[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o200, %C[%r32, %s0] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o201 = vector.extract %sums#8[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o201, %C[%r40, %s0] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o210 = vector.extract %sums#9[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o210, %C[%r32, %s8] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o211 = vector.extract %sums#9[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o211, %C[%r40, %s8] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o220 = vector.extract %sums#10[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o220, %C[%r32, %s16] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o221 = vector.extract %sums#10[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o221, %C[%r40, %s16] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o230 = vector.extract %sums#11[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o230, %C[%r32, %s24] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o231 = vector.extract %sums#11[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o231, %C[%r40, %s24] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o300 = vector.extract %sums#12[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o300, %C[%r48, %s0] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o301 = vector.extract %sums#12[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o301, %C[%r56, %s0] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o310 = vector.extract %sums#13[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o310, %C[%r48, %s8] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o311 = vector.extract %sums#13[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o311, %C[%r56, %s8] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o320 = vector.extract %sums#14[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o320, %C[%r48, %s16] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o321 = vector.extract %sums#14[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o321, %C[%r56, %s16] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o330 = vector.extract %sums#15[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %o330, %C[%r48, %s24] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    %o331 = vector.extract %sums#15[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %o331, %C[%r56, %s24] {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
    gpu.terminator
  }
  return
}
