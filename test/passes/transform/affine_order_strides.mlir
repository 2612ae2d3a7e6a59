// RUN: terrace-opt %s -affine-order-strides -mlir-pass-statistics 2>&1 | FileCheck %s

// Along %j both b and c go from one element to the next.
// CHECK-LABEL: func.func @product
// CHECK: affine.for %[[I:.*]] = 0 to 100 {
// CHECK: affine.for %[[K:.*]] = 0 to 100 {
// CHECK: affine.for %[[J:.*]] = 0 to 100 {
// CHECK: affine.load %{{.*}}[%[[I]], %[[J]]]
// CHECK: affine.load %{{.*}}[%[[I]], %[[K]]]
// CHECK: affine.load %{{.*}}[%[[K]], %[[J]]]
func.func @product(%a: memref<100x100xf64>, %b: memref<100x100xf64>, %c: memref<100x100xf64>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      affine.for %k = 0 to 100 {
        %x = affine.load %c[%i, %j] : memref<100x100xf64>
        %y = affine.load %a[%i, %k] : memref<100x100xf64>
        %z = affine.load %b[%k, %j] : memref<100x100xf64>
        %p = arith.mulf %y, %z : f64
        %q = arith.addf %x, %p : f64
        affine.store %q, %c[%i, %j] : memref<100x100xf64>
      }
    }
  }
  return
}

// The same with a sum that the loop carries: it becomes the element, and what it starts from
// is stored in a loop of its own.
// CHECK-LABEL: func.func @carried
// CHECK: affine.for %[[I:.*]] = 0 to 100 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 100 {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %[[K:.*]] = 0 to 100 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 100 {
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @carried(%a: memref<100x100xf64>, %b: memref<100x100xf64>, %c: memref<100x100xf64>, %zero: f64) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      %s = affine.for %k = 0 to 100 iter_args(%t = %zero) -> (f64) {
        %y = affine.load %a[%i, %k] : memref<100x100xf64>
        %z = affine.load %b[%k, %j] : memref<100x100xf64>
        %p = arith.mulf %y, %z : f64
        %q = arith.addf %t, %p : f64
        affine.yield %q : f64
      }
      affine.store %s, %c[%i, %j] : memref<100x100xf64>
    }
  }
  return
}

// The outermost loop goes inwards in strips, which threads can share out.
// CHECK-LABEL: func.func @columns
// CHECK: affine.for %[[S:.*]] = 0 to %{{.*}} step 512 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to %{{.*}} {
// CHECK-NEXT: affine.for %[[I:.*]] = {{.*}}(%[[S]]) to min
// CHECK: affine.load %{{.*}}[%[[J]], %[[I]]]
func.func @columns(%a: memref<?x?xf64>, %x: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %y = affine.load %x[%i] : memref<?xf64>
      %z = affine.load %a[%j, %i] : memref<?x?xf64>
      %q = arith.addf %y, %z : f64
      affine.store %q, %x[%i] : memref<?xf64>
    }
  }
  return
}

// A dependence that would go back; rows already; and a loop that runs a few times.
// CHECK-LABEL: func.func @stay
// CHECK: affine.for %[[I:.*]] = 1 to 100 {
// CHECK-NEXT: affine.for %[[J:.*]] = 1 to 99 {
// CHECK-NEXT: affine.load %{{.*}}[%[[J]] + 1, %[[I]] - 1]
// CHECK: affine.for %[[I:.*]] = 0 to 100 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 100 {
// CHECK-NEXT: affine.load %{{.*}}[%[[I]], %[[J]]]
// CHECK: affine.for %[[I:.*]] = 0 to 3 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 100 {
// CHECK-NEXT: affine.load %{{.*}}[%[[J]], %[[I]]]
func.func @stay(%a: memref<100x100xf64>, %b: memref<100x100xf64>) {
  affine.for %i = 1 to 100 {
    affine.for %j = 1 to 99 {
      %x = affine.load %a[%j + 1, %i - 1] : memref<100x100xf64>
      affine.store %x, %a[%j, %i] : memref<100x100xf64>
    }
  }
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      %x = affine.load %a[%i, %j] : memref<100x100xf64>
      affine.store %x, %b[%i, %j] : memref<100x100xf64>
    }
  }
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 100 {
      %x = affine.load %a[%j, %i] : memref<100x100xf64>
      affine.store %x, %b[%j, %i] : memref<100x100xf64>
    }
  }
  return
}
// CHECK: 3 num-nests
