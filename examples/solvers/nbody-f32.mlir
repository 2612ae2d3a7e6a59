// T steps of N bodies that attract each other, all pairs, with softened gravity: speeds
// from all positions, then positions from speeds. x and v have a row for each coordinate.
// In f32.

func.func @nbody_f32(
    %T: index {terrace.name = "T", terrace.init = "5"},
    %dt: f32 {terrace.name = "dt", terrace.init = "0.01"},
    %eps: f32 {terrace.name = "eps", terrace.init = "0.0001"},
    %m: memref<?xf32> {terrace.name = "m", terrace.dims = ["N"], terrace.init = "random:256:1"},
    %x: memref<3x?xf32> {terrace.name = "x", terrace.dims = ["3", "N"], terrace.init = "random:3x256:2"},
    %v: memref<3x?xf32> {terrace.name = "v", terrace.dims = ["3", "N"], terrace.init = "zeros:3x256"}
) attributes {terrace.flops = "T*(18*N*N + 12*N)"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %N = memref.dim %m, %c0 : memref<?xf32>
  affine.for %t = 0 to %T {
    affine.for %i = 0 to %N {
      %x_i = affine.load %x[0, %i] : memref<3x?xf32>
      %y_i = affine.load %x[1, %i] : memref<3x?xf32>
      %z_i = affine.load %x[2, %i] : memref<3x?xf32>
      %a:3 = affine.for %j = 0 to %N iter_args(%ax = %zero, %ay = %zero, %az = %zero) -> (f32, f32, f32) {
        %x_j = affine.load %x[0, %j] : memref<3x?xf32>
        %y_j = affine.load %x[1, %j] : memref<3x?xf32>
        %z_j = affine.load %x[2, %j] : memref<3x?xf32>
        %dx = arith.subf %x_j, %x_i : f32
        %dy = arith.subf %y_j, %y_i : f32
        %dz = arith.subf %z_j, %z_i : f32
        %dx2 = arith.mulf %dx, %dx : f32
        %dy2 = arith.mulf %dy, %dy : f32
        %dz2 = arith.mulf %dz, %dz : f32
        %0 = arith.addf %eps, %dx2 : f32
        %1 = arith.addf %0, %dy2 : f32
        %d2 = arith.addf %1, %dz2 : f32
        %d = math.sqrt %d2 : f32
        %d3 = arith.mulf %d2, %d : f32
        %m_j = affine.load %m[%j] : memref<?xf32>
        %f = arith.divf %m_j, %d3 : f32
        %fx = arith.mulf %f, %dx : f32
        %fy = arith.mulf %f, %dy : f32
        %fz = arith.mulf %f, %dz : f32
        %ax1 = arith.addf %ax, %fx : f32
        %ay1 = arith.addf %ay, %fy : f32
        %az1 = arith.addf %az, %fz : f32
        affine.yield %ax1, %ay1, %az1 : f32, f32, f32
      }
      %vx = affine.load %v[0, %i] : memref<3x?xf32>
      %vy = affine.load %v[1, %i] : memref<3x?xf32>
      %vz = affine.load %v[2, %i] : memref<3x?xf32>
      %dvx = arith.mulf %dt, %a#0 : f32
      %dvy = arith.mulf %dt, %a#1 : f32
      %dvz = arith.mulf %dt, %a#2 : f32
      %vx1 = arith.addf %vx, %dvx : f32
      %vy1 = arith.addf %vy, %dvy : f32
      %vz1 = arith.addf %vz, %dvz : f32
      affine.store %vx1, %v[0, %i] : memref<3x?xf32>
      affine.store %vy1, %v[1, %i] : memref<3x?xf32>
      affine.store %vz1, %v[2, %i] : memref<3x?xf32>
    }
    affine.for %c = 0 to 3 {
      affine.for %i = 0 to %N {
        %x_ci = affine.load %x[%c, %i] : memref<3x?xf32>
        %v_ci = affine.load %v[%c, %i] : memref<3x?xf32>
        %0 = arith.mulf %dt, %v_ci : f32
        %1 = arith.addf %x_ci, %0 : f32
        affine.store %1, %x[%c, %i] : memref<3x?xf32>
      }
    }
  }
  return
}
