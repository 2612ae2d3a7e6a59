// What known signs make of comparisons, magnitudes and extrema.
// RUN: terrace-opt %s -arith-restructure="flatten=false common=false" | FileCheck %s
// RUN: terrace-opt %s -arith-restructure="signs=false flatten=false common=false" | FileCheck %s --check-prefix=OFF

// OFF-LABEL: func.func @factors
// OFF-COUNT-2: arith.mulf
// CHECK-LABEL: func.func @factors
// CHECK-NOT: arith.mulf
// CHECK: arith.cmpf olt, %arg1,
func.func @factors(%rho: f32 {terrace.positive}, %x: f32) -> i1 {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %0 = arith.mulf %rho, %x fastmath<reassoc,nnan> : f32
  %1 = arith.mulf %0, %two fastmath<reassoc,nnan> : f32
  %2 = arith.cmpf olt, %1, %zero : f32
  return %2 : i1
}

// A product that may be too small for a float keeps its factors.
// CHECK-LABEL: func.func @small
// CHECK: arith.mulf
// CHECK: arith.cmpf olt
func.func @small(%rho: f32 {terrace.positive}, %x: f32) -> i1 {
  %zero = arith.constant 0.0 : f32
  %0 = arith.mulf %rho, %x : f32
  %1 = arith.cmpf olt, %0, %zero : f32
  return %1 : i1
}

// CHECK-LABEL: func.func @turned
// CHECK: arith.cmpf ogt, %arg0,
func.func @turned(%x: f32) -> i1 {
  %zero = arith.constant 0.0 : f32
  %m = arith.constant -2.0 : f32
  %0 = arith.mulf %x, %m fastmath<reassoc,nnan> : f32
  %1 = arith.cmpf olt, %0, %zero : f32
  return %1 : i1
}

// Elements of an array that is positive.
// CHECK-LABEL: func.func @decided
// CHECK-NOT: arith.cmpf
// CHECK-NOT: math.absf
// CHECK-NOT: arith.maxnumf
// CHECK: return
func.func @decided(%m: memref<4xf32> {terrace.positive}, %i: index, %y: f32) -> (f32, f32, f32) {
  %zero = arith.constant 0.0 : f32
  %v = memref.load %m[%i] : memref<4xf32>
  %w = arith.addf %v, %v : f32
  %c = arith.cmpf olt, %w, %zero : f32
  %s = arith.select %c, %y, %v : f32
  %a = math.absf %w : f32
  %x = arith.maxnumf %v, %zero : f32
  return %s, %a, %x : f32, f32, f32
}

// Of what may be a NaN nothing is decided.
// CHECK-LABEL: func.func @square
// CHECK: arith.cmpf
func.func @square(%x: f32) -> i1 {
  %zero = arith.constant 0.0 : f32
  %0 = arith.mulf %x, %x : f32
  %1 = arith.cmpf oge, %0, %zero : f32
  return %1 : i1
}
