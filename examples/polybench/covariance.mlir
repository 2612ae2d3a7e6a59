// Covariance of the M columns of a table of N rows. The columns of data are
// centred in place.

func.func @covariance_f64(
    %data: memref<?x?xf64> {terrace.name = "data", terrace.dims = ["N", "M"], terrace.init = "random:120x100:1"},
    %cov: memref<?x?xf64> {terrace.name = "cov", terrace.dims = ["M", "M"], terrace.init = "zeros:100x100"},
    %mean: memref<?xf64> {terrace.name = "mean", terrace.dims = ["M"], terrace.init = "zeros:100"}
) attributes {terrace.flops = "2*N*M + M + M*(M+1)/2*(2*N+1) + 1"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %N = memref.dim %data, %c0 : memref<?x?xf64>
  %M = memref.dim %data, %c1 : memref<?x?xf64>
  %0 = arith.index_cast %N : index to i64
  %n = arith.sitofp %0 : i64 to f64
  %n1 = arith.subf %n, %one : f64
  affine.for %j = 0 to %M {
    affine.store %zero, %mean[%j] : memref<?xf64>
    affine.for %i = 0 to %N {
      %mean_j = affine.load %mean[%j] : memref<?xf64>
      %data_ij = affine.load %data[%i, %j] : memref<?x?xf64>
      %1 = arith.addf %mean_j, %data_ij : f64
      affine.store %1, %mean[%j] : memref<?xf64>
    }
    %mean_j = affine.load %mean[%j] : memref<?xf64>
    %2 = arith.divf %mean_j, %n : f64
    affine.store %2, %mean[%j] : memref<?xf64>
  }
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %M {
      %data_ij = affine.load %data[%i, %j] : memref<?x?xf64>
      %mean_j = affine.load %mean[%j] : memref<?xf64>
      %3 = arith.subf %data_ij, %mean_j : f64
      affine.store %3, %data[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %M {
    affine.for %j = affine_map<(i) -> (i)>(%i) to %M {
      affine.store %zero, %cov[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %N {
        %cov_ij = affine.load %cov[%i, %j] : memref<?x?xf64>
        %data_ki = affine.load %data[%k, %i] : memref<?x?xf64>
        %data_kj = affine.load %data[%k, %j] : memref<?x?xf64>
        %4 = arith.mulf %data_ki, %data_kj : f64
        %5 = arith.addf %cov_ij, %4 : f64
        affine.store %5, %cov[%i, %j] : memref<?x?xf64>
      }
      %cov_ij = affine.load %cov[%i, %j] : memref<?x?xf64>
      %6 = arith.divf %cov_ij, %n1 : f64
      affine.store %6, %cov[%i, %j] : memref<?x?xf64>
      %cov_ij_1 = affine.load %cov[%i, %j] : memref<?x?xf64>
      affine.store %cov_ij_1, %cov[%j, %i] : memref<?x?xf64>
    }
  }
  return
}
