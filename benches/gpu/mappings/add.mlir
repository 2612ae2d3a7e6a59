// Sum of two matrices.
// parallel: i j
// @N@ = 4096, small 64
func.func @add(%A: memref<@N@x@N@xf32> {llvm.noalias}, %B: memref<@N@x@N@xf32> {llvm.noalias},
    %C: memref<@N@x@N@xf32> {llvm.noalias}) {
  affine.for %i = 0 to @N@ {
    affine.for %j = 0 to @N@ {
      %a = affine.load %A[%i, %j] : memref<@N@x@N@xf32>
      %b = affine.load %B[%i, %j] : memref<@N@x@N@xf32>
      %c = arith.addf %a, %b : f32
      affine.store %c, %C[%i, %j] : memref<@N@x@N@xf32>
    }
  }
  return
}
