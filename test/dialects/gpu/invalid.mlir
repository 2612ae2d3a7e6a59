// RUN: terrace-opt %s --split-input-file --verify-diagnostics

gpu.module @m {
  // expected-error @+1 {{custom op 'gpu.func' gpu.func requires named arguments}}
  gpu.func @k(f32) {
    gpu.return
  }
}

// -----

// expected-error @+1 {{'gpu.func' op expects parent op 'gpu.module'}}
gpu.func @k() {
  gpu.return
}

// -----

gpu.module @m {
  // expected-error @+1 {{expected void return type for kernel function}}
  gpu.func @k() -> index kernel {
    %0 = gpu.thread_id x
    gpu.return %0 : index
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{expected body with at least one block}}
  "gpu.func"() ({}) {function_type = () -> (), gpu.kernel, sym_name = "k"} : () -> ()
}

// -----

gpu.module @m {
  // expected-error @+1 {{expected at least 2 arguments to body region}}
  "gpu.func"() ({
  ^bb0(%a: f32):
    "gpu.return"() : () -> ()
  }) {function_type = (f32) -> (), sym_name = "k", workgroup_attributions = 1 : i64} : () -> ()
}

// -----

gpu.module @m {
  // expected-error @+1 {{expected body region argument #0 to be of type 'f32', got 'i32'}}
  "gpu.func"() ({
  ^bb0(%a: i32):
    "gpu.return"() : () -> ()
  }) {function_type = (f32) -> (), sym_name = "k"} : () -> ()
}

// -----

gpu.module @m {
  // expected-error @+1 {{expected memref type in attribution}}
  gpu.func @k() workgroup(%0: i32) {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{expected memory space workgroup in attribution}}
  gpu.func @k() workgroup(%0: memref<4xf32, #gpu.address_space<private>>) {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{expected memory space private in attribution}}
  gpu.func @k() private(%0: memref<4xf32, #gpu.address_space<workgroup>>) {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{failed to satisfy constraint: i32 dense array attribute with 3 elements (if present)}}
  gpu.func @k() kernel attributes {known_block_size = array<i32: 2, 1>} {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-note @+1 {{return type declared here}}
  gpu.func @k() {
    %0 = gpu.thread_id x
    // expected-error @+1 {{'gpu.return' op expected 0 result operands}}
    gpu.return %0 : index
  }
}

// -----

gpu.module @m {
  gpu.func @k() -> i32 {
    %0 = gpu.thread_id x
    // expected-error @+1 {{unexpected type `'index'' for operand #0}}
    gpu.return %0 : index
  }
}

// -----

// expected-error @+1 {{failed to satisfy constraint: array of GPU target attributes with at least 1 elements}}
gpu.module @m [] {
}

// -----

// expected-error @+1 {{gpu.known_block_size must be a dense i32 array}}
func.func @f() attributes {gpu.known_block_size = 32 : i32} {
  return
}

// -----

// expected-error @+1 {{gpu.known_grid_size must contain exactly 3 elements}}
func.func @f() attributes {gpu.known_grid_size = array<i32: 2, 1>} {
  return
}

// -----

// expected-error @+1 {{expected 'gpu.container_module' attribute to be attached to 'builtin.module'}}
func.func @f() attributes {gpu.container_module} {
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{unexpected number of region arguments}}
  "gpu.launch"(%n, %n, %n, %n, %n, %n) <{operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}> ({
  ^bb0(%a: index):
    "gpu.terminator"() : () -> ()
  }) : (index, index, index, index, index, index) -> ()
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{cluster size must be all present}}
  "gpu.launch"(%n, %n, %n, %n, %n, %n, %n) <{operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0>}> ({
  ^bb0(%0: index, %1: index, %2: index, %3: index, %4: index, %5: index, %6: index, %7: index, %8: index, %9: index, %10: index, %11: index):
    "gpu.terminator"() : () -> ()
  }) : (index, index, index, index, index, index, index) -> ()
  return
}

// -----

func.func @f(%n: index) {
  // expected-note @+1 {{in 'gpu.launch' body region}}
  gpu.launch blocks(%a, %b, %c) in (%d = %n, %e = %n, %g = %n) threads(%h, %i, %j) in (%k = %n, %l = %n, %m = %n) {
    // expected-error @+1 {{expected 'gpu.terminator' or a terminator with successors}}
    gpu.yield
  }
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{expected the closest surrounding module to have the 'gpu.container_module' attribute}}
  gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
  return
}

