// RUN: terrace-opt %s --split-input-file --verify-diagnostics

func.func @f(%n: index) {
  // expected-error@+1 {{incorrect number of dynamic sizes, has 1, expected 0}}
  %0 = memref.alloc(%n) : memref<4xf32>
  return
}

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{symbol operand count does not equal memref symbol count: expected 1, got 0}}
  %0 = memref.alloc() : memref<4xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'memref.alloc' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive and whose value is a power of two > 0}}
  %0 = memref.alloc() {alignment = 3} : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, strided<[2]>>) {
  // expected-error@+1 {{unsupported layout for source memref type 'memref<?xf32, strided<[2]>>'}}
  %0 = memref.realloc %m : memref<?xf32, strided<[2]>> to memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>) {
  // expected-error@+1 {{unsupported layout for result memref type 'memref<4xf32, strided<[2]>>'}}
  %0 = memref.realloc %m : memref<?xf32> to memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @f(%m: memref<4xf32, 1>) {
  // expected-error@+1 {{different memory spaces specified for source memref type 'memref<4xf32, 1>' and result memref type 'memref<8xf32>'}}
  %0 = memref.realloc %m : memref<4xf32, 1> to memref<8xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error@+1 {{different element types specified for source memref type 'memref<4xf32>' and result memref type 'memref<8xi32>'}}
  %0 = memref.realloc %m : memref<4xf32> to memref<8xi32>
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error@+1 {{missing dimension operand for result type 'memref<?xf32>'}}
  %0 = memref.realloc %m : memref<4xf32> to memref<?xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>, %n: index) {
  // expected-error@+1 {{unnecessary dimension operand for result type 'memref<8xf32>'}}
  %0 = memref.realloc %m(%n) : memref<4xf32> to memref<8xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>, %i: index) {
  // expected-error@+1 {{incorrect number of indices for load, expected 1 but got 2}}
  %0 = memref.load %m[%i, %i] : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>, %i: index) {
  // expected-error@+1 {{failed to verify that result type matches element type of 'memref'}}
  %0 = "memref.load"(%m, %i) : (memref<4xf32>, index) -> f64
  return
}

// -----

func.func @f(%m: memref<4xf32>, %v: f32) {
  // expected-error@+1 {{store index operand count not equal to memref rank}}
  memref.store %v, %m[] : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>, %v: f64, %i: index) {
  // expected-error@+1 {{failed to verify that type of 'value' matches element type of 'memref'}}
  "memref.store"(%v, %m, %i) : (f64, memref<4xf32>, index) -> ()
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error@+1 {{too few indices}}
  memref.prefetch %m[], read, locality<1>, data : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>, %i: index) {
  // expected-error@+1 {{rw specifier has to be 'read' or 'write'}}
  memref.prefetch %m[%i], rw, locality<1>, data : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>, %i: index) {
  // expected-error@+1 {{cache type has to be 'data' or 'instr'}}
  memref.prefetch %m[%i], read, locality<1>, both : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>, %i: index) {
  // expected-error@+1 {{32-bit signless integer attribute whose minimum value is 0 whose maximum value is 3}}
  memref.prefetch %m[%i], read, locality<4>, data : memref<4xf32>
  return
}

// -----

func.func @f(%a: memref<4xf32>, %b: memref<8xf32>) {
  // expected-error@+1 {{requires the same shape for all operands}}
  memref.copy %a, %b : memref<4xf32> to memref<8xf32>
  return
}

// -----

func.func @f(%a: memref<4xf32>, %b: memref<4xi32>) {
  // expected-error@+1 {{requires the same element type for all operands}}
  memref.copy %a, %b : memref<4xf32> to memref<4xi32>
  return
}

// -----

func.func @f(%m: memref<4xf32>, %v: f32) {
  // expected-error@+1 {{expects the number of subscripts to be equal to memref rank}}
  %0 = memref.atomic_rmw addf %v, %m[] : (f32, memref<4xf32>) -> f32
  return
}

// -----

func.func @f(%m: memref<i32>, %v: i32) {
  // expected-error@+1 {{with kind 'addf' expects a floating-point type}}
  %0 = memref.atomic_rmw addf %v, %m[] : (i32, memref<i32>) -> i32
  return
}

// -----

func.func @f(%m: memref<f32>, %v: f32) {
  // expected-error@+1 {{with kind 'addi' expects an integer type}}
  %0 = memref.atomic_rmw addi %v, %m[] : (f32, memref<f32>) -> f32
  return
}

// -----

func.func @f(%m: memref<f32>, %v: f64) {
  // expected-error@+1 {{failed to verify that value type matches element type of memref}}
  %0 = "memref.atomic_rmw"(%v, %m) {kind = 0 : i64} : (f64, memref<f32>) -> f64
  return
}

// -----

func.func @f(%m: memref<f32>) {
  // expected-error@+1 {{expected single number of entry block arguments}}
  %0 = memref.generic_atomic_rmw %m[] : memref<f32> {
  ^bb0(%a: f32, %b: f32):
    memref.atomic_yield %a : f32
  }
  return
}

// -----

func.func @f(%m: memref<f32>, %v: f32) {
  // expected-error@+1 {{expected block argument of the same type result type}}
  %0 = memref.generic_atomic_rmw %m[] : memref<f32> {
  ^bb0(%a: i32):
    memref.atomic_yield %v : f32
  }
  return
}

// -----

func.func @f(%m: memref<f32>) {
  // expected-error@+1 {{failed to verify that result type matches element type of memref}}
  %0 = "memref.generic_atomic_rmw"(%m) ({
  ^bb0(%a: f64):
    memref.atomic_yield %a : f64
  }) : (memref<f32>) -> f64
  return
}

// -----

func.func @f(%m: memref<f32>) {
  %0 = memref.generic_atomic_rmw %m[] : memref<f32> {
  ^bb0(%a: f32):
    // expected-error@+1 {{body of 'memref.generic_atomic_rmw' should contain only operations with no side effects}}
    %b = memref.alloc() : memref<4xf32>
    memref.atomic_yield %a : f32
  }
  return
}

// -----

func.func @f(%m: memref<f32>, %v: i32) {
  %0 = memref.generic_atomic_rmw %m[] : memref<f32> {
  ^bb0(%a: f32):
    // expected-error@+1 {{types mismatch between yield op: 'i32' and its parent: 'f32'}}
    memref.atomic_yield %v : i32
  }
  return
}

// -----

func.func @f(%m: memref<f32>, %i: index) {
  // expected-error@+1 {{operand #0 must be unranked.memref of any type values or non-0-ranked.memref of any type values, but got 'memref<f32>'}}
  %0 = memref.dim %m, %i : memref<f32>
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error@+1 {{inferred type(s) 'memref<f32>', 'index', 'index', 'index' are incompatible with return type(s) of operation 'memref<f64>', 'index', 'index', 'index'}}
  %0:4 = memref.extract_strided_metadata %m : memref<4xf32> -> memref<f64>, index, index, index
  return
}

// -----

func.func @f(%m: memref<4xf32, strided<[1]>>) {
  // expected-error@+1 {{operand type 'memref<4xf32, strided<[1]>>' and result type 'memref<4xf32, strided<[2]>>' are cast incompatible}}
  %0 = memref.cast %m : memref<4xf32, strided<[1]>> to memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @f(%m: memref<*xf32>) {
  // expected-error@+1 {{operand type 'memref<*xf32>' and result type 'memref<*xf32>' are cast incompatible}}
  %0 = memref.cast %m : memref<*xf32> to memref<*xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error@+1 {{are cast incompatible}}
  %0 = memref.memory_space_cast %m : memref<4xf32> to memref<*xf32, 1>
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error@+1 {{alignment must be power of 2}}
  %0 = memref.assume_alignment %m, 12 : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error@+1 {{32-bit signless integer attribute whose value is positive}}
  %0 = memref.assume_alignment %m, 0 : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error@+1 {{operand types and result types must match}}
  %0 = "memref.distinct_objects"(%m) : (memref<4xf32>) -> memref<8xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected at least one operand}}
  "memref.distinct_objects"() : () -> ()
  return
}

