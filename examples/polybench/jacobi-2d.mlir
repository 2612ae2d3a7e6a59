// T steps of a stencil of 5 points, from A to B and back.

func.func @jacobi_2d_f64(
    %T: index {terrace.name = "T", terrace.init = "40"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "random:90x90:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["N", "N"], terrace.init = "random:90x90:2"}
) attributes {terrace.flops = "10*T*(N-2)*(N-2)"} {
  %c0 = arith.constant 0 : index
  %fifth = arith.constant 0.2 : f64
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
        %a_i_jm1 = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %0 = arith.addf %a_ij, %a_i_jm1 : f64
        %a_i_jp1 = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %1 = arith.addf %0, %a_i_jp1 : f64
        %a_ip1_j = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %2 = arith.addf %1, %a_ip1_j : f64
        %a_im1_j = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %3 = arith.addf %2, %a_im1_j : f64
        %4 = arith.mulf %fifth, %3 : f64
        affine.store %4, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        %b_ij = affine.load %B[%i, %j] : memref<?x?xf64>
        %b_i_jm1 = affine.load %B[%i, %j - 1] : memref<?x?xf64>
        %5 = arith.addf %b_ij, %b_i_jm1 : f64
        %b_i_jp1 = affine.load %B[%i, %j + 1] : memref<?x?xf64>
        %6 = arith.addf %5, %b_i_jp1 : f64
        %b_ip1_j = affine.load %B[%i + 1, %j] : memref<?x?xf64>
        %7 = arith.addf %6, %b_ip1_j : f64
        %b_im1_j = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        %8 = arith.addf %7, %b_im1_j : f64
        %9 = arith.mulf %fifth, %8 : f64
        affine.store %9, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
