// RUN: terrace-opt %s -offload-parallelize=notes -o %t.out 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: FileCheck %s < %t.out

// A directive is obeyed even against a dependence, with a warning.
// NOTE: :[[@LINE+6]]:3: warning: the directive says that the iterations are independent, but they are not: each iteration reads y[i - 1], which the one before writes as y[i]
// NOTE: :[[@LINE+7]]:5: note: the write of y[i]
// NOTE: :[[@LINE+5]]:10: note: the read of y[i - 1], 1 iteration later
// NOTE: remark: the loop over i is parallel, because the directive says so; the directive was followed: independent
// NOTE: note: obeyed against a dependence: each iteration reads y[i - 1], which the one before writes as y[i]
func.func @against(%n: index, %y: memref<?xf64> {acc.name = "y"}) attributes {acc.region = {construct = "kernels"}} {
  affine.for %i = 1 to %n {
    %v = affine.load %y[%i - 1] : memref<?xf64>
    affine.store %v, %y[%i] : memref<?xf64>
  } {acc.loop = {independent}}
  return
}

// What hinges on a value is no proof; the directive knows better.
// NOTE-NOT: warning
// NOTE: remark: the loop over i is parallel, because the directive says so; the directive was followed: independent
func.func @hinges(%n: index, %k: index, %y: memref<?xf64> {acc.name = "y"}) attributes {acc.region = {construct = "kernels"}} {
  affine.for %i = 0 to %n {
    %v = affine.load %y[%i + symbol(%k)] : memref<?xf64>
    affine.store %v, %y[%i] : memref<?xf64>
  } {acc.loop = {independent}}
  return
}

// In `parallel` a loop directive means independent; seq does not, and a loop without a
// directive is up to the analysis.
// NOTE: remark: the loop over i is parallel, because the directive says so; the directive was followed: gang(32)
// NOTE: remark: the loop over j runs in order: a seq clause; the directive was followed: seq
// NOTE: remark: the loop over k is parallel
func.func @implied(%n: index, %p: memref<?xindex> {acc.name = "p"}, %y: memref<?x?x?xf64> {acc.name = "y"}, %v: f64) attributes {acc.region = {construct = "parallel"}} {
  affine.for %i = 0 to %n {
    %q = affine.load %p[%i] : memref<?xindex>
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        memref.store %v, %y[%q, %j, %k] : memref<?x?x?xf64>
      }
    } {acc.loop = {seq}}
  } {acc.loop = {gang = 32 : i64}}
  return
}

// In `kernels` it does not, and `auto` asks the analysis anywhere.
// NOTE: remark: the loop over i runs in order, because it is not known to be parallel; the directive asks for: gang
// NOTE: note: the subscript p[i] of y is read from memory (p[i])
// NOTE: remark: the loop over i runs in order, because it is not known to be parallel; the directive was followed: auto vector
// NOTE: note: the subscript p[i] of y is read from memory (p[i])
func.func @asked(%n: index, %p: memref<?xindex> {acc.name = "p"}, %y: memref<?xf64> {acc.name = "y"}, %v: f64) attributes {acc.region = {construct = "kernels"}} {
  affine.for %i = 0 to %n {
    %q = affine.load %p[%i] : memref<?xindex>
    memref.store %v, %y[%q] : memref<?xf64>
  } {acc.loop = {gang}}
  affine.for %i = 0 to %n {
    %q = affine.load %p[%i] : memref<?xindex>
    memref.store %v, %y[%q] : memref<?xf64>
  } {acc.loop = {auto, vector}}
  return
}

// NOTE: remark: the loop over i runs in order: the construct is serial
func.func @serial(%n: index, %y: memref<?xf64>, %v: f64) attributes {acc.region = {construct = "serial"}} {
  affine.for %i = 0 to %n {
    affine.store %v, %y[%i] : memref<?xf64>
  }
  return
}

// collapse holds for the loops inside.
// NOTE: remark: the loop over i is parallel, because the directive says so; the directive was followed: independent collapse(2)
// NOTE: remark: the loop over j is parallel, because the directive says so; the directive was followed: collapsed into the loop over i
func.func @collapse(%n: index, %p: memref<?xindex> {acc.name = "p"}, %y: memref<?xf64> {acc.name = "y"}) attributes {acc.region = {construct = "kernels"}} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %q = affine.load %p[%j] : memref<?xindex>
      %0 = memref.load %y[%q] : memref<?xf64>
      memref.store %0, %y[%q] : memref<?xf64>
    }
  } {acc.loop = {independent, collapse = 2 : i64}}
  return
}

// A loop that carries a value cannot be made parallel by saying so.
// NOTE: warning: the loop stays sequential although a directive says that its iterations are independent: each iteration needs the value of s from the one before
// NOTE: note: where s gets its new value
// NOTE: note: where s is used, 1 iteration later
// NOTE: remark: the loop over i runs in order: each iteration needs the value of s from the one before; the directive asks for: independent
func.func @carried(%n: index, %y: memref<?xf64> {acc.name = "y"}, %v: f64 {acc.name = "s"}) -> f64 attributes {acc.region = {construct = "parallel"}} {
  %0 = affine.for %i = 0 to %n iter_args(%s = %v) -> f64 {
    affine.store %s, %y[%i] : memref<?xf64>
    %1 = arith.mulf %s, %s : f64
    affine.yield %1 : f64
  } {acc.loop = {independent}}
  return %0 : f64
}

// An accumulation needs no clause, but a word about it.
// NOTE: remark: the loop over i is parallel; s is the sum of all iterations; its last digits may differ from those of the C program; the directive was followed: independent
// NOTE: note: s is taken as a sum over the iterations, though no reduction clause says so
func.func @no_clause(%n: index, %y: memref<?xf64> {acc.name = "y"}, %v: f64 {acc.name = "s"}) -> f64 attributes {acc.region = {construct = "parallel"}} {
  %0 = affine.for %i = 0 to %n iter_args(%s = %v) -> f64 {
    %x = affine.load %y[%i] : memref<?xf64>
    %1 = arith.addf %s, %x : f64
    affine.yield %1 : f64
  } {acc.loop = {independent}}
  return %0 : f64
}

// A loop without a counter.
// NOTE: warning: the loop runs sequentially although a directive is on it: its condition is no comparison of a counter with a bound that stays the same
// NOTE: remark: the loop runs in order, because it is not known to be parallel
// NOTE: note: how often it runs is only known when it ends
func.func @uncounted(%y: memref<?xi32>, %v: i32) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  scf.while : () -> () {
    %x = memref.load %y[%c0] : memref<?xi32>
    %c = arith.cmpi slt, %x, %v : i32
    scf.condition(%c)
  } do {
    memref.store %v, %y[%c0] : memref<?xi32>
    scf.yield
  } attributes {acc.loop = {independent}}
  return
}

// Clauses stay on the parallel loop, for whoever maps it.
// CHECK-LABEL: func.func @implied
// CHECK: affine.parallel
// CHECK: affine.for
// CHECK: affine.parallel
// CHECK: {acc.loop = {seq}}
// CHECK: {acc.loop = {gang = 32 : i64}}
// CHECK-LABEL: func.func @collapse
// CHECK: affine.parallel
// CHECK: affine.parallel
