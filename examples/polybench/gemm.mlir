// C = alpha * A * B + beta * C, a row of C at a time.

func.func @gemm_f64(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f64 {terrace.name = "beta", terrace.init = "1.2"},
    %C: memref<?x?xf64> {terrace.name = "C", terrace.dims = ["NI", "NJ"], terrace.init = "random:120x110:1"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["NI", "NK"], terrace.init = "random:120x130:2"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["NK", "NJ"], terrace.init = "random:130x110:3"}
) attributes {terrace.flops = "NI*NJ + 3*NI*NJ*NK"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %NI = memref.dim %C, %c0 : memref<?x?xf64>
  %NJ = memref.dim %C, %c1 : memref<?x?xf64>
  %NK = memref.dim %A, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %NI {
    affine.for %j = 0 to %NJ {
      %c_ij = affine.load %C[%i, %j] : memref<?x?xf64>
      %0 = arith.mulf %c_ij, %beta : f64
      affine.store %0, %C[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to %NK {
      affine.for %j = 0 to %NJ {
        %c_ij = affine.load %C[%i, %j] : memref<?x?xf64>
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = arith.mulf %alpha, %a_ik : f64
        %b_kj = affine.load %B[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %1, %b_kj : f64
        %3 = arith.addf %c_ij, %2 : f64
        affine.store %3, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
