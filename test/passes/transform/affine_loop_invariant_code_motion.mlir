// RUN: terrace-opt %s -affine-loop-invariant-code-motion -split-input-file -allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: @load
// CHECK: affine.load %arg0[2]
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.store
func.func @load(%a: memref<4xf32>, %b: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[2] : memref<4xf32>
    affine.store %0, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// Where the loop may not run, what it would load may not be there.
// CHECK-LABEL: @load_beyond
// CHECK: affine.for
// CHECK-NEXT: affine.load %arg0[2]
func.func @load_beyond(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[2] : memref<?xf32>
    affine.store %0, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// CHECK-LABEL: @store
// CHECK: affine.store %arg1, %arg0[2]
// CHECK-NEXT: affine.for %{{.*}} = 0 to 4 {
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %{{.*}} = 0 to %arg2 {
// CHECK-NEXT: affine.store
func.func @store(%a: memref<4xf32>, %v: f32, %n: index) {
  affine.for %i = 0 to 4 {
    affine.store %v, %a[2] : memref<4xf32>
  }
  affine.for %i = 0 to %n {
    affine.store %v, %a[2] : memref<4xf32>
  }
  return
}

// -----

// Both stay: each undoes the other.
// CHECK-LABEL: @two_stores
// CHECK: affine.for
// CHECK-NEXT: affine.store
// CHECK-NEXT: affine.store
func.func @two_stores(%a: memref<4xf32>, %v: f32, %w: f32) {
  affine.for %i = 0 to 4 {
    affine.store %v, %a[2] : memref<4xf32>
    affine.store %w, %a[2] : memref<4xf32>
  }
  return
}

// -----

// A nest that adds to what it reads does something else each time.
// CHECK-LABEL: @accumulates
// CHECK: affine.for %{{.*}} = 0 to 4 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 8 {
func.func @accumulates(%a: memref<8xf32>, %v: f32) {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %a[%j] : memref<8xf32>
      %1 = arith.addf %0, %v : f32
      affine.store %1, %a[%j] : memref<8xf32>
    }
  }
  return
}

// -----

// CHECK-LABEL: @through_view
// CHECK: affine.for
// CHECK-NEXT: affine.load
func.func @through_view(%a: memref<4xf32>) {
  %b = memref.cast %a : memref<4xf32> to memref<?xf32>
  affine.for %i = 0 to 4 {
    %0 = affine.load %a[2] : memref<4xf32>
    %1 = arith.addf %0, %0 : f32
    affine.store %1, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// CHECK-LABEL: @unknown_op
// CHECK: affine.for
// CHECK-NEXT: affine.load
func.func @unknown_op(%a: memref<4xf32>) {
  affine.for %i = 0 to 4 {
    %0 = affine.load %a[2] : memref<4xf32>
    "use"(%0) : (f32) -> ()
  }
  return
}

// -----

// CHECK-LABEL: @division
// CHECK: affine.for %{{.*}} = 0 to %arg2 {
// CHECK-NEXT: arith.divsi
// CHECK: arith.divsi
// CHECK-NEXT: affine.for %{{.*}} = 0 to 4 {
func.func @division(%x: i32, %y: i32, %n: index) {
  affine.for %i = 0 to %n {
    %0 = arith.divsi %x, %y : i32
    "use"(%0) : (i32) -> ()
  }
  affine.for %i = 0 to 4 {
    %0 = arith.divsi %x, %y : i32
    "use"(%0) : (i32) -> ()
  }
  return
}
