// RUN: terrace-opt %s -split-input-file -verify-diagnostics -offload-map | FileCheck %s

// The host must not run what works on the device's arrays.
func.func @nest(%a: memref<?xf64>, %z: f64, %n: index) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.parallel' op is no launch; map-parallel-to-gpu in front makes one of it}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %z, %a[%i] : memref<?xf64>
  }
  return
}

// -----

// Only functions of regions are mapped.
// CHECK-LABEL: func.func @no_region
// CHECK: scf.parallel
// CHECK: memref.load
func.func @no_region(%a: memref<?xf64>, %z: f64, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %z, %a[%i] : memref<?xf64>
  }
  %v = memref.load %a[%c0] : memref<?xf64>
  return %v : f64
}
