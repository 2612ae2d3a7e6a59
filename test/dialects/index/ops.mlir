// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s

// CHECK-LABEL: func @constants
func.func @constants() -> (index, index) {
  // CHECK: %[[A:.*]] = index.constant 4
  %a = index.constant 4
  // CHECK: %[[B:.*]] = index.constant {d.a} -7
  %b = index.constant {d.a} -7
  // CHECK: return %[[A]], %[[B]]
  return %a, %b : index, index
}
