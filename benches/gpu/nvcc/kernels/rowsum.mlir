// Sums of the rows of a matrix, a warp a row. Any sizes.
gpu.module @rowsum {
  gpu.func @rowsum(%m: i32, %n: i32, %a: memref<?x?xf32> {llvm.noalias}, %out: memref<?xf32> {llvm.noalias})
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %rows = arith.index_cast %m : i32 to index
    %columns = arith.index_cast %n : i32 to index
    %lane = affine.apply affine_map<()[t] -> (t mod 32)>()[%t]
    %row = affine.apply affine_map<()[b, t] -> (b * 8 + t floordiv 32)>()[%b, %t]
    affine.if affine_set<()[r, m] : (m - r - 1 >= 0)>()[%row, %rows] {
      %c32 = arith.constant 32 : index
      %sum = scf.for %j = %lane to %columns step %c32 iter_args(%acc = %zero) -> (f32) {
        %v = memref.load %a[%row, %j] : memref<?x?xf32>
        %s = arith.addf %acc, %v : f32
        scf.yield %s : f32
      }
      %total = gpu.subgroup_reduce add %sum uniform : (f32) -> f32
      affine.if affine_set<()[l] : (l == 0)>()[%lane] {
        memref.store %total, %out[%row] : memref<?xf32>
      }
    }
    gpu.return
  }
}
