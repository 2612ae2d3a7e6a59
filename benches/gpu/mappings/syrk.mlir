// Product of a matrix and its own transpose.
// parallel: i j
// serial: k
// @N@ = 1024, small 32
// @K@ = 256, small 12
func.func @syrk(%A: memref<@N@x@K@xf64> {llvm.noalias}, %C: memref<@N@x@N@xf64> {llvm.noalias}) {
  affine.for %i = 0 to @N@ {
    affine.for %j = 0 to @N@ {
      affine.for %k = 0 to @K@ {
        %a = affine.load %A[%i, %k] : memref<@N@x@K@xf64>
        %b = affine.load %A[%j, %k] : memref<@N@x@K@xf64>
        %c = affine.load %C[%i, %j] : memref<@N@x@N@xf64>
        %ab = arith.mulf %a, %b fastmath<contract> : f64
        %sum = arith.addf %c, %ab fastmath<contract> : f64
        affine.store %sum, %C[%i, %j] : memref<@N@x@N@xf64>
      }
    }
  }
  return
}
