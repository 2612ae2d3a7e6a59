// RUN: own-opt %s -expand-twice | FileCheck %s
// RUN: own-opt %s -expand-twice=limit=0 | FileCheck %s --check-prefix=NONE

// CHECK: arith.addi %arg0, %arg0 : i32
// NONE: own.twice %arg0 : i32
func.func @f(%x: i32) -> i32 {
  %0 = own.twice %x : i32
  return %0 : i32
}
