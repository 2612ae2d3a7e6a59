// A step of the five-point stencil.
// parallel: i j
// @N@ = 4098, small 66
// @N1@ = 4097, small 65
func.func @jacobi_2d(%A: memref<@N@x@N@xf64> {llvm.noalias}, %B: memref<@N@x@N@xf64> {llvm.noalias}) {
  %fifth = arith.constant 0.2 : f64
  affine.for %i = 1 to @N1@ {
    affine.for %j = 1 to @N1@ {
      %c = affine.load %A[%i, %j] : memref<@N@x@N@xf64>
      %w = affine.load %A[%i, %j - 1] : memref<@N@x@N@xf64>
      %e = affine.load %A[%i, %j + 1] : memref<@N@x@N@xf64>
      %s = affine.load %A[%i + 1, %j] : memref<@N@x@N@xf64>
      %n = affine.load %A[%i - 1, %j] : memref<@N@x@N@xf64>
      %s1 = arith.addf %c, %w : f64
      %s2 = arith.addf %s1, %e : f64
      %s3 = arith.addf %s2, %s : f64
      %s4 = arith.addf %s3, %n : f64
      %r = arith.mulf %s4, %fifth : f64
      affine.store %r, %B[%i, %j] : memref<@N@x@N@xf64>
    }
  }
  return
}
