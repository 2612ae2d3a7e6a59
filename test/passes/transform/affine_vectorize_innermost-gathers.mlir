// RUN: terrace-opt %s -affine-vectorize-innermost | FileCheck %s
// RUN: terrace-opt %s -affine-vectorize-innermost=outer=true | FileCheck %s --check-prefix=OUTER

// A table, whose subscripts are values: each lane loads for itself, and the rest is computed in vectors.

// CHECK-LABEL: func.func @table(
// CHECK: affine.for %[[I:.*]] = 0 to 128 step 8
// CHECK: %[[X:.*]] = vector.transfer_read %arg0[%[[I]]]
// CHECK: %[[X0:.*]] = vector.extract %[[X]][0]
// CHECK-NEXT: %[[K0:.*]] = arith.index_cast %[[X0]] : i32 to index
// CHECK-NEXT: %[[S0:.*]] = arith.addi %[[K0]], %{{.*}} : index
// CHECK-NEXT: %[[T0:.*]] = memref.load %arg1[%[[S0]]]
// CHECK: %[[T:.*]] = vector.from_elements %[[T0]], {{.*}} : vector<8xf32>
// CHECK: arith.mulf %[[T]], {{.*}} : vector<8xf32>
func.func @table(%in: memref<128xi32>, %t: memref<300xf32>, %a: memref<128xf32>, %out: memref<128xf32>, %n: index) {
  affine.for %i = 0 to 128 {
    %x = affine.load %in[%i] : memref<128xi32>
    %k = arith.index_cast %x : i32 to index
    %s = arith.addi %k, %n : index
    %t0 = memref.load %t[%s] : memref<300xf32>
    %y = affine.load %a[%i] : memref<128xf32>
    %1 = arith.mulf %t0, %y : f32
    %2 = arith.addf %1, %y : f32
    %3 = arith.mulf %2, %y : f32
    %4 = arith.addf %3, %2 : f32
    %5 = arith.mulf %4, %3 : f32
    %6 = arith.addf %5, %4 : f32
    %7 = arith.mulf %6, %5 : f32
    %8 = arith.divf %7, %6 : f32
    affine.store %8, %out[%i] : memref<128xf32>
  }
  return
}

// Nothing but the load: vectors would not pay.

// CHECK-LABEL: func.func @only(
// CHECK-NOT: vector
// CHECK: return
func.func @only(%in: memref<128xi32>, %t: memref<300xf32>, %out: memref<128xf32>) {
  affine.for %i = 0 to 128 {
    %x = affine.load %in[%i] : memref<128xi32>
    %k = arith.index_cast %x : i32 to index
    %y = memref.load %t[%k] : memref<300xf32>
    affine.store %y, %out[%i] : memref<128xf32>
  }
  return
}

// Under a condition the element may not be there.

// CHECK-LABEL: func.func @conditional(
// CHECK-NOT: vector
// CHECK: return
func.func @conditional(%in: memref<128xi32>, %t: memref<300xf32>, %out: memref<128xf32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 128 {
    %x = affine.load %in[%i] : memref<128xi32>
    %y = affine.load %out[%i] : memref<128xf32>
    %c = arith.cmpi sgt, %x, %zero : i32
    scf.if %c {
      %k = arith.index_cast %x : i32 to index
      %z = memref.load %t[%k] : memref<300xf32>
      %1 = arith.mulf %z, %y : f32
      %2 = arith.addf %1, %y : f32
      %3 = arith.mulf %2, %1 : f32
      %4 = arith.addf %3, %2 : f32
      affine.store %4, %out[%i] : memref<128xf32>
    }
  }
  return
}

// What is stored may be what the next iteration loads.

