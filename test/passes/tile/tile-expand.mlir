// RUN: terrace-opt %s -tile-expand | FileCheck %s

// Each tile has a buffer, and each op a nest.
// CHECK-LABEL: func.func @chain
// CHECK:         %[[V:.*]] = memref.alloca() : memref<8xf32>
// CHECK-NEXT:    affine.for %[[I:.*]] = 0 to 8 {
// CHECK-NEXT:      %[[X:.*]] = affine.load %arg0[symbol(%arg2), %[[I]] * 2] : memref<?x?xf32>
// CHECK-NEXT:      affine.store %[[X]], %[[V]][%[[I]]] : memref<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[W:.*]] = memref.alloca() : memref<8xf32>
// CHECK-NEXT:    affine.for %[[I:.*]] = 0 to 8 {
// CHECK-NEXT:      %[[X:.*]] = affine.load %[[V]][%[[I]]] : memref<8xf32>
// CHECK-NEXT:      %[[Y:.*]] = arith.addf %[[X]], %[[X]] fastmath<nnan> : f32{{$}}
// CHECK-NEXT:      affine.store %[[Y]], %[[W]][%[[I]]] : memref<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    affine.for %[[I:.*]] = 0 to 8 {
// CHECK-NEXT:      %[[X:.*]] = affine.load %[[W]][%[[I]]] : memref<8xf32>
// CHECK-NEXT:      affine.store %[[X]], %arg1[%[[I]]] : memref<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @chain(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index) {
  %v = tile.load %A[%i, 2 * d0] : memref<?x?xf32>, vector<8xf32>
  %w = arith.addf %v, %v fastmath<nnan> {tile.layout = "any"} : vector<8xf32>
  tile.store %w, %B[d0] : vector<8xf32>, memref<?xf32>
  return
}

// What is beyond the limits is the pad, and is not stored.
// CHECK-LABEL: func.func @limits
// CHECK:         %[[V:.*]] = memref.alloca() : memref<4x8xf32>
// CHECK-NEXT:    affine.for %{{.*}} = 0 to 4 {
// CHECK-NEXT:      affine.for %{{.*}} = 0 to 8 {
// CHECK-NEXT:        affine.store %arg3, %[[V]]
// CHECK:         affine.for %[[I:.*]] = 0 to min #map{{.*}}(%arg1) {
// CHECK-NEXT:      affine.for %[[J:.*]] = max #map{{.*}}(%arg2) to 8 {
// CHECK-NEXT:        %[[X:.*]] = affine.load %arg0[%[[J]], %[[I]]]
// CHECK-NEXT:        affine.store %[[X]], %[[V]][%[[I]], %[[J]]]
// CHECK:         affine.for %[[I:.*]] = max #map{{.*}}(%arg2) to min #map{{.*}}(%arg1) {
// CHECK-NEXT:      affine.for %[[J:.*]] = 0 to 8 {
// CHECK-NEXT:        %[[X:.*]] = affine.load %[[V]][%[[I]], %[[J]]]
// CHECK-NEXT:        affine.store %[[X]], %arg0[%[[I]], %[[J]]]
func.func @limits(%A: memref<?x?xf32>, %n: index, %m: index, %pad: f32) {
  %v = tile.load %A[d1, d0] limits [%n, %m to _] pad %pad : memref<?x?xf32>, vector<4x8xf32>
  tile.store %v, %A[d0, d1] limits [%m to %n] : vector<4x8xf32>, memref<?x?xf32>
  return
}

// Where a mask is false nothing is loaded or stored.
// CHECK-LABEL: func.func @masked
// CHECK:         affine.for %[[I:.*]] = 0 to min #map{{.*}}(%arg2) {
// CHECK-NEXT:      %[[HAS:.*]] = affine.load %[[MASK:.*]][%[[I]]] : memref<8xi1>
// CHECK-NEXT:      scf.if %[[HAS]] {
// CHECK-NEXT:        %[[X:.*]] = affine.load %arg0[%[[I]]] : memref<?xf32>
// CHECK-NEXT:        affine.store %[[X]], %[[V:.*]][%[[I]]] : memref<8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    affine.for %[[I:.*]] = 0 to 8 {
// CHECK-NEXT:      %[[HAS:.*]] = affine.load %[[MASK]][%[[I]]] : memref<8xi1>
// CHECK-NEXT:      scf.if %[[HAS]] {
// CHECK-NEXT:        %[[X:.*]] = affine.load %[[V]][%[[I]]] : memref<8xf32>
// CHECK-NEXT:        affine.store %[[X]], %arg1[%[[I]]] : memref<?xf32>
func.func @masked(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %pad: f32) {
  %a = tile.load %A[d0] : memref<?xf32>, vector<8xf32>
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %m = arith.cmpf olt, %a, %zero : vector<8xf32>
  %v = tile.load %A[d0] limits [%n] mask %m pad %pad : memref<?xf32>, vector<8xf32>
  tile.store %v, %B[d0] mask %m : vector<8xf32>, memref<?xf32>
  return
}

