// C = A B, an element a thread, all from global memory. Any sizes.
gpu.module @gemm_naive {
  gpu.func @gemm_naive(%m: i32, %n: i32, %k: i32, %a: memref<?x?xf32> {llvm.noalias},
      %b: memref<?x?xf32> {llvm.noalias}, %c: memref<?x?xf32> {llvm.noalias})
      kernel attributes {known_block_size = array<i32: 32, 8, 1>} {
    %zero = arith.constant 0.0 : f32
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %rows = arith.index_cast %m : i32 to index
    %columns = arith.index_cast %n : i32 to index
    %depth = arith.index_cast %k : i32 to index
    %i = affine.apply affine_map<()[b, t] -> (b * 8 + t)>()[%by, %ty]
    %j = affine.apply affine_map<()[b, t] -> (b * 32 + t)>()[%bx, %tx]
    affine.if affine_set<()[i, j, m, n] : (m - i - 1 >= 0, n - j - 1 >= 0)>()[%i, %j, %rows, %columns] {
      %sum = affine.for %l = 0 to %depth iter_args(%acc = %zero) -> (f32) {
        %u = memref.load %a[%i, %l] : memref<?x?xf32>
        %v = memref.load %b[%l, %j] : memref<?x?xf32>
        %p = arith.mulf %u, %v fastmath<contract> : f32
        %s = arith.addf %acc, %p fastmath<contract> : f32
        affine.yield %s : f32
      }
      memref.store %sum, %c[%i, %j] : memref<?x?xf32>
    }
    gpu.return
  }
}
