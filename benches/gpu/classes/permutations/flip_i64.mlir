// A matrix turned by half a turn; 64-bit integers.

func.func @flip_i64(
    %a: memref<?x?xi64> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:37x53:1"},
    %b: memref<?x?xi64> {terrace.name = "b", terrace.dims = ["m", "n"], terrace.init = "random:37x53:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xi64>
  %n = memref.dim %a, %at1 : memref<?x?xi64>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %a[%m - 1 - %i, %n - 1 - %j] : memref<?x?xi64>
      affine.store %v, %b[%i, %j] : memref<?x?xi64>
    }
  }
  return
}