// -----

module attributes {gpu.container_module} {

  func.func @f(%n: index, %x: f32) {
    // expected-error @+1 {{kernel container 'm' is undefined}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  module @m {
  }
  func.func @f(%n: index, %x: f32) {
    // expected-error @+1 {{kernel module 'm' is undefined}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @m {
  }
  func.func @f(%n: index, %x: f32) {
    // expected-error @+1 {{kernel function '@m::@k' is undefined}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k() {
      gpu.return
    }
  }
  func.func @f(%n: index, %x: f32) {
    // expected-error @+1 {{kernel function is missing the 'gpu.kernel' attribute}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @f(%n: index, %x: f32) {
    // expected-error @+1 {{got 1 kernel operands but expected 0}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%a: f64) kernel {
      gpu.return
    }
  }
  func.func @f(%n: index, %x: f32) {
    // expected-error @+1 {{type of function argument 0 does not match}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @f(%n: index, %i: i32) {
    // expected-error @+1 {{expects types of the cluster dimensions must be the same}}
    "gpu.launch_func"(%n, %n, %n, %n, %n, %n, %n, %n, %i) <{kernel = @m::@k, operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0>}> : (index, index, index, index, index, index, index, index, i32) -> ()
    return
  }
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{custom op 'gpu.launch_func' invalid kind of attribute specified}}
  gpu.launch_func "k" blocks in (%n, %n, %n) threads in (%n, %n, %n)
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{custom op 'gpu.wait' needs to be named when marked 'async'}}
  gpu.wait async
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{incorrect number of dynamic sizes, has 1, expected 2}}
  %0 = gpu.alloc (%n) : memref<?x?xf32>
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{symbol operand count does not equal memref symbol count}}
  %0 = gpu.alloc ()[%n] : memref<2xf32>
  return
}

// -----

func.func @f(%a: memref<?xf32>, %b: memref<?xi32>) {
  // expected-error @+1 {{arguments have incompatible element type}}
  gpu.memcpy %a, %b : memref<?xf32>, memref<?xi32>
  return
}

// -----

func.func @f(%a: memref<7xf32>, %b: memref<9xf32>) {
  // expected-error @+1 {{arguments have incompatible shape}}
  gpu.memcpy %a, %b : memref<7xf32>, memref<9xf32>
  return
}

// -----

func.func @f(%a: memref<?xf32>, %b: i32) {
  // expected-error @+1 {{failed to verify that all of {dst, value} have same element type}}
  gpu.memset %a, %b : memref<?xf32>, i32
  return
}

// -----

gpu.module @m {
  gpu.func @k() {
    // expected-error @+1 {{address space must be address_space<workgroup>}}
    %0 = gpu.dynamic_shared_memory : memref<?xi8>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k() {
    // expected-error @+1 {{result memref type must be memref<?xi8, #gpu.address_space<workgroup>>}}
    %0 = gpu.dynamic_shared_memory : memref<1xi8, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{custom op 'gpu.all_reduce' invalid op kind}}
  %0 = gpu.all_reduce foo %a {} : (f32) -> f32
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{expected either an op attribute or a non-empty body}}
  %0 = "gpu.all_reduce"(%a) ({}) : (f32) -> f32
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{`minsi` reduction operation is not compatible with type 'f32'}}
  %0 = gpu.all_reduce minsi %a {} : (f32) -> f32
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{expected two region arguments}}
  %0 = gpu.all_reduce %a {
  ^bb0(%l: f32):
    gpu.yield %l : f32
  } : (f32) -> f32
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{incorrect region argument type}}
  %0 = gpu.all_reduce %a {
  ^bb0(%l: f32, %r: i32):
    gpu.yield %l : f32
  } : (f32) -> f32
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{expected one gpu.yield operand}}
  %0 = gpu.all_reduce %a {
  ^bb0(%l: f32, %r: f32):
    gpu.yield
  } : (f32) -> f32
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{incorrect gpu.yield type}}
  %0 = gpu.all_reduce %a {
  ^bb0(%l: f32, %r: f32):
    %c = arith.constant 1 : i32
    gpu.yield %c : i32
  } : (f32) -> f32
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{cluster size 3 is not a power of two}}
  %0 = gpu.subgroup_reduce add %a cluster(size = 3) : (f32) -> f32
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{cluster stride 0 is not a power of two}}
  %0 = gpu.subgroup_reduce add %a cluster(size = 4, stride = 0) : (f32) -> f32
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{cluster stride can only be specified if cluster size is specified}}
  %0 = gpu.subgroup_reduce add %a {cluster_stride = 2 : i32} : (f32) -> f32
  return
}

