// Outer product of two vectors.
// parallel: i j
// @N@ = 4096, small 64
func.func @outer(%x: memref<@N@xf64> {llvm.noalias}, %y: memref<@N@xf64> {llvm.noalias},
    %A: memref<@N@x@N@xf64> {llvm.noalias}) {
  affine.for %i = 0 to @N@ {
    affine.for %j = 0 to @N@ {
      %a = affine.load %x[%i] : memref<@N@xf64>
      %b = affine.load %y[%j] : memref<@N@xf64>
      %ab = arith.mulf %a, %b : f64
      affine.store %ab, %A[%i, %j] : memref<@N@x@N@xf64>
    }
  }
  return
}