// -----

func.func @f(%m: memref<?xf32>) {
  // expected-error@+1 {{expected 1 offset values, got 2}}
  %0 = memref.reinterpret_cast %m to offset: [0, 0], sizes: [1, 1], strides: [1, 1] : memref<?xf32> to memref<1x1xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>) {
  // expected-error@+1 {{different element types specified for source type 'memref<?xf32>' and result memref type 'memref<1xi32>'}}
  %0 = memref.reinterpret_cast %m to offset: [0], sizes: [1], strides: [1] : memref<?xf32> to memref<1xi32>
  return
}

// -----

func.func @f(%m: memref<?xf32>) {
  // expected-error@+1 {{different memory spaces specified}}
  %0 = memref.reinterpret_cast %m to offset: [0], sizes: [1], strides: [1] : memref<?xf32> to memref<1xf32, 2>
  return
}

// -----

func.func @f(%m: memref<?xf32>) {
  // expected-error@+1 {{expected result type with size = 10 instead of 1 in dim = 0}}
  %0 = memref.reinterpret_cast %m to offset: [0], sizes: [10], strides: [1] : memref<?xf32> to memref<1xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index) {
  // expected-error@+1 {{expected result type with offset = dynamic instead of 0}}
  %0 = memref.reinterpret_cast %m to offset: [%i], sizes: [10], strides: [1] : memref<?xf32> to memref<10xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>) {
  // expected-error@+1 {{expected result type with stride = 2 instead of 1 in dim = 0}}
  %0 = memref.reinterpret_cast %m to offset: [0], sizes: [10], strides: [2] : memref<?xf32> to memref<10xf32>
  return
}

