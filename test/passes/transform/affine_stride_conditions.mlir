// RUN: terrace-opt %s -affine-stride-conditions -mlir-pass-statistics 2>&1 | FileCheck %s

// Two colours: a row begins at its own first element of a colour.
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0) -> (-d0 - ((-d0 - 1) floordiv 2) * 2)>
// CHECK-LABEL: func.func @colours
// CHECK: affine.for %[[I:.*]] = 1 to 9 {
// CHECK-NEXT: affine.for %[[J:.*]] = #[[FIRST]](%[[I]]) to 9 step 2 {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @colours(%a: memref<10x10xf32>, %x: f32) {
  affine.for %i = 1 to 9 {
    affine.for %j = 1 to 9 {
      affine.if affine_set<(d0, d1) : ((d0 + d1) mod 2 == 0)>(%i, %j) {
        affine.store %x, %a[%i, %j] : memref<10x10xf32>
      }
    }
  }
  return
}

// CHECK-LABEL: func.func @backwards
// CHECK: affine.for %{{.*}} = #{{.*}}()[%{{.*}}] to %{{.*}} step 4 {
// CHECK-NEXT: affine.if
// CHECK-NEXT: affine.store
func.func @backwards(%a: memref<?xf32>, %x: f32, %n: index, %m: index) {
  affine.for %j = 0 to %n {
    affine.if affine_set<(d0)[s0, s1] : ((s0 - d0) mod 4 - 3 == 0, s1 - d0 >= 0)>(%j)[%n, %m] {
      affine.store %x, %a[%j] : memref<?xf32>
    }
  }
  return
}

// Another way, a multiple of the variable, and other things to do.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: step
// CHECK: return
func.func @stay(%a: memref<?xf32>, %x: f32, %n: index) {
  affine.for %j = 0 to %n {
    affine.if affine_set<(d0) : (d0 mod 2 == 0)>(%j) {
      affine.store %x, %a[%j] : memref<?xf32>
    } else {
      affine.store %x, %a[0] : memref<?xf32>
    }
  }
  affine.for %j = 0 to %n {
    affine.if affine_set<(d0) : ((d0 * 3) mod 4 == 0)>(%j) {
      affine.store %x, %a[%j] : memref<?xf32>
    }
  }
  affine.for %j = 0 to %n {
    affine.store %x, %a[0] : memref<?xf32>
    affine.if affine_set<(d0) : (d0 mod 2 == 0)>(%j) {
      affine.store %x, %a[%j] : memref<?xf32>
    }
  }
  affine.for %j = 0 to %n {
    affine.if affine_set<(d0) : (d0 mod 2 - 2 == 0)>(%j) {
      affine.store %x, %a[%j] : memref<?xf32>
    }
  }
  return
}

// CHECK: (S) 2 num-loops