// -----

func.func @f(%a: f32, %i: i32) {
  // expected-error @+1 {{failed to verify that all of {value, shuffleResult} have same type}}
  %0, %1 = "gpu.shuffle"(%a, %i, %i) <{mode = #gpu<shuffle_mode xor>}> : (f32, i32, i32) -> (i32, i1)
  return
}

// -----

func.func @f(%a: index, %i: i32) {
  // expected-error @+1 {{operand #0 must be Integer or Float or fixed-length vector of Integer or Float values of ranks 1, but got 'index'}}
  %0, %1 = gpu.shuffle xor %a, %i, %i : index
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{whose value is a power of two > 0}}
  %0, %1 = "gpu.rotate"(%a) <{offset = 4 : i32, width = 15 : i32}> : (f32) -> (f32, i1)
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{whose minimum value is 0}}
  %0, %1 = "gpu.rotate"(%a) <{offset = -1 : i32, width = 16 : i32}> : (f32) -> (f32, i1)
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{offset must be in the range [0, 16)}}
  %0, %1 = "gpu.rotate"(%a) <{offset = 16 : i32, width = 16 : i32}> : (f32) -> (f32, i1)
  return
}

// -----

func.func @f(%a: f32, %i: i32) {
  // expected-error @+1 {{lane can only be specified for `specific_lane` broadcast}}
  %0 = gpu.subgroup_broadcast %a, first_active_lane %i : f32
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{lane must be specified for `specific_lane` broadcast}}
  %0 = gpu.subgroup_broadcast %a, specific_lane : f32
  return
}

// -----

// expected-error @+1 {{MMAMatrixType must have exactly two dimensions}}
func.func private @f(!gpu.mma_matrix<16x16x16xf16, "AOp">)

// -----

// expected-error @+1 {{operand expected to be one of AOp, BOp or COp}}
func.func private @f(!gpu.mma_matrix<16x16xf16, "EOp">)

// -----

// expected-error @+1 {{MMAMatrixType elements must be SI8, UI8, I32, F16, F32, or F64}}
func.func private @f(!gpu.mma_matrix<16x16xbf16, "AOp">)

// -----

func.func @f(%m: memref<4x4xf16, strided<[1, 4]>>, %i: index) {
  // expected-error @+1 {{expected source memref most minor dim must have unit stride}}
  %0 = gpu.subgroup_mma_load_matrix %m[%i, %i] {leadDimension = 4 : index} : memref<4x4xf16, strided<[1, 4]>> -> !gpu.mma_matrix<16x16xf16, "AOp">
  return
}

// -----

func.func @f(%c: !gpu.mma_matrix<16x16xf16, "COp">, %m: memref<4x4xf16, strided<[1, 4]>>, %i: index) {
  // expected-error @+1 {{expected destination memref most minor dim must have unit stride}}
  gpu.subgroup_mma_store_matrix %c, %m[%i, %i] {leadDimension = 4 : index} : !gpu.mma_matrix<16x16xf16, "COp">, memref<4x4xf16, strided<[1, 4]>>
  return
}

// -----

func.func @f(%c: !gpu.mma_matrix<16x16xf16, "AOp">, %m: memref<4x4xf16>, %i: index) {
  // expected-error @+1 {{expected the operand matrix being stored to have 'COp' operand type}}
  gpu.subgroup_mma_store_matrix %c, %m[%i, %i] {leadDimension = 4 : index} : !gpu.mma_matrix<16x16xf16, "AOp">, memref<4x4xf16>
  return
}

// -----

func.func @f(%a: !gpu.mma_matrix<16x16xf16, "AOp">, %c: !gpu.mma_matrix<16x16xf16, "COp">) {
  // expected-error @+1 {{operands must be in the order AOp, BOp, COp}}
  %0 = gpu.subgroup_mma_compute %a, %a, %c : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "AOp"> -> !gpu.mma_matrix<16x16xf16, "COp">
  return
}

// -----

