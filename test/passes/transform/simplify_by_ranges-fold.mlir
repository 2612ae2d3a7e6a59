// RUN: terrace-opt %s -arith-simplify-by-ranges | FileCheck %s

// A byte is never negative, and never over 255.
// CHECK-LABEL: func.func @clamp
// CHECK-SAME: %[[A:.*]]: i8
// CHECK: %[[X:.*]] = arith.extui %[[A]]
// CHECK-NOT: arith.maxsi
// CHECK-NOT: arith.minsi
// CHECK-NOT: math.absi
// CHECK: return %[[X]] : i32
func.func @clamp(%a: i8) -> i32 {
  %zero = arith.constant 0 : i32
  %most = arith.constant 255 : i32
  %x = arith.extui %a : i8 to i32
  %y = math.absi %x : i32
  %z = arith.maxsi %y, %zero : i32
  %w = arith.minsi %z, %most : i32
  return %w : i32
}

// One that may be less stays.
// CHECK-LABEL: func.func @may_be_less
// CHECK: arith.minsi
func.func @may_be_less(%a: i8) -> i32 {
  %most = arith.constant 254 : i32
  %x = arith.extui %a : i8 to i32
  %w = arith.minsi %x, %most : i32
  return %w : i32
}

// The variable of a loop is between its bounds, also where one of them is an integer of C.
// CHECK-LABEL: func.func @variable
// CHECK: affine.for
// CHECK-NOT: scf.if
// CHECK: memref.store %[[V:.*]], %{{.*}}[%{{.*}}]
// CHECK-NOT: memref.store
// CHECK: return
func.func @variable(%n: i32, %a: memref<?xi32>, %v: i32) {
  %zero = arith.constant 0 : i32
  %end = arith.index_cast %n : i32 to index
  affine.for %i = 0 to %end {
    %x = arith.index_cast %i : index to i32
    %c = arith.cmpi sge, %x, %zero : i32
    scf.if %c {
      memref.store %v, %a[%i] : memref<?xi32>
    } else {
      memref.store %zero, %a[%i] : memref<?xi32>
    }
  }
  return
}

// A variable past 32 bits wraps around in them: its sign is not known.
// CHECK-LABEL: func.func @wraps
// CHECK: arith.cmpi sge
func.func @wraps(%n: index, %a: memref<?xi1>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to %n {
    %x = arith.index_cast %i : index to i32
    %c = arith.cmpi sge, %x, %zero : i32
    memref.store %c, %a[%i] : memref<?xi1>
  }
  return
}

// The ways of a condition that never holds, with results and without an else.
// CHECK-LABEL: func.func @never
// CHECK-SAME: %{{.*}}: i8, %[[V:.*]]: i32, %[[W:.*]]: i32
// CHECK-NOT: scf.if
// CHECK: return %[[W]] : i32
func.func @never(%a: i8, %v: i32, %w: i32, %m: memref<i32>) -> i32 {
  %most = arith.constant 300 : i32
  %x = arith.extui %a : i8 to i32
  %c = arith.cmpi sgt, %x, %most : i32
  %r = scf.if %c -> i32 {
    scf.yield %v : i32
  } else {
    scf.yield %w : i32
  }
  scf.if %c {
    memref.store %v, %m[] : memref<i32>
  }
  return %r : i32
}

// What is left over of a smaller number is that number, and so is what a mask keeps.
// CHECK-LABEL: func.func @smaller
// CHECK-NOT: arith.remsi
// CHECK-NOT: arith.andi
// CHECK: return
func.func @smaller(%a: i8) -> (i32, i32) {
  %c = arith.constant 256 : i32
  %m = arith.constant 255 : i32
  %x = arith.extui %a : i8 to i32
  %r = arith.remsi %x, %c : i32
  %s = arith.andi %x, %m : i32
  return %r, %s : i32, i32
}

// A mask with a gap, one that is shorter, and numbers that may be negative.
// CHECK-LABEL: func.func @not_kept
// CHECK: arith.andi
// CHECK: arith.andi
// CHECK: arith.remsi
// CHECK: arith.cmpi ult
func.func @not_kept(%a: i8) -> (i32, i32, i32, i1) {
  %gap = arith.constant 383 : i32
  %short = arith.constant 127 : i32
  %c = arith.constant 256 : i32
  %x = arith.extui %a : i8 to i32
  %y = arith.extsi %a : i8 to i32
  %r = arith.andi %y, %gap : i32
  %s = arith.andi %x, %short : i32
  %t = arith.remsi %y, %c : i32
  %u = arith.cmpi ult, %y, %c : i32
  return %r, %s, %t, %u : i32, i32, i32, i1
}

// Divisions of indices that round down.
// CHECK-LABEL: func.func @indices
// CHECK-NOT: arith.cmpi
// CHECK: return
func.func @indices(%a: memref<200xi1>) {
  %two = arith.constant 2 : index
  %most = arith.constant 50 : index
  affine.for %i = 0 to 100 {
    %h = arith.floordivsi %i, %two : index
    %c = arith.cmpi slt, %h, %most : index
    memref.store %c, %a[%i] : memref<200xi1>
    %d = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3)>(%i)
    %e = arith.cmpi sle, %d, %most : index
    memref.store %e, %a[%i] : memref<200xi1>
  }
  return
}

// What has no operands is left alone.
// CHECK-LABEL: func.func @no_operands
// CHECK: memref.get_global
memref.global @g : memref<4xi32>
func.func @no_operands() -> memref<4xi32> {
  %g = memref.get_global @g : memref<4xi32>
  return %g : memref<4xi32>
}
