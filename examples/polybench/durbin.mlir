// The Yule-Walker equations of the Toeplitz matrix given by r, solved for y by the
// recursion of Levinson and Durbin.

func.func @durbin_f64(
    %r: memref<?xf64> {terrace.name = "r", terrace.dims = ["N"], terrace.init = "random:400:1"},
    %y: memref<?xf64> {terrace.name = "y", terrace.dims = ["N"], terrace.init = "zeros:400"}
) attributes {terrace.flops = "2*N*(N-1) + 5*(N-1)"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %N = memref.dim %r, %c0 : memref<?xf64>
  %alpha = memref.alloca() : memref<f64>
  %beta = memref.alloca() : memref<f64>
  %sum = memref.alloca() : memref<f64>
  %z = memref.alloc(%N) : memref<?xf64>
  %r_0 = affine.load %r[0] : memref<?xf64>
  %0 = arith.negf %r_0 : f64
  affine.store %0, %y[0] : memref<?xf64>
  affine.store %one, %beta[] : memref<f64>
  %r_0_1 = affine.load %r[0] : memref<?xf64>
  %1 = arith.negf %r_0_1 : f64
  affine.store %1, %alpha[] : memref<f64>
  affine.for %k = 1 to %N {
    %alpha_now = affine.load %alpha[] : memref<f64>
    %2 = arith.mulf %alpha_now, %alpha_now : f64
    %3 = arith.subf %one, %2 : f64
    %beta_now = affine.load %beta[] : memref<f64>
    %4 = arith.mulf %3, %beta_now : f64
    affine.store %4, %beta[] : memref<f64>
    affine.store %zero, %sum[] : memref<f64>
    affine.for %i = 0 to affine_map<(k) -> (k)>(%k) {
      %sum_now = affine.load %sum[] : memref<f64>
      %r_kmim1 = affine.load %r[%k - %i - 1] : memref<?xf64>
      %y_i = affine.load %y[%i] : memref<?xf64>
      %5 = arith.mulf %r_kmim1, %y_i : f64
      %6 = arith.addf %sum_now, %5 : f64
      affine.store %6, %sum[] : memref<f64>
    }
    %r_k = affine.load %r[%k] : memref<?xf64>
    %sum_now = affine.load %sum[] : memref<f64>
    %7 = arith.addf %r_k, %sum_now : f64
    %8 = arith.negf %7 : f64
    %beta_now_1 = affine.load %beta[] : memref<f64>
    %9 = arith.divf %8, %beta_now_1 : f64
    affine.store %9, %alpha[] : memref<f64>
    affine.for %i = 0 to affine_map<(k) -> (k)>(%k) {
      %y_i = affine.load %y[%i] : memref<?xf64>
      %alpha_now_1 = affine.load %alpha[] : memref<f64>
      %y_kmim1 = affine.load %y[%k - %i - 1] : memref<?xf64>
      %10 = arith.mulf %alpha_now_1, %y_kmim1 : f64
      %11 = arith.addf %y_i, %10 : f64
      affine.store %11, %z[%i] : memref<?xf64>
    }
    affine.for %i = 0 to affine_map<(k) -> (k)>(%k) {
      %z_i = affine.load %z[%i] : memref<?xf64>
      affine.store %z_i, %y[%i] : memref<?xf64>
    }
    %alpha_now_1 = affine.load %alpha[] : memref<f64>
    affine.store %alpha_now_1, %y[%k] : memref<?xf64>
  }
  memref.dealloc %z : memref<?xf64>
  return
}
