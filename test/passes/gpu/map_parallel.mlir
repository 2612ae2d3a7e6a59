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
// CHECK: %[[TRIPS:.*]] = arith.maxsi %arg1, %{{.*}}
// CHECK: %[[SIZE:.*]] = arith.constant 256 : index
// CHECK: %[[BLOCKS:.*]] = arith.ceildivsi %[[TRIPS]], %[[SIZE]]
// CHECK: gpu.launch blocks(%[[B:[^,]*]], {{.*}}) in (%{{[^ ]*}} = %[[BLOCKS]], {{.*}}) threads(%[[T:[^,]*]], {{.*}}) in (%[[N:[^ ]*]] = %[[SIZE]],
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[B]], %[[N]]
// CHECK-NEXT: %[[K:.*]] = arith.addi %[[FIRST]], %[[T]]
// CHECK-NEXT: %[[INSIDE:.*]] = arith.cmpi slt, %[[K]], %[[TRIPS]]
// CHECK-NEXT: scf.if %[[INSIDE]] {
// CHECK-NEXT: memref.store %{{.*}}, %arg0[%[[K]]]
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

// Of four loops the two outer ones share z; sizes that divide evenly need no guard.
// CHECK-LABEL: func.func @four
// CHECK: gpu.launch
// CHECK-NOT: scf.if
// CHECK: %[[B:.*]] = arith.remui %[[Z:.*]], %[[C8:.*]] : index
// CHECK: %[[A:.*]] = arith.divui %[[Z]], %[[C8]] : index
// CHECK: memref.store %{{.*}}, %arg0[%[[A]], %[[B]],
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

// A reduction is two launches; the host loads what the second one leaves.
// CHECK-LABEL: func.func @reduction
// CHECK: %[[SUM:.*]] = memref.alloca() : memref<1xf32>
// CHECK: %[[PARTS:.*]] = memref.alloca() : memref<1024xf32>
// CHECK: gpu.launch
// CHECK: memref.store %{{.*}}, %[[PARTS]]
// CHECK: gpu.launch
// CHECK: memref.load %[[PARTS]]
// CHECK: memref.store %{{.*}}, %[[SUM]]
// CHECK: %[[R:.*]] = memref.load %[[SUM]]
// CHECK: return %[[R]]
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

// What says in each iteration how values are combined is no reduction of a device.
// CHECK-LABEL: func.func @no_reduction
// CHECK-NOT: gpu.launch
// CHECK: scf.parallel
func.func @no_reduction(%a: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%f) -> f32 {
    %v = memref.load %a[%i] : memref<?xf32>
    scf.reduce(%f : f32) {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      %t = arith.addf %s, %v : f32
      scf.reduce.return %t : f32
    }
  }
  return %r : f32
}

// Along x runs the loop along which elements lie side by side, unless sizes or a mapping say
// otherwise. Notes tell what a launch is made of.
// RUN: terrace-opt %s -allow-unregistered-dialect -map-parallel-to-gpu='notes=true' | FileCheck %s --check-prefix=NOTES
// NOTES-LABEL: func.func @transposed
// NOTES: gpu.launch
// NOTES: memref.store %{{.*}}, %arg0[%[[J:.*]], %[[I:.*]]]
// NOTES: gpu.mapped = {accesses = {{\[\[}}"m", "m[j][i]", [{{.*}}], true, 1, 4, unit, 4, 4]], grid = ["2", "8", "1"], kind = "nest", loops = {{\[\[}}"i", [{{.*}}], 0], ["j", [{{.*}}], 1]]}
func.func @transposed(%m: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %f = arith.constant 1.0 : f32
  scf.parallel (%i, %j) = (%c0, %c0) to (%c64, %c64) step (%c1, %c1) {
    memref.store %f, %m[%j, %i] : memref<64x64xf32>
  }
  return
}
