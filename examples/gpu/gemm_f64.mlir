// C = A * B on tensor cores in f64.
//
// A block of 128 threads computes 64 x 64 elements of C. Tiles of A (64 x 16) and of B
// (16 x 64) are copied to workgroup memory in the background, one step ahead of the one
// that is multiplied. Of its 2 x 2 warps each computes 32 x 32 elements: 4 x 4 products
// of 8 x 8 elements and depth 4. Rows in workgroup memory are 4 elements longer than the
// tiles, so that what a warp loads at a time lies in different banks.
//
// M and N are multiples of 64, K of 16.

func.func @gemm_f64(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["M", "K"], terrace.init = "random:1024x1024:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["K", "N"], terrace.init = "random:1024x1024:2"},
    %C: memref<?x?xf64> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "zeros:1024x1024"}
) attributes {terrace.flops = "2*M*N*K"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = memref.dim %A, %c0 : memref<?x?xf64>
  %K = memref.dim %A, %c1 : memref<?x?xf64>
  %N = memref.dim %B, %c1 : memref<?x?xf64>
  %rows = arith.divui %M, %c64 : index
  %columns = arith.divui %N, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %columns, %gy = %rows, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c128, %sy = %c1, %sz = %c1)
             workgroup(%As: memref<2x64x20xf64, #gpu.address_space<workgroup>>,
                       %Bs: memref<2x16x68xf64, #gpu.address_space<workgroup>>) {
    %zero = arith.constant dense<0.0> : vector<1x2xf64>
    %row0 = arith.muli %by, %c64 : index
    %column0 = arith.muli %bx, %c64 : index

    // What this thread copies: two elements of four rows of each tile.
    %ar = arith.divui %t, %c8 : index
    %at = arith.remui %t, %c8 : index
    %ac = arith.muli %at, %c2 : index
    %ar16 = arith.addi %ar, %c16 : index
    %ar32 = arith.addi %ar, %c32 : index
    %ar48 = arith.addi %ar, %c48 : index
    %am = arith.addi %row0, %ar : index
    %am16 = arith.addi %row0, %ar16 : index
    %am32 = arith.addi %row0, %ar32 : index
    %am48 = arith.addi %row0, %ar48 : index
    %br = arith.divui %t, %c32 : index
    %bt = arith.remui %t, %c32 : index
    %bc = arith.muli %bt, %c2 : index
    %br4 = arith.addi %br, %c4 : index
    %br8 = arith.addi %br, %c8 : index
    %br12 = arith.addi %br, %c12 : index
    %bn = arith.addi %column0, %bc : index

    // Where this warp's part of the tile begins, and this lane's elements in it.
    %lane = arith.remui %t, %c32 : index
    %warp = arith.divui %t, %c32 : index
    %wr = arith.divui %warp, %c2 : index
    %wc = arith.remui %warp, %c2 : index
    %wm = arith.muli %wr, %c32 : index
    %wn = arith.muli %wc, %c32 : index
    %g = arith.divui %lane, %c4 : index
    %q = arith.remui %lane, %c4 : index
    %m0 = arith.addi %wm, %g : index
    %m8 = arith.addi %m0, %c8 : index
    %m16 = arith.addi %m0, %c16 : index
    %m24 = arith.addi %m0, %c24 : index
    %n0 = arith.addi %wn, %g : index
    %n8 = arith.addi %n0, %c8 : index
    %n16 = arith.addi %n0, %c16 : index
    %n24 = arith.addi %n0, %c24 : index

    %ka_c0 = arith.addi %c0, %ac : index
    %kb_c0 = arith.addi %c0, %br : index
    %kb4_c0 = arith.addi %c0, %br4 : index
    %kb8_c0 = arith.addi %c0, %br8 : index
    %kb12_c0 = arith.addi %c0, %br12 : index
    %cp0_c0 = nvgpu.device_async_copy %A[%am, %ka_c0], %As[%c0, %ar, %ac], 2 {bypassL1} : memref<?x?xf64> to memref<2x64x20xf64, #gpu.address_space<workgroup>>
    %cp1_c0 = nvgpu.device_async_copy %A[%am16, %ka_c0], %As[%c0, %ar16, %ac], 2 {bypassL1} : memref<?x?xf64> to memref<2x64x20xf64, #gpu.address_space<workgroup>>
    %cp2_c0 = nvgpu.device_async_copy %A[%am32, %ka_c0], %As[%c0, %ar32, %ac], 2 {bypassL1} : memref<?x?xf64> to memref<2x64x20xf64, #gpu.address_space<workgroup>>
    %cp3_c0 = nvgpu.device_async_copy %A[%am48, %ka_c0], %As[%c0, %ar48, %ac], 2 {bypassL1} : memref<?x?xf64> to memref<2x64x20xf64, #gpu.address_space<workgroup>>
    %cp4_c0 = nvgpu.device_async_copy %B[%kb_c0, %bn], %Bs[%c0, %br, %bc], 2 {bypassL1} : memref<?x?xf64> to memref<2x16x68xf64, #gpu.address_space<workgroup>>
    %cp5_c0 = nvgpu.device_async_copy %B[%kb4_c0, %bn], %Bs[%c0, %br4, %bc], 2 {bypassL1} : memref<?x?xf64> to memref<2x16x68xf64, #gpu.address_space<workgroup>>
    %cp6_c0 = nvgpu.device_async_copy %B[%kb8_c0, %bn], %Bs[%c0, %br8, %bc], 2 {bypassL1} : memref<?x?xf64> to memref<2x16x68xf64, #gpu.address_space<workgroup>>
    %cp7_c0 = nvgpu.device_async_copy %B[%kb12_c0, %bn], %Bs[%c0, %br12, %bc], 2 {bypassL1} : memref<?x?xf64> to memref<2x16x68xf64, #gpu.address_space<workgroup>>
    %group_c0 = nvgpu.device_async_create_group %cp0_c0, %cp1_c0, %cp2_c0, %cp3_c0, %cp4_c0, %cp5_c0, %cp6_c0, %cp7_c0

    %sums:16 = scf.for %k = %c0 to %K step %c16 iter_args(
        %x00 = %zero, %x01 = %zero, %x02 = %zero, %x03 = %zero,
        %x10 = %zero, %x11 = %zero, %x12 = %zero, %x13 = %zero,
        %x20 = %zero, %x21 = %zero, %x22 = %zero, %x23 = %zero,
        %x30 = %zero, %x31 = %zero, %x32 = %zero, %x33 = %zero)
        -> (vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>,
            vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>,
            vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>,
            vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>) {
      // This step's tiles are there, and nobody reads the other ones any more.
      nvgpu.device_async_wait %group_c0 {numGroups = 0 : i32}
      gpu.barrier
      %step = arith.divui %k, %c16 : index
      %here = arith.remui %step, %c2 : index
      %there = arith.subi %c1, %here : index
      %next = arith.addi %k, %c16 : index
      %more = arith.cmpi ult, %next, %K : index
      scf.if %more {
        %ka_there = arith.addi %next, %ac : index
        %kb_there = arith.addi %next, %br : index
        %kb4_there = arith.addi %next, %br4 : index
        %kb8_there = arith.addi %next, %br8 : index
        %kb12_there = arith.addi %next, %br12 : index
        %cp0_there = nvgpu.device_async_copy %A[%am, %ka_there], %As[%there, %ar, %ac], 2 {bypassL1} : memref<?x?xf64> to memref<2x64x20xf64, #gpu.address_space<workgroup>>
        %cp1_there = nvgpu.device_async_copy %A[%am16, %ka_there], %As[%there, %ar16, %ac], 2 {bypassL1} : memref<?x?xf64> to memref<2x64x20xf64, #gpu.address_space<workgroup>>
        %cp2_there = nvgpu.device_async_copy %A[%am32, %ka_there], %As[%there, %ar32, %ac], 2 {bypassL1} : memref<?x?xf64> to memref<2x64x20xf64, #gpu.address_space<workgroup>>
        %cp3_there = nvgpu.device_async_copy %A[%am48, %ka_there], %As[%there, %ar48, %ac], 2 {bypassL1} : memref<?x?xf64> to memref<2x64x20xf64, #gpu.address_space<workgroup>>
        %cp4_there = nvgpu.device_async_copy %B[%kb_there, %bn], %Bs[%there, %br, %bc], 2 {bypassL1} : memref<?x?xf64> to memref<2x16x68xf64, #gpu.address_space<workgroup>>
        %cp5_there = nvgpu.device_async_copy %B[%kb4_there, %bn], %Bs[%there, %br4, %bc], 2 {bypassL1} : memref<?x?xf64> to memref<2x16x68xf64, #gpu.address_space<workgroup>>
        %cp6_there = nvgpu.device_async_copy %B[%kb8_there, %bn], %Bs[%there, %br8, %bc], 2 {bypassL1} : memref<?x?xf64> to memref<2x16x68xf64, #gpu.address_space<workgroup>>
        %cp7_there = nvgpu.device_async_copy %B[%kb12_there, %bn], %Bs[%there, %br12, %bc], 2 {bypassL1} : memref<?x?xf64> to memref<2x16x68xf64, #gpu.address_space<workgroup>>
        %group_there = nvgpu.device_async_create_group %cp0_there, %cp1_there, %cp2_there, %cp3_there, %cp4_there, %cp5_there, %cp6_there, %cp7_there
      }
      %inner:16 = scf.for %kk = %c0 to %c16 step %c4 iter_args(
          %x00i = %x00, %x01i = %x01, %x02i = %x02, %x03i = %x03,
          %x10i = %x10, %x11i = %x11, %x12i = %x12, %x13i = %x13,
          %x20i = %x20, %x21i = %x21, %x22i = %x22, %x23i = %x23,
          %x30i = %x30, %x31i = %x31, %x32i = %x32, %x33i = %x33)
          -> (vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>,
              vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>,
              vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>,
              vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>) {
        %kq = arith.addi %kk, %q : index
        %a0 = vector.load %As[%here, %m0, %kq] : memref<2x64x20xf64, #gpu.address_space<workgroup>>, vector<1x1xf64>
        %a1 = vector.load %As[%here, %m8, %kq] : memref<2x64x20xf64, #gpu.address_space<workgroup>>, vector<1x1xf64>
        %a2 = vector.load %As[%here, %m16, %kq] : memref<2x64x20xf64, #gpu.address_space<workgroup>>, vector<1x1xf64>
        %a3 = vector.load %As[%here, %m24, %kq] : memref<2x64x20xf64, #gpu.address_space<workgroup>>, vector<1x1xf64>
        %b0 = vector.load %Bs[%here, %kq, %n0] : memref<2x16x68xf64, #gpu.address_space<workgroup>>, vector<1x1xf64>
        %b1 = vector.load %Bs[%here, %kq, %n8] : memref<2x16x68xf64, #gpu.address_space<workgroup>>, vector<1x1xf64>
        %b2 = vector.load %Bs[%here, %kq, %n16] : memref<2x16x68xf64, #gpu.address_space<workgroup>>, vector<1x1xf64>
        %b3 = vector.load %Bs[%here, %kq, %n24] : memref<2x16x68xf64, #gpu.address_space<workgroup>>, vector<1x1xf64>
        %d00 = nvgpu.mma.sync(%a0, %b0, %x00i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d01 = nvgpu.mma.sync(%a0, %b1, %x01i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d02 = nvgpu.mma.sync(%a0, %b2, %x02i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d03 = nvgpu.mma.sync(%a0, %b3, %x03i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d10 = nvgpu.mma.sync(%a1, %b0, %x10i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d11 = nvgpu.mma.sync(%a1, %b1, %x11i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d12 = nvgpu.mma.sync(%a1, %b2, %x12i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d13 = nvgpu.mma.sync(%a1, %b3, %x13i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d20 = nvgpu.mma.sync(%a2, %b0, %x20i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d21 = nvgpu.mma.sync(%a2, %b1, %x21i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d22 = nvgpu.mma.sync(%a2, %b2, %x22i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d23 = nvgpu.mma.sync(%a2, %b3, %x23i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d30 = nvgpu.mma.sync(%a3, %b0, %x30i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d31 = nvgpu.mma.sync(%a3, %b1, %x31i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d32 = nvgpu.mma.sync(%a3, %b2, %x32i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        %d33 = nvgpu.mma.sync(%a3, %b3, %x33i) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
        scf.yield %d00, %d01, %d02, %d03,
                  %d10, %d11, %d12, %d13,
                  %d20, %d21, %d22, %d23,
                  %d30, %d31, %d32, %d33
            : vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>,
              vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>,
              vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>,
              vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>
      }
      scf.yield %inner#0, %inner#1, %inner#2, %inner#3,
                %inner#4, %inner#5, %inner#6, %inner#7,
                %inner#8, %inner#9, %inner#10, %inner#11,
                %inner#12, %inner#13, %inner#14, %inner#15
          : vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>,
            vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>,
            vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>,
            vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>, vector<1x2xf64>
    }

    // Of each product this lane has two neighbours in row lane / 4.
    %q2 = arith.muli %q, %c2 : index
    %r = arith.addi %row0, %wm : index
    %r0 = arith.addi %r, %g : index
    %s = arith.addi %column0, %wn : index
    %s0 = arith.addi %s, %q2 : index
    %r8 = arith.addi %r0, %c8 : index
    %r16 = arith.addi %r0, %c16 : index
    %r24 = arith.addi %r0, %c24 : index
    %s8 = arith.addi %s0, %c8 : index
    %s16 = arith.addi %s0, %c16 : index
    %s24 = arith.addi %s0, %c24 : index
    %o00 = vector.extract %sums#0[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o00, %C[%r0, %s0] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    %o01 = vector.extract %sums#1[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o01, %C[%r0, %s8] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    %o02 = vector.extract %sums#2[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o02, %C[%r0, %s16] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    %o03 = vector.extract %sums#3[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o03, %C[%r0, %s24] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    %o10 = vector.extract %sums#4[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o10, %C[%r8, %s0] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    %o11 = vector.extract %sums#5[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o11, %C[%r8, %s8] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    %o12 = vector.extract %sums#6[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o12, %C[%r8, %s16] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    %o13 = vector.extract %sums#7[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o13, %C[%r8, %s24] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    %o20 = vector.extract %sums#8[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o20, %C[%r16, %s0] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    %o21 = vector.extract %sums#9[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o21, %C[%r16, %s8] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    %o22 = vector.extract %sums#10[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o22, %C[%r16, %s16] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    %o23 = vector.extract %sums#11[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o23, %C[%r16, %s24] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    %o30 = vector.extract %sums#12[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o30, %C[%r24, %s0] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    %o31 = vector.extract %sums#13[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o31, %C[%r24, %s8] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    %o32 = vector.extract %sums#14[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o32, %C[%r24, %s16] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    %o33 = vector.extract %sums#15[0] : vector<2xf64> from vector<1x2xf64>
    vector.store %o33, %C[%r24, %s24] {alignment = 16 : i64} : memref<?x?xf64>, vector<2xf64>
    gpu.terminator
  }
  return
}
