// Sum over the middle dimension of an array.
// parallel: i j
// @N@ = 256, small 16
// @K@ = 256, small 12
// @M@ = 512, small 32
func.func @middle_sum(%A: memref<@N@x@K@x@M@xf64> {llvm.noalias}, %s: memref<@N@x@M@xf64> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to @N@ {
    affine.for %j = 0 to @M@ {
      %total = affine.for %k = 0 to @K@ iter_args(%sum = %zero) -> (f64) {
        %a = affine.load %A[%i, %k, %j] : memref<@N@x@K@x@M@xf64>
        %next = arith.addf %sum, %a : f64
        affine.yield %next : f64
      }
      affine.store %total, %s[%i, %j] : memref<@N@x@M@xf64>
    }
  }
  return
}
