// Products whose range of k is another for each row or column, on the emulator, which looks for
// races and accesses out of bounds. What a row does not add may be infinite.
// RUN: terrace run %s --entry rows --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry cols --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry pairs --target emulator --verify --size R=3 --size Q=47 --size P=10 | FileCheck %s

// CHECK: verify   passed

// In place, f32, in registers; the first two rows are infinite in the end, and no others.
func.func @rows(%A: memref<70x70xf32> {terrace.name = "A", terrace.init = "random:70x70:1"},
                %B: memref<70x9xf32> {terrace.name = "B", terrace.init = "random:70x9:2"}) {
  %big = arith.constant 0x7F800000 : f32
  affine.for %j = 0 to 9 {
    affine.store %big, %B[1, %j] : memref<70x9xf32>
  }
  affine.for %i = 0 to 70 {
    affine.for %j = 0 to 9 {
      affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to 70 {
        %b = affine.load %B[%i, %j] : memref<70x9xf32>
        %0 = affine.load %A[%k, %i] : memref<70x70xf32>
        %1 = affine.load %B[%k, %j] : memref<70x9xf32>
        %2 = arith.mulf %0, %1 : f32
        %3 = arith.addf %b, %2 : f32
        affine.store %3, %B[%i, %j] : memref<70x9xf32>
      }
    }
  }
  return
}

// The end of k goes down with the column, so that the first columns have the most.
func.func @cols(%A: memref<7x67xf64> {terrace.name = "A", terrace.init = "random:7x67:1"},
                %B: memref<67x67xf64> {terrace.name = "B", terrace.init = "random:67x67:2"},
                %C: memref<7x67xf64> {terrace.name = "C", terrace.init = "random:7x67:3"}) {
  affine.for %i = 0 to 7 {
    affine.for %j = 0 to 67 {
      affine.for %k = 0 to affine_map<(d0) -> (64 - d0)>(%j) {
        %0 = affine.load %A[%i, %k] : memref<7x67xf64>
        %1 = affine.load %B[%k, %j] : memref<67x67xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<7x67xf64>
        %4 = arith.subf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<7x67xf64>
      }
    }
  }
  return
}

// Rows by two counters, the inner from 1 on, through an array that keeps its last row.
func.func @pairs(%A: memref<?x?x?xf64> {terrace.name = "A", terrace.dims = ["R", "Q", "P"], terrace.init = "random:8x8x8:1"},
                 %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["P", "P"], terrace.init = "random:8x8:2"},
                 %row: memref<?xf64> {terrace.name = "row", terrace.dims = ["P"], terrace.init = "random:8:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %R = memref.dim %A, %c0 : memref<?x?x?xf64>
  %Q = memref.dim %A, %c1 : memref<?x?x?xf64>
  %P = memref.dim %A, %c2 : memref<?x?x?xf64>
  affine.for %r = 0 to %R {
    affine.for %q = 1 to %Q {
      affine.for %p = 0 to %P {
        affine.store %zero, %row[%p] : memref<?xf64>
        affine.for %s = 0 to %P {
          %0 = affine.load %row[%p] : memref<?xf64>
          %1 = affine.load %A[%r, %q, %s] : memref<?x?x?xf64>
          %2 = affine.load %B[%s, %p] : memref<?x?xf64>
          %3 = arith.mulf %1, %2 : f64
          %4 = arith.addf %0, %3 : f64
          affine.store %4, %row[%p] : memref<?xf64>
        }
      }
      affine.for %p = 0 to %P {
        %0 = affine.load %row[%p] : memref<?xf64>
        affine.store %0, %A[%r, %q, %p] : memref<?x?x?xf64>
      }
    }
  }
  return
}