func.func @f(%a: !gpu.mma_matrix<16x32xf16, "AOp">, %b: !gpu.mma_matrix<16x16xf16, "BOp">, %c: !gpu.mma_matrix<16x16xf16, "COp">) {
  // expected-error @+1 {{operand shapes do not satisfy matmul constraints}}
  %0 = gpu.subgroup_mma_compute %a, %b, %c : !gpu.mma_matrix<16x32xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf16, "COp">
  return
}

// -----

func.func @f(%f: f32) {
  // expected-error @+1 {{failed to verify that value type matches element type of mma_matrix}}
  %0 = "gpu.subgroup_mma_constant_matrix"(%f) : (f32) -> !gpu.mma_matrix<16x16xf16, "COp">
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{expected same number op arguments and block arguments.}}
  gpu.warp_execute_on_lane_0(%n)[32] {
  ^bb0(%a: f32):
  }
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{expected same number of yield operands and return values.}}
  %0 = gpu.warp_execute_on_lane_0(%n)[32] -> (f32) {
    gpu.yield
  }
  return
}

// -----

func.func @f(%n: index, %v: vector<32xf32>) {
  // expected-error @+1 {{expected vector type for distributed operands.}}
  %0 = gpu.warp_execute_on_lane_0(%n)[32] -> (f32) {
    gpu.yield %v : vector<32xf32>
  }
  return
}

// -----

func.func @f(%n: index, %v: vector<32xf32>) {
  // expected-error @+1 {{expected distributed vectors to have same rank and element type.}}
  %0 = gpu.warp_execute_on_lane_0(%n)[32] -> (vector<1xi32>) {
    gpu.yield %v : vector<32xf32>
  }
  return
}

// -----

func.func @f(%n: index, %v: vector<32xf32>) {
  // expected-error @+1 {{expected expanded vector dimension #0 (32) to be a multipler of the distributed vector dimension (3)}}
  %0 = gpu.warp_execute_on_lane_0(%n)[32] -> (vector<3xf32>) {
    gpu.yield %v : vector<32xf32>
  }
  return
}

// -----

func.func @f(%n: index, %v: vector<32xf32>) {
  // expected-error @+1 {{incompatible distribution dimensions from 'vector<32xf32>' to 'vector<4xf32>' with warp size = 32}}
  %0 = gpu.warp_execute_on_lane_0(%n)[32] -> (vector<4xf32>) {
    gpu.yield %v : vector<32xf32>
  }
  return
}

// -----

gpu.module @m {
  gpu.func @k(%c: memref<1xi64>) kernel {
    // expected-error @+1 {{'gpu.grid_barrier' op expected a counter of type memref<1xi32>, but got memref<1xi64>}}
    gpu.grid_barrier %c : memref<1xi64>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%c: memref<8xi64>, %i: index) kernel {
    // expected-error @+1 {{'gpu.load_acquire' op expected an array of i32, but got memref<8xi64>}}
    %0 = gpu.load_acquire %c[%i] : memref<8xi64>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%c: memref<8x8xi32>, %i: index, %v: i32) kernel {
    // expected-error @+1 {{'gpu.store_release' op expected 2 subscripts, but got 1}}
    gpu.store_release %v, %c[%i] : memref<8x8xi32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%c: memref<8xi32>, %i: index) kernel {
    // expected-error @+1 {{'gpu.load_relaxed' op expected an array of i64, but got memref<8xi32>}}
    %0 = gpu.load_relaxed %c[%i] : memref<8xi32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%c: memref<8x8xi64>, %i: index, %v: i64) kernel {
    // expected-error @+1 {{'gpu.store_relaxed' op expected 2 subscripts, but got 1}}
    gpu.store_relaxed %v, %c[%i] : memref<8x8xi64>
    gpu.return
  }
}

// -----

func.func @bytes(%a: memref<4x4xf32>) {
  // expected-error @+1 {{'gpu.rows_aligned' op attribute 'bytes' failed to satisfy constraint: 32-bit signless integer attribute whose value is a power of two}}
  %y = gpu.rows_aligned %a to 24 : memref<4x4xf32>
  return
}

// -----

func.func @layout(%a: memref<4x4xf32, affine_map<(i, j) -> (i floordiv 2, i mod 2, j)>>) {
  // expected-error @+1 {{'gpu.rows_aligned' op the layout of 'memref<4x4xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d0 mod 2, d1)>>' has no strides}}
  %y = gpu.rows_aligned %a to 16 : memref<4x4xf32, affine_map<(i, j) -> (i floordiv 2, i mod 2, j)>>
  return
}
