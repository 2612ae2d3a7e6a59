// RUN: terrace-opt %s -pass-pipeline="builtin.module(func.func(offload-parallelize),offload-estimate)" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: terrace run %t.mlir --target interp --entry triangle.estimate --arg 0=100 --arg 1=zeros:1x1 | FileCheck %s --check-prefix=TRIANGLE
// RUN: terrace run %t.mlir --target interp --entry size.estimate --arg 0=zeros:7 | FileCheck %s --check-prefix=SIZE
// RUN: terrace run %t.mlir --target interp --entry floats.estimate --arg 0=100 --arg 1=zeros:1 | FileCheck %s --check-prefix=FLOATS

// Ten sweeps over a million elements of 8 bytes, in and out: an addition, a load and a
// store each.
// NOTE: remark: 30000000 operations, 16000000 bytes moved, 1000000 parallel, 10 launches, 160000000 bytes touched, host: 30000000 operations, 0 lines, 0 waits: {{.*}} pays
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
// NOTE: remark: 3000000 operations, 8000000 bytes moved, 1 parallel, 1 launches, {{.*}} 1000000 waits: {{.*}} does not pay
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
// TRIANGLE: result   2: 1
// TRIANGLE: result   3: 1
// TRIANGLE: result   4: 40000
// TRIANGLE: result   5: 5000
func.func @triangle(%n: index, %a: memref<?x?xf64>) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.store %z, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// One thread of the first has a row, and each access of a warp touches 32 rows; of the
// second it has a column, and a warp's accesses lie side by side. On the host it is the
// other way round.
// NOTE: remark: 2000000 operations, 16000000 bytes moved, {{.*}} 64000000 bytes touched, host: 2000000 operations, 0 lines, 0 waits
// NOTE: remark: 2000000 operations, 16000000 bytes moved, {{.*}} 16000000 bytes touched, host: 2000000 operations, 2000000 lines, 0 waits
func.func @rows(%a: memref<1000x1000xf64>) attributes {acc.region = {construct = "parallel"}} {
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      %0 = affine.load %a[%i, %j] : memref<1000x1000xf64>
      affine.store %0, %a[%i, %j] : memref<1000x1000xf64>
    } {acc.loop = {seq}}
  }
  return
}

func.func @columns(%a: memref<1000x1000xf64>) attributes {acc.region = {construct = "parallel"}} {
  affine.for %j = 0 to 1000 {
    affine.for %i = 0 to 1000 {
      %0 = affine.load %a[%i, %j] : memref<1000x1000xf64>
      affine.store %0, %a[%i, %j] : memref<1000x1000xf64>
    } {acc.loop = {seq}}
  }
  return
}

// A parallel loop inside a thread, beside something else, is run by the thread: 100 times
// 102 operations one after another, of which the loads wait for memory.
// NOTE: remark: {{[0-9]+}} operations, {{.*}} 100 parallel, 1 launches
func.func @inside(%a: memref<100x100xf64>, %b: memref<100xf64>) attributes {acc.region = {construct = "parallel"}} {
  affine.for %i = 0 to 100 {
    %0 = affine.load %b[%i] : memref<100xf64>
    affine.store %0, %a[%i, 0] : memref<100x100xf64>
    affine.for %j = 1 to 100 {
      affine.store %0, %a[%i, %j] : memref<100x100xf64>
    }
  }
  return
}

// The host's sum waits for the sum before.
// NOTE: remark: {{[0-9]+}} operations, {{.*}} 0 lines, 1000 waits
func.func @sum(%a: memref<1000xf64>, %s: memref<1xf64>) attributes {acc.region = {construct = "kernels", source = "acc"}} {
  affine.for %i = 0 to 1000 {
    %0 = affine.load %s[0] : memref<1xf64>
    %1 = affine.load %a[%i] : memref<1000xf64>
    %2 = arith.addf %0, %1 : f64
    affine.store %2, %s[0] : memref<1xf64>
  }
  return
}

// Arithmetic on floats: of f32 an addition, of f64 a product and a multiply-add.
// FLOATS: result   8: 100
// FLOATS: result   9: 300
func.func @floats(%n: index, %a: memref<?xf64>) attributes {acc.region = {}} {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i] : memref<?xf64>
    %1 = arith.mulf %0, %0 : f64
    %2 = math.fma %1, %0, %0 : f64
    %3 = arith.truncf %2 : f64 to f32
    %4 = arith.addf %3, %3 : f32
    %5 = arith.extf %4 : f32 to f64
    affine.store %5, %a[%i] : memref<?xf64>
  }
  return
}

// The size of an array is asked for where the estimate is made.
// SIZE: result   0: 21
func.func @size(%a: memref<?xf64>) attributes {acc.region = {construct = "kernels", source = "acc"}} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xf64>
    %w = arith.addf %v, %v : f64
    affine.store %w, %a[%i] : memref<?xf64>
  }
  return
}
