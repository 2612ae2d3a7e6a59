// A sum over the 256 threads of a block by halving, through workgroup memory.
gpu.module @block_reduction {
  gpu.func @sum(%in: memref<?xf32>, %out: memref<?xf32>)
      workgroup(%s: memref<256xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %g = gpu.global_id x
    %v = memref.load %in[%g] : memref<?xf32>
    memref.store %v, %s[%t] : memref<256xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = scf.while (%w = %c128) : (index) -> index {
      %more = arith.cmpi sgt, %w, %c0 : index
      scf.condition(%more) %w : index
    } do {
    ^bb0(%w: index):
      %active = arith.cmpi slt, %t, %w : index
      scf.if %active {
        %o = arith.addi %t, %w : index
        %x = memref.load %s[%t] : memref<256xf32, #gpu.address_space<workgroup>>
        %y = memref.load %s[%o] : memref<256xf32, #gpu.address_space<workgroup>>
        %z = arith.addf %x, %y : f32
        memref.store %z, %s[%t] : memref<256xf32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %h = arith.shrui %w, %c1 : index
      scf.yield %h : index
    }
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %r = memref.load %s[%c0] : memref<256xf32, #gpu.address_space<workgroup>>
      memref.store %r, %out[%b] : memref<?xf32>
    }
    gpu.return
  }
}
