// T steps of the heat equation on a cube, from A to B and back.

func.func @heat_3d_f64(
    %T: index {terrace.name = "T", terrace.init = "20"},
    %A: memref<?x?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N", "N"], terrace.init = "random:40x40x40:1"},
    %B: memref<?x?x?xf64> {terrace.name = "B", terrace.dims = ["N", "N", "N"], terrace.init = "random:40x40x40:2"}
) attributes {terrace.flops = "30*T*(N-2)*(N-2)*(N-2)"} {
  %c0 = arith.constant 0 : index
  %eighth = arith.constant 0.125 : f64
  %two = arith.constant 2.0 : f64
  %N = memref.dim %A, %c0 : memref<?x?x?xf64>
  affine.for %t = 1 to affine_map<()[t] -> (t + 1)>()[%T] {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        affine.for %k = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
          %a_ip1_j_k = affine.load %A[%i + 1, %j, %k] : memref<?x?x?xf64>
          %a_ijk = affine.load %A[%i, %j, %k] : memref<?x?x?xf64>
          %0 = arith.mulf %two, %a_ijk : f64
          %1 = arith.subf %a_ip1_j_k, %0 : f64
          %a_im1_j_k = affine.load %A[%i - 1, %j, %k] : memref<?x?x?xf64>
          %2 = arith.addf %1, %a_im1_j_k : f64
          %3 = arith.mulf %eighth, %2 : f64
          %a_i_jp1_k = affine.load %A[%i, %j + 1, %k] : memref<?x?x?xf64>
          %4 = arith.mulf %two, %a_ijk : f64
          %5 = arith.subf %a_i_jp1_k, %4 : f64
          %a_i_jm1_k = affine.load %A[%i, %j - 1, %k] : memref<?x?x?xf64>
          %6 = arith.addf %5, %a_i_jm1_k : f64
          %7 = arith.mulf %eighth, %6 : f64
          %8 = arith.addf %3, %7 : f64
          %a_i_j_kp1 = affine.load %A[%i, %j, %k + 1] : memref<?x?x?xf64>
          %9 = arith.mulf %two, %a_ijk : f64
          %10 = arith.subf %a_i_j_kp1, %9 : f64
          %a_i_j_km1 = affine.load %A[%i, %j, %k - 1] : memref<?x?x?xf64>
          %11 = arith.addf %10, %a_i_j_km1 : f64
          %12 = arith.mulf %eighth, %11 : f64
          %13 = arith.addf %8, %12 : f64
          %14 = arith.addf %13, %a_ijk : f64
          affine.store %14, %B[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        affine.for %k = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
          %b_ip1_j_k = affine.load %B[%i + 1, %j, %k] : memref<?x?x?xf64>
          %b_ijk = affine.load %B[%i, %j, %k] : memref<?x?x?xf64>
          %15 = arith.mulf %two, %b_ijk : f64
          %16 = arith.subf %b_ip1_j_k, %15 : f64
          %b_im1_j_k = affine.load %B[%i - 1, %j, %k] : memref<?x?x?xf64>
          %17 = arith.addf %16, %b_im1_j_k : f64
          %18 = arith.mulf %eighth, %17 : f64
          %b_i_jp1_k = affine.load %B[%i, %j + 1, %k] : memref<?x?x?xf64>
          %19 = arith.mulf %two, %b_ijk : f64
          %20 = arith.subf %b_i_jp1_k, %19 : f64
          %b_i_jm1_k = affine.load %B[%i, %j - 1, %k] : memref<?x?x?xf64>
          %21 = arith.addf %20, %b_i_jm1_k : f64
          %22 = arith.mulf %eighth, %21 : f64
          %23 = arith.addf %18, %22 : f64
          %b_i_j_kp1 = affine.load %B[%i, %j, %k + 1] : memref<?x?x?xf64>
          %24 = arith.mulf %two, %b_ijk : f64
          %25 = arith.subf %b_i_j_kp1, %24 : f64
          %b_i_j_km1 = affine.load %B[%i, %j, %k - 1] : memref<?x?x?xf64>
          %26 = arith.addf %25, %b_i_j_km1 : f64
          %27 = arith.mulf %eighth, %26 : f64
          %28 = arith.addf %23, %27 : f64
          %29 = arith.addf %28, %b_ijk : f64
          affine.store %29, %A[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}
