// T steps of Maxwell's equations in two dimensions on a staggered grid; fict drives
// the border.

func.func @fdtd_2d_f64(
    %ex: memref<?x?xf64> {terrace.name = "ex", terrace.dims = ["NX", "NY"], terrace.init = "random:100x110:1"},
    %ey: memref<?x?xf64> {terrace.name = "ey", terrace.dims = ["NX", "NY"], terrace.init = "random:100x110:2"},
    %hz: memref<?x?xf64> {terrace.name = "hz", terrace.dims = ["NX", "NY"], terrace.init = "random:100x110:3"},
    %fict: memref<?xf64> {terrace.name = "fict", terrace.dims = ["T"], terrace.init = "random:50:4"}
) attributes {terrace.flops = "T*(3*(NX-1)*NY + 3*NX*(NY-1) + 5*(NX-1)*(NY-1))"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f64
  %seven_tenths = arith.constant 0.7 : f64
  %NX = memref.dim %ex, %c0 : memref<?x?xf64>
  %NY = memref.dim %ex, %c1 : memref<?x?xf64>
  %T = memref.dim %fict, %c0 : memref<?xf64>
  affine.for %t = 0 to %T {
    affine.for %j = 0 to %NY {
      %fict_t = affine.load %fict[%t] : memref<?xf64>
      affine.store %fict_t, %ey[0, %j] : memref<?x?xf64>
    }
    affine.for %i = 1 to %NX {
      affine.for %j = 0 to %NY {
        %ey_ij = affine.load %ey[%i, %j] : memref<?x?xf64>
        %hz_ij = affine.load %hz[%i, %j] : memref<?x?xf64>
        %hz_im1_j = affine.load %hz[%i - 1, %j] : memref<?x?xf64>
        %0 = arith.subf %hz_ij, %hz_im1_j : f64
        %1 = arith.mulf %half, %0 : f64
        %2 = arith.subf %ey_ij, %1 : f64
        affine.store %2, %ey[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 0 to %NX {
      affine.for %j = 1 to %NY {
        %ex_ij = affine.load %ex[%i, %j] : memref<?x?xf64>
        %hz_ij = affine.load %hz[%i, %j] : memref<?x?xf64>
        %hz_i_jm1 = affine.load %hz[%i, %j - 1] : memref<?x?xf64>
        %3 = arith.subf %hz_ij, %hz_i_jm1 : f64
        %4 = arith.mulf %half, %3 : f64
        %5 = arith.subf %ex_ij, %4 : f64
        affine.store %5, %ex[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 0 to affine_map<()[nx] -> (nx - 1)>()[%NX] {
      affine.for %j = 0 to affine_map<()[ny] -> (ny - 1)>()[%NY] {
        %hz_ij = affine.load %hz[%i, %j] : memref<?x?xf64>
        %ex_i_jp1 = affine.load %ex[%i, %j + 1] : memref<?x?xf64>
        %ex_ij = affine.load %ex[%i, %j] : memref<?x?xf64>
        %6 = arith.subf %ex_i_jp1, %ex_ij : f64
        %ey_ip1_j = affine.load %ey[%i + 1, %j] : memref<?x?xf64>
        %7 = arith.addf %6, %ey_ip1_j : f64
        %ey_ij = affine.load %ey[%i, %j] : memref<?x?xf64>
        %8 = arith.subf %7, %ey_ij : f64
        %9 = arith.mulf %seven_tenths, %8 : f64
        %10 = arith.subf %hz_ij, %9 : f64
        affine.store %10, %hz[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
