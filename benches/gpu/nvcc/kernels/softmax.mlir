// Softmax of the rows of a matrix, a warp a row of 1024, kept in registers. Any number
// of rows.
#private = #gpu.address_space<private>
gpu.module @softmax {
  gpu.func @softmax(%m: i32, %x: memref<?x1024xf32> {llvm.noalias}, %y: memref<?x1024xf32> {llvm.noalias})
      private(%row: memref<32xf32, #private>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %rows = arith.index_cast %m : i32 to index
    %lane = affine.apply affine_map<()[t] -> (t mod 32)>()[%t]
    %r = affine.apply affine_map<()[b, t] -> (b * 4 + t floordiv 32)>()[%b, %t]
    affine.if affine_set<()[r, m] : (m - r - 1 >= 0)>()[%r, %rows] {
      %most = affine.for %k = 0 to 32 iter_args(%acc = %least) -> (f32) {
        %v = affine.load %x[symbol(%r), %k * 32 + symbol(%lane)] : memref<?x1024xf32>
        affine.store %v, %row[%k] : memref<32xf32, #private>
        %w = arith.maxnumf %acc, %v : f32
        affine.yield %w : f32
      }
      %top = gpu.subgroup_reduce maxnumf %most uniform : (f32) -> f32
      %sum = affine.for %k = 0 to 32 iter_args(%acc = %zero) -> (f32) {
        %v = affine.load %row[%k] : memref<32xf32, #private>
        %d = arith.subf %v, %top fastmath<contract> : f32
        %e = math.exp %d : f32
        affine.store %e, %row[%k] : memref<32xf32, #private>
        %s = arith.addf %acc, %e fastmath<contract> : f32
        affine.yield %s : f32
      }
      %total = gpu.subgroup_reduce add %sum uniform : (f32) -> f32
      %scale = arith.divf %one, %total : f32
      affine.for %k = 0 to 32 {
        %e = affine.load %row[%k] : memref<32xf32, #private>
        %v = arith.mulf %e, %scale : f32
        affine.store %v, %y[symbol(%r), %k * 32 + symbol(%lane)] : memref<?x1024xf32>
      }
    }
    gpu.return
  }
}
