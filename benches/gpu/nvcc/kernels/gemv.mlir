// y = x A, a thread a column, rows in chunks over the grid's y. Any sizes.
gpu.module @gemv {
  gpu.func @gemv(%m: i32, %n: i32, %a: memref<?x?xf32> {llvm.noalias}, %x: memref<?xf32> {llvm.noalias},
      %y: memref<?xf32> {llvm.noalias})
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %chunk = gpu.block_id y
    %rows = arith.index_cast %m : i32 to index
    %columns = arith.index_cast %n : i32 to index
    %j = affine.apply affine_map<()[b, t] -> (b * 128 + t)>()[%b, %t]
    affine.if affine_set<()[j, n] : (n - j - 1 >= 0)>()[%j, %columns] {
      %sum = affine.for %i = affine_map<()[c] -> (c * 128)>()[%chunk]
          to min affine_map<()[c, m] -> (c * 128 + 128, m)>()[%chunk, %rows]
          iter_args(%acc = %zero) -> (f32) {
        %u = memref.load %a[%i, %j] : memref<?x?xf32>
        %v = memref.load %x[%i] : memref<?xf32>
        %p = arith.mulf %u, %v fastmath<contract> : f32
        %s = arith.addf %acc, %p fastmath<contract> : f32
        affine.yield %s : f32
      }
      memref.atomic_rmw addf %sum, %y[%j] : (f32, memref<?xf32>) -> f32
    }
    gpu.return
  }
}
