// y += a x, one element a thread. Any length.
#element = affine_map<()[b, t] -> (b * 256 + t)>
gpu.module @axpy {
  gpu.func @axpy(%n: i32, %a: f32, %x: memref<?xf32> {llvm.noalias}, %y: memref<?xf32> {llvm.noalias})
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %size = arith.index_cast %n : i32 to index
    %i = affine.apply #element()[%b, %t]
    affine.if affine_set<()[i, n] : (n - i - 1 >= 0)>()[%i, %size] {
      %u = memref.load %x[%i] : memref<?xf32>
      %v = memref.load %y[%i] : memref<?xf32>
      %p = arith.mulf %a, %u fastmath<contract> : f32
      %s = arith.addf %p, %v fastmath<contract> : f32
      memref.store %s, %y[%i] : memref<?xf32>
    }
    gpu.return
  }
}
