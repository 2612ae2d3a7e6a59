// RUN: not terrace-opt %s -offload-parallelize="schedule=fast" 2>&1 | FileCheck %s
// CHECK: found the schedule 'fast', expected one of auto, none, pluto, pluto:SIZE
func.func @f() {
  return
}
