// RUN: terrace-opt %s -gpu-coarsen-threads -canonicalize -cse | FileCheck %s

// With enough iterations there is a launch, whose blocks bring rows to workgroup memory in
// tiles; threads without an iteration do what the last one does, and store nothing.
// CHECK-LABEL: func.func @pairs
// CHECK: %[[MANY:.*]] = arith.cmpi sge, %arg3, %c16384
// CHECK: scf.if %[[MANY]] {
// On 132 multiprocessors: blocks of 128 where these are done sooner.
// CHECK: arith.divui %{{.*}}, %c33792
// CHECK: %[[SMALL:.*]] = arith.muli %{{.*}}, %c17
// CHECK: arith.divui %{{.*}}, %c67584
// CHECK: %[[LARGE:.*]] = arith.muli %{{.*}}, %c32
// CHECK: %[[SOONER:.*]] = arith.cmpi slt, %[[SMALL]], %[[LARGE]]
// CHECK: scf.if %[[SOONER]] {
// CHECK: gpu.launch {{.*}} = %c128, {{.*}} workgroup(%[[TILE:.*]] : memref<2x1024xf32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-16: memref.load %arg1
// CHECK-NOT: memref.load
// CHECK-COUNT-16: memref.store %{{.*}}, %[[TILE]]
// CHECK-NEXT: gpu.barrier
// CHECK: } else {
// CHECK: gpu.launch blocks(%[[BLOCK:[a-z0-9]*]], {{.*}} = %c256, {{.*}} workgroup(%[[TILE:.*]] : memref<2x1024xf32, #gpu.address_space<workgroup>>)
// CHECK: %[[I:.*]] = arith.addi %{{.*}}, %[[T:.*]] : index
// CHECK: %[[I1:.*]] = arith.addi %[[I]], %c256
// CHECK: arith.minsi %[[I]]
// CHECK: arith.minsi %[[I1]]
// CHECK-COUNT-2: memref.load %arg0
// CHECK: scf.for %[[BEGIN:.*]] = %c0 to %[[MIDDLE:.*]] step %c1024
// CHECK-NEXT: gpu.barrier
// CHECK: %[[LEFT:.*]] = arith.subi %[[MIDDLE]], %[[BEGIN]]
// CHECK: %[[HERE:.*]] = arith.minsi %[[LEFT]], %c1024
// A row is brought once, however often it is loaded.
// CHECK-COUNT-8: memref.load %arg1
// CHECK-NOT: memref.load
// CHECK-COUNT-8: memref.store %{{.*}}, %[[TILE]]
// CHECK-NEXT: gpu.barrier
// CHECK: scf.for %[[J:.*]] = %c0 to %[[HERE]] step %c16
// CHECK: vector.load %[[TILE]][%c0, %[[J]]] {alignment = 16 : i64}
// CHECK: vector.load %[[TILE]][%c1, %[[J]]] {alignment = 16 : i64}
// CHECK-NOT: memref.load
// CHECK-COUNT-32: math.sqrt
// CHECK-NOT: math.sqrt
// CHECK: scf.for %{{.*}} = %[[MIDDLE]] to %arg3 step %c1
// CHECK: gpu.barrier
// CHECK: %[[IS:.*]] = arith.cmpi slt, %[[I]], %arg3
// CHECK: scf.if %[[IS]]
// CHECK-NEXT: memref.store %{{.*}}, %arg2[%[[I]]]
// CHECK: %[[IS1:.*]] = arith.cmpi slt, %[[I1]], %arg3
// CHECK: scf.if %[[IS1]]
// CHECK-NEXT: memref.store %{{.*}}, %arg2[%[[I1]]]
// CHECK: gpu.note = "each thread runs 2 iterations at once, and what all load is brought into shared memory for 1024 iterations of the common loop at a time"
// CHECK: } else {
// CHECK: scf.parallel {{.*}} step (%c1)
// CHECK: gpu.block = array<i64: 128, 1, 1>, gpu.coarsened
func.func @pairs(%a: memref<?xf32>, %b: memref<2x?xf32>, %c: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %a[%i] : memref<?xf32>
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %y = memref.load %b[%c0, %j] : memref<2x?xf32>
      %z = memref.load %b[%c1, %j] : memref<2x?xf32>
      %again = memref.load %b[%c0, %j] : memref<2x?xf32>
      %0 = arith.subf %x, %y : f32
      %1 = math.sqrt %0 : f32
      %2 = arith.mulf %1, %z : f32
      %3 = arith.mulf %2, %again : f32
      %4 = arith.addf %3, %x : f32
      %5 = arith.addf %sum, %4 : f32
      scf.yield %5 : f32
    }
    memref.store %s, %c[%i] : memref<?xf32>
  }
  return
}

