// T sweeps of a stencil of 9 points, in place.

func.func @seidel_2d_f64(
    %T: index {terrace.name = "T", terrace.init = "40"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "random:120x120:1"}
) attributes {terrace.flops = "9*T*(N-2)*(N-2)"} {
  %c0 = arith.constant 0 : index
  %nine = arith.constant 9.0 : f64
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        %a_im1_jm1 = affine.load %A[%i - 1, %j - 1] : memref<?x?xf64>
        %a_im1_j = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %0 = arith.addf %a_im1_jm1, %a_im1_j : f64
        %a_im1_jp1 = affine.load %A[%i - 1, %j + 1] : memref<?x?xf64>
        %1 = arith.addf %0, %a_im1_jp1 : f64
        %a_i_jm1 = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %2 = arith.addf %1, %a_i_jm1 : f64
        %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
        %3 = arith.addf %2, %a_ij : f64
        %a_i_jp1 = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %4 = arith.addf %3, %a_i_jp1 : f64
        %a_ip1_jm1 = affine.load %A[%i + 1, %j - 1] : memref<?x?xf64>
        %5 = arith.addf %4, %a_ip1_jm1 : f64
        %a_ip1_j = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %6 = arith.addf %5, %a_ip1_j : f64
        %a_ip1_jp1 = affine.load %A[%i + 1, %j + 1] : memref<?x?xf64>
        %7 = arith.addf %6, %a_ip1_jp1 : f64
        %8 = arith.divf %7, %nine : f64
        affine.store %8, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
