// A = Q * R by the modified Gram-Schmidt process. A is overwritten.

func.func @gramschmidt_f64(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:100x120:1"},
    %R: memref<?x?xf64> {terrace.name = "R", terrace.dims = ["N", "N"], terrace.init = "zeros:120x120"},
    %Q: memref<?x?xf64> {terrace.name = "Q", terrace.dims = ["M", "N"], terrace.init = "zeros:100x120"}
) attributes {terrace.flops = "3*N*M + N + 4*M*(N*(N-1)/2)"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %M = memref.dim %A, %c0 : memref<?x?xf64>
  %N = memref.dim %A, %c1 : memref<?x?xf64>
  %nrm = memref.alloca() : memref<f64>
  affine.for %k = 0 to %N {
    affine.store %zero, %nrm[] : memref<f64>
    affine.for %i = 0 to %M {
      %nrm_now = affine.load %nrm[] : memref<f64>
      %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
      %0 = arith.mulf %a_ik, %a_ik : f64
      %1 = arith.addf %nrm_now, %0 : f64
      affine.store %1, %nrm[] : memref<f64>
    }
    %nrm_now = affine.load %nrm[] : memref<f64>
    %2 = math.sqrt %nrm_now : f64
    affine.store %2, %R[%k, %k] : memref<?x?xf64>
    affine.for %i = 0 to %M {
      %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
      %r_kk = affine.load %R[%k, %k] : memref<?x?xf64>
      %3 = arith.divf %a_ik, %r_kk : f64
      affine.store %3, %Q[%i, %k] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(k) -> (k + 1)>(%k) to %N {
      affine.store %zero, %R[%k, %j] : memref<?x?xf64>
      affine.for %i = 0 to %M {
        %r_kj = affine.load %R[%k, %j] : memref<?x?xf64>
        %q_ik = affine.load %Q[%i, %k] : memref<?x?xf64>
        %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
        %4 = arith.mulf %q_ik, %a_ij : f64
        %5 = arith.addf %r_kj, %4 : f64
        affine.store %5, %R[%k, %j] : memref<?x?xf64>
      }
      affine.for %i = 0 to %M {
        %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
        %q_ik = affine.load %Q[%i, %k] : memref<?x?xf64>
        %r_kj = affine.load %R[%k, %j] : memref<?x?xf64>
        %6 = arith.mulf %q_ik, %r_kj : f64
        %7 = arith.subf %a_ij, %6 : f64
        affine.store %7, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
