// RUN: terrace-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @sums
// CHECK-SAME:    %[[A:.*]]: i32, %[[B:.*]]: i32
func.func @sums(%a: i32, %b: i32) -> (i32, i32, i32, i32, i32) {
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK: return %[[A]], %[[A]], %[[ZERO]], %[[B]], %[[A]]
  %c0 = arith.constant 0 : i32
  %0 = arith.addi %a, %c0 : i32
  %d = arith.subi %a, %b : i32
  %1 = arith.addi %b, %d : i32
  %2 = arith.subi %a, %a : i32
  %s = arith.addi %a, %b : i32
  %3 = arith.subi %s, %a : i32
  %4 = arith.subi %a, %c0 : i32
  return %0, %1, %2, %3, %4 : i32, i32, i32, i32, i32
}

// -----

// CHECK-LABEL: func.func @constants
func.func @constants() -> (i8, i8, i8, i8, i8, i8) {
  // CHECK-DAG: %[[SUM:.*]] = arith.constant -56 : i8
  // CHECK-DAG: %[[QUOTIENT:.*]] = arith.constant -3 : i8
  // CHECK-DAG: %[[FLOOR:.*]] = arith.constant -4 : i8
  // CHECK-DAG: %[[UNSIGNED:.*]] = arith.constant 124 : i8
  // CHECK-DAG: %[[REST:.*]] = arith.constant -1 : i8
  // CHECK: return %[[SUM]], %[[QUOTIENT]], %[[FLOOR]], %[[UNSIGNED]], %[[REST]], %[[QUOTIENT]]
  %c100 = arith.constant 100 : i8
  %c-7 = arith.constant -7 : i8
  %c2 = arith.constant 2 : i8
  %0 = arith.addi %c100, %c100 : i8
  %1 = arith.divsi %c-7, %c2 : i8
  %2 = arith.floordivsi %c-7, %c2 : i8
  %3 = arith.divui %c-7, %c2 : i8
  %4 = arith.remsi %c-7, %c2 : i8
  %5 = arith.ceildivsi %c-7, %c2 : i8
  return %0, %1, %2, %3, %4, %5 : i8, i8, i8, i8, i8, i8
}

// -----

// What has no result stays.

// CHECK-LABEL: func.func @undefined
func.func @undefined(%x: i8) -> (i8, i8, i8) {
  // CHECK: arith.divsi
  // CHECK: arith.remui
  // CHECK: arith.shli
  %c0 = arith.constant 0 : i8
  %c8 = arith.constant 8 : i8
  %min = arith.constant -128 : i8
  %neg = arith.constant -1 : i8
  %0 = arith.divsi %min, %neg : i8
  %1 = arith.remui %c8, %c0 : i8
  %2 = arith.shli %c8, %c8 : i8
  return %0, %1, %2 : i8, i8, i8
}

// -----

// CHECK-LABEL: func.func @elements
func.func @elements() -> (vector<2xi32>, vector<2xi32>, vector<2xi1>) {
  // CHECK-DAG: arith.constant dense<[11, 12]> : vector<2xi32>
  // CHECK-DAG: arith.constant dense<30> : vector<2xi32>
  // CHECK-DAG: arith.constant dense<[true, false]> : vector<2xi1>
  %v = arith.constant dense<[1, 2]> : vector<2xi32>
  %s = arith.constant dense<10> : vector<2xi32>
  %t = arith.constant dense<20> : vector<2xi32>
  %two = arith.constant dense<2> : vector<2xi32>
  %0 = arith.addi %v, %s : vector<2xi32>
  %1 = arith.addi %s, %t : vector<2xi32>
  %2 = arith.cmpi ult, %v, %two : vector<2xi32>
  return %0, %1, %2 : vector<2xi32>, vector<2xi32>, vector<2xi1>
}

// -----

// CHECK-LABEL: func.func @extended
// CHECK-SAME:    %[[X:.*]]: i8
func.func @extended(%x: i8) -> (i8, i1, i8, i8, i8, i8) {
  // CHECK-DAG: %[[TRUE:.*]] = arith.constant true
  // CHECK-DAG: %[[SUM:.*]] = arith.constant 44 : i8
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i8
  // CHECK-DAG: %[[LOW:.*]] = arith.constant 16 : i8
  // CHECK-DAG: %[[HIGH:.*]] = arith.constant 39 : i8
  // CHECK: return %[[SUM]], %[[TRUE]], %[[X]], %[[ZERO]], %[[LOW]], %[[HIGH]]
  %c200 = arith.constant 200 : i8
  %c100 = arith.constant 100 : i8
  %c1 = arith.constant 1 : i8
  %s, %f = arith.addui_extended %c200, %c100 : i8, i1
  %l, %h = arith.mului_extended %x, %c1 : i8
  %c100b = arith.constant 100 : i8
  %l2, %h2 = arith.mulsi_extended %c100, %c100b : i8
  return %s, %f, %l, %h, %l2, %h2 : i8, i1, i8, i8, i8, i8
}

// -----

