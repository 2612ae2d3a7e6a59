// Two outer products added to a matrix.
// parallel: i j
// @N@ = 4096, small 64
func.func @rank_2(%u: memref<@N@xf64> {llvm.noalias}, %v: memref<@N@xf64> {llvm.noalias},
    %x: memref<@N@xf64> {llvm.noalias}, %y: memref<@N@xf64> {llvm.noalias},
    %A: memref<@N@x@N@xf64> {llvm.noalias}) {
  affine.for %i = 0 to @N@ {
    affine.for %j = 0 to @N@ {
      %u1 = affine.load %u[%i] : memref<@N@xf64>
      %v1 = affine.load %v[%j] : memref<@N@xf64>
      %x1 = affine.load %x[%i] : memref<@N@xf64>
      %y1 = affine.load %y[%j] : memref<@N@xf64>
      %a = affine.load %A[%i, %j] : memref<@N@x@N@xf64>
      %uv = arith.mulf %u1, %v1 fastmath<contract> : f64
      %xy = arith.mulf %x1, %y1 fastmath<contract> : f64
      %s = arith.addf %a, %uv fastmath<contract> : f64
      %r = arith.addf %s, %xy fastmath<contract> : f64
      affine.store %r, %A[%i, %j] : memref<@N@x@N@xf64>
    }
  }
  return
}
