// A 5-point stencil of doubles on a 16 x 16 tile with a halo, through padded workgroup
// memory, 18 rows of 19.
gpu.module @stencil_tile {
  gpu.func @stencil_tile(%a: memref<?x?xf64>, %b: memref<?x?xf64>)
      workgroup(%tile: memref<18x19xf64, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 16, 16, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c18 = arith.constant 18 : index
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %x0 = arith.muli %bx, %c16 : index
    %y0 = arith.muli %by, %c16 : index
    %n = memref.dim %a, %c0 : memref<?x?xf64>
    %m = memref.dim %a, %c1 : memref<?x?xf64>
    scf.for %r = %ty to %c18 step %c16 {
      scf.for %c = %tx to %c18 step %c16 {
        %i = arith.addi %y0, %r : index
        %j = arith.addi %x0, %c : index
        %in_i = arith.cmpi slt, %i, %n : index
        %in_j = arith.cmpi slt, %j, %m : index
        %in = arith.andi %in_i, %in_j : i1
        scf.if %in {
          %v = memref.load %a[%i, %j] : memref<?x?xf64>
          memref.store %v, %tile[%r, %c] : memref<18x19xf64, #gpu.address_space<workgroup>>
        }
      }
    }
    gpu.barrier
    %r1 = arith.addi %ty, %c1 : index
    %c1_ = arith.addi %tx, %c1 : index
    %r2 = arith.addi %ty, %c2 : index
    %c2_ = arith.addi %tx, %c2 : index
    %i = arith.addi %y0, %r1 : index
    %j = arith.addi %x0, %c1_ : index
    %i1 = arith.addi %i, %c1 : index
    %j1 = arith.addi %j, %c1 : index
    %in_i = arith.cmpi slt, %i1, %n : index
    %in_j = arith.cmpi slt, %j1, %m : index
    %in = arith.andi %in_i, %in_j : i1
    scf.if %in {
      %quarter = arith.constant 0.25 : f64
      %u = memref.load %tile[%ty, %c1_] : memref<18x19xf64, #gpu.address_space<workgroup>>
      %d = memref.load %tile[%r2, %c1_] : memref<18x19xf64, #gpu.address_space<workgroup>>
      %w = memref.load %tile[%r1, %tx] : memref<18x19xf64, #gpu.address_space<workgroup>>
      %e = memref.load %tile[%r1, %c2_] : memref<18x19xf64, #gpu.address_space<workgroup>>
      %s0 = arith.addf %u, %d : f64
      %s1 = arith.addf %w, %e : f64
      %s = arith.addf %s0, %s1 : f64
      %v = arith.mulf %s, %quarter : f64
      memref.store %v, %b[%i, %j] : memref<?x?xf64>
    }
    gpu.return
  }
}
