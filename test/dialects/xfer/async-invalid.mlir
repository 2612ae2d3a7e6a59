// RUN: terrace-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %q: index) {
  // expected-error @+1 {{'xfer.copy' op is put on a queue, where only what is asynchronous can be: mark it 'async', or leave the queue out and wait for it before}}
  xfer.copy %a to %d on queue(%q) : memref<4xf32> to memref<4xf32, #xfer.device>
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %q: index) {
  // expected-error @+1 {{'xfer.copy' op has several queues, or one in front of tokens; tokens come first, then at most one queue}}
  %t = "xfer.copy"(%a, %d, %q, %q) : (memref<4xf32>, memref<4xf32, #xfer.device>, index, index) -> !gpu.async.token
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>) {
  // expected-error @+1 {{'xfer.copy' needs to be named when marked 'async'}}
  xfer.copy async %a to %d : memref<4xf32> to memref<4xf32, #xfer.device>
  return
}

// -----

func.func @f(%a: memref<4xf32>, %p: memref<4xf32, #xfer.pinned>) {
  // expected-error @+1 {{copies from host to host: one side must lie in #xfer.device, and memref.copy is for the rest}}
  xfer.copy %a to %p : memref<4xf32> to memref<4xf32, #xfer.pinned>
  return
}

// -----

func.func @f(%a: memref<4xf32>, %p: memref<4xf32, #xfer.pinned>) {
  // expected-error @+1 {{'xfer.prefetch' op copies from host to host: one of the two must be the mirror of the other, in #xfer.device}}
  %t = xfer.prefetch async %a to %p : memref<4xf32> to memref<4xf32, #xfer.pinned>
  return
}

// -----

func.func @f(%d: memref<4xf32, #xfer.device>, %e: memref<4xf32, #xfer.device>) {
  // expected-error @+1 {{'xfer.prefetch' op takes an array of the host and its mirror, but 'memref<4xf32, #xfer.device>' lies on a device}}
  %t = xfer.prefetch async %d to %e : memref<4xf32, #xfer.device> to memref<4xf32, #xfer.device>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'xfer.wait' op waits for nothing: name tokens or queues, or say 'all'}}
  xfer.wait
  return
}

// -----

func.func @f(%q: index) {
  // expected-error @+1 {{'xfer.wait' op waits for all work and for queues, which are part of it; leave one of the two out}}
  "xfer.wait"(%q) {all, operandSegmentSizes = array<i32: 0, 1, 0>} : (index) -> ()
  return
}

// -----

func.func @f(%q: index) {
  // expected-error @+1 {{'xfer.wait' op makes both the host and a queue wait: mark it 'async' where the queue is to wait, or leave out 'on queue'}}
  xfer.wait all on queue(%q)
  return
}
