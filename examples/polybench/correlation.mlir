// Correlation of the M columns of a table of N rows. The columns of data are
// centred and scaled in place.

func.func @correlation_f64(
    %data: memref<?x?xf64> {terrace.name = "data", terrace.dims = ["N", "M"], terrace.init = "random:120x100:1"},
    %corr: memref<?x?xf64> {terrace.name = "corr", terrace.dims = ["M", "M"], terrace.init = "zeros:100x100"},
    %mean: memref<?xf64> {terrace.name = "mean", terrace.dims = ["M"], terrace.init = "zeros:100"},
    %stddev: memref<?xf64> {terrace.name = "stddev", terrace.dims = ["M"], terrace.init = "zeros:100"}
) attributes {terrace.flops = "7*N*M + 3*M + N*M*(M-1) + 1"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %eps = arith.constant 0.1 : f64
  %one = arith.constant 1.0 : f64
  %N = memref.dim %data, %c0 : memref<?x?xf64>
  %M = memref.dim %data, %c1 : memref<?x?xf64>
  %0 = arith.index_cast %N : index to i64
  %n = arith.sitofp %0 : i64 to f64
  %root = math.sqrt %n : f64
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
  affine.for %j = 0 to %M {
    affine.store %zero, %stddev[%j] : memref<?xf64>
    affine.for %i = 0 to %N {
      %data_ij = affine.load %data[%i, %j] : memref<?x?xf64>
      %mean_j = affine.load %mean[%j] : memref<?xf64>
      %d = arith.subf %data_ij, %mean_j : f64
      %stddev_j = affine.load %stddev[%j] : memref<?xf64>
      %3 = arith.mulf %d, %d : f64
      %4 = arith.addf %stddev_j, %3 : f64
      affine.store %4, %stddev[%j] : memref<?xf64>
    }
    %stddev_j = affine.load %stddev[%j] : memref<?xf64>
    %5 = arith.divf %stddev_j, %n : f64
    affine.store %5, %stddev[%j] : memref<?xf64>
    %stddev_j_1 = affine.load %stddev[%j] : memref<?xf64>
    %6 = math.sqrt %stddev_j_1 : f64
    affine.store %6, %stddev[%j] : memref<?xf64>
    // A column that hardly varies is not scaled.
    %stddev_j_2 = affine.load %stddev[%j] : memref<?xf64>
    %7 = arith.cmpf ole, %stddev_j_2, %eps : f64
    %8 = arith.select %7, %one, %stddev_j_2 : f64
    affine.store %8, %stddev[%j] : memref<?xf64>
  }
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %M {
      %data_ij = affine.load %data[%i, %j] : memref<?x?xf64>
      %mean_j = affine.load %mean[%j] : memref<?xf64>
      %9 = arith.subf %data_ij, %mean_j : f64
      affine.store %9, %data[%i, %j] : memref<?x?xf64>
      %data_ij_1 = affine.load %data[%i, %j] : memref<?x?xf64>
      %stddev_j = affine.load %stddev[%j] : memref<?xf64>
      %10 = arith.mulf %root, %stddev_j : f64
      %11 = arith.divf %data_ij_1, %10 : f64
      affine.store %11, %data[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to affine_map<()[m] -> (m - 1)>()[%M] {
    affine.store %one, %corr[%i, %i] : memref<?x?xf64>
    affine.for %j = affine_map<(i) -> (i + 1)>(%i) to %M {
      affine.store %zero, %corr[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %N {
        %corr_ij = affine.load %corr[%i, %j] : memref<?x?xf64>
        %data_ki = affine.load %data[%k, %i] : memref<?x?xf64>
        %data_kj = affine.load %data[%k, %j] : memref<?x?xf64>
        %12 = arith.mulf %data_ki, %data_kj : f64
        %13 = arith.addf %corr_ij, %12 : f64
        affine.store %13, %corr[%i, %j] : memref<?x?xf64>
      }
      %corr_ij = affine.load %corr[%i, %j] : memref<?x?xf64>
      affine.store %corr_ij, %corr[%j, %i] : memref<?x?xf64>
    }
  }
  affine.store %one, %corr[%M - 1, %M - 1] : memref<?x?xf64>
  return
}