// CHECK-LABEL: func.func @written(
// CHECK-NOT: vector
// CHECK: return
func.func @written(%in: memref<128xi32>, %a: memref<128xf32>) {
  affine.for %i = 0 to 128 {
    %x = affine.load %in[%i] : memref<128xi32>
    %k = arith.index_cast %x : i32 to index
    %z = memref.load %a[%k] : memref<128xf32>
    %1 = arith.mulf %z, %z : f32
    %2 = arith.addf %1, %z : f32
    %3 = arith.mulf %2, %1 : f32
    %4 = arith.addf %3, %2 : f32
    %5 = arith.mulf %4, %3 : f32
    %6 = arith.addf %5, %4 : f32
    affine.store %6, %a[%i] : memref<128xf32>
  }
  return
}

// A column, where all rows have the same one: each lane has the row that is its own. The greatest
// element of each row, and its place, are carried by the loop inside in vectors.

// OUTER-LABEL: func.func @places(
// OUTER: affine.for %[[J:.*]] = 0 to 48 step 8
// OUTER: affine.for {{.*}} -> (vector<8xi32>, vector<8xi32>)
// OUTER: %[[J1:.*]] = affine.apply {{.*}}(%[[J]])
// OUTER: memref.load %arg2[%[[J1]], %[[K:.*]]]
// OUTER: vector.from_elements
func.func @places(%now: memref<48xi32>, %trans: memref<48x48xi32>, %emit: memref<48x20xi32>, %at: memref<1xi32>, %best: memref<48xi32>, %from: memref<48xi32>) {
  %none = arith.constant 0 : i32
  %x = affine.load %at[0] : memref<1xi32>
  %k = arith.index_cast %x : i32 to index
  affine.for %j = 0 to 48 {
    %first = affine.load %trans[0, %j] : memref<48x48xi32>
    %2:2 = affine.for %p = 1 to 48 iter_args(%b = %first, %f = %none) -> (i32, i32) {
      %n = affine.load %now[%p] : memref<48xi32>
      %t = affine.load %trans[%p, %j] : memref<48x48xi32>
      %w = arith.addi %n, %t : i32
      %more = arith.cmpi sgt, %w, %b : i32
      %place = arith.index_cast %p : index to i32
      %b1 = arith.select %more, %w, %b : i32
      %f1 = arith.select %more, %place, %f : i32
      affine.yield %b1, %f1 : i32, i32
    }
    %e = memref.load %emit[%j, %k] : memref<48x20xi32>
    %sum = arith.addi %2#0, %e : i32
    affine.store %sum, %best[%j] : memref<48xi32>
    affine.store %2#1, %from[%j] : memref<48xi32>
  }
  return
}

// A row whose number is computed: the elements of the lanes are one behind the other, also where the
// loop inside chooses the row.

// OUTER-LABEL: func.func @rows(
// OUTER: affine.for %[[X:.*]] = 0 to {{.*}} step 8
// OUTER: affine.for %[[R:.*]] = 0 to %{{.*}} iter_args
// OUTER: %[[ROW:.*]] = arith.index_cast
// OUTER-NEXT: %[[START:.*]] = arith.muli %[[ROW]]
// OUTER-NEXT: %[[AT:.*]] = arith.addi %[[START]], %[[X]]
// OUTER: vector.transfer_read %{{.*}}[%[[AT]]], {{.*}} : memref<?xf32>, vector<8xf32>
// OUTER-NOT: vector.from_elements
// OUTER: vector.transfer_write
func.func @rows(%which: memref<?xi32>, %a: memref<?xf32>, %b: memref<?xf32>, %n: index, %w: index) {
  %zero = arith.constant 0.0 : f32
  affine.for %x = 0 to %w {
    %s = affine.for %r = 0 to %n iter_args(%t = %zero) -> f32 {
      %v = affine.load %which[%r] : memref<?xi32>
      %row = arith.index_cast %v : i32 to index
      %start = arith.muli %row, %w : index
      %at = arith.addi %start, %x : index
      %e = memref.load %a[%at] : memref<?xf32>
      %u = arith.addf %t, %e : f32
      affine.yield %u : f32
    }
    affine.store %s, %b[%x] : memref<?xf32>
  }
  return
}
