// RUN: not terrace compile %s --print-schedule 2>&1 | FileCheck %s
// RUN: not terrace compile %s --emit ptx --schedule %s 2>&1 | FileCheck %s
// RUN: not terrace run %s --target emulator --schedule %s 2>&1 | FileCheck %s

// CHECK: error: schedules in files are for MLIR; in C write them at the loops, as '#pragma terrace schedule'

void twice(int n, double a[n]) {
#pragma terrace offload
  for (int i = 0; i < n; i++) {
    a[i] = 2 * a[i];
  }
}