// -----

func.func @f(%m: memref<?xi8, strided<[2]>>, %i: index) {
  // expected-error@+1 {{unsupported map for base memref type}}
  %0 = memref.view %m[%i][] : memref<?xi8, strided<[2]>> to memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xi8>, %i: index) {
  // expected-error@+1 {{unsupported map for result memref type}}
  %0 = memref.view %m[%i][] : memref<?xi8> to memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @f(%m: memref<?xi8>, %i: index) {
  // expected-error@+1 {{different memory spaces specified for base memref type}}
  %0 = memref.view %m[%i][] : memref<?xi8> to memref<4xf32, 2>
  return
}

// -----

func.func @f(%m: memref<?xi8>, %i: index) {
  // expected-error@+1 {{incorrect number of dynamic sizes, has 1, expected 0}}
  %0 = memref.view %m[%i][%i] : memref<?xi8> to memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{expected offsets to be non-negative, but got -1}}
  %0 = memref.subview %m[-1, 0] [4, 4] [1, 1] : memref<8x16xf32> to memref<4x4xf32, strided<[16, 1], offset: ?>>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{expected sizes to be non-negative, but got -4}}
  %0 = memref.subview %m[0, 0] [-4, 4] [1, 1] : memref<8x16xf32> to memref<?x4xf32, strided<[16, 1]>>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{expected mixed offsets rank to match mixed sizes rank (1 vs 2) so the rank of the result type is well-formed}}
  %0 = memref.subview %m[0] [4, 4] [1, 1] : memref<8x16xf32> to memref<4x4xf32, strided<[16, 1]>>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{expected mixed sizes rank to match mixed strides rank (2 vs 1) so the rank of the result type is well-formed}}
  %0 = memref.subview %m[0, 0] [4, 4] [1] : memref<8x16xf32> to memref<4x4xf32, strided<[16, 1]>>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{expected 2 offset values, got 1}}
  %0 = memref.subview %m[0] [4] [1] : memref<8x16xf32> to memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{expected the number of 'offsets' to match the number of dynamic entries in 'static_offsets' (0 vs 1)}}
  %0 = "memref.subview"(%m) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, -9223372036854775808>, static_sizes = array<i64: 4, 4>, static_strides = array<i64: 1, 1>}> : (memref<8x16xf32>) -> memref<4x4xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{different memory spaces specified for base memref type}}
  %0 = memref.subview %m[0, 0] [4, 4] [1, 1] : memref<8x16xf32> to memref<4x4xf32, strided<[16, 1]>, 2>
  return
}

