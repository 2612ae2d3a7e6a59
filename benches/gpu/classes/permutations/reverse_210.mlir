// The axes of a 3-D array in the opposite order; f64.

func.func @reverse_210(
    %a: memref<?x?x?xf64> {terrace.name = "a", terrace.dims = ["l", "m", "n"], terrace.init = "random:5x17x23:1"},
    %b: memref<?x?x?xf64> {terrace.name = "b", terrace.dims = ["n", "m", "l"], terrace.init = "random:23x17x5:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %at2 = arith.constant 2 : index
  %l = memref.dim %a, %at0 : memref<?x?x?xf64>
  %m = memref.dim %a, %at1 : memref<?x?x?xf64>
  %n = memref.dim %a, %at2 : memref<?x?x?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %l {
        %x = affine.load %a[%k, %j, %i] : memref<?x?x?xf64>
        affine.store %x, %b[%i, %j, %k] : memref<?x?x?xf64>
      }
    }
  }
  return
}
