// RUN: terrace-opt %s -scf-if-to-select | FileCheck %s

// Both ways are computed.
// CHECK-LABEL: func.func @choice
// CHECK-NEXT: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : f64
// CHECK-NEXT: %[[R:.*]] = arith.select %{{.*}}, %[[P]], %{{.*}} : f64
// CHECK-NEXT: return %[[R]]
func.func @choice(%c: i1, %x: f64, %y: f64) -> f64 {
  %r = scf.if %c -> (f64) {
    %p = arith.mulf %x, %y : f64
    scf.yield %p : f64
  } else {
    scf.yield %x : f64
  }
  return %r : f64
}

// A sum that goes on in one way only stays a sum.
// CHECK-LABEL: func.func @sum
// CHECK: affine.for %{{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (i32) {
// CHECK: %[[C:.*]] = arith.cmpi sgt
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[T:.*]] = arith.select %[[C]], %{{.*}}, %[[ZERO]] : i32
// CHECK: %[[R:.*]] = arith.addi %[[S]], %[[T]] : i32
// CHECK: affine.yield %[[R]] : i32
func.func @sum(%a: memref<100xi32>, %t: i32, %start: i32) -> i32 {
  %s = affine.for %i = 0 to 100 iter_args(%so_far = %start) -> (i32) {
    %x = affine.load %a[%i] : memref<100xi32>
    %c = arith.cmpi sgt, %x, %t : i32
    %r = scf.if %c -> (i32) {
      %u = arith.addi %so_far, %x : i32
      scf.yield %u : i32
    } else {
      scf.yield %so_far : i32
    }
    affine.yield %r : i32
  }
  return %s : i32
}

// Conditions one in the other are one.
// CHECK-LABEL: func.func @both
// CHECK-NOT: scf.if
// CHECK: %[[D:.*]] = arith.cmpi slt
// CHECK: arith.andi %{{.*}}, %[[D]] : i1
func.func @both(%c: i1, %x: i32, %y: i32) -> i1 {
  %false = arith.constant false
  %r = scf.if %c -> (i1) {
    %d = arith.cmpi slt, %x, %y : i32
    scf.yield %d : i1
  } else {
    scf.yield %false : i1
  }
  return %r : i1
}

// What may be out of bounds, may fail or takes long is not done for nothing.
// CHECK-LABEL: func.func @stay
// CHECK: scf.if
// CHECK: scf.if
// CHECK: scf.if
func.func @stay(%c: i1, %a: memref<?xf64>, %x: f64, %y: f64, %n: i32, %d: i32) -> (f64, f64, i32) {
  %0 = scf.if %c -> (f64) {
    %v = affine.load %a[3] : memref<?xf64>
    scf.yield %v : f64
  } else {
    scf.yield %x : f64
  }
  %1 = scf.if %c -> (f64) {
    %v = math.exp %x : f64
    scf.yield %v : f64
  } else {
    scf.yield %x : f64
  }
  %2 = scf.if %c -> (i32) {
    %v = arith.divsi %n, %d : i32
    scf.yield %v : i32
  } else {
    scf.yield %n : i32
  }
  return %0, %1, %2 : f64, f64, i32
}

// Both ways store one element: one store of what the condition chooses. The elements that one
// way loads lie behind one that is stored in any case, or within the array.
// CHECK-LABEL: func.func @table
// CHECK-NOT: scf.if
// CHECK: %[[E:.*]] = arith.maxsi %{{.*}}, %{{.*}} : i32
// CHECK: %[[R:.*]] = arith.select %{{.*}}, %{{.*}}, %[[E]] : i32
// CHECK: affine.store %[[R]], %{{.*}}[%{{.*}}, %{{.*}}] : memref<101x101xi32>
// CHECK-NOT: affine.store
func.func @table(%t: memref<101x101xi32>, %a: memref<?xi8>, %b: memref<?xi8>, %n: index) {
  %one = arith.constant 1 : i32
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %n {
      %x = affine.load %a[%i] : memref<?xi8>
      %y = affine.load %b[%j] : memref<?xi8>
      %c = arith.cmpi eq, %x, %y : i8
      scf.if %c {
        %u = affine.load %t[%i - 1, %j - 1] : memref<101x101xi32>
        %v = arith.addi %u, %one : i32
        affine.store %v, %t[%i, %j] : memref<101x101xi32>
      } else {
        %u = affine.load %t[%i - 1, %j] : memref<101x101xi32>
        %v = affine.load %t[%i, %j - 1] : memref<101x101xi32>
        %d = arith.cmpi sgt, %u, %v : i32
        %m = arith.select %d, %u, %v : i32
        affine.store %m, %t[%i, %j] : memref<101x101xi32>
      }
    }
  }
  return
}