// -----

func.func @f(%m: memref<8x16xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>) {
  // expected-error@+1 {{is not strided}}
  %0 = memref.subview %m[0, 0] [4, 4] [1, 1] : memref<8x16xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>> to memref<4x4xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{expected result rank to be smaller or equal to the source rank, but got 'memref<4x4x1xf32>'}}
  %0 = memref.subview %m[0, 0] [4, 4] [1, 1] : memref<8x16xf32> to memref<4x4x1xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{expected result type to be 'memref<4x4xf32, strided<[16, 1]>>' or a rank-reduced version. (mismatch of result sizes), but got 'memref<4x5xf32>'}}
  %0 = memref.subview %m[0, 0] [4, 4] [1, 1] : memref<8x16xf32> to memref<4x5xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{expected result element type to be 'f32', but got 'memref<4x4xi32>'}}
  %0 = memref.subview %m[0, 0] [4, 4] [1, 1] : memref<8x16xf32> to memref<4x4xi32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{or a rank-reduced version. (mismatch of result layout), but got 'memref<4x4xf32>'}}
  %0 = memref.subview %m[0, 0] [4, 4] [1, 1] : memref<8x16xf32> to memref<4x4xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{offset 0 is out-of-bounds: 8 >= 8}}
  %0 = memref.subview %m[8, 0] [1, 4] [1, 1] : memref<8x16xf32> to memref<1x4xf32, strided<[16, 1], offset: 128>>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{slice along dimension 1 runs out-of-bounds: 18 >= 16}}
  %0 = memref.subview %m[0, 0] [1, 10] [1, 2] : memref<8x16xf32> to memref<1x10xf32, strided<[16, 2]>>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{expected a permutation map}}
  %0 = memref.transpose %m (i, j) -> (i, i) : memref<8x16xf32> to memref<8x8xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{expected a permutation map of same rank as the input}}
  %0 = memref.transpose %m (i) -> (i) : memref<8x16xf32> to memref<8x16xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{result type 'memref<16x8xf32>' is not equivalent to the canonical transposed input type 'memref<16x8xf32, affine_map<(d0, d1) -> (d0 + d1 * 16)>>'}}
  %0 = memref.transpose %m (i, j) -> (j, i) : memref<8x16xf32> to memref<16x8xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{has source rank 2 and result rank 1. This is not an expansion (2 > 1)}}
  %0 = memref.expand_shape %m [[0]] output_shape [128] : memref<8x16xf32> into memref<128xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{has source rank 2 and result rank 3. This is not a collapse (2 < 3)}}
  %0 = memref.collapse_shape %m [[0], [1]] : memref<8x16xf32> into memref<2x4x16xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{invalid number of reassociation groups: found 2, expected 1}}
  %0 = memref.collapse_shape %m [[0], [1]] : memref<8x16xf32> into memref<128xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{reassociation indices must be contiguous}}
  %0 = memref.collapse_shape %m [[1, 0]] : memref<8x16xf32> into memref<128xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{reassociation index 2 is out of bounds}}
  %0 = memref.collapse_shape %m [[0, 1, 2]] : memref<8x16xf32> into memref<128xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{collapsed dim (0) must be dynamic if and only if reassociation group is dynamic}}
  %0 = memref.collapse_shape %m [[0, 1]] : memref<8x16xf32> into memref<?xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{collapsed dim size (64) must equal reassociation group size (128)}}
  %0 = memref.collapse_shape %m [[0, 1]] : memref<8x16xf32> into memref<64xf32>
  return
}

