// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-keep-on-host,map-parallel-to-gpu))" | FileCheck %s

// The function that is called reads the whole matrix and writes it, in each step, so that
// it would go to the device and back for a scaling.

// CHECK-LABEL: func @back_and_forth(
// CHECK:         scf.for
// CHECK:           call @looks_at
// CHECK:           scf.parallel
// CHECK:           } {xfer.on_host}
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func private @looks_at(memref<?x?xf64>)
func.func @back_and_forth(%A: memref<?x?xf64>, %n: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f64
  scf.for %t = %c0 to %steps step %c1 {
    func.call @looks_at(%A) : (memref<?x?xf64>) -> ()
    scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
      %a = memref.load %A[%i, %j] : memref<?x?xf64>
      %h = arith.mulf %a, %half : f64
      memref.store %h, %A[%i, %j] : memref<?x?xf64>
      scf.reduce
    }
  }
  return
}

// The same with a product of matrices in each step, which is worth the copies.

// CHECK-LABEL: func @worth_it(
// CHECK:         scf.for
// CHECK:           call @looks_at
// CHECK:           gpu.launch
func.func @worth_it(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %steps step %c1 {
    func.call @looks_at(%A) : (memref<?x?xf64>) -> ()
    scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
      scf.for %k = %c0 to %n step %c1 {
        %a = memref.load %A[%i, %k] : memref<?x?xf64>
        %b = memref.load %A[%k, %j] : memref<?x?xf64>
        %c = memref.load %B[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        memref.store %s, %B[%i, %j] : memref<?x?xf64>
      }
      scf.reduce
    }
  }
  return
}

// What is copied once does not count.

// CHECK-LABEL: func @once(
// CHECK:         gpu.launch
func.func @once(%A: memref<?x?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f64
  func.call @looks_at(%A) : (memref<?x?xf64>) -> ()
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    %a = memref.load %A[%i, %j] : memref<?x?xf64>
    %h = arith.mulf %a, %half : f64
    memref.store %h, %A[%i, %j] : memref<?x?xf64>
    scf.reduce
  }
  func.call @looks_at(%A) : (memref<?x?xf64>) -> ()
  return
}
