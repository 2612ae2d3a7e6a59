// A * x = b, by A = L * U in place, L * y = b and U * x = y.

func.func @ludcmp_f64(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "dominant:160x160:1"},
    %b: memref<?xf64> {terrace.name = "b", terrace.dims = ["N"], terrace.init = "random:160:2"},
    %x: memref<?xf64> {terrace.name = "x", terrace.dims = ["N"], terrace.init = "zeros:160"},
    %y: memref<?xf64> {terrace.name = "y", terrace.dims = ["N"], terrace.init = "zeros:160"}
) attributes {terrace.flops = "N*(N-1)/2 + N*(N-1)*(2*N-1)/3 + 2*N*(N-1) + N"} {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  %w = memref.alloca() : memref<f64>
  affine.for %i = 0 to %N {
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a_ij, %w[] : memref<f64>
      affine.for %k = 0 to affine_map<(j) -> (j)>(%j) {
        %w_now = affine.load %w[] : memref<f64>
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %a_kj = affine.load %A[%k, %j] : memref<?x?xf64>
        %0 = arith.mulf %a_ik, %a_kj : f64
        %1 = arith.subf %w_now, %0 : f64
        affine.store %1, %w[] : memref<f64>
      }
      %w_now = affine.load %w[] : memref<f64>
      %a_jj = affine.load %A[%j, %j] : memref<?x?xf64>
      %2 = arith.divf %w_now, %a_jj : f64
      affine.store %2, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(i) -> (i)>(%i) to %N {
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a_ij, %w[] : memref<f64>
      affine.for %k = 0 to affine_map<(i) -> (i)>(%i) {
        %w_now = affine.load %w[] : memref<f64>
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %a_kj = affine.load %A[%k, %j] : memref<?x?xf64>
        %3 = arith.mulf %a_ik, %a_kj : f64
        %4 = arith.subf %w_now, %3 : f64
        affine.store %4, %w[] : memref<f64>
      }
      %w_now = affine.load %w[] : memref<f64>
      affine.store %w_now, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %N {
    %b_i = affine.load %b[%i] : memref<?xf64>
    affine.store %b_i, %w[] : memref<f64>
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      %w_now = affine.load %w[] : memref<f64>
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      %y_j = affine.load %y[%j] : memref<?xf64>
      %5 = arith.mulf %a_ij, %y_j : f64
      %6 = arith.subf %w_now, %5 : f64
      affine.store %6, %w[] : memref<f64>
    }
    %w_now = affine.load %w[] : memref<f64>
    affine.store %w_now, %y[%i] : memref<?xf64>
  }
  // From the last row to the first.
  affine.for %back = 0 to %N {
    %i = affine.apply affine_map<(back)[n] -> (n - 1 - back)>(%back)[%N]
    %y_i = affine.load %y[%i] : memref<?xf64>
    affine.store %y_i, %w[] : memref<f64>
    affine.for %j = affine_map<(i) -> (i + 1)>(%i) to %N {
      %w_now = affine.load %w[] : memref<f64>
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      %x_j = affine.load %x[%j] : memref<?xf64>
      %7 = arith.mulf %a_ij, %x_j : f64
      %8 = arith.subf %w_now, %7 : f64
      affine.store %8, %w[] : memref<f64>
    }
    %w_now = affine.load %w[] : memref<f64>
    %a_ii = affine.load %A[%i, %i] : memref<?x?xf64>
    %9 = arith.divf %w_now, %a_ii : f64
    affine.store %9, %x[%i] : memref<?xf64>
  }
  return
}