// -----

func.func @f(%m: memref<2xf32>) {
  // expected-error@+1 {{rank 0 memrefs can only be extended/collapsed with/from ones}}
  %0 = memref.collapse_shape %m [] : memref<2xf32> into memref<f32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32>) {
  // expected-error@+1 {{expanded rank (2) inconsistent with number of reassociation indices (1)}}
  %0 = memref.collapse_shape %m [[0]] : memref<8x16xf32> into memref<8xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32, strided<[32, 1]>>) {
  // expected-error@+1 {{invalid source layout map or collapsing non-contiguous dims}}
  %0 = memref.collapse_shape %m [[0, 1]] : memref<8x16xf32, strided<[32, 1]>> into memref<128xf32>
  return
}

// -----

func.func @f(%m: memref<8x16xf32, strided<[16, 1]>>) {
  // expected-error@+1 {{expected collapsed type to be 'memref<128xf32, strided<[1]>>' but found 'memref<128xf32>'}}
  %0 = memref.collapse_shape %m [[0, 1]] : memref<8x16xf32, strided<[16, 1]>> into memref<128xf32>
  return
}

// -----

func.func @f(%m: memref<8xf32, strided<[2]>>) {
  // expected-error@+1 {{expected expanded type to be 'memref<2x4xf32, strided<[8, 2]>>' but found 'memref<2x4xf32, strided<[4, 1]>>'}}
  %0 = memref.expand_shape %m [[0, 1]] output_shape [2, 4] : memref<8xf32, strided<[2]>> into memref<2x4xf32, strided<[4, 1]>>
  return
}

// -----

func.func @f(%m: memref<8xf32>) {
  // expected-error@+1 {{expected number of static shape bounds to be equal to the output rank (2) but found 1 inputs instead}}
  %0 = memref.expand_shape %m [[0, 1]] output_shape [2] : memref<8xf32> into memref<2x4xf32>
  return
}

// -----

func.func @f(%m: memref<8xf32>) {
  // expected-error@+1 {{invalid output shape provided at pos 1}}
  %0 = memref.expand_shape %m [[0, 1]] output_shape [2, 5] : memref<8xf32> into memref<2x4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>) {
  // expected-error@+1 {{mismatch in dynamic dims in output_shape and static_output_shape: static_output_shape has 1 dynamic dims while output_shape has 0 values}}
  %0 = "memref.expand_shape"(%m) <{reassociation = [[0, 1]], static_output_shape = array<i64: -9223372036854775808, 4>}> : (memref<?xf32>) -> memref<?x4xf32>
  return
}

// -----

func.func @f(%m: memref<*xf32>, %s: memref<1xi32>) {
  // expected-error@+1 {{element types of source and destination memref types should be the same}}
  %0 = memref.reshape %m(%s) : (memref<*xf32>, memref<1xi32>) -> memref<?xi32>
  return
}

// -----

func.func @f(%m: memref<8xf32, strided<[2]>>, %s: memref<1xi32>) {
  // expected-error@+1 {{source memref type should have identity affine map}}
  %0 = memref.reshape %m(%s) : (memref<8xf32, strided<[2]>>, memref<1xi32>) -> memref<?xf32>
  return
}

// -----

func.func @f(%m: memref<8xf32>, %s: memref<1xi32>) {
  // expected-error@+1 {{result memref type should have identity affine map}}
  %0 = memref.reshape %m(%s) : (memref<8xf32>, memref<1xi32>) -> memref<?xf32, strided<[2]>>
  return
}

// -----

