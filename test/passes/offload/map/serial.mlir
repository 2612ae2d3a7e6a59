// RUN: terrace-opt %s -split-input-file -map-parallel-to-gpu -offload-map -canonicalize -cse | FileCheck %s

// Statements and loops that touch arrays are one kernel of one thread. A number that
// the host needs is fetched; arithmetic on it that only kernels need they do.
// CHECK-LABEL: func.func @statements
// CHECK: %[[ROOM:.*]] = memref.alloca() : memref<1xindex>
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %c1, %{{.*}} = %c1, %{{.*}} = %c1) threads({{.*}}) in (%{{.*}} = %c1, %{{.*}} = %c1, %{{.*}} = %c1)
// CHECK: %[[X:.*]] = memref.load %arg0[%c0]
// CHECK: memref.store %[[X]], %[[BX:.*]][%c0] : memref<1xf64>
// CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[X]]
// CHECK: memref.store %[[Y]], %arg0[%c1]
// CHECK: scf.for
// CHECK: %[[N:.*]] = memref.load %arg1[%c0]
// CHECK: memref.store %[[N]], %[[BN:.*]][%c0] : memref<1xindex>
// CHECK: gpu.terminator
// CHECK: gpu.memcpy %[[ROOM]], %[[BN]] : memref<1xindex>, memref<1xindex>
// CHECK: %[[HN:.*]] = memref.load %[[ROOM]]
// CHECK-NOT: gpu.memcpy
// CHECK: arith.maxsi %[[HN]]
// CHECK: gpu.launch
// CHECK: %[[DX:.*]] = memref.load %[[BX]]
// CHECK: arith.addf %[[DX]], %[[DX]]
func.func @statements(%a: memref<?xf64>, %m: memref<?xindex>) attributes {acc.region = {construct = "kernels"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %x = memref.load %a[%c0] : memref<?xf64>
  %y = arith.addf %x, %x : f64
  memref.store %y, %a[%c1] : memref<?xf64>
  scf.for %i = %c1 to %c9 step %c1 {
    %p = arith.subi %i, %c1 : index
    %v = memref.load %a[%p] : memref<?xf64>
    memref.store %v, %a[%i] : memref<?xf64>
  }
  %n = memref.load %m[%c0] : memref<?xindex>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %y, %a[%i] : memref<?xf64>
  }
  return
}

// -----

// Loops and conditions around parallel loops stay on the host, and so do their bounds.
// CHECK-LABEL: func.func @steps
// CHECK: scf.for %[[T:.*]] = %c0 to %arg1 step %c1 {
// CHECK: gpu.launch {{.*}} function(@steps_kernel0)
// CHECK: gpu.memcpy
// CHECK: %[[C:.*]] = arith.cmpf
// CHECK: scf.if %[[C]] {
// CHECK: gpu.launch {{.*}} function(@steps_kernel1)
// CHECK: } else {
// CHECK: gpu.launch {{.*}} function(@steps_kernel2)
// CHECK: memref.store
func.func @steps(%a: memref<?xf64>, %n: index) attributes {acc.region = {construct = "kernels"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  scf.for %t = %c0 to %n step %c1 {
    %x = memref.load %a[%t] : memref<?xf64>
    %c = arith.cmpf ogt, %x, %z : f64
    scf.if %c {
      scf.parallel (%i) = (%c0) to (%t) step (%c1) {
        memref.store %z, %a[%i] : memref<?xf64>
      }
    } else {
      memref.store %z, %a[%c0] : memref<?xf64>
    }
  }
  return
}

// -----

// A local array that kernels share is device memory, freed at the end; one that a
// thread makes is its own. Whole arrays are copied without a kernel.
// CHECK-LABEL: func.func @local
// CHECK: %[[S:.*]] = gpu.alloc () : memref<16xf64>
// CHECK: %[[D:.*]] = gpu.alloc (%arg1) : memref<?xf64>
// CHECK: gpu.memcpy %[[D]], %arg0
// CHECK: gpu.launch
// CHECK: %[[P:.*]] = memref.alloca() : memref<4xf64>
// CHECK-NOT: memref.dealloc
// CHECK: gpu.dealloc %[[D]]
// CHECK: gpu.dealloc %[[S]]
// CHECK: return
func.func @local(%a: memref<?xf64>, %n: index) attributes {acc.region = {construct = "kernels"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  %s = memref.alloca() : memref<16xf64>
  %d = memref.alloc(%n) : memref<?xf64>
  memref.copy %a, %d : memref<?xf64> to memref<?xf64>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %p = memref.alloc() : memref<4xf64>
    memref.store %z, %p[%c0] : memref<4xf64>
    %v = memref.load %p[%c0] : memref<4xf64>
    %w = memref.load %d[%i] : memref<?xf64>
    %u = arith.addf %v, %w : f64
    memref.store %u, %s[%i] : memref<16xf64>
    memref.store %u, %a[%i] : memref<?xf64>
    memref.dealloc %p : memref<4xf64>
  }
  memref.dealloc %d : memref<?xf64>
  return
}

// -----

// A copy between arrays with gaps is a parallel loop.
// CHECK-LABEL: func.func @strided_copy
// CHECK: gpu.launch
// CHECK: %[[V:.*]] = memref.load %arg0
// CHECK: memref.store %[[V]], %arg1
func.func @strided_copy(%a: memref<?xf64, strided<[3]>>, %b: memref<?xf64>) attributes {acc.region = {construct = "kernels"}} {
  memref.copy %a, %b : memref<?xf64, strided<[3]>> to memref<?xf64>
  return
}

// -----

// A table of constants is had from the kernel's own module.
memref.global "private" constant @table : memref<4xf64> = dense<[1.0, 2.0, 3.0, 4.0]>
// CHECK-LABEL: func.func @lookup
// CHECK-NOT: memref.get_global
// CHECK: gpu.launch
// CHECK: %[[T:.*]] = memref.get_global @table
// CHECK: memref.load %[[T]]
func.func @lookup(%a: memref<4xf64>) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = memref.get_global @table : memref<4xf64>
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %v = memref.load %t[%i] : memref<4xf64>
    memref.store %v, %a[%i] : memref<4xf64>
  }
  return
}
