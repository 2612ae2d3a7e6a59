// T steps of the Himeno benchmark's sweep: a 19-point stencil for the pressure p
// in curvilinear coordinates, then the copy back. Its residual (the sum of the
// squared steps) is left out, so that every loop but the one over T is parallel.

func.func @himeno_f64(
    %T: index {terrace.name = "T", terrace.init = "4"},
    %omega: f64 {terrace.name = "omega", terrace.init = "0.8"},
    %p: memref<?x?x?xf64> {terrace.name = "p", terrace.dims = ["I", "J", "K"], terrace.init = "random:65x65x129:1"},
    %a: memref<4x?x?x?xf64> {terrace.name = "a", terrace.dims = ["4", "I", "J", "K"], terrace.init = "random:4x65x65x129:2"},
    %b: memref<3x?x?x?xf64> {terrace.name = "b", terrace.dims = ["3", "I", "J", "K"], terrace.init = "random:3x65x65x129:3"},
    %c: memref<3x?x?x?xf64> {terrace.name = "c", terrace.dims = ["3", "I", "J", "K"], terrace.init = "random:3x65x65x129:4"},
    %bnd: memref<?x?x?xf64> {terrace.name = "bnd", terrace.dims = ["I", "J", "K"], terrace.init = "random:65x65x129:5"},
    %wrk1: memref<?x?x?xf64> {terrace.name = "wrk1", terrace.dims = ["I", "J", "K"], terrace.init = "random:65x65x129:6"},
    %wrk2: memref<?x?x?xf64> {terrace.name = "wrk2", terrace.dims = ["I", "J", "K"], terrace.init = "zeros:65x65x129"}
) attributes {terrace.flops = "32*T*(I-2)*(J-2)*(K-2)"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %I = memref.dim %p, %c0 : memref<?x?x?xf64>
  %J = memref.dim %p, %c1 : memref<?x?x?xf64>
  %K = memref.dim %p, %c2 : memref<?x?x?xf64>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%I] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%J] {
        affine.for %k = 1 to affine_map<()[n] -> (n - 1)>()[%K] {
          // The three forward neighbours.
          %a0_here = affine.load %a[0, %i, %j, %k] : memref<4x?x?x?xf64>
          %p_iu = affine.load %p[%i + 1, %j, %k] : memref<?x?x?xf64>
          %fwd0 = arith.mulf %a0_here, %p_iu : f64
          %a1_here = affine.load %a[1, %i, %j, %k] : memref<4x?x?x?xf64>
          %p_ju = affine.load %p[%i, %j + 1, %k] : memref<?x?x?xf64>
          %fwd1 = arith.mulf %a1_here, %p_ju : f64
          %a2_here = affine.load %a[2, %i, %j, %k] : memref<4x?x?x?xf64>
          %p_ku = affine.load %p[%i, %j, %k + 1] : memref<?x?x?xf64>
          %fwd2 = arith.mulf %a2_here, %p_ku : f64
          // The mixed differences in each plane.
          %p_iuju = affine.load %p[%i + 1, %j + 1, %k] : memref<?x?x?xf64>
          %p_iujd = affine.load %p[%i + 1, %j - 1, %k] : memref<?x?x?xf64>
          %p_idju = affine.load %p[%i - 1, %j + 1, %k] : memref<?x?x?xf64>
          %p_idjd = affine.load %p[%i - 1, %j - 1, %k] : memref<?x?x?xf64>
          %b0_here = affine.load %b[0, %i, %j, %k] : memref<3x?x?x?xf64>
          %m0_0 = arith.subf %p_iuju, %p_iujd : f64
          %m0_1 = arith.subf %m0_0, %p_idju : f64
          %m0_2 = arith.addf %m0_1, %p_idjd : f64
          %mix0 = arith.mulf %b0_here, %m0_2 : f64
          %p_juku = affine.load %p[%i, %j + 1, %k + 1] : memref<?x?x?xf64>
          %p_jukd = affine.load %p[%i, %j + 1, %k - 1] : memref<?x?x?xf64>
          %p_jdku = affine.load %p[%i, %j - 1, %k + 1] : memref<?x?x?xf64>
          %p_jdkd = affine.load %p[%i, %j - 1, %k - 1] : memref<?x?x?xf64>
          %b1_here = affine.load %b[1, %i, %j, %k] : memref<3x?x?x?xf64>
          %m1_0 = arith.subf %p_juku, %p_jukd : f64
          %m1_1 = arith.subf %m1_0, %p_jdku : f64
          %m1_2 = arith.addf %m1_1, %p_jdkd : f64
          %mix1 = arith.mulf %b1_here, %m1_2 : f64
          %p_iuku = affine.load %p[%i + 1, %j, %k + 1] : memref<?x?x?xf64>
          %p_idku = affine.load %p[%i - 1, %j, %k + 1] : memref<?x?x?xf64>
          %p_iukd = affine.load %p[%i + 1, %j, %k - 1] : memref<?x?x?xf64>
          %p_idkd = affine.load %p[%i - 1, %j, %k - 1] : memref<?x?x?xf64>
          %b2_here = affine.load %b[2, %i, %j, %k] : memref<3x?x?x?xf64>
          %m2_0 = arith.subf %p_iuku, %p_idku : f64
          %m2_1 = arith.subf %m2_0, %p_iukd : f64
          %m2_2 = arith.addf %m2_1, %p_idkd : f64
          %mix2 = arith.mulf %b2_here, %m2_2 : f64
          // The three backward neighbours.
          %c0_here = affine.load %c[0, %i, %j, %k] : memref<3x?x?x?xf64>
          %p_id = affine.load %p[%i - 1, %j, %k] : memref<?x?x?xf64>
          %bwd0 = arith.mulf %c0_here, %p_id : f64
          %c1_here = affine.load %c[1, %i, %j, %k] : memref<3x?x?x?xf64>
          %p_jd = affine.load %p[%i, %j - 1, %k] : memref<?x?x?xf64>
          %bwd1 = arith.mulf %c1_here, %p_jd : f64
          %c2_here = affine.load %c[2, %i, %j, %k] : memref<3x?x?x?xf64>
          %p_kd = affine.load %p[%i, %j, %k - 1] : memref<?x?x?xf64>
          %bwd2 = arith.mulf %c2_here, %p_kd : f64
          %wrk1_here = affine.load %wrk1[%i, %j, %k] : memref<?x?x?xf64>
          %s0 = arith.addf %fwd0, %fwd1 : f64
          %s1 = arith.addf %s0, %fwd2 : f64
          %s2 = arith.addf %s1, %mix0 : f64
          %s3 = arith.addf %s2, %mix1 : f64
          %s4 = arith.addf %s3, %mix2 : f64
          %s5 = arith.addf %s4, %bwd0 : f64
          %s6 = arith.addf %s5, %bwd1 : f64
          %s7 = arith.addf %s6, %bwd2 : f64
          %s8 = arith.addf %s7, %wrk1_here : f64
          %a3_here = affine.load %a[3, %i, %j, %k] : memref<4x?x?x?xf64>
          %p_here = affine.load %p[%i, %j, %k] : memref<?x?x?xf64>
          %bnd_here = affine.load %bnd[%i, %j, %k] : memref<?x?x?xf64>
          %scaled = arith.mulf %s8, %a3_here : f64
          %diff = arith.subf %scaled, %p_here : f64
          %ss = arith.mulf %diff, %bnd_here : f64
          %step = arith.mulf %omega, %ss : f64
          %next = arith.addf %p_here, %step : f64
          affine.store %next, %wrk2[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%I] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%J] {
        affine.for %k = 1 to affine_map<()[n] -> (n - 1)>()[%K] {
          %v = affine.load %wrk2[%i, %j, %k] : memref<?x?x?xf64>
          affine.store %v, %p[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}
