// RUN: terrace-opt %s -affine-scalrep -split-input-file -allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: @store_to_load
// CHECK: affine.store %arg1, %arg0[%[[I:.*]]]
// CHECK-NEXT: "use"(%arg1)
func.func @store_to_load(%m: memref<10xf32>, %v: f32) {
  affine.for %i = 0 to 10 {
    affine.store %v, %m[%i] : memref<10xf32>
    %0 = affine.load %m[%i] : memref<10xf32>
    "use"(%0) : (f32) -> ()
  }
  return
}

// -----

// The store between goes to another element.
// CHECK-LABEL: @other_element
// CHECK: "use"(%arg1)
func.func @other_element(%m: memref<20xf32>, %v: f32, %w: f32) {
  affine.for %i = 0 to 10 {
    affine.store %v, %m[%i * 2] : memref<20xf32>
    affine.store %w, %m[%i * 2 + 1] : memref<20xf32>
    %0 = affine.load %m[%i * 2] : memref<20xf32>
    "use"(%0) : (f32) -> ()
  }
  return
}

// -----

// CHECK-LABEL: @perhaps_that_element
// CHECK: affine.load
func.func @perhaps_that_element(%m: memref<20xf32>, %v: f32, %w: f32, %k: index) {
  affine.for %i = 0 to 10 {
    affine.store %v, %m[%i] : memref<20xf32>
    affine.store %w, %m[symbol(%k)] : memref<20xf32>
    %0 = affine.load %m[%i] : memref<20xf32>
    "use"(%0) : (f32) -> ()
  }
  return
}

// -----

// An earlier iteration of the inner loop stores.
// CHECK-LABEL: @around_the_loop
// CHECK: affine.load
func.func @around_the_loop(%m: memref<20xf32>, %v: f32, %w: f32) {
  affine.for %i = 0 to 10 {
    affine.store %v, %m[%i] : memref<20xf32>
    affine.for %j = 0 to 10 {
      %0 = affine.load %m[%i] : memref<20xf32>
      "use"(%0) : (f32) -> ()
      affine.store %w, %m[%i] : memref<20xf32>
    }
  }
  return
}

// -----

// What is stored under a condition is not certainly there behind it.
// CHECK-LABEL: @condition
// CHECK: affine.if
// CHECK: "use"(%arg1)
// CHECK: affine.load
func.func @condition(%m: memref<20xf32>, %v: f32) {
  affine.for %i = 0 to 10 {
    affine.if affine_set<(d0) : (d0 - 5 >= 0)>(%i) {
      affine.store %v, %m[%i] : memref<20xf32>
      %0 = affine.load %m[%i] : memref<20xf32>
      "use"(%0) : (f32) -> ()
    }
    %1 = affine.load %m[%i] : memref<20xf32>
    "use"(%1) : (f32) -> ()
  }
  return
}

// -----

// The other branch does not run.
// CHECK-LABEL: @other_branch
// CHECK: else
// CHECK: "use"(%arg1)
func.func @other_branch(%m: memref<20xf32>, %v: f32, %w: f32) {
  affine.for %i = 0 to 10 {
    affine.store %v, %m[%i] : memref<20xf32>
    affine.if affine_set<(d0) : (d0 - 5 >= 0)>(%i) {
      affine.store %w, %m[%i] : memref<20xf32>
    } else {
      %0 = affine.load %m[%i] : memref<20xf32>
      "use"(%0) : (f32) -> ()
    }
  }
  return
}

// -----

// CHECK-LABEL: @view_and_call
// CHECK-COUNT-3: affine.load
func.func private @clobber()
func.func @view_and_call(%m: memref<10xf32>, %v: f32) {
  %view = memref.cast %m : memref<10xf32> to memref<?xf32>
  %c3 = arith.constant 3 : index
  %0 = affine.load %m[3] : memref<10xf32>
  memref.store %v, %view[%c3] : memref<?xf32>
  %1 = affine.load %m[3] : memref<10xf32>
  call @clobber() : () -> ()
  %2 = affine.load %m[3] : memref<10xf32>
  "use"(%0, %1, %2) : (f32, f32, f32) -> ()
  return
}

// -----

// CHECK-LABEL: @loads
// CHECK: %[[V:.*]] = affine.load
// CHECK-NOT: affine.load
// CHECK: arith.addf %[[V]], %[[V]]
func.func @loads(%m: memref<10xf32>, %n: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %m[%i] : memref<10xf32>
    affine.store %0, %n[%i] : memref<10xf32>
    affine.for %j = 0 to 10 {
      %1 = affine.load %m[%i] : memref<10xf32>
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %n[%j] : memref<10xf32>
    }
  }
  return
}

// -----

// CHECK-LABEL: @overwritten
// CHECK: affine.for
// CHECK-NEXT: affine.store %arg2
// CHECK-NEXT: }
func.func @overwritten(%m: memref<10xf32>, %v: f32, %w: f32) {
  affine.for %i = 0 to 10 {
    affine.store %v, %m[%i] : memref<10xf32>
    affine.store %w, %m[%i] : memref<10xf32>
  }
  return
}

