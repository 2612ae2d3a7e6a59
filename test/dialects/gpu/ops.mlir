// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s
// RUN: terrace-opt %s --mlir-print-op-generic | terrace-opt | FileCheck %s

// Every op of the dialect once, with its optional parts.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @ids(%a: f32, %b: memref<?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %0 = gpu.thread_id x
      %1 = gpu.block_id y upper_bound 64
      %2 = gpu.block_dim z
      %3 = gpu.grid_dim x
      %4 = gpu.global_id x
      %5 = gpu.cluster_id x
      %6 = gpu.cluster_dim x
      %7 = gpu.cluster_dim_blocks x
      %8 = gpu.cluster_block_id x
      %9 = gpu.lane_id upper_bound 32
      %10 = gpu.subgroup_id : index
      %11 = gpu.num_subgroups upper_bound 4 : index
      %12 = gpu.subgroup_size : index
      gpu.printf "at %d", %0 : index
      gpu.barrier
      %13 = arith.constant 2.0 : f64
      gpu.note_work %13, %13, %13
      gpu.return
    }
    gpu.func @meet(%c: memref<1xi32>, %d: memref<1xi64>) kernel {
      gpu.grid_barrier %c : memref<1xi32>
      %i = arith.constant 0 : index
      %known = gpu.load_acquire %c[%i] : memref<1xi32>
      gpu.store_release %known, %c[%i] : memref<1xi32>
      %word = gpu.load_relaxed %d[%i] : memref<1xi64>
      gpu.store_relaxed %word, %d[%i] : memref<1xi64>
      %y = gpu.rows_aligned %c to 16 : memref<1xi32>
      %z = gpu.rows_aligned %c to 4 wanted : memref<1xi32>
      gpu.return
    }
    gpu.func @buffers(%a: f32) -> f32 workgroup(%w: memref<4xf32, #gpu.address_space<workgroup>> {x.align = 16 : i64}) private(%p: memref<1xf32, #gpu.address_space<private>>) {
      %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      gpu.return %a : f32
    }
    gpu.func @together(%a: f32, %v: vector<4xi32>, %n: i32) {
      %0, %1 = gpu.shuffle xor %a, %n, %n : f32
      %2, %3 = gpu.shuffle down %v, %n, %n : vector<4xi32>
      %4, %5 = gpu.rotate %a, 3, 16 : f32
      %6 = gpu.all_reduce add %a uniform {} : (f32) -> f32
      %7 = gpu.all_reduce %a {
      ^bb0(%l: f32, %r: f32):
        gpu.yield %l : f32
      } : (f32) -> f32
      %8 = gpu.subgroup_reduce maxsi %v : (vector<4xi32>) -> vector<4xi32>
      %9 = gpu.subgroup_reduce add %a uniform cluster(size = 8, stride = 4) : (f32) -> f32
      %10 = gpu.subgroup_broadcast %a, first_active_lane : f32
      %11 = gpu.subgroup_broadcast %a, specific_lane %n : f32
      gpu.return
    }
    gpu.func @matrices(%m: memref<32x32xf16, 3>, %f: f16, %i: index) {
      %a = gpu.subgroup_mma_load_matrix %m[%i, %i] {leadDimension = 32 : index} : memref<32x32xf16, 3> -> !gpu.mma_matrix<16x16xf16, "AOp">
      %b = gpu.subgroup_mma_load_matrix %m[%i, %i] {leadDimension = 32 : index, transpose} : memref<32x32xf16, 3> -> !gpu.mma_matrix<16x16xf16, "BOp">
      %c = gpu.subgroup_mma_constant_matrix %f : !gpu.mma_matrix<16x16xf16, "COp">
      %d = gpu.subgroup_mma_compute %a, %b, %c : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf16, "COp">
      %e = gpu.subgroup_mma_elementwise addf %c, %d : (!gpu.mma_matrix<16x16xf16, "COp">, !gpu.mma_matrix<16x16xf16, "COp">) -> !gpu.mma_matrix<16x16xf16, "COp">
      %x = gpu.subgroup_mma_extract_thread_local %e[%i] : !gpu.mma_matrix<16x16xf16, "COp"> -> f16
      %g = gpu.subgroup_mma_insert_thread_local %x, %e[%i] : f16, !gpu.mma_matrix<16x16xf16, "COp"> -> !gpu.mma_matrix<16x16xf16, "COp">
      gpu.subgroup_mma_store_matrix %g, %m[%i, %i] {leadDimension = 32 : index} : !gpu.mma_matrix<16x16xf16, "COp">, memref<32x32xf16, 3>
      gpu.return
    }
  }
  func.func @host(%n: index, %s: i32, %h: memref<?xf32>, %u: memref<*xf32>, %f: f32) {
    gpu.set_default_device %s
    gpu.host_register %u : memref<*xf32>
    gpu.host_unregister %u : memref<*xf32>
    %t0 = gpu.wait async
    %m = gpu.alloc host_shared (%n) : memref<?xf32>
    %d, %t1 = gpu.alloc async [%t0] (%n) : memref<?xf32>
    %t2 = gpu.memcpy async [%t1, %t0] %d, %h : memref<?xf32>, memref<?xf32>
    %t3 = gpu.memset async [%t2] %d, %f : memref<?xf32>, f32
    gpu.wait [%t3]
    gpu.memcpy %d, %h : memref<?xf32>, memref<?xf32>
    gpu.launch_func @kernels::@ids blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%f : f32, %d : memref<?xf32>)
    %t4 = gpu.launch_func async [%t3] @kernels::@ids clusters in (%s, %s, %s) blocks in (%s, %s, %s) threads in (%s, %s, %s) : i32 dynamic_shared_memory_size %s args(%f : f32, %d : memref<?xf32>)
    gpu.launch clusters(%cx, %cy, %cz) in (%ncx = %n, %ncy = %n, %ncz = %n) blocks(%bx, %by, %bz) in (%nbx = %n, %nby = %n, %nbz = %n) threads(%tx, %ty, %tz) in (%ntx = %n, %nty = %n, %ntz = %n) dynamic_shared_memory_size %s workgroup(%w : memref<4xf32, 3>) private(%p : memref<2xf32, 5>) {
      gpu.terminator
    } {foo}
    %t5 = gpu.launch async [%t4] blocks(%bx, %by, %bz) in (%nbx = %n, %nby = %n, %nbz = %n) threads(%tx, %ty, %tz) in (%ntx = %n, %nty = %n, %ntz = %n) module(@kernels) function(@ids) {
      gpu.terminator
    }
    gpu.dealloc %m : memref<?xf32>
    %t6 = gpu.dealloc async [%t5] %d : memref<?xf32>
    %r = gpu.warp_execute_on_lane_0(%n)[32] args(%f : f32) -> (f32) {
    ^bb0(%a: f32):
      gpu.yield %a : f32
    }
    return
  }
  func.func private @attrs() attributes {maps = [#gpu.block<x>, #gpu.warpgroup<y>, #gpu.warp<z>, #gpu.thread<linear_dim_0>, #gpu.lane<linear_dim_1>, #gpu.mask<5>, #gpu.memory_space<global>, #gpu.loop_dim_map<processor = block_x, map = (d0) -> (d0), bound = (d0) -> (d0 + 1)>, #gpu<dim x>, #gpu<all_reduce_op add>, #gpu<shuffle_mode up>, #gpu<broadcast specific_lane>]}
}

// CHECK: gpu.module @kernels {
// CHECK: gpu.func @ids(%{{.*}}: f32, %{{.*}}: memref<?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
// CHECK: %{{.*}} = gpu.thread_id x
// CHECK: %{{.*}} = gpu.block_id y upper_bound 64
// CHECK: %{{.*}} = gpu.block_dim z
// CHECK: %{{.*}} = gpu.grid_dim x
// CHECK: %{{.*}} = gpu.global_id x
// CHECK: %{{.*}} = gpu.cluster_id x
// CHECK: %{{.*}} = gpu.cluster_dim x
// CHECK: %{{.*}} = gpu.cluster_dim_blocks x
// CHECK: %{{.*}} = gpu.cluster_block_id x
// CHECK: %{{.*}} = gpu.lane_id upper_bound 32
// CHECK: %{{.*}} = gpu.subgroup_id : index
// CHECK: %{{.*}} = gpu.num_subgroups upper_bound 4 : index
// CHECK: %{{.*}} = gpu.subgroup_size : index
// CHECK: gpu.printf "at %{{.*}}", %{{.*}} : index
// CHECK: gpu.barrier
// CHECK: gpu.note_work %{{.*}}, %{{.*}}, %{{.*}}
// CHECK: gpu.return
// CHECK: gpu.func @meet(
// CHECK: gpu.grid_barrier %{{.*}} : memref<1xi32>
// CHECK: %[[KNOWN:.*]] = gpu.load_acquire %{{.*}}[%{{.*}}] : memref<1xi32>
// CHECK: gpu.store_release %[[KNOWN]], %{{.*}}[%{{.*}}] : memref<1xi32>
// CHECK: %[[WORD:.*]] = gpu.load_relaxed %{{.*}}[%{{.*}}] : memref<1xi64>
// CHECK: gpu.store_relaxed %[[WORD]], %{{.*}}[%{{.*}}] : memref<1xi64>
// CHECK: %aligned = gpu.rows_aligned %{{.*}} to 16 : memref<1xi32>
// CHECK: gpu.rows_aligned %{{.*}} to 4 wanted : memref<1xi32>
// CHECK: gpu.return
// CHECK: gpu.func @buffers(%{{.*}}: f32) -> f32 workgroup(%{{.*}} : memref<4xf32, #gpu.address_space<workgroup>> {x.align = 16 : i64}) private(%{{.*}} : memref<1xf32, #gpu.address_space<private>>) {
// CHECK: %{{.*}} = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
// CHECK: gpu.return %{{.*}} : f32
// CHECK: gpu.func @together(%{{.*}}: f32, %{{.*}}: vector<4xi32>, %{{.*}}: i32) {
// CHECK: %{{.*}}, %{{.*}} = gpu.shuffle xor %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: %{{.*}}, %{{.*}} = gpu.shuffle down %{{.*}}, %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK: %{{.*}}, %{{.*}} = gpu.rotate %{{.*}}, 3, 16 : f32
// CHECK: %{{.*}} = gpu.all_reduce add %{{.*}} uniform {
// CHECK: %{{.*}} = gpu.all_reduce %{{.*}} {
// CHECK: gpu.yield %{{.*}} : f32
// CHECK: %{{.*}} = gpu.subgroup_reduce maxsi %{{.*}} : (vector<4xi32>) -> vector<4xi32>
// CHECK: %{{.*}} = gpu.subgroup_reduce add %{{.*}} uniform cluster(size = 8, stride = 4) : (f32) -> f32
// CHECK: %{{.*}} = gpu.subgroup_broadcast %{{.*}}, first_active_lane : f32
// CHECK: %{{.*}} = gpu.subgroup_broadcast %{{.*}}, specific_lane %{{.*}} : f32
// CHECK: gpu.return
// CHECK: gpu.func @matrices(%{{.*}}: memref<32x32xf16, 3>, %{{.*}}: f16, %{{.*}}: index) {
// CHECK: %{{.*}} = gpu.subgroup_mma_load_matrix %{{.*}}[%{{.*}}, %{{.*}}] {leadDimension = 32 : index} : memref<32x32xf16, 3> -> !gpu.mma_matrix<16x16xf16, "AOp">
// CHECK: %{{.*}} = gpu.subgroup_mma_load_matrix %{{.*}}[%{{.*}}, %{{.*}}] {leadDimension = 32 : index, transpose} : memref<32x32xf16, 3> -> !gpu.mma_matrix<16x16xf16, "BOp">
// CHECK: %{{.*}} = gpu.subgroup_mma_constant_matrix %{{.*}} : !gpu.mma_matrix<16x16xf16, "COp">
// CHECK: %{{.*}} = gpu.subgroup_mma_compute %{{.*}}, %{{.*}}, %{{.*}} : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf16, "COp">
// CHECK: %{{.*}} = gpu.subgroup_mma_elementwise addf %{{.*}}, %{{.*}} : (!gpu.mma_matrix<16x16xf16, "COp">, !gpu.mma_matrix<16x16xf16, "COp">) -> !gpu.mma_matrix<16x16xf16, "COp">
// CHECK: %{{.*}} = gpu.subgroup_mma_extract_thread_local %{{.*}}[%{{.*}}] : !gpu.mma_matrix<16x16xf16, "COp"> -> f16
// CHECK: %{{.*}} = gpu.subgroup_mma_insert_thread_local %{{.*}}, %{{.*}}[%{{.*}}] : f16, !gpu.mma_matrix<16x16xf16, "COp"> -> !gpu.mma_matrix<16x16xf16, "COp">
// CHECK: gpu.subgroup_mma_store_matrix %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] {leadDimension = 32 : index} : !gpu.mma_matrix<16x16xf16, "COp">, memref<32x32xf16, 3>
// CHECK: gpu.return
// CHECK: func.func @host(%{{.*}}: index, %{{.*}}: i32, %{{.*}}: memref<?xf32>, %{{.*}}: memref<*xf32>, %{{.*}}: f32) {
// CHECK: gpu.set_default_device %{{.*}}
// CHECK: gpu.host_register %{{.*}} : memref<*xf32>
// CHECK: gpu.host_unregister %{{.*}} : memref<*xf32>
// CHECK: %{{.*}} = gpu.wait async
// CHECK: %{{.*}} = gpu.alloc host_shared (%{{.*}}) : memref<?xf32>
// CHECK: %{{.*}}, %{{.*}} = gpu.alloc async [%{{.*}}] (%{{.*}}) : memref<?xf32>
// CHECK: %{{.*}} = gpu.memcpy async [%{{.*}}, %{{.*}}] %{{.*}}, %{{.*}} : memref<?xf32>, memref<?xf32>
// CHECK: %{{.*}} = gpu.memset async [%{{.*}}] %{{.*}}, %{{.*}} : memref<?xf32>, f32
// CHECK: gpu.wait [%{{.*}}]
// CHECK: gpu.memcpy %{{.*}}, %{{.*}} : memref<?xf32>, memref<?xf32>
// CHECK: gpu.launch_func @kernels::@ids blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in (%{{.*}}, %{{.*}}, %{{.*}}) args(%{{.*}} : f32, %{{.*}} : memref<?xf32>)
// CHECK: %{{.*}} = gpu.launch_func async [%{{.*}}] @kernels::@ids clusters in (%{{.*}}, %{{.*}}, %{{.*}}) blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in (%{{.*}}, %{{.*}}, %{{.*}}) : i32 dynamic_shared_memory_size %{{.*}} args(%{{.*}} : f32, %{{.*}} : memref<?xf32>)
// CHECK: gpu.launch clusters(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) blocks(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) threads(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) dynamic_shared_memory_size %{{.*}} workgroup(%{{.*}} : memref<4xf32, 3>) private(%{{.*}} : memref<2xf32, 5>) {
// CHECK: gpu.terminator
// CHECK: %{{.*}} = gpu.launch async [%{{.*}}] blocks(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) threads(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) module(@kernels) function(@ids) {
// CHECK: gpu.terminator
// CHECK: gpu.dealloc %{{.*}} : memref<?xf32>
// CHECK: %{{.*}} = gpu.dealloc async [%{{.*}}] %{{.*}} : memref<?xf32>
// CHECK: %{{.*}} = gpu.warp_execute_on_lane_0(%{{.*}})[32] args(%{{.*}} : f32) -> (f32) {
// CHECK: gpu.yield %{{.*}} : f32
// CHECK: func.func private @attrs() attributes {maps = [#gpu.block<x>, #gpu.warpgroup<y>, #gpu.warp<z>, #gpu.thread<linear_dim_0>, #gpu.lane<linear_dim_1>, #gpu.mask<5>, #gpu.memory_space<global>, #gpu.loop_dim_map<processor = block_x, map = (d0) -> (d0), bound = (d0) -> (d0 + 1)>, #gpu<dim x>, #gpu<all_reduce_op add>, #gpu<shuffle_mode up>, #gpu<broadcast specific_lane>]}
