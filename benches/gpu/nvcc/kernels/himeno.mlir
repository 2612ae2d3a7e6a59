// Himeno's 19-point stencil, an element a thread. Static sizes: I x J x K points.
// @I@ = 258, small 10
// @J@ = 258, small 14
// @K@ = 514, small 66
!field = memref<@I@x@J@x@K@xf32>
gpu.module @himeno {
  gpu.func @himeno(%p: !field {llvm.noalias}, %a: memref<4x@I@x@J@x@K@xf32> {llvm.noalias},
      %b: memref<3x@I@x@J@x@K@xf32> {llvm.noalias}, %c: memref<3x@I@x@J@x@K@xf32> {llvm.noalias},
      %wrk1: !field {llvm.noalias}, %bnd: !field {llvm.noalias}, %wrk2: !field {llvm.noalias})
      kernel attributes {known_block_size = array<i32: 64, 4, 1>} {
    %omega = arith.constant 0.8 : f32
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %bz = gpu.block_id z
    %i = affine.apply affine_map<()[b] -> (b + 1)>()[%bz]
    %j = affine.apply affine_map<()[b, t] -> (b * 4 + t + 1)>()[%by, %ty]
    %k = affine.apply affine_map<()[b, t] -> (b * 64 + t + 1)>()[%bx, %tx]
    affine.if affine_set<()[j, k] : (@J@ - j - 2 >= 0, @K@ - k - 2 >= 0)>()[%j, %k] {
      %a0 = affine.load %a[0, symbol(%i), symbol(%j), symbol(%k)] : memref<4x@I@x@J@x@K@xf32>
      %a1 = affine.load %a[1, symbol(%i), symbol(%j), symbol(%k)] : memref<4x@I@x@J@x@K@xf32>
      %a2 = affine.load %a[2, symbol(%i), symbol(%j), symbol(%k)] : memref<4x@I@x@J@x@K@xf32>
      %a3 = affine.load %a[3, symbol(%i), symbol(%j), symbol(%k)] : memref<4x@I@x@J@x@K@xf32>
      %b0 = affine.load %b[0, symbol(%i), symbol(%j), symbol(%k)] : memref<3x@I@x@J@x@K@xf32>
      %b1 = affine.load %b[1, symbol(%i), symbol(%j), symbol(%k)] : memref<3x@I@x@J@x@K@xf32>
      %b2 = affine.load %b[2, symbol(%i), symbol(%j), symbol(%k)] : memref<3x@I@x@J@x@K@xf32>
      %c0 = affine.load %c[0, symbol(%i), symbol(%j), symbol(%k)] : memref<3x@I@x@J@x@K@xf32>
      %c1 = affine.load %c[1, symbol(%i), symbol(%j), symbol(%k)] : memref<3x@I@x@J@x@K@xf32>
      %c2 = affine.load %c[2, symbol(%i), symbol(%j), symbol(%k)] : memref<3x@I@x@J@x@K@xf32>
      %w = affine.load %wrk1[symbol(%i), symbol(%j), symbol(%k)] : !field
      %bd = affine.load %bnd[symbol(%i), symbol(%j), symbol(%k)] : !field
      %o = affine.load %p[symbol(%i), symbol(%j), symbol(%k)] : !field
      %ip = affine.load %p[symbol(%i) + 1, symbol(%j), symbol(%k)] : !field
      %im = affine.load %p[symbol(%i) - 1, symbol(%j), symbol(%k)] : !field
      %jp = affine.load %p[symbol(%i), symbol(%j) + 1, symbol(%k)] : !field
      %jm = affine.load %p[symbol(%i), symbol(%j) - 1, symbol(%k)] : !field
      %kp = affine.load %p[symbol(%i), symbol(%j), symbol(%k) + 1] : !field
      %km = affine.load %p[symbol(%i), symbol(%j), symbol(%k) - 1] : !field
      %ipjp = affine.load %p[symbol(%i) + 1, symbol(%j) + 1, symbol(%k)] : !field
      %ipjm = affine.load %p[symbol(%i) + 1, symbol(%j) - 1, symbol(%k)] : !field
      %imjp = affine.load %p[symbol(%i) - 1, symbol(%j) + 1, symbol(%k)] : !field
      %imjm = affine.load %p[symbol(%i) - 1, symbol(%j) - 1, symbol(%k)] : !field
      %jpkp = affine.load %p[symbol(%i), symbol(%j) + 1, symbol(%k) + 1] : !field
      %jmkp = affine.load %p[symbol(%i), symbol(%j) - 1, symbol(%k) + 1] : !field
      %jpkm = affine.load %p[symbol(%i), symbol(%j) + 1, symbol(%k) - 1] : !field
      %jmkm = affine.load %p[symbol(%i), symbol(%j) - 1, symbol(%k) - 1] : !field
      %ipkp = affine.load %p[symbol(%i) + 1, symbol(%j), symbol(%k) + 1] : !field
      %imkp = affine.load %p[symbol(%i) - 1, symbol(%j), symbol(%k) + 1] : !field
      %ipkm = affine.load %p[symbol(%i) + 1, symbol(%j), symbol(%k) - 1] : !field
      %imkm = affine.load %p[symbol(%i) - 1, symbol(%j), symbol(%k) - 1] : !field
      %m0 = arith.mulf %a0, %ip fastmath<contract> : f32
      %m1 = arith.mulf %a1, %jp fastmath<contract> : f32
      %m2 = arith.mulf %a2, %kp fastmath<contract> : f32
      %s1 = arith.addf %m0, %m1 fastmath<contract> : f32
      %s2 = arith.addf %s1, %m2 fastmath<contract> : f32
      %d0 = arith.subf %ipjp, %ipjm fastmath<contract> : f32
      %d1 = arith.subf %d0, %imjp fastmath<contract> : f32
      %d2 = arith.addf %d1, %imjm fastmath<contract> : f32
      %m3 = arith.mulf %b0, %d2 fastmath<contract> : f32
      %s3 = arith.addf %s2, %m3 fastmath<contract> : f32
      %e0 = arith.subf %jpkp, %jmkp fastmath<contract> : f32
      %e1 = arith.subf %e0, %jpkm fastmath<contract> : f32
      %e2 = arith.addf %e1, %jmkm fastmath<contract> : f32
      %m4 = arith.mulf %b1, %e2 fastmath<contract> : f32
      %s4 = arith.addf %s3, %m4 fastmath<contract> : f32
      %f0 = arith.subf %ipkp, %imkp fastmath<contract> : f32
      %f1 = arith.subf %f0, %ipkm fastmath<contract> : f32
      %f2 = arith.addf %f1, %imkm fastmath<contract> : f32
      %m5 = arith.mulf %b2, %f2 fastmath<contract> : f32
      %s5 = arith.addf %s4, %m5 fastmath<contract> : f32
      %m6 = arith.mulf %c0, %im fastmath<contract> : f32
      %s6 = arith.addf %s5, %m6 fastmath<contract> : f32
      %m7 = arith.mulf %c1, %jm fastmath<contract> : f32
      %s7 = arith.addf %s6, %m7 fastmath<contract> : f32
      %m8 = arith.mulf %c2, %km fastmath<contract> : f32
      %s8 = arith.addf %s7, %m8 fastmath<contract> : f32
      %s9 = arith.addf %s8, %w fastmath<contract> : f32
      %g0 = arith.mulf %s9, %a3 fastmath<contract> : f32
      %g1 = arith.subf %g0, %o fastmath<contract> : f32
      %ss = arith.mulf %g1, %bd fastmath<contract> : f32
      %h0 = arith.mulf %omega, %ss fastmath<contract> : f32
      %h1 = arith.addf %o, %h0 fastmath<contract> : f32
      affine.store %h1, %wrk2[symbol(%i), symbol(%j), symbol(%k)] : !field
    }
    gpu.return
  }
}
