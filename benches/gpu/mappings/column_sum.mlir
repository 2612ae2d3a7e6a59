// Sum of each column, in a register.
// parallel: i
// @N@ = 32768, small 256
// @K@ = 1024, small 12
func.func @column_sum(%A: memref<@K@x@N@xf32> {llvm.noalias}, %s: memref<@N@xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to @N@ {
    %total = affine.for %k = 0 to @K@ iter_args(%sum = %zero) -> (f32) {
      %a = affine.load %A[%k, %i] : memref<@K@x@N@xf32>
      %next = arith.addf %sum, %a : f32
      affine.yield %next : f32
    }
    affine.store %total, %s[%i] : memref<@N@xf32>
  }
  return
}
