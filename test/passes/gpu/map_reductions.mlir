// RUN: terrace-opt %s -gpu-map-reductions -split-input-file | FileCheck %s

// Sums along rows: a block copies tiles of 32 rows, 32 columns each, ahead. The sum is in a
// register while the loop runs.

// CHECK-LABEL: func.func @rows
func.func @rows(%A: memref<100x300xf64>, %x: memref<300xf64>, %y: memref<100xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %c300 = arith.constant 300 : index
  // CHECK-NOT: scf.parallel
  // CHECK: gpu.launch
  // CHECK-SAME: workgroup(%{{.*}} : memref<5x32x33xf64, #gpu.address_space<workgroup>>, %{{.*}} : memref<5x32xf64, #gpu.address_space<workgroup>>)
  // CHECK: nvgpu.device_async_copy %arg0
  // CHECK: nvgpu.device_async_copy %arg1
  // CHECK: nvgpu.device_async_create_group
  // CHECK: %[[OLD:.*]] = scf.if
  // CHECK:   memref.load %arg2
  // CHECK: nvgpu.device_async_wait %{{.*}} {numGroups = 3 : i32}
  // CHECK: gpu.barrier
  // CHECK-NOT: %arg2[
  // CHECK: arith.addf
  // CHECK: memref.store %{{.*}}, %arg2[
  scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
    scf.for %j = %c0 to %c300 step %c1 {
      %s = memref.load %y[%i] : memref<100xf64>
      %a = memref.load %A[%i, %j] : memref<100x300xf64>
      %b = memref.load %x[%j] : memref<300xf64>
      %p = arith.mulf %a, %b : f64
      %t = arith.addf %s, %p : f64
      memref.store %t, %y[%i] : memref<100xf64>
    }
    scf.reduce
  }
  return
}

// -----

// Along columns, of numbers that only the program knows: beside the parallel loop, for
// few threads and many iterations. The sum is a carried value, what is behind the loop is
// done by threads that have an iteration.

// CHECK-LABEL: func.func @columns
func.func @columns(%A: memref<?x?xf32>, %x: memref<?xf32>, %y: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // CHECK: %[[LONG:.*]] = arith.cmpi sge, %{{.*}}, %c64
  // CHECK: %[[FILL:.*]] = arith.cmpi sge, %{{.*}}, %c32
  // CHECK: %[[FEW:.*]] = arith.cmpi sle, %{{.*}}, %c131072
  // CHECK: %[[BOTH:.*]] = arith.andi %[[LONG]], %[[FILL]]
  // CHECK: %[[ALL:.*]] = arith.andi %[[BOTH]], %[[FEW]]
  // CHECK: scf.if %[[ALL]]
  // CHECK: gpu.launch
  // CHECK-SAME: memref<5x64x32xf32, #gpu.address_space<workgroup>>
  // CHECK: memref.store %{{.*}}, %arg2
  // CHECK: } else {
  // CHECK-NEXT: scf.parallel
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %r = scf.for %j = %c0 to %m step %c1 iter_args(%s = %zero) -> f32 {
      %a = memref.load %A[%j, %i] : memref<?x?xf32>
      %b = memref.load %x[%j] : memref<?xf32>
      %p = arith.mulf %a, %b : f32
      %t = arith.addf %s, %p : f32
      scf.yield %t : f32
    }
    memref.store %r, %y[%i] : memref<?xf32>
    scf.reduce
  }
  return
}

// -----

// What another iteration of the loop writes is not copied ahead; short loops, scattered accesses and bands
// of few elements are left to others.

// CHECK-LABEL: func.func @others
// CHECK-NOT: gpu.launch
func.func @others(%A: memref<?x?xf64>, %at: memref<?xindex>, %y: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %j = %c1 to %n step %c1 {
      %before = arith.subi %j, %c1 : index
      %a = memref.load %A[%i, %before] : memref<?x?xf64>
      %t = arith.addf %a, %a : f64
      memref.store %t, %A[%i, %j] : memref<?x?xf64>
    }
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %r = scf.for %j = %c0 to %c40 step %c1 iter_args(%s = %zero) -> f64 {
      %a = memref.load %A[%i, %j] : memref<?x?xf64>
      %t = arith.addf %s, %a : f64
      scf.yield %t : f64
    }
    memref.store %r, %y[%i] : memref<?xf64>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%s = %zero) -> f64 {
      %k = memref.load %at[%j] : memref<?xindex>
      %a = memref.load %A[%i, %k] : memref<?x?xf64>
      %t = arith.addf %s, %a : f64
      scf.yield %t : f64
    }
    memref.store %r, %y[%i] : memref<?xf64>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %first = arith.subi %i, %c1 : index
    %end = arith.addi %i, %c40 : index
    %from = arith.maxsi %first, %c0 : index
    %to = arith.minsi %end, %n : index
    %r = scf.for %j = %from to %to step %c1 iter_args(%s = %zero) -> f64 {
      %a = memref.load %A[%i, %j] : memref<?x?xf64>
      %t = arith.addf %s, %a : f64
      scf.yield %t : f64
    }
    memref.store %r, %y[%i] : memref<?xf64>
    scf.reduce
  }
  return
}
