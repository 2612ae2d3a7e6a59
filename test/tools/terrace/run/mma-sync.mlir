// RUN: terrace run %s --entry halves --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry halves_flipped --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry singles --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry doubles --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry bytes --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry halves --target interp | FileCheck %s --check-prefix=SUMS
// RUN: terrace run %s --entry bytes --target interp | FileCheck %s --check-prefix=SUMS

// One product of a warp, and the same by loops: the sum of what they differ by. The
// numbers are such that no sum is rounded.

// CHECK: result 0: 0{{$}}
// CHECK: verify   passed
// SUMS: result 0: 0{{$}}

func.func @halves(
    %A: memref<16x16xf16> {terrace.name = "A", terrace.init = "iota:16x16"},
    %B: memref<16x8xf16> {terrace.name = "B", terrace.init = "iota:16x8"},
    %C: memref<16x8xf32> {terrace.name = "C", terrace.init = "zeros:16x8"}) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1)
             workgroup(%a: memref<16x24xf16, #gpu.address_space<workgroup>>, %b: memref<16x8xf16, #gpu.address_space<workgroup>>) {
    %z = arith.constant dense<0.0> : vector<2x2xf32>
    %row = arith.remui %t, %c16 : index
    %half = arith.divui %t, %c16 : index
    %column = arith.muli %half, %c8 : index
    %t0 = nvgpu.device_async_copy %A[%row, %column], %a[%row, %column], 8 : memref<16x16xf16> to memref<16x24xf16, #gpu.address_space<workgroup>>
    %c4s = arith.muli %half, %c4 : index
    %t1 = nvgpu.device_async_copy %B[%row, %c4s], %b[%row, %c4s], 4 : memref<16x8xf16> to memref<16x8xf16, #gpu.address_space<workgroup>>
    %g = nvgpu.device_async_create_group %t0, %t1
    nvgpu.device_async_wait %g
    gpu.barrier
    %fa = nvgpu.ldmatrix %a[%row, %column] {numTiles = 4 : i32, transpose = false} : memref<16x24xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
    %fb = nvgpu.ldmatrix %b[%row, %c0] {numTiles = 2 : i32, transpose = true} : memref<16x8xf16, #gpu.address_space<workgroup>> -> vector<2x2xf16>
    %d = nvgpu.mma.sync(%fa, %fb, %z) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %r = arith.divui %t, %c4 : index
    %q = arith.remui %t, %c4 : index
    %n = arith.muli %q, %c2 : index
    %r8 = arith.addi %r, %c8 : index
    %d0 = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
    %d1 = vector.extract %d[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %d0, %C[%r, %n] {alignment = 8} : memref<16x8xf32>, vector<2xf32>
    vector.store %d1, %C[%r8, %n] : memref<16x8xf32>, vector<2xf32>
    gpu.terminator
  }
  %zero = arith.constant 0.0 : f32
  %diff = scf.for %i = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> (f32) {
    %inner = scf.for %j = %c0 to %c8 step %c1 iter_args(%s = %sum) -> (f32) {
      %dot = scf.for %k = %c0 to %c16 step %c1 iter_args(%acc = %zero) -> (f32) {
        %x = memref.load %A[%i, %k] : memref<16x16xf16>
        %y = memref.load %B[%k, %j] : memref<16x8xf16>
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %xy = arith.mulf %xw, %yw : f32
        %next = arith.addf %acc, %xy : f32
        scf.yield %next : f32
      }
      %c = memref.load %C[%i, %j] : memref<16x8xf32>
      %e = arith.subf %c, %dot : f32
      %abs = math.absf %e : f32
      %next = arith.addf %s, %abs : f32
      scf.yield %next : f32
    }
    scf.yield %inner : f32
  }
  return %diff : f32
}

