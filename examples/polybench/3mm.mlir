// G = (A * B) * (C * D).

func.func @mm3_f64(
    %E: memref<?x?xf64> {terrace.name = "E", terrace.dims = ["NI", "NJ"], terrace.init = "zeros:80x85"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["NI", "NK"], terrace.init = "random:80x90:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["NK", "NJ"], terrace.init = "random:90x85:2"},
    %F: memref<?x?xf64> {terrace.name = "F", terrace.dims = ["NJ", "NL"], terrace.init = "zeros:85x95"},
    %C: memref<?x?xf64> {terrace.name = "C", terrace.dims = ["NJ", "NM"], terrace.init = "random:85x100:3"},
    %D: memref<?x?xf64> {terrace.name = "D", terrace.dims = ["NM", "NL"], terrace.init = "random:100x95:4"},
    %G: memref<?x?xf64> {terrace.name = "G", terrace.dims = ["NI", "NL"], terrace.init = "zeros:80x95"}
) attributes {terrace.flops = "2*NI*NJ*NK + 2*NJ*NL*NM + 2*NI*NL*NJ"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %NI = memref.dim %E, %c0 : memref<?x?xf64>
  %NJ = memref.dim %E, %c1 : memref<?x?xf64>
  %NK = memref.dim %A, %c1 : memref<?x?xf64>
  %NL = memref.dim %F, %c1 : memref<?x?xf64>
  %NM = memref.dim %C, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %NI {
    affine.for %j = 0 to %NJ {
      affine.store %zero, %E[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %NK {
        %e_ij = affine.load %E[%i, %j] : memref<?x?xf64>
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %b_kj = affine.load %B[%k, %j] : memref<?x?xf64>
        %0 = arith.mulf %a_ik, %b_kj : f64
        %1 = arith.addf %e_ij, %0 : f64
        affine.store %1, %E[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %NJ {
    affine.for %j = 0 to %NL {
      affine.store %zero, %F[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %NM {
        %f_ij = affine.load %F[%i, %j] : memref<?x?xf64>
        %c_ik = affine.load %C[%i, %k] : memref<?x?xf64>
        %d_kj = affine.load %D[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %c_ik, %d_kj : f64
        %3 = arith.addf %f_ij, %2 : f64
        affine.store %3, %F[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %NI {
    affine.for %j = 0 to %NL {
      affine.store %zero, %G[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %NJ {
        %g_ij = affine.load %G[%i, %j] : memref<?x?xf64>
        %e_ik = affine.load %E[%i, %k] : memref<?x?xf64>
        %f_kj = affine.load %F[%k, %j] : memref<?x?xf64>
        %4 = arith.mulf %e_ik, %f_kj : f64
        %5 = arith.addf %g_ij, %4 : f64
        affine.store %5, %G[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
