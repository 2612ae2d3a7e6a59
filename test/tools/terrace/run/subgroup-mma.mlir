// RUN: terrace run %s --entry halves --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry in_shared --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry half_sums --target emulator --verify | FileCheck %s --check-prefix=CLOSE
// RUN: terrace run %s --entry singles --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry doubles --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry bytes --target emulator --verify | FileCheck %s

// Matrices of a warp, and the same by loops: the sum of what they differ by. But for
// half_sums the numbers are such that no sum is rounded.

// CHECK: result 0: 0{{$}}
// CHECK: verify   passed
// CLOSE: verify   passed

func.func @halves(
    %A: memref<16x20xf16> {terrace.name = "A", terrace.init = "iota:16x20"},
    %B: memref<16x16xf16> {terrace.name = "B", terrace.init = "iota:16x16"},
    %C: memref<16x16xf32> {terrace.name = "C", terrace.init = "zeros:16x16"}) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1) {
    %two = arith.constant 2.0 : f32
    %a = gpu.subgroup_mma_load_matrix %A[%c0, %c4] {leadDimension = 20 : index} : memref<16x20xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    %b = gpu.subgroup_mma_load_matrix %B[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
    %c = gpu.subgroup_mma_load_matrix %C[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
    %two_c = gpu.subgroup_mma_constant_matrix %two : !gpu.mma_matrix<16x16xf32, "COp">
    %first = gpu.subgroup_mma_elementwise addf %c, %two_c : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
    %d = gpu.subgroup_mma_compute %a, %b, %first : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
    %n = gpu.subgroup_mma_elementwise negatef %d : (!gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
    %p = gpu.subgroup_mma_elementwise negatef %n : (!gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %p, %C[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
    gpu.terminator
  }
  %zero = arith.constant 0.0 : f32
  %diff = scf.for %i = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> (f32) {
    %inner = scf.for %j = %c0 to %c16 step %c1 iter_args(%s = %sum) -> (f32) {
      %first = arith.constant 2.0 : f32
      %dot = scf.for %k = %c0 to %c16 step %c1 iter_args(%acc = %first) -> (f32) {
        %k4 = arith.addi %k, %c4 : index
        %x = memref.load %A[%i, %k4] : memref<16x20xf16>
        %y = memref.load %B[%k, %j] : memref<16x16xf16>
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %xy = arith.mulf %xw, %yw : f32
        %next = arith.addf %acc, %xy : f32
        scf.yield %next : f32
      }
      %c = memref.load %C[%i, %j] : memref<16x16xf32>
      %e = arith.subf %c, %dot : f32
      %abs = math.absf %e : f32
      %next = arith.addf %s, %abs : f32
      scf.yield %next : f32
    }
    scf.yield %inner : f32
  }
  return %diff : f32
}

// In shared memory, with aligned rows: by ldmatrix. A lies column by column first, then
// row by row; B the other way round.
func.func @in_shared(
    %A: memref<16x32xf16> {terrace.name = "A", terrace.init = "iota:16x32"},
    %B: memref<32x16xf16> {terrace.name = "B", terrace.init = "iota:32x16"},
    %C: memref<32x32xf32> {terrace.name = "C", terrace.init = "zeros:32x32"}) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1) workgroup(%a: memref<32x40xf16, #gpu.address_space<workgroup>>, %b: memref<32x40xf16, #gpu.address_space<workgroup>>) {
    %zero16 = arith.constant 0.0 : f16
    scf.for %i = %c0 to %c16 step %c1 {
      %x = memref.load %A[%i, %t] : memref<16x32xf16>
      memref.store %x, %a[%i, %t] : memref<32x40xf16, #gpu.address_space<workgroup>>
      %y = memref.load %B[%t, %i] : memref<32x16xf16>
      memref.store %y, %b[%t, %i] : memref<32x40xf16, #gpu.address_space<workgroup>>
      %down = arith.addi %i, %c16 : index
      memref.store %zero16, %a[%down, %t] : memref<32x40xf16, #gpu.address_space<workgroup>>
      memref.store %zero16, %b[%t, %down] : memref<32x40xf16, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %zero32 = arith.constant 0.0 : f32
    %z = gpu.subgroup_mma_constant_matrix %zero32 : !gpu.mma_matrix<32x32xf32, "COp">
    %ma = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 40 : index, transpose} : memref<32x40xf16, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<32x16xf16, "AOp">
    %mb = gpu.subgroup_mma_load_matrix %b[%c0, %c0] {leadDimension = 40 : index, transpose} : memref<32x40xf16, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<16x32xf16, "BOp">
    %d = gpu.subgroup_mma_compute %ma, %mb, %z : !gpu.mma_matrix<32x16xf16, "AOp">, !gpu.mma_matrix<16x32xf16, "BOp"> -> !gpu.mma_matrix<32x32xf32, "COp">
    %ra = gpu.subgroup_mma_load_matrix %a[%c0, %c16] {leadDimension = 40 : index} : memref<32x40xf16, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<16x16xf16, "AOp">
    %rb = gpu.subgroup_mma_load_matrix %b[%c16, %c0] {leadDimension = 40 : index} : memref<32x40xf16, #gpu.address_space<workgroup>> -> !gpu.mma_matrix<16x16xf16, "BOp">
    gpu.subgroup_mma_store_matrix %d, %C[%c0, %c0] {leadDimension = 32 : index, transpose} : !gpu.mma_matrix<32x32xf32, "COp">, memref<32x32xf32>
    gpu.barrier
    %e = gpu.subgroup_mma_load_matrix %C[%c0, %c0] {leadDimension = 32 : index} : memref<32x32xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
    %f = gpu.subgroup_mma_compute %ra, %rb, %e : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %f, %C[%c0, %c0] {leadDimension = 32 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<32x32xf32>
    gpu.terminator
  }
  // A(k, i) B(j, k) transposed, and in the first quarter A(i, 16 + k) B(16 + k, j) more.
  %zero = arith.constant 0.0 : f32
  %diff = scf.for %i = %c0 to %c32 step %c1 iter_args(%sum = %zero) -> (f32) {
    %inner = scf.for %j = %c0 to %c32 step %c1 iter_args(%s = %sum) -> (f32) {
      %first = arith.constant 0.0 : f32
      %dot = scf.for %k = %c0 to %c16 step %c1 iter_args(%acc = %first) -> (f32) {
        %x = memref.load %A[%k, %j] : memref<16x32xf16>
        %y = memref.load %B[%i, %k] : memref<32x16xf16>
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %xy = arith.mulf %xw, %yw : f32
        %next = arith.addf %acc, %xy : f32
        scf.yield %next : f32
      }
      %i16 = arith.cmpi ult, %i, %c16 : index
      %j16 = arith.cmpi ult, %j, %c16 : index
      %quarter = arith.andi %i16, %j16 : i1
      %all = scf.if %quarter -> (f32) {
        %more = scf.for %k = %c0 to %c16 step %c1 iter_args(%acc = %dot) -> (f32) {
          %k16 = arith.addi %k, %c16 : index
          %x = memref.load %A[%i, %k16] : memref<16x32xf16>
          %y = memref.load %B[%k16, %j] : memref<32x16xf16>
          %xw = arith.extf %x : f16 to f32
          %yw = arith.extf %y : f16 to f32
          %xy = arith.mulf %xw, %yw : f32
          %next = arith.addf %acc, %xy : f32
          scf.yield %next : f32
        }
        scf.yield %more : f32
      } else {
        scf.yield %dot : f32
      }
      %c = memref.load %C[%i, %j] : memref<32x32xf32>
      %e = arith.subf %c, %all : f32
      %abs = math.absf %e : f32
      %next = arith.addf %s, %abs : f32
      scf.yield %next : f32
    }
    scf.yield %inner : f32
  }
  return %diff : f32
}

func.func @half_sums(
    %A: memref<16x16xf16> {terrace.name = "A", terrace.init = "random:16x16:1"},
    %B: memref<16x16xf16> {terrace.name = "B", terrace.init = "random:16x16:2"},
    %C: memref<16x16xf16> {terrace.name = "C", terrace.init = "random:16x16:3"},
    %D: memref<16x16xf32> {terrace.name = "D", terrace.init = "zeros:16x16"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1) {
    %a = gpu.subgroup_mma_load_matrix %A[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    %b = gpu.subgroup_mma_load_matrix %B[%c0, %c0] {leadDimension = 16 : index, transpose} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
    %c = gpu.subgroup_mma_load_matrix %C[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "COp">
    %d = gpu.subgroup_mma_compute %a, %b, %c : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf16, "COp">
    %e = gpu.subgroup_mma_elementwise divf %d, %c : (!gpu.mma_matrix<16x16xf16, "COp">, !gpu.mma_matrix<16x16xf16, "COp">) -> !gpu.mma_matrix<16x16xf16, "COp">
    %f = gpu.subgroup_mma_elementwise maxf %e, %d : (!gpu.mma_matrix<16x16xf16, "COp">, !gpu.mma_matrix<16x16xf16, "COp">) -> !gpu.mma_matrix<16x16xf16, "COp">
    %g = gpu.subgroup_mma_elementwise extf %f : (!gpu.mma_matrix<16x16xf16, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %d, %C[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf16, "COp">, memref<16x16xf16>
    gpu.subgroup_mma_store_matrix %g, %D[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
    gpu.terminator
  }
  return
}

// As tf32.
func.func @singles(
    %A: memref<16x8xf32> {terrace.name = "A", terrace.init = "iota:16x8"},
    %B: memref<8x16xf32> {terrace.name = "B", terrace.init = "iota:8x16"},
    %C: memref<16x16xf32> {terrace.name = "C", terrace.init = "zeros:16x16"}) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1) {
    %a = gpu.subgroup_mma_load_matrix %A[%c0, %c0] {leadDimension = 8 : index} : memref<16x8xf32> -> !gpu.mma_matrix<16x8xf32, "AOp">
    %b = gpu.subgroup_mma_load_matrix %B[%c0, %c0] {leadDimension = 16 : index} : memref<8x16xf32> -> !gpu.mma_matrix<8x16xf32, "BOp">
    %c = gpu.subgroup_mma_load_matrix %C[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
    %d = gpu.subgroup_mma_compute %a, %b, %c : !gpu.mma_matrix<16x8xf32, "AOp">, !gpu.mma_matrix<8x16xf32, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %d, %C[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
    gpu.terminator
  }
  %zero = arith.constant 0.0 : f32
  %diff = scf.for %i = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> (f32) {
    %inner = scf.for %j = %c0 to %c16 step %c1 iter_args(%s = %sum) -> (f32) {
      %first = arith.constant 0.0 : f32
      %dot = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %first) -> (f32) {
        %x = memref.load %A[%i, %k] : memref<16x8xf32>
        %y = memref.load %B[%k, %j] : memref<8x16xf32>
        %xy = arith.mulf %x, %y : f32
        %next = arith.addf %acc, %xy : f32
        scf.yield %next : f32
      }
      %c = memref.load %C[%i, %j] : memref<16x16xf32>
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
    %C: memref<16x8xf64> {terrace.name = "C", terrace.init = "zeros:16x8"}) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1) {
    // The upper half in two steps of depth 4; then both halves at once.
    %a = gpu.subgroup_mma_load_matrix %A[%c0, %c0] {leadDimension = 8 : index} : memref<16x8xf64> -> !gpu.mma_matrix<8x4xf64, "AOp">
    %b = gpu.subgroup_mma_load_matrix %B[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf64> -> !gpu.mma_matrix<4x8xf64, "BOp">
    %a4 = gpu.subgroup_mma_load_matrix %A[%c0, %c4] {leadDimension = 8 : index} : memref<16x8xf64> -> !gpu.mma_matrix<8x4xf64, "AOp">
    %b4 = gpu.subgroup_mma_load_matrix %B[%c4, %c0] {leadDimension = 8 : index} : memref<8x8xf64> -> !gpu.mma_matrix<4x8xf64, "BOp">
    %c = gpu.subgroup_mma_load_matrix %C[%c0, %c0] {leadDimension = 8 : index} : memref<16x8xf64> -> !gpu.mma_matrix<8x8xf64, "COp">
    %d = gpu.subgroup_mma_compute %a, %b, %c : !gpu.mma_matrix<8x4xf64, "AOp">, !gpu.mma_matrix<4x8xf64, "BOp"> -> !gpu.mma_matrix<8x8xf64, "COp">
    %e = gpu.subgroup_mma_compute %a4, %b4, %d : !gpu.mma_matrix<8x4xf64, "AOp">, !gpu.mma_matrix<4x8xf64, "BOp"> -> !gpu.mma_matrix<8x8xf64, "COp">
    gpu.subgroup_mma_store_matrix %e, %C[%c0, %c0] {leadDimension = 8 : index} : !gpu.mma_matrix<8x8xf64, "COp">, memref<16x8xf64>
    %wa = gpu.subgroup_mma_load_matrix %A[%c0, %c0] {leadDimension = 8 : index} : memref<16x8xf64> -> !gpu.mma_matrix<16x8xf64, "AOp">
    %wb = gpu.subgroup_mma_load_matrix %B[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf64> -> !gpu.mma_matrix<8x8xf64, "BOp">
    %wc = gpu.subgroup_mma_load_matrix %C[%c0, %c0] {leadDimension = 8 : index} : memref<16x8xf64> -> !gpu.mma_matrix<16x8xf64, "COp">
    %wd = gpu.subgroup_mma_compute %wa, %wb, %wc : !gpu.mma_matrix<16x8xf64, "AOp">, !gpu.mma_matrix<8x8xf64, "BOp"> -> !gpu.mma_matrix<16x8xf64, "COp">
    gpu.subgroup_mma_store_matrix %wd, %C[%c0, %c0] {leadDimension = 8 : index} : !gpu.mma_matrix<16x8xf64, "COp">, memref<16x8xf64>
    gpu.terminator
  }
  %zero = arith.constant 0.0 : f64
  %diff = scf.for %i = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> (f64) {
    %inner = scf.for %j = %c0 to %c8 step %c1 iter_args(%s = %sum) -> (f64) {
      %first = arith.constant 0.0 : f64
      %dot = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %first) -> (f64) {
        %x = memref.load %A[%i, %k] : memref<16x8xf64>
        %y = memref.load %B[%k, %j] : memref<8x8xf64>
        %xy = arith.mulf %x, %y : f64
        %next = arith.addf %acc, %xy : f64
        scf.yield %next : f64
      }
      %c = memref.load %C[%i, %j] : memref<16x8xf64>
      %upper = arith.cmpi ult, %i, %c8 : index
      %two = arith.addf %dot, %dot : f64
      %all = arith.select %upper, %two, %dot : f64
      %e = arith.subf %c, %all : f64
      %abs = math.absf %e : f64
      %next = arith.addf %s, %abs : f64
      scf.yield %next : f64
    }
    scf.yield %inner : f64
  }
  return %diff : f64
}

// A with signs, B without.
func.func @bytes(
    %A: memref<16x32xi8> {terrace.name = "A", terrace.init = "iota:16x32"},
    %B: memref<16x32xi8> {terrace.name = "B", terrace.init = "iota:16x32"},
    %C: memref<16x16xi32> {terrace.name = "C", terrace.init = "iota:16x16"}) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1) {
    %a = gpu.subgroup_mma_load_matrix %A[%c0, %c0] {leadDimension = 32 : index} : memref<16x32xi8> -> !gpu.mma_matrix<16x32xsi8, "AOp">
    %b = gpu.subgroup_mma_load_matrix %B[%c0, %c0] {leadDimension = 32 : index, transpose} : memref<16x32xi8> -> !gpu.mma_matrix<32x16xui8, "BOp">
    %c = gpu.subgroup_mma_load_matrix %C[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xi32> -> !gpu.mma_matrix<16x16xi32, "COp">
    %z = gpu.subgroup_mma_elementwise subi %c, %c : (!gpu.mma_matrix<16x16xi32, "COp">, !gpu.mma_matrix<16x16xi32, "COp">) -> !gpu.mma_matrix<16x16xi32, "COp">
    %d = gpu.subgroup_mma_compute %a, %b, %z : !gpu.mma_matrix<16x32xsi8, "AOp">, !gpu.mma_matrix<32x16xui8, "BOp"> -> !gpu.mma_matrix<16x16xi32, "COp">
    gpu.subgroup_mma_store_matrix %d, %C[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xi32, "COp">, memref<16x16xi32>
    gpu.terminator
  }
  %zero = arith.constant 0 : i32
  %diff = scf.for %i = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> (i32) {
    %inner = scf.for %j = %c0 to %c16 step %c1 iter_args(%s = %sum) -> (i32) {
      %first = arith.constant 0 : i32
      %dot = scf.for %k = %c0 to %c32 step %c1 iter_args(%acc = %first) -> (i32) {
        %x = memref.load %A[%i, %k] : memref<16x32xi8>
        %y = memref.load %B[%j, %k] : memref<16x32xi8>
        %xw = arith.extsi %x : i8 to i32
        %yw = arith.extui %y : i8 to i32
        %xy = arith.muli %xw, %yw : i32
        %next = arith.addi %acc, %xy : i32
        scf.yield %next : i32
      }
      %c = memref.load %C[%i, %j] : memref<16x16xi32>
      %e = arith.subi %c, %dot : i32
      %abs = math.absi %e : i32
      %next = arith.addi %s, %abs : i32
      scf.yield %next : i32
    }
    scf.yield %inner : i32
  }
  return %diff : i32
}
