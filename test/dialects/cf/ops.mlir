// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s

// CHECK-LABEL: func @branches
func.func @branches(%c: i1, %x: i32) -> i32 {
  // CHECK: cf.assert %{{.*}}, "holds"
  cf.assert %c, "holds"
  // CHECK: cf.cond_br %{{.*}}, ^bb1, ^bb2(%{{.*}} : i32)
  cf.cond_br %c, ^bb1, ^bb2(%x : i32)
^bb1:
  // CHECK: cf.br ^bb2(%{{.*}} : i32) {note = 1 : i64}
  cf.br ^bb2(%x : i32) {note = 1}
^bb2(%y: i32):
  // CHECK: cf.cond_br %{{.*}} weights([60, 40]), ^bb3, ^bb3
  cf.cond_br %c weights([60, 40]), ^bb3, ^bb3
^bb3:
  return %y : i32
}

// CHECK-LABEL: func @switch
func.func @switch(%f: i32, %x: i64, %y: i1) {
  // CHECK: cf.switch %{{.*}} : i32, [
  // CHECK-NEXT:  default: ^bb1(%{{.*}} : i64),
  // CHECK-NEXT:  42: ^bb1(%{{.*}} : i64),
  // CHECK-NEXT:  4294967295: ^bb2(%{{.*}}, %{{.*}} : i64, i1)
  // CHECK-NEXT:  ]
  cf.switch %f : i32, [
    default: ^bb1(%x : i64),
    42: ^bb1(%x : i64),
    -1: ^bb2(%x, %y : i64, i1)
  ]
^bb1(%a: i64):
  // CHECK: cf.switch %{{.*}} : i32, [
  // CHECK-NEXT:  default: ^bb3]
  cf.switch %f : i32, [
    default: ^bb3
  ]
^bb2(%b: i64, %c: i1):
  // CHECK: cf.switch %{{.*}} : i32, [
  // CHECK-NEXT:  default: ^bb3,
  // CHECK-NEXT:  7: ^bb3,
  // CHECK-NEXT:  7: ^bb3
  cf.switch %f : i32, [
    default: ^bb3,
    7: ^bb3,
    7: ^bb3
  ]
^bb3:
  return
}
