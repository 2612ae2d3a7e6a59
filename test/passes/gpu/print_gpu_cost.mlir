// RUN: terrace-opt --split-input-file --affine-parallelize --print-gpu-cost='sizes=N:4096,T.0:640,T.1:640' %s 2>&1 >/dev/null | FileCheck %s
// RUN: terrace-opt --split-input-file --affine-parallelize --print-gpu-cost='model=table sizes=N:4096,T.0:640,T.1:640' %s 2>&1 >/dev/null | FileCheck %s --check-prefix=TABLE

// Rows of 70 floats begin anywhere in a sector, columns take a sector each.
// CHECK: on sm_90 (H200 SXM): j along x, i along y; blocks 1x34x1 of 70x3x1 threads
// CHECK: load  A[i][j]: 234 requests, 1046 sectors, 432 lines, 28000 bytes (exact); 4.47 sectors a request
// CHECK-NEXT: store B[j][i]: 234 requests, 7000 sectors, 7000 lines, 28000 bytes (exact); 29.91 sectors a request
// CHECK: launch 3.700 us an empty kernel <- binds
// TABLE: A[i][j]: 0.0312 each time
// TABLE-NEXT: B[j][i]: 1.0000 each time
// TABLE-NEXT: in all 1.0312
func.func @transpose(%A: memref<100x70xf32>, %B: memref<70x100xf32>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 70 {
      %x = affine.load %A[%i, %j] : memref<100x70xf32>
      affine.store %x, %B[%j, %i] : memref<70x100xf32>
    }
  }
  return
}

// -----

// What the sum goes through is loaded once; the time loop launches again.
// CHECK: i along x; blocks 128x1x1 of 32x1x1 threads
// CHECK: load  x[k]: 524288 requests, 524288 sectors, 524288 lines, 134217728 bytes (exact)
// CHECK: store y[i]: 128 requests, 1024 sectors, 256 lines, 32768 bytes (exact)
// CHECK: time {{.*}}, 10 launches
func.func @sums(%N: index, %x: memref<4096xf64>, %y: memref<4096xf64>) {
  affine.for %t = 0 to 10 {
    affine.for %i = 0 to %N {
      %z = arith.constant 0.0 : f64
      %s = affine.for %k = 0 to 4096 iter_args(%a = %z) -> f64 {
        %e = affine.load %x[%k] : memref<4096xf64>
        %b = arith.addf %a, %e : f64
        affine.yield %b : f64
      }
      affine.store %s, %y[%i] : memref<4096xf64>
    }
  }
  return
}

// -----

// Threads of a warp go round differently often.
// CHECK: load  T[i][k]: {{.*}} (estimate)
// CHECK: store T[i][639]: {{.*}} (exact)
func.func @triangle(%T: memref<?x?xf32>, %U: memref<640xf32>) {
  affine.for %i = 0 to 640 {
    affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
      %x = affine.load %T[%i, %k] : memref<?x?xf32>
      affine.store %x, %U[%i] : memref<640xf32>
    }
    %c = arith.constant 1.0 : f32
    affine.store %c, %T[%i, 639] : memref<?x?xf32>
  }
  return
}

// -----

// What a loop does not change is loaded before it and stored behind it, where it runs at all:
// not by the first thread.
// CHECK: load  V[i]: 20 requests, 80 sectors, 20 lines, 2556 bytes (exact)
// CHECK: store U[i]: 20 requests, 80 sectors, 20 lines, 2556 bytes (exact)
func.func @around_a_triangle(%T: memref<?x?xf32>, %V: memref<640xf32>, %U: memref<640xf32> {llvm.noalias}) {
  affine.for %i = 0 to 640 {
    affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
      %x = affine.load %T[%k, %i] : memref<?x?xf32>
      %v = affine.load %V[%i] : memref<640xf32>
      %p = arith.mulf %x, %v : f32
      affine.store %p, %U[%i] : memref<640xf32>
    }
  }
  return
}

// -----

// Four iterations next to each other load five elements of x, not eight.
// CHECK: load  x[k]: 128000 requests, {{.*}} (estimate)
// CHECK: load  x[k + 1]: 128000 requests, {{.*}} (estimate)
func.func @neighbours(%x: memref<6401xf64>, %y: memref<1024xf64>) {
  affine.for %i = 0 to 1024 {
    %z = arith.constant 0.0 : f64
    %s = affine.for %k = 0 to 6400 iter_args(%a = %z) -> f64 {
      %e = affine.load %x[%k] : memref<6401xf64>
      %f = affine.load %x[%k + 1] : memref<6401xf64>
      %p = arith.mulf %e, %f : f64
      %b = arith.addf %a, %p : f64
      affine.yield %b : f64
    }
    affine.store %s, %y[%i] : memref<1024xf64>
  }
  return
}
