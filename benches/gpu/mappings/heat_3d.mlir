// A step of the seven-point stencil.
// parallel: i j k
// @N@ = 258, small 18
// @N1@ = 257, small 17
func.func @heat_3d(%A: memref<@N@x@N@x@N@xf64> {llvm.noalias}, %B: memref<@N@x@N@x@N@xf64> {llvm.noalias}) {
  %two = arith.constant 2.0 : f64
  %eighth = arith.constant 0.125 : f64
  affine.for %i = 1 to @N1@ {
    affine.for %j = 1 to @N1@ {
      affine.for %k = 1 to @N1@ {
        %c = affine.load %A[%i, %j, %k] : memref<@N@x@N@x@N@xf64>
        %ip = affine.load %A[%i + 1, %j, %k] : memref<@N@x@N@x@N@xf64>
        %im = affine.load %A[%i - 1, %j, %k] : memref<@N@x@N@x@N@xf64>
        %jp = affine.load %A[%i, %j + 1, %k] : memref<@N@x@N@x@N@xf64>
        %jm = affine.load %A[%i, %j - 1, %k] : memref<@N@x@N@x@N@xf64>
        %kp = affine.load %A[%i, %j, %k + 1] : memref<@N@x@N@x@N@xf64>
        %km = affine.load %A[%i, %j, %k - 1] : memref<@N@x@N@x@N@xf64>
        %c2 = arith.mulf %two, %c : f64
        %i1 = arith.subf %ip, %c2 : f64
        %i2 = arith.addf %i1, %im : f64
        %i3 = arith.mulf %eighth, %i2 : f64
        %j1 = arith.subf %jp, %c2 : f64
        %j2 = arith.addf %j1, %jm : f64
        %j3 = arith.mulf %eighth, %j2 : f64
        %k1 = arith.subf %kp, %c2 : f64
        %k2 = arith.addf %k1, %km : f64
        %k3 = arith.mulf %eighth, %k2 : f64
        %s1 = arith.addf %i3, %j3 : f64
        %s2 = arith.addf %s1, %k3 : f64
        %r = arith.addf %s2, %c : f64
        affine.store %r, %B[%i, %j, %k] : memref<@N@x@N@x@N@xf64>
      }
    }
  }
  return
}
