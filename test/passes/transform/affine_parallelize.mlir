// RUN: terrace-opt %s --affine-parallelize | FileCheck %s
// RUN: terrace-opt %s --affine-parallelize=max-nested=1 | FileCheck %s --check-prefix=OUTER
// RUN: terrace-opt %s --affine-parallelize=parallel-reductions=1 | FileCheck %s --check-prefix=REDUCE

// CHECK-LABEL: func.func @independent
// OUTER-LABEL: func.func @independent
func.func @independent(%a: memref<?x64xf32>, %n: index, %x: f32) {
  // CHECK: affine.parallel (%[[I:.*]]) = (0) to (symbol(%arg1)) {
  // CHECK-NEXT: affine.parallel (%[[J:.*]]) = (0) to (64) step (2) {
  // CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
  // OUTER: affine.parallel
  // OUTER-NEXT: affine.for
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 64 step 2 {
      affine.store %x, %a[%i, %j] : memref<?x64xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @recurrence
func.func @recurrence(%a: memref<64xf32>) {
  // CHECK: affine.for
  affine.for %i = 1 to 64 {
    %0 = affine.load %a[%i - 1] : memref<64xf32>
    affine.store %0, %a[%i] : memref<64xf32>
  }
  return
}

// Even and odd elements do not meet.
// CHECK-LABEL: func.func @even_and_odd
func.func @even_and_odd(%a: memref<130xf32>) {
  // CHECK: affine.parallel
  affine.for %i = 0 to 64 {
    %0 = affine.load %a[%i * 2 + 1] : memref<130xf32>
    affine.store %0, %a[%i * 2] : memref<130xf32>
  }
  return
}

// All iterations write one element.
// CHECK-LABEL: func.func @same_element
func.func @same_element(%a: memref<64xf32>, %x: f32) {
  // CHECK: affine.for
  affine.for %i = 0 to 64 {
    affine.store %x, %a[0] : memref<64xf32>
  }
  return
}

// Each iteration has memory of its own.
// CHECK-LABEL: func.func @own_memory
func.func @own_memory(%x: f32) {
  // CHECK: affine.parallel
  affine.for %i = 0 to 64 {
    %m = memref.alloc() : memref<1xf32>
    affine.store %x, %m[0] : memref<1xf32>
    memref.dealloc %m : memref<1xf32>
  }
  return
}

// A view that moves against its subscript: all iterations write element 64.
// CHECK-LABEL: func.func @moving_view
func.func @moving_view(%a: memref<128xf32>, %x: f32) {
  // CHECK: affine.for
  affine.for %i = 0 to 64 {
    %o = affine.apply affine_map<(d0) -> (64 - d0)>(%i)
    %v = memref.subview %a[%o] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1], offset: ?>>
    affine.store %x, %v[%i] : memref<64xf32, strided<[1], offset: ?>>
  }
  return
}

func.func private @effect()

// CHECK-LABEL: func.func @call
func.func @call() {
  // CHECK: affine.for
  affine.for %i = 0 to 64 {
    func.call @effect() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @sum
// REDUCE-LABEL: func.func @sum
// REDUCE-SAME: (%{{.*}}: memref<64xf32>, %[[X:.*]]: f32)
func.func @sum(%a: memref<64xf32>, %x: f32) -> f32 {
  // CHECK: affine.for
  // REDUCE: %[[R:.*]] = affine.parallel (%[[I:.*]]) = (0) to (64) reduce ("addf") -> (f32) {
  // REDUCE-NEXT: %[[V:.*]] = affine.load %{{.*}}[%[[I]]]
  // REDUCE-NEXT: affine.yield %[[V]]
  // REDUCE-NEXT: }
  // REDUCE-NEXT: %[[S:.*]] = arith.addf %[[X]], %[[R]]
  // REDUCE-NEXT: return %[[S]]
  %r = affine.for %i = 0 to 64 iter_args(%s = %x) -> (f32) {
    %0 = affine.load %a[%i] : memref<64xf32>
    %1 = arith.addf %s, %0 : f32
    affine.yield %1 : f32
  }
  return %r : f32
}

// A difference is no reduction.
// REDUCE-LABEL: func.func @difference
func.func @difference(%a: memref<64xf32>, %x: f32) -> f32 {
  // REDUCE: affine.for
  %r = affine.for %i = 0 to 64 iter_args(%s = %x) -> (f32) {
    %0 = affine.load %a[%i] : memref<64xf32>
    %1 = arith.subf %s, %0 : f32
    affine.yield %1 : f32
  }
  return %r : f32
}

// Under this condition the iterations are even: 2 apart, where the store is 1 ahead.
// CHECK-LABEL: func.func @condition
func.func @condition(%a: memref<65xf32>) {
  // CHECK: affine.parallel
  affine.for %i = 0 to 64 {
    affine.if affine_set<(d0) : (d0 mod 2 == 0)>(%i) {
      %0 = affine.load %a[%i] : memref<65xf32>
      affine.store %0, %a[%i + 1] : memref<65xf32>
    }
  }
  return
}

// A view of memory that each iteration has for itself, whose elements differ.
// CHECK-LABEL: func.func @view_of_own
func.func @view_of_own(%x: f32) {
  // CHECK: affine.parallel
  affine.for %i = 0 to 64 {
    %m = memref.alloc() : memref<128xf32>
    affine.store %x, %m[0] : memref<128xf32>
    %r = memref.reinterpret_cast %m to offset: [0], sizes: [8, 16], strides: [16, 1] : memref<128xf32> to memref<8x16xf32>
    // CHECK: affine.parallel
    affine.for %j = 0 to 8 {
      affine.store %x, %r[%j, %j] : memref<8x16xf32>
    }
  }
  return
}

// Strides of 1 make the rows overlap.
// CHECK-LABEL: func.func @overlapping_view
func.func @overlapping_view(%m: memref<128xf32>, %x: f32) {
  %r = memref.reinterpret_cast %m to offset: [0], sizes: [8, 16], strides: [1, 1] : memref<128xf32> to memref<8x16xf32, strided<[1, 1]>>
  // CHECK: affine.for
  affine.for %j = 0 to 8 {
    affine.store %x, %r[%j, 8 - %j] : memref<8x16xf32, strided<[1, 1]>>
  }
  return
}
