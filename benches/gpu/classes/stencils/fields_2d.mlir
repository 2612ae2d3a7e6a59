// Three fields of electromagnetism, in place: two from one, then that from the two; f64.

func.func @fields_2d(
    %hx: memref<?x?xf64> {terrace.name = "hx", terrace.dims = ["m", "n"], terrace.init = "random:67x75:1"},
    %hy: memref<?x?xf64> {terrace.name = "hy", terrace.dims = ["m", "n"], terrace.init = "random:67x75:2"},
    %ez: memref<?x?xf64> {terrace.name = "ez", terrace.dims = ["m", "n"], terrace.init = "random:67x75:3"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %hx, %at0 : memref<?x?xf64>
  %n = memref.dim %hx, %at1 : memref<?x?xf64>
  %c = arith.constant 0.5 : f64
  %d = arith.constant 0.7 : f64
  affine.for %i = 0 to %m {
    affine.for %j = 0 to affine_map<()[n] -> (n - 1)>()[%n] {
      %h = affine.load %hx[%i, %j] : memref<?x?xf64>
      %x = affine.load %ez[%i, %j + 1] : memref<?x?xf64>
      %y = affine.load %ez[%i, %j] : memref<?x?xf64>
      %s = arith.subf %x, %y : f64
      %t = arith.mulf %c, %s : f64
      %r = arith.subf %h, %t : f64
      affine.store %r, %hx[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to affine_map<()[m] -> (m - 1)>()[%m] {
    affine.for %j = 0 to %n {
      %h = affine.load %hy[%i, %j] : memref<?x?xf64>
      %x = affine.load %ez[%i + 1, %j] : memref<?x?xf64>
      %y = affine.load %ez[%i, %j] : memref<?x?xf64>
      %s = arith.subf %x, %y : f64
      %t = arith.mulf %c, %s : f64
      %r = arith.addf %h, %t : f64
      affine.store %r, %hy[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 1 to %m {
    affine.for %j = 1 to %n {
      %e = affine.load %ez[%i, %j] : memref<?x?xf64>
      %p = affine.load %hy[%i, %j] : memref<?x?xf64>
      %q = affine.load %hy[%i - 1, %j] : memref<?x?xf64>
      %u = affine.load %hx[%i, %j] : memref<?x?xf64>
      %v = affine.load %hx[%i, %j - 1] : memref<?x?xf64>
      %s1 = arith.subf %p, %q : f64
      %s2 = arith.subf %s1, %u : f64
      %s3 = arith.addf %s2, %v : f64
      %t = arith.mulf %d, %s3 : f64
      %r = arith.addf %e, %t : f64
      affine.store %r, %ez[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
