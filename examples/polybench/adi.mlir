// T steps of the heat equation on a square by alternating directions: implicit along
// the columns, then along the rows.

func.func @adi_f64(
    %T: index {terrace.name = "T", terrace.init = "40"},
    %u: memref<?x?xf64> {terrace.name = "u", terrace.dims = ["N", "N"], terrace.init = "random:60x60:1"},
    %v: memref<?x?xf64> {terrace.name = "v", terrace.dims = ["N", "N"], terrace.init = "zeros:60x60"},
    %p: memref<?x?xf64> {terrace.name = "p", terrace.dims = ["N", "N"], terrace.init = "zeros:60x60"},
    %q: memref<?x?xf64> {terrace.name = "q", terrace.dims = ["N", "N"], terrace.init = "zeros:60x60"}
) attributes {terrace.flops = "30*T*(N-2)*(N-2) + 17"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %N = memref.dim %u, %c0 : memref<?x?xf64>
  %0 = arith.index_cast %N : index to i64
  %n = arith.sitofp %0 : i64 to f64
  %1 = arith.index_cast %T : index to i64
  %steps = arith.sitofp %1 : i64 to f64
  %dx = arith.divf %one, %n : f64
  %dy = arith.divf %one, %n : f64
  %dt = arith.divf %one, %steps : f64
  %2 = arith.mulf %two, %dt : f64
  %3 = arith.mulf %dx, %dx : f64
  %mul1 = arith.divf %2, %3 : f64
  %4 = arith.mulf %one, %dt : f64
  %5 = arith.mulf %dy, %dy : f64
  %mul2 = arith.divf %4, %5 : f64
  %6 = arith.negf %mul1 : f64
  %a = arith.divf %6, %two : f64
  %b = arith.addf %one, %mul1 : f64
  %7 = arith.negf %mul2 : f64
  %d = arith.divf %7, %two : f64
  %e = arith.addf %one, %mul2 : f64
  %minus_a = arith.negf %a : f64
  %minus_d = arith.negf %d : f64
  %8 = arith.mulf %two, %d : f64
  %mid_d = arith.addf %one, %8 : f64
  %9 = arith.mulf %two, %a : f64
  %mid_a = arith.addf %one, %9 : f64
  affine.for %t = 1 to affine_map<()[t] -> (t + 1)>()[%T] {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.store %one, %v[0, %i] : memref<?x?xf64>
      affine.store %zero, %p[%i, 0] : memref<?x?xf64>
      %v_0i = affine.load %v[0, %i] : memref<?x?xf64>
      affine.store %v_0i, %q[%i, 0] : memref<?x?xf64>
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        %p_i_jm1 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %10 = arith.mulf %a, %p_i_jm1 : f64
        %11 = arith.addf %10, %b : f64
        %12 = arith.divf %minus_a, %11 : f64
        affine.store %12, %p[%i, %j] : memref<?x?xf64>
        %u_j_im1 = affine.load %u[%j, %i - 1] : memref<?x?xf64>
        %13 = arith.mulf %minus_d, %u_j_im1 : f64
        %u_ji = affine.load %u[%j, %i] : memref<?x?xf64>
        %14 = arith.mulf %mid_d, %u_ji : f64
        %15 = arith.addf %13, %14 : f64
        %u_j_ip1 = affine.load %u[%j, %i + 1] : memref<?x?xf64>
        %16 = arith.mulf %d, %u_j_ip1 : f64
        %17 = arith.subf %15, %16 : f64
        %q_i_jm1 = affine.load %q[%i, %j - 1] : memref<?x?xf64>
        %18 = arith.mulf %a, %q_i_jm1 : f64
        %19 = arith.subf %17, %18 : f64
        %p_i_jm1_1 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %20 = arith.mulf %a, %p_i_jm1_1 : f64
        %21 = arith.addf %20, %b : f64
        %22 = arith.divf %19, %21 : f64
        affine.store %22, %q[%i, %j] : memref<?x?xf64>
      }
      affine.store %one, %v[%N - 1, %i] : memref<?x?xf64>
      // From the last but one to the first.
      affine.for %back = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        %j = affine.apply affine_map<(back)[n] -> (n - 1 - back)>(%back)[%N]
        %p_ij = affine.load %p[%i, %j] : memref<?x?xf64>
        %v_jp1_i = affine.load %v[%j + 1, %i] : memref<?x?xf64>
        %23 = arith.mulf %p_ij, %v_jp1_i : f64
        %q_ij = affine.load %q[%i, %j] : memref<?x?xf64>
        %24 = arith.addf %23, %q_ij : f64
        affine.store %24, %v[%j, %i] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.store %one, %u[%i, 0] : memref<?x?xf64>
      affine.store %zero, %p[%i, 0] : memref<?x?xf64>
      %u_i0 = affine.load %u[%i, 0] : memref<?x?xf64>
      affine.store %u_i0, %q[%i, 0] : memref<?x?xf64>
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        %p_i_jm1 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %25 = arith.mulf %d, %p_i_jm1 : f64
        %26 = arith.addf %25, %e : f64
        %27 = arith.divf %minus_d, %26 : f64
        affine.store %27, %p[%i, %j] : memref<?x?xf64>
        %v_im1_j = affine.load %v[%i - 1, %j] : memref<?x?xf64>
        %28 = arith.mulf %minus_a, %v_im1_j : f64
        %v_ij = affine.load %v[%i, %j] : memref<?x?xf64>
        %29 = arith.mulf %mid_a, %v_ij : f64
        %30 = arith.addf %28, %29 : f64
        %v_ip1_j = affine.load %v[%i + 1, %j] : memref<?x?xf64>
        %31 = arith.mulf %a, %v_ip1_j : f64
        %32 = arith.subf %30, %31 : f64
        %q_i_jm1 = affine.load %q[%i, %j - 1] : memref<?x?xf64>
        %33 = arith.mulf %d, %q_i_jm1 : f64
        %34 = arith.subf %32, %33 : f64
        %p_i_jm1_1 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %35 = arith.mulf %d, %p_i_jm1_1 : f64
        %36 = arith.addf %35, %e : f64
        %37 = arith.divf %34, %36 : f64
        affine.store %37, %q[%i, %j] : memref<?x?xf64>
      }
      affine.store %one, %u[%i, %N - 1] : memref<?x?xf64>
      affine.for %back = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        %j = affine.apply affine_map<(back)[n] -> (n - 1 - back)>(%back)[%N]
        %p_ij = affine.load %p[%i, %j] : memref<?x?xf64>
        %u_i_jp1 = affine.load %u[%i, %j + 1] : memref<?x?xf64>
        %38 = arith.mulf %p_ij, %u_i_jp1 : f64
        %q_ij = affine.load %q[%i, %j] : memref<?x?xf64>
        %39 = arith.addf %38, %q_ij : f64
        affine.store %39, %u[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
