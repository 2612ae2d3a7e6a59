// Covariance of the M columns of a table of N rows. The columns of data are
// centred in place.
// In f32.

func.func @covariance_f32(
    %data: memref<?x?xf32> {terrace.name = "data", terrace.dims = ["N", "M"], terrace.init = "random:600x500:1"},
    %cov: memref<?x?xf32> {terrace.name = "cov", terrace.dims = ["M", "M"], terrace.init = "zeros:500x500"}
) attributes {terrace.flops = "2*N*M + M + M*(M+1)/2*(2*N+1)"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %N = memref.dim %data, %c0 : memref<?x?xf32>
  %M = memref.dim %data, %c1 : memref<?x?xf32>
  %count = arith.index_cast %N : index to i64
  %n = arith.sitofp %count : i64 to f32
  %n1 = arith.subf %n, %one : f32
  %mean = memref.alloc(%M) : memref<?xf32>
  affine.for %j = 0 to %M {
    %total = affine.for %k = 0 to %N iter_args(%sum = %zero) -> (f32) {
      %v = affine.load %data[%k, %j] : memref<?x?xf32>
      %next = arith.addf %sum, %v : f32
      affine.yield %next : f32
    }
    %m = arith.divf %total, %n : f32
    affine.store %m, %mean[%j] : memref<?xf32>
  }
  affine.for %k = 0 to %N {
    affine.for %j = 0 to %M {
      %v = affine.load %data[%k, %j] : memref<?x?xf32>
      %m = affine.load %mean[%j] : memref<?xf32>
      %d = arith.subf %v, %m : f32
      affine.store %d, %data[%k, %j] : memref<?x?xf32>
    }
  }
  affine.for %i = 0 to %M {
    affine.for %j = affine_map<(i) -> (i)>(%i) to %M {
      %dot = affine.for %k = 0 to %N iter_args(%sum = %zero) -> (f32) {
        %a = affine.load %data[%k, %i] : memref<?x?xf32>
        %b = affine.load %data[%k, %j] : memref<?x?xf32>
        %ab = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %ab : f32
        affine.yield %next : f32
      }
      %c = arith.divf %dot, %n1 : f32
      affine.store %c, %cov[%i, %j] : memref<?x?xf32>
      affine.store %c, %cov[%j, %i] : memref<?x?xf32>
    }
  }
  memref.dealloc %mean : memref<?xf32>
  return
}
