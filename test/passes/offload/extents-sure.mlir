// RUN: terrace-opt %s -pass-pipeline="builtin.module(offload-extents)" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NOTE --allow-empty
// NOTE-NOT: remark

// Behind what may be touched: which subscripts are surely in the array. A condition on memory keeps
// the program from every element, so nothing is sure.
// RUN: terrace run %t.mlir --target interp --entry guarded.extents --arg 0=10 --arg 1=zeros:1 --arg 2=zeros:1 | FileCheck %s --check-prefix=GUARDED
// GUARDED: result   0: 0
// GUARDED: result   1: 10
// GUARDED: result   2: 0
// GUARDED: result   3: 901
// GUARDED: result   4: 0
// GUARDED: result   5: 10
// GUARDED: result   6: 9223372036854776000
// GUARDED: result   7: -9223372036854776000
func.func @guarded(%n: index, %use: memref<?xi32> {acc.name = "use"}, %q: memref<?xf64> {acc.name = "q"}) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : i32
  affine.for %i = 0 to %n {
    %u = affine.load %use[%i] : memref<?xi32>
    %on = arith.cmpi ne, %u, %c0 : i32
    scf.if %on {
      affine.store %z, %q[%i * 100] : memref<?xf64>
    }
  }
  return
}

// Conditions on numbers, steps, and loops that may have no iterations: of 0 to 9 in steps of 3
// the last is 9, of which i < 5 leaves 3; j runs below 7.
// RUN: terrace run %t.mlir --target interp --entry numbers.extents --arg 0=10 --arg 1=5 --arg 2=7 --arg 3=zeros:1 --arg 4=zeros:1 --arg 5=zeros:1 | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: result   0: 0
// NUMBERS: result   1: 5
// NUMBERS: result   2: 10
// NUMBERS: result   3: 17
// NUMBERS: result   4: -27
// NUMBERS: result   5: 1
// NUMBERS: result   6: 0
// NUMBERS: result   7: 4
// NUMBERS: result   8: 0
// NUMBERS: result   9: 17
// NUMBERS: result  10: -27
// NUMBERS: result  11: 1
// RUN: terrace run %t.mlir --target interp --entry numbers.extents --arg 0=10 --arg 1=5 --arg 2=0 --arg 3=zeros:1 --arg 4=zeros:1 --arg 5=zeros:1 | FileCheck %s --check-prefix=NONE
// NONE: result   2: 9223372036854776000
// NONE: result   3: -9223372036854776000
// NONE: result   8: 9223372036854776000
// NONE: result   9: -9223372036854776000
func.func @numbers(%n: index, %m: index, %k: index, %a: memref<?xf64> {acc.name = "a"}, %b: memref<?xf64> {acc.name = "b"}, %c: memref<?xf64> {acc.name = "c"}) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %n step 3 {
    %on = arith.cmpi slt, %i, %m : index
    scf.if %on {
      affine.store %z, %a[%i] : memref<?xf64>
    }
    affine.store %z, %c[%i * -3] : memref<?xf64>
  }
  affine.for %j = 0 to %k {
    affine.store %z, %b[%j + symbol(%n)] : memref<?xf64>
  }
  return
}

