// RUN: terrace-opt %s -affine-parallelize | FileCheck %s
// RUN: terrace-opt %s -affine-print-dependences -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// A row of n elements by a linearised subscript: taken apart only where the rest of it stays
// from 0 to below n. One element further down is the row before: rows depend on each other.

// CHECK-LABEL: func.func @below
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.for
// WHY-LABEL: dependences of @below:
// WHY: flow {{.*}} loop 'i' {{.*}} maybe: the subscript multiplies a loop variable by a parameter, and the bounds do not show
func.func @below(%x: memref<?xf64>, %n: index) {
  affine.for %i = 1 to %n {
    affine.for %j = 0 to %n {
      %0 = arith.muli %i, %n : index
      %1 = arith.addi %0, %j : index
      %v = memref.load %x[%1] : memref<?xf64>
      %c1 = arith.constant 1 : index
      %2 = arith.subi %1, %c1 : index
      memref.store %v, %x[%2] : memref<?xf64>
    }
  }
  return
}

// From the second column on it stays in its row.
// CHECK-LABEL: func.func @inside
// CHECK-NEXT: affine.parallel
// CHECK-NEXT: affine.for
// WHY-LABEL: dependences of @inside:
// WHY-NEXT: kind
// WHY-NEXT: anti x load {{.*}} store {{.*}} (0, 1) (=, <) loop 'j'
// WHY-NOT: loop
func.func @inside(%x: memref<?xf64>, %n: index) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %n {
      %0 = arith.muli %i, %n : index
      %1 = arith.addi %0, %j : index
      %v = memref.load %x[%1] : memref<?xf64>
      %c1 = arith.constant 1 : index
      %2 = arith.subi %1, %c1 : index
      memref.store %v, %x[%2] : memref<?xf64>
    }
  }
  return
}

// One element further up is the next row.
// CHECK-LABEL: func.func @above
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.for
// WHY-LABEL: dependences of @above:
// WHY: flow {{.*}} loop 'i' {{.*}} maybe: the subscript multiplies a loop variable by a parameter, and the bounds do not show
func.func @above(%x: memref<?xf64>, %n: index) {
  affine.for %i = 1 to %n {
    affine.for %j = 0 to %n {
      %0 = arith.muli %i, %n : index
      %1 = arith.addi %0, %j : index
      %v = memref.load %x[%1] : memref<?xf64>
      %c1 = arith.constant 1 : index
      %2 = arith.addi %1, %c1 : index
      memref.store %v, %x[%2] : memref<?xf64>
    }
  }
  return
}
