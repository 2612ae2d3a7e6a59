// RUN: terrace-opt %s --split-input-file --verify-diagnostics

func.func @apply_count(%i: index) {
  // expected-error@+1 {{dimension or symbol index mismatch}}
  %0 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i)
  return
}

// -----

func.func @apply_results(%i: index) {
  // expected-error@+1 {{'affine.apply' op mapping must produce one value}}
  %0 = "affine.apply"(%i) {map = affine_map<(d0) -> (d0, d0 + 1)>} : (index) -> index
  return
}

// -----

func.func @apply_symbol(%n: index) {
  affine.for %i = 0 to %n {
    // expected-error@+1 {{dimensional operand cannot be used as a symbol}}
    %0 = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%i]
  }
  return
}

// -----

func.func @bound_of_loaded_value(%a: memref<4xindex>) {
  affine.for %i = 0 to 4 {
    %n = affine.load %a[%i] : memref<4xindex>
    // expected-error@+1 {{'affine.for' op operand cannot be used as a symbol}}
    affine.for %j = 0 to %n {
    }
  }
  return
}

// -----

func.func @bound_dim(%a: memref<4xindex>) {
  affine.for %i = 0 to 4 {
    %n = affine.load %a[%i] : memref<4xindex>
    // expected-error@+1 {{'affine.for' op operand cannot be used as a dimension id}}
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%n) {
    }
  }
  return
}

// -----

func.func @two_bounds(%n: index, %m: index) {
  // expected-error@+1 {{expected only one loop bound operand}}
  affine.for %i = %n, %m to 10 {
  }
  return
}

// -----

func.func @bound_dims(%n: index) {
  // expected-error@+1 {{dim operand count and affine map dim count must match}}
  affine.for %i = affine_map<(d0) -> (d0)>() to 10 {
  }
  return
}

// -----

func.func @bound_symbols(%n: index) {
  // expected-error@+1 {{symbol operand count and affine map symbol count must match}}
  affine.for %i = affine_map<()[s0] -> (s0)>() to 10 {
  }
  return
}

// -----

func.func @lower_needs_max(%n: index) {
  // expected-error@+1 {{lower loop bound affine map with multiple results requires 'max' prefix}}
  affine.for %i = affine_map<()[s0] -> (s0, 0)>()[%n] to 10 {
  }
  return
}

// -----

func.func @upper_needs_min(%n: index) {
  // expected-error@+1 {{upper loop bound affine map with multiple results requires 'min' prefix}}
  affine.for %i = 0 to affine_map<()[s0] -> (s0, 10)>()[%n] {
  }
  return
}

// -----

func.func @bound_text() {
  // expected-error@+1 {{expected valid affine map representation for loop bounds}}
  affine.for %i = "ten" to 10 {
  }
  return
}

// -----

func.func @no_to() {
  // expected-error@+1 {{expected 'to' between bounds}}
  affine.for %i = 1 too 10 {
  }
  return
}

// -----

func.func @negative_step() {
  // expected-error@+1 {{expected step to be representable as a positive signed integer}}
  affine.for %i = 0 to 10 step -1 {
  }
  return
}

// -----

func.func @carried_count(%x: f32) {
  // expected-error@+1 {{mismatch between the number of loop-carried values and results}}
  %0 = affine.for %i = 0 to 10 iter_args(%a = %x) -> (f32, f32) {
    affine.yield %a, %a : f32, f32
  }
  return
}

// -----

func.func @yield_count(%x: f32) {
  %0 = affine.for %i = 0 to 10 iter_args(%a = %x) -> (f32) {
    // expected-error@+1 {{'affine.yield' op parent of yield must have same number of results as the yield operands}}
    affine.yield
  }
  return
}

// -----

func.func @yield_types(%x: f32, %y: f64) {
  %0 = affine.for %i = 0 to 10 iter_args(%a = %x) -> (f32) {
    // expected-error@+1 {{'affine.yield' op types mismatch between yield op and its parent}}
    affine.yield %y : f64
  }
  return
}

// -----

func.func @yield_place() {
  // expected-error@+1 {{'affine.yield' op only terminates affine.if/for/parallel regions}}
  affine.yield
}

// -----

