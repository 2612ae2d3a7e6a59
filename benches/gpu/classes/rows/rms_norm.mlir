// Each row divided by the root of the mean of its squares.

func.func @rms_norm(
    %a: memref<?x?xf32> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:13x130:1"},
    %w: memref<?xf32> {terrace.name = "w", terrace.dims = ["n"], terrace.init = "random:130:2"},
    %b: memref<?x?xf32> {terrace.name = "b", terrace.dims = ["m", "n"], terrace.init = "random:13x130:3"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf32>
  %n = memref.dim %a, %at1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %least = arith.constant 1.0e-6 : f32
  %columns = arith.index_cast %n : index to i32
  %count = arith.sitofp %columns : i32 to f32
  affine.for %i = 0 to %m {
    %square = affine.for %j = 0 to %n iter_args(%t = %zero) -> (f32) {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %p = arith.mulf %x, %x : f32
      %q = arith.addf %t, %p : f32
      affine.yield %q : f32
    }
    %v = arith.divf %square, %count : f32
    %u = arith.addf %v, %least : f32
    %root = math.sqrt %u : f32
    %scale = arith.divf %one, %root : f32
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %g = affine.load %w[%j] : memref<?xf32>
      %y = arith.mulf %x, %scale : f32
      %z = arith.mulf %y, %g : f32
      affine.store %z, %b[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
