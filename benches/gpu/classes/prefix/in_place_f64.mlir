// Sums up to each element in the array itself, as written with the element before.

func.func @in_place_f64(
    %a: memref<?xf64> {terrace.name = "a", terrace.dims = ["n"], terrace.init = "random:5003:1"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %a, %at0 : memref<?xf64>
  affine.for %i = 1 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    %y = affine.load %a[%i - 1] : memref<?xf64>
    %t = arith.addf %x, %y : f64
    affine.store %t, %a[%i] : memref<?xf64>
  }
  return
}
