// RUN: terrace-opt %s -affine-ping-pong -cse | FileCheck %s
// RUN: terrace-opt %s -affine-ping-pong -mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT: (S) 3 num-loops

// Two steps at a time, the second from the array that is made here. It gets what lies
// outside of the box; the array that was copied from has what it would have where the last
// step is the second of a pair.
// CHECK-LABEL: func.func @rows
// CHECK: %[[N:.*]] = memref.dim %arg1, %c0
// CHECK: %[[Q:.*]] = memref.alloc(%[[N]], %{{.*}}) : memref<?x?xf32>
// CHECK: affine.for %[[I:.*]] = 0 to min {{.*}}()[%[[N]]]
// CHECK: affine.for %[[I:.*]] = max {{.*}} to %[[N]] {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to
// CHECK-NEXT: %[[V:.*]] = affine.load %arg1[%[[I]], %[[J]]]
// CHECK-NEXT: affine.store %[[V]], %[[Q]][%[[I]], %[[J]]]
// CHECK: affine.for %{{.*}} = 0 to {{.*}} step 2 {
// CHECK: affine.load %arg1
// CHECK: affine.load %arg1
// CHECK: affine.store %{{.*}}, %[[Q]]
// CHECK: affine.load %[[Q]]
// CHECK: affine.load %[[Q]]
// CHECK: affine.store %{{.*}}, %arg1
// CHECK: affine.if {{.*}}()[%arg0] {
// CHECK: affine.store %{{.*}}, %arg2
// CHECK: affine.load %arg2
// CHECK: affine.store %{{.*}}, %arg1
// CHECK: affine.if
// CHECK: affine.load %arg1
// CHECK: affine.store %{{.*}}, %arg2
// CHECK: memref.dealloc %[[Q]]
func.func @rows(%T: index, %p: memref<?x?xf32>, %w: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %p, %c0 : memref<?x?xf32>
  %m = memref.dim %p, %c1 : memref<?x?xf32>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%n] {
      affine.for %j = 0 to affine_map<()[n] -> (n - 2)>()[%m] {
        %0 = affine.load %p[%i - 1, %j + 2] : memref<?x?xf32>
        %1 = affine.load %p[%i + 1, %j] : memref<?x?xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %w[%i, %j] : memref<?x?xf32>
      }
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%n] {
      affine.for %j = 0 to affine_map<()[n] -> (n - 2)>()[%m] {
        %0 = affine.load %w[%i, %j] : memref<?x?xf32>
        affine.store %0, %p[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// All of an array, so that nothing has to be copied first; and nobody looks at the other
// one afterwards.
// CHECK-LABEL: func.func @own
// CHECK: %[[W:.*]] = memref.alloc
// CHECK: %[[Q:.*]] = memref.alloc
// CHECK-NEXT: xfer.discard %[[Q]]
// CHECK-NEXT: affine.for %{{.*}} = 0 to 8 step 2
// CHECK: affine.if
// CHECK: affine.store %{{.*}}, %[[W]]
// CHECK: affine.store %{{.*}}, %arg0
// CHECK-NOT: affine.if
// CHECK: return
func.func @own(%p: memref<64xf64>) {
  %w = memref.alloc() : memref<64xf64>
  affine.for %t = 0 to 9 {
    affine.for %i = 0 to 64 {
      %0 = affine.load %p[63 - %i] : memref<64xf64>
      affine.store %0, %w[%i] : memref<64xf64>
    }
    affine.for %i = 0 to 64 {
      %0 = affine.load %w[%i] : memref<64xf64>
      affine.store %0, %p[%i] : memref<64xf64>
    }
  }
  memref.dealloc %w : memref<64xf64>
  return
}

// The counter of the steps is one more in the second; loops of the step in another order.
// CHECK-LABEL: func.func @counted
// CHECK: affine.for %[[T:.*]] = 3 to {{.*}} step 2 {
// CHECK: arith.index_cast %[[T]]
// CHECK: %[[NEXT:.*]] = affine.apply {{.*}}(%[[T]])
// CHECK: arith.index_cast %[[NEXT]]
func.func @counted(%T: index, %p: memref<8x9xi64>, %w: memref<8x9xi64>) {
  affine.for %t = 3 to %T {
    affine.for %j = 0 to 9 {
      affine.for %i = 0 to 8 {
        %0 = affine.load %p[7 - %i, 8 - %j] : memref<8x9xi64>
        %1 = arith.index_cast %t : index to i64
        %2 = arith.addi %0, %1 : i64
        affine.store %2, %w[%i, %j] : memref<8x9xi64>
      }
    }
    affine.for %i = 0 to 8 {
      affine.for %j = 0 to 9 {
        %0 = affine.load %w[%i, %j] : memref<8x9xi64>
        affine.store %0, %p[%i, %j] : memref<8x9xi64>
      }
    }
  }
  return
}

// What is copied was not all stored in the step.
// CHECK-LABEL: func.func @more
// CHECK-NOT: memref.alloc
func.func @more(%T: index, %p: memref<64xf64>, %w: memref<64xf64>) {
  affine.for %t = 0 to %T {
    affine.for %i = 1 to 64 {
      %0 = affine.load %p[%i - 1] : memref<64xf64>
      affine.store %0, %w[%i] : memref<64xf64>
    }
    affine.for %i = 0 to 64 {
      %0 = affine.load %w[%i] : memref<64xf64>
      affine.store %0, %p[%i] : memref<64xf64>
    }
  }
  return
}

// Stored under a condition.
// CHECK-LABEL: func.func @sometimes
// CHECK-NOT: memref.alloc
func.func @sometimes(%T: index, %p: memref<64xf64>, %w: memref<64xf64>) {
  affine.for %t = 0 to %T {
    affine.for %i = 0 to 64 {
      %0 = affine.load %p[63 - %i] : memref<64xf64>
      affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) {
        affine.store %0, %w[%i] : memref<64xf64>
      }
    }
    affine.for %i = 0 to 64 {
      %0 = affine.load %w[%i] : memref<64xf64>
      affine.store %0, %p[%i] : memref<64xf64>
    }
  }
  return
}

// The step reads what the one before it stored in the other array.
// CHECK-LABEL: func.func @read_again
// CHECK-NOT: memref.alloc
func.func @read_again(%T: index, %p: memref<64xf64>, %w: memref<64xf64>) {
  affine.for %t = 0 to %T {
    affine.for %i = 0 to 64 {
      %0 = affine.load %p[63 - %i] : memref<64xf64>
      %1 = affine.load %w[%i] : memref<64xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %w[%i] : memref<64xf64>
    }
    affine.for %i = 0 to 64 {
      %0 = affine.load %w[%i] : memref<64xf64>
      affine.store %0, %p[%i] : memref<64xf64>
    }
  }
  return
}

// The array changes in another way too.
// CHECK-LABEL: func.func @changed
// CHECK-NOT: memref.alloc
func.func @changed(%T: index, %p: memref<64xf64>, %w: memref<64xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %t = 0 to %T {
    affine.store %zero, %p[0] : memref<64xf64>
    affine.for %i = 1 to 64 {
      %0 = affine.load %p[%i - 1] : memref<64xf64>
      affine.store %0, %w[%i] : memref<64xf64>
    }
    affine.for %i = 1 to 64 {
      %0 = affine.load %w[%i] : memref<64xf64>
      affine.store %0, %p[%i] : memref<64xf64>
    }
  }
  return
}

// The copy goes to other places.
// CHECK-LABEL: func.func @shifted
// CHECK-NOT: memref.alloc
func.func @shifted(%T: index, %p: memref<64xf64>, %w: memref<64xf64>) {
  affine.for %t = 0 to %T {
    affine.for %i = 1 to 64 {
      %0 = affine.load %p[%i - 1] : memref<64xf64>
      affine.store %0, %w[%i] : memref<64xf64>
    }
    affine.for %i = 1 to 64 {
      %0 = affine.load %w[%i] : memref<64xf64>
      affine.store %0, %p[%i - 1] : memref<64xf64>
    }
  }
  return
}

// Few steps do not pay.
// CHECK-LABEL: func.func @few
// CHECK-NOT: memref.alloc
func.func @few(%p: memref<64xf64>, %w: memref<64xf64>) {
  affine.for %t = 0 to 3 {
    affine.for %i = 0 to 64 {
      %0 = affine.load %p[63 - %i] : memref<64xf64>
      affine.store %0, %w[%i] : memref<64xf64>
    }
    affine.for %i = 0 to 64 {
      %0 = affine.load %w[%i] : memref<64xf64>
      affine.store %0, %p[%i] : memref<64xf64>
    }
  }
  return
}
