// Matrix times vector, the sum in memory.
// parallel: i
// serial: k
// @N@ = 16384, small 256
// @K@ = 1024, small 12
func.func @gemv(%A: memref<@N@x@K@xf64> {llvm.noalias}, %x: memref<@K@xf64> {llvm.noalias},
    %y: memref<@N@xf64> {llvm.noalias}) {
  affine.for %i = 0 to @N@ {
    affine.for %k = 0 to @K@ {
      %a = affine.load %A[%i, %k] : memref<@N@x@K@xf64>
      %b = affine.load %x[%k] : memref<@K@xf64>
      %c = affine.load %y[%i] : memref<@N@xf64>
      %ab = arith.mulf %a, %b fastmath<contract> : f64
      %sum = arith.addf %c, %ab fastmath<contract> : f64
      affine.store %sum, %y[%i] : memref<@N@xf64>
    }
  }
  return
}
