// What several chains have, and what they need not have.
//
// RUN: terrace-opt %s -arith-restructure | FileCheck %s

// s - b where s = a + b is used by others too: what is left is a.
// CHECK-LABEL: func.func @dissolved
// CHECK-NEXT: %[[S:.*]] = arith.addf %arg0, %arg1
// CHECK-NEXT: %[[Y:.*]] = arith.addf %arg0, %arg2
// CHECK-NEXT: return %[[S]], %[[Y]]
func.func @dissolved(%a: f32, %b: f32, %c: f32) -> (f32, f32) {
  %0 = arith.addf %a, %b fastmath<fast> : f32
  %1 = arith.subf %c, %b fastmath<fast> : f32
  %2 = arith.addf %1, %0 fastmath<fast> : f32
  return %0, %2 : f32, f32
}

// Infinities do not cancel.
// CHECK-LABEL: func.func @infinite
// CHECK-COUNT-3: arith.{{(add|sub)f}}
func.func @infinite(%a: f32, %b: f32, %c: f32) -> (f32, f32) {
  %0 = arith.addf %a, %b fastmath<reassoc,nsz> : f32
  %1 = arith.subf %c, %b fastmath<reassoc,nsz> : f32
  %2 = arith.addf %1, %0 fastmath<reassoc,nsz> : f32
  return %0, %2 : f32, f32
}

// c*c/(2*c) is c/2, whoever else needs 2*c.
// CHECK-LABEL: func.func @quotient
// CHECK-DAG: %[[P:.*]] = arith.mulf %arg0, %{{.*}} fastmath<fast>
// CHECK-DAG: %[[Q:.*]] = arith.mulf %arg0, %{{.*}} fastmath<fast>
// CHECK-NOT: arith.divf
// CHECK: return %{{.*}}, %{{.*}} : f64, f64
func.func @quotient(%c: f64) -> (f64, f64) {
  %0 = arith.addf %c, %c fastmath<fast> : f64
  %1 = arith.mulf %c, %c fastmath<fast> : f64
  %2 = arith.divf %1, %0 fastmath<fast> : f64
  return %0, %2 : f64, f64
}

// (a*b)^2 * a
// CHECK-LABEL: func.func @powers
// CHECK-NEXT: %[[AB:.*]] = arith.mulf %arg0, %arg1
// CHECK-NEXT: %[[SQUARE:.*]] = arith.mulf %[[AB]], %[[AB]]
// CHECK-NEXT: %[[ALL:.*]] = arith.mulf %[[SQUARE]], %arg0
// CHECK-NEXT: return %[[ALL]]
func.func @powers(%a: f32, %b: f32) -> f32 {
  %0 = arith.mulf %a, %a fastmath<fast> : f32
  %1 = arith.mulf %0, %a fastmath<fast> : f32
  %2 = arith.mulf %b, %b fastmath<fast> : f32
  %3 = arith.mulf %1, %2 fastmath<fast> : f32
  return %3 : f32
}

// The number of a base that is used for nothing else is one with that of the product.
// CHECK-LABEL: func.func @base
// CHECK-COUNT-2: arith.mulf
// CHECK: arith.constant 1.600000e+01
// CHECK-NEXT: arith.mulf
// CHECK-NOT: arith.mulf
func.func @base(%d: f32, %two: f32) -> f32 {
  %0 = arith.addf %d, %d fastmath<fast> : f32
  %1 = arith.mulf %0, %0 fastmath<fast> : f32
  %2 = arith.mulf %1, %0 fastmath<fast> : f32
  %3 = arith.addf %2, %2 fastmath<fast> : f32
  return %3 : f32
}

// A sign goes through sums and cubes to a difference, and those who add the value subtract it.
// CHECK-LABEL: func.func @sign
// CHECK-NOT: arith.negf
// CHECK: return
func.func @sign(%a: f32, %b: f32, %c: f32, %d: f32) -> (f32, f32) {
  %three = arith.constant 3.0 : f32
  %0 = arith.subf %three, %d fastmath<fast> : f32
  %1 = arith.mulf %0, %0 fastmath<fast> : f32
  %2 = arith.mulf %0, %1 fastmath<fast> : f32
  %3 = arith.mulf %a, %2 fastmath<fast> : f32
  %4 = arith.subf %b, %3 fastmath<fast> : f32
  return %3, %4 : f32, f32
}

// 2*(c*d + c + d)
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-2: arith.mulf
// CHECK-NOT: arith.mulf
func.func @twice(%c: f32, %d: f32, %e: f32) -> f32 {
  %0 = arith.mulf %c, %d fastmath<fast> : f32
  %1 = arith.addf %0, %0 fastmath<fast> : f32
  %2 = arith.addf %c, %c fastmath<fast> : f32
  %3 = arith.addf %d, %d fastmath<fast> : f32
  %4 = arith.addf %1, %2 fastmath<fast> : f32
  %5 = arith.addf %4, %3 fastmath<fast> : f32
  return %5 : f32
}