// Enough iterations for all that is known: the launch alone, with the block for so many. Too
// few: no launch, and other mappings may have the loop.
// CHECK-LABEL: func.func @known
// CHECK-NOT: scf.parallel
// CHECK: gpu.launch {{.*}} = %c128,
// CHECK-NOT: gpu.launch
// CHECK: scf.parallel (%{{.*}}) = (%c0) to (%c16383)
// CHECK-NOT: gpu.coarsened
func.func @known(%b: memref<?xf32>, %c: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 16384 : index
  %few = arith.constant 16383 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%many) step (%c1) {
    %x = memref.load %c[%i] : memref<?xf32>
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %y = memref.load %b[%j] : memref<?xf32>
      %0 = arith.subf %x, %y : f32
      %1 = arith.addf %sum, %0 : f32
      scf.yield %1 : f32
    }
    memref.store %s, %c[%i] : memref<?xf32>
  }
  scf.parallel (%i) = (%c0) to (%few) step (%c1) {
    %x = memref.load %c[%i] : memref<?xf32>
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %y = memref.load %b[%j] : memref<?xf32>
      %0 = arith.subf %x, %y : f32
      %1 = arith.addf %sum, %0 : f32
      scf.yield %1 : f32
    }
    memref.store %s, %c[%i] : memref<?xf32>
  }
  return
}

// Two blocks of 128 on each multiprocessor take a little longer than one of 256.
// CHECK-LABEL: func.func @evenly
// CHECK: gpu.launch {{.*}} = %c256,
// CHECK-NOT: gpu.launch
func.func @evenly(%b: memref<?xf32>, %c: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 65536 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%many) step (%c1) {
    %x = memref.load %c[%i] : memref<?xf32>
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %y = memref.load %b[%j] : memref<?xf32>
      %0 = arith.subf %x, %y : f32
      %1 = arith.addf %sum, %0 : f32
      scf.yield %1 : f32
    }
    memref.store %s, %c[%i] : memref<?xf32>
  }
  return
}

// Seven rows of f64 leave room for shorter tiles.
// CHECK-LABEL: func.func @seven
// CHECK: gpu.launch {{.*}} workgroup(%[[TILE:.*]] : memref<7x512xf64, #gpu.address_space<workgroup>>)
// CHECK: vector.load %[[TILE]][%c6{{.*}} vector<2xf64>
// CHECK: shared memory for 512 iterations
func.func @seven(%b: memref<7x?xf64>, %c: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %c[%i] : memref<?xf64>
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f64) {
      %y0 = memref.load %b[%c0, %j] : memref<7x?xf64>
      %y1 = memref.load %b[%c1, %j] : memref<7x?xf64>
      %y2 = memref.load %b[%c2, %j] : memref<7x?xf64>
      %y3 = memref.load %b[%c3, %j] : memref<7x?xf64>
      %y4 = memref.load %b[%c4, %j] : memref<7x?xf64>
      %y5 = memref.load %b[%c5, %j] : memref<7x?xf64>
      %y6 = memref.load %b[%c6, %j] : memref<7x?xf64>
      %d0 = arith.subf %x, %y0 : f64
      %s0 = arith.addf %sum, %d0 : f64
      %d1 = arith.subf %x, %y1 : f64
      %s1 = arith.addf %s0, %d1 : f64
      %d2 = arith.subf %x, %y2 : f64
      %s2 = arith.addf %s1, %d2 : f64
      %d3 = arith.subf %x, %y3 : f64
      %s3 = arith.addf %s2, %d3 : f64
      %d4 = arith.subf %x, %y4 : f64
      %s4 = arith.addf %s3, %d4 : f64
      %d5 = arith.subf %x, %y5 : f64
      %s5 = arith.addf %s4, %d5 : f64
      %d6 = arith.subf %x, %y6 : f64
      %s6 = arith.addf %s5, %d6 : f64
      scf.yield %s6 : f64
    }
    memref.store %s, %c[%i] : memref<?xf64>
  }
  return
}

