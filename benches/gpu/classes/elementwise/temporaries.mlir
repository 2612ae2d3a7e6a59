// Smoothed difference of two signals by way of two temporary arrays, which nobody sees afterwards.

func.func @temporaries(
    %a: memref<?xf32> {terrace.name = "a", terrace.dims = ["n"], terrace.init = "random:5003:1"},
    %b: memref<?xf32> {terrace.name = "b", terrace.dims = ["n"], terrace.init = "random:5003:2"},
    %y: memref<?xf32> {terrace.name = "y", terrace.dims = ["n"], terrace.init = "random:5003:3"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %a, %at0 : memref<?xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  %u = memref.alloc(%n) : memref<?xf32>
  %c = arith.constant 0.01 : f32
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    %z = affine.load %b[%i] : memref<?xf32>
    %d = arith.subf %x, %z : f32
    affine.store %d, %t[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %d = affine.load %t[%i] : memref<?xf32>
    %q = arith.mulf %d, %d : f32
    %r = arith.addf %q, %c : f32
    affine.store %r, %u[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %d = affine.load %t[%i] : memref<?xf32>
    %q = affine.load %u[%i] : memref<?xf32>
    %r = math.sqrt %q : f32
    %s = arith.divf %d, %r : f32
    affine.store %s, %y[%i] : memref<?xf32>
  }
  memref.dealloc %t : memref<?xf32>
  memref.dealloc %u : memref<?xf32>
  return
}