// CHECK-LABEL: func.func @bits
// CHECK-SAME:    %[[X:.*]]: i8, %[[Y:.*]]: i8
func.func @bits(%x: i8, %y: i8) -> (i8, i8, i8, i8) {
  // CHECK-DAG: %[[ONES:.*]] = arith.constant -1 : i8
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i8
  // CHECK: return %[[ZERO]], %[[ONES]], %[[X]], %[[X]]
  %ones = arith.constant -1 : i8
  %n = arith.xori %x, %ones : i8
  %0 = arith.andi %x, %n : i8
  %1 = arith.ori %n, %x : i8
  %xy = arith.xori %x, %y : i8
  %2 = arith.xori %y, %xy : i8
  %3 = arith.maxsi %x, %x : i8
  return %0, %1, %2, %3 : i8, i8, i8, i8
}

// -----

// CHECK-LABEL: func.func @floats
// CHECK-SAME:    %[[X:.*]]: f32
func.func @floats(%x: f32) -> (f32, f32, f32, f32, f32, f32, f32) {
  // CHECK-DAG: %[[SUM:.*]] = arith.constant 4.000000e+00 : f32
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-DAG: %[[KEPT:.*]] = arith.addf %[[X]], %[[ZERO]] : f32
  // CHECK: return %[[X]], %[[X]], %[[KEPT]], %[[X]], %[[ZERO]], %[[SUM]], %[[X]]
  %nz = arith.constant -0.0 : f32
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %a = arith.constant 2.5 : f32
  %b = arith.constant 1.5 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %0 = arith.addf %x, %nz : f32
  %1 = arith.subf %x, %z : f32
  %2 = arith.addf %x, %z : f32
  %3 = arith.mulf %x, %one : f32
  %4 = arith.mulf %x, %z fastmath<nnan,nsz> : f32
  %5 = arith.addf %a, %b : f32
  %6 = arith.maxnumf %x, %nan : f32
  return %0, %1, %2, %3, %4, %5, %6 : f32, f32, f32, f32, f32, f32, f32
}

// -----

// CHECK-LABEL: func.func @casts
func.func @casts() -> (i64, i64, i8, f32, i32, index, f32) {
  // CHECK-DAG: arith.constant 255 : i64
  // CHECK-DAG: arith.constant -1 : i64
  // CHECK-DAG: arith.constant 52 : i8
  // CHECK-DAG: arith.constant -1.000000e+00 : f32
  // CHECK-DAG: arith.constant -2 : i32
  // CHECK-DAG: arith.constant -1 : index
  // CHECK-DAG: arith.constant 1.000000e+00 : f32
  // CHECK-NEXT: return
  %m = arith.constant -1 : i8
  %w = arith.constant 0x1234 : i16
  %f = arith.constant -2.75 : f64
  %bits = arith.constant 0x3F800000 : i32
  %0 = arith.extui %m : i8 to i64
  %1 = arith.extsi %m : i8 to i64
  %2 = arith.trunci %w : i16 to i8
  %3 = arith.sitofp %m : i8 to f32
  %4 = arith.fptosi %f : f64 to i32
  %5 = arith.index_cast %m : i8 to index
  %6 = arith.bitcast %bits : i32 to f32
  return %0, %1, %2, %3, %4, %5, %6 : i64, i64, i8, f32, i32, index, f32
}

// -----

// What a conversion would change, or cannot hold, stays.

// CHECK-LABEL: func.func @inexact
func.func @inexact() -> (f16, i8, i8) {
  // CHECK: arith.truncf
  // CHECK: arith.fptosi
  // CHECK: arith.fptoui
  %f = arith.constant 0.1 : f64
  %big = arith.constant 128.0 : f64
  %neg = arith.constant -1.0 : f64
  %0 = arith.truncf %f : f64 to f16
  %1 = arith.fptosi %big : f64 to i8
  %2 = arith.fptoui %neg : f64 to i8
  return %0, %1, %2 : f16, i8, i8
}

// -----

// CHECK-LABEL: func.func @compare
// CHECK-SAME:    %[[X:.*]]: i32, %[[C:.*]]: i1, %[[F:.*]]: f32, %[[Y:.*]]: i32
func.func @compare(%x: i32, %c: i1, %f: f32, %y: i32) -> (i1, i1, i1, i1, i32, i32) {
  // CHECK-DAG: %[[FIVE:.*]] = arith.constant 5 : i32
  // CHECK-DAG: %[[TRUE:.*]] = arith.constant true
  // CHECK-DAG: %[[FALSE:.*]] = arith.constant false
  // CHECK-DAG: %[[SWAPPED:.*]] = arith.cmpi sgt, %[[X]], %[[FIVE]] : i32
  // CHECK: return %[[TRUE]], %[[SWAPPED]], %[[C]], %[[FALSE]], %[[Y]], %[[X]]
  %c5 = arith.constant 5 : i32
  %c0 = arith.constant 0 : i32
  %nan = arith.constant 0x7FC00000 : f32
  %true = arith.constant true
  %0 = arith.cmpi sle, %x, %x : i32
  %1 = arith.cmpi slt, %c5, %x : i32
  %e = arith.extui %c : i1 to i32
  %2 = arith.cmpi ne, %e, %c0 : i32
  %3 = arith.cmpf olt, %f, %nan : f32
  %eq = arith.cmpi eq, %x, %y : i32
  %4 = arith.select %eq, %x, %y : i32
  %5 = arith.select %true, %x, %y : i32
  return %0, %1, %2, %3, %4, %5 : i1, i1, i1, i1, i32, i32
}
