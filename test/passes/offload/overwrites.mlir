// RUN: terrace-opt %s -pass-pipeline="builtin.module(offload-extents)" -o %t.mlir

// Behind the extents, and what of them is sure, stands whether the region leaves nothing of an array: 1 or 0.

// Rows are written up to column %m of 4.
// RUN: terrace run %t.mlir --target interp --entry columns.extents --arg 0=3 --arg 1=4 --arg 2=zeros:1x4 | FileCheck %s --check-prefix=WHOLE
// RUN: terrace run %t.mlir --target interp --entry columns.extents --arg 0=3 --arg 1=3 --arg 2=zeros:1x4 | FileCheck %s --check-prefix=PART
// WHOLE: result   0: 0
// WHOLE: result   1: 3
// WHOLE: result   4: 1
// PART: result   1: 3
// PART: result   4: 0
func.func @columns(%n: index, %m: index, %a: memref<?x4xf64>) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.store %z, %a[%i, %j] : memref<?x4xf64>
    }
  }
  return
}

// A size that only the program knows: whole where it is not more than %m.
// RUN: terrace run %t.mlir --target interp --entry sizes.extents --arg 0=3 --arg 1=5 --arg 2=zeros:1x5 | FileCheck %s --check-prefix=WHOLE
// RUN: terrace run %t.mlir --target interp --entry sizes.extents --arg 0=3 --arg 1=5 --arg 2=zeros:1x6 | FileCheck %s --check-prefix=PART
func.func @sizes(%n: index, %m: index, %a: memref<?x?xf64>) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.store %z, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// What is read under a condition was written before, or, where %n is greater, was not.
// RUN: terrace run %t.mlir --target interp --entry read.extents --arg 0=3 --arg 1=3 --arg 2=zeros:1 | FileCheck %s --check-prefix=WHOLE
// RUN: terrace run %t.mlir --target interp --entry read.extents --arg 0=5 --arg 1=3 --arg 2=zeros:1 | FileCheck %s --check-prefix=MORE
// MORE: result   1: 5
// MORE: result   4: 0
func.func @read(%n: index, %m: index, %a: memref<?xf64>) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %m {
    affine.store %z, %a[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %c = arith.cmpi sgt, %i, %m : index
    scf.if %c {
      %x = affine.load %a[%i] : memref<?xf64>
      affine.store %x, %a[%i] : memref<?xf64>
    }
  }
  return
}

// Not where something is surely left: there is no fifth result. The extents of all of
// these are the rows from 0 to 3.
// RUN: terrace run %t.mlir --target interp --entry triangle.extents --arg 0=3 --arg 1=zeros:1x9 | FileCheck %s --check-prefix=NEVER
// RUN: terrace run %t.mlir --target interp --entry sometimes.extents --arg 0=3 --arg 1=1 --arg 2=zeros:1 | FileCheck %s --check-prefix=NEVER
// RUN: terrace run %t.mlir --target interp --entry steps.extents --arg 0=3 --arg 1=zeros:1 | FileCheck %s --check-prefix=NEVER
// RUN: terrace run %t.mlir --target interp --entry before.extents --arg 0=3 --arg 1=zeros:1 | FileCheck %s --check-prefix=NEVER
// NEVER: result   0: 0
// NEVER: result   1: 3
// NEVER-NOT: result   4
func.func @triangle(%n: index, %a: memref<?x9xf64>) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      affine.store %z, %a[%i, %j] : memref<?x9xf64>
    }
  }
  return
}
func.func @sometimes(%n: index, %t: i1, %a: memref<?xf64>) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    scf.if %t {
      affine.store %z, %a[%i] : memref<?xf64>
    }
  }
  return
}
func.func @steps(%n: index, %a: memref<?xf64>) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %n step 2 {
    affine.store %z, %a[%i] : memref<?xf64>
  }
  return
}
func.func @before(%n: index, %a: memref<?xf64>) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    affine.store %z, %a[%i] : memref<?xf64>
  }
  return
}

// An array whose size is known takes no result for what always is, and has one where it
// hinges on %n. Of both all is copied.
// RUN: terrace run %t.mlir --target interp --entry known.extents --arg 0=8 --arg 1=zeros:8 --arg 2=zeros:8 | FileCheck %s --check-prefix=ALL
// RUN: terrace run %t.mlir --target interp --entry known.extents --arg 0=7 --arg 1=zeros:8 --arg 2=zeros:8 | FileCheck %s --check-prefix=SOME
// ALL: result   0: 1
// ALL-NOT: result   1
// SOME: result   0: 0
func.func @known(%n: index, %a: memref<8xf64>, %b: memref<8xf64>) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to 8 {
    affine.store %z, %a[%i] : memref<8xf64>
  }
  affine.for %i = 0 to %n {
    affine.store %z, %b[%i] : memref<8xf64>
  }
  return
}
