// B = A^T through a padded tile of 32 x 33 in shared memory. Any sizes.
#shared = #gpu.address_space<workgroup>
gpu.module @transpose {
  gpu.func @transpose(%m: i32, %n: i32, %a: memref<?x?xf32> {llvm.noalias}, %b: memref<?x?xf32> {llvm.noalias})
      workgroup(%tile: memref<32x33xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 8, 1>} {
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %rows = arith.index_cast %m : i32 to index
    %columns = arith.index_cast %n : i32 to index
    %column = affine.apply affine_map<()[b, t] -> (b * 32 + t)>()[%bx, %tx]
    %column2 = affine.apply affine_map<()[b, t] -> (b * 32 + t)>()[%by, %tx]
    affine.for %i = 0 to 32 step 8 {
      %row = affine.apply affine_map<(i)[b, t] -> (b * 32 + t + i)>(%i)[%by, %ty]
      affine.if affine_set<(r)[c, m, n] : (m - r - 1 >= 0, n - c - 1 >= 0)>(%row)[%column, %rows, %columns] {
        %v = memref.load %a[%row, %column] : memref<?x?xf32>
        affine.store %v, %tile[symbol(%ty) + %i, symbol(%tx)] : memref<32x33xf32, #shared>
      }
    }
    gpu.barrier
    affine.for %i = 0 to 32 step 8 {
      %row = affine.apply affine_map<(i)[b, t] -> (b * 32 + t + i)>(%i)[%bx, %ty]
      affine.if affine_set<(r)[c, m, n] : (n - r - 1 >= 0, m - c - 1 >= 0)>(%row)[%column2, %rows, %columns] {
        %v = affine.load %tile[symbol(%tx), symbol(%ty) + %i] : memref<32x33xf32, #shared>
        memref.store %v, %b[%row, %column2] : memref<?x?xf32>
      }
    }
    gpu.return
  }
}