// Thirteen do not fit: there is no launch.
// CHECK-LABEL: func.func @thirteen
// CHECK-NOT: gpu.launch
// CHECK: gpu.rows = 2
func.func @thirteen(%b: memref<13x?xf64>, %c: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %c[%i] : memref<?xf64>
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f64) {
      %y0 = memref.load %b[%c0, %j] : memref<13x?xf64>
      %y1 = memref.load %b[%c1, %j] : memref<13x?xf64>
      %y2 = memref.load %b[%c2, %j] : memref<13x?xf64>
      %y3 = memref.load %b[%c3, %j] : memref<13x?xf64>
      %y4 = memref.load %b[%c4, %j] : memref<13x?xf64>
      %y5 = memref.load %b[%c5, %j] : memref<13x?xf64>
      %y6 = memref.load %b[%c6, %j] : memref<13x?xf64>
      %y7 = memref.load %b[%c7, %j] : memref<13x?xf64>
      %y8 = memref.load %b[%c8, %j] : memref<13x?xf64>
      %y9 = memref.load %b[%c9, %j] : memref<13x?xf64>
      %y10 = memref.load %b[%c10, %j] : memref<13x?xf64>
      %y11 = memref.load %b[%c11, %j] : memref<13x?xf64>
      %y12 = memref.load %b[%c12, %j] : memref<13x?xf64>
      %d0 = arith.subf %x, %y0 : f64
      %s0 = arith.addf %sum, %d0 : f64
      %d1 = arith.subf %x, %y1 : f64
      %s1 = arith.addf %s0, %d1 : f64
      %d2 = arith.subf %x, %y2 : f64
      %s2 = arith.addf %s1, %d2 : f64
      %d3 = arith.subf %x, %y3 : f64
      %s3 = arith.addf %s2, %d3 : f64
      %d4 = arith.subf %x, %y4 : f64
      %s4 = arith.addf %s3, %d4 : f64
      %d5 = arith.subf %x, %y5 : f64
      %s5 = arith.addf %s4, %d5 : f64
      %d6 = arith.subf %x, %y6 : f64
      %s6 = arith.addf %s5, %d6 : f64
      %d7 = arith.subf %x, %y7 : f64
      %s7 = arith.addf %s6, %d7 : f64
      %d8 = arith.subf %x, %y8 : f64
      %s8 = arith.addf %s7, %d8 : f64
      %d9 = arith.subf %x, %y9 : f64
      %s9 = arith.addf %s8, %d9 : f64
      %d10 = arith.subf %x, %y10 : f64
      %s10 = arith.addf %s9, %d10 : f64
      %d11 = arith.subf %x, %y11 : f64
      %s11 = arith.addf %s10, %d11 : f64
      %d12 = arith.subf %x, %y12 : f64
      %s12 = arith.addf %s11, %d12 : f64
      scf.yield %s12 : f64
    }
    memref.store %s, %c[%i] : memref<?xf64>
  }
  return
}

// What is stored in front of the common loop, a thread without an iteration would store too:
// so no launch, but loads from memory as they are.
// CHECK-LABEL: func.func @stores
// CHECK-NOT: gpu.launch
// CHECK: scf.parallel
// CHECK: gpu.rows_aligned %arg0 to 16 : 
// CHECK: gpu.rows = 2
func.func @stores(%b: memref<?xf32>, %c: memref<?xf32>, %d: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %c[%i] : memref<?xf32>
    memref.store %x, %d[%i] : memref<?xf32>
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %y = memref.load %b[%j] : memref<?xf32>
      %0 = arith.subf %x, %y : f32
      %1 = arith.addf %sum, %0 : f32
      scf.yield %1 : f32
    }
    memref.store %s, %c[%i] : memref<?xf32>
  }
  return
}

// The same of what is stored between two common loops.
// CHECK-LABEL: func.func @between
// CHECK-NOT: gpu.launch
// CHECK: gpu.rows = 2
func.func @between(%b: memref<?xf32>, %c: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %c[%i] : memref<?xf32>
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %y = memref.load %b[%j] : memref<?xf32>
      %0 = arith.subf %x, %y : f32
      %1 = arith.addf %sum, %0 : f32
      scf.yield %1 : f32
    }
    memref.store %s, %c[%i] : memref<?xf32>
    %t = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %s) -> (f32) {
      %y = memref.load %b[%j] : memref<?xf32>
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %sum, %0 : f32
      scf.yield %1 : f32
    }
    memref.store %t, %c[%i] : memref<?xf32>
  }
  return
}

// No row: the counter is not the last subscript.
// CHECK-LABEL: func.func @column
// CHECK-NOT: gpu.launch
// CHECK: gpu.rows = 2
func.func @column(%b: memref<?x4xf32>, %c: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %c[%i] : memref<?xf32>
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %y = memref.load %b[%j, %c1] : memref<?x4xf32>
      %0 = arith.subf %x, %y : f32
      %1 = arith.addf %sum, %0 : f32
      scf.yield %1 : f32
    }
    memref.store %s, %c[%i] : memref<?xf32>
  }
  return
}
