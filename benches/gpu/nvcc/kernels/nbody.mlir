// Accelerations of bodies (x, y, z, mass), a body a thread, the others through tiles of
// 256 in shared memory. Any number that is a multiple of 256.
#shared = #gpu.address_space<workgroup>
gpu.module @nbody {
  gpu.func @nbody(%n: i32, %body: memref<?x4xf32> {llvm.noalias, llvm.align = 16 : i32},
      %acc: memref<?x4xf32> {llvm.noalias, llvm.align = 16 : i32})
      workgroup(%tile: memref<256x4xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %soft = arith.constant 0.01 : f32
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %size = arith.index_cast %n : i32 to index
    %i = affine.apply affine_map<()[b, t] -> (b * 256 + t)>()[%b, %t]
    %me = vector.load %body[%i, %c0] : memref<?x4xf32>, vector<4xf32>
    %x = vector.extract %me[0] : f32 from vector<4xf32>
    %y = vector.extract %me[1] : f32 from vector<4xf32>
    %z = vector.extract %me[2] : f32 from vector<4xf32>
    %r:3 = affine.for %j = 0 to %size step 256 iter_args(%ox = %zero, %oy = %zero, %oz = %zero) -> (f32, f32, f32) {
      %from = affine.apply affine_map<(j)[t] -> (j + t)>(%j)[%t]
      %v = vector.load %body[%from, %c0] : memref<?x4xf32>, vector<4xf32>
      vector.store %v, %tile[%t, %c0] : memref<256x4xf32, #shared>, vector<4xf32>
      gpu.barrier
      %s:3 = affine.for %k = 0 to 256 iter_args(%ax = %ox, %ay = %oy, %az = %oz) -> (f32, f32, f32) {
        %o = vector.load %tile[%k, %c0] : memref<256x4xf32, #shared>, vector<4xf32>
        %xo = vector.extract %o[0] : f32 from vector<4xf32>
        %yo = vector.extract %o[1] : f32 from vector<4xf32>
        %zo = vector.extract %o[2] : f32 from vector<4xf32>
        %mo = vector.extract %o[3] : f32 from vector<4xf32>
        %dx = arith.subf %xo, %x fastmath<contract> : f32
        %dy = arith.subf %yo, %y fastmath<contract> : f32
        %dz = arith.subf %zo, %z fastmath<contract> : f32
        %xx = arith.mulf %dx, %dx fastmath<contract> : f32
        %yy = arith.mulf %dy, %dy fastmath<contract> : f32
        %zz = arith.mulf %dz, %dz fastmath<contract> : f32
        %d1 = arith.addf %xx, %yy fastmath<contract> : f32
        %d2 = arith.addf %d1, %zz fastmath<contract> : f32
        %d3 = arith.addf %d2, %soft fastmath<contract> : f32
        %inv = math.rsqrt %d3 : f32
        %inv2 = arith.mulf %inv, %inv fastmath<contract> : f32
        %inv3 = arith.mulf %inv2, %inv fastmath<contract> : f32
        %f = arith.mulf %mo, %inv3 fastmath<contract> : f32
        %px = arith.mulf %dx, %f fastmath<contract> : f32
        %py = arith.mulf %dy, %f fastmath<contract> : f32
        %pz = arith.mulf %dz, %f fastmath<contract> : f32
        %nx = arith.addf %ax, %px fastmath<contract> : f32
        %ny = arith.addf %ay, %py fastmath<contract> : f32
        %nz = arith.addf %az, %pz fastmath<contract> : f32
        affine.yield %nx, %ny, %nz : f32, f32, f32
      }
      gpu.barrier
      affine.yield %s#0, %s#1, %s#2 : f32, f32, f32
    }
    %v0 = vector.broadcast %zero : f32 to vector<4xf32>
    %v1 = vector.insert %r#0, %v0[0] : f32 into vector<4xf32>
    %v2 = vector.insert %r#1, %v1[1] : f32 into vector<4xf32>
    %v3 = vector.insert %r#2, %v2[2] : f32 into vector<4xf32>
    vector.store %v3, %acc[%i, %c0] : memref<?x4xf32>, vector<4xf32>
    gpu.return
  }
}
