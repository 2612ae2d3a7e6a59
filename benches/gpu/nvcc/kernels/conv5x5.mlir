// A 5 x 5 convolution, an element a thread, the loops over the coefficients constant.
// Any image size; two columns and rows more than the result on each side.
#private = #gpu.address_space<private>
gpu.module @conv5x5 {
  gpu.func @conv5x5(%m: i32, %n: i32, %image: memref<?x?xf32> {llvm.noalias}, %w: memref<5x5xf32> {llvm.noalias},
      %out: memref<?x?xf32> {llvm.noalias})
      kernel attributes {known_block_size = array<i32: 32, 8, 1>} {
    %zero = arith.constant 0.0 : f32
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %rows = arith.index_cast %m : i32 to index
    %columns = arith.index_cast %n : i32 to index
    %i = affine.apply affine_map<()[b, t] -> (b * 8 + t)>()[%by, %ty]
    %j = affine.apply affine_map<()[b, t] -> (b * 32 + t)>()[%bx, %tx]
    affine.if affine_set<()[i, j, m, n] : (m - i - 1 >= 0, n - j - 1 >= 0)>()[%i, %j, %rows, %columns] {
      %sum = affine.for %u = 0 to 5 iter_args(%outer = %zero) -> (f32) {
        %row = affine.for %v = 0 to 5 iter_args(%acc = %outer) -> (f32) {
          %x = affine.load %image[symbol(%i) + %u, symbol(%j) + %v] : memref<?x?xf32>
          %c = affine.load %w[%u, %v] : memref<5x5xf32>
          %p = arith.mulf %x, %c fastmath<contract> : f32
          %s = arith.addf %acc, %p fastmath<contract> : f32
          affine.yield %s : f32
        }
        affine.yield %row : f32
      }
      affine.store %sum, %out[symbol(%i), symbol(%j)] : memref<?x?xf32>
    }
    gpu.return
  }
}
