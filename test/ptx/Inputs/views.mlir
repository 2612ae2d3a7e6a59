// Loads through every kind of view of one array.
gpu.module @views {
  gpu.func @views(%m: memref<?x?xf32>, %i: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %sub = memref.subview %m[%i, 2] [%n, 4] [2, 1] : memref<?x?xf32> to memref<?x4xf32, strided<[?, 1], offset: ?>>
    %row = memref.subview %m[%i, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %t = memref.transpose %m (d0, d1) -> (d1, d0) : memref<?x?xf32> to memref<?x?xf32, strided<[1, ?]>>
    %flat = memref.collapse_shape %m [[0, 1]] : memref<?x?xf32> into memref<?xf32>
    %deep = memref.expand_shape %flat [[0, 1]] output_shape [%n, 8] : memref<?xf32> into memref<?x8xf32>
    %re = memref.reinterpret_cast %m to offset: [%i], sizes: [%n, 3], strides: [5, 1] : memref<?x?xf32> to memref<?x3xf32, strided<[5, 1], offset: ?>>
    %cast = memref.cast %m : memref<?x?xf32> to memref<8x?xf32>
    %base, %off, %sz:2, %st:2 = memref.extract_strided_metadata %sub : memref<?x4xf32, strided<[?, 1], offset: ?>> -> memref<f32>, index, index, index, index, index
    %a = memref.load %sub[%i, %c0] : memref<?x4xf32, strided<[?, 1], offset: ?>>
    %b = memref.load %row[%i] : memref<?xf32, strided<[1], offset: ?>>
    %c = memref.load %t[%i, %c0] : memref<?x?xf32, strided<[1, ?]>>
    %d = memref.load %deep[%i, %c0] : memref<?x8xf32>
    %e = memref.load %re[%i, %c0] : memref<?x3xf32, strided<[5, 1], offset: ?>>
    %f = memref.load %cast[%c0, %i] : memref<8x?xf32>
    %g = memref.load %base[] : memref<f32>
    %s0 = arith.addf %a, %b : f32
    %s1 = arith.addf %s0, %c : f32
    %s2 = arith.addf %s1, %d : f32
    %s3 = arith.addf %s2, %e : f32
    %s4 = arith.addf %s3, %f : f32
    %s5 = arith.addf %s4, %g : f32
    %sum = arith.addi %off, %st#0 : index
    memref.store %s5, %row[%sum] : memref<?xf32, strided<[1], offset: ?>>
    %dd = memref.dim %m, %i : memref<?x?xf32>
    memref.store %s5, %row[%dd] : memref<?xf32, strided<[1], offset: ?>>
    %p = memref.extract_aligned_pointer_as_index %m : memref<?x?xf32> -> index
    memref.store %s5, %row[%p] : memref<?xf32, strided<[1], offset: ?>>
    gpu.return
  }
}
