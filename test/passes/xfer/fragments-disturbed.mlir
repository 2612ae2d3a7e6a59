// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-offload-fragments{all=true}))" | FileCheck %s

// What is called between two divisions may see the first and change what the second divides:
// each of the two goes to the device by itself.

// CHECK-LABEL: func @disturbed(
// CHECK:         scf.for
// CHECK:           gpu.launch
// CHECK:             memref.store
// CHECK:             gpu.terminator
// CHECK:           call @host
// CHECK:           gpu.launch
// CHECK:             memref.store
// CHECK:             gpu.terminator
// CHECK:           gpu.launch
func.func private @host(memref<?x?xf64>)
func.func @disturbed(%A: memref<?x?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %p = memref.load %A[%k, %k] : memref<?x?xf64>
    %r = math.sqrt %p : f64
    memref.store %r, %A[%k, %k] : memref<?x?xf64>
    func.call @host(%A) : (memref<?x?xf64>) -> ()
    %s = memref.load %A[%k, %k] : memref<?x?xf64>
    %t = math.sqrt %s : f64
    memref.store %t, %A[%k, %k] : memref<?x?xf64>
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %n, %nty = %c1, %ntz = %c1) {
      %d = memref.load %A[%k, %k] : memref<?x?xf64>
      %a = memref.load %A[%i, %k] : memref<?x?xf64>
      %q = arith.divf %a, %d : f64
      memref.store %q, %A[%i, %k] : memref<?x?xf64>
      gpu.terminator
    }
  }
  return
}
