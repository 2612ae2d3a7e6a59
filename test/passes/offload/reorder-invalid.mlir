// RUN: not terrace-opt %s -offload-parallelize="schedule=fast" 2>&1 | FileCheck %s
// CHECK: unknown schedule 'fast': one of auto, none
func.func @f() {
  return
}
