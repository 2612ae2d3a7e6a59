// T steps of the Himeno benchmark's sweep: a 19-point stencil for the pressure p
// in curvilinear coordinates, then the copy back. Its residual (the sum of the
// squared steps) is left out, so that every loop but the one over T is parallel.
// In f32.

func.func @himeno_f32(
    %T: index {terrace.name = "T", terrace.init = "4"},
    %omega: f32 {terrace.name = "omega", terrace.init = "0.8"},
    %p: memref<?x?x?xf32> {terrace.name = "p", terrace.dims = ["I", "J", "K"], terrace.init = "random:65x65x129:1"},
    %a: memref<4x?x?x?xf32> {terrace.name = "a", terrace.dims = ["4", "I", "J", "K"], terrace.init = "random:4x65x65x129:2"},
    %b: memref<3x?x?x?xf32> {terrace.name = "b", terrace.dims = ["3", "I", "J", "K"], terrace.init = "random:3x65x65x129:3"},
    %c: memref<3x?x?x?xf32> {terrace.name = "c", terrace.dims = ["3", "I", "J", "K"], terrace.init = "random:3x65x65x129:4"},
    %bnd: memref<?x?x?xf32> {terrace.name = "bnd", terrace.dims = ["I", "J", "K"], terrace.init = "random:65x65x129:5"},
    %wrk1: memref<?x?x?xf32> {terrace.name = "wrk1", terrace.dims = ["I", "J", "K"], terrace.init = "random:65x65x129:6"},
    %wrk2: memref<?x?x?xf32> {terrace.name = "wrk2", terrace.dims = ["I", "J", "K"], terrace.init = "zeros:65x65x129"}
) attributes {terrace.flops = "32*T*(I-2)*(J-2)*(K-2)"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %I = memref.dim %p, %c0 : memref<?x?x?xf32>
  %J = memref.dim %p, %c1 : memref<?x?x?xf32>
  %K = memref.dim %p, %c2 : memref<?x?x?xf32>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%I] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%J] {
        affine.for %k = 1 to affine_map<()[n] -> (n - 1)>()[%K] {
          // The three forward neighbours.
          %a0_here = affine.load %a[0, %i, %j, %k] : memref<4x?x?x?xf32>
          %p_iu = affine.load %p[%i + 1, %j, %k] : memref<?x?x?xf32>
          %fwd0 = arith.mulf %a0_here, %p_iu : f32
          %a1_here = affine.load %a[1, %i, %j, %k] : memref<4x?x?x?xf32>
          %p_ju = affine.load %p[%i, %j + 1, %k] : memref<?x?x?xf32>
          %fwd1 = arith.mulf %a1_here, %p_ju : f32
          %a2_here = affine.load %a[2, %i, %j, %k] : memref<4x?x?x?xf32>
          %p_ku = affine.load %p[%i, %j, %k + 1] : memref<?x?x?xf32>
          %fwd2 = arith.mulf %a2_here, %p_ku : f32
          // The mixed differences in each plane.
          %p_iuju = affine.load %p[%i + 1, %j + 1, %k] : memref<?x?x?xf32>
          %p_iujd = affine.load %p[%i + 1, %j - 1, %k] : memref<?x?x?xf32>
          %p_idju = affine.load %p[%i - 1, %j + 1, %k] : memref<?x?x?xf32>
          %p_idjd = affine.load %p[%i - 1, %j - 1, %k] : memref<?x?x?xf32>
          %b0_here = affine.load %b[0, %i, %j, %k] : memref<3x?x?x?xf32>
          %m0_0 = arith.subf %p_iuju, %p_iujd : f32
          %m0_1 = arith.subf %m0_0, %p_idju : f32
          %m0_2 = arith.addf %m0_1, %p_idjd : f32
          %mix0 = arith.mulf %b0_here, %m0_2 : f32
          %p_juku = affine.load %p[%i, %j + 1, %k + 1] : memref<?x?x?xf32>
          %p_jukd = affine.load %p[%i, %j + 1, %k - 1] : memref<?x?x?xf32>
          %p_jdku = affine.load %p[%i, %j - 1, %k + 1] : memref<?x?x?xf32>
          %p_jdkd = affine.load %p[%i, %j - 1, %k - 1] : memref<?x?x?xf32>
          %b1_here = affine.load %b[1, %i, %j, %k] : memref<3x?x?x?xf32>
          %m1_0 = arith.subf %p_juku, %p_jukd : f32
          %m1_1 = arith.subf %m1_0, %p_jdku : f32
          %m1_2 = arith.addf %m1_1, %p_jdkd : f32
          %mix1 = arith.mulf %b1_here, %m1_2 : f32
          %p_iuku = affine.load %p[%i + 1, %j, %k + 1] : memref<?x?x?xf32>
          %p_idku = affine.load %p[%i - 1, %j, %k + 1] : memref<?x?x?xf32>
          %p_iukd = affine.load %p[%i + 1, %j, %k - 1] : memref<?x?x?xf32>
          %p_idkd = affine.load %p[%i - 1, %j, %k - 1] : memref<?x?x?xf32>
          %b2_here = affine.load %b[2, %i, %j, %k] : memref<3x?x?x?xf32>
          %m2_0 = arith.subf %p_iuku, %p_idku : f32
          %m2_1 = arith.subf %m2_0, %p_iukd : f32
          %m2_2 = arith.addf %m2_1, %p_idkd : f32
          %mix2 = arith.mulf %b2_here, %m2_2 : f32
          // The three backward neighbours.
          %c0_here = affine.load %c[0, %i, %j, %k] : memref<3x?x?x?xf32>
          %p_id = affine.load %p[%i - 1, %j, %k] : memref<?x?x?xf32>
          %bwd0 = arith.mulf %c0_here, %p_id : f32
          %c1_here = affine.load %c[1, %i, %j, %k] : memref<3x?x?x?xf32>
          %p_jd = affine.load %p[%i, %j - 1, %k] : memref<?x?x?xf32>
          %bwd1 = arith.mulf %c1_here, %p_jd : f32
          %c2_here = affine.load %c[2, %i, %j, %k] : memref<3x?x?x?xf32>
          %p_kd = affine.load %p[%i, %j, %k - 1] : memref<?x?x?xf32>
          %bwd2 = arith.mulf %c2_here, %p_kd : f32
          %wrk1_here = affine.load %wrk1[%i, %j, %k] : memref<?x?x?xf32>
          %s0 = arith.addf %fwd0, %fwd1 : f32
          %s1 = arith.addf %s0, %fwd2 : f32
          %s2 = arith.addf %s1, %mix0 : f32
          %s3 = arith.addf %s2, %mix1 : f32
          %s4 = arith.addf %s3, %mix2 : f32
          %s5 = arith.addf %s4, %bwd0 : f32
          %s6 = arith.addf %s5, %bwd1 : f32
          %s7 = arith.addf %s6, %bwd2 : f32
          %s8 = arith.addf %s7, %wrk1_here : f32
          %a3_here = affine.load %a[3, %i, %j, %k] : memref<4x?x?x?xf32>
          %p_here = affine.load %p[%i, %j, %k] : memref<?x?x?xf32>
          %bnd_here = affine.load %bnd[%i, %j, %k] : memref<?x?x?xf32>
          %scaled = arith.mulf %s8, %a3_here : f32
          %diff = arith.subf %scaled, %p_here : f32
          %ss = arith.mulf %diff, %bnd_here : f32
          %step = arith.mulf %omega, %ss : f32
          %next = arith.addf %p_here, %step : f32
          affine.store %next, %wrk2[%i, %j, %k] : memref<?x?x?xf32>
        }
      }
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%I] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%J] {
        affine.for %k = 1 to affine_map<()[n] -> (n - 1)>()[%K] {
          %v = affine.load %wrk2[%i, %j, %k] : memref<?x?x?xf32>
          affine.store %v, %p[%i, %j, %k] : memref<?x?x?xf32>
        }
      }
    }
  }
  return
}
