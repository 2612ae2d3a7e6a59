// All 25 points of radius 2 in two dimensions, with weights from an array.

func.func @box_r2_2d(
    %w: memref<5x5xf32> {terrace.name = "w", terrace.dims = ["5", "5"], terrace.init = "random:5x5:1"},
    %a: memref<?x?xf32> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:67x75:2"},
    %b: memref<?x?xf32> {terrace.name = "b", terrace.dims = ["m", "n"], terrace.init = "random:67x75:3"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf32>
  %n = memref.dim %a, %at1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  affine.for %i = 2 to affine_map<()[m] -> (m - 2)>()[%m] {
    affine.for %j = 2 to affine_map<()[n] -> (n - 2)>()[%n] {
      %s = affine.for %p = 0 to 5 iter_args(%t = %zero) -> (f32) {
        %r = affine.for %q = 0 to 5 iter_args(%u = %t) -> (f32) {
          %x = affine.load %w[%p, %q] : memref<5x5xf32>
          %y = affine.load %a[%i + %p - 2, %j + %q - 2] : memref<?x?xf32>
          %z = arith.mulf %x, %y : f32
          %v = arith.addf %u, %z : f32
          affine.yield %v : f32
        }
        affine.yield %r : f32
      }
      affine.store %s, %b[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
