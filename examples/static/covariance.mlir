// Covariance of the M columns of a table of N rows. The columns of data are
// centred in place.
// With sizes known at compile time.

func.func @covariance_static(
    %data: memref<64x52xf64> {terrace.name = "data", terrace.dims = ["N", "M"], terrace.init = "random:64x52:1"},
    %cov: memref<52x52xf64> {terrace.name = "cov", terrace.dims = ["M", "M"], terrace.init = "zeros:52x52"}
) attributes {terrace.flops = "2*N*M + M + M*(M+1)/2*(2*N+1)"} {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = arith.constant 64.0 : f64
  %n1 = arith.subf %n, %one : f64
  %mean = memref.alloc() : memref<52xf64>
  affine.for %j = 0 to 52 {
    %total = affine.for %k = 0 to 64 iter_args(%sum = %zero) -> (f64) {
      %v = affine.load %data[%k, %j] : memref<64x52xf64>
      %next = arith.addf %sum, %v : f64
      affine.yield %next : f64
    }
    %m = arith.divf %total, %n : f64
    affine.store %m, %mean[%j] : memref<52xf64>
  }
  affine.for %k = 0 to 64 {
    affine.for %j = 0 to 52 {
      %v = affine.load %data[%k, %j] : memref<64x52xf64>
      %m = affine.load %mean[%j] : memref<52xf64>
      %d = arith.subf %v, %m : f64
      affine.store %d, %data[%k, %j] : memref<64x52xf64>
    }
  }
  affine.for %i = 0 to 52 {
    affine.for %j = affine_map<(i) -> (i)>(%i) to 52 {
      %dot = affine.for %k = 0 to 64 iter_args(%sum = %zero) -> (f64) {
        %a = affine.load %data[%k, %i] : memref<64x52xf64>
        %b = affine.load %data[%k, %j] : memref<64x52xf64>
        %ab = arith.mulf %a, %b : f64
        %next = arith.addf %sum, %ab : f64
        affine.yield %next : f64
      }
      %c = arith.divf %dot, %n1 : f64
      affine.store %c, %cov[%i, %j] : memref<52x52xf64>
      affine.store %c, %cov[%j, %i] : memref<52x52xf64>
    }
  }
  memref.dealloc %mean : memref<52xf64>
  return
}
