// Constants, workgroup, private and dynamic workgroup memory in one kernel.
gpu.module @spaces {
  memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  memref.global @zeros : memref<8xi16> = dense<0>
  memref.global @half : memref<2xf16> = dense<1.5>
  gpu.func @k(%out: memref<?xf32>, %p: i1)
      workgroup(%w: memref<32xi1, #gpu.address_space<workgroup>>)
      private(%v: memref<4xf32, #gpu.address_space<private>>) kernel {
    %i = gpu.thread_id x
    %c2 = arith.constant 2 : index
    %t = memref.get_global @table : memref<4xf32>
    %h = memref.get_global @half : memref<2xf16>
    %x = memref.load %t[%c2] : memref<4xf32>
    %y = memref.load %h[%c2] : memref<2xf16>
    %y32 = arith.extf %y : f16 to f32
    %a = memref.alloca() : memref<2x2xf32>
    memref.store %x, %a[%c2, %i] : memref<2x2xf32>
    memref.store %y32, %v[%i] : memref<4xf32, #gpu.address_space<private>>
    memref.store %p, %w[%i] : memref<32xi1, #gpu.address_space<workgroup>>
    gpu.barrier
    %q = memref.load %w[%c2] : memref<32xi1, #gpu.address_space<workgroup>>
    %sel = arith.select %q, %a, %a : memref<2x2xf32>
    %l = memref.load %sel[%i, %c2] : memref<2x2xf32>
    memref.store %l, %out[%i] : memref<?xf32>
    %g = memref.memory_space_cast %v : memref<4xf32, #gpu.address_space<private>> to memref<4xf32>
    scf.if %q {
      memref.copy %t, %g : memref<4xf32> to memref<4xf32>
    }
    %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %c0 = arith.constant 0 : index
    %view = memref.view %d[%c0][%i] : memref<?xi8, #gpu.address_space<workgroup>> to memref<?xf64, #gpu.address_space<workgroup>>
    %e = memref.load %view[%i] : memref<?xf64, #gpu.address_space<workgroup>>
    %e32 = arith.truncf %e : f64 to f32
    memref.store %e32, %out[%c0] : memref<?xf32>
    gpu.return
  }
}
