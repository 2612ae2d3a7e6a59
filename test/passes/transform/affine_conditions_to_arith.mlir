// RUN: terrace-opt %s -affine-conditions-to-arith -mlir-pass-statistics 2>&1 | FileCheck %s

// A remainder by a power of two is the low bits, whatever the sign.
// CHECK-LABEL: func.func @remainder
// CHECK: affine.for %[[I:.*]] = -8 to 100 {
// CHECK: %[[X:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK: %[[R:.*]] = arith.andi %[[X]], %c3_i32 : i32
// CHECK: %[[D:.*]] = arith.addi %[[R]], %c-1_i32 : i32
// CHECK: %[[C:.*]] = arith.cmpi eq, %[[D]], %c0_i32 : i32
// CHECK: %{{.*}} = scf.if %[[C]] -> (f64) {
// CHECK: scf.yield
// CHECK: } else {
// CHECK: scf.yield
func.func @remainder(%x: f64, %y: f64, %a: memref<100xf64>) {
  affine.for %i = -8 to 100 {
    %v = affine.if affine_set<(d0) : (d0 mod 4 - 1 == 0)>(%i) -> f64 {
      affine.yield %x : f64
    } else {
      affine.yield %y : f64
    }
    affine.store %v, %a[%i mod 8] : memref<100xf64>
  }
  return
}

// Both parts have to hold; the other variable and a size are numbers, too.
// CHECK-LABEL: func.func @both
// CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: affine.for %[[I:.*]] = 0 to 50
// CHECK: affine.for %[[J:.*]] = 0 to 60
// CHECK: arith.shrsi
// CHECK: %[[A:.*]] = arith.cmpi sge
// CHECK: %[[B:.*]] = arith.cmpi sge
// CHECK: %[[C:.*]] = arith.andi %[[A]], %[[B]] : i1
// CHECK: scf.if %[[C]] {
func.func @both(%k: i32, %x: f64, %a: memref<60xf64>) {
  %n = arith.index_cast %k : i32 to index
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to 50 {
    affine.for %j = 0 to 60 {
      affine.if affine_set<(d0, d1) : (d0 floordiv 4 - d1 >= 0, d1 - 7 >= 0)>(%j, %i) {
        affine.store %x, %a[%j] : memref<60xf64>
      }
    }
  }
  return
}

// A sum with an index that may be anything does not fit; nor is a remainder by 3 an instruction;
// a condition of the loop around is not asked here.
// CHECK-LABEL: func.func @stay
// CHECK-COUNT-3: affine.if
// CHECK-NOT: scf.if
func.func @stay(%n: index, %x: f64, %a: memref<60xf64>) {
  affine.for %i = 0 to 50 {
    affine.for %j = 0 to 60 {
      affine.if affine_set<(d0)[s0] : (d0 + s0 >= 0)>(%j)[%n] {
        affine.store %x, %a[%j] : memref<60xf64>
      }
      affine.if affine_set<(d0) : (d0 mod 3 == 0)>(%j) {
        affine.store %x, %a[%j] : memref<60xf64>
      }
      affine.if affine_set<(d0) : (d0 mod 2 == 0)>(%i) {
        affine.store %x, %a[%j] : memref<60xf64>
      }
    }
  }
  return
}
// CHECK: (S) {{.*}}2 num-conditions
