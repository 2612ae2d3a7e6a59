// A five-point stencil through a tile with its border in shared memory. Static size: a
// field of N + 2 by N + 2, N a multiple of 32.
// @N@ = 8192, small 64
// @M@ = 8194, small 66
#shared = #gpu.address_space<workgroup>
gpu.module @stencil_shared {
  gpu.func @stencil_shared(%a: memref<@M@x@M@xf32> {llvm.noalias}, %b: memref<@M@x@M@xf32> {llvm.noalias})
      workgroup(%tile: memref<10x34xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 8, 1>} {
    %centre = arith.constant -4.0 : f32
    %weight = arith.constant 0.1 : f32
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %t = affine.apply affine_map<()[x, y] -> (y * 32 + x)>()[%tx, %ty]
    // 340 elements by 256 threads.
    affine.for %k = 0 to 512 step 256 {
      affine.if affine_set<(k)[t] : (339 - t - k >= 0)>(%k)[%t] {
        %r = affine.apply affine_map<(k)[t] -> ((t + k) floordiv 34)>(%k)[%t]
        %c = affine.apply affine_map<(k)[t] -> ((t + k) mod 34)>(%k)[%t]
        %gr = affine.apply affine_map<(r)[b] -> (b * 8 + r)>(%r)[%by]
        %gc = affine.apply affine_map<(c)[b] -> (b * 32 + c)>(%c)[%bx]
        %v = memref.load %a[%gr, %gc] : memref<@M@x@M@xf32>
        memref.store %v, %tile[%r, %c] : memref<10x34xf32, #shared>
      }
    }
    gpu.barrier
    %0 = affine.load %tile[symbol(%ty) + 1, symbol(%tx) + 1] : memref<10x34xf32, #shared>
    %1 = affine.load %tile[symbol(%ty), symbol(%tx) + 1] : memref<10x34xf32, #shared>
    %2 = affine.load %tile[symbol(%ty) + 2, symbol(%tx) + 1] : memref<10x34xf32, #shared>
    %3 = affine.load %tile[symbol(%ty) + 1, symbol(%tx)] : memref<10x34xf32, #shared>
    %4 = affine.load %tile[symbol(%ty) + 1, symbol(%tx) + 2] : memref<10x34xf32, #shared>
    %5 = arith.addf %1, %2 fastmath<contract> : f32
    %6 = arith.addf %5, %3 fastmath<contract> : f32
    %7 = arith.addf %6, %4 fastmath<contract> : f32
    %8 = arith.mulf %centre, %0 fastmath<contract> : f32
    %9 = arith.addf %8, %7 fastmath<contract> : f32
    %10 = arith.mulf %weight, %9 fastmath<contract> : f32
    %11 = arith.addf %0, %10 fastmath<contract> : f32
    affine.store %11, %b[symbol(%by) * 8 + symbol(%ty) + 1, symbol(%bx) * 32 + symbol(%tx) + 1] : memref<@M@x@M@xf32>
    gpu.return
  }
}
