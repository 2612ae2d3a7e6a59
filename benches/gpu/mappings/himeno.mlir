// Himeno's 19-point stencil.
// parallel: i j k
// @I@ = 130, small 6
// @J@ = 258, small 10
// @K@ = 258, small 34
// @I1@ = 129, small 5
// @J1@ = 257, small 9
// @K1@ = 257, small 33
func.func @himeno(%p: memref<@I@x@J@x@K@xf32> {llvm.noalias}, %a: memref<4x@I@x@J@x@K@xf32> {llvm.noalias},
    %b: memref<3x@I@x@J@x@K@xf32> {llvm.noalias}, %c: memref<3x@I@x@J@x@K@xf32> {llvm.noalias},
    %wrk1: memref<@I@x@J@x@K@xf32> {llvm.noalias}, %bnd: memref<@I@x@J@x@K@xf32> {llvm.noalias}, %wrk2: memref<@I@x@J@x@K@xf32> {llvm.noalias}) {
  %omega = arith.constant 0.8 : f32
  affine.for %i = 1 to @I1@ {
    affine.for %j = 1 to @J1@ {
      affine.for %k = 1 to @K1@ {
        %a0 = affine.load %a[0, %i, %j, %k] : memref<4x@I@x@J@x@K@xf32>
        %a1 = affine.load %a[1, %i, %j, %k] : memref<4x@I@x@J@x@K@xf32>
        %a2 = affine.load %a[2, %i, %j, %k] : memref<4x@I@x@J@x@K@xf32>
        %a3 = affine.load %a[3, %i, %j, %k] : memref<4x@I@x@J@x@K@xf32>
        %b0 = affine.load %b[0, %i, %j, %k] : memref<3x@I@x@J@x@K@xf32>
        %b1 = affine.load %b[1, %i, %j, %k] : memref<3x@I@x@J@x@K@xf32>
        %b2 = affine.load %b[2, %i, %j, %k] : memref<3x@I@x@J@x@K@xf32>
        %c0 = affine.load %c[0, %i, %j, %k] : memref<3x@I@x@J@x@K@xf32>
        %c1 = affine.load %c[1, %i, %j, %k] : memref<3x@I@x@J@x@K@xf32>
        %c2 = affine.load %c[2, %i, %j, %k] : memref<3x@I@x@J@x@K@xf32>
        %w = affine.load %wrk1[%i, %j, %k] : memref<@I@x@J@x@K@xf32>
        %bd = affine.load %bnd[%i, %j, %k] : memref<@I@x@J@x@K@xf32>
        %o = affine.load %p[%i, %j, %k] : memref<@I@x@J@x@K@xf32>
        %ip = affine.load %p[%i + 1, %j, %k] : memref<@I@x@J@x@K@xf32>
        %im = affine.load %p[%i - 1, %j, %k] : memref<@I@x@J@x@K@xf32>
        %jp = affine.load %p[%i, %j + 1, %k] : memref<@I@x@J@x@K@xf32>
        %jm = affine.load %p[%i, %j - 1, %k] : memref<@I@x@J@x@K@xf32>
        %kp = affine.load %p[%i, %j, %k + 1] : memref<@I@x@J@x@K@xf32>
        %km = affine.load %p[%i, %j, %k - 1] : memref<@I@x@J@x@K@xf32>
        %ipjp = affine.load %p[%i + 1, %j + 1, %k] : memref<@I@x@J@x@K@xf32>
        %ipjm = affine.load %p[%i + 1, %j - 1, %k] : memref<@I@x@J@x@K@xf32>
        %imjp = affine.load %p[%i - 1, %j + 1, %k] : memref<@I@x@J@x@K@xf32>
        %imjm = affine.load %p[%i - 1, %j - 1, %k] : memref<@I@x@J@x@K@xf32>
        %jpkp = affine.load %p[%i, %j + 1, %k + 1] : memref<@I@x@J@x@K@xf32>
        %jmkp = affine.load %p[%i, %j - 1, %k + 1] : memref<@I@x@J@x@K@xf32>
        %jpkm = affine.load %p[%i, %j + 1, %k - 1] : memref<@I@x@J@x@K@xf32>
        %jmkm = affine.load %p[%i, %j - 1, %k - 1] : memref<@I@x@J@x@K@xf32>
        %ipkp = affine.load %p[%i + 1, %j, %k + 1] : memref<@I@x@J@x@K@xf32>
        %imkp = affine.load %p[%i - 1, %j, %k + 1] : memref<@I@x@J@x@K@xf32>
        %ipkm = affine.load %p[%i + 1, %j, %k - 1] : memref<@I@x@J@x@K@xf32>
        %imkm = affine.load %p[%i - 1, %j, %k - 1] : memref<@I@x@J@x@K@xf32>
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
        affine.store %h1, %wrk2[%i, %j, %k] : memref<@I@x@J@x@K@xf32>
      }
    }
  }
  return
}
