// A step of the wave equation, of eighth order in space, with a speed for each cell.

func.func @wave_r4_3d(
    %v: memref<?x?x?xf32> {terrace.name = "v", terrace.dims = ["l", "m", "n"], terrace.init = "random:19x23x29:1"},
    %p: memref<?x?x?xf32> {terrace.name = "p", terrace.dims = ["l", "m", "n"], terrace.init = "random:19x23x29:2"},
    %u: memref<?x?x?xf32> {terrace.name = "u", terrace.dims = ["l", "m", "n"], terrace.init = "random:19x23x29:3"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %at2 = arith.constant 2 : index
  %l = memref.dim %v, %at0 : memref<?x?x?xf32>
  %m = memref.dim %v, %at1 : memref<?x?x?xf32>
  %n = memref.dim %v, %at2 : memref<?x?x?xf32>
  %two = arith.constant 2.0 : f32
  %c0 = arith.constant -8.541667 : f32
  %c1 = arith.constant 1.6 : f32
  %c2 = arith.constant 0.2 : f32
  %c3 = arith.constant 0.025397 : f32
  %c4 = arith.constant 0.001786 : f32
  affine.for %i = 4 to affine_map<()[l] -> (l - 4)>()[%l] {
    affine.for %j = 4 to affine_map<()[m] -> (m - 4)>()[%m] {
      affine.for %k = 4 to affine_map<()[n] -> (n - 4)>()[%n] {
        %x = affine.load %p[%i, %j, %k] : memref<?x?x?xf32>
        %t0 = arith.mulf %c0, %x : f32
        %x10 = affine.load %p[%i - 1, %j, %k] : memref<?x?x?xf32>
        %x11 = affine.load %p[%i + 1, %j, %k] : memref<?x?x?xf32>
        %s11 = arith.addf %x10, %x11 : f32
        %x12 = affine.load %p[%i, %j - 1, %k] : memref<?x?x?xf32>
        %s12 = arith.addf %s11, %x12 : f32
        %x13 = affine.load %p[%i, %j + 1, %k] : memref<?x?x?xf32>
        %s13 = arith.addf %s12, %x13 : f32
        %x14 = affine.load %p[%i, %j, %k - 1] : memref<?x?x?xf32>
        %s14 = arith.addf %s13, %x14 : f32
        %x15 = affine.load %p[%i, %j, %k + 1] : memref<?x?x?xf32>
        %s15 = arith.addf %s14, %x15 : f32
        %m1 = arith.mulf %c1, %s15 : f32
        %t1 = arith.addf %t0, %m1 : f32
        %x20 = affine.load %p[%i - 2, %j, %k] : memref<?x?x?xf32>
        %x21 = affine.load %p[%i + 2, %j, %k] : memref<?x?x?xf32>
        %s21 = arith.addf %x20, %x21 : f32
        %x22 = affine.load %p[%i, %j - 2, %k] : memref<?x?x?xf32>
        %s22 = arith.addf %s21, %x22 : f32
        %x23 = affine.load %p[%i, %j + 2, %k] : memref<?x?x?xf32>
        %s23 = arith.addf %s22, %x23 : f32
        %x24 = affine.load %p[%i, %j, %k - 2] : memref<?x?x?xf32>
        %s24 = arith.addf %s23, %x24 : f32
        %x25 = affine.load %p[%i, %j, %k + 2] : memref<?x?x?xf32>
        %s25 = arith.addf %s24, %x25 : f32
        %m2 = arith.mulf %c2, %s25 : f32
        %t2 = arith.subf %t1, %m2 : f32
        %x30 = affine.load %p[%i - 3, %j, %k] : memref<?x?x?xf32>
        %x31 = affine.load %p[%i + 3, %j, %k] : memref<?x?x?xf32>
        %s31 = arith.addf %x30, %x31 : f32
        %x32 = affine.load %p[%i, %j - 3, %k] : memref<?x?x?xf32>
        %s32 = arith.addf %s31, %x32 : f32
        %x33 = affine.load %p[%i, %j + 3, %k] : memref<?x?x?xf32>
        %s33 = arith.addf %s32, %x33 : f32
        %x34 = affine.load %p[%i, %j, %k - 3] : memref<?x?x?xf32>
        %s34 = arith.addf %s33, %x34 : f32
        %x35 = affine.load %p[%i, %j, %k + 3] : memref<?x?x?xf32>
        %s35 = arith.addf %s34, %x35 : f32
        %m3 = arith.mulf %c3, %s35 : f32
        %t3 = arith.addf %t2, %m3 : f32
        %x40 = affine.load %p[%i - 4, %j, %k] : memref<?x?x?xf32>
        %x41 = affine.load %p[%i + 4, %j, %k] : memref<?x?x?xf32>
        %s41 = arith.addf %x40, %x41 : f32
        %x42 = affine.load %p[%i, %j - 4, %k] : memref<?x?x?xf32>
        %s42 = arith.addf %s41, %x42 : f32
        %x43 = affine.load %p[%i, %j + 4, %k] : memref<?x?x?xf32>
        %s43 = arith.addf %s42, %x43 : f32
        %x44 = affine.load %p[%i, %j, %k - 4] : memref<?x?x?xf32>
        %s44 = arith.addf %s43, %x44 : f32
        %x45 = affine.load %p[%i, %j, %k + 4] : memref<?x?x?xf32>
        %s45 = arith.addf %s44, %x45 : f32
        %m4 = arith.mulf %c4, %s45 : f32
        %t4 = arith.subf %t3, %m4 : f32
        %d = arith.mulf %two, %x : f32
        %old = affine.load %u[%i, %j, %k] : memref<?x?x?xf32>
        %e = arith.subf %d, %old : f32
        %speed = affine.load %v[%i, %j, %k] : memref<?x?x?xf32>
        %f = arith.mulf %speed, %t4 : f32
        %g = arith.addf %e, %f : f32
        affine.store %g, %u[%i, %j, %k] : memref<?x?x?xf32>
      }
    }
  }
  return
}
