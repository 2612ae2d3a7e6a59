// Copy of an array, its dimensions the other way round.
// parallel: i j k
// @N@ = 320, small 16
func.func @transpose_3d(%A: memref<@N@x@N@x@N@xf32> {llvm.noalias}, %B: memref<@N@x@N@x@N@xf32> {llvm.noalias}) {
  affine.for %i = 0 to @N@ {
    affine.for %j = 0 to @N@ {
      affine.for %k = 0 to @N@ {
        %a = affine.load %A[%i, %j, %k] : memref<@N@x@N@x@N@xf32>
        affine.store %a, %B[%k, %j, %i] : memref<@N@x@N@x@N@xf32>
      }
    }
  }
  return
}
