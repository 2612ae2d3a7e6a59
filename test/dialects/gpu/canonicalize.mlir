// RUN: terrace-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s

// Waiting for nothing, for one, and for a token that nobody wants.
// CHECK-LABEL: func @waits
//  CHECK-NEXT:   return
func.func @waits() {
  %0 = gpu.wait async
  %1 = gpu.wait async [%0]
  %2 = gpu.wait async [%0, %1]
  gpu.wait
  return
}

// CHECK-LABEL: func @wait_for_one
//  CHECK-SAME:   (%[[T:.*]]: !gpu.async.token)
//  CHECK-NEXT:   gpu.wait [%[[T]]]
//  CHECK-NEXT:   return
func.func @wait_for_one(%t: !gpu.async.token) {
  %0 = gpu.wait async
  %1 = gpu.wait async [%t]
  gpu.wait [%0, %1]
  return
}

// A copy into what is only freed afterwards.
// CHECK-LABEL: func @copy_for_nothing
//   CHECK-NOT:   gpu.memcpy
//       CHECK:   return
func.func @copy_for_nothing(%a: memref<4xf32>) {
  %d = gpu.alloc () : memref<4xf32>
  gpu.memcpy %d, %a : memref<4xf32>, memref<4xf32>
  gpu.dealloc %d : memref<4xf32>
  return
}

// CHECK-LABEL: func @copy_that_counts
//       CHECK:   gpu.memcpy
func.func @copy_that_counts(%a: memref<4xf32>) {
  %d = gpu.alloc () : memref<4xf32>
  gpu.memcpy %d, %a : memref<4xf32>, memref<4xf32>
  "use"(%d) : (memref<4xf32>) -> ()
  return
}

// Casts do not change what is copied.
// CHECK-LABEL: func @casts
//  CHECK-SAME:   (%[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<?xf32>
//       CHECK:   gpu.memcpy %[[A]], %[[B]] : memref<4xf32>, memref<?xf32>
//       CHECK:   gpu.memset %[[A]], %{{.*}} : memref<4xf32>, f32
func.func @casts(%a: memref<4xf32>, %b: memref<?xf32>, %v: f32) {
  %c = memref.cast %a : memref<4xf32> to memref<?xf32>
  gpu.memcpy %c, %b : memref<?xf32>, memref<?xf32>
  gpu.memset %c, %v : memref<?xf32>, f32
  return
}

// CHECK-LABEL: func @size
//  CHECK-SAME:   (%[[N:.*]]: index, %[[M:.*]]: index)
//       CHECK:   return %[[M]]
func.func @size(%n: index, %m: index) -> index {
  %c2 = arith.constant 2 : index
  %d = gpu.alloc (%n, %m) : memref<?x4x?xf32>
  %s = memref.dim %d, %c2 : memref<?x4x?xf32>
  return %s : index
}

// Indices along dimensions of size 1, barriers in a row, a reduction that all threads
// come to.
// CHECK-LABEL: func @launch
//       CHECK:   gpu.launch blocks(%{{[^,]*}}, %[[BY:[^,]*]], %{{.*}}) in
//       CHECK:   "use"(%c0{{.*}}, %[[BY]])
//  CHECK-NEXT:   gpu.barrier
//  CHECK-NEXT:   "use"
//  CHECK-NEXT:   gpu.all_reduce add %{{.*}} uniform
func.func @launch(%n: index) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%nbx = %c1, %nby = %n, %nbz = %c1) threads(%tx, %ty, %tz) in (%ntx = %n, %nty = %n, %ntz = %n) {
    "use"(%bx, %by) : (index, index) -> ()
    gpu.barrier
    gpu.barrier
    %v = "use"() : () -> f32
    %s = gpu.all_reduce add %v {} : (f32) -> f32
    "use"(%s) : (f32) -> ()
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func @subgroup
//  CHECK-SAME:   (%[[A:.*]]: f32
//       CHECK:   %[[B:.*]] = gpu.subgroup_broadcast
//   CHECK-NOT:   gpu.subgroup
//       CHECK:   return %[[A]], %[[B]]
func.func @subgroup(%a: f32, %i: i32) -> (f32, f32) {
  %0 = gpu.subgroup_reduce add %a cluster(size = 1) : (f32) -> f32
  %1 = gpu.subgroup_broadcast %a, specific_lane %i : f32
  %2 = gpu.subgroup_broadcast %1, first_active_lane : f32
  return %0, %2 : f32, f32
}
