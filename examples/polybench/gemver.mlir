// A += u1 * v1' + u2 * v2';  x += beta * A' * y + z;  w += alpha * A * x.

func.func @gemver_f64(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f64 {terrace.name = "beta", terrace.init = "1.2"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "random:400x400:1"},
    %u1: memref<?xf64> {terrace.name = "u1", terrace.dims = ["N"], terrace.init = "random:400:2"},
    %v1: memref<?xf64> {terrace.name = "v1", terrace.dims = ["N"], terrace.init = "random:400:3"},
    %u2: memref<?xf64> {terrace.name = "u2", terrace.dims = ["N"], terrace.init = "random:400:4"},
    %v2: memref<?xf64> {terrace.name = "v2", terrace.dims = ["N"], terrace.init = "random:400:5"},
    %w: memref<?xf64> {terrace.name = "w", terrace.dims = ["N"], terrace.init = "zeros:400"},
    %x: memref<?xf64> {terrace.name = "x", terrace.dims = ["N"], terrace.init = "zeros:400"},
    %y: memref<?xf64> {terrace.name = "y", terrace.dims = ["N"], terrace.init = "random:400:6"},
    %z: memref<?xf64> {terrace.name = "z", terrace.dims = ["N"], terrace.init = "random:400:7"}
) attributes {terrace.flops = "10*N*N + N"} {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %N {
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      %u1_i = affine.load %u1[%i] : memref<?xf64>
      %v1_j = affine.load %v1[%j] : memref<?xf64>
      %0 = arith.mulf %u1_i, %v1_j : f64
      %1 = arith.addf %a_ij, %0 : f64
      %u2_i = affine.load %u2[%i] : memref<?xf64>
      %v2_j = affine.load %v2[%j] : memref<?xf64>
      %2 = arith.mulf %u2_i, %v2_j : f64
      %3 = arith.addf %1, %2 : f64
      affine.store %3, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %N {
      %x_i = affine.load %x[%i] : memref<?xf64>
      %a_ji = affine.load %A[%j, %i] : memref<?x?xf64>
      %4 = arith.mulf %beta, %a_ji : f64
      %y_j = affine.load %y[%j] : memref<?xf64>
      %5 = arith.mulf %4, %y_j : f64
      %6 = arith.addf %x_i, %5 : f64
      affine.store %6, %x[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %N {
    %x_i = affine.load %x[%i] : memref<?xf64>
    %z_i = affine.load %z[%i] : memref<?xf64>
    %7 = arith.addf %x_i, %z_i : f64
    affine.store %7, %x[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %N {
      %w_i = affine.load %w[%i] : memref<?xf64>
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      %8 = arith.mulf %alpha, %a_ij : f64
      %x_j = affine.load %x[%j] : memref<?xf64>
      %9 = arith.mulf %8, %x_j : f64
      %10 = arith.addf %w_i, %9 : f64
      affine.store %10, %w[%i] : memref<?xf64>
    }
  }
  return
}