// An element may be behind the last one: it is loaded where the program does.
// CHECK-LABEL: func.func @past
// CHECK: scf.if
// CHECK: affine.load %{{.*}}[%{{.*}} + 1]
func.func @past(%a: memref<?xf64>, %b: memref<?xf64>, %n: index, %t: f64) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    %c = arith.cmpf olt, %x, %t : f64
    %r = scf.if %c -> (f64) {
      %y = affine.load %a[%i + 1] : memref<?xf64>
      scf.yield %y : f64
    } else {
      scf.yield %x : f64
    }
    affine.store %r, %b[%i] : memref<?xf64>
  }
  return
}

// A store in one way only stays: another thread might store there in between. Where the program
// stores in any case, the other way stores what is there.
// CHECK-LABEL: func.func @one_way
// CHECK: scf.if
// CHECK: affine.store %{{.*}}, %{{.*}}[%{{.*}}] : memref<100xf64>
// CHECK: affine.for
// CHECK-NOT: scf.if
// CHECK: affine.store

// CHECK: %[[NEW:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f64
// CHECK: affine.store %[[NEW]]
func.func @one_way(%a: memref<100xf64>, %b: memref<100xf64>, %t: f64) {
  affine.for %i = 0 to 100 {
    %x = affine.load %a[%i] : memref<100xf64>
    %c = arith.cmpf olt, %x, %t : f64
    scf.if %c {
      affine.store %t, %b[%i] : memref<100xf64>
    }
  }
  affine.for %i = 0 to 100 {
    %x = affine.load %a[%i] : memref<100xf64>
    affine.store %x, %b[%i] : memref<100xf64>
    %c = arith.cmpf olt, %x, %t : f64
    scf.if %c {
      affine.store %t, %b[%i] : memref<100xf64>
    }
  }
  return
}

// No other thread knows of memory of the function's own.
// CHECK-LABEL: func.func @own
// CHECK-NOT: scf.if
// CHECK: arith.minsi
func.func @own(%a: memref<100xi32>) -> i32 {
  %m = memref.alloca() : memref<1xi32>
  affine.for %i = 0 to 100 {
    %x = affine.load %a[%i] : memref<100xi32>
    %y = affine.load %m[0] : memref<1xi32>
    %c = arith.cmpi slt, %x, %y : i32
    scf.if %c {
      affine.store %x, %m[0] : memref<1xi32>
    }
  }
  %r = affine.load %m[0] : memref<1xi32>
  return %r : i32
}

// The place of the greatest element: with a branch an iteration does not wait for the one before.
// CHECK-LABEL: func.func @place
// CHECK: scf.if
func.func @place(%a: memref<100xf32>) -> index {
  %zero = arith.constant 0 : index
  %first = affine.load %a[0] : memref<100xf32>
  %r:2 = affine.for %i = 1 to 100 iter_args(%best = %first, %at = %zero) -> (f32, index) {
    %x = affine.load %a[%i] : memref<100xf32>
    %c = arith.cmpf ogt, %x, %best : f32
    %n:2 = scf.if %c -> (f32, index) {
      scf.yield %x, %i : f32, index
    } else {
      scf.yield %best, %at : f32, index
    }
    affine.yield %n#0, %n#1 : f32, index
  }
  return %r#1 : index
}

// Truth values are combined, not chosen.
// CHECK-LABEL: func.func @or
// CHECK: %[[EQ:.*]] = arith.cmpi eq
// CHECK: %[[NE:.*]] = arith.cmpi ne
// CHECK: arith.ori %[[NE]], %{{.*}} : i1
func.func @or(%x: i32, %y: i32, %z: i32) -> i1 {
  %true = arith.constant true
  %c = arith.cmpi eq, %x, %y : i32
  %r = scf.if %c -> (i1) {
    %d = arith.cmpi slt, %x, %z : i32
    scf.yield %d : i1
  } else {
    scf.yield %true : i1
  }
  return %r : i1
}

// Of the last row of a view the array may hold a part.
// CHECK-LABEL: func.func @part
// CHECK: scf.if
// CHECK-NEXT: affine.load %{{.*}}[%{{.*}}, 3]
func.func @part(%a: memref<?xi32>, %s: memref<64xi32>, %rows: index, %n: index) {
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [%rows, 4], strides: [4, 1] : memref<?xi32> to memref<?x4xi32>
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  affine.for %i = 0 to %rows {
    %x = affine.load %v[%i, 0] : memref<?x4xi32>
    %k = arith.muli %i, %c4 : index
    %l = arith.addi %k, %c3 : index
    %c = arith.cmpi slt, %l, %n : index
    %r = scf.if %c -> (i32) {
      %y = affine.load %v[%i, 3] : memref<?x4xi32>
      scf.yield %y : i32
    } else {
      scf.yield %x : i32
    }
    affine.store %r, %s[%i] : memref<64xi32>
  }
  return
}
