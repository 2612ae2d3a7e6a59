// RUN: terrace-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: memref<?xf32>, %d: memref<?xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %e: memref<4x4xf32, #xfer.device>, %n: index) {
  // expected-error @+1 {{'xfer.alloc' op has 0 sizes, but 'memref<?xf32, #xfer.device>' leaves 1 open}}
  %0 = xfer.alloc() : memref<?xf32, #xfer.device>
  return
}

// -----

func.func @f(%a: memref<?xf32>, %d: memref<?xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %e: memref<4x4xf32, #xfer.device>, %n: index) {
  // expected-error @+1 {{'xfer.alloc' op result #0 must be memref in device memory (#xfer.device) or in pinned memory (#xfer.pinned), but got 'memref<4xf32>'}}
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
  // expected-error @+1 {{'xfer.free' op operand #0 must be memref in device memory (#xfer.device) or in pinned memory (#xfer.pinned), but got 'memref<?xf32>'}}
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

#folded = affine_map<(i, j) -> (i * 8 + j mod 2)>
func.func @f(%s: memref<4x4xf32, #folded>, %e: memref<4x4xf32, #xfer.device>) {
  // expected-error @+1 {{copies arrays with a stride for each dimension, but the layout of the source 'memref<4x4xf32, affine_map<(d0, d1) -> (d0 * 8 + d1 mod 2)>>' has none}}
  xfer.copy %s to %e : memref<4x4xf32, #folded> to memref<4x4xf32, #xfer.device>
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

// -----

func.func @f(%a: memref<?xf32>, %d: memref<?xf32, #xfer.device>) {
  // expected-error @+1 {{mirrors arrays of the host, but 'memref<?xf32, #xfer.device>' lies on a device}}
  %0 = xfer.create %d : memref<?xf32, #xfer.device> to memref<?xf32, #xfer.device>
  return
}

// -----

func.func @f(%a: memref<4xf32>) {
  // expected-error @+1 {{'memref<4xf64, #xfer.device>' is no mirror of 'memref<4xf32>': element type and shape must be the same}}
  %0 = xfer.create %a : memref<4xf32> to memref<4xf64, #xfer.device>
  return
}

// -----

func.func @f(%a: memref<4xf32, strided<[2]>>) {
  // expected-error @+1 {{mirrors row-major arrays only, but the array 'memref<4xf32, strided<[2]>>' has a layout}}
  %0 = xfer.create %a : memref<4xf32, strided<[2]>> to memref<4xf32, #xfer.device>
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>) {
  // expected-error @+1 {{is about one side, host or device, not both}}
  xfer.ensure %a, %d on both : memref<4xf32>, memref<4xf32, #xfer.device>
  return
}

// -----

func.func @f(%d: memref<4xf32, #xfer.device>) {
  // expected-error @+1 {{takes an array of the host and its mirror, but 'memref<4xf32, #xfer.device>' lies on a device}}
  xfer.mark_written %d, %d on host : memref<4xf32, #xfer.device>, memref<4xf32, #xfer.device>
  return
}