// Remainders of numbers with one quotient are as far from each other as they; else all may be.
// RUN: terrace run %t.mlir --target interp --entry ring.extents --arg 0=8 --arg 1=3 --arg 2=zeros:1 --arg 3=zeros:1 | FileCheck %s --check-prefix=RING
// RING: result   0: 3
// RING: result   1: 11
// RING: result   2: 3
// RING: result   3: 11
// RING: result   4: 0
// RING: result   5: 11
// RING: result   6: 0
// RING: result   7: 11
// RUN: terrace run %t.mlir --target interp --entry ring.extents --arg 0=8 --arg 1=-20 --arg 2=zeros:1 --arg 3=zeros:1 | FileCheck %s --check-prefix=BELOW
// BELOW: result   0: -20
// BELOW: result   1: -12
// BELOW: result   2: 36
// BELOW: result   3: 44
// BELOW: result   4: -20
// BELOW: result   5: 0
// RUN: terrace run %t.mlir --target interp --entry ring.extents --arg 0=8 --arg 1=52 --arg 2=zeros:1 --arg 3=zeros:1 | FileCheck %s --check-prefix=AROUND
// AROUND: result   0: 0
// AROUND: result   1: 56
// RUN: terrace run %t.mlir --target interp --entry ring.extents --arg 0=8 --arg 1=-4 --arg 2=zeros:1 --arg 3=zeros:1 | FileCheck %s --check-prefix=ZERO
// ZERO: result   0: -4
// ZERO: result   1: 4
// ZERO: result   2: 0
// ZERO: result   3: 56
func.func @ring(%n: index, %m: index, %a: memref<?xf64> {acc.name = "a"}, %b: memref<?xf64> {acc.name = "b"}) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  %c56 = arith.constant 56 : index
  affine.for %i = 0 to %n {
    %im = arith.addi %i, %m : index
    %r = arith.remsi %im, %c56 : index
    memref.store %z, %a[%r] : memref<?xf64>
    affine.store %z, %b[(%i + symbol(%m)) mod 56] : memref<?xf64>
  }
  return
}

// An inner loop without iterations keeps from the outer one's first and last numbers. Of a loop
// without a counter the first iteration is followed.
// RUN: terrace run %t.mlir --target interp --entry inner.extents --arg 0=10 --arg 1=zeros:1 --arg 2=zeros:1 --arg 3=zeros:1 | FileCheck %s --check-prefix=INNER
// INNER: result   0: 0
// INNER: result   1: 9
// INNER: result   2: 1
// INNER: result   3: 10
// INNER: result   4: 0
// INNER: result   5: 15
// INNER: result   6: 0
// INNER: result   7: 9
// INNER: result   8: 0
// INNER: result   9: 10
// INNER: result  10: 0
// INNER: result  11: 10
func.func @inner(%n: index, %a: memref<?xf64> {acc.name = "a"}, %b: memref<?xf64> {acc.name = "b"}, %c: memref<?xi1> {acc.name = "c"}) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %n {
      affine.store %z, %a[%i] : memref<?xf64>
    }
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.store %z, %b[%i] : memref<?xf64>
    }
    scf.while : () -> () {
      %on = arith.constant true
      scf.condition(%on)
    } do {
      %t = affine.load %c[%i] : memref<?xi1>
      scf.if %t {
        affine.store %t, %c[%i + 5] : memref<?xi1>
      }
      scf.yield
    }
  }
  return
}

// Masks, shifts, and numbers of few bits bound what comes from memory.
// RUN: terrace run %t.mlir --target interp --entry bits.extents --arg 0=100 --arg 1=zeros:1 --arg 2=zeros:1 --arg 3=zeros:1 --arg 4=zeros:1 | FileCheck %s --check-prefix=BITS
// BITS: result   2: 0
// BITS: result   3: 256
// BITS: result   4: -128
// BITS: result   5: 128
// BITS: result   6: 0
// BITS: result   7: 25
func.func @bits(%n: index, %v: memref<?xi8> {acc.name = "v"}, %a: memref<?xf64> {acc.name = "a"}, %b: memref<?xf64> {acc.name = "b"}, %c: memref<?xf64> {acc.name = "c"}) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  %c2 = arith.constant 2 : i32
  %c24 = arith.constant 24 : i32
  affine.for %i = 0 to %n {
    %b0 = affine.load %v[%i] : memref<?xi8>
    %u = arith.extui %b0 : i8 to i32
    %ui = arith.index_cast %u : i32 to index
    memref.store %z, %a[%ui] : memref<?xf64>
    %s = arith.extsi %b0 : i8 to i32
    %si = arith.index_cast %s : i32 to index
    memref.store %z, %b[%si] : memref<?xf64>
    %i32 = arith.index_cast %i : index to i32
    %q = arith.shrsi %i32, %c2 : i32
    %qi = arith.index_cast %q : i32 to index
    memref.store %z, %c[%qi] : memref<?xf64>
    %k = arith.andi %s, %c24 : i32
    %ki = arith.index_cast %k : i32 to index
    memref.store %z, %c[%ki] : memref<?xf64>
  }
  return
}
