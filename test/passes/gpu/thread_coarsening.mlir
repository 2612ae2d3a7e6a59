// RUN: terrace-opt %s -gpu-coarsen-threads='iterations=4 stage=false' -canonicalize -cse | FileCheck %s
// RUN: terrace-opt %s -gpu-coarsen-threads=stage=false -canonicalize -cse | FileCheck %s --check-prefix=TWO
// RUN: terrace-opt %s -gpu-coarsen-threads=stage=false -map-parallel-to-gpu -canonicalize -cse | FileCheck %s --check-prefix=BLOCK
// RUN: not terrace-opt %s -gpu-coarsen-threads='iterations=9' 2>&1 | FileCheck %s --check-prefix=NINE

// NINE: iterations is 9, expected 1 to 8

// Four iterations go over %b together, which is loaded once for all of them, eight elements
// at a time; with few iterations a thread has one, which the host sees.
// CHECK-LABEL: func.func @pairs
// CHECK: %[[MANY:.*]] = arith.cmpi sge, %arg3, %c131072
// CHECK: %[[STEP:.*]] = arith.select %[[MANY]], %c4, %c1
// CHECK: scf.parallel (%[[I:.*]]) = (%c0) to (%arg3) step (%[[STEP]])
// CHECK: %[[FULL:.*]] = arith.cmpi slt
// CHECK: scf.if %[[FULL]] {
// CHECK-COUNT-4: memref.load %arg0
// CHECK-NOT: memref.load
// Where %b is aligned, four at a time.
// CHECK: %[[FITS:.*]] = gpu.rows_aligned %arg1 to 16 : memref<?xf32>
// CHECK: %[[MANY:.*]]:4 = scf.if %[[FITS]]
// CHECK: scf.for %{{.*}} = %c0 to %[[MIDDLE:.*]] step %c8
// CHECK: vector.load %arg1[{{.*}}] {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK-NOT: memref.load
// CHECK-COUNT-16: math.sqrt
// CHECK: vector.load %arg1
// CHECK-COUNT-16: math.sqrt
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %c0 to %[[MIDDLE]] step %c8
// CHECK-NOT: vector.load
// CHECK-COUNT-32: math.sqrt
// CHECK: scf.yield
// CHECK: %[[SUMS:.*]]:4 = scf.for %{{.*}} = %[[MIDDLE]] to %arg3 step %c1 iter_args({{.*}} = %[[MANY]]#0, {{.*}} = %[[MANY]]#3)
// CHECK-COUNT-1: memref.load %arg1
// CHECK-NOT: memref.load
// CHECK-COUNT-4: math.sqrt
// CHECK: scf.yield
// CHECK: memref.store %[[SUMS]]#0, %arg2[%[[I]]]
// CHECK: memref.store %[[SUMS]]#1
// CHECK: memref.store %[[SUMS]]#2
// CHECK: memref.store %[[SUMS]]#3
// CHECK: } else {
// CHECK: scf.for %[[K:.*]] = %[[I]] to
// CHECK: memref.store %{{.*}}, %arg2[%[[K]]]
// CHECK: gpu.rows = 4
// CHECK: gpu.block = array<i64: 512, 1, 1>, gpu.coarsened, gpu.rows = 4
// TWO-LABEL: func.func @pairs
// TWO: arith.cmpi sge, %arg3, %c65536
// TWO: scf.parallel
// TWO-COUNT-34: math.sqrt
// TWO: } else {
// BLOCK-LABEL: func.func @pairs
// BLOCK: gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %c512, %{{.*}} = %c1, %{{.*}} = %c1)
func.func @pairs(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %a[%i] : memref<?xf32>
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %y = memref.load %b[%j] : memref<?xf32>
      %0 = arith.subf %x, %y : f32
      %1 = math.sqrt %0 : f32
      %2 = arith.addf %sum, %1 : f32
      scf.yield %2 : f32
    }
    memref.store %s, %c[%i] : memref<?xf32>
  }
  return
}

// Iterations load elements of their own: that is for other mappings.
// CHECK-LABEL: func.func @rows
// CHECK: scf.parallel ({{.*}}) step (%c1)
// CHECK-NOT: gpu.rows
func.func @rows(%a: memref<?x?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %x = memref.load %a[%i, %j] : memref<?x?xf32>
      %y = memref.load %b[%j] : memref<?xf32>
      %0 = arith.subf %x, %y : f32
      %1 = math.sqrt %0 : f32
      %2 = arith.mulf %1, %x : f32
      %3 = arith.addf %sum, %2 : f32
      scf.yield %3 : f32
    }
    memref.store %s, %c[%i] : memref<?xf32>
  }
  return
}

// As many iterations of the inner loop as the outer counter says: they have no loop in
// common.
// CHECK-LABEL: func.func @triangle
// CHECK: scf.parallel ({{.*}}) step (%c1)
// CHECK-NOT: gpu.rows
func.func @triangle(%b: memref<?xf32>, %c: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %s = scf.for %j = %c0 to %i step %c1 iter_args(%sum = %zero) -> (f32) {
      %y = memref.load %b[%j] : memref<?xf32>
      %0 = arith.subf %sum, %y : f32
      %1 = math.sqrt %0 : f32
      %2 = arith.addf %sum, %1 : f32
      scf.yield %2 : f32
    }
    memref.store %s, %c[%i] : memref<?xf32>
  }
  return
}

// Each thread has memory of its own, which the others do not load.
// CHECK-LABEL: func.func @own
// CHECK: scf.parallel ({{.*}}) step (%c1)
// CHECK-NOT: gpu.rows
func.func @own(%c: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %t = memref.alloca() : memref<8xf32>
    %v = memref.load %c[%i] : memref<?xf32>
    memref.store %v, %t[%c0] : memref<8xf32>
    %s = scf.for %j = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> (f32) {
      %y = memref.load %t[%j] : memref<8xf32>
      %0 = arith.subf %sum, %y : f32
      %1 = math.sqrt %0 : f32
      %2 = arith.addf %sum, %1 : f32
      scf.yield %2 : f32
    }
    memref.store %s, %c[%i] : memref<?xf32>
  }
  return
}

// Nothing to compute with what is loaded.
// CHECK-LABEL: func.func @sum
// CHECK: scf.parallel ({{.*}}) step (%c1)
// CHECK-NOT: gpu.rows
func.func @sum(%b: memref<?xf32>, %c: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %y = memref.load %b[%j] : memref<?xf32>
      %0 = arith.addf %sum, %y : f32
      scf.yield %0 : f32
    }
    memref.store %s, %c[%i] : memref<?xf32>
  }
  return
}
