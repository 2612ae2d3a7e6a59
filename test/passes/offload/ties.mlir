// RUN: terrace-opt %s --split-input-file -offload-parallelize=reassociate=false | FileCheck %s
// RUN: terrace-opt %s --split-input-file -offload-parallelize='reassociate=false notes' 2>&1 >/dev/null | FileCheck %s --check-prefix=NOTE

// The first of equal values stays, and a NaN replaces none: a greatest value of 0 that is more than
// the first one may have been -0.
// NOTE: remark: {{.*}}where f may be another zero or NaN by the order of the iterations, the loop runs again in order
// CHECK-LABEL: func.func @first(
// CHECK: [[P:%.+]] = affine.parallel (%{{.+}}) = (0) to (symbol(%{{.+}})) reduce ("maxnumf") -> (f64)
// CHECK: [[MORE:%.+]] = arith.cmpf ogt, [[P]], %arg2 : f64
// CHECK: [[N:%.+]] = arith.select [[MORE]], [[P]], %arg2 : f64
// CHECK: [[BITS:%.+]] = arith.bitcast [[P]] : f64 to i64
// CHECK: [[ZERO:%.+]] = arith.cmpi eq, [[BITS]]
// CHECK: [[DOUBT:%.+]] = arith.andi [[MORE]], [[ZERO]] : i1
// CHECK: [[R:%.+]] = scf.if [[DOUBT]] -> (f64) {
// CHECK:   [[L:%.+]] = affine.for {{.*}} iter_args(%{{.+}} = %arg2) -> (f64) {
// CHECK:   scf.yield [[L]]
// CHECK: } else {
// CHECK:   scf.yield [[N]]
// CHECK: return [[R]]
func.func @first(%n: index, %a: memref<?xf64>, %before: f64) -> f64 attributes {acc.region = {construct = "auto", source = "scop"}} {
  %r = affine.for %i = 0 to %n iter_args(%f = %before) -> (f64) {
    %x = affine.load %a[%i] : memref<?xf64>
    %c = arith.cmpf ogt, %x, %f : f64
    %v = arith.select %c, %x, %f : f64
    affine.yield %v : f64
  }
  return %r : f64
}

// -----

// From 0 on no zero replaces it. A first value that is NaN stays.
// CHECK-LABEL: func.func @from_zero(
// CHECK: [[P:%.+]] = affine.parallel {{.*}} reduce ("maxnumf") -> (f64)
// CHECK: [[MORE:%.+]] = arith.cmpf ogt, [[P]], %cst
// CHECK: [[N:%.+]] = arith.select [[MORE]], [[P]], %cst
// CHECK-NOT: scf.if
// CHECK: return [[N]]
func.func @from_zero(%n: index, %a: memref<?xf64>) -> f64 attributes {acc.region = {construct = "auto", source = "scop"}} {
  %zero = arith.constant 0.0 : f64
  %r = affine.for %i = 0 to %n iter_args(%f = %zero) -> (f64) {
    %x = affine.load %a[%i] : memref<?xf64>
    %c = arith.cmpf ogt, %x, %f : f64
    %v = arith.select %c, %x, %f : f64
    affine.yield %v : f64
  }
  return %r : f64
}

// -----

// Absolute values have one zero.
// CHECK-LABEL: func.func @absolute(
// CHECK: affine.parallel {{.*}} reduce ("minnumf") -> (f32)
// CHECK-NOT: scf.if
// CHECK: return
func.func @absolute(%n: index, %a: memref<?xf32>, %before: f32) -> f32 attributes {acc.region = {construct = "auto", source = "scop"}} {
  %r = affine.for %i = 0 to %n iter_args(%f = %before) -> (f32) {
    %x = affine.load %a[%i] : memref<?xf32>
    %y = math.absf %x : f32
    %c = arith.cmpf ole, %y, %f : f32
    %v = arith.select %c, %y, %f : f32
    affine.yield %v : f32
  }
  return %r : f32
}

// -----

// Nobody sees the sign: exp(0 - 0) is 1 either way.
// CHECK-LABEL: func.func @unseen(
// CHECK: affine.parallel {{.*}} reduce ("maxnumf") -> (f32)
// CHECK-NOT: scf.if
// CHECK: return
func.func @unseen(%n: index, %a: memref<?xf32>, %before: f32) -> f32 attributes {acc.region = {construct = "auto", source = "scop"}} {
  %r = affine.for %i = 0 to %n iter_args(%f = %before) -> (f32) {
    %x = affine.load %a[%i] : memref<?xf32>
    %c = arith.cmpf ogt, %x, %f : f32
    %v = arith.select %c, %x, %f : f32
    affine.yield %v : f32
  }
  %d = arith.subf %before, %r : f32
  %e = math.exp %d : f32
  return %e : f32
}

// -----

