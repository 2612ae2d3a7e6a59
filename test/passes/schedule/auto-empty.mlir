// RUN: terrace-opt %s -auto-schedule | FileCheck %s
// RUN: terrace-opt %s -auto-schedule -o %t 2>&1 | FileCheck %s --check-prefix=LEFT

// There is no schedule of no statements.
// CHECK-NOT: schedule.
// LEFT: remark: left in its order: there is nothing in it to be put in order
func.func @f(%n: index) {
  affine.for %i = 0 to %n {
  }
  return
}
