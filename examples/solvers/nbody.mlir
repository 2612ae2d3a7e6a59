// T steps of N bodies that attract each other, all pairs, with softened gravity: speeds
// from all positions, then positions from speeds. x and v have a row for each coordinate.

func.func @nbody_f64(
    %T: index {terrace.name = "T", terrace.init = "5"},
    %dt: f64 {terrace.name = "dt", terrace.init = "0.01"},
    %eps: f64 {terrace.name = "eps", terrace.init = "0.0001"},
    %m: memref<?xf64> {terrace.name = "m", terrace.dims = ["N"], terrace.init = "random:256:1"},
    %x: memref<3x?xf64> {terrace.name = "x", terrace.dims = ["3", "N"], terrace.init = "random:3x256:2"},
    %v: memref<3x?xf64> {terrace.name = "v", terrace.dims = ["3", "N"], terrace.init = "zeros:3x256"}
) attributes {terrace.flops = "T*(18*N*N + 12*N)"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %N = memref.dim %m, %c0 : memref<?xf64>
  affine.for %t = 0 to %T {
    affine.for %i = 0 to %N {
      %x_i = affine.load %x[0, %i] : memref<3x?xf64>
      %y_i = affine.load %x[1, %i] : memref<3x?xf64>
      %z_i = affine.load %x[2, %i] : memref<3x?xf64>
      %a:3 = affine.for %j = 0 to %N iter_args(%ax = %zero, %ay = %zero, %az = %zero) -> (f64, f64, f64) {
        %x_j = affine.load %x[0, %j] : memref<3x?xf64>
        %y_j = affine.load %x[1, %j] : memref<3x?xf64>
        %z_j = affine.load %x[2, %j] : memref<3x?xf64>
        %dx = arith.subf %x_j, %x_i : f64
        %dy = arith.subf %y_j, %y_i : f64
        %dz = arith.subf %z_j, %z_i : f64
        %dx2 = arith.mulf %dx, %dx : f64
        %dy2 = arith.mulf %dy, %dy : f64
        %dz2 = arith.mulf %dz, %dz : f64
        %0 = arith.addf %eps, %dx2 : f64
        %1 = arith.addf %0, %dy2 : f64
        %d2 = arith.addf %1, %dz2 : f64
        %d = math.sqrt %d2 : f64
        %d3 = arith.mulf %d2, %d : f64
        %m_j = affine.load %m[%j] : memref<?xf64>
        %f = arith.divf %m_j, %d3 : f64
        %fx = arith.mulf %f, %dx : f64
        %fy = arith.mulf %f, %dy : f64
        %fz = arith.mulf %f, %dz : f64
        %ax1 = arith.addf %ax, %fx : f64
        %ay1 = arith.addf %ay, %fy : f64
        %az1 = arith.addf %az, %fz : f64
        affine.yield %ax1, %ay1, %az1 : f64, f64, f64
      }
      %vx = affine.load %v[0, %i] : memref<3x?xf64>
      %vy = affine.load %v[1, %i] : memref<3x?xf64>
      %vz = affine.load %v[2, %i] : memref<3x?xf64>
      %dvx = arith.mulf %dt, %a#0 : f64
      %dvy = arith.mulf %dt, %a#1 : f64
      %dvz = arith.mulf %dt, %a#2 : f64
      %vx1 = arith.addf %vx, %dvx : f64
      %vy1 = arith.addf %vy, %dvy : f64
      %vz1 = arith.addf %vz, %dvz : f64
      affine.store %vx1, %v[0, %i] : memref<3x?xf64>
      affine.store %vy1, %v[1, %i] : memref<3x?xf64>
      affine.store %vz1, %v[2, %i] : memref<3x?xf64>
    }
    affine.for %c = 0 to 3 {
      affine.for %i = 0 to %N {
        %x_ci = affine.load %x[%c, %i] : memref<3x?xf64>
        %v_ci = affine.load %v[%c, %i] : memref<3x?xf64>
        %0 = arith.mulf %dt, %v_ci : f64
        %1 = arith.addf %x_ci, %0 : f64
        affine.store %1, %x[%c, %i] : memref<3x?xf64>
      }
    }
  }
  return
}