// -----

// Whatever the condition is, the store behind it overwrites.
// CHECK-LABEL: @overwritten_under_condition
// CHECK: affine.if
// CHECK-NEXT: }
// CHECK-NEXT: affine.store %arg2
func.func @overwritten_under_condition(%m: memref<10xf32>, %v: f32, %w: f32) {
  affine.for %i = 0 to 10 {
    affine.if affine_set<(d0) : (d0 - 5 >= 0)>(%i) {
      affine.store %v, %m[%i] : memref<10xf32>
    }
    affine.store %w, %m[%i] : memref<10xf32>
  }
  return
}

// -----

// CHECK-LABEL: @read_before_overwritten
// CHECK: affine.store %arg1
// CHECK: affine.store %arg2
func.func @read_before_overwritten(%m: memref<10xf32>, %v: f32, %w: f32) {
  affine.for %i = 0 to 10 {
    affine.store %v, %m[%i] : memref<10xf32>
    affine.for %j = 0 to 10 {
      %0 = affine.load %m[%j] : memref<10xf32>
      "keep"(%0) : (f32) -> ()
    }
    affine.store %w, %m[%i] : memref<10xf32>
  }
  return
}

// -----

// CHECK-LABEL: @memref_goes
// CHECK-NEXT: "use"(%arg0)
// CHECK-NEXT: return
func.func @memref_goes(%v: f32) {
  %m = memref.alloc() : memref<1xf32>
  affine.store %v, %m[0] : memref<1xf32>
  %0 = affine.load %m[0] : memref<1xf32>
  memref.dealloc %m : memref<1xf32>
  "use"(%0) : (f32) -> ()
  return
}

// -----

// CHECK-LABEL: @memref_escapes
// CHECK: memref.alloc
// CHECK: affine.store
func.func @memref_escapes(%v: f32, %out: memref<1xmemref<1xf32>>) {
  %m = memref.alloc() : memref<1xf32>
  affine.store %v, %m[0] : memref<1xf32>
  %0 = affine.load %m[0] : memref<1xf32>
  affine.store %m, %out[0] : memref<1xmemref<1xf32>>
  "use"(%0) : (f32) -> ()
  return
}

// -----

// Vectors overlap though they start at different elements.
// CHECK-LABEL: @vectors
// CHECK-COUNT-2: affine.vector_load
// CHECK-NOT: affine.vector_load
func.func @vectors(%m: memref<64xf32>, %v: vector<4xf32>) {
  affine.for %i = 0 to 4 {
    %0 = affine.vector_load %m[%i * 8] : memref<64xf32>, vector<4xf32>
    affine.vector_store %v, %m[%i * 8 + 3] : memref<64xf32>, vector<4xf32>
    %1 = affine.vector_load %m[%i * 8] : memref<64xf32>, vector<4xf32>
    affine.vector_store %v, %m[%i * 8 + 4] : memref<64xf32>, vector<4xf32>
    %2 = affine.vector_load %m[%i * 8] : memref<64xf32>, vector<4xf32>
    "use"(%0, %1, %2) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> ()
  }
  return
}

// -----

// In the other branch of a condition what the first has is not known: for 2 the store in
// front of the load is to its element.
// CHECK-LABEL: @in_the_other_branch
// CHECK: } else {
// CHECK-NEXT: affine.store
// CHECK-NEXT: %[[V:.*]] = affine.load
// CHECK-NEXT: "use"(%[[V]])
#from_four = affine_set<(d0) : (d0 - 4 >= 0)>
func.func @in_the_other_branch(%m: memref<10xf32>, %v: f32, %w: f32) {
  affine.for %i = 0 to 10 {
    affine.store %v, %m[%i] : memref<10xf32>
    affine.if #from_four(%i) {
      "use"(%v) : (f32) -> ()
    } else {
      affine.store %w, %m[4 - %i] : memref<10xf32>
      %0 = affine.load %m[%i] : memref<10xf32>
      "use"(%0) : (f32) -> ()
    }
  }
  return
}

// What was loaded from an element and is there still is not stored to it; what another store may have
// changed is.
// CHECK-LABEL: func.func @back
// CHECK-NOT: affine.store
// CHECK: call @between
// CHECK: affine.store
func.func private @between()
func.func @back(%m: memref<10xi8>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %m[%i] : memref<10xi8>
    %1 = arith.extui %0 : i8 to i32
    %2 = arith.trunci %1 : i32 to i8
    affine.store %2, %m[%i] : memref<10xi8>
  }
  affine.for %i = 0 to 10 {
    %0 = affine.load %m[%i] : memref<10xi8>
    func.call @between() : () -> ()
    affine.store %0, %m[%i] : memref<10xi8>
  }
  return
}
