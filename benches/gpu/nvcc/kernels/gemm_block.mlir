// C = A B in tiles of 128 x 128, 8 x 8 elements a thread in registers, both operands
// through shared memory, A transposed there. Static sizes, multiples of 128.
// @N@ = 2048, small 128
#shared = #gpu.address_space<workgroup>
#private = #gpu.address_space<private>
gpu.module @gemm_block {
  gpu.func @gemm_block(%a: memref<@N@x@N@xf32> {llvm.noalias, llvm.align = 16 : i32},
      %b: memref<@N@x@N@xf32> {llvm.noalias, llvm.align = 16 : i32},
      %c: memref<@N@x@N@xf32> {llvm.noalias, llvm.align = 16 : i32})
      workgroup(%as: memref<8x128xf32, #shared>, %bs: memref<8x128xf32, #shared>)
      private(%acc: memref<8x8xf32, #private>, %ra: memref<8xf32, #private>, %rb: memref<8xf32, #private>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    // The tile of A is 128 rows of 8, that of B 8 rows of 128: four elements a thread.
    %arow = affine.apply affine_map<()[t] -> (t floordiv 2)>()[%t]
    %acol = affine.apply affine_map<()[t] -> ((t mod 2) * 4)>()[%t]
    %brow = affine.apply affine_map<()[t] -> (t floordiv 32)>()[%t]
    %bcol = affine.apply affine_map<()[t] -> ((t mod 32) * 4)>()[%t]
    // The thread's elements of C begin here.
    %ty = affine.apply affine_map<()[t] -> ((t floordiv 16) * 8)>()[%t]
    %tx = affine.apply affine_map<()[t] -> ((t mod 16) * 8)>()[%t]
    %ga = affine.apply affine_map<()[b, r] -> (b * 128 + r)>()[%by, %arow]
    %gb = affine.apply affine_map<()[b, c] -> (b * 128 + c)>()[%bx, %bcol]
    affine.for %i = 0 to 8 {
      affine.for %j = 0 to 8 {
        affine.store %zero, %acc[%i, %j] : memref<8x8xf32, #private>
      }
    }
    affine.for %k = 0 to @N@ step 8 {
      %ka = affine.apply affine_map<(k)[c] -> (k + c)>(%k)[%acol]
      %kb = affine.apply affine_map<(k)[r] -> (k + r)>(%k)[%brow]
      %u = vector.load %a[%ga, %ka] : memref<@N@x@N@xf32>, vector<4xf32>
      %v = vector.load %b[%kb, %gb] : memref<@N@x@N@xf32>, vector<4xf32>
      %u0 = vector.extract %u[0] : f32 from vector<4xf32>
      %u1 = vector.extract %u[1] : f32 from vector<4xf32>
      %u2 = vector.extract %u[2] : f32 from vector<4xf32>
      %u3 = vector.extract %u[3] : f32 from vector<4xf32>
      affine.store %u0, %as[symbol(%acol), symbol(%arow)] : memref<8x128xf32, #shared>
      affine.store %u1, %as[symbol(%acol) + 1, symbol(%arow)] : memref<8x128xf32, #shared>
      affine.store %u2, %as[symbol(%acol) + 2, symbol(%arow)] : memref<8x128xf32, #shared>
      affine.store %u3, %as[symbol(%acol) + 3, symbol(%arow)] : memref<8x128xf32, #shared>
      vector.store %v, %bs[%brow, %bcol] : memref<8x128xf32, #shared>, vector<4xf32>
      gpu.barrier
      affine.for %l = 0 to 8 {
        affine.for %i = 0 to 8 {
          %x = affine.load %as[%l, symbol(%ty) + %i] : memref<8x128xf32, #shared>
          affine.store %x, %ra[%i] : memref<8xf32, #private>
          %y = affine.load %bs[%l, symbol(%tx) + %i] : memref<8x128xf32, #shared>
          affine.store %y, %rb[%i] : memref<8xf32, #private>
        }
        affine.for %i = 0 to 8 {
          affine.for %j = 0 to 8 {
            %x = affine.load %ra[%i] : memref<8xf32, #private>
            %y = affine.load %rb[%j] : memref<8xf32, #private>
            %o = affine.load %acc[%i, %j] : memref<8x8xf32, #private>
            %p = arith.mulf %x, %y fastmath<contract> : f32
            %s = arith.addf %o, %p fastmath<contract> : f32
            affine.store %s, %acc[%i, %j] : memref<8x8xf32, #private>
          }
        }
      }
      gpu.barrier
    }
    %row = affine.apply affine_map<()[b, r] -> (b * 128 + r)>()[%by, %ty]
    %column = affine.apply affine_map<()[b, c] -> (b * 128 + c)>()[%bx, %tx]
    affine.for %i = 0 to 8 {
      affine.for %j = 0 to 8 step 4 {
        %r = affine.apply affine_map<(i)[r] -> (r + i)>(%i)[%row]
        %s = affine.apply affine_map<(j)[c] -> (c + j)>(%j)[%column]
        %o0 = affine.load %acc[%i, %j] : memref<8x8xf32, #private>
        %o1 = affine.load %acc[%i, %j + 1] : memref<8x8xf32, #private>
        %o2 = affine.load %acc[%i, %j + 2] : memref<8x8xf32, #private>
        %o3 = affine.load %acc[%i, %j + 3] : memref<8x8xf32, #private>
        %v0 = vector.broadcast %o0 : f32 to vector<4xf32>
        %v1 = vector.insert %o1, %v0[1] : f32 into vector<4xf32>
        %v2 = vector.insert %o2, %v1[2] : f32 into vector<4xf32>
        %v3 = vector.insert %o3, %v2[3] : f32 into vector<4xf32>
        vector.store %v3, %c[%r, %s] : memref<@N@x@N@xf32>, vector<4xf32>
      }
    }
    gpu.return
  }
}
