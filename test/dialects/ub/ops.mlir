// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s

// CHECK-LABEL: func @poison
func.func @poison(%c: i1) -> f32 {
  // CHECK: ub.poison : f32
  %0 = ub.poison : f32
  // CHECK: ub.poison {d.a} : vector<4xi64>
  %1 = ub.poison {d.a} <#ub.poison> : vector<4xi64>
  cf.cond_br %c, ^a, ^b
^a:
  return %0 : f32
^b:
  // CHECK: ub.unreachable
  ub.unreachable
}
