// T times: B is the mean of each point of A and its four neighbours, then A of B.
// In f32.

func.func @jacobi_2d_f32(
    %T: index {terrace.name = "T", terrace.init = "20"},
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "random:1000x1000:1"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["N", "N"], terrace.init = "random:1000x1000:2"}
) attributes {terrace.flops = "10*T*(N-2)*(N-2)"} {
  %c0 = arith.constant 0 : index
  %fifth = arith.constant 0.2 : f32
  %N = memref.dim %A, %c0 : memref<?x?xf32>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        %mid = affine.load %A[%i, %j] : memref<?x?xf32>
        %west = affine.load %A[%i, %j - 1] : memref<?x?xf32>
        %east = affine.load %A[%i, %j + 1] : memref<?x?xf32>
        %south = affine.load %A[%i + 1, %j] : memref<?x?xf32>
        %north = affine.load %A[%i - 1, %j] : memref<?x?xf32>
        %s0 = arith.addf %mid, %west : f32
        %s1 = arith.addf %s0, %east : f32
        %s2 = arith.addf %s1, %south : f32
        %s3 = arith.addf %s2, %north : f32
        %mean = arith.mulf %fifth, %s3 : f32
        affine.store %mean, %B[%i, %j] : memref<?x?xf32>
      }
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        %mid = affine.load %B[%i, %j] : memref<?x?xf32>
        %west = affine.load %B[%i, %j - 1] : memref<?x?xf32>
        %east = affine.load %B[%i, %j + 1] : memref<?x?xf32>
        %south = affine.load %B[%i + 1, %j] : memref<?x?xf32>
        %north = affine.load %B[%i - 1, %j] : memref<?x?xf32>
        %s0 = arith.addf %mid, %west : f32
        %s1 = arith.addf %s0, %east : f32
        %s2 = arith.addf %s1, %south : f32
        %s3 = arith.addf %s2, %north : f32
        %mean = arith.mulf %fifth, %s3 : f32
        affine.store %mean, %A[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
