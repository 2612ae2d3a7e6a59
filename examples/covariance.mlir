// Covariance of the M columns of a table of N rows. The columns of data are
// centred in place.

func.func @covariance_f64(
    %data: memref<?x?xf64> {terrace.name = "data", terrace.dims = ["N", "M"], terrace.init = "random:600x500:1"},
    %cov: memref<?x?xf64> {terrace.name = "cov", terrace.dims = ["M", "M"], terrace.init = "zeros:500x500"}
) attributes {terrace.flops = "2*N*M + M + M*(M+1)/2*(2*N+1)"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %N = memref.dim %data, %c0 : memref<?x?xf64>
  %M = memref.dim %data, %c1 : memref<?x?xf64>
  %count = arith.index_cast %N : index to i64
  %n = arith.sitofp %count : i64 to f64
  %n1 = arith.subf %n, %one : f64
  %mean = memref.alloc(%M) : memref<?xf64>
  affine.for %j = 0 to %M {
    %total = affine.for %k = 0 to %N iter_args(%sum = %zero) -> (f64) {
      %v = affine.load %data[%k, %j] : memref<?x?xf64>
      %next = arith.addf %sum, %v : f64
      affine.yield %next : f64
    }
    %m = arith.divf %total, %n : f64
    affine.store %m, %mean[%j] : memref<?xf64>
  }
  affine.for %k = 0 to %N {
    affine.for %j = 0 to %M {
      %v = affine.load %data[%k, %j] : memref<?x?xf64>
      %m = affine.load %mean[%j] : memref<?xf64>
      %d = arith.subf %v, %m : f64
      affine.store %d, %data[%k, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %M {
    affine.for %j = affine_map<(i) -> (i)>(%i) to %M {
      %dot = affine.for %k = 0 to %N iter_args(%sum = %zero) -> (f64) {
        %a = affine.load %data[%k, %i] : memref<?x?xf64>
        %b = affine.load %data[%k, %j] : memref<?x?xf64>
        %ab = arith.mulf %a, %b : f64
        %next = arith.addf %sum, %ab : f64
        affine.yield %next : f64
      }
      %c = arith.divf %dot, %n1 : f64
      affine.store %c, %cov[%i, %j] : memref<?x?xf64>
      affine.store %c, %cov[%j, %i] : memref<?x?xf64>
    }
  }
  memref.dealloc %mean : memref<?xf64>
  return
}
