// T times: B is the mean of each point of A and its four neighbours, then A of B.
// With sizes known at compile time.

func.func @jacobi_2d_static(
    %T: index {terrace.name = "T", terrace.init = "6"},
    %A: memref<66x66xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "random:66x66:1"},
    %B: memref<66x66xf64> {terrace.name = "B", terrace.dims = ["N", "N"], terrace.init = "random:66x66:2"}
) attributes {terrace.flops = "10*T*(N-2)*(N-2)"} {
  %fifth = arith.constant 0.2 : f64
  affine.for %t = 0 to %T {
    affine.for %i = 1 to 65 {
      affine.for %j = 1 to 65 {
        %mid = affine.load %A[%i, %j] : memref<66x66xf64>
        %west = affine.load %A[%i, %j - 1] : memref<66x66xf64>
        %east = affine.load %A[%i, %j + 1] : memref<66x66xf64>
        %south = affine.load %A[%i + 1, %j] : memref<66x66xf64>
        %north = affine.load %A[%i - 1, %j] : memref<66x66xf64>
        %s0 = arith.addf %mid, %west : f64
        %s1 = arith.addf %s0, %east : f64
        %s2 = arith.addf %s1, %south : f64
        %s3 = arith.addf %s2, %north : f64
        %mean = arith.mulf %fifth, %s3 : f64
        affine.store %mean, %B[%i, %j] : memref<66x66xf64>
      }
    }
    affine.for %i = 1 to 65 {
      affine.for %j = 1 to 65 {
        %mid = affine.load %B[%i, %j] : memref<66x66xf64>
        %west = affine.load %B[%i, %j - 1] : memref<66x66xf64>
        %east = affine.load %B[%i, %j + 1] : memref<66x66xf64>
        %south = affine.load %B[%i + 1, %j] : memref<66x66xf64>
        %north = affine.load %B[%i - 1, %j] : memref<66x66xf64>
        %s0 = arith.addf %mid, %west : f64
        %s1 = arith.addf %s0, %east : f64
        %s2 = arith.addf %s1, %south : f64
        %s3 = arith.addf %s2, %north : f64
        %mean = arith.mulf %fifth, %s3 : f64
        affine.store %mean, %A[%i, %j] : memref<66x66xf64>
      }
    }
  }
  return
}
