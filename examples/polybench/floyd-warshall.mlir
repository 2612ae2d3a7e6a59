// The lengths of the shortest paths between all pairs of N nodes, from the lengths
// of the edges, in place.

func.func @floyd_warshall_f64(
    %path: memref<?x?xf64> {terrace.name = "path", terrace.dims = ["N", "N"], terrace.init = "random:120x120:1"}
) attributes {terrace.flops = "2*N*N*N"} {
  %c0 = arith.constant 0 : index
  %N = memref.dim %path, %c0 : memref<?x?xf64>
  affine.for %k = 0 to %N {
    affine.for %i = 0 to %N {
      affine.for %j = 0 to %N {
        %path_ij = affine.load %path[%i, %j] : memref<?x?xf64>
        %path_ik = affine.load %path[%i, %k] : memref<?x?xf64>
        %path_kj = affine.load %path[%k, %j] : memref<?x?xf64>
        %0 = arith.addf %path_ik, %path_kj : f64
        %1 = arith.minimumf %path_ij, %0 : f64
        affine.store %1, %path[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
