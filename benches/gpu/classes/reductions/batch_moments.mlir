// Sums and sums of squares of each channel over all pictures and their pixels, as for batch norm.

func.func @batch_moments(
    %x: memref<?x?x?x?xf32> {terrace.name = "x", terrace.dims = ["b", "c", "h", "w"], terrace.init = "random:3x5x9x11:1"},
    %s: memref<?xf32> {terrace.name = "s", terrace.dims = ["c"], terrace.init = "random:5:2"},
    %q: memref<?xf32> {terrace.name = "q", terrace.dims = ["c"], terrace.init = "random:5:3"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %at2 = arith.constant 2 : index
  %at3 = arith.constant 3 : index
  %b = memref.dim %x, %at0 : memref<?x?x?x?xf32>
  %c = memref.dim %x, %at1 : memref<?x?x?x?xf32>
  %h = memref.dim %x, %at2 : memref<?x?x?x?xf32>
  %w = memref.dim %x, %at3 : memref<?x?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  affine.for %k = 0 to %c {
    %r:2 = affine.for %p = 0 to %b iter_args(%s0 = %zero, %q0 = %zero) -> (f32, f32) {
      %r1:2 = affine.for %i = 0 to %h iter_args(%s1 = %s0, %q1 = %q0) -> (f32, f32) {
        %r2:2 = affine.for %j = 0 to %w iter_args(%s2 = %s1, %q2 = %q1) -> (f32, f32) {
          %v = affine.load %x[%p, %k, %i, %j] : memref<?x?x?x?xf32>
          %v2 = arith.mulf %v, %v : f32
          %s3 = arith.addf %s2, %v : f32
          %q3 = arith.addf %q2, %v2 : f32
          affine.yield %s3, %q3 : f32, f32
        }
        affine.yield %r2#0, %r2#1 : f32, f32
      }
      affine.yield %r1#0, %r1#1 : f32, f32
    }
    affine.store %r#0, %s[%k] : memref<?xf32>
    affine.store %r#1, %q[%k] : memref<?xf32>
  }
  return
}
