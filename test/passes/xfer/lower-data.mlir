// RUN: terrace-opt %s --xfer-lower-data | FileCheck %s
// RUN: terrace-opt %s --xfer-lower-data="mode=strict" | FileCheck %s --check-prefix=STRICT

// Known to be absent: the region inside is nothing, and the launch that names the array
// has its buffer. The copies are left to xfer-insert and xfer-optimize, or are those of
// the clauses.

// CHECK-LABEL: func.func @nested(
// CHECK-SAME:    %[[A:.*]]: memref<?xf64>)
// CHECK:         %[[D:.*]] = memref.memory_space_cast %[[A]] : memref<?xf64> to memref<?xf64, #xfer.device>
// CHECK-NEXT:    gpu.launch
// CHECK-NEXT:      memref.store %{{.*}}, %[[D]][
// CHECK:         %[[SEEN:.*]] = memref.memory_space_cast %[[D]] : memref<?xf64, #xfer.device> to memref<?xf64>
// CHECK-NEXT:    gpu.launch
// CHECK-NEXT:      memref.store %{{.*}}, %[[SEEN]][
// CHECK-NOT:     xfer.copy
// CHECK:         return

// STRICT-LABEL: func.func @nested(
// STRICT:         %[[D:.*]] = xfer.create %{{.*}} fixed : memref<?xf64> to memref<?xf64, #xfer.device>
// STRICT-NEXT:    xfer.copy %{{.*}} to %[[D]]
// STRICT-NEXT:    gpu.launch
// STRICT-NEXT:      memref.store %{{.*}}, %[[D]][
// STRICT:         xfer.copy %[[D]] to
// STRICT:         gpu.launch
// STRICT:         xfer.copy %[[D]] to
// STRICT-NEXT:    xfer.free %[[D]]

func.func @nested(%a: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f64
  xfer.data copy(%a as %d : memref<?xf64> to memref<?xf64, #xfer.device>) {
    xfer.data present(%a as %e : memref<?xf64> to memref<?xf64, #xfer.device>) {
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
        memref.store %x, %e[%c0] : memref<?xf64, #xfer.device>
        gpu.terminator
      }
    }
    xfer.update host(%a : memref<?xf64>)
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      memref.store %x, %a[%c1] : memref<?xf64>
      gpu.terminator
    }
  }
  return
}

// In a loop.

// CHECK-LABEL: func.func @in_a_loop(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>,
// CHECK:         scf.for
// CHECK-NEXT:      %[[D:.*]] = memref.memory_space_cast %[[A]] : memref<8xf64> to memref<8xf64, #xfer.device>
// CHECK-NEXT:      gpu.launch
// CHECK-NEXT:        memref.store %{{.*}}, %[[D]][
// CHECK-NOT:     xfer.copy

// STRICT-LABEL: func.func @in_a_loop(
// STRICT:         scf.for
// STRICT-NEXT:      %[[D:.*]] = xfer.create %{{.*}} fixed
// STRICT-NEXT:      xfer.copy %{{.*}} to %[[D]]
// STRICT-NEXT:      gpu.launch
// STRICT:           xfer.copy %[[D]] to
// STRICT-NEXT:      xfer.free %[[D]]

func.func @in_a_loop(%a: memref<8xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f64
  scf.for %i = %c0 to %n step %c1 {
    xfer.data copy(%a as %d : memref<8xf64> to memref<8xf64, #xfer.device>) {
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
        memref.store %x, %d[%c0] : memref<8xf64, #xfer.device>
        gpu.terminator
      }
    }
  }
  return
}

// What the host had is not needed where all is copied out.

// CHECK-LABEL: func.func @out(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>, %[[T:.*]]: memref<?xf64>)
// CHECK:         xfer.discard %[[A]]
// CHECK-NEXT:    %[[D:.*]] = memref.memory_space_cast %[[A]]
// CHECK:         %[[SIZE:.*]] = memref.dim %[[T]]
// CHECK-NEXT:    %[[E:.*]] = xfer.alloc(%[[SIZE]])
// CHECK-NEXT:    gpu.launch
// CHECK-NEXT:      memref.store %{{.*}}, %[[E]][
// CHECK-NEXT:      memref.store %{{.*}}, %[[D]][
// CHECK-NOT:     xfer.copy
// CHECK:         xfer.free %[[E]]

// STRICT-LABEL: func.func @out(
// STRICT-SAME:    %[[A:.*]]: memref<8xf64>,
// STRICT:         %[[D:.*]] = xfer.create %[[A]] fixed
// STRICT-NEXT:    xfer.discard %[[A]]
// STRICT:         gpu.launch
// STRICT:         xfer.copy %[[D]] to %[[A]]
// STRICT-NEXT:    xfer.free %[[D]]
// STRICT-NEXT:    xfer.free