// B lies column by column, so that its fragments need no transposition.
func.func @halves_flipped(
    %A: memref<16x8xf16> {terrace.name = "A", terrace.init = "iota:16x8"},
    %B: memref<8x8xf16> {terrace.name = "B", terrace.init = "iota:8x8"},
    %C: memref<16x8xf32> {terrace.name = "C", terrace.init = "zeros:16x8"}) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1)
             workgroup(%a: memref<16x8xf16, #gpu.address_space<workgroup>>, %b: memref<8x8xf16, #gpu.address_space<workgroup>>) {
    %z = arith.constant dense<0.0> : vector<2x2xf32>
    %row = arith.remui %t, %c16 : index
    %row8 = arith.remui %t, %c8 : index
    %va = vector.load %A[%row, %c0] : memref<16x8xf16>, vector<8xf16>
    vector.store %va, %a[%row, %c0] : memref<16x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %vb = vector.load %B[%row8, %c0] : memref<8x8xf16>, vector<8xf16>
    vector.store %vb, %b[%row8, %c0] : memref<8x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    %fa = nvgpu.ldmatrix %a[%row, %c0] {numTiles = 2 : i32, transpose = false} : memref<16x8xf16, #gpu.address_space<workgroup>> -> vector<2x2xf16>
    %fb = nvgpu.ldmatrix %b[%row8, %c0] {numTiles = 1 : i32, transpose = false} : memref<8x8xf16, #gpu.address_space<workgroup>> -> vector<1x2xf16>
    %d = nvgpu.mma.sync(%fa, %fb, %z) {mmaShape = [16, 8, 8]} : (vector<2x2xf16>, vector<1x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %r = arith.divui %t, %c4 : index
    %q = arith.remui %t, %c4 : index
    %n = arith.muli %q, %c2 : index
    %r8 = arith.addi %r, %c8 : index
    %d0 = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
    %d1 = vector.extract %d[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %d0, %C[%r, %n] : memref<16x8xf32>, vector<2xf32>
    vector.store %d1, %C[%r8, %n] : memref<16x8xf32>, vector<2xf32>
    gpu.terminator
  }
  %zero = arith.constant 0.0 : f32
  %diff = scf.for %i = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> (f32) {
    %inner = scf.for %j = %c0 to %c8 step %c1 iter_args(%s = %sum) -> (f32) {
      %dot = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (f32) {
        %x = memref.load %A[%i, %k] : memref<16x8xf16>
        %y = memref.load %B[%j, %k] : memref<8x8xf16>
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %xy = arith.mulf %xw, %yw : f32
        %next = arith.addf %acc, %xy : f32
        scf.yield %next : f32
      }
      %c = memref.load %C[%i, %j] : memref<16x8xf32>
      %e = arith.subf %c, %dot : f32
      %abs = math.absf %e : f32
      %next = arith.addf %s, %abs : f32
      scf.yield %next : f32
    }
    scf.yield %inner : f32
  }
  return %diff : f32
}

// f32 rounded to tf32; fragments come by ldmatrix, too, which knows nothing of types.
func.func @singles(
    %A: memref<16x8xf32> {terrace.name = "A", terrace.init = "iota:16x8"},
    %B: memref<8x8xf32> {terrace.name = "B", terrace.init = "iota:8x8"},
    %C: memref<16x8xf32> {terrace.name = "C", terrace.init = "zeros:16x8"}) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1)
             workgroup(%a: memref<16x8xf32, #gpu.address_space<workgroup>>, %b: memref<8x8xf32, #gpu.address_space<workgroup>>) {
    %z = arith.constant dense<0.0> : vector<2x2xf32>
    %row = arith.remui %t, %c16 : index
    %half = arith.divui %t, %c16 : index
    %column = arith.muli %half, %c4 : index
    %va = vector.load %A[%row, %column] : memref<16x8xf32>, vector<4xf32>
    vector.store %va, %a[%row, %column] : memref<16x8xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    %row8 = arith.remui %t, %c8 : index
    %rest = arith.divui %t, %c8 : index
    %half8 = arith.remui %rest, %c2 : index
    %column8 = arith.muli %half8, %c4 : index
    %vb = vector.load %B[%row8, %column8] : memref<8x8xf32>, vector<4xf32>
    vector.store %vb, %b[%row8, %column8] : memref<8x8xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    gpu.barrier
    %fa = nvgpu.ldmatrix %a[%row, %column] {numTiles = 4 : i32, transpose = false} : memref<16x8xf32, #gpu.address_space<workgroup>> -> vector<4x1xf32>
    %fb = nvgpu.ldmatrix %b[%row8, %column8] {numTiles = 2 : i32, transpose = false} : memref<8x8xf32, #gpu.address_space<workgroup>> -> vector<2x1xf32>
    %d = nvgpu.mma.sync(%fa, %fb, %z) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
    %r = arith.divui %t, %c4 : index
    %q = arith.remui %t, %c4 : index
    %n = arith.muli %q, %c2 : index
    %r8 = arith.addi %r, %c8 : index
    %d0 = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
    %d1 = vector.extract %d[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %d0, %C[%r, %n] : memref<16x8xf32>, vector<2xf32>
    vector.store %d1, %C[%r8, %n] : memref<16x8xf32>, vector<2xf32>
    gpu.terminator
  }
  %zero = arith.constant 0.0 : f32
  %diff = scf.for %i = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> (f32) {
    %inner = scf.for %j = %c0 to %c8 step %c1 iter_args(%s = %sum) -> (f32) {
      %dot = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (f32) {
        %x = memref.load %A[%i, %k] : memref<16x8xf32>
        %y = memref.load %B[%j, %k] : memref<8x8xf32>
        %xy = arith.mulf %x, %y : f32
        %next = arith.addf %acc, %xy : f32
        scf.yield %next : f32
      }
      %c = memref.load %C[%i, %j] : memref<16x8xf32>
      %e = arith.subf %c, %dot : f32
      %abs = math.absf %e : f32
      %next = arith.addf %s, %abs : f32
      scf.yield %next : f32
    }
    scf.yield %inner : f32
  }
  return %diff : f32
}

