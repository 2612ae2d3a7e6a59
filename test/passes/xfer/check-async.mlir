// RUN: terrace-opt %s --split-input-file --xfer-check --verify-diagnostics | FileCheck %s

// Asynchronous ops: who uses what they use comes after them, on every path.

// CHECK-LABEL: @tokens
func.func @tokens(%A: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %d = xfer.create %A : memref<8xf32> to memref<8xf32, #xfer.device>
  %in = xfer.copy async %A to %d : memref<8xf32> to memref<8xf32, #xfer.device>
  // The host may read what the copy reads.
  %x = memref.load %A[%c1] : memref<8xf32>
  %k = gpu.launch async [%in] blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%n = %c8, %ny = %c1, %nz = %c1) {
    memref.store %x, %d[%i] : memref<8xf32, #xfer.device>
    gpu.terminator
  }
  %out = xfer.copy async [%k] %d to %A : memref<8xf32, #xfer.device> to memref<8xf32>
  xfer.wait [%out]
  %y = memref.load %A[%c1] : memref<8xf32>
  xfer.free %d : memref<8xf32, #xfer.device>
  return
}

// CHECK-LABEL: @queues
func.func @queues(%A: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %d = xfer.create %A : memref<8xf32> to memref<8xf32, #xfer.device>
  %in = xfer.copy async %A to %d on queue(%c1) : memref<8xf32> to memref<8xf32, #xfer.device>
  %j = xfer.wait async queue(%c1) on queue(%c0)
  scf.for %t = %c0 to %n step %c1 {
    %before = xfer.wait async queue(%c0)
    %k = gpu.launch async [%before] blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%m = %c8, %my = %c1, %mz = %c1) {
      %x = memref.load %d[%i] : memref<8xf32, #xfer.device>
      memref.store %x, %d[%i] : memref<8xf32, #xfer.device>
      gpu.terminator
    }
    %after = xfer.wait async [%k] on queue(%c0)
  }
  %o = xfer.wait async queue(%c0) on queue(%c2)
  %out = xfer.copy async %d to %A on queue(%c2) : memref<8xf32, #xfer.device> to memref<8xf32>
  xfer.wait queue(%c2)
  xfer.free %d : memref<8xf32, #xfer.device>
  return
}

// CHECK-LABEL: @carried
func.func @carried(%A: memref<8xf32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %d = xfer.create %A : memref<8xf32> to memref<8xf32, #xfer.device>
  %in = scf.if %c -> (!gpu.async.token) {
    %t = xfer.copy async %A to %d : memref<8xf32> to memref<8xf32, #xfer.device>
    scf.yield %t : !gpu.async.token
  } else {
    xfer.copy %A to %d : memref<8xf32> to memref<8xf32, #xfer.device>
    %t = xfer.wait async
    scf.yield %t : !gpu.async.token
  }
  %last = scf.for %t = %c0 to %n step %c1 iter_args(%before = %in) -> (!gpu.async.token) {
    %k = gpu.launch async [%before] blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%m = %c8, %my = %c1, %mz = %c1) {
      %x = memref.load %d[%i] : memref<8xf32, #xfer.device>
      memref.store %x, %d[%i] : memref<8xf32, #xfer.device>
      gpu.terminator
    }
    scf.yield %k : !gpu.async.token
  }
  xfer.copy [%last] %d to %A : memref<8xf32, #xfer.device> to memref<8xf32>
  xfer.free %d : memref<8xf32, #xfer.device>
  return
}

// -----

func.func @written_too_early(%A: memref<8xf32>, %x: f32) {
  %c1 = arith.constant 1 : index
  %d = xfer.create %A : memref<8xf32> to memref<8xf32, #xfer.device>
  // expected-note @+1 {{the 'xfer.copy' that may still run is started here}}
  %in = xfer.copy async %A to %d : memref<8xf32> to memref<8xf32, #xfer.device>
  // expected-error @+1 {{'memref.store' op writes %A (argument 0), which an 'xfer.copy' may still read; wait for its token or its queue before}}
  memref.store %x, %A[%c1] : memref<8xf32>
  xfer.wait all
  return
}

// -----

