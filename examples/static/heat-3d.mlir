// T steps of the heat equation on a cube, from A to B and back.
// With sizes known at compile time.

func.func @heat_3d_static(
    %T: index {terrace.name = "T", terrace.init = "4"},
    %A: memref<20x20x20xf64> {terrace.name = "A", terrace.dims = ["N", "N", "N"], terrace.init = "random:20x20x20:1"},
    %B: memref<20x20x20xf64> {terrace.name = "B", terrace.dims = ["N", "N", "N"], terrace.init = "random:20x20x20:2"}
) attributes {terrace.flops = "26*T*(N-2)*(N-2)*(N-2)"} {
  %two = arith.constant 2.0 : f64
  %eighth = arith.constant 0.125 : f64
  affine.for %t = 0 to %T {
    affine.for %i = 1 to 19 {
      affine.for %j = 1 to 19 {
        affine.for %k = 1 to 19 {
          %mid = affine.load %A[%i, %j, %k] : memref<20x20x20xf64>
          %twice = arith.mulf %two, %mid : f64
          %i_up = affine.load %A[%i + 1, %j, %k] : memref<20x20x20xf64>
          %i_down = affine.load %A[%i - 1, %j, %k] : memref<20x20x20xf64>
          %i_0 = arith.subf %i_up, %twice : f64
          %i_1 = arith.addf %i_0, %i_down : f64
          %i_2 = arith.mulf %eighth, %i_1 : f64
          %j_up = affine.load %A[%i, %j + 1, %k] : memref<20x20x20xf64>
          %j_down = affine.load %A[%i, %j - 1, %k] : memref<20x20x20xf64>
          %j_0 = arith.subf %j_up, %twice : f64
          %j_1 = arith.addf %j_0, %j_down : f64
          %j_2 = arith.mulf %eighth, %j_1 : f64
          %k_up = affine.load %A[%i, %j, %k + 1] : memref<20x20x20xf64>
          %k_down = affine.load %A[%i, %j, %k - 1] : memref<20x20x20xf64>
          %k_0 = arith.subf %k_up, %twice : f64
          %k_1 = arith.addf %k_0, %k_down : f64
          %k_2 = arith.mulf %eighth, %k_1 : f64
          %s0 = arith.addf %i_2, %j_2 : f64
          %s1 = arith.addf %s0, %k_2 : f64
          %next = arith.addf %s1, %mid : f64
          affine.store %next, %B[%i, %j, %k] : memref<20x20x20xf64>
        }
      }
    }
    affine.for %i = 1 to 19 {
      affine.for %j = 1 to 19 {
        affine.for %k = 1 to 19 {
          %mid = affine.load %B[%i, %j, %k] : memref<20x20x20xf64>
          %twice = arith.mulf %two, %mid : f64
          %i_up = affine.load %B[%i + 1, %j, %k] : memref<20x20x20xf64>
          %i_down = affine.load %B[%i - 1, %j, %k] : memref<20x20x20xf64>
          %i_0 = arith.subf %i_up, %twice : f64
          %i_1 = arith.addf %i_0, %i_down : f64
          %i_2 = arith.mulf %eighth, %i_1 : f64
          %j_up = affine.load %B[%i, %j + 1, %k] : memref<20x20x20xf64>
          %j_down = affine.load %B[%i, %j - 1, %k] : memref<20x20x20xf64>
          %j_0 = arith.subf %j_up, %twice : f64
          %j_1 = arith.addf %j_0, %j_down : f64
          %j_2 = arith.mulf %eighth, %j_1 : f64
          %k_up = affine.load %B[%i, %j, %k + 1] : memref<20x20x20xf64>
          %k_down = affine.load %B[%i, %j, %k - 1] : memref<20x20x20xf64>
          %k_0 = arith.subf %k_up, %twice : f64
          %k_1 = arith.addf %k_0, %k_down : f64
          %k_2 = arith.mulf %eighth, %k_1 : f64
          %s0 = arith.addf %i_2, %j_2 : f64
          %s1 = arith.addf %s0, %k_2 : f64
          %next = arith.addf %s1, %mid : f64
          affine.store %next, %A[%i, %j, %k] : memref<20x20x20xf64>
        }
      }
    }
  }
  return
}