func.func @no_lower_bound() {
  // expected-error@+1 {{'affine.for' op expected lower bound map to have at least one result}}
  affine.for %i = max affine_map<() -> ()>() to 10 {
  }
  return
}

// -----

func.func @no_upper_bound() {
  // expected-error@+1 {{'affine.for' op expected upper bound map to have at least one result}}
  affine.for %i = 0 to min affine_map<() -> ()>() {
  }
  return
}

// -----

func.func @if_dims(%n: index) {
  // expected-error@+1 {{dim operand count and integer set dim count must match}}
  affine.if affine_set<(d0) : (d0 >= 0)>() {
  }
  return
}

// -----

func.func @if_symbols(%n: index) {
  // expected-error@+1 {{symbol operand count and integer set symbol count must match}}
  affine.if affine_set<()[s0] : (s0 >= 0)>() {
  }
  return
}

// -----

func.func @if_operands(%n: index) {
  // expected-error@+1 {{operand count and condition integer set dimension and symbol count must match}}
  "affine.if"() ({
    affine.yield
  }, {
  }) {condition = affine_set<(d0) : (d0 >= 0)>} : () -> ()
  return
}

// -----

func.func @load_type(%a: memref<4xf32>, %i: index) {
  // expected-error@+1 {{'affine.load' op result type must match element type of memref}}
  %0 = "affine.load"(%a, %i) {map = affine_map<(d0) -> (d0)>} : (memref<4xf32>, index) -> f64
  return
}

// -----

func.func @load_rank(%a: memref<4x4xf32>, %i: index) {
  // expected-error@+1 {{'affine.load' op affine map num results must equal memref rank}}
  %0 = affine.load %a[%i] : memref<4x4xf32>
  return
}

// -----

func.func @load_subscripts(%a: memref<4xf32>, %i: index) {
  // expected-error@+1 {{'affine.load' op expects as many subscripts as affine map inputs}}
  %0 = "affine.load"(%a, %i, %i) {map = affine_map<(d0) -> (d0)>} : (memref<4xf32>, index, index) -> f32
  return
}

// -----

func.func @store_type(%a: memref<4xf32>, %i: index, %x: f64) {
  // expected-error@+1 {{'affine.store' op value to store must have the same type as memref element type}}
  "affine.store"(%x, %a, %i) {map = affine_map<(d0) -> (d0)>} : (f64, memref<4xf32>, index) -> ()
  return
}

// -----

func.func @vector_type(%a: memref<4xf32>, %i: index) {
  // expected-error@+1 {{'affine.vector_load' op requires memref and vector types of the same elemental type}}
  %0 = affine.vector_load %a[%i] : memref<4xf32>, vector<4xf64>
  return
}

// -----

func.func @min_operands(%i: index) {
  // expected-error@+1 {{operand count and affine map dimension and symbol count must match}}
  %0 = affine.min affine_map<(d0, d1) -> (d0, d1)>(%i)
  return
}

// -----

func.func @max_results() {
  // expected-error@+1 {{'affine.max' op affine map expect at least one result}}
  %0 = affine.max affine_map<() -> ()>()
  return
}

// -----

func.func @prefetch_rw(%a: memref<4xf32>, %i: index) {
  // expected-error@+1 {{rw specifier has to be 'read' or 'write'}}
  affine.prefetch %a[%i], rw, locality<0>, data : memref<4xf32>
  return
}

// -----

func.func @prefetch_cache(%a: memref<4xf32>, %i: index) {
  // expected-error@+1 {{cache type has to be 'data' or 'instr'}}
  affine.prefetch %a[%i], read, locality<0>, both : memref<4xf32>
  return
}

// -----

func.func @prefetch_index(%a: memref<4xf32>, %b: memref<4xindex>) {
  affine.for %i = 0 to 4 {
    %0 = affine.load %b[%i] : memref<4xindex>
    // expected-error@+1 {{'affine.prefetch' op index must be a valid dimension or symbol identifier}}
    affine.prefetch %a[%0], read, locality<0>, data : memref<4xf32>
  }
  return
}

// -----

