// A sparse matrix by a vector, rows compressed, a row a thread; eight elements a row in
// what is timed. Any size.
gpu.module @spmv {
  gpu.func @spmv(%n: i32, %start: memref<?xi32> {llvm.noalias}, %column: memref<?xi32> {llvm.noalias},
      %value: memref<?xf32> {llvm.noalias}, %x: memref<?xf32> {llvm.noalias}, %y: memref<?xf32> {llvm.noalias})
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %size = arith.index_cast %n : i32 to index
    %i = affine.apply affine_map<()[b, t] -> (b * 128 + t)>()[%b, %t]
    affine.if affine_set<()[i, n] : (n - i - 1 >= 0)>()[%i, %size] {
      %from32 = affine.load %start[symbol(%i)] : memref<?xi32>
      %to32 = affine.load %start[symbol(%i) + 1] : memref<?xi32>
      %from = arith.index_cast %from32 : i32 to index
      %to = arith.index_cast %to32 : i32 to index
      %sum = scf.for %k = %from to %to step %c1 iter_args(%acc = %zero) -> (f32) {
        %c32 = memref.load %column[%k] : memref<?xi32>
        %c = arith.index_cast %c32 : i32 to index
        %v = memref.load %value[%k] : memref<?xf32>
        %u = memref.load %x[%c] : memref<?xf32>
        %p = arith.mulf %v, %u fastmath<contract> : f32
        %s = arith.addf %acc, %p fastmath<contract> : f32
        scf.yield %s : f32
      }
      memref.store %sum, %y[%i] : memref<?xf32>
    }
    gpu.return
  }
}
