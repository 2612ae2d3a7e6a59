// C = A B in double precision: tiles of 64 x 64, 4 x 4 elements a thread. Any sizes
// that are multiples of 64 (16 for the depth).
#shared = #gpu.address_space<workgroup>
#private = #gpu.address_space<private>
gpu.module @gemm_f64 {
  gpu.func @gemm_f64(%n: i32, %k: i32, %a: memref<?x?xf64> {llvm.noalias}, %b: memref<?x?xf64> {llvm.noalias},
      %c: memref<?x?xf64> {llvm.noalias})
      workgroup(%as: memref<16x64xf64, #shared>, %bs: memref<16x64xf64, #shared>)
      private(%acc: memref<4x4xf64, #private>, %ra: memref<4xf64, #private>, %rb: memref<4xf64, #private>)
      kernel attributes {known_block_size = array<i32: 16, 16, 1>} {
    %zero = arith.constant 0.0 : f64
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %depth = arith.index_cast %k : i32 to index
    affine.for %i = 0 to 4 {
      affine.for %j = 0 to 4 {
        affine.store %zero, %acc[%i, %j] : memref<4x4xf64, #private>
      }
    }
    affine.for %k0 = 0 to %depth step 16 {
      affine.for %i = 0 to 4 {
        %r = affine.apply affine_map<(i)[b, t] -> (b * 64 + t + i * 16)>(%i)[%by, %ty]
        %kc = affine.apply affine_map<(k)[t] -> (k + t)>(%k0)[%tx]
        %u = memref.load %a[%r, %kc] : memref<?x?xf64>
        affine.store %u, %as[symbol(%tx), symbol(%ty) + %i * 16] : memref<16x64xf64, #shared>
        %kr = affine.apply affine_map<(k)[t] -> (k + t)>(%k0)[%ty]
        %s = affine.apply affine_map<(i)[b, t] -> (b * 64 + t + i * 16)>(%i)[%bx, %tx]
        %v = memref.load %b[%kr, %s] : memref<?x?xf64>
        affine.store %v, %bs[symbol(%ty), symbol(%tx) + %i * 16] : memref<16x64xf64, #shared>
      }
      gpu.barrier
      affine.for %l = 0 to 16 {
        affine.for %i = 0 to 4 {
          %x = affine.load %as[%l, symbol(%ty) * 4 + %i] : memref<16x64xf64, #shared>
          affine.store %x, %ra[%i] : memref<4xf64, #private>
          %y = affine.load %bs[%l, symbol(%tx) + %i * 16] : memref<16x64xf64, #shared>
          affine.store %y, %rb[%i] : memref<4xf64, #private>
        }
        affine.for %i = 0 to 4 {
          affine.for %j = 0 to 4 {
            %x = affine.load %ra[%i] : memref<4xf64, #private>
            %y = affine.load %rb[%j] : memref<4xf64, #private>
            %o = affine.load %acc[%i, %j] : memref<4x4xf64, #private>
            %p = arith.mulf %x, %y fastmath<contract> : f64
            %s = arith.addf %o, %p fastmath<contract> : f64
            affine.store %s, %acc[%i, %j] : memref<4x4xf64, #private>
          }
        }
      }
      gpu.barrier
    }
    affine.for %i = 0 to 4 {
      affine.for %j = 0 to 4 {
        %r = affine.apply affine_map<(i)[b, t] -> (b * 64 + t * 4 + i)>(%i)[%by, %ty]
        %s = affine.apply affine_map<(j)[b, t] -> (b * 64 + t + j * 16)>(%j)[%bx, %tx]
        %o = affine.load %acc[%i, %j] : memref<4x4xf64, #private>
        memref.store %o, %c[%r, %s] : memref<?x?xf64>
      }
    }
    gpu.return
  }
}
