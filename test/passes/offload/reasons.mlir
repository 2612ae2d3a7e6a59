// RUN: terrace-opt %s -offload-parallelize=notes -o %t.out 2>&1 | FileCheck %s --check-prefix=NOTE

// NOTE: remark: the loop over i runs in order: several iterations write a[0], and the last one has to win
// NOTE: remark: the loop over i runs in order: an iteration reads a[i], which an earlier one writes as a[i + 5]
// NOTE: note: the write of a[i + 5]
// NOTE: note: the read of a[i], 5 iterations later
// NOTE: remark: the loop over i runs in order: an iteration writes a[i], which an earlier one still reads as a[i + 1]
// NOTE: remark: the loop over i runs in order: an iteration reads a[i], which an earlier one writes as a[i + k] for some values of the variables in it
func.func @memory(%n: index, %k: index {acc.name = "k"}, %a: memref<?xf64> {acc.name = "a"}, %v: f64) attributes {acc.region = {}} {
  affine.for %i = 0 to %n {
    affine.store %v, %a[0] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    affine.store %x, %a[%i + 5] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i + 1] : memref<?xf64>
    affine.store %x, %a[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    affine.store %x, %a[%i + symbol(%k)] : memref<?xf64>
  }
  return
}

// A prefix sum is used on the way; a value is wanted after the loop.
// NOTE: remark: the loop over i runs in order: each iteration needs the value of s from the one before
// NOTE: remark: the loop over i runs in order: l keeps the value of the last iteration after the loop
// NOTE: note: l is used after the loop{{$}}
func.func @values(%n: index, %a: memref<?xf64> {acc.name = "a"}, %s0: f64 {acc.name = "s"}, %l0: f64 {acc.name = "last"}) -> (f64, f64) attributes {acc.region = {}} {
  %0 = affine.for %i = 0 to %n iter_args(%s = %s0) -> f64 {
    %x = affine.load %a[%i] : memref<?xf64>
    %1 = arith.addf %s, %x : f64
    affine.store %1, %a[%i] : memref<?xf64>
    affine.yield %1 : f64
  }
  %2 = affine.for %i = 0 to %n iter_args(%l = %l0) -> f64 {
    %x = affine.load %a[%i] : memref<?xf64>
    affine.yield %x : f64
  }
  return %0, %2 : f64, f64
}

// NOTE: remark: the loop over i runs in order, because it is not known to be parallel
// NOTE: note: what memory @f touches is not known
// NOTE: remark: these are taken to be different memory: a and b
func.func private @f(f64)
func.func @unknown(%n: index, %a: memref<?xf64> {acc.name = "a"}, %b: memref<?xf64> {acc.name = "b"}) attributes {acc.region = {}} {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    affine.store %x, %b[%i] : memref<?xf64>
    func.call @f(%x) : (f64) -> ()
  }
  return
}

// A counter that is compared as an unsigned number is not followed.
// NOTE: remark: the loop over i runs in order, because it is not known to be parallel
// NOTE: note: its counter is compared as an unsigned number, or an op around it is not understood
func.func @unsigned(%n: index, %a: memref<?xf64>, %v: f64) attributes {acc.region = {construct = "kernels"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for unsigned %i = %c0 to %n step %c1 {
    memref.store %v, %a[%i] : memref<?xf64>
  }
  return
}

// Two writes of one element; subscripts that are no sums of counters.
// NOTE: remark: the loop over i runs in order: iterations write the same element as a[i + 1] and as a[i], in this order
// NOTE: remark: the loop over i runs in order, because it is not known to be parallel
// NOTE: note: the subscript {{.*}} of a is not affine in the loop counters
// NOTE: remark: the loop over i runs in order, because it is not known to be parallel
// NOTE: note: the subscript {{.*}} of a is computed by a function
func.func private @pick(index) -> index
func.func @writes(%n: index, %a: memref<?xf64> {acc.name = "a"}, %v: f64) attributes {acc.region = {}} {
  %c3 = arith.constant 3 : index
  affine.for %i = 0 to %n {
    affine.store %v, %a[%i] : memref<?xf64>
    affine.store %v, %a[%i + 1] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %k = arith.andi %i, %c3 : index
    memref.store %v, %a[%k] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %k = func.call @pick(%i) : (index) -> index
    memref.store %v, %a[%k] : memref<?xf64>
  }
  return
}
