// Fifty steps of a five-point mean on a small grid, there and back.

func.func @jacobi_steps(
    %a: memref<?x?xf32> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:33x35:1"},
    %b: memref<?x?xf32> {terrace.name = "b", terrace.dims = ["m", "n"], terrace.init = "random:33x35:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf32>
  %n = memref.dim %a, %at1 : memref<?x?xf32>
  %c = arith.constant 0.2 : f32
  affine.for %t = 0 to 50 {
    affine.for %i = 1 to affine_map<()[m] -> (m - 1)>()[%m] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%n] {
        %x0 = affine.load %a[%i, %j] : memref<?x?xf32>
        %x1 = affine.load %a[%i - 1, %j] : memref<?x?xf32>
        %x2 = affine.load %a[%i + 1, %j] : memref<?x?xf32>
        %x3 = affine.load %a[%i, %j - 1] : memref<?x?xf32>
        %x4 = affine.load %a[%i, %j + 1] : memref<?x?xf32>
        %s1 = arith.addf %x0, %x1 : f32
        %s2 = arith.addf %s1, %x2 : f32
        %s3 = arith.addf %s2, %x3 : f32
        %s4 = arith.addf %s3, %x4 : f32
        %r = arith.mulf %c, %s4 : f32
        affine.store %r, %b[%i, %j] : memref<?x?xf32>
      }
    }
    affine.for %i = 1 to affine_map<()[m] -> (m - 1)>()[%m] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%n] {
        %x0 = affine.load %b[%i, %j] : memref<?x?xf32>
        %x1 = affine.load %b[%i - 1, %j] : memref<?x?xf32>
        %x2 = affine.load %b[%i + 1, %j] : memref<?x?xf32>
        %x3 = affine.load %b[%i, %j - 1] : memref<?x?xf32>
        %x4 = affine.load %b[%i, %j + 1] : memref<?x?xf32>
        %s1 = arith.addf %x0, %x1 : f32
        %s2 = arith.addf %s1, %x2 : f32
        %s3 = arith.addf %s2, %x3 : f32
        %s4 = arith.addf %s3, %x4 : f32
        %r = arith.mulf %c, %s4 : f32
        affine.store %r, %a[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
