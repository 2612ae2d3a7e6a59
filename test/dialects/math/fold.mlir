// RUN: terrace-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @exact
func.func @exact() -> (f64, f32, f32, f32, f32, f64, f16) {
  // CHECK-DAG: arith.constant 2.000000e+00 : f64
  // CHECK-DAG: arith.constant -2.000000e+00 : f32
  // CHECK-DAG: arith.constant 3.000000e+00 : f32
  // CHECK-DAG: arith.constant 4.000000e+00 : f32
  // CHECK-DAG: arith.constant 1.000000e+00 : f32
  // CHECK-DAG: arith.constant 8.000000e+00 : f64
  // CHECK-DAG: arith.constant 2.500000e+00 : f16
  // CHECK-NEXT: return
  %f = arith.constant 4.0 : f64
  %a = arith.constant -2.5 : f32
  %b = arith.constant 2.5 : f32
  %c = arith.constant 3.5 : f32
  %z = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %h = arith.constant -2.5 : f16
  %0 = math.sqrt %f : f64
  %1 = math.ceil %a : f32
  %2 = math.round %b : f32
  %3 = math.roundeven %c : f32
  %4 = math.cos %z : f32
  %5 = math.powf %two, %three : f64
  %6 = math.absf %h : f16
  return %0, %1, %2, %3, %4, %5, %6 : f64, f32, f32, f32, f32, f64, f16
}

// -----

// Below its domain a function stays, and so does one of a format that no machine has.

// CHECK-LABEL: func.func @kept
func.func @kept() -> (f32, f32, f32, f16, i32) {
  // CHECK: math.sqrt
  // CHECK: math.log
  // CHECK: math.log1p
  // CHECK: math.sin
  // CHECK: math.ipowi
  %m = arith.constant -2.0 : f32
  %h = arith.constant 1.0 : f16
  %c0 = arith.constant 0 : i32
  %c-1 = arith.constant -1 : i32
  %0 = math.sqrt %m : f32
  %1 = math.log %m : f32
  %2 = math.log1p %m : f32
  %3 = math.sin %h : f16
  %4 = math.ipowi %c0, %c-1 : i32
  return %0, %1, %2, %3, %4 : f32, f32, f32, f16, i32
}

// -----

// CHECK-LABEL: func.func @integers
func.func @integers() -> (i8, i8, i8, i8, i8, i8, vector<2xi8>) {
  // CHECK-DAG: arith.constant 7 : i8
  // CHECK-DAG: arith.constant 3 : i8
  // CHECK-DAG: arith.constant 2 : i8
  // CHECK-DAG: arith.constant -27 : i8
  // CHECK-DAG: arith.constant 0 : i8
  // CHECK-DAG: arith.constant dense<[4, 9]> : vector<2xi8>
  // CHECK-NEXT: return
  %a = arith.constant -7 : i8
  %b = arith.constant 20 : i8
  %m3 = arith.constant -3 : i8
  %c3 = arith.constant 3 : i8
  %m1 = arith.constant -1 : i8
  %v = arith.constant dense<[2, -3]> : vector<2xi8>
  %w = arith.constant dense<2> : vector<2xi8>
  %0 = math.absi %a : i8
  %1 = math.ctlz %b : i8
  %2 = math.cttz %b : i8
  %3 = math.ctpop %b : i8
  %4 = math.ipowi %m3, %c3 : i8
  %5 = math.ipowi %c3, %m1 : i8
  %6 = math.ipowi %v, %w : vector<2xi8>
  return %0, %1, %2, %3, %4, %5, %6 : i8, i8, i8, i8, i8, i8, vector<2xi8>
}

// -----

// CHECK-LABEL: func.func @classes
func.func @classes() -> (i1, i1, i1, i1, i1, vector<2xi1>) {
  // CHECK-DAG: %[[TRUE:.*]] = arith.constant true
  // CHECK-DAG: %[[FALSE:.*]] = arith.constant false
  // CHECK-DAG: %[[SPLAT:.*]] = arith.constant dense<true> : vector<2xi1>
  // CHECK: return %[[TRUE]], %[[TRUE]], %[[FALSE]], %[[FALSE]], %[[TRUE]], %[[SPLAT]]
  %one = arith.constant 1.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %small = arith.constant 0x00000001 : f32
  %v = arith.constant dense<1.0> : vector<2xf32>
  %0 = math.isfinite %one : f32
  %1 = math.isinf %inf : f32
  %2 = math.isnan %inf : f32
  %3 = math.isnormal %small : f32
  %4 = math.isnormal %one : f32
  %5 = math.isfinite %v : vector<2xf32>
  return %0, %1, %2, %3, %4, %5 : i1, i1, i1, i1, i1, vector<2xi1>
}
