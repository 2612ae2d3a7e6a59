// One sweep of jacobi-2d in double precision, an element a thread. Any size.
gpu.module @jacobi2d {
  gpu.func @jacobi2d(%n: i32, %a: memref<?x?xf64> {llvm.noalias}, %b: memref<?x?xf64> {llvm.noalias})
      kernel attributes {known_block_size = array<i32: 32, 8, 1>} {
    %fifth = arith.constant 0.2 : f64
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %size = arith.index_cast %n : i32 to index
    %i = affine.apply affine_map<()[b, t] -> (b * 8 + t + 1)>()[%by, %ty]
    %j = affine.apply affine_map<()[b, t] -> (b * 32 + t + 1)>()[%bx, %tx]
    affine.if affine_set<()[i, j, n] : (n - i - 2 >= 0, n - j - 2 >= 0)>()[%i, %j, %size] {
      %0 = affine.load %a[symbol(%i), symbol(%j)] : memref<?x?xf64>
      %1 = affine.load %a[symbol(%i), symbol(%j) - 1] : memref<?x?xf64>
      %2 = affine.load %a[symbol(%i), symbol(%j) + 1] : memref<?x?xf64>
      %3 = affine.load %a[symbol(%i) + 1, symbol(%j)] : memref<?x?xf64>
      %4 = affine.load %a[symbol(%i) - 1, symbol(%j)] : memref<?x?xf64>
      %5 = arith.addf %0, %1 fastmath<contract> : f64
      %6 = arith.addf %5, %2 fastmath<contract> : f64
      %7 = arith.addf %6, %3 fastmath<contract> : f64
      %8 = arith.addf %7, %4 fastmath<contract> : f64
      %9 = arith.mulf %8, %fifth fastmath<contract> : f64
      affine.store %9, %b[symbol(%i), symbol(%j)] : memref<?x?xf64>
    }
    gpu.return
  }
}
