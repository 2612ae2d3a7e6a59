// Sums along the middle axis of a 3-D array.

func.func @middle_axis(
    %a: memref<?x?x?xf32> {terrace.name = "a", terrace.dims = ["l", "m", "n"], terrace.init = "random:7x31x23:1"},
    %s: memref<?x?xf32> {terrace.name = "s", terrace.dims = ["l", "n"], terrace.init = "random:7x23:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %at2 = arith.constant 2 : index
  %l = memref.dim %a, %at0 : memref<?x?x?xf32>
  %m = memref.dim %a, %at1 : memref<?x?x?xf32>
  %n = memref.dim %a, %at2 : memref<?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %l {
    affine.for %k = 0 to %n {
      %sum = affine.for %j = 0 to %m iter_args(%t = %zero) -> (f32) {
        %x = affine.load %a[%i, %j, %k] : memref<?x?x?xf32>
        %q = arith.addf %t, %x : f32
        affine.yield %q : f32
      }
      affine.store %sum, %s[%i, %k] : memref<?x?xf32>
    }
  }
  return
}
