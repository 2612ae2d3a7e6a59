// T steps of a stencil of 3 points, from A to B and back.

func.func @jacobi_1d_f64(
    %T: index {terrace.name = "T", terrace.init = "100"},
    %A: memref<?xf64> {terrace.name = "A", terrace.dims = ["N"], terrace.init = "random:400:1"},
    %B: memref<?xf64> {terrace.name = "B", terrace.dims = ["N"], terrace.init = "random:400:2"}
) attributes {terrace.flops = "6*T*(N-2)"} {
  %c0 = arith.constant 0 : index
  %third = arith.constant 0.33333 : f64
  %N = memref.dim %A, %c0 : memref<?xf64>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      %a_im1 = affine.load %A[%i - 1] : memref<?xf64>
      %a_i = affine.load %A[%i] : memref<?xf64>
      %0 = arith.addf %a_im1, %a_i : f64
      %a_ip1 = affine.load %A[%i + 1] : memref<?xf64>
      %1 = arith.addf %0, %a_ip1 : f64
      %2 = arith.mulf %third, %1 : f64
      affine.store %2, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      %b_im1 = affine.load %B[%i - 1] : memref<?xf64>
      %b_i = affine.load %B[%i] : memref<?xf64>
      %3 = arith.addf %b_im1, %b_i : f64
      %b_ip1 = affine.load %B[%i + 1] : memref<?xf64>
      %4 = arith.addf %3, %b_ip1 : f64
      %5 = arith.mulf %third, %4 : f64
      affine.store %5, %A[%i] : memref<?xf64>
    }
  }
  return
}
