// RUN: terrace-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: memref<?xf32>, %d: memref<?xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %e: memref<4x4xf32, #xfer.device>, %n: index) {
  // expected-error @+1 {{'xfer.alloc' op has 0 sizes, but 'memref<?xf32, #xfer.device>' leaves 1 open}}
  %0 = xfer.alloc() : memref<?xf32, #xfer.device>
  return
}

// -----

func.func @f(%a: memref<?xf32>, %d: memref<?xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %e: memref<4x4xf32, #xfer.device>, %n: index) {
  // expected-error @+1 {{'xfer.alloc' op result #0 must be memref in device memory (#xfer.device), but got 'memref<4xf32>'}}
  %0 = xfer.alloc() : memref<4xf32>
  return
}

// -----

func.func @f(%a: memref<?xf32>, %d: memref<?xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %e: memref<4x4xf32, #xfer.device>, %n: index) {
  // expected-error @+1 {{allocates row-major buffers only: the memref must have no layout}}
  %0 = xfer.alloc() : memref<4x4xf32, strided<[8, 1]>, #xfer.device>
  return
}

// -----

func.func @f(%a: memref<?xf32>, %d: memref<?xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %e: memref<4x4xf32, #xfer.device>, %n: index) {
  // expected-error @+1 {{'xfer.free' op operand #0 must be memref in device memory (#xfer.device), but got 'memref<?xf32>'}}
  xfer.free %a : memref<?xf32>
  return
}

// -----

func.func @f(%a: memref<?xf32>, %d: memref<?xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %e: memref<4x4xf32, #xfer.device>, %n: index) {
  // expected-error @+1 {{copies from host to host: one side must lie in #xfer.device, and memref.copy is for the rest}}
  xfer.copy %a to %a : memref<?xf32> to memref<?xf32>
  return
}

// -----

func.func @f(%a: memref<?xf32>, %d: memref<?xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %e: memref<4x4xf32, #xfer.device>, %n: index) {
  // expected-error @+1 {{copies whole row-major arrays, but the source 'memref<4x4xf32, strided<[8, 1]>>' has a layout}}
  xfer.copy %s to %e : memref<4x4xf32, strided<[8, 1]>> to memref<4x4xf32, #xfer.device>
  return
}

// -----

func.func @f(%a: memref<?xf32>, %d: memref<?xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %e: memref<4x4xf32, #xfer.device>, %n: index) {
  // expected-error @+1 {{copies 'memref<?xf32>' to 'memref<4x4xf32, #xfer.device>', whose shapes differ}}
  xfer.copy %a to %e : memref<?xf32> to memref<4x4xf32, #xfer.device>
  return
}

// -----

func.func @f(%a: memref<4xf64>, %d: memref<4xf32, #xfer.device>) {
  // expected-error @+1 {{copies 'memref<4xf64>' to 'memref<4xf32, #xfer.device>', whose elements differ}}
  xfer.copy %a to %d : memref<4xf64> to memref<4xf32, #xfer.device>
  return
}

// -----

// expected-error @+1 {{expected the number of a device, 0 or more, but got -1}}
func.func private @f(memref<4xf32, #xfer.device<-1>>)
