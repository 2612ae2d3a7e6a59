// Convolution with a window of five by five.
// parallel: i j
// @N@ = 4096, small 64
// @P@ = 4100, small 68
func.func @conv_5x5(%A: memref<@P@x@P@xf32> {llvm.noalias}, %W: memref<5x5xf32> {llvm.noalias},
    %B: memref<@N@x@N@xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to @N@ {
    affine.for %j = 0 to @N@ {
      %s = affine.for %p = 0 to 5 iter_args(%outer = %zero) -> (f32) {
        %t = affine.for %q = 0 to 5 iter_args(%sum = %outer) -> (f32) {
          %a = affine.load %A[%i + %p, %j + %q] : memref<@P@x@P@xf32>
          %w = affine.load %W[%p, %q] : memref<5x5xf32>
          %aw = arith.mulf %a, %w fastmath<contract> : f32
          %next = arith.addf %sum, %aw fastmath<contract> : f32
          affine.yield %next : f32
        }
        affine.yield %t : f32
      }
      affine.store %s, %B[%i, %j] : memref<@N@x@N@xf32>
    }
  }
  return
}