func.func @f(%m: memref<8xf32>, %s: memref<?xi32>) {
  // expected-error@+1 {{cannot use shape operand with dynamic length to reshape to statically-ranked memref type}}
  %0 = memref.reshape %m(%s) : (memref<8xf32>, memref<?xi32>) -> memref<?xf32>
  return
}

// -----

func.func @f(%m: memref<8xf32>, %s: memref<2xi32>) {
  // expected-error@+1 {{length of shape operand differs from the result's memref rank}}
  %0 = memref.reshape %m(%s) : (memref<8xf32>, memref<2xi32>) -> memref<?xf32>
  return
}

// -----

func.func @f(%m: memref<8xf32>, %t: memref<1xi32>, %i: index, %f: f32) {
  // expected-error@+1 {{expected at least 4 operands}}
  "memref.dma_start"(%m, %i, %m) : (memref<8xf32>, index, memref<8xf32>) -> ()
  return
}

// -----

func.func @f(%m: memref<8xf32>, %t: memref<1xi32>, %i: index, %f: f32) {
  // expected-error@+1 {{expected source to be of memref type}}
  "memref.dma_start"(%f, %f, %f, %f) : (f32, f32, f32, f32) -> ()
  return
}

// -----

func.func @f(%m: memref<8xf32>, %t: memref<1xi32>, %i: index, %f: f32) {
  // expected-error@+1 {{expected at least 5 operands}}
  "memref.dma_start"(%m, %i, %m, %i) : (memref<8xf32>, index, memref<8xf32>, index) -> ()
  return
}

// -----

func.func @f(%m: memref<8xf32>, %t: memref<1xi32>, %i: index, %f: f32) {
  // expected-error@+1 {{expected source indices to be of index type}}
  "memref.dma_start"(%m, %f, %m, %i, %i, %t, %i) : (memref<8xf32>, f32, memref<8xf32>, index, index, memref<1xi32>, index) -> ()
  return
}

// -----

func.func @f(%m: memref<8xf32>, %t: memref<1xi32>, %i: index, %f: f32) {
  // expected-error@+1 {{expected destination to be of memref type}}
  "memref.dma_start"(%m, %i, %f, %i, %i, %t, %i) : (memref<8xf32>, index, f32, index, index, memref<1xi32>, index) -> ()
  return
}

// -----

func.func @f(%m: memref<8xf32>, %t: memref<1xi32>, %i: index, %f: f32) {
  // expected-error@+1 {{expected at least 6 operands}}
  "memref.dma_start"(%m, %i, %m, %i, %i) : (memref<8xf32>, index, memref<8xf32>, index, index) -> ()
  return
}

// -----

func.func @f(%m: memref<8xf32>, %t: memref<1xi32>, %i: index, %f: f32) {
  // expected-error@+1 {{expected destination indices to be of index type}}
  "memref.dma_start"(%m, %i, %m, %f, %i, %t, %i) : (memref<8xf32>, index, memref<8xf32>, f32, index, memref<1xi32>, index) -> ()
  return
}

// -----

func.func @f(%m: memref<8xf32>, %t: memref<1xi32>, %i: index, %f: f32) {
  // expected-error@+1 {{expected num elements to be of index type}}
  "memref.dma_start"(%m, %i, %m, %i, %f, %t, %i) : (memref<8xf32>, index, memref<8xf32>, index, f32, memref<1xi32>, index) -> ()
  return
}

// -----

func.func @f(%m: memref<8xf32>, %t: memref<1xi32>, %i: index, %f: f32) {
  // expected-error@+1 {{expected tag to be of memref type}}
  "memref.dma_start"(%m, %i, %m, %i, %i, %f, %i) : (memref<8xf32>, index, memref<8xf32>, index, index, f32, index) -> ()
  return
}

// -----

