// Layer norm of each row, with a scale and a shift for each column.

func.func @layer_norm(
    %a: memref<?x?xf32> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:13x130:1"},
    %gamma: memref<?xf32> {terrace.name = "gamma", terrace.dims = ["n"], terrace.init = "random:130:2"},
    %beta: memref<?xf32> {terrace.name = "beta", terrace.dims = ["n"], terrace.init = "random:130:3"},
    %b: memref<?x?xf32> {terrace.name = "b", terrace.dims = ["m", "n"], terrace.init = "random:13x130:4"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf32>
  %n = memref.dim %a, %at1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %least = arith.constant 1.0e-5 : f32
  %columns = arith.index_cast %n : index to i32
  %count = arith.sitofp %columns : i32 to f32
  affine.for %i = 0 to %m {
    %sum = affine.for %j = 0 to %n iter_args(%t = %zero) -> (f32) {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %q = arith.addf %t, %x : f32
      affine.yield %q : f32
    }
    %mean = arith.divf %sum, %count : f32
    %square = affine.for %j = 0 to %n iter_args(%t = %zero) -> (f32) {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %d = arith.subf %x, %mean : f32
      %p = arith.mulf %d, %d : f32
      %q = arith.addf %t, %p : f32
      affine.yield %q : f32
    }
    %v = arith.divf %square, %count : f32
    %w = arith.addf %v, %least : f32
    %root = math.sqrt %w : f32
    %scale = arith.divf %one, %root : f32
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %g = affine.load %gamma[%j] : memref<?xf32>
      %s = affine.load %beta[%j] : memref<?xf32>
      %d = arith.subf %x, %mean : f32
      %y = arith.mulf %d, %scale : f32
      %z = arith.mulf %y, %g : f32
      %r = arith.addf %z, %s : f32
      affine.store %r, %b[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
