// The least number of 64 bits has a magnitude that is none: it is printed with its sign,
// and read so, wherever an expression may hold it.
// RUN: terrace-opt %s --allow-unregistered-dialect | FileCheck %s
// RUN: terrace-opt %s --allow-unregistered-dialect | terrace-opt --allow-unregistered-dialect | FileCheck %s
// RUN: terrace-opt %s --allow-unregistered-dialect --mlir-print-op-generic | terrace-opt --allow-unregistered-dialect | FileCheck %s

// CHECK-DAG: affine_map<() -> (-9223372036854775808)>
// CHECK-DAG: affine_map<(d0) -> (d0 + -9223372036854775808, d0 - 9223372036854775807)>
// CHECK-DAG: affine_map<(d0, d1) -> (d0 + d1 * -9223372036854775808)>
// CHECK-DAG: affine_set<(d0) : (d0 + -9223372036854775808 >= 0)>
"a.b"() {
  a = affine_map<() -> (-9223372036854775808)>,
  b = affine_map<(d0) -> (d0 + -9223372036854775808, d0 - 9223372036854775807)>,
  c = affine_map<(d0, d1) -> (d0 + d1 * -9223372036854775808)>,
  d = affine_set<(d0) : (d0 + -9223372036854775808 >= 0)>
} : () -> ()

// CHECK: affine.for %{{.*}} = -9223372036854775808 to 0
func.func @from_the_least() {
  affine.for %i = -9223372036854775808 to 0 {
  }
  return
}
