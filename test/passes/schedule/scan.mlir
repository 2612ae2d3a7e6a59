// RUN: terrace-opt %s --split-input-file --apply-schedule | FileCheck %s

// A recurrence with a factor: what each block does to the value, the value before each
// block, and the blocks. The first and the last of the three loops are parallel.

// CHECK-LABEL: func.func @linear
// CHECK-DAG:     %[[A:.*]] = memref.alloc() : memref<8xf32>
// CHECK-DAG:     %[[B:.*]] = memref.alloc() : memref<8xf32>
// CHECK-DAG:     %[[X:.*]] = memref.alloc() : memref<8xf32>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.0
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1.0
// CHECK:         affine.parallel (%[[K:.*]]) = (0) to (60) step (8) {
// CHECK-NEXT:      %[[F:.*]]:2 = affine.for %[[I:.*]] = #{{.*}}(%[[K]]) to min #{{.*}}(%[[K]]) iter_args(%[[S:.*]] = %[[ZERO]], %[[P:.*]] = %[[ONE]])
// CHECK-DAG:         %[[AI:.*]] = affine.load %arg0[%[[I]]]
// CHECK-DAG:         %[[BI:.*]] = affine.load %arg1[%[[I]]]
// CHECK:             %[[M:.*]] = arith.mulf %[[AI]], %[[S]]
// CHECK-NEXT:        %[[N:.*]] = arith.addf %[[M]], %[[BI]]
// CHECK-NEXT:        %[[Q:.*]] = arith.mulf %[[AI]], %[[P]]
// CHECK-NEXT:        affine.yield %[[N]], %[[Q]]
// CHECK:           affine.store %[[F]]#0, %[[SUMS:.*]][%[[K]] floordiv 8]
// CHECK-NEXT:      affine.store %[[F]]#1, %[[PRODUCTS:.*]][%[[K]] floordiv 8]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[R:.*]] = affine.for %[[K:.*]] = 0 to 60 step 8 iter_args(%[[V:.*]] = %arg3)
// CHECK-NEXT:      affine.store %[[V]], %[[STARTS:.*]][%[[K]] floordiv 8]
// CHECK-NEXT:      %[[P:.*]] = affine.load %[[PRODUCTS]][%[[K]] floordiv 8]
// CHECK-NEXT:      %[[PV:.*]] = arith.mulf %[[P]], %[[V]]
// CHECK-NEXT:      %[[S:.*]] = affine.load %[[SUMS]][%[[K]] floordiv 8]
// CHECK-NEXT:      %[[W:.*]] = arith.addf %[[PV]], %[[S]]
// CHECK-NEXT:      affine.yield %[[W]]
// CHECK-NEXT:    }
// CHECK-NEXT:    affine.parallel (%[[K:.*]]) = (0) to (60) step (8) {
// CHECK-NEXT:      %[[V:.*]] = affine.load %[[STARTS]][%[[K]] floordiv 8]
// CHECK-NEXT:      affine.for %[[I:.*]] = #{{.*}}(%[[K]]) to min #{{.*}}(%[[K]]) iter_args(%{{.*}} = %[[V]])
// CHECK:             affine.store %[[Y:.*]], %arg2[%[[I]]]
// CHECK-NEXT:        affine.yield %[[Y]]
// CHECK:         memref.dealloc
// CHECK-NEXT:    memref.dealloc
// CHECK-NEXT:    memref.dealloc
// CHECK-NEXT:    return %[[R]]
schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %s:3 = schedule.scan %i by 8 {reassociate}
  %a = schedule.parallel %s#0
  %b = schedule.parallel %s#2
}
func.func @linear(%A: memref<60xf32>, %B: memref<60xf32>, %C: memref<60xf32>, %x0: f32) -> f32 {
  %r = affine.for %i = 0 to 60 iter_args(%x = %x0) -> (f32) {
    %a = affine.load %A[%i] : memref<60xf32>
    %b = affine.load %B[%i] : memref<60xf32>
    %m = arith.mulf %a, %x : f32
    %y = arith.addf %m, %b : f32
    affine.store %y, %C[%i] : memref<60xf32>
    affine.yield %y : f32
  }
  return %r : f32
}

// -----

// Sums of integers: exact, so that nothing is to be allowed; there is no factor. Wrapping
// that the sums of the program do not do may happen here.

// CHECK-LABEL: func.func @prefix_sum
// CHECK:         affine.for
// CHECK-NEXT:      %[[F:.*]] = affine.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (i32) {
// CHECK-NEXT:        %[[V:.*]] = affine.load
// CHECK-NEXT:        arith.addi %[[S]], %[[V]] : i32
// CHECK:           affine.store %[[F]]
// CHECK-NEXT:    }
// CHECK-NEXT:    affine.for {{.*}} iter_args
// CHECK-NEXT:      affine.store
// CHECK-NEXT:      affine.load
// CHECK-NEXT:      arith.addi
// CHECK-NEXT:      affine.yield
// CHECK:         affine.for
// CHECK-NEXT:      affine.load
// CHECK-NEXT:      affine.for
// CHECK:             arith.addi %{{.*}}, %{{.*}} overflow<nsw>
schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %s:3 = schedule.scan %i by 16
}
func.func @prefix_sum(%A: memref<?xi32>, %B: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : i32
  affine.for %i = 0 to %n iter_args(%x = %c0) -> (i32) {
    %a = affine.load %A[%i] : memref<?xi32>
    %y = arith.addi %x, %a overflow<nsw> : i32
    affine.store %y, %B[%i] : memref<?xi32>
    affine.yield %y : i32
  }
  return
}

// -----

// A recurrence through an array: first in a register, then scanned. x becomes
// b - (x * a) / c; what is added stands for 0 in the factor.

// CHECK-LABEL: func.func @through_memory
// CHECK:         affine.parallel {{.*}} step (4) {
// CHECK-NEXT:      affine.for {{.*}} iter_args(%[[S:.*]] = %[[ZERO:.*]], %[[P:.*]] = %{{.*}}) -> (f64, f64)
// CHECK:             arith.mulf %[[S]], %[[A:.*]] : f64
// CHECK-NEXT:        arith.divf
// CHECK-NEXT:        %[[N:.*]] = arith.subf
// CHECK-NEXT:        %[[M:.*]] = arith.mulf %[[P]], %[[A]] : f64
// CHECK-NEXT:        %[[D:.*]] = arith.divf %[[M]], %{{.*}} : f64
// CHECK-NEXT:        %[[Q:.*]] = arith.subf %[[ZERO]], %[[D]] : f64
// CHECK-NEXT:        affine.yield %[[N]], %[[Q]]
schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %p = schedule.promote %i array "X"
  %s:3 = schedule.scan %p by 4 {reassociate}
  %a = schedule.parallel %s#0
  %b = schedule.parallel %s#2
}
func.func @through_memory(%X: memref<64xf64>, %A: memref<64xf64>, %B: memref<64xf64>, %c: f64) {
  affine.for %i = 1 to 64 {
    %x = affine.load %X[%i - 1] : memref<64xf64>
    %a = affine.load %A[%i] : memref<64xf64>
    %b = affine.load %B[%i] : memref<64xf64>
    %m = arith.mulf %x, %a : f64
    %d = arith.divf %m, %c : f64
    %y = arith.subf %b, %d : f64
    affine.store %y, %X[%i] : memref<64xf64>
  }
  return
}
