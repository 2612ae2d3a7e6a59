// RUN: terrace-opt %s -map-parallel-to-gpu -canonicalize -cse | FileCheck %s
// RUN: terrace-opt %s -map-parallel-to-gpu='notes=true' | FileCheck %s --check-prefix=NOTES

// In a loop of the host, whose launches may become one kernel, threads of a reduction do not
// wait for one another: each leaves a part, and 32 parts at a time become one.
// CHECK-LABEL: func.func @steps
// CHECK-DAG: %[[A:.*]] = memref.alloc() : memref<65536xf64>
// CHECK-DAG: %[[B:.*]] = memref.alloc() : memref<2048xf64>
// CHECK-DAG: %[[C:.*]] = memref.alloc() : memref<64xf64>
// CHECK-DAG: %[[D:.*]] = memref.alloc() : memref<2xf64>
// CHECK-DAG: %[[R:.*]] = memref.alloca() : memref<1xf64>
// CHECK: scf.for
// CHECK: gpu.launch
// CHECK-NOT: gpu.barrier
// CHECK: %[[MINE:.*]] = scf.for {{.*}} iter_args
// CHECK: memref.store %[[MINE]], %[[A]]
// CHECK: gpu.launch
// CHECK-COUNT-32: memref.load %[[A]]
// CHECK: memref.store %{{.*}}, %[[B]]
// CHECK: gpu.launch
// CHECK: memref.store %{{.*}}, %[[C]]
// CHECK: gpu.launch
// CHECK: memref.store %{{.*}}, %[[D]]
// CHECK: gpu.launch
// CHECK: %[[SUM:.*]] = scf.if
// CHECK: memref.load %[[D]]
// CHECK: memref.store %[[SUM]], %[[R]]
// CHECK: %[[S:.*]] = memref.load %[[R]]
// CHECK: memref.store %[[S]], %arg1
// CHECK: memref.dealloc
// NOTES-LABEL: func.func @steps
// NOTES: kind = "reduction"
// NOTES: kind = "combination", remarks = ["combines 32 values of the launch before it each"]}
// NOTES: kind = "combination", remarks = ["combines the partial results of the blocks, in their order"]}
func.func @steps(%a: memref<?xf64>, %s: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  scf.for %t = %c0 to %n step %c1 {
    %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%z) -> f64 {
      %v = memref.load %a[%i] : memref<?xf64>
      scf.reduce(%v : f64) {
      ^bb0(%x: f64, %y: f64):
        %o = arith.addf %x, %y : f64
        scf.reduce.return %o : f64
      }
    }
    memref.store %r, %s[%t] : memref<?xf64>
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      memref.store %r, %a[%i] : memref<?xf64>
    }
  }
  return
}

// A launch whose threads work together is no part of such a kernel, so that blocks combine what
// they have.
// CHECK-LABEL: func.func @blocks
// CHECK: scf.for
// CHECK: gpu.launch
// CHECK: gpu.launch
// CHECK: gpu.barrier
// CHECK: gpu.launch
// CHECK: gpu.barrier
func.func @blocks(%a: memref<?xf64>, %s: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %z = arith.constant 0.0 : f64
  scf.for %t = %c0 to %n step %c1 {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) workgroup(%w : memref<32xf64, #gpu.address_space<workgroup>>) {
      memref.store %z, %w[%tx] : memref<32xf64, #gpu.address_space<workgroup>>
      gpu.terminator
    }
    %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%z) -> f64 {
      %v = memref.load %a[%i] : memref<?xf64>
      scf.reduce(%v : f64) {
      ^bb0(%x: f64, %y: f64):
        %o = arith.addf %x, %y : f64
        scf.reduce.return %o : f64
      }
    }
    memref.store %r, %s[%t] : memref<?xf64>
  }
  return
}
