// s = A' * r;  q = A * p.

func.func @bicg_f64(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "M"], terrace.init = "random:410x390:1"},
    %s: memref<?xf64> {terrace.name = "s", terrace.dims = ["M"], terrace.init = "zeros:390"},
    %q: memref<?xf64> {terrace.name = "q", terrace.dims = ["N"], terrace.init = "zeros:410"},
    %p: memref<?xf64> {terrace.name = "p", terrace.dims = ["M"], terrace.init = "random:390:2"},
    %r: memref<?xf64> {terrace.name = "r", terrace.dims = ["N"], terrace.init = "random:410:3"}
) attributes {terrace.flops = "4*M*N"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %M = memref.dim %A, %c1 : memref<?x?xf64>
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %i = 0 to %M {
    affine.store %zero, %s[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %N {
    affine.store %zero, %q[%i] : memref<?xf64>
    affine.for %j = 0 to %M {
      %s_j = affine.load %s[%j] : memref<?xf64>
      %r_i = affine.load %r[%i] : memref<?xf64>
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      %0 = arith.mulf %r_i, %a_ij : f64
      %1 = arith.addf %s_j, %0 : f64
      affine.store %1, %s[%j] : memref<?xf64>
      %q_i = affine.load %q[%i] : memref<?xf64>
      %a_ij_1 = affine.load %A[%i, %j] : memref<?x?xf64>
      %p_j = affine.load %p[%j] : memref<?xf64>
      %2 = arith.mulf %a_ij_1, %p_j : f64
      %3 = arith.addf %q_i, %2 : f64
      affine.store %3, %q[%i] : memref<?xf64>
    }
  }
  return
}
