// Copy of a matrix.
// parallel: i j
// @N@ = 4096, small 64
func.func @copy(%A: memref<@N@x@N@xf64> {llvm.noalias}, %B: memref<@N@x@N@xf64> {llvm.noalias}) {
  affine.for %i = 0 to @N@ {
    affine.for %j = 0 to @N@ {
      %a = affine.load %A[%i, %j] : memref<@N@x@N@xf64>
      affine.store %a, %B[%i, %j] : memref<@N@x@N@xf64>
    }
  }
  return
}
