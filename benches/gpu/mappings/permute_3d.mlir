// Copy of an array, its first two dimensions exchanged.
// parallel: i j k
// @N@ = 320, small 16
func.func @permute_3d(%A: memref<@N@x@N@x@N@xf32> {llvm.noalias}, %B: memref<@N@x@N@x@N@xf32> {llvm.noalias}) {
  affine.for %i = 0 to @N@ {
    affine.for %j = 0 to @N@ {
      affine.for %k = 0 to @N@ {
        %a = affine.load %A[%i, %j, %k] : memref<@N@x@N@x@N@xf32>
        affine.store %a, %B[%j, %i, %k] : memref<@N@x@N@x@N@xf32>
      }
    }
  }
  return
}
