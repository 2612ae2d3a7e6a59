// RUN: terrace-opt %s --pass-pipeline="builtin.module(xfer-lower-mirrors)" | FileCheck %s
// RUN: not terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-lower-mirrors))" 2>&1 | FileCheck %s --check-prefix=ALONE

// Who asks is handed the flags behind all other arguments; who does not is not, and the
// caller's flags are told what it leaves valid.

// ALONE: error: 'func.func' op hands mirrors from function to function, which cannot be lowered in one of them alone; run the pass on the module

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

// CHECK-LABEL: func private @asks(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>, %[[D:.*]]: memref<8xf64, #xfer.device>, %[[HOST:.*]]: memref<i1>, %[[DEVICE:.*]]: memref<i1>)
// CHECK:         memref.load %[[DEVICE]][]
// CHECK:         scf.if
// CHECK-NEXT:      xfer.copy %[[A]] to %[[D]]
// CHECK:           memref.store %{{.*}}, %[[DEVICE]][]
func.func private @asks(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "none", host = "kept", device = "valid", flags}}) {
  xfer.ensure %A, %d on device : !a, !d
  return
}

// CHECK-LABEL: func private @copies(
// CHECK-SAME:    %{{.*}}: memref<8xf64>, %{{.*}}: memref<8xf64, #xfer.device>)
func.func private @copies(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "valid", device = "valid"}}) {
  xfer.copy %d to %A : !d to !a
  return
}

// CHECK-LABEL: func @calls(
// CHECK-DAG:     %[[HOST:.*]] = memref.alloca() : memref<i1>
// CHECK-DAG:     %[[DEVICE:.*]] = memref.alloca() : memref<i1>
// CHECK:         %[[D:.*]] = xfer.alloc
// CHECK:         call @asks(%{{.*}}, %[[D]], %[[H:.*]], %[[E:.*]]) :
// CHECK-NEXT:    call @copies(%{{.*}}, %[[D]]) :
// CHECK-DAG:     memref.store %{{.*}}, %[[H]][]
// CHECK-DAG:     memref.store %{{.*}}, %[[E]][]
// CHECK:         xfer.free
func.func @calls(%A: !a) {
  %d = xfer.create %A : !a to !d
  call @asks(%A, %d) : (!a, !d) -> ()
  call @copies(%A, %d) : (!a, !d) -> ()
  xfer.free %d : !d
  return
}
