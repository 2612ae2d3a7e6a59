// Softmax of each row.

func.func @softmax(
    %a: memref<?x?xf32> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:13x130:1"},
    %b: memref<?x?xf32> {terrace.name = "b", terrace.dims = ["m", "n"], terrace.init = "random:13x130:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf32>
  %n = memref.dim %a, %at1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %m {
    %first = affine.load %a[%i, 0] : memref<?x?xf32>
    %top = affine.for %j = 1 to %n iter_args(%t = %first) -> (f32) {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %q = arith.maxnumf %t, %x : f32
      affine.yield %q : f32
    }
    %sum = affine.for %j = 0 to %n iter_args(%t = %zero) -> (f32) {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %d = arith.subf %x, %top : f32
      %e = math.exp %d : f32
      affine.store %e, %b[%i, %j] : memref<?x?xf32>
      %q = arith.addf %t, %e : f32
      affine.yield %q : f32
    }
    affine.for %j = 0 to %n {
      %e = affine.load %b[%i, %j] : memref<?x?xf32>
      %d = arith.divf %e, %sum : f32
      affine.store %d, %b[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
