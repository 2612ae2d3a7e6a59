// RUN: terrace-opt %s -cse=reads=0 | FileCheck %s

// What is computed twice is one, what is read twice is not.
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-1: arith.divsi
// CHECK-NOT: arith.divsi
// CHECK-COUNT-2: memref.load
func.func @twice(%m: i32, %a: memref<8xi32>, %i: index) -> (i32, i32) {
  %c2 = arith.constant 2 : i32
  %p = arith.divsi %m, %c2 : i32
  %q = arith.divsi %m, %c2 : i32
  %x = memref.load %a[%i] : memref<8xi32>
  %y = memref.load %a[%i] : memref<8xi32>
  %s = arith.addi %p, %x : i32
  %t = arith.addi %q, %y : i32
  return %s, %t : i32, i32
}
