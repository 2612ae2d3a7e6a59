// C = A B through 32 x 32 tiles in shared memory, an element a thread. Static sizes,
// multiples of 32.
// @N@ = 1024, small 64
#shared = #gpu.address_space<workgroup>
gpu.module @gemm_tiled {
  gpu.func @gemm_tiled(%a: memref<@N@x@N@xf32> {llvm.noalias}, %b: memref<@N@x@N@xf32> {llvm.noalias},
      %c: memref<@N@x@N@xf32> {llvm.noalias})
      workgroup(%as: memref<32x32xf32, #shared>, %bs: memref<32x32xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 32, 1>} {
    %zero = arith.constant 0.0 : f32
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %i = affine.apply affine_map<()[b, t] -> (b * 32 + t)>()[%by, %ty]
    %j = affine.apply affine_map<()[b, t] -> (b * 32 + t)>()[%bx, %tx]
    %sum = affine.for %k = 0 to @N@ step 32 iter_args(%outer = %zero) -> (f32) {
      %ka = affine.apply affine_map<(k)[t] -> (k + t)>(%k)[%tx]
      %kb = affine.apply affine_map<(k)[t] -> (k + t)>(%k)[%ty]
      %u = memref.load %a[%i, %ka] : memref<@N@x@N@xf32>
      %v = memref.load %b[%kb, %j] : memref<@N@x@N@xf32>
      memref.store %u, %as[%ty, %tx] : memref<32x32xf32, #shared>
      memref.store %v, %bs[%ty, %tx] : memref<32x32xf32, #shared>
      gpu.barrier
      %part = affine.for %l = 0 to 32 iter_args(%acc = %outer) -> (f32) {
        %x = memref.load %as[%ty, %l] : memref<32x32xf32, #shared>
        %y = memref.load %bs[%l, %tx] : memref<32x32xf32, #shared>
        %p = arith.mulf %x, %y fastmath<contract> : f32
        %s = arith.addf %acc, %p fastmath<contract> : f32
        affine.yield %s : f32
      }
      gpu.barrier
      affine.yield %part : f32
    }
    memref.store %sum, %c[%i, %j] : memref<@N@x@N@xf32>
    gpu.return
  }
}