func.func @unordered(%A: memref<8xf32>, %x: f32) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %d = xfer.create %A : memref<8xf32> to memref<8xf32, #xfer.device>
  // expected-note @+1 {{the 'xfer.copy' that may still run is started here}}
  %in = xfer.copy async %A to %d : memref<8xf32> to memref<8xf32, #xfer.device>
  %k = gpu.launch async blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%n = %c8, %ny = %c1, %nz = %c1) {
    // expected-error @+1 {{'memref.store' op writes %d, which an 'xfer.copy' may still write; make it come after that, by a token or a queue}}
    memref.store %x, %d[%i] : memref<8xf32, #xfer.device>
    gpu.terminator
  }
  xfer.wait [%in, %k]
  xfer.copy %d to %A : memref<8xf32, #xfer.device> to memref<8xf32>
  return
}

// -----

func.func @on_one_path(%A: memref<8xf32>, %c: i1) {
  %c1 = arith.constant 1 : index
  %d = xfer.create %A : memref<8xf32> to memref<8xf32, #xfer.device>
  // expected-note @+1 {{the 'xfer.copy' that may still run is started here}}
  %in = xfer.copy async %A to %d : memref<8xf32> to memref<8xf32, #xfer.device>
  // expected-note @+1 {{past this 'scf.if', where its condition does not hold}}
  scf.if %c {
    xfer.wait [%in]
  }
  // expected-error @+1 {{'xfer.free' op frees %d, which an 'xfer.copy' may still write; wait for its token or its queue before}}
  xfer.free %d : memref<8xf32, #xfer.device>
  return
}

// -----

func.func @not_waited_for(%A: memref<8xf32>) {
  %d = xfer.create %A : memref<8xf32> to memref<8xf32, #xfer.device>
  // expected-note @+1 {{the 'xfer.copy' that may still run is started here}}
  %in = xfer.copy async %A to %d : memref<8xf32> to memref<8xf32, #xfer.device>
  // expected-error @+1 {{'func.return' op returns while an 'xfer.copy' may still run; wait for its token or its queue before}}
  return
}

// -----

// The token is that of the last iteration; the launches before have none that is left.

func.func @the_last_only(%A: memref<8xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %d = xfer.create %A : memref<8xf32> to memref<8xf32, #xfer.device>
  xfer.discard %A : memref<8xf32>
  // expected-note @+1 {{around this loop again}}
  scf.for %t = %c0 to %n step %c1 {
    // expected-note @+1 {{the 'gpu.launch' that may still run is started here}}
    %k = gpu.launch async blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%m = %c8, %my = %c1, %mz = %c1) {
      // expected-error @+1 {{'memref.store' op writes %d, which an 'gpu.launch' may still write; make it come after that, by a token or a queue}}
      memref.store %x, %d[%i] : memref<8xf32, #xfer.device>
      gpu.terminator
    }
  }
  xfer.wait all
  xfer.copy %d to %A : memref<8xf32, #xfer.device> to memref<8xf32>
  return
}

// -----

func.func @another_queue(%A: memref<8xf32>, %x: f32) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d = xfer.create %A : memref<8xf32> to memref<8xf32, #xfer.device>
  // expected-note @+1 {{the 'xfer.copy' that may still run is started here}}
  %in = xfer.copy async %A to %d on queue(%c1) : memref<8xf32> to memref<8xf32, #xfer.device>
  xfer.wait queue(%c2)
  // expected-error @+1 {{'memref.store' op writes %A (argument 0), which an 'xfer.copy' may still read; wait for its token or its queue before}}
  memref.store %x, %A[%c1] : memref<8xf32>
  xfer.wait queue(%c1)
  return
}

// -----

// What cannot be followed is not taken for a wait.

func.func @unknown(%A: memref<8xf32>, %x: f32, %q: index, %t: !gpu.async.token) {
  %c1 = arith.constant 1 : index
  %d = xfer.create %A : memref<8xf32> to memref<8xf32, #xfer.device>
  // expected-note @+1 {{the 'xfer.copy' that may still run is started here}}
  %in = xfer.copy async %A to %d on queue(%c1) : memref<8xf32> to memref<8xf32, #xfer.device>
  // expected-note @+1 {{'xfer.wait' may be meant to order the two, but its token comes from where it is not followed}}
  xfer.wait [%t]
  // expected-error @+1 {{'memref.store' op writes %A (argument 0), which an 'xfer.copy' may still read; wait for its token or its queue before}}
  memref.store %x, %A[%c1] : memref<8xf32>
  xfer.wait all
  return
}

// -----

