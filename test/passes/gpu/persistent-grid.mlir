// RUN: terrace-opt %s -gpu-persistent-kernels='form=grid' -canonicalize -cse | FileCheck %s
// RUN: terrace-opt %s -gpu-persistent-kernels='form=grid threads=128' -canonicalize -cse | FileCheck %s --check-prefix=SMALL
// RUN: terrace-opt %s -gpu-persistent-kernels -canonicalize -cse | FileCheck %s --check-prefix=AUTO
// RUN: terrace-opt %s -gpu-persistent-kernels='form=grid' -gpu-kernel-outlining | FileCheck %s --check-prefix=KERNEL

// A launch in two dimensions and one thread that follows it. As many blocks as the device has
// room for run both; groups of 96 threads each have a block of the launch, one behind the
// other, and the 32 threads of each block that are left over none.

// CHECK-LABEL: func @step(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?x?xf64>, %[[S:[^:]*]]: memref<1xf64>, %[[NX:[^:]*]]: index, %[[NY:[^:]*]]: index
// CHECK:         %[[COUNTER:.*]] = gpu.alloc () : memref<1xi32>
// CHECK:         gpu.memset %[[COUNTER]], %c0_i32 : memref<1xi32>, i32
// CHECK:         gpu.launch blocks(%[[B:[^,]*]], {{.*}}) in (%[[BLOCKS:.*]] = %c65535, {{.*}} = %c1, {{.*}} = %c1) threads(%[[T:[^,]*]], {{.*}}) in ({{.*}} = %c512, {{.*}} = %c1, {{.*}} = %c1) {
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        gpu.grid_barrier %[[COUNTER]] : memref<1xi32>
// CHECK-NEXT:        %[[TAKES:.*]] = arith.cmpi slt, %[[T]], %c480 : index
// CHECK-NEXT:        scf.if %[[TAKES]] {
// CHECK-NEXT:          %[[GROUP:.*]] = arith.divui %[[T]], %c96
// CHECK-NEXT:          %[[IN:.*]] = arith.remui %[[T]], %c96
// CHECK-NEXT:          %[[Y:.*]] = arith.divui %[[IN]], %c32
// CHECK-NEXT:          %[[X:.*]] = arith.remui %[[IN]], %c32
// CHECK-NEXT:          %[[AHEAD:.*]] = arith.muli %[[GROUP]], %[[BLOCKS]]
// CHECK-NEXT:          %[[FIRST:.*]] = arith.addi %[[AHEAD]], %[[B]]
// CHECK-NEXT:          %[[STEP:.*]] = arith.muli %[[BLOCKS]], %c5
// CHECK-NEXT:          %[[ALL:.*]] = arith.muli %[[NX]], %[[NY]]
// CHECK-NEXT:          scf.for %[[N:.*]] = %[[FIRST]] to %[[ALL]] step %[[STEP]] {
// CHECK-DAG:             arith.remui %{{.*}}, %{{.*}} : i32
// CHECK-DAG:             arith.divui %{{.*}}, %{{.*}} : i32
// CHECK:                 memref.store %{{.*}}, %[[A]]
// CHECK:             gpu.grid_barrier %[[COUNTER]] : memref<1xi32>
// CHECK-NEXT:        %[[BOTH:.*]] = arith.addi %[[T]], %[[B]]
// CHECK-NEXT:        %[[ONE:.*]] = arith.cmpi eq, %[[BOTH]], %c0 : index
// CHECK-NEXT:        scf.if %[[ONE]] {
// CHECK-NEXT:          memref.load %[[A]][%c0, %c0]
// CHECK-NEXT:          memref.store %{{.*}}, %[[S]][%c0]
// CHECK:           gpu.terminator
// CHECK:         gpu.dealloc %[[COUNTER]] : memref<1xi32>
// CHECK-NOT:     gpu.launch

// A block holds the 96 threads of one, and it has 128.
// SMALL:         gpu.launch blocks({{.*}}) in ({{.*}} = %c65535, {{.*}}) threads({{.*}}) in ({{.*}} = %c128,
// SMALL:           %[[TAKES:.*]] = arith.cmpi slt, %{{.*}}, %c96 : index

// By the sizes that the run has: one block, or many, or the launches.
// AUTO-LABEL: func @step(
// AUTO:         %[[LITTLE:.*]] = arith.cmpf ogt, %[[BLOCK:.*]], %{{.*}} : f64
// AUTO-NEXT:    scf.if %[[LITTLE]] {
// AUTO:           gpu.launch blocks({{.*}}) in ({{.*}} = %c1, {{.*}}) threads({{.*}}) in ({{.*}} = %c1024,
// AUTO:         } else {
// AUTO:           %[[SOME:.*]] = arith.cmpf ogt, %{{.*}}, %{{.*}} : f64
// AUTO-NEXT:      scf.if %[[SOME]] {
// AUTO:             gpu.launch blocks({{.*}}) in ({{.*}} = %c65535, {{.*}}) threads({{.*}}) in ({{.*}} = %c512,
// AUTO:           } else {
// AUTO-NEXT:        scf.for
// AUTO-NEXT:          gpu.launch

// How many blocks run is not known before.
// KERNEL:       gpu.launch_func
// KERNEL-SAME:    threads in (%c512
// KERNEL-NOT:   known_grid_size
// KERNEL:       gpu.func {{.*}}known_block_size = array<i32: 512, 1, 1>
// KERNEL-NOT:   known_grid_size
func.func @step(%A: memref<?x?xf64>, %s: memref<1xf64>, %nx: index, %ny: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  scf.for %t = %c0 to %steps step %c1 {
    gpu.launch blocks(%bx, %by, %bz) in (%nbx = %nx, %nby = %ny, %nbz = %c1)
        threads(%ix, %iy, %iz) in (%ntx = %c32, %nty = %c3, %ntz = %c1) {
      %x0 = arith.muli %bx, %ntx : index
      %x = arith.addi %x0, %ix : index
      %y0 = arith.muli %by, %nty : index
      %y = arith.addi %y0, %iy : index
      %a = memref.load %A[%y, %x] : memref<?x?xf64>
      %b = arith.addf %a, %a : f64
      memref.store %b, %A[%y, %x] : memref<?x?xf64>
      gpu.terminator
    }
    gpu.launch blocks(%bx, %by, %bz) in (%nbx = %c1, %nby = %c1, %nbz = %c1)
        threads(%ix, %iy, %iz) in (%ntx = %c1, %nty = %c1, %ntz = %c1) {
      %a = memref.load %A[%c0, %c0] : memref<?x?xf64>
      memref.store %a, %s[%c0] : memref<1xf64>
      gpu.terminator
    }
  }
  return
}
