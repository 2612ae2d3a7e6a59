// RUN: terrace-opt %s --lower-affine | FileCheck %s
// RUN: terrace-opt %s --lower-affine --canonicalize | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: func.func @loop
// CHECK-SAME: (%[[L:.*]]: index, %[[N:.*]]: index)
func.func @loop(%l: index, %n: index) {
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[LO:.*]] = arith.maxsi
  // CHECK: %[[HI:.*]] = arith.minsi
  // CHECK: %[[STEP:.*]] = arith.constant 3 : index
  // CHECK: scf.for %[[I:.*]] = %[[LO]] to %[[HI]] step %[[STEP]] {
  // CHECK-NEXT: vector.print %[[I]]
  affine.for %i = max affine_map<()[s0] -> (0, s0)>()[%l] to min affine_map<()[s0] -> (s0, 100)>()[%n] step 3 {
    vector.print %i : index
  }
  return
}

// Division rounds down and the remainder is not negative.
// CANON-LABEL: func.func @division
func.func @division() -> (index, index, index) {
  %m7 = arith.constant -7 : index
  %0 = affine.apply affine_map<()[s0] -> (s0 floordiv 3)>()[%m7]
  %1 = affine.apply affine_map<()[s0] -> (s0 ceildiv 3)>()[%m7]
  %2 = affine.apply affine_map<()[s0] -> (s0 mod 3)>()[%m7]
  // CANON-DAG: %[[F:.*]] = arith.constant -3 : index
  // CANON-DAG: %[[C:.*]] = arith.constant -2 : index
  // CANON-DAG: %[[M:.*]] = arith.constant 2 : index
  // CANON: return %[[F]], %[[C]], %[[M]]
  return %0, %1, %2 : index, index, index
}

// CHECK-LABEL: func.func @condition
func.func @condition(%i: index, %n: index) -> index {
  // CHECK: arith.cmpi sge
  // CHECK: arith.cmpi eq
  // CHECK: %[[BOTH:.*]] = arith.andi
  // CHECK: %[[R:.*]] = scf.if %[[BOTH]] -> (index) {
  // CHECK-NEXT: scf.yield %arg0
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %arg1
  // CHECK: return %[[R]]
  %r = affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 - 4 == 0)>(%i)[%n] -> index {
    affine.yield %i : index
  } else {
    affine.yield %n : index
  }
  return %r : index
}

// CHECK-LABEL: func.func @accesses
func.func @accesses(%a: memref<10x10xf32>, %i: index) {
  // CHECK: %[[J:.*]] = arith.addi %arg1, %{{.*}} : index
  // CHECK: %[[V:.*]] = memref.load %arg0[%{{.*}}, %[[J]]]
  %0 = affine.load %a[2, symbol(%i) + 1] : memref<10x10xf32>
  // CHECK: memref.store %[[V]], %arg0[%arg1, %arg1]
  affine.store %0, %a[symbol(%i), symbol(%i)] : memref<10x10xf32>
  // CHECK: memref.prefetch %arg0[%arg1, %arg1], read, locality<3>, data
  affine.prefetch %a[symbol(%i), symbol(%i)], read, locality<3>, data : memref<10x10xf32>
  // CHECK: %[[W:.*]] = vector.load %arg0[%arg1, %{{.*}}]
  %1 = affine.vector_load %a[symbol(%i), 0] : memref<10x10xf32>, vector<4xf32>
  // CHECK: vector.store %[[W]]
  affine.vector_store %1, %a[symbol(%i), 4] : memref<10x10xf32>, vector<4xf32>
  return
}

// Each kind of reduction keeps its identity and its op.
// CHECK-LABEL: func.func @reductions
func.func @reductions(%a: memref<64xf32>, %b: memref<64xi32>) -> (f32, f32, i32) {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK-DAG: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
  // CHECK-DAG: %[[ALL:.*]] = arith.constant -1 : i32
  // CHECK: scf.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) init (%[[ONE]], %[[LEAST]], %[[ALL]])
  // CHECK: scf.reduce
  // CHECK: arith.mulf
  // CHECK: arith.maximumf
  // CHECK: arith.andi
  %r:3 = affine.parallel (%i) = (0) to (64) reduce ("mulf", "maximumf", "andi") -> (f32, f32, i32) {
    %0 = affine.load %a[%i] : memref<64xf32>
    %1 = affine.load %b[%i] : memref<64xi32>
    affine.yield %0, %0, %1 : f32, f32, i32
  }
  return %r#0, %r#1, %r#2 : f32, f32, i32
}

// A scope is what it holds.
// CHECK-LABEL: func.func @scope
func.func @scope(%a: memref<?xf32>, %w: memref<?xindex>) -> f32 {
  %zero = arith.constant 0.0 : f32
  // CHECK: scf.for
  %0 = affine.for %i = 0 to 8 iter_args(%s = %zero) -> f32 {
    // CHECK: %[[N:.*]] = memref.load
    %n = affine.load %w[%i] : memref<?xindex>
    %1 = affine.scope -> f32 {
      // CHECK: %[[R:.*]] = scf.for %{{.*}} to %[[N]]
      %2 = affine.for %j = 0 to %n iter_args(%t = %s) -> f32 {
        %v = affine.load %a[%j + symbol(%n)] : memref<?xf32>
        %3 = arith.addf %t, %v : f32
        affine.yield %3 : f32
      }
      affine.yield %2 : f32
    }
    // CHECK: scf.yield
    // CHECK-NEXT: }
    // CHECK-NEXT: scf.yield %[[R]]
    affine.yield %1 : f32
  }
  return %0 : f32
}

// Each op is folded before: bounds are those that maps around say, and a loop that does not run is
// what it carries.
// CHECK-LABEL: func.func @folded
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: f32, %[[A:.*]]: memref<?xf32>
func.func @folded(%n: index, %x: f32, %a: memref<?xf32>) -> f32 {
  %m = affine.apply affine_map<()[s0] -> (s0 + 2)>()[%n]
  // CHECK: %[[C:.*]] = arith.constant 4 : index
  // CHECK: %[[U:.*]] = arith.addi %[[N]], %[[C]] : index
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[U]]
  affine.for %i = 0 to affine_map<()[s0] -> (s0 + 2)>()[%m] {
    affine.store %x, %a[%i] : memref<?xf32>
  }
  // CHECK-NOT: scf.for
  // CHECK: return %[[X]]
  %0 = affine.for %i = 0 to 0 iter_args(%s = %x) -> f32 {
    %1 = arith.addf %s, %s : f32
    affine.yield %1 : f32
  }
  return %0 : f32
}
