// RUN: terrace-opt %s -affine-parallel-outermost -split-input-file | FileCheck %s

// Each element of %s has its own sum: %j goes outwards.
// CHECK-LABEL: func.func @sums
// CHECK:      affine.for %[[J:.*]] = 0 to 40 {
// CHECK-NEXT:   affine.for %[[I:.*]] = 0 to 30 {
// CHECK-NEXT:     affine.for %[[K:.*]] = 0 to 20 {
// CHECK-NEXT:       affine.load %{{.*}}[%[[J]]]
// CHECK-NEXT:       affine.load %{{.*}}[%[[I]], %[[K]], %[[J]]]
func.func @sums(%a: memref<30x20x40xf32>, %s: memref<40xf32>) {
  affine.for %i = 0 to 30 {
    affine.for %k = 0 to 20 {
      affine.for %j = 0 to 40 {
        %t = affine.load %s[%j] : memref<40xf32>
        %x = affine.load %a[%i, %k, %j] : memref<30x20x40xf32>
        %u = arith.addf %t, %x : f32
        affine.store %u, %s[%j] : memref<40xf32>
      }
    }
  }
  return
}

// -----

// Time steps read what neighbours were: nothing goes outwards.
// CHECK-LABEL: func.func @steps
// CHECK:      affine.for %[[T:.*]] = 0 to 30 {
// CHECK-NEXT:   affine.for %{{.*}} = 1 to 39 {
func.func @steps(%a: memref<40xf32>) {
  affine.for %t = 0 to 30 {
    affine.for %i = 1 to 39 {
      %x = affine.load %a[%i - 1] : memref<40xf32>
      affine.store %x, %a[%i] : memref<40xf32>
    }
  }
  return
}

// -----

// The outermost loop is parallel already.
// CHECK-LABEL: func.func @rows
// CHECK:      affine.for %[[I:.*]] = 0 to 30 {
// CHECK-NEXT:   affine.for %[[J:.*]] = 0 to 40 {
// CHECK-NEXT:     affine.load %{{.*}}[%[[I]], %[[J]]]
func.func @rows(%a: memref<30x40xf32>, %b: memref<30x40xf32>) {
  affine.for %i = 0 to 30 {
    affine.for %j = 0 to 40 {
      %x = affine.load %a[%i, %j] : memref<30x40xf32>
      affine.store %x, %b[%i, %j] : memref<30x40xf32>
    }
  }
  return
}