func.func @f(%m: memref<8xf32>, %t: memref<1xi32>, %i: index, %f: f32) {
  // expected-error@+1 {{expected at least 7 operands}}
  "memref.dma_start"(%m, %i, %m, %i, %i, %t) : (memref<8xf32>, index, memref<8xf32>, index, index, memref<1xi32>) -> ()
  return
}

// -----

func.func @f(%m: memref<8xf32>, %t: memref<1xi32>, %i: index, %f: f32) {
  // expected-error@+1 {{expected tag indices to be of index type}}
  "memref.dma_start"(%m, %i, %m, %i, %i, %t, %f) : (memref<8xf32>, index, memref<8xf32>, index, index, memref<1xi32>, f32) -> ()
  return
}

// -----

func.func @f(%m: memref<8xf32>, %t: memref<1xi32>, %i: index, %f: f32) {
  // expected-error@+1 {{incorrect number of operands}}
  "memref.dma_start"(%m, %i, %m, %i, %i, %t, %i, %i) : (memref<8xf32>, index, memref<8xf32>, index, index, memref<1xi32>, index, index) -> ()
  return
}

// -----

func.func @f(%m: memref<8xf32>, %t: memref<1xi32>, %i: index, %f: f32) {
  // expected-error@+1 {{expected stride and num elements per stride to be of type index}}
  "memref.dma_start"(%m, %i, %m, %i, %i, %t, %i, %i, %f) : (memref<8xf32>, index, memref<8xf32>, index, index, memref<1xi32>, index, index, f32) -> ()
  return
}

// -----

func.func @f(%m: memref<8xf32>, %t: memref<1xi32>, %i: index) {
  // expected-error@+1 {{expected two stride related operands}}
  memref.dma_start %m[%i], %m[%i], %i, %t[%i], %i : memref<8xf32>, memref<8xf32>, memref<1xi32>
  return
}

// -----

func.func @f(%m: memref<8xf32>, %t: memref<1xi32>, %i: index) {
  // expected-error@+1 {{fewer/more types expected}}
  memref.dma_start %m[%i], %m[%i], %i, %t[%i] : memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @f(%t: memref<1x1xi32>, %i: index) {
  // expected-error@+1 {{expected tagIndices to have the same number of elements as the tagMemRef rank, expected 2, but got 1}}
  memref.dma_wait %t[%i], %i : memref<1x1xi32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'nowhere' does not reference a valid global memref}}
  %0 = memref.get_global @nowhere : memref<4xf32>
  return
}

// -----

memref.global @ints : memref<4xi32>
func.func @f() {
  // expected-error@+1 {{result type 'memref<4xf32>' does not match type 'memref<4xi32>' of the global memref @ints}}
  %0 = memref.get_global @ints : memref<4xf32>
  return
}

// -----

// expected-error@+1 {{type should be static shaped memref}}
memref.global @g : memref<?xf32>

// -----

// expected-error@+1 {{initial value element expected to be of type 'f16', but was of type 'f32'}}
"memref.global"() {sym_name = "g", type = memref<4xf16>, initial_value = dense<1.0> : tensor<4xf32>} : () -> ()

// -----

// expected-error@+1 {{initial value shape expected to be 4 but was 8}}
"memref.global"() {sym_name = "g", type = memref<4xf32>, initial_value = dense<1.0> : tensor<8xf32>} : () -> ()

// -----

// expected-error@+1 {{initial value should be a unit or elements attribute, but got "x"}}
"memref.global"() {sym_name = "g", type = memref<4xf32>, initial_value = "x"} : () -> ()

// -----

// expected-error@+1 {{initial value should be a unit or elements attribute}}
memref.global @g : memref<4xf32> = "x"

// -----

// expected-error@+1 {{visibility expected to be one of ["public", "private", "nested"], but got "hidden"}}
memref.global "hidden" @g : memref<4xf32>

// -----

// expected-error@+1 {{requires an ancestor op with AutomaticAllocationScope trait}}
%0 = memref.alloca() : memref<4xf32>