// Folds go in the order of the coordinates, from init on.
// CHECK-LABEL: func.func @folds
// CHECK:         %[[INIT:.*]] = memref.alloca() : memref<4xf32>
// CHECK:         %[[SUMS:.*]] = memref.alloca() : memref<4xf32>
// CHECK-NEXT:    affine.for %[[I:.*]] = 0 to 4 {
// CHECK-NEXT:      %[[X:.*]] = affine.load %[[INIT]][%[[I]]] : memref<4xf32>
// CHECK-NEXT:      affine.store %[[X]], %[[SUMS]][%[[I]]] : memref<4xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    affine.for %[[I:.*]] = 0 to 4 {
// CHECK-NEXT:      affine.for %[[J:.*]] = 0 to min #map{{.*}}(%arg1) {
// CHECK-NEXT:        %[[X:.*]] = affine.load %{{.*}}[%[[I]], %[[J]]] : memref<4x8xf32>
// CHECK-NEXT:        %[[SUM:.*]] = affine.load %[[SUMS]][%[[I]]] : memref<4xf32>
// CHECK-NEXT:        %[[NEXT:.*]] = arith.addf %[[SUM]], %[[X]] fastmath<reassoc> : f32
// CHECK-NEXT:        affine.store %[[NEXT]], %[[SUMS]][%[[I]]] : memref<4xf32>
// CHECK:         %[[ALL:.*]] = memref.alloca() : memref<f32>
// CHECK-NEXT:    affine.store %arg2, %[[ALL]][] : memref<f32>
// CHECK-NEXT:    affine.for %[[I:.*]] = 0 to 4 {
// CHECK-NEXT:      %[[X:.*]] = affine.load %[[SUMS]][%[[I]]] : memref<4xf32>
// CHECK-NEXT:      %[[MOST:.*]] = affine.load %[[ALL]][] : memref<f32>
// CHECK-NEXT:      %[[NEXT:.*]] = arith.maximumf %[[MOST]], %[[X]] : f32
// CHECK-NEXT:      affine.store %[[NEXT]], %[[ALL]][] : memref<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[R:.*]] = affine.load %[[ALL]][] : memref<f32>
// CHECK-NEXT:    return %[[R]] : f32
func.func @folds(%A: memref<4x8xf32>, %n: index, %x: f32) -> f32 {
  %v = tile.load %A[d0, d1] : memref<4x8xf32>, vector<4x8xf32>
  %init = tile.load %A[d0, 0] : memref<4x8xf32>, vector<4xf32>
  %s = tile.reduce addf %v, %init axes [1] limits [_, %n] {fastmath = #arith.fastmath<reassoc>} : vector<4x8xf32> -> vector<4xf32>
  %m = tile.reduce maximumf %s, %x axes [0] : vector<4xf32> -> f32
  return %m : f32
}

// A limit that no affine loop may have: loops of scf, and accesses of memref in them.
// CHECK-LABEL: func.func @loaded
// CHECK:         scf.for
// CHECK:           %[[N:.*]] = memref.load %arg1
// CHECK:           %[[END:.*]] = arith.minsi %{{.*}}, %[[N]] : index
// CHECK:           scf.for %[[I:.*]] = %{{.*}} to %[[END]] step %{{.*}} {
// CHECK-NEXT:        %[[X:.*]] = memref.load %arg0[%[[I]]] : memref<?xf32>
// CHECK-NEXT:        memref.store %[[X]], %{{.*}}[%[[I]]] : memref<8xf32>
func.func @loaded(%A: memref<?xf32>, %N: memref<?xindex>, %a: index, %b: index, %pad: f32) {
  %c1 = arith.constant 1 : index
  scf.for %i = %a to %b step %c1 {
    %n = memref.load %N[%i] : memref<?xindex>
    %v = tile.load %A[d0] limits [%n] pad %pad : memref<?xf32>, vector<8xf32>
    tile.store %v, %A[d0] limits [%n] : vector<8xf32>, memref<?xf32>
  }
  return
}

// What a loop carries lies in one buffer. Two that change places go by way of a third.
// CHECK-LABEL: func.func @carried
// CHECK:         %[[A:.*]] = memref.alloca() : memref<4xf32>
// CHECK:         %[[B:.*]] = memref.alloca() : memref<4xf32>
// CHECK:         %[[CA:.*]] = memref.alloca() : memref<4xf32>
// CHECK:         %[[CB:.*]] = memref.alloca() : memref<4xf32>
// CHECK:         %[[N:.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[K:.*]] = %{{.*}}) -> (index) {
// CHECK-NEXT:      %{{.*}} = arith.addi %[[K]]
// CHECK-NEXT:      %[[T:.*]] = memref.alloca() : memref<4xf32>
// CHECK-NEXT:      affine.for
// CHECK-NEXT:        affine.load %[[CB]]
// CHECK-NEXT:        affine.store %{{.*}}, %[[T]]
// CHECK:           %[[U:.*]] = memref.alloca() : memref<4xf32>
// CHECK-NEXT:      affine.for
// CHECK-NEXT:        affine.load %[[CA]]
// CHECK-NEXT:        affine.store %{{.*}}, %[[U]]
// CHECK:           affine.load %[[T]]
// CHECK-NEXT:      affine.store %{{.*}}, %[[CA]]
// CHECK:           affine.load %[[U]]
// CHECK-NEXT:      affine.store %{{.*}}, %[[CB]]
// CHECK:           scf.yield %{{.*}} : index
// CHECK:         affine.load %[[CA]]
// CHECK:         return %[[N]] : index
func.func @carried(%A: memref<?xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.load %A[d0] : memref<?xf32>, vector<4xf32>
  %b = tile.load %A[d0 + 4] : memref<?xf32>, vector<4xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %k = %c0, %y = %b) -> (vector<4xf32>, index, vector<4xf32>) {
    %next = arith.addi %k, %c1 : index
    scf.yield %y, %next, %x : vector<4xf32>, index, vector<4xf32>
  }
  tile.store %r#0, %A[d0] : vector<4xf32>, memref<?xf32>
  return %r#1 : index
}

