// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s
// RUN: terrace-opt %s --mlir-print-op-generic | terrace-opt | FileCheck %s

// Every op of the dialect once.

schedule.sequence @tiled on @gemm {
  %i = schedule.find_loop {iv = "i", line = 3 : i64} : !schedule.loop
  %t:4 = schedule.tile %i sizes [32, 8]
  %k = schedule.find_loop in %t#3 {nest = [0]} : !schedule.loop
  %u = schedule.unroll %k by 4
  schedule.unroll %u full
  %n = schedule.normalize %t#0
  %p = schedule.parallel %n
}
schedule.sequence @labelled attributes {note = "none"} {
  %l = schedule.find_loop {label = "outer"} : !schedule.loop
  schedule.yield
}
func.func @gemm() {
  affine.for %i = 0 to 4 {
  } {schedule.iv = "i", schedule.label = "outer"}
  return
}

// CHECK: schedule.sequence @tiled on @gemm {
// CHECK: %{{.*}} = schedule.find_loop {iv = "i", line = 3 : i64} : !schedule.loop
// CHECK: %{{.*}} = schedule.tile %{{.*}} sizes [32, 8]
// CHECK: %{{.*}} = schedule.find_loop in %{{.*}} {nest = [0]} : !schedule.loop
// CHECK: %{{.*}} = schedule.unroll %{{.*}} by 4
// CHECK: schedule.unroll %{{.*}} full
// CHECK: %{{.*}} = schedule.normalize %{{.*}}
// CHECK: %{{.*}} = schedule.parallel %{{.*}}
// CHECK: schedule.sequence @labelled attributes {note = "none"} {
// CHECK: %{{.*}} = schedule.find_loop {label = "outer"} : !schedule.loop
// CHECK: func.func @gemm() {
// CHECK: affine.for %{{.*}} = 0 to 4 {
