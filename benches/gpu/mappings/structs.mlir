// Structures of four numbers in an array, read one member at a time.
// parallel: i
// @N@ = 8388608, small 1024
func.func @structs(%P: memref<@N@x4xf32> {llvm.noalias}, %r: memref<@N@xf32> {llvm.noalias}) {
  affine.for %i = 0 to @N@ {
    %x = affine.load %P[%i, 0] : memref<@N@x4xf32>
    %y = affine.load %P[%i, 1] : memref<@N@x4xf32>
    %w = affine.load %P[%i, 3] : memref<@N@x4xf32>
    %xx = arith.mulf %x, %x : f32
    %yy = arith.mulf %y, %y : f32
    %s = arith.addf %xx, %yy : f32
    %m = arith.mulf %s, %w : f32
    affine.store %m, %r[%i] : memref<@N@xf32>
  }
  return
}