// `m > x ? m : x` takes a NaN, and what comes after it: NaN is above all, so that it shows.
// CHECK-LABEL: func.func @takes_nans(
// CHECK: [[P:%.+]] = affine.parallel {{.*}} reduce ("maximumf") -> (f64) {
// CHECK:   arith.maximumf
// CHECK: [[NAN:%.+]] = arith.cmpf uno, [[P]], %arg2 : f64
// CHECK: [[DOUBT:%.+]] = arith.ori %{{.+}}, [[NAN]] : i1
// CHECK: scf.if [[DOUBT]]
func.func @takes_nans(%n: index, %a: memref<?x?xf64>, %before: f64) -> f64 attributes {acc.region = {construct = "auto", source = "scop"}} {
  %r = affine.for %i = 0 to %n iter_args(%f = %before) -> (f64) {
    %s = affine.for %j = 0 to %n iter_args(%g = %f) -> (f64) {
      %x = affine.load %a[%i, %j] : memref<?x?xf64>
      %c = arith.cmpf ogt, %g, %x : f64
      %v = arith.select %c, %g, %x : f64
      affine.yield %v : f64
    }
    affine.yield %s : f64
  }
  return %r : f64
}

// -----

// What it writes elsewhere it writes once.
// CHECK-LABEL: func.func @writes(
// CHECK: affine.parallel {{.*}} reduce ("maxnumf")
// CHECK:   affine.store
// CHECK: scf.if
// CHECK:   affine.for
// CHECK-NOT: affine.store
// CHECK: return
func.func @writes(%n: index, %a: memref<?xf64>, %b: memref<?xf64>, %before: f64) -> f64 attributes {acc.region = {construct = "auto", noalias, source = "scop"}} {
  %r = affine.for %i = 0 to %n iter_args(%f = %before) -> (f64) {
    %x = affine.load %a[%i] : memref<?xf64>
    affine.store %x, %b[%i] : memref<?xf64>
    %c = arith.cmpf ogt, %x, %f : f64
    %v = arith.select %c, %x, %f : f64
    affine.yield %v : f64
  }
  return %r : f64
}

// -----

// A loop that changes what it reads cannot run again.
// NOTE: remark: {{.*}}fmax or fmin, -ffast-math or a reduction clause allows it
// CHECK-LABEL: func.func @in_place(
// CHECK-NOT: affine.parallel
// CHECK: return
func.func @in_place(%n: index, %a: memref<?xf64>, %before: f64) -> f64 attributes {acc.region = {construct = "auto", noalias, source = "scop"}} {
  %one = arith.constant 1.0 : f64
  %r = affine.for %i = 0 to %n iter_args(%f = %before) -> (f64) {
    %x = affine.load %a[%i] : memref<?xf64>
    %y = arith.mulf %x, %one : f64
    affine.store %y, %a[%i] : memref<?xf64>
    %c = arith.cmpf ogt, %y, %f : f64
    %v = arith.select %c, %y, %f : f64
    affine.yield %v : f64
  }
  return %r : f64
}

// -----

// With flags, and in a construct of OpenACC, any order will do.
// CHECK-LABEL: func.func @flags(
// CHECK: affine.parallel {{.*}} reduce ("minnumf") -> (f64)
// CHECK-NOT: scf.if
// CHECK: return
func.func @flags(%n: index, %a: memref<?xf64>, %before: f64) -> f64 attributes {acc.region = {construct = "auto", source = "scop"}} {
  %r = affine.for %i = 0 to %n iter_args(%f = %before) -> (f64) {
    %x = affine.load %a[%i] : memref<?xf64>
    %c = arith.cmpf ult, %x, %f fastmath<nnan,nsz> : f64
    %v = arith.select %c, %x, %f : f64
    affine.yield %v : f64
  }
  return %r : f64
}

// -----

// The loop inside begins with what replaces nothing. What it finds is what the one around yields,
// without an op in between, and both are threads.
// CHECK-LABEL: func.func @nested(
// CHECK: [[P:%.+]] = affine.parallel {{.*}} reduce ("maxnumf") -> (f64) {
// CHECK: [[Q:%.+]] = affine.parallel {{.*}} reduce ("maxnumf") -> (f64) {
// CHECK: }
// CHECK-NEXT: affine.yield [[Q]] : f64
// CHECK-NEXT: }
// CHECK: [[MORE:%.+]] = arith.cmpf ogt, [[P]], %arg2
// CHECK: arith.select [[MORE]], [[P]], %arg2
func.func @nested(%n: index, %a: memref<?x?xf64>, %before: f64) -> f64 attributes {acc.region = {construct = "auto", source = "scop"}} {
  %r = affine.for %i = 0 to %n iter_args(%f = %before) -> (f64) {
    %s = affine.for %j = 0 to %n iter_args(%g = %f) -> (f64) {
      %x = affine.load %a[%i, %j] : memref<?x?xf64>
      %y = math.absf %x : f64
      %c = arith.cmpf ogt, %y, %g : f64
      %v = arith.select %c, %y, %g : f64
      affine.yield %v : f64
    }
    affine.yield %s : f64
  }
  return %r : f64
}
