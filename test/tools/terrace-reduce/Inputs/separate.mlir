func.func @gemm_f64(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f64 {terrace.name = "beta", terrace.init = "1.2"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["M", "K"], terrace.init = "random:512x512:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["K", "N"], terrace.init = "random:512x512:2"},
    %C: memref<?x?xf64> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "random:512x512:3"}
) attributes {terrace.flops = "2*M*N*K + 3*M*N"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %M = memref.dim %A, %c0 : memref<?x?xf64>
  %N = memref.dim %B, %c1 : memref<?x?xf64>
  %K = memref.dim %A, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %N {
      %dot = affine.for %k = 0 to %K iter_args(%sum = %zero) -> (f64) {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %ab = arith.mulf %a, %b : f64
        %next = arith.addf %sum, %ab : f64
        affine.yield %next : f64
      }
      %old = affine.load %C[%i, %j] : memref<?x?xf64>
      %new = arith.mulf %alpha, %dot : f64
      %kept = arith.mulf %beta, %old : f64
      %c = arith.addf %new, %kept : f64
      affine.store %c, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @atax_f64(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:1800x2000:1"},
    %x: memref<?xf64> {terrace.name = "x", terrace.dims = ["N"], terrace.init = "random:2000:2"},
    %y: memref<?xf64> {terrace.name = "y", terrace.dims = ["N"], terrace.init = "zeros:2000"}
) attributes {terrace.flops = "4*M*N"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %M = memref.dim %A, %c0 : memref<?x?xf64>
  %N = memref.dim %A, %c1 : memref<?x?xf64>
  %Ax = memref.alloc(%M) : memref<?xf64>
  affine.for %i = 0 to %M {
    %dot = affine.for %j = 0 to %N iter_args(%sum = %zero) -> (f64) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %v = affine.load %x[%j] : memref<?xf64>
      %av = arith.mulf %a, %v : f64
      %next = arith.addf %sum, %av : f64
      affine.yield %next : f64
    }
    affine.store %dot, %Ax[%i] : memref<?xf64>
  }
  affine.for %j = 0 to %N {
    %dot = affine.for %i = 0 to %M iter_args(%sum = %zero) -> (f64) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %v = affine.load %Ax[%i] : memref<?xf64>
      %av = arith.mulf %a, %v : f64
      %next = arith.addf %sum, %av : f64
      affine.yield %next : f64
    }
    affine.store %dot, %y[%j] : memref<?xf64>
  }
  memref.dealloc %Ax : memref<?xf64>
  return
}

