// RUN: terrace-opt %s -pass-pipeline="builtin.module(func.func(offload-parallelize),offload-estimate)" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: terrace run %t.mlir --target interp --entry triangle.estimate --arg 0=100 --arg 1=zeros:1x1 | FileCheck %s --check-prefix=TRIANGLE

// Ten sweeps over a million elements of 8 bytes, in and out: an addition, a load and a
// store each.
// NOTE: remark: 30000000 operations, 16000000 bytes moved, 1000000 parallel, 10 launches, 160000000 bytes touched: {{.*}} pays
func.func @sweeps(%a: memref<1000x1000xf64>) attributes {acc.region = {construct = "kernels"}} {
  affine.for %t = 0 to 10 {
    affine.for %i = 0 to 1000 {
      affine.for %j = 0 to 1000 {
        %0 = affine.load %a[%i, %j] : memref<1000x1000xf64>
        %1 = arith.addf %0, %0 : f64
        affine.store %1, %a[%i, %j] : memref<1000x1000xf64>
      }
    }
  }
  return
}

// A chain of dependent operations gains nothing.
// NOTE: remark: 3000000 operations, 8000000 bytes moved, 1 parallel, 1 launches, 8000000 bytes touched: {{[0-9.]+}} us on a GPU, {{[0-9.]+}} us on the host, does not pay
func.func @chain(%a: memref<1000000xf32>) attributes {acc.region = {}} {
  affine.for %i = 1 to 1000001 {
    %0 = affine.load %a[%i - 1] : memref<1000000xf32>
    %1 = arith.addf %0, %0 : f32
    affine.store %1, %a[%i] : memref<1000000xf32>
  }
  return
}

// Half of 100 by 100 elements are written.
// TRIANGLE: result   0: 5000
// TRIANGLE: result   1: 40000
// TRIANGLE: result   2: 5000
// TRIANGLE: result   3: 1
// TRIANGLE: result   4: 40000
func.func @triangle(%n: index, %a: memref<?x?xf64>) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.store %z, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
