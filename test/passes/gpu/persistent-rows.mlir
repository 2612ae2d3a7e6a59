// RUN: terrace-opt %s -verify-diagnostics -gpu-persistent-kernels='form=block notes=true' -o /dev/null
// RUN: terrace-opt %s -gpu-persistent-kernels | FileCheck %s

// Several rows of a stencil a thread, as gpu-map-stencils makes them: one block of 1024 threads has
// too few registers, many of 256 have not.

// CHECK-LABEL: func @rows(
// CHECK-NOT:     %c1024
// CHECK:         gpu.launch blocks({{.*}}) in ({{.*}} = %c65535{{.*}}) threads({{.*}}) in ({{.*}} = %c256
// CHECK:           gpu.grid_barrier
func.func @rows(%A: memref<?xf64>, %n: index, %all: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f64
  scf.for %t = %c0 to %n step %c1 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
      // expected-remark @+1 {{the loop around launches stays: a thread does several rows of a stencil, for which a block of so many threads has too few registers}}
      scf.if %all {
        memref.store %one, %A[%i] : memref<?xf64>
      } {gpu.rows = 4 : i64}
      gpu.terminator
    }
  }
  return
}
