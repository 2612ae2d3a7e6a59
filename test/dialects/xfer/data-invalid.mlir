// RUN: terrace-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{'xfer.data' op has one array in two clauses, copyin and create; one of them is enough}}
  xfer.data copyin(%a as %x : memref<4xf32> to memref<4xf32, #xfer.device>) create(%a as %y : memref<4xf32> to memref<4xf32, #xfer.device>) {
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{copyin takes an array of the host, but 'memref<4xf32, #xfer.device>' lies on a device; only deviceptr takes that}}
  xfer.data copyin(%d as %x : memref<4xf32, #xfer.device> to memref<4xf32, #xfer.device>) {
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{deviceptr is of a buffer on the device, but 'memref<4xf32>' lies in the host's memory; copy, copyin, copyout and create make one}}
  xfer.data deviceptr(%a as %x : memref<4xf32> to memref<4xf32>) {
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{deviceptr of 'memref<4xf32, #xfer.device>' is no 'memref<?xf32, #xfer.device>': a buffer keeps its type}}
  xfer.data deviceptr(%d as %x : memref<4xf32, #xfer.device> to memref<?xf32, #xfer.device>) {
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{create takes row-major arrays only, but the elements of 'memref<4x4xf32, strided<[8, 1]>>' are not in a row}}
  xfer.data create(%s as %x : memref<4x4xf32, strided<[8, 1]>> to memref<4x4xf32, #xfer.device>) {
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{gives a buffer on device 0 (#xfer.device), but 'memref<4xf32>' lies elsewhere}}
  xfer.data copy(%a as %x : memref<4xf32> to memref<4xf32>) {
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{gives a buffer on device 0 (#xfer.device), but 'memref<4xf32, #xfer.device<1>>' lies elsewhere}}
  xfer.data copy(%a as %x : memref<4xf32> to memref<4xf32, #xfer.device<1>>) {
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{'memref<5xf32, #xfer.device>' is no buffer for 'memref<4xf32>': element type and shape must be the same}}
  xfer.data copy(%a as %x : memref<4xf32> to memref<5xf32, #xfer.device>) {
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{gives a row-major buffer, but 'memref<4xf32, strided<[2]>, #xfer.device>' has a layout}}
  xfer.data copy(%a as %x : memref<4xf32> to memref<4xf32, strided<[2]>, #xfer.device>) {
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{expected a clause: copy, copyin, copyout, create, present, no_create, deviceptr}}
  xfer.data delete(%a as %x : memref<4xf32> to memref<4xf32, #xfer.device>) {
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{expected a clause: copyin, create}}
  xfer.enter_data copy(%a : memref<4xf32>)
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{expected a clause: copyout, delete}}
  xfer.exit_data create(%a : memref<4xf32>)
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{expected a clause: host, device}}
  xfer.update copy(%a : memref<4xf32>)
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{takes the clauses copyin, create, not copyout}}
  "xfer.enter_data"(%a) {clauses = array<i32: 2>} : (memref<4xf32>) -> ()
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{has 1 arrays and 2 clauses: each array needs a clause}}
  "xfer.enter_data"(%a) {clauses = array<i32: 1, 1>} : (memref<4xf32>) -> ()
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{needs an array in a clause}}
  "xfer.enter_data"() {clauses = array<i32>} : () -> ()
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{finalize is of what 'xfer.enter_data' entered, not of the end of a structured region}}
  xfer.exit_data structured copy(%a : memref<4xf32>) finalize
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{looks up an array of the host, but 'memref<4xf32, #xfer.device>' lies on a device; only deviceptr takes that}}
  %0 = xfer.present %d : memref<4xf32, #xfer.device> to memref<4xf32, #xfer.device>
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{looks up an array of the host, but 'memref<4xf32, #xfer.device>' lies on a device; only deviceptr takes that}}
  %0 = xfer.is_present %d : memref<4xf32, #xfer.device>
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{has 1 arrays, but its region 0 arguments: each array needs its buffer}}
  "xfer.data"(%a) ({
    "xfer.end_data"() : () -> ()
  }) {clauses = array<i32: 0>} : (memref<4xf32>) -> ()
  return
}

// -----

func.func @f(%a: memref<4xf32>, %d: memref<4xf32, #xfer.device>, %s: memref<4x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{has a clause of a number that none has; they are 0 to 9}}
  "xfer.enter_data"(%a) {clauses = array<i32: 10>} : (memref<4xf32>) -> ()
  return
}
