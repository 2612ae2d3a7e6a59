// D = alpha * A * B * C + beta * D.

func.func @mm2_f64(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f64 {terrace.name = "beta", terrace.init = "1.2"},
    %tmp: memref<?x?xf64> {terrace.name = "tmp", terrace.dims = ["NI", "NJ"], terrace.init = "zeros:90x95"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["NI", "NK"], terrace.init = "random:90x105:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["NK", "NJ"], terrace.init = "random:105x95:2"},
    %C: memref<?x?xf64> {terrace.name = "C", terrace.dims = ["NJ", "NL"], terrace.init = "random:95x110:3"},
    %D: memref<?x?xf64> {terrace.name = "D", terrace.dims = ["NI", "NL"], terrace.init = "random:90x110:4"}
) attributes {terrace.flops = "3*NI*NJ*NK + NI*NL + 2*NI*NL*NJ"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %NI = memref.dim %tmp, %c0 : memref<?x?xf64>
  %NJ = memref.dim %tmp, %c1 : memref<?x?xf64>
  %NK = memref.dim %A, %c1 : memref<?x?xf64>
  %NL = memref.dim %C, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %NI {
    affine.for %j = 0 to %NJ {
      affine.store %zero, %tmp[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %NK {
        %tmp_ij = affine.load %tmp[%i, %j] : memref<?x?xf64>
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %0 = arith.mulf %alpha, %a_ik : f64
        %b_kj = affine.load %B[%k, %j] : memref<?x?xf64>
        %1 = arith.mulf %0, %b_kj : f64
        %2 = arith.addf %tmp_ij, %1 : f64
        affine.store %2, %tmp[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %NI {
    affine.for %j = 0 to %NL {
      %d_ij = affine.load %D[%i, %j] : memref<?x?xf64>
      %3 = arith.mulf %d_ij, %beta : f64
      affine.store %3, %D[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %NJ {
        %d_ij_1 = affine.load %D[%i, %j] : memref<?x?xf64>
        %tmp_ik = affine.load %tmp[%i, %k] : memref<?x?xf64>
        %c_kj = affine.load %C[%k, %j] : memref<?x?xf64>
        %4 = arith.mulf %tmp_ik, %c_kj : f64
        %5 = arith.addf %d_ij_1, %4 : f64
        affine.store %5, %D[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