func.func @out(%a: memref<8xf64>, %t: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f64
  xfer.data copyout(%a as %d : memref<8xf64> to memref<8xf64, #xfer.device>)
            create(%t as %e : memref<?xf64> to memref<?xf64, #xfer.device>) {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      memref.store %x, %e[%c0] : memref<?xf64, #xfer.device>
      memref.store %x, %d[%c0] : memref<8xf64, #xfer.device>
      gpu.terminator
    }
  }
  return
}

// The function that is called looks it up, and is told by the table.

// CHECK-LABEL: func.func @calls(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>)
// CHECK-NEXT:    xfer.enter_data structured copyin(%[[A]] : memref<8xf64>)
// CHECK-NEXT:    xfer.present %[[A]]
// CHECK-NEXT:    call @step
// CHECK-NEXT:    xfer.update host(%[[A]] : memref<8xf64>)
// CHECK-NEXT:    xfer.exit_data structured copyin(%[[A]] : memref<8xf64>)

// CHECK-LABEL: func.func private @step(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>)
// CHECK:         xfer.enter_data structured copy(%[[A]] : memref<8xf64>)
// CHECK-NEXT:    %[[D:.*]] = xfer.present %[[A]]
// CHECK-NEXT:    %[[SEEN:.*]] = memref.memory_space_cast %[[D]]
// CHECK:         %[[PART:.*]] = memref.subview %{{.*}}[2] [2] [1]
// CHECK-NEXT:    gpu.launch
// CHECK-NEXT:      %[[X:.*]] = memref.load %[[SEEN]][
// CHECK-NEXT:      memref.store %[[X]], %[[PART]][
// CHECK:         xfer.exit_data structured copy(%[[A]] : memref<8xf64>)

func.func @calls(%a: memref<8xf64>) {
  xfer.data copyin(%a as %d : memref<8xf64> to memref<8xf64, #xfer.device>) {
    func.call @step(%a) : (memref<8xf64>) -> ()
    xfer.update host(%a : memref<8xf64>)
  }
  return
}

func.func private @step(%a: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = memref.subview %a[2] [2] [1] : memref<8xf64> to memref<2xf64, strided<[1], offset: 2>>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %x = memref.load %a[%c1] : memref<8xf64>
    memref.store %x, %part[%c0] : memref<2xf64, strided<[1], offset: 2>>
    gpu.terminator
  }
  return
}

// A section, an array of either name, and a buffer of the program's own.

// CHECK-LABEL: func.func @others(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>, %[[B:.*]]: memref<8xf64>, %{{.*}}: i1, %[[OWN:.*]]: memref<8xf64, #xfer.device>)
// CHECK:         %[[PART:.*]] = memref.subview %[[A]]
// CHECK-NEXT:    xfer.enter_data structured copy(%[[PART]] :
// CHECK-NEXT:    %[[D:.*]] = xfer.present %[[PART]]
// CHECK-NEXT:    gpu.launch
// CHECK-NEXT:      %[[X:.*]] = memref.load %[[D]][
// CHECK-NEXT:      memref.store %[[X]], %[[OWN]][
// CHECK:         xfer.exit_data structured copy(%[[PART]] :
// CHECK-NEXT:    xfer.enter_data structured copy(%[[B]] : memref<8xf64>)
// CHECK-NEXT:    xfer.present %[[B]]
// CHECK-NEXT:    %[[EITHER:.*]] = arith.select %{{.*}}, %[[A]], %[[B]]
// CHECK-NEXT:    xfer.enter_data structured copy{{(in)?}}(%[[EITHER]] : memref<8xf64>)
// CHECK-NEXT:    %[[E:.*]] = xfer.present %[[EITHER]]
// CHECK:         gpu.launch
// CHECK:         xfer.exit_data structured copy{{(in)?}}(%[[EITHER]] : memref<8xf64>)
// CHECK-NEXT:    xfer.exit_data structured copy(%[[B]] : memref<8xf64>)

func.func @others(%a: memref<8xf64>, %b: memref<8xf64>, %c: i1, %own: memref<8xf64, #xfer.device>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = memref.subview %a[2] [2] [1] : memref<8xf64> to memref<2xf64, strided<[1], offset: 2>>
  xfer.data copy(%part as %d : memref<2xf64, strided<[1], offset: 2>> to memref<2xf64, #xfer.device>)
            deviceptr(%own as %o : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>) {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %x = memref.load %d[%c1] : memref<2xf64, #xfer.device>
      memref.store %x, %o[%c0] : memref<8xf64, #xfer.device>
      gpu.terminator
    }
  }
  xfer.data copy(%b as %d : memref<8xf64> to memref<8xf64, #xfer.device>) {
    %either = arith.select %c, %a, %b : memref<8xf64>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %x = memref.load %either[%c1] : memref<8xf64>
      memref.store %x, %d[%c0] : memref<8xf64, #xfer.device>
      gpu.terminator
    }
  }
  return
}