func.func @doubles(
    %A: memref<16x8xf64> {terrace.name = "A", terrace.init = "iota:16x8"},
    %B: memref<8x8xf64> {terrace.name = "B", terrace.init = "iota:8x8"},
    %C: memref<16x8xf64> {terrace.name = "C", terrace.init = "iota:16x8"}) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1) {
    %r = arith.divui %t, %c4 : index
    %q = arith.remui %t, %c4 : index
    %n = arith.muli %q, %c2 : index
    %r8 = arith.addi %r, %c8 : index
    %q4 = arith.addi %q, %c4 : index
    %c = vector.load %C[%r, %n] : memref<16x8xf64>, vector<1x2xf64>
    %a0 = vector.load %A[%r, %q] : memref<16x8xf64>, vector<1x1xf64>
    %a1 = vector.load %A[%r, %q4] : memref<16x8xf64>, vector<1x1xf64>
    %b0 = vector.load %B[%q, %r] : memref<8x8xf64>, vector<1x1xf64>
    %b1 = vector.load %B[%q4, %r] : memref<8x8xf64>, vector<1x1xf64>
    %d0 = nvgpu.mma.sync(%a0, %b0, %c) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
    %d1 = nvgpu.mma.sync(%a1, %b1, %d0) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
    vector.store %d1, %C[%r, %n] : memref<16x8xf64>, vector<1x2xf64>

    // The lower half, and the upper one once more with zeros for A, by a larger product.
    %zero = arith.constant dense<0.0> : vector<4x1xf64>
    %a2 = vector.load %A[%r8, %q] : memref<16x8xf64>, vector<1x1xf64>
    %a3 = vector.load %A[%r8, %q4] : memref<16x8xf64>, vector<1x1xf64>
    %e0 = vector.insert_strided_slice %a2, %zero {offsets = [1, 0], strides = [1, 1]} : vector<1x1xf64> into vector<4x1xf64>
    %e1 = vector.insert_strided_slice %a3, %e0 {offsets = [3, 0], strides = [1, 1]} : vector<1x1xf64> into vector<4x1xf64>
    %zb = arith.constant dense<0.0> : vector<2x1xf64>
    %f0 = vector.insert_strided_slice %b0, %zb {offsets = [0, 0], strides = [1, 1]} : vector<1x1xf64> into vector<2x1xf64>
    %f1 = vector.insert_strided_slice %b1, %f0 {offsets = [1, 0], strides = [1, 1]} : vector<1x1xf64> into vector<2x1xf64>
    %zc = arith.constant dense<0.0> : vector<2x2xf64>
    %c2nd = vector.load %C[%r8, %n] : memref<16x8xf64>, vector<1x2xf64>
    %g0 = vector.insert_strided_slice %d1, %zc {offsets = [0, 0], strides = [1, 1]} : vector<1x2xf64> into vector<2x2xf64>
    %g1 = vector.insert_strided_slice %c2nd, %g0 {offsets = [1, 0], strides = [1, 1]} : vector<1x2xf64> into vector<2x2xf64>
    %h = nvgpu.mma.sync(%e1, %f1, %g1) {mmaShape = [16, 8, 8]} : (vector<4x1xf64>, vector<2x1xf64>, vector<2x2xf64>) -> vector<2x2xf64>
    %h0 = vector.extract %h[0] : vector<2xf64> from vector<2x2xf64>
    %h1 = vector.extract %h[1] : vector<2xf64> from vector<2x2xf64>
    vector.store %h0, %C[%r, %n] : memref<16x8xf64>, vector<2xf64>
    vector.store %h1, %C[%r8, %n] : memref<16x8xf64>, vector<2xf64>
    gpu.terminator
  }
  %zero = arith.constant 0.0 : f64
  %diff = scf.for %i = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> (f64) {
    %inner = scf.for %j = %c0 to %c8 step %c1 iter_args(%s = %sum) -> (f64) {
      %ij = arith.muli %i, %c8 : index
      %number = arith.addi %ij, %j : index
      %int = arith.index_cast %number : index to i64
      %first = arith.sitofp %int : i64 to f64
      %dot = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %first) -> (f64) {
        %x = memref.load %A[%i, %k] : memref<16x8xf64>
        %y = memref.load %B[%k, %j] : memref<8x8xf64>
        %xy = arith.mulf %x, %y : f64
        %next = arith.addf %acc, %xy : f64
        scf.yield %next : f64
      }
      %c = memref.load %C[%i, %j] : memref<16x8xf64>
      %e = arith.subf %c, %dot : f64
      %abs = math.absf %e : f64
      %next = arith.addf %s, %abs : f64
      scf.yield %next : f64
    }
    scf.yield %inner : f64
  }
  return %diff : f64
}

