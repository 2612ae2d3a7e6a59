// Counts of bytes: a table a block in shared memory, added to the result at the end.
// Any length.
#shared = #gpu.address_space<workgroup>
gpu.module @histogram {
  gpu.func @histogram(%n: i32, %x: memref<?xi8> {llvm.noalias}, %out: memref<256xi32> {llvm.noalias})
      workgroup(%table: memref<256xi32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %grid = gpu.grid_dim x
    %size = arith.index_cast %n : i32 to index
    %first = affine.apply affine_map<()[b, t] -> (b * 256 + t)>()[%b, %t]
    %step = affine.apply affine_map<()[g] -> (g * 256)>()[%grid]
    memref.store %zero, %table[%t] : memref<256xi32, #shared>
    gpu.barrier
    scf.for %i = %first to %size step %step {
      %byte = memref.load %x[%i] : memref<?xi8>
      %bin = arith.index_castui %byte : i8 to index
      %old = memref.atomic_rmw addi %one, %table[%bin] : (i32, memref<256xi32, #shared>) -> i32
    }
    gpu.barrier
    %count = memref.load %table[%t] : memref<256xi32, #shared>
    %old = memref.atomic_rmw addi %count, %out[%t] : (i32, memref<256xi32>) -> i32
    gpu.return
  }
}
