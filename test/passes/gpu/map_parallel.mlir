// RUN: terrace-opt %s -allow-unregistered-dialect -map-parallel-to-gpu | FileCheck %s
// RUN: terrace-opt %s -allow-unregistered-dialect -map-parallel-to-gpu='block-sizes=16,4,2' | FileCheck %s --check-prefix=SIZES
// RUN: not terrace-opt %s -map-parallel-to-gpu='block-sizes=1,2,3,4' 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: not terrace-opt %s -map-parallel-to-gpu='block-sizes=0' 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not terrace-opt %s -map-parallel-to-gpu='block-sizes=64,32' 2>&1 | FileCheck %s --check-prefix=LARGE

// FOUR: block-sizes has 4 sizes, expected at most 3
// ZERO: block size 0 is out of range, expected 1 to 1024
// LARGE: a block of 2048 threads is too large, expected at most 1024

// The iterations along x are guarded: the last block may be partly idle.
// CHECK-LABEL: func.func @one
// CHECK: %[[C1:.*]] = arith.constant 1 : index
// CHECK: %[[LENGTH:.*]] = arith.subi %arg1, %{{.*}}
// CHECK: %[[TRIPS:.*]] = arith.maxsi %[[LENGTH]], %{{.*}}
// CHECK: %[[SIZE:.*]] = arith.constant 256 : index
// CHECK: %[[BLOCKS:.*]] = arith.ceildivsi %[[TRIPS]], %[[SIZE]]
// CHECK: gpu.launch blocks(%[[B:[^,]*]], {{.*}}) in (%{{[^ ]*}} = %[[BLOCKS]], {{.*}}) threads(%[[T:[^,]*]], {{.*}}) in (%[[N:[^ ]*]] = %[[SIZE]],
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[B]], %[[N]]
// CHECK-NEXT: %[[K:.*]] = arith.addi %[[FIRST]], %[[T]]
// CHECK-NEXT: %[[INSIDE:.*]] = arith.cmpi slt, %[[K]], %[[TRIPS]]
// CHECK-NEXT: scf.if %[[INSIDE]] {
// CHECK-NEXT: %[[OFFSET:.*]] = arith.muli %[[K]], %{{.*}}
// CHECK-NEXT: %[[I:.*]] = arith.addi %{{.*}}, %[[OFFSET]]
// CHECK-NEXT: memref.store %{{.*}}, %arg0[%[[I]]]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.terminator
// SIZES-LABEL: func.func @one
// SIZES: arith.constant 16 : index
func.func @one(%m: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %f, %m[%i] : memref<?xf32>
  }
  return
}

// Two nested ones are one launch; the inner runs along x. Along y a thread goes
// round, since a grid may have too few blocks there.
// CHECK-LABEL: func.func @two
// CHECK: %[[X:.*]] = arith.constant 32 : index
// CHECK: %[[Y:.*]] = arith.constant 8 : index
// CHECK: %[[MOST:.*]] = arith.constant 65535 : index
// CHECK: %[[GY:.*]] = arith.minsi %{{.*}}, %[[MOST]]
// CHECK: gpu.launch blocks({{.*}}) in ({{.*}} = %[[GY]], {{.*}}) threads({{.*}}) in (%{{.*}} = %[[X]], %{{.*}} = %[[Y]],
// CHECK: scf.for
// CHECK: scf.if
// CHECK: memref.store
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @two(%m: memref<?x?xf32>, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %f = arith.constant 1.0 : f32
  scf.parallel (%i) = (%c1) to (%n) step (%c2) {
    scf.parallel (%j) = (%c0) to (%k) step (%c1) {
      memref.store %f, %m[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// Three dimensions are mapped; the fourth runs inside each thread.
// CHECK-LABEL: func.func @four
// CHECK: gpu.launch
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.if
// CHECK: scf.for %[[A:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[A]],
func.func @four(%m: memref<8x8x8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 1.0 : f32
  scf.parallel (%a, %b, %c, %d) = (%c0, %c0, %c0, %c0) to (%c8, %c8, %c8, %c8) step (%c1, %c1, %c1, %c1) {
    memref.store %f, %m[%a, %b, %c, %d] : memref<8x8x8x8xf32>
  }
  return
}

// A parallel loop behind something else is not part of the nest.
// CHECK-LABEL: func.func @not_perfect
// CHECK: gpu.launch
// CHECK: "test.between"
// CHECK-NEXT: scf.for
func.func @not_perfect(%m: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    "test.between"() : () -> ()
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %f, %m[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// A reduction stays on the host.
// CHECK-LABEL: func.func @reduction
// CHECK-NOT: gpu.launch
// CHECK: scf.parallel
func.func @reduction(%n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%f) -> f32 {
    scf.reduce(%f : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}
