// a = b + s c, four elements a thread as one access of 128 bits. Static length.
// @N@ = 33554432, small 4096
#element = affine_map<()[b, t] -> (b * 1024 + t * 4)>
gpu.module @triad {
  gpu.func @triad(%s: f32, %a: memref<@N@xf32> {llvm.noalias, llvm.align = 16 : i32},
      %b: memref<@N@xf32> {llvm.noalias, llvm.align = 16 : i32},
      %c: memref<@N@xf32> {llvm.noalias, llvm.align = 16 : i32})
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %i = affine.apply #element()[%block, %t]
    %u = vector.load %b[%i] : memref<@N@xf32>, vector<4xf32>
    %v = vector.load %c[%i] : memref<@N@xf32>, vector<4xf32>
    %ss = vector.broadcast %s : f32 to vector<4xf32>
    %p = arith.mulf %ss, %v fastmath<contract> : vector<4xf32>
    %r = arith.addf %u, %p fastmath<contract> : vector<4xf32>
    vector.store %r, %a[%i] : memref<@N@xf32>, vector<4xf32>
    gpu.return
  }
}