// CHECK-LABEL: func.func @chosen
// CHECK:         %[[R:.*]] = memref.alloca() : memref<4xf32>
// CHECK-NEXT:    scf.if %arg1 {
// CHECK:           affine.store %{{.*}}, %[[R]]
// CHECK:         } else {
// CHECK:           affine.store %{{.*}}, %[[R]]
// CHECK:         }
// CHECK:         affine.load %[[R]]
func.func @chosen(%A: memref<?xf32>, %c: i1) {
  %r = scf.if %c -> (vector<4xf32>) {
    %a = tile.load %A[d0] : memref<?xf32>, vector<4xf32>
    scf.yield %a : vector<4xf32>
  } else {
    %z = arith.constant dense<0.0> : vector<4xf32>
    scf.yield %z : vector<4xf32>
  }
  tile.store %r, %A[d0 + 4] : vector<4xf32>, memref<?xf32>
  return
}

// Vectors that have nothing to do with tiles stay, and a tile that goes into another op is
// loaded whole.
// CHECK-LABEL: func.func @others
// CHECK-SAME:    %[[V:.*]]: vector<4xf32>
// CHECK:         %[[IN:.*]] = memref.alloca() : memref<4xf32>
// CHECK:         vector.store %[[V]], %[[IN]]
// CHECK:         %[[Y:.*]] = arith.addf
// CHECK-NEXT:    affine.store %[[Y]], %[[SUM:.*]][%{{.*}}] : memref<4xf32>
// CHECK:         %[[WHOLE:.*]] = vector.load %[[SUM]][%{{.*}}] : memref<4xf32>, vector<4xf32>
// CHECK-NEXT:    %[[RED:.*]] = vector.reduction <add>, %[[WHOLE]] : vector<4xf32> into f32
// CHECK-NEXT:    %[[OWN:.*]] = arith.mulf %arg1, %arg1 : vector<8xf32>
// CHECK-NEXT:    return %[[RED]], %[[OWN]] : f32, vector<8xf32>
func.func @others(%v: vector<4xf32>, %o: vector<8xf32>, %A: memref<?xf32>) -> (f32, vector<8xf32>) {
  %a = tile.load %A[d0] : memref<?xf32>, vector<4xf32>
  %sum = arith.addf %a, %v : vector<4xf32>
  %r = vector.reduction <add>, %sum : vector<4xf32> into f32
  %own = arith.mulf %o, %o : vector<8xf32>
  return %r, %own : f32, vector<8xf32>
}

// CHECK-LABEL: func.func @moves
// Broadcast, transposed, and in another shape.
// CHECK:         affine.load %{{.*}}[0, %[[J:.*]]] : memref<1x4xf32>
// CHECK:         affine.load %{{.*}}[%[[J:.*]], %[[I:.*]]] : memref<3x4xf32>
// CHECK-NEXT:    affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]] : memref<4x3xf32>
// CHECK:         affine.load %{{.*}}[%[[I:.*]] * 2 + %[[J:.*]] floordiv 3, %[[J]] mod 3] : memref<4x3xf32>
// CHECK-NEXT:    affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]] : memref<2x6xf32>
func.func @moves(%A: memref<?x?xf32>) {
  %a = tile.load %A[d0, d1] : memref<?x?xf32>, vector<1x4xf32>
  %b = vector.broadcast %a : vector<1x4xf32> to vector<3x4xf32>
  %c = vector.transpose %b, [1, 0] : vector<3x4xf32> to vector<4x3xf32>
  %d = vector.shape_cast %c : vector<4x3xf32> to vector<2x6xf32>
  tile.store %d, %A[d0, d1] : vector<2x6xf32>, memref<?x?xf32>
  return
}