func.func @unknown_queue(%A: memref<8xf32>, %x: f32, %q: index) {
  %c1 = arith.constant 1 : index
  %d = xfer.create %A : memref<8xf32> to memref<8xf32, #xfer.device>
  // expected-note @+2 {{the 'xfer.copy' that may still run is started here}}
  // expected-note @+1 {{'xfer.copy' may be meant to order the two, but its queue has a number that is not constant}}
  %in = xfer.copy async %A to %d on queue(%q) : memref<8xf32> to memref<8xf32, #xfer.device>
  xfer.wait queue(%q)
  // expected-error @+1 {{'memref.store' op writes %A (argument 0), which an 'xfer.copy' may still read; wait for its token or its queue before}}
  memref.store %x, %A[%c1] : memref<8xf32>
  xfer.wait all
  return
}

// -----

// A function that is called waits for what it starts; what its caller has under way it
// knows nothing of.

func.func private @reads(%A: memref<8xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %x = memref.load %A[%c1] : memref<8xf32>
  return %x : f32
}

func.func @caller(%A: memref<8xf32>, %D: memref<8xf32, #xfer.device>) -> f32 {
  // expected-note @+1 {{the 'xfer.copy' that may still run is started here}}
  %out = xfer.copy async %D to %A : memref<8xf32, #xfer.device> to memref<8xf32>
  // expected-error @+1 {{'func.call' op reads %A (argument 0), which an 'xfer.copy' may still write; wait for its token or its queue before}}
  %x = func.call @reads(%A) : (memref<8xf32>) -> f32
  xfer.wait [%out]
  return %x : f32
}

// -----

func.func @inside_one_step(%A: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %D = xfer.alloc() : memref<8xf32, #xfer.device>
  scf.parallel (%t) = (%c0) to (%n) step (%c1) {
    // expected-error @+1 {{'gpu.launch' op is asynchronous inside a 'scf.parallel', where its place in the order is not known}}
    %k = gpu.launch async blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%m = %c8, %my = %c1, %mz = %c1) {
      %x = memref.load %D[%i] : memref<8xf32, #xfer.device>
      gpu.terminator
    }
  }
  xfer.wait all
  return
}

// -----

// What a function is handed may be one array twice.

func.func private @handed(%A: memref<8xf32>, %B: memref<8xf32>, %D: memref<8xf32, #xfer.device>) -> f32 {
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the 'xfer.copy' that may still run is started here}}
  %out = xfer.copy async %D to %A : memref<8xf32, #xfer.device> to memref<8xf32>
  // expected-error @+1 {{'memref.load' op reads %B (argument 1), which an 'xfer.copy' may still write; wait for its token or its queue before}}
  %x = memref.load %B[%c1] : memref<8xf32>
  xfer.wait [%out]
  return %x : f32
}

func.func @hands(%A: memref<8xf32>, %D: memref<8xf32, #xfer.device>) -> f32 {
  %x = func.call @handed(%A, %A, %D) : (memref<8xf32>, memref<8xf32>, memref<8xf32, #xfer.device>) -> f32
  return %x : f32
}

// -----

// Memory that an 'xfer.copy' still reads must stay: the mirror, and the array.
func.func @freed_while_read(%A: memref<8xf32>) {
  %d = xfer.create %A : memref<8xf32> to memref<8xf32, #xfer.device>
  xfer.copy %A to %d : memref<8xf32> to memref<8xf32, #xfer.device>
  // expected-note @+1 {{the 'xfer.copy' that may still run is started here}}
  %out = xfer.copy async %d to %A : memref<8xf32, #xfer.device> to memref<8xf32>
  // expected-error @+1 {{'xfer.free' op frees %d, which an 'xfer.copy' may still read; wait for its token or its queue before}}
  xfer.free %d : memref<8xf32, #xfer.device>
  xfer.wait [%out]
  return
}

// -----

func.func @array_freed_while_read(%x: f32) {
  %c1 = arith.constant 1 : index
  %A = memref.alloc() : memref<8xf32>
  memref.store %x, %A[%c1] : memref<8xf32>
  %d = xfer.create %A : memref<8xf32> to memref<8xf32, #xfer.device>
  // expected-note @+1 {{the 'xfer.copy' that may still run is started here}}
  %in = xfer.copy async %A to %d : memref<8xf32> to memref<8xf32, #xfer.device>
  // expected-error @+1 {{'memref.dealloc' op frees %A, which an 'xfer.copy' may still read; wait for its token or its queue before}}
  memref.dealloc %A : memref<8xf32>
  xfer.wait [%in]
  xfer.free %d : memref<8xf32, #xfer.device>
  return
}