// Bytes with signs: iota goes on from 127 at -128.
func.func @bytes(
    %A: memref<16x16xi8> {terrace.name = "A", terrace.init = "iota:16x16"},
    %B: memref<8x16xi8> {terrace.name = "B", terrace.init = "iota:8x16"},
    %C: memref<16x8xi32> {terrace.name = "C", terrace.init = "zeros:16x8"}) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1) {
    %r = arith.divui %t, %c4 : index
    %q = arith.remui %t, %c4 : index
    %k = arith.muli %q, %c4 : index
    %n = arith.muli %q, %c2 : index
    %r8 = arith.addi %r, %c8 : index
    %z = arith.constant dense<0> : vector<2x4xi8>
    %zc = arith.constant dense<0> : vector<2x2xi32>
    %a0 = vector.load %A[%r, %k] {alignment = 4} : memref<16x16xi8>, vector<4xi8>
    %a1 = vector.load %A[%r8, %k] : memref<16x16xi8>, vector<4xi8>
    %x0 = vector.insert %a0, %z[0] : vector<4xi8> into vector<2x4xi8>
    %x1 = vector.insert %a1, %x0[1] : vector<4xi8> into vector<2x4xi8>
    %b = vector.load %B[%r, %k] : memref<8x16xi8>, vector<1x4xi8>
    %d = nvgpu.mma.sync(%x1, %b, %zc) {mmaShape = [16, 8, 16]} : (vector<2x4xi8>, vector<1x4xi8>, vector<2x2xi32>) -> vector<2x2xi32>
    %d0 = vector.extract %d[0] : vector<2xi32> from vector<2x2xi32>
    %d1 = vector.extract %d[1] : vector<2xi32> from vector<2x2xi32>
    vector.store %d0, %C[%r, %n] : memref<16x8xi32>, vector<2xi32>
    vector.store %d1, %C[%r8, %n] : memref<16x8xi32>, vector<2xi32>
    gpu.terminator
  }
  %zero = arith.constant 0 : i32
  %diff = scf.for %i = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> (i32) {
    %inner = scf.for %j = %c0 to %c8 step %c1 iter_args(%s = %sum) -> (i32) {
      %dot = scf.for %k = %c0 to %c16 step %c1 iter_args(%acc = %zero) -> (i32) {
        %x = memref.load %A[%i, %k] : memref<16x16xi8>
        %y = memref.load %B[%j, %k] : memref<8x16xi8>
        %xw = arith.extsi %x : i8 to i32
        %yw = arith.extsi %y : i8 to i32
        %xy = arith.muli %xw, %yw : i32
        %next = arith.addi %acc, %xy : i32
        scf.yield %next : i32
      }
      %c = memref.load %C[%i, %j] : memref<16x8xi32>
      %e = arith.subi %c, %dot : i32
      %abs = math.absi %e : i32
      %next = arith.addi %s, %abs : i32
      scf.yield %next : i32
    }
    scf.yield %inner : i32
  }
  return %diff : i32
}