func.func @dma_stride(%a: memref<4xf32>, %t: memref<1xi32>, %i: index) {
  // expected-error@+1 {{expected two stride related operands}}
  affine.dma_start %a[%i], %a[%i], %t[%i], %i, %i : memref<4xf32>, memref<4xf32>, memref<1xi32>
  return
}

// -----

func.func @dma_types(%a: memref<4xf32>, %t: memref<1xi32>, %i: index) {
  // expected-error@+1 {{expected three types}}
  affine.dma_start %a[%i], %a[%i], %t[%i], %i : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @dma_index(%a: memref<4xf32>, %t: memref<1xi32>, %b: memref<4xindex>) {
  affine.for %i = 0 to 4 {
    %0 = affine.load %b[%i] : memref<4xindex>
    // expected-error@+1 {{'affine.dma_start' op dst index must be a valid dimension or symbol identifier}}
    affine.dma_start %a[%i], %a[%0], %t[%i], %i : memref<4xf32>, memref<4xf32>, memref<1xi32>
  }
  return
}

// -----

func.func @dma_wait_index(%t: memref<1xi32>, %b: memref<4xindex>) {
  affine.for %i = 0 to 4 {
    %0 = affine.load %b[%i] : memref<4xindex>
    // expected-error@+1 {{'affine.dma_wait' op index must be a valid dimension or symbol identifier}}
    affine.dma_wait %t[%0], %i : memref<1xi32>
  }
  return
}

// -----

func.func @parallel_counts() {
  // expected-error@+1 {{the number of region arguments (1) and the number of map groups for lower (2) and upper bound (2), and the number of steps (1) must all match}}
  affine.parallel (%i) = (0, 0) to (10, 10) {
  }
  return
}

// -----

func.func @parallel_steps(%n: index) {
  // expected-error@+1 {{steps must be constant integers}}
  affine.parallel (%i) = (0) to (10) step (symbol(%n)) {
  }
  return
}

// -----

func.func @parallel_reduction() {
  // expected-error@+1 {{invalid reduction value: "bad"}}
  %0 = affine.parallel (%i) = (0) to (10) reduce ("bad") -> (f32) {
    %1 = arith.constant 1.0 : f32
    affine.yield %1 : f32
  }
  return
}

// -----

func.func @parallel_reduction_type() {
  // expected-error@+1 {{result type cannot match reduction attribute}}
  %0 = affine.parallel (%i) = (0) to (10) reduce ("addi") -> (f32) {
    %1 = arith.constant 1.0 : f32
    affine.yield %1 : f32
  }
  return
}

// -----

func.func @parallel_reductions() {
  // expected-error@+1 {{a reduction must be specified for each output}}
  %0 = affine.parallel (%i) = (0) to (10) -> (f32) {
    %1 = arith.constant 1.0 : f32
    affine.yield %1 : f32
  }
  return
}

// -----

func.func @parallel_no_lower_bound() {
  // expected-error@+1 {{expected lower bound map to have at least one result}}
  affine.parallel (%i) = (max()) to (10) {
  }
  return
}

// -----

func.func @delinearize_results(%i: index) {
  // expected-error@+1 {{should return an index for each basis element and up to one extra index}}
  %0 = affine.delinearize_index %i into (2, 3) : index
  return
}

// -----

func.func @delinearize_basis(%i: index) {
  // expected-error@+1 {{no basis element may be statically non-positive}}
  %0:2 = affine.delinearize_index %i into (2, -3) : index, index
  return
}

// -----

func.func @linearize_basis(%i: index) {
  // expected-error@+1 {{should be passed a basis element for each index except possibly the first}}
  %0 = affine.linearize_index [%i] by (2, 3) : index
  return
}

// -----

func.func @scope_results(%a: f32) {
  %0 = affine.scope -> f32 {
    // expected-error@+1 {{'affine.yield' op parent of yield must have same number of results as the yield operands}}
    affine.yield %a, %a : f32, f32
  }
  return
}

// -----

// A scope tells nothing of what is loaded in it, in a loop.
func.func @scope_inside(%w: memref<?xindex>) {
  affine.scope {
    affine.for %i = 0 to 8 {
      %n = affine.load %w[%i] : memref<?xindex>
      // expected-error@+1 {{operand cannot be used as a symbol}}
      affine.for %j = 0 to %n {
      }
    }
  }
  return
}
