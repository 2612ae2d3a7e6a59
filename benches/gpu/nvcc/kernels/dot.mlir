// Dot product: threads stride over the grid, warps sum by shuffles, blocks through
// shared memory, the grid by an atomic addition. Any length.
#shared = #gpu.address_space<workgroup>
gpu.module @dot {
  gpu.func @dot(%n: i32, %x: memref<?xf32> {llvm.noalias}, %y: memref<?xf32> {llvm.noalias},
      %out: memref<1xf32> {llvm.noalias})
      workgroup(%sums: memref<8xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %grid = gpu.grid_dim x
    %size = arith.index_cast %n : i32 to index
    %first = affine.apply affine_map<()[b, t] -> (b * 256 + t)>()[%b, %t]
    %step = affine.apply affine_map<()[g] -> (g * 256)>()[%grid]
    %sum = scf.for %i = %first to %size step %step iter_args(%acc = %zero) -> (f32) {
      %u = memref.load %x[%i] : memref<?xf32>
      %v = memref.load %y[%i] : memref<?xf32>
      %p = arith.mulf %u, %v fastmath<contract> : f32
      %s = arith.addf %acc, %p fastmath<contract> : f32
      scf.yield %s : f32
    }
    %lane = affine.apply affine_map<()[t] -> (t mod 32)>()[%t]
    %warp = affine.apply affine_map<()[t] -> (t floordiv 32)>()[%t]
    %warp_sum = gpu.subgroup_reduce add %sum uniform : (f32) -> f32
    affine.if affine_set<()[l] : (l == 0)>()[%lane] {
      memref.store %warp_sum, %sums[%warp] : memref<8xf32, #shared>
    }
    gpu.barrier
    affine.if affine_set<()[t] : (t == 0)>()[%t] {
      %total = affine.for %w = 0 to 8 iter_args(%acc = %zero) -> (f32) {
        %v = affine.load %sums[%w] : memref<8xf32, #shared>
        %s = arith.addf %acc, %v : f32
        affine.yield %s : f32
      }
      memref.atomic_rmw addf %total, %out[%c0] : (f32, memref<1xf32>) -> f32
    }
    gpu.return
  }
}
