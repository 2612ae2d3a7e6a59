// RUN: terrace-opt %s -split-input-file -test-loop-fusion="test-loop-fusion-slice-computation test-loop-fusion-dependence-check" -verify-diagnostics
// RUN: terrace-opt %s -split-input-file -test-loop-fusion=test-loop-fusion-utilities | FileCheck %s

// CHECK-LABEL: func.func @shifted
func.func @shifted() {
  // CHECK-COUNT-1: affine.for
  // CHECK-NOT: affine.for
  %A = memref.alloc() : memref<100xf32>
  %c = arith.constant 7.0 : f32
  // expected-remark @below {{slice ( src loop: 1, dst loop: 0, depth: 1 : insert point: (1, 1) loop bounds: [(d0) -> (d0 + 1), (d0) -> (d0 + 2)] )}}
  affine.for %i = 0 to 9 {
    affine.store %c, %A[%i + 1] : memref<100xf32>
  }
  // expected-remark @below {{slice ( src loop: 0, dst loop: 1, depth: 1 : insert point: (1, 0) loop bounds: [(d0) -> (d0 - 1), (d0) -> (d0)] )}}
  affine.for %i = 1 to 10 {
    %x = affine.load %A[%i] : memref<100xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @between
func.func @between() {
  // CHECK: affine.for
  %A = memref.alloc() : memref<10xf32>
  %B = memref.alloc() : memref<10xf32>
  %c = arith.constant 7.0 : f32
  // expected-remark @below {{slice ( src loop: 1, dst loop: 0, depth: 1 : insert point: (1, 1) loop bounds: [(d0) -> (-d0 + 9), (d0) -> (-d0 + 10)] )}}
  // expected-remark @below {{block-level dependence preventing fusion of loop nest 0 into loop nest 2 at depth 0}}
  affine.for %i = 0 to 10 {
    affine.store %c, %A[%i] : memref<10xf32>
  }
  // expected-remark @below {{slice ( src loop: 0, dst loop: 1, depth: 1 : insert point: (1, 0) loop bounds: [(d0) -> (-d0 + 9), (d0) -> (-d0 + 10)] )}}
  // expected-remark @below {{slice ( src loop: 2, dst loop: 1, depth: 1 : insert point: (1, 2) loop bounds: [(d0) -> (0), (d0) -> (10)] )}}
  affine.for %i = 0 to 10 {
    %x = affine.load %A[9 - %i] : memref<10xf32>
    affine.store %x, %B[0] : memref<10xf32>
  }
  // expected-remark @below {{slice ( src loop: 1, dst loop: 2, depth: 1 : insert point: (1, 0) loop bounds: [(d0) -> (0), (d0) -> (10)] )}}
  // expected-remark @below {{block-level dependence preventing fusion of loop nest 2 into loop nest 0 at depth 0}}
  affine.for %i = 0 to 10 {
    %x = affine.load %A[%i] : memref<10xf32>
    %y = affine.load %B[0] : memref<10xf32>
  }
  return
}
