// RUN: terrace-opt %s -pass-pipeline="builtin.module(offload-extents)" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: terrace run %t.mlir --target interp --entry boxes.extents --arg 0=10 --arg 1=7 --arg 2=zeros:1 --arg 3=zeros:1x1 --arg 4=zeros:1 --arg 5=zeros:1 --arg 6=zeros:1 | FileCheck %s --check-prefix=BOXES
// RUN: terrace run %t.mlir --target interp --entry boxes.extents --arg 0=0 --arg 1=7 --arg 2=zeros:1 --arg 3=zeros:1x1 --arg 4=zeros:1 --arg 5=zeros:1 --arg 6=zeros:1 | FileCheck %s --check-prefix=EMPTY

// NOTE: remark: the extent of d is not known: which part of it d[c[i]] reaches: c[i] is read from memory
// A triangle, steps, linearised subscripts, a condition: exactly what is touched.
func.func @boxes(%n: index, %m32: i32, %a: memref<?xf64> {acc.name = "a"}, %b: memref<?x?xf64> {acc.name = "b"}, %c: memref<?xi32> {acc.name = "c"}, %d: memref<?xf64> {acc.name = "d"}, %e: memref<?xf64> {acc.name = "e"}) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.index_cast %m32 : i32 to index
  affine.for %i = 0 to %n {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
      affine.store %z, %a[%j - %i] : memref<?xf64>
    }
    affine.for %j = 0 to %m step 2 {
      affine.store %z, %b[%i + 2, %j] : memref<?x?xf64>
      %k = affine.load %c[%i] : memref<?xi32>
      %k1 = arith.index_cast %k : i32 to index
      memref.store %z, %d[%k1] : memref<?xf64>
    }
    scf.for %k = %c0 to %m step %c1 {
      %im = arith.muli %i, %m : index
      %p = arith.addi %im, %k : index
      memref.store %z, %e[%p] : memref<?xf64>
      %later = arith.cmpi sgt, %k, %c0 : index
      scf.if %later {
        %k2 = arith.subi %k, %c1 : index
        memref.store %z, %e[%k2] : memref<?xf64>
      }
    }
  }
  return
}

// BOXES: result   0: 0
// BOXES: result   1: 10
// BOXES: result   2: 2
// BOXES: result   3: 12
// BOXES: result   4: 0
// BOXES: result   5: 10
// BOXES: result   6: 0
// BOXES: result   7: 70

// Nothing is touched: every range ends before it starts.
// EMPTY: result   0: 9223372036854776000
// EMPTY: result   1: -9223372036854776000
// EMPTY: result   6: 9223372036854776000
// EMPTY: result   7: -9223372036854776000

// Divisions, remainders, minima; a window around each element.
// RUN: terrace run %t.mlir --target interp --entry window.extents --arg 0=100 --arg 1=zeros:1 --arg 2=zeros:1 | FileCheck %s --check-prefix=WINDOW
// WINDOW: result   0: 1
// WINDOW: result   1: 50
// WINDOW: result   2: 0
// WINDOW: result   3: 99
func.func @window(%n: index, %a: memref<?xf64> {acc.name = "a"}, %b: memref<?xf64> {acc.name = "b"}) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  %c98 = arith.constant 98 : index
  affine.for %i = 2 to %n {
    affine.store %z, %a[%i floordiv 2] : memref<?xf64>
    affine.store %z, %b[%i mod 8] : memref<?xf64>
    %k = arith.minsi %i, %c98 : index
    memref.store %z, %b[%k] : memref<?xf64>
  }
  return
}

// Rows of a linearised array, of a length whose sign only the program knows: in the last row
// the inner loop has nothing of the last column.
// RUN: terrace run %t.mlir --target interp --entry rows.extents --arg 0=1000 --arg 1=zeros:1 | FileCheck %s --check-prefix=ROWS
// ROWS: result   0: 1000
// ROWS: result   1: 999999
func.func @rows(%n: index, %a: memref<?xf64> {acc.name = "a"}) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  affine.for %k = 0 to %n {
    affine.for %i = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
      %row = arith.muli %i, %n : index
      %at = arith.addi %row, %k : index
      memref.store %z, %a[%at] : memref<?xf64>
    }
  }
  return
}

// Past what can be known.
// NOTE: remark: the extent of a is not known: a goes to 'func.call' as a whole
// NOTE: remark: the extent of b is not known: which part of it b[k] reaches: k changes from iteration to iteration
// NOTE: remark: the extent of c is not known: which part of it c[i] reaches: the bounds of a loop around it are not affine
func.func private @g(memref<?xf64>)
func.func @unknown(%n: index, %a: memref<?xf64> {acc.name = "a"}, %b: memref<?xf64> {acc.name = "b"}, %c: memref<?xindex> {acc.name = "c"}) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.load %c[%c0] : memref<?xindex>
  func.call @g(%a) : (memref<?xf64>) -> ()
  %r = affine.for %i = 0 to %n iter_args(%k = %c0) -> index {
    memref.store %z, %b[%k] : memref<?xf64>
    %1 = arith.muli %k, %k : index
    affine.yield %1 : index
  }
  scf.for %i = %c0 to %m step %c1 {
    memref.store %i, %c[%i] : memref<?xindex>
  }
  return
}