func.func @covariance_f64(
    %data: memref<?x?xf64> {terrace.name = "data", terrace.dims = ["N", "M"], terrace.init = "random:600x500:1"},
    %cov: memref<?x?xf64> {terrace.name = "cov", terrace.dims = ["M", "M"], terrace.init = "zeros:500x500"}
) attributes {terrace.flops = "2*N*M + M + M*(M+1)/2*(2*N+1)"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %N = memref.dim %data, %c0 : memref<?x?xf64>
  %M = memref.dim %data, %c1 : memref<?x?xf64>
  %count = arith.index_cast %N : index to i64
  %n = arith.sitofp %count : i64 to f64
  %n1 = arith.subf %n, %one : f64
  %mean = memref.alloc(%M) : memref<?xf64>
  affine.for %j = 0 to %M {
    %total = affine.for %k = 0 to %N iter_args(%sum = %zero) -> (f64) {
      %v = affine.load %data[%k, %j] : memref<?x?xf64>
      %next = arith.addf %sum, %v : f64
      affine.yield %next : f64
    }
    %m = arith.divf %total, %n : f64
    affine.store %m, %mean[%j] : memref<?xf64>
  }
  affine.for %k = 0 to %N {
    affine.for %j = 0 to %M {
      %v = affine.load %data[%k, %j] : memref<?x?xf64>
      %m = affine.load %mean[%j] : memref<?xf64>
      %d = arith.subf %v, %m : f64
      affine.store %d, %data[%k, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %M {
    affine.for %j = affine_map<(i) -> (i)>(%i) to %M {
      %dot = affine.for %k = 0 to %N iter_args(%sum = %zero) -> (f64) {
        %a = affine.load %data[%k, %i] : memref<?x?xf64>
        %b = affine.load %data[%k, %j] : memref<?x?xf64>
        %ab = arith.mulf %a, %b : f64
        %next = arith.addf %sum, %ab : f64
        affine.yield %next : f64
      }
      %c = arith.divf %dot, %n1 : f64
      affine.store %c, %cov[%i, %j] : memref<?x?xf64>
      affine.store %c, %cov[%j, %i] : memref<?x?xf64>
    }
  }
  memref.dealloc %mean : memref<?xf64>
  return
}

func.func @doitgen_f64(
    %A: memref<?x?x?xf64> {terrace.name = "A", terrace.dims = ["R", "Q", "P"], terrace.init = "random:100x80x120:1"},
    %C4: memref<?x?xf64> {terrace.name = "C4", terrace.dims = ["P", "P"], terrace.init = "random:120x120:2"}
) attributes {terrace.flops = "2*R*Q*P*P"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %R = memref.dim %A, %c0 : memref<?x?x?xf64>
  %Q = memref.dim %A, %c1 : memref<?x?x?xf64>
  %P = memref.dim %A, %c2 : memref<?x?x?xf64>
  %sum = memref.alloc(%R, %Q, %P) : memref<?x?x?xf64>
  affine.for %r = 0 to %R {
    affine.for %q = 0 to %Q {
      affine.for %p = 0 to %P {
        affine.store %zero, %sum[%r, %q, %p] : memref<?x?x?xf64>
        affine.for %s = 0 to %P {
          %a = affine.load %A[%r, %q, %s] : memref<?x?x?xf64>
          %c = affine.load %C4[%s, %p] : memref<?x?xf64>
          %ac = arith.mulf %a, %c : f64
          %old = affine.load %sum[%r, %q, %p] : memref<?x?x?xf64>
          %new = arith.addf %old, %ac : f64
          affine.store %new, %sum[%r, %q, %p] : memref<?x?x?xf64>
        }
      }
    }
  }
  affine.for %r = 0 to %R {
    affine.for %q = 0 to %Q {
      affine.for %p = 0 to %P {
        %v = affine.load %sum[%r, %q, %p] : memref<?x?x?xf64>
        affine.store %v, %A[%r, %q, %p] : memref<?x?x?xf64>
      }
    }
  }
  memref.dealloc %sum : memref<?x?x?xf64>
  return
}

schedule.sequence @s on @carried {
  %i = schedule.find_loop {label = "tiled"} : !schedule.loop
  %t:2 = schedule.tile %i sizes [4] separate
}
func.func @carried(%m: memref<?xf32>, %n: index, %x: f32) -> f32 {
  %tmp = memref.alloc() : memref<20x20xf32>
  affine.for %p = 0 to 20 {
    affine.for %q = 0 to 20 {
      %n0 = arith.mulf %x, %x : f32
      affine.store %n0, %tmp[%p, %q] : memref<20x20xf32>
    }
  }
  %r:2 = affine.for %i = 2 to %n iter_args(%s = %x, %u = %x) -> (f32, f32) {
    %a = affine.load %m[%i - 1] : memref<?xf32>
    %b = affine.load %m[%i - 2] : memref<?xf32>
    %c = arith.mulf %a, %b : f32
    %t = arith.addf %s, %c : f32
    %v = arith.maximumf %u, %c : f32
    affine.yield %t, %v : f32, f32
  } {schedule.label = "tiled"}
  %z = arith.subf %r#0, %r#1 : f32
  memref.dealloc %tmp : memref<20x20xf32>
  return %z : f32
}

func.func @gesummv_f64(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f64 {terrace.name = "beta", terrace.init = "1.2"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "random:2000x2000:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["N", "N"], terrace.init = "random:2000x2000:2"},
    %x: memref<?xf64> {terrace.name = "x", terrace.dims = ["N"], terrace.init = "random:2000:3"},
    %y: memref<?xf64> {terrace.name = "y", terrace.dims = ["N"], terrace.init = "zeros:2000"}
) attributes {terrace.flops = "4*N*N + 3*N"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %i = 0 to %N {
    %dots:2 = affine.for %j = 0 to %N iter_args(%p = %zero, %q = %zero) -> (f64, f64) {
      %v = affine.load %x[%j] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %av = arith.mulf %a, %v : f64
      %p1 = arith.addf %p, %av : f64
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %bv = arith.mulf %b, %v : f64
      %q1 = arith.addf %q, %bv : f64
      affine.yield %p1, %q1 : f64, f64
    }
    %left = arith.mulf %alpha, %dots#0 : f64
    %right = arith.mulf %beta, %dots#1 : f64
    %sum = arith.addf %left, %right : f64
    affine.store %sum, %y[%i] : memref<?xf64>
  }
  return
}

func.func @heat_3d_f64(
    %T: index {terrace.name = "T", terrace.init = "10"},
    %A: memref<?x?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N", "N"], terrace.init = "random:120x120x120:1"},
    %B: memref<?x?x?xf64> {terrace.name = "B", terrace.dims = ["N", "N", "N"], terrace.init = "random:120x120x120:2"}
) attributes {terrace.flops = "26*T*(N-2)*(N-2)*(N-2)"} {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f64
  %eighth = arith.constant 0.125 : f64
  %N = memref.dim %A, %c0 : memref<?x?x?xf64>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        affine.for %k = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
          %mid = affine.load %A[%i, %j, %k] : memref<?x?x?xf64>
          %twice = arith.mulf %two, %mid : f64
          %i_up = affine.load %A[%i + 1, %j, %k] : memref<?x?x?xf64>
          %i_down = affine.load %A[%i - 1, %j, %k] : memref<?x?x?xf64>
          %i_0 = arith.subf %i_up, %twice : f64
          %i_1 = arith.addf %i_0, %i_down : f64
          %i_2 = arith.mulf %eighth, %i_1 : f64
          %j_up = affine.load %A[%i, %j + 1, %k] : memref<?x?x?xf64>
          %j_down = affine.load %A[%i, %j - 1, %k] : memref<?x?x?xf64>
          %j_0 = arith.subf %j_up, %twice : f64
          %j_1 = arith.addf %j_0, %j_down : f64
          %j_2 = arith.mulf %eighth, %j_1 : f64
          %k_up = affine.load %A[%i, %j, %k + 1] : memref<?x?x?xf64>
          %k_down = affine.load %A[%i, %j, %k - 1] : memref<?x?x?xf64>
          %k_0 = arith.subf %k_up, %twice : f64
          %k_1 = arith.addf %k_0, %k_down : f64
          %k_2 = arith.mulf %eighth, %k_1 : f64
          %s0 = arith.addf %i_2, %j_2 : f64
          %s1 = arith.addf %s0, %k_2 : f64
          %next = arith.addf %s1, %mid : f64
          affine.store %next, %B[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        affine.for %k = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
          %mid = affine.load %B[%i, %j, %k] : memref<?x?x?xf64>
          %twice = arith.mulf %two, %mid : f64
          %i_up = affine.load %B[%i + 1, %j, %k] : memref<?x?x?xf64>
          %i_down = affine.load %B[%i - 1, %j, %k] : memref<?x?x?xf64>
          %i_0 = arith.subf %i_up, %twice : f64
          %i_1 = arith.addf %i_0, %i_down : f64
          %i_2 = arith.mulf %eighth, %i_1 : f64
          %j_up = affine.load %B[%i, %j + 1, %k] : memref<?x?x?xf64>
          %j_down = affine.load %B[%i, %j - 1, %k] : memref<?x?x?xf64>
          %j_0 = arith.subf %j_up, %twice : f64
          %j_1 = arith.addf %j_0, %j_down : f64
          %j_2 = arith.mulf %eighth, %j_1 : f64
          %k_up = affine.load %B[%i, %j, %k + 1] : memref<?x?x?xf64>
          %k_down = affine.load %B[%i, %j, %k - 1] : memref<?x?x?xf64>
          %k_0 = arith.subf %k_up, %twice : f64
          %k_1 = arith.addf %k_0, %k_down : f64
          %k_2 = arith.mulf %eighth, %k_1 : f64
          %s0 = arith.addf %i_2, %j_2 : f64
          %s1 = arith.addf %s0, %k_2 : f64
          %next = arith.addf %s1, %mid : f64
          affine.store %next, %A[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}

func.func @himeno_f64(
    %T: index {terrace.name = "T", terrace.init = "4"},
    %omega: f64 {terrace.name = "omega", terrace.init = "0.8"},
    %p: memref<?x?x?xf64> {terrace.name = "p", terrace.dims = ["I", "J", "K"], terrace.init = "random:65x65x129:1"},
    %a: memref<4x?x?x?xf64> {terrace.name = "a", terrace.dims = ["4", "I", "J", "K"], terrace.init = "random:4x65x65x129:2"},
    %b: memref<3x?x?x?xf64> {terrace.name = "b", terrace.dims = ["3", "I", "J", "K"], terrace.init = "random:3x65x65x129:3"},
    %c: memref<3x?x?x?xf64> {terrace.name = "c", terrace.dims = ["3", "I", "J", "K"], terrace.init = "random:3x65x65x129:4"},
    %bnd: memref<?x?x?xf64> {terrace.name = "bnd", terrace.dims = ["I", "J", "K"], terrace.init = "random:65x65x129:5"},
    %wrk1: memref<?x?x?xf64> {terrace.name = "wrk1", terrace.dims = ["I", "J", "K"], terrace.init = "random:65x65x129:6"},
    %wrk2: memref<?x?x?xf64> {terrace.name = "wrk2", terrace.dims = ["I", "J", "K"], terrace.init = "zeros:65x65x129"}
) attributes {terrace.flops = "32*T*(I-2)*(J-2)*(K-2)"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %I = memref.dim %p, %c0 : memref<?x?x?xf64>
  %J = memref.dim %p, %c1 : memref<?x?x?xf64>
  %K = memref.dim %p, %c2 : memref<?x?x?xf64>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%I] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%J] {
        affine.for %k = 1 to affine_map<()[n] -> (n - 1)>()[%K] {
          // The three forward neighbours.
          %a0_here = affine.load %a[0, %i, %j, %k] : memref<4x?x?x?xf64>
          %p_iu = affine.load %p[%i + 1, %j, %k] : memref<?x?x?xf64>
          %fwd0 = arith.mulf %a0_here, %p_iu : f64
          %a1_here = affine.load %a[1, %i, %j, %k] : memref<4x?x?x?xf64>
          %p_ju = affine.load %p[%i, %j + 1, %k] : memref<?x?x?xf64>
          %fwd1 = arith.mulf %a1_here, %p_ju : f64
          %a2_here = affine.load %a[2, %i, %j, %k] : memref<4x?x?x?xf64>
          %p_ku = affine.load %p[%i, %j, %k + 1] : memref<?x?x?xf64>
          %fwd2 = arith.mulf %a2_here, %p_ku : f64
          // The mixed differences in each plane.
          %p_iuju = affine.load %p[%i + 1, %j + 1, %k] : memref<?x?x?xf64>
          %p_iujd = affine.load %p[%i + 1, %j - 1, %k] : memref<?x?x?xf64>
          %p_idju = affine.load %p[%i - 1, %j + 1, %k] : memref<?x?x?xf64>
          %p_idjd = affine.load %p[%i - 1, %j - 1, %k] : memref<?x?x?xf64>
          %b0_here = affine.load %b[0, %i, %j, %k] : memref<3x?x?x?xf64>
          %m0_0 = arith.subf %p_iuju, %p_iujd : f64
          %m0_1 = arith.subf %m0_0, %p_idju : f64
          %m0_2 = arith.addf %m0_1, %p_idjd : f64
          %mix0 = arith.mulf %b0_here, %m0_2 : f64
          %p_juku = affine.load %p[%i, %j + 1, %k + 1] : memref<?x?x?xf64>
          %p_jukd = affine.load %p[%i, %j + 1, %k - 1] : memref<?x?x?xf64>
          %p_jdku = affine.load %p[%i, %j - 1, %k + 1] : memref<?x?x?xf64>
          %p_jdkd = affine.load %p[%i, %j - 1, %k - 1] : memref<?x?x?xf64>
          %b1_here = affine.load %b[1, %i, %j, %k] : memref<3x?x?x?xf64>
          %m1_0 = arith.subf %p_juku, %p_jukd : f64
          %m1_1 = arith.subf %m1_0, %p_jdku : f64
          %m1_2 = arith.addf %m1_1, %p_jdkd : f64
          %mix1 = arith.mulf %b1_here, %m1_2 : f64
          %p_iuku = affine.load %p[%i + 1, %j, %k + 1] : memref<?x?x?xf64>
          %p_idku = affine.load %p[%i - 1, %j, %k + 1] : memref<?x?x?xf64>
          %p_iukd = affine.load %p[%i + 1, %j, %k - 1] : memref<?x?x?xf64>
          %p_idkd = affine.load %p[%i - 1, %j, %k - 1] : memref<?x?x?xf64>
          %b2_here = affine.load %b[2, %i, %j, %k] : memref<3x?x?x?xf64>
          %m2_0 = arith.subf %p_iuku, %p_idku : f64
          %m2_1 = arith.subf %m2_0, %p_iukd : f64
          %m2_2 = arith.addf %m2_1, %p_idkd : f64
          %mix2 = arith.mulf %b2_here, %m2_2 : f64
          // The three backward neighbours.
          %c0_here = affine.load %c[0, %i, %j, %k] : memref<3x?x?x?xf64>
          %p_id = affine.load %p[%i - 1, %j, %k] : memref<?x?x?xf64>
          %bwd0 = arith.mulf %c0_here, %p_id : f64
          %c1_here = affine.load %c[1, %i, %j, %k] : memref<3x?x?x?xf64>
          %p_jd = affine.load %p[%i, %j - 1, %k] : memref<?x?x?xf64>
          %bwd1 = arith.mulf %c1_here, %p_jd : f64
          %c2_here = affine.load %c[2, %i, %j, %k] : memref<3x?x?x?xf64>
          %p_kd = affine.load %p[%i, %j, %k - 1] : memref<?x?x?xf64>
          %bwd2 = arith.mulf %c2_here, %p_kd : f64
          %wrk1_here = affine.load %wrk1[%i, %j, %k] : memref<?x?x?xf64>
          %s0 = arith.addf %fwd0, %fwd1 : f64
          %s1 = arith.addf %s0, %fwd2 : f64
          %s2 = arith.addf %s1, %mix0 : f64
          %s3 = arith.addf %s2, %mix1 : f64
          %s4 = arith.addf %s3, %mix2 : f64
          %s5 = arith.addf %s4, %bwd0 : f64
          %s6 = arith.addf %s5, %bwd1 : f64
          %s7 = arith.addf %s6, %bwd2 : f64
          %s8 = arith.addf %s7, %wrk1_here : f64
          %a3_here = affine.load %a[3, %i, %j, %k] : memref<4x?x?x?xf64>
          %p_here = affine.load %p[%i, %j, %k] : memref<?x?x?xf64>
          %bnd_here = affine.load %bnd[%i, %j, %k] : memref<?x?x?xf64>
          %scaled = arith.mulf %s8, %a3_here : f64
          %diff = arith.subf %scaled, %p_here : f64
          %ss = arith.mulf %diff, %bnd_here : f64
          %step = arith.mulf %omega, %ss : f64
          %next = arith.addf %p_here, %step : f64
          affine.store %next, %wrk2[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%I] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%J] {
        affine.for %k = 1 to affine_map<()[n] -> (n - 1)>()[%K] {
          %v = affine.load %wrk2[%i, %j, %k] : memref<?x?x?xf64>
          affine.store %v, %p[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}

func.func @jacobi_2d_f64(
    %T: index {terrace.name = "T", terrace.init = "20"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "random:1000x1000:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["N", "N"], terrace.init = "random:1000x1000:2"}
) attributes {terrace.flops = "10*T*(N-2)*(N-2)"} {
  %c0 = arith.constant 0 : index
  %fifth = arith.constant 0.2 : f64
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        %mid = affine.load %A[%i, %j] : memref<?x?xf64>
        %west = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %east = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %south = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %north = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %s0 = arith.addf %mid, %west : f64
        %s1 = arith.addf %s0, %east : f64
        %s2 = arith.addf %s1, %south : f64
        %s3 = arith.addf %s2, %north : f64
        %mean = arith.mulf %fifth, %s3 : f64
        affine.store %mean, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[n] -> (n - 1)>()[%N] {
        %mid = affine.load %B[%i, %j] : memref<?x?xf64>
        %west = affine.load %B[%i, %j - 1] : memref<?x?xf64>
        %east = affine.load %B[%i, %j + 1] : memref<?x?xf64>
        %south = affine.load %B[%i + 1, %j] : memref<?x?xf64>
        %north = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        %s0 = arith.addf %mid, %west : f64
        %s1 = arith.addf %s0, %east : f64
        %s2 = arith.addf %s1, %south : f64
        %s3 = arith.addf %s2, %north : f64
        %mean = arith.mulf %fifth, %s3 : f64
        affine.store %mean, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

func.func @lu_f64(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "dominant:400x400:1"}
) attributes {terrace.flops = "N*(N-1)/2 + N*(N-1)*(2*N-1)/3"} {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %k = 0 to %N {
    affine.for %i = affine_map<(k) -> (k + 1)>(%k) to %N {
      %pivot = affine.load %A[%k, %k] : memref<?x?xf64>
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      %l = arith.divf %a, %pivot : f64
      affine.store %l, %A[%i, %k] : memref<?x?xf64>
    }
    affine.for %i = affine_map<(k) -> (k + 1)>(%k) to %N {
      affine.for %j = affine_map<(k) -> (k + 1)>(%k) to %N {
        %l = affine.load %A[%i, %k] : memref<?x?xf64>
        %u = affine.load %A[%k, %j] : memref<?x?xf64>
        %lu = arith.mulf %l, %u : f64
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %rest = arith.subf %a, %lu : f64
        affine.store %rest, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
