// The update of LU in place: a[i][j] -= a[i][k] a[k][j] for i, j > k, in double
// precision. Any size.
gpu.module @lu_update {
  gpu.func @lu_update(%n: i32, %step: i32, %a: memref<?x?xf64>)
      kernel attributes {known_block_size = array<i32: 32, 8, 1>} {
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %size = arith.index_cast %n : i32 to index
    %k = arith.index_cast %step : i32 to index
    %i = affine.apply affine_map<()[b, t, k] -> (b * 8 + t + k + 1)>()[%by, %ty, %k]
    %j = affine.apply affine_map<()[b, t, k] -> (b * 32 + t + k + 1)>()[%bx, %tx, %k]
    affine.if affine_set<()[i, j, n] : (n - i - 1 >= 0, n - j - 1 >= 0)>()[%i, %j, %size] {
      %l = affine.load %a[symbol(%i), symbol(%k)] : memref<?x?xf64>
      %u = affine.load %a[symbol(%k), symbol(%j)] : memref<?x?xf64>
      %v = affine.load %a[symbol(%i), symbol(%j)] : memref<?x?xf64>
      %p = arith.mulf %l, %u fastmath<contract> : f64
      %r = arith.subf %v, %p fastmath<contract> : f64
      affine.store %r, %a[symbol(%i), symbol(%j)] : memref<?x?xf64>
    }
    gpu.return
  }
}
