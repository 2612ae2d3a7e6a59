// RUN: terrace-opt %s -gpu-fuse-nests='notes=true' 2>%t.notes | FileCheck %s --check-prefix=IR
// RUN: FileCheck %s --input-file=%t.notes

// Conditions on data have a cost as both ways, and those on loop variables as the iterations that go
// there.
// IR-LABEL: func.func @choices
// IR: affine.parallel
// IR-NOT: affine.parallel
// CHECK: conditions.mlir:[[# @LINE + 4]]:3: remark: fused with loop 'i' at line
func.func @choices(%A: memref<8388608xf32>, %B: memref<8388608xf32>, %C: memref<8388608xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  affine.parallel (%i) = (0) to (8388608) {
    %inside = arith.cmpi sge, %i, %one : index
    %a = scf.if %inside -> (f32) {
      %x = affine.load %A[%i - 1] : memref<8388608xf32>
      scf.yield %x : f32
    } else {
      %x = affine.load %A[%i] : memref<8388608xf32>
      scf.yield %x : f32
    }
    affine.store %a, %B[%i] : memref<8388608xf32>
  }
  affine.parallel (%i) = (0) to (8388608) {
    %b = affine.load %B[%i] : memref<8388608xf32>
    %less = arith.cmpf olt, %b, %zero : f32
    scf.if %less {
      affine.store %b, %C[%i] : memref<8388608xf32>
    }
  }
  return
}

// The loops run in any order, so in the one in which both go along the rows of B.
// IR-LABEL: func.func @turned
// IR: affine.parallel (%[[I:.*]]) =
// IR: affine.parallel (%[[J:.*]]) =
// IR: affine.store %[[X:.*]], %{{.*}}[%[[I]], %[[J]]]
// IR: affine.store %[[X]], %{{.*}}[%[[I]], %[[J]]]
// IR-NOT: affine.parallel
// CHECK: conditions.mlir:[[# @LINE + 2]]:3: remark: fused with loop 'j' at line
func.func @turned(%A: memref<4096x2048xf32>, %B: memref<4096x2048xf32>, %C: memref<4096x2048xf32>) {
  affine.parallel (%i) = (0) to (4096) {
    affine.parallel (%j) = (0) to (2048) {
      %a = affine.load %A[%i, %j] : memref<4096x2048xf32>
      affine.store %a, %B[%i, %j] : memref<4096x2048xf32>
    }
  }
  affine.parallel (%j) = (0) to (2048) {
    affine.parallel (%i) = (0) to (4096) {
      %b = affine.load %B[%i, %j] : memref<4096x2048xf32>
      affine.store %b, %C[%i, %j] : memref<4096x2048xf32>
    }
  }
  return
}

// What is left over would be more launches than it gains; one nest asks instead.
// IR-LABEL: func.func @asks
// IR: affine.parallel
// IR: affine.store
// IR: affine.if
// IR: affine.store
// IR-NOT: affine.parallel
// CHECK: conditions.mlir:[[# @LINE + 2]]:3: remark: fused with loop 'i, j' at line
func.func @asks(%A: memref<1024x1024xf32>, %B: memref<1024x1024xf32>, %C: memref<1024x1024xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (1024, 1024) {
    %a = affine.load %A[%i, %j] : memref<1024x1024xf32>
    affine.store %a, %B[%i, %j] : memref<1024x1024xf32>
  }
  affine.parallel (%i, %j) = (1, 1) to (1023, 1023) {
    %b = affine.load %B[%i, %j] : memref<1024x1024xf32>
    affine.store %b, %C[%i, %j] : memref<1024x1024xf32>
  }
  return
}

// Sums in elements that data choose have threads of their own number.
// IR-LABEL: func.func @scatters
// IR-COUNT-2: affine.parallel
// CHECK: not fused with loop 'i' at line {{[0-9]+}}: loop 'i' at line {{[0-9]+}} adds to elements that data choose
func.func @scatters(%A: memref<8388608xi32>, %B: memref<8388608xi32>, %C: memref<256xi32>) {
  %one = arith.constant 1 : i32
  affine.parallel (%i) = (0) to (8388608) {
    %a = affine.load %A[%i] : memref<8388608xi32>
    affine.store %a, %B[%i] : memref<8388608xi32>
  }
  affine.parallel (%i) = (0) to (8388608) {
    %b = affine.load %B[%i] : memref<8388608xi32>
    %at = arith.index_cast %b : i32 to index
    %old = memref.atomic_rmw addi %one, %C[%at] : (i32, memref<256xi32>) -> i32
  }
  return
}

// A stencil, whose threads have several rows, and what is none: together they are none, and much
// faster by the model.
// IR-LABEL: func.func @stencil
// IR-COUNT-2: affine.parallel
// IR-NOT: affine.parallel
// CHECK: fused with loop 'i' at line {{[0-9]+}}: {{[0-9.]+}} us in place of
func.func @stencil(%A: memref<2048x2048xf64>, %B: memref<2048x2048xf64>, %C: memref<2048x2048xf64>) {
  affine.parallel (%i) = (1) to (2047) {
    affine.parallel (%j) = (1) to (2047) {
      %n = affine.load %A[%i - 1, %j] : memref<2048x2048xf64>
      %s = affine.load %A[%i + 1, %j] : memref<2048x2048xf64>
      %x = arith.addf %n, %s : f64
      affine.store %x, %B[%i, %j] : memref<2048x2048xf64>
    }
  }
  affine.parallel (%i) = (1) to (2047) {
    affine.parallel (%j) = (1) to (2047) {
      affine.for %k = 0 to 2 {
        %n = affine.load %A[%i, %j] : memref<2048x2048xf64>
        affine.store %n, %C[%i + %k - 1, %j] : memref<2048x2048xf64>
      }
    }
  }
  return
}
