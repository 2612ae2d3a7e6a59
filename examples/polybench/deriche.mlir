// Edges of an image: Deriche's recursive filter, forwards and backwards along the
// rows, then along the columns.

func.func @deriche_f64(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "0.25"},
    %imgIn: memref<?x?xf64> {terrace.name = "imgIn", terrace.dims = ["W", "H"], terrace.init = "random:192x128:1"},
    %imgOut: memref<?x?xf64> {terrace.name = "imgOut", terrace.dims = ["W", "H"], terrace.init = "zeros:192x128"},
    %y1: memref<?x?xf64> {terrace.name = "y1", terrace.dims = ["W", "H"], terrace.init = "zeros:192x128"},
    %y2: memref<?x?xf64> {terrace.name = "y2", terrace.dims = ["W", "H"], terrace.init = "zeros:192x128"}
) attributes {terrace.flops = "30*W*H + 21"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %minus_two = arith.constant -2.0 : f64
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %W = memref.dim %imgIn, %c0 : memref<?x?xf64>
  %H = memref.dim %imgIn, %c1 : memref<?x?xf64>
  %xm1 = memref.alloca() : memref<f64>
  %tm1 = memref.alloca() : memref<f64>
  %ym1 = memref.alloca() : memref<f64>
  %ym2 = memref.alloca() : memref<f64>
  %xp1 = memref.alloca() : memref<f64>
  %xp2 = memref.alloca() : memref<f64>
  %tp1 = memref.alloca() : memref<f64>
  %tp2 = memref.alloca() : memref<f64>
  %yp1 = memref.alloca() : memref<f64>
  %yp2 = memref.alloca() : memref<f64>
  %0 = arith.negf %alpha : f64
  %e = math.exp %0 : f64
  %1 = arith.mulf %two, %alpha : f64
  %e2 = math.exp %1 : f64
  %2 = arith.mulf %minus_two, %alpha : f64
  %em2 = math.exp %2 : f64
  %3 = arith.subf %one, %e : f64
  %4 = arith.subf %one, %e : f64
  %5 = arith.mulf %3, %4 : f64
  %6 = arith.mulf %two, %alpha : f64
  %7 = arith.mulf %6, %e : f64
  %8 = arith.addf %one, %7 : f64
  %9 = arith.subf %8, %e2 : f64
  %k = arith.divf %5, %9 : f64
  %10 = arith.mulf %k, %e : f64
  %11 = arith.subf %alpha, %one : f64
  %a2 = arith.mulf %10, %11 : f64
  %12 = arith.mulf %k, %e : f64
  %13 = arith.addf %alpha, %one : f64
  %a3 = arith.mulf %12, %13 : f64
  %14 = arith.negf %k : f64
  %a4 = arith.mulf %14, %em2 : f64
  %15 = arith.negf %alpha : f64
  %b1 = math.powf %two, %15 : f64
  %b2 = arith.negf %em2 : f64
  affine.for %i = 0 to %W {
    affine.store %zero, %ym1[] : memref<f64>
    affine.store %zero, %ym2[] : memref<f64>
    affine.store %zero, %xm1[] : memref<f64>
    affine.for %j = 0 to %H {
      %imgIn_ij = affine.load %imgIn[%i, %j] : memref<?x?xf64>
      %16 = arith.mulf %k, %imgIn_ij : f64
      %xm1_now = affine.load %xm1[] : memref<f64>
      %17 = arith.mulf %a2, %xm1_now : f64
      %18 = arith.addf %16, %17 : f64
      %ym1_now = affine.load %ym1[] : memref<f64>
      %19 = arith.mulf %b1, %ym1_now : f64
      %20 = arith.addf %18, %19 : f64
      %ym2_now = affine.load %ym2[] : memref<f64>
      %21 = arith.mulf %b2, %ym2_now : f64
      %22 = arith.addf %20, %21 : f64
      affine.store %22, %y1[%i, %j] : memref<?x?xf64>
      %imgIn_ij_1 = affine.load %imgIn[%i, %j] : memref<?x?xf64>
      affine.store %imgIn_ij_1, %xm1[] : memref<f64>
      %ym1_now_1 = affine.load %ym1[] : memref<f64>
      affine.store %ym1_now_1, %ym2[] : memref<f64>
      %y1_ij = affine.load %y1[%i, %j] : memref<?x?xf64>
      affine.store %y1_ij, %ym1[] : memref<f64>
    }
  }
  affine.for %i = 0 to %W {
    affine.store %zero, %yp1[] : memref<f64>
    affine.store %zero, %yp2[] : memref<f64>
    affine.store %zero, %xp1[] : memref<f64>
    affine.store %zero, %xp2[] : memref<f64>
    affine.for %back = 0 to %H {
      %j = affine.apply affine_map<(back)[h] -> (h - 1 - back)>(%back)[%H]
      %xp1_now = affine.load %xp1[] : memref<f64>
      %23 = arith.mulf %a3, %xp1_now : f64
      %xp2_now = affine.load %xp2[] : memref<f64>
      %24 = arith.mulf %a4, %xp2_now : f64
      %25 = arith.addf %23, %24 : f64
      %yp1_now = affine.load %yp1[] : memref<f64>
      %26 = arith.mulf %b1, %yp1_now : f64
      %27 = arith.addf %25, %26 : f64
      %yp2_now = affine.load %yp2[] : memref<f64>
      %28 = arith.mulf %b2, %yp2_now : f64
      %29 = arith.addf %27, %28 : f64
      affine.store %29, %y2[%i, %j] : memref<?x?xf64>
      %xp1_now_1 = affine.load %xp1[] : memref<f64>
      affine.store %xp1_now_1, %xp2[] : memref<f64>
      %imgIn_ij = affine.load %imgIn[%i, %j] : memref<?x?xf64>
      affine.store %imgIn_ij, %xp1[] : memref<f64>
      %yp1_now_1 = affine.load %yp1[] : memref<f64>
      affine.store %yp1_now_1, %yp2[] : memref<f64>
      %y2_ij = affine.load %y2[%i, %j] : memref<?x?xf64>
      affine.store %y2_ij, %yp1[] : memref<f64>
    }
  }
  affine.for %i = 0 to %W {
    affine.for %j = 0 to %H {
      %y1_ij = affine.load %y1[%i, %j] : memref<?x?xf64>
      %y2_ij = affine.load %y2[%i, %j] : memref<?x?xf64>
      %30 = arith.addf %y1_ij, %y2_ij : f64
      affine.store %30, %imgOut[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %j = 0 to %H {
    affine.store %zero, %tm1[] : memref<f64>
    affine.store %zero, %ym1[] : memref<f64>
    affine.store %zero, %ym2[] : memref<f64>
    affine.for %i = 0 to %W {
      %imgOut_ij = affine.load %imgOut[%i, %j] : memref<?x?xf64>
      %31 = arith.mulf %k, %imgOut_ij : f64
      %tm1_now = affine.load %tm1[] : memref<f64>
      %32 = arith.mulf %a2, %tm1_now : f64
      %33 = arith.addf %31, %32 : f64
      %ym1_now = affine.load %ym1[] : memref<f64>
      %34 = arith.mulf %b1, %ym1_now : f64
      %35 = arith.addf %33, %34 : f64
      %ym2_now = affine.load %ym2[] : memref<f64>
      %36 = arith.mulf %b2, %ym2_now : f64
      %37 = arith.addf %35, %36 : f64
      affine.store %37, %y1[%i, %j] : memref<?x?xf64>
      %imgOut_ij_1 = affine.load %imgOut[%i, %j] : memref<?x?xf64>
      affine.store %imgOut_ij_1, %tm1[] : memref<f64>
      %ym1_now_1 = affine.load %ym1[] : memref<f64>
      affine.store %ym1_now_1, %ym2[] : memref<f64>
      %y1_ij = affine.load %y1[%i, %j] : memref<?x?xf64>
      affine.store %y1_ij, %ym1[] : memref<f64>
    }
  }
  affine.for %j = 0 to %H {
    affine.store %zero, %tp1[] : memref<f64>
    affine.store %zero, %tp2[] : memref<f64>
    affine.store %zero, %yp1[] : memref<f64>
    affine.store %zero, %yp2[] : memref<f64>
    affine.for %back = 0 to %W {
      %i = affine.apply affine_map<(back)[w] -> (w - 1 - back)>(%back)[%W]
      %tp1_now = affine.load %tp1[] : memref<f64>
      %38 = arith.mulf %a3, %tp1_now : f64
      %tp2_now = affine.load %tp2[] : memref<f64>
      %39 = arith.mulf %a4, %tp2_now : f64
      %40 = arith.addf %38, %39 : f64
      %yp1_now = affine.load %yp1[] : memref<f64>
      %41 = arith.mulf %b1, %yp1_now : f64
      %42 = arith.addf %40, %41 : f64
      %yp2_now = affine.load %yp2[] : memref<f64>
      %43 = arith.mulf %b2, %yp2_now : f64
      %44 = arith.addf %42, %43 : f64
      affine.store %44, %y2[%i, %j] : memref<?x?xf64>
      %tp1_now_1 = affine.load %tp1[] : memref<f64>
      affine.store %tp1_now_1, %tp2[] : memref<f64>
      %imgOut_ij = affine.load %imgOut[%i, %j] : memref<?x?xf64>
      affine.store %imgOut_ij, %tp1[] : memref<f64>
      %yp1_now_1 = affine.load %yp1[] : memref<f64>
      affine.store %yp1_now_1, %yp2[] : memref<f64>
      %y2_ij = affine.load %y2[%i, %j] : memref<?x?xf64>
      affine.store %y2_ij, %yp1[] : memref<f64>
    }
  }
  affine.for %i = 0 to %W {
    affine.for %j = 0 to %H {
      %y1_ij = affine.load %y1[%i, %j] : memref<?x?xf64>
      %y2_ij = affine.load %y2[%i, %j] : memref<?x?xf64>
      %45 = arith.addf %y1_ij, %y2_ij : f64
      affine.store %45, %imgOut[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
