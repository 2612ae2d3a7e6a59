// RUN: terrace-opt %s -offload-map -canonicalize -cse | FileCheck %s

// What a loop carries from launch to launch stays on the device: the host copies it once, behind
// the loop. What it computes itself stays on the host.
// CHECK-LABEL: func.func @steps
// CHECK: %[[S:.*]] = gpu.alloc () : memref<1xf64>
// CHECK: gpu.launch {{.*}} function(@steps_kernel0)
// CHECK: memref.store %arg1, %[[S]]
// CHECK: %[[R:.*]] = scf.for %{{.*}} iter_args(%[[H:.*]] = %arg1) -> (f64) {
// CHECK-NOT: gpu.memcpy
// CHECK: gpu.launch {{.*}} function(@steps_kernel1)
// CHECK: %[[NOW:.*]] = memref.load %[[S]]
// CHECK: arith.mulf %[[NOW]], %[[H]]
// CHECK: %[[HALF:.*]] = arith.mulf %[[H]], %{{.*}}
// CHECK: gpu.launch {{.*}} function(@steps_kernel2)
// CHECK: %[[NEXT:.*]] = memref.load %arg0
// CHECK: memref.store %[[NEXT]], %[[S]]
// CHECK: scf.yield %[[HALF]]
// CHECK: }
// CHECK: gpu.memcpy %[[ROOM:.*]], %[[S]]
// CHECK: %[[LAST:.*]] = memref.load %[[ROOM]]
// CHECK: return %[[LAST]], %[[R]]
func.func @steps(%a: memref<?xf64>, %first: f64, %n: index) -> (f64, f64) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f64
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%s = %first, %h = %first) -> (f64, f64) {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %v = arith.mulf %s, %h : f64
      memref.store %v, %a[%bx] : memref<?xf64>
      gpu.terminator
    }
    %next = memref.load %a[%c0] : memref<?xf64>
    %less = arith.mulf %h, %half : f64
    scf.yield %next, %less : f64, f64
  }
  return %r#0, %r#1 : f64, f64
}

// Two that change places: the kernel reads both before it writes them.
// CHECK-LABEL: func.func @swap
// CHECK-DAG: %[[X:.*]] = gpu.alloc () : memref<1xf64>
// CHECK-DAG: %[[Y:.*]] = gpu.alloc () : memref<1xf64>
// CHECK: scf.for
// CHECK: gpu.launch
// CHECK: gpu.launch
// CHECK: %[[A:.*]] = memref.load
// CHECK-NEXT: %[[B:.*]] = memref.load
// CHECK-NEXT: memref.store
// CHECK-NEXT: memref.store
func.func @swap(%a: memref<?xf64>, %n: index) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.load %a[%c0] : memref<?xf64>
  %q = memref.load %a[%c1] : memref<?xf64>
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%x = %p, %y = %q) -> (f64, f64) {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %v = arith.subf %x, %y : f64
      memref.store %v, %a[%bx] : memref<?xf64>
      gpu.terminator
    }
    scf.yield %y, %x : f64, f64
  }
  return
}
