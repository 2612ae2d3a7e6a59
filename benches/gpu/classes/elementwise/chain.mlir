// Four loops, each of which uses what those before it made; all results are kept.

func.func @chain(
    %a: memref<?xf32> {terrace.name = "a", terrace.dims = ["n"], terrace.init = "random:5003:1"},
    %b: memref<?xf32> {terrace.name = "b", terrace.dims = ["n"], terrace.init = "random:5003:2"},
    %c: memref<?xf32> {terrace.name = "c", terrace.dims = ["n"], terrace.init = "random:5003:3"},
    %d: memref<?xf32> {terrace.name = "d", terrace.dims = ["n"], terrace.init = "random:5003:4"},
    %e: memref<?xf32> {terrace.name = "e", terrace.dims = ["n"], terrace.init = "random:5003:5"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %a, %at0 : memref<?xf32>
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    %y = arith.mulf %two, %x : f32
    %z = arith.addf %y, %one : f32
    affine.store %z, %b[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %b[%i] : memref<?xf32>
    %z = arith.mulf %x, %x : f32
    affine.store %z, %c[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %c[%i] : memref<?xf32>
    %y = affine.load %a[%i] : memref<?xf32>
    %z = arith.subf %x, %y : f32
    affine.store %z, %d[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %d[%i] : memref<?xf32>
    %y = affine.load %c[%i] : memref<?xf32>
    %z = arith.addf %y, %one : f32
    %w = arith.divf %x, %z : f32
    affine.store %w, %e[%i] : memref<?xf32>
  }
  return
}
