// C = alpha * A * B + beta * C, A symmetric; only its lower triangle is read.

func.func @symm_f64(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f64 {terrace.name = "beta", terrace.init = "1.2"},
    %C: memref<?x?xf64> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "random:120x130:1"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["M", "M"], terrace.init = "random:120x120:2"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["M", "N"], terrace.init = "random:120x130:3"}
) attributes {terrace.flops = "5*N*(M*(M-1)/2) + 6*M*N"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %M = memref.dim %C, %c0 : memref<?x?xf64>
  %N = memref.dim %C, %c1 : memref<?x?xf64>
  %temp2 = memref.alloca() : memref<f64>
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %N {
      affine.store %zero, %temp2[] : memref<f64>
      affine.for %k = 0 to affine_map<(i) -> (i)>(%i) {
        %c_kj = affine.load %C[%k, %j] : memref<?x?xf64>
        %b_ij = affine.load %B[%i, %j] : memref<?x?xf64>
        %0 = arith.mulf %alpha, %b_ij : f64
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = arith.mulf %0, %a_ik : f64
        %2 = arith.addf %c_kj, %1 : f64
        affine.store %2, %C[%k, %j] : memref<?x?xf64>
        %temp2_now = affine.load %temp2[] : memref<f64>
        %b_kj = affine.load %B[%k, %j] : memref<?x?xf64>
        %a_ik_1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %3 = arith.mulf %b_kj, %a_ik_1 : f64
        %4 = arith.addf %temp2_now, %3 : f64
        affine.store %4, %temp2[] : memref<f64>
      }
      %c_ij = affine.load %C[%i, %j] : memref<?x?xf64>
      %5 = arith.mulf %beta, %c_ij : f64
      %b_ij = affine.load %B[%i, %j] : memref<?x?xf64>
      %6 = arith.mulf %alpha, %b_ij : f64
      %a_ii = affine.load %A[%i, %i] : memref<?x?xf64>
      %7 = arith.mulf %6, %a_ii : f64
      %8 = arith.addf %5, %7 : f64
      %temp2_now = affine.load %temp2[] : memref<f64>
      %9 = arith.mulf %alpha, %temp2_now : f64
      %10 = arith.addf %8, %9 : f64
      affine.store %10, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
