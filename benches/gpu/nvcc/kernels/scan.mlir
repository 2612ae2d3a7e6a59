// Inclusive prefix sums of each 256 elements, and the sum of each: warps by shuffles,
// the warps of a block through shared memory. Any length.
#shared = #gpu.address_space<workgroup>
gpu.module @scan {
  gpu.func @scan(%n: i32, %x: memref<?xi32> {llvm.noalias}, %y: memref<?xi32> {llvm.noalias},
      %sums: memref<?xi32> {llvm.noalias})
      workgroup(%warps: memref<8xi32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %zero = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %size = arith.index_cast %n : i32 to index
    %i = affine.apply affine_map<()[b, t] -> (b * 256 + t)>()[%b, %t]
    %lane = affine.apply affine_map<()[t] -> (t mod 32)>()[%t]
    %warp = affine.apply affine_map<()[t] -> (t floordiv 32)>()[%t]
    %inside = arith.cmpi slt, %i, %size : index
    %v = scf.if %inside -> (i32) {
      %u = memref.load %x[%i] : memref<?xi32>
      scf.yield %u : i32
    } else {
      scf.yield %zero : i32
    }
    %w0 = arith.constant 0 : index
    %w1 = arith.constant 1 : index
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %f1, %ok1 = gpu.shuffle up %v, %c1, %c32 : i32
    %g1 = arith.select %ok1, %f1, %zero : i32
    %v1 = arith.addi %v, %g1 : i32
    %f2, %ok2 = gpu.shuffle up %v1, %c2, %c32 : i32
    %g2 = arith.select %ok2, %f2, %zero : i32
    %v2 = arith.addi %v1, %g2 : i32
    %f4, %ok4 = gpu.shuffle up %v2, %c4, %c32 : i32
    %g4 = arith.select %ok4, %f4, %zero : i32
    %v4 = arith.addi %v2, %g4 : i32
    %f8, %ok8 = gpu.shuffle up %v4, %c8, %c32 : i32
    %g8 = arith.select %ok8, %f8, %zero : i32
    %v8 = arith.addi %v4, %g8 : i32
    %f16, %ok16 = gpu.shuffle up %v8, %c16, %c32 : i32
    %g16 = arith.select %ok16, %f16, %zero : i32
    %v16 = arith.addi %v8, %g16 : i32
    affine.if affine_set<()[l] : (l - 31 == 0)>()[%lane] {
      memref.store %v16, %warps[%warp] : memref<8xi32, #shared>
    }
    gpu.barrier
    %before = scf.for %w = %w0 to %warp step %w1 iter_args(%acc = %zero) -> (i32) {
      %s = memref.load %warps[%w] : memref<8xi32, #shared>
      %sum = arith.addi %acc, %s : i32
      scf.yield %sum : i32
    }
    %r = arith.addi %v16, %before : i32
    scf.if %inside {
      memref.store %r, %y[%i] : memref<?xi32>
    }
    affine.if affine_set<()[t] : (t - 255 == 0)>()[%t] {
      memref.store %r, %sums[%b] : memref<?xi32>
    }
    gpu.return
  }
}
