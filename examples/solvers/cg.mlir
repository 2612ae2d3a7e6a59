// T steps of conjugate gradients for A x = b, where A is the five-point Laplacian on a
// square grid and x is zero on its edge. Sums go row by row: the rows of a grid first, each
// in its order, then the sums of the rows. res[0] is the square of the residual's norm.

func.func @cg_f64(
    %T: index {terrace.name = "T", terrace.init = "10"},
    %b: memref<?x?xf64> {terrace.name = "b", terrace.dims = ["N", "N"], terrace.init = "random:66x66:1"},
    %x: memref<?x?xf64> {terrace.name = "x", terrace.dims = ["N", "N"], terrace.init = "zeros:66x66"},
    %res: memref<1xf64> {terrace.name = "res", terrace.dims = ["1"], terrace.init = "zeros:1"}
) attributes {terrace.flops = "8*(N-2)*(N-2) + N-2 + T*(15*(N-2)*(N-2) + 2*(N-2) + 2)"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %four = arith.constant 4.0 : f64
  %N = memref.dim %x, %c0 : memref<?x?xf64>
  %r = memref.alloc(%N, %N) : memref<?x?xf64>
  %p = memref.alloc(%N, %N) : memref<?x?xf64>
  %q = memref.alloc(%N, %N) : memref<?x?xf64>
  %row = memref.alloc(%N) : memref<?xf64>
  %rho = memref.alloca() : memref<f64>
  %alpha = memref.alloca() : memref<f64>
  %beta = memref.alloca() : memref<f64>

  // r = b - A x, p = r, zero on the edge.
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %N {
      affine.store %zero, %r[%i, %j] : memref<?x?xf64>
      affine.store %zero, %p[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
    affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      %here = affine.load %x[%i, %j] : memref<?x?xf64>
      %up = affine.load %x[%i - 1, %j] : memref<?x?xf64>
      %down = affine.load %x[%i + 1, %j] : memref<?x?xf64>
      %left = affine.load %x[%i, %j - 1] : memref<?x?xf64>
      %right = affine.load %x[%i, %j + 1] : memref<?x?xf64>
      %0 = arith.mulf %four, %here : f64
      %1 = arith.subf %0, %up : f64
      %2 = arith.subf %1, %down : f64
      %3 = arith.subf %2, %left : f64
      %4 = arith.subf %3, %right : f64
      %b_ij = affine.load %b[%i, %j] : memref<?x?xf64>
      %5 = arith.subf %b_ij, %4 : f64
      affine.store %5, %r[%i, %j] : memref<?x?xf64>
      affine.store %5, %p[%i, %j] : memref<?x?xf64>
    }
  }

  // rho = r . r
  affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
    %sum = affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] iter_args(%s = %zero) -> f64 {
      %r_ij = affine.load %r[%i, %j] : memref<?x?xf64>
      %0 = arith.mulf %r_ij, %r_ij : f64
      %1 = arith.addf %s, %0 : f64
      affine.yield %1 : f64
    }
    affine.store %sum, %row[%i] : memref<?xf64>
  }
  %rho_0 = affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] iter_args(%s = %zero) -> f64 {
    %row_i = affine.load %row[%i] : memref<?xf64>
    %0 = arith.addf %s, %row_i : f64
    affine.yield %0 : f64
  }
  affine.store %rho_0, %rho[] : memref<f64>

  affine.for %t = 0 to %T {
    // q = A p, alpha = rho / (p . q)
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        %here = affine.load %p[%i, %j] : memref<?x?xf64>
        %up = affine.load %p[%i - 1, %j] : memref<?x?xf64>
        %down = affine.load %p[%i + 1, %j] : memref<?x?xf64>
        %left = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %right = affine.load %p[%i, %j + 1] : memref<?x?xf64>
        %0 = arith.mulf %four, %here : f64
        %1 = arith.subf %0, %up : f64
        %2 = arith.subf %1, %down : f64
        %3 = arith.subf %2, %left : f64
        %4 = arith.subf %3, %right : f64
        affine.store %4, %q[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      %sum = affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] iter_args(%s = %zero) -> f64 {
        %p_ij = affine.load %p[%i, %j] : memref<?x?xf64>
        %q_ij = affine.load %q[%i, %j] : memref<?x?xf64>
        %0 = arith.mulf %p_ij, %q_ij : f64
        %1 = arith.addf %s, %0 : f64
        affine.yield %1 : f64
      }
      affine.store %sum, %row[%i] : memref<?xf64>
    }
    %pq = affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] iter_args(%s = %zero) -> f64 {
      %row_i = affine.load %row[%i] : memref<?xf64>
      %0 = arith.addf %s, %row_i : f64
      affine.yield %0 : f64
    }
    %rho_now = affine.load %rho[] : memref<f64>
    %a = arith.divf %rho_now, %pq : f64
    affine.store %a, %alpha[] : memref<f64>

    // x += alpha p, r -= alpha q
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        %alpha_now = affine.load %alpha[] : memref<f64>
        %x_ij = affine.load %x[%i, %j] : memref<?x?xf64>
        %p_ij = affine.load %p[%i, %j] : memref<?x?xf64>
        %0 = arith.mulf %alpha_now, %p_ij : f64
        %1 = arith.addf %x_ij, %0 : f64
        affine.store %1, %x[%i, %j] : memref<?x?xf64>
        %r_ij = affine.load %r[%i, %j] : memref<?x?xf64>
        %q_ij = affine.load %q[%i, %j] : memref<?x?xf64>
        %2 = arith.mulf %alpha_now, %q_ij : f64
        %3 = arith.subf %r_ij, %2 : f64
        affine.store %3, %r[%i, %j] : memref<?x?xf64>
      }
    }

    // beta = r . r / rho, p = r + beta p
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      %sum = affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] iter_args(%s = %zero) -> f64 {
        %r_ij = affine.load %r[%i, %j] : memref<?x?xf64>
        %0 = arith.mulf %r_ij, %r_ij : f64
        %1 = arith.addf %s, %0 : f64
        affine.yield %1 : f64
      }
      affine.store %sum, %row[%i] : memref<?xf64>
    }
    %rho_next = affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] iter_args(%s = %zero) -> f64 {
      %row_i = affine.load %row[%i] : memref<?xf64>
      %0 = arith.addf %s, %row_i : f64
      affine.yield %0 : f64
    }
    %rho_before = affine.load %rho[] : memref<f64>
    %bt = arith.divf %rho_next, %rho_before : f64
    affine.store %bt, %beta[] : memref<f64>
    affine.store %rho_next, %rho[] : memref<f64>
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        %beta_now = affine.load %beta[] : memref<f64>
        %r_ij = affine.load %r[%i, %j] : memref<?x?xf64>
        %p_ij = affine.load %p[%i, %j] : memref<?x?xf64>
        %0 = arith.mulf %beta_now, %p_ij : f64
        %1 = arith.addf %r_ij, %0 : f64
        affine.store %1, %p[%i, %j] : memref<?x?xf64>
      }
    }
  }
  %rho_end = affine.load %rho[] : memref<f64>
  affine.store %rho_end, %res[0] : memref<1xf64>
  memref.dealloc %row : memref<?xf64>
  memref.dealloc %q : memref<?x?xf64>
  memref.dealloc %p : memref<?x?xf64>
  memref.dealloc %r : memref<?x?xf64>
  return
}
