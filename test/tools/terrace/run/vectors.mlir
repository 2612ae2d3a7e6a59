// RUN: terrace run %s --entry transfers --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry shapes --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry transfers --emit ptx | FileCheck %s --check-prefix=PTX

// Vectors in kernels: what the emulator makes of them is what the interpreter does.

// CHECK: verify   passed

// In bounds, along the rows of aligned memory: wide. Else one lane after another.
// PTX-DAG: ld.shared.v4.f32
// PTX-DAG: @%p{{[0-9]*}} ld.global

#columns = affine_map<(d0, d1) -> (d1, d0)>
#repeated = affine_map<(d0, d1) -> (0, d1)>

func.func @transfers(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "iota:37x21"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["M", "N"], terrace.init = "zeros:37x21"},
    %C: memref<40x4xf32> {terrace.name = "C", terrace.init = "zeros:40x4"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c10, %sy = %c3, %sz = %c1)
             workgroup(%s: memref<10x3x8xf32, #gpu.address_space<workgroup>>) {
    %pad = arith.constant -1.0 : f32
    %i = arith.muli %t, %c4 : index
    %j = arith.muli %ty, %c8 : index
    // The last rows and columns lie outside.
    %x = vector.transfer_read %A[%i, %j], %pad : memref<?x?xf32>, vector<4x8xf32>
    vector.transfer_write %x, %B[%i, %j] : vector<4x8xf32>, memref<?x?xf32>
    %row = vector.extract %x[0] : vector<8xf32> from vector<4x8xf32>
    vector.transfer_write %row, %s[%t, %ty, %c0] {in_bounds = [true]} : vector<8xf32>, memref<10x3x8xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %y = vector.transfer_read %s[%t, %c1, %c0], %pad {in_bounds = [true, true]} : memref<10x3x8xf32, #gpu.address_space<workgroup>>, vector<2x8xf32>
    %n = arith.addi %ty, %c2 : index
    %mask = vector.create_mask %c1, %n : vector<2x8xi1>
    %z = vector.transfer_read %A[%t, %c4], %pad, %mask {in_bounds = [true, true]} : memref<?x?xf32>, vector<2x8xf32>
    %turned = vector.transfer_read %A[%t, %c2], %pad {permutation_map = #columns, in_bounds = [true, true]} : memref<?x?xf32>, vector<8x2xf32>
    %same = vector.transfer_read %A[%t, %c2], %pad {permutation_map = #repeated, in_bounds = [true, true]} : memref<?x?xf32>, vector<2x8xf32>
    %back = vector.transpose %turned, [1, 0] : vector<8x2xf32> to vector<2x8xf32>
    %sum = arith.addf %y, %z : vector<2x8xf32>
    %sum2 = arith.addf %back, %same : vector<2x8xf32>
    %sum3 = arith.addf %sum, %sum2 : vector<2x8xf32>
    %flat = vector.shape_cast %sum3 : vector<2x8xf32> to vector<16xf32>
    %total = vector.reduction <add>, %flat : vector<16xf32> into f32
    %first = vector.extract %flat[0] : f32 from vector<16xf32>
    %less = arith.addi %i, %ty : index
    %pair = vector.from_elements %total, %first : vector<2xf32>
    %few = vector.constant_mask [1] : vector<2xi1>
    vector.transfer_write %pair, %C[%less, %ty], %few {in_bounds = [true]} : vector<2xf32>, memref<40x4xf32>
    gpu.terminator
  }
  return
}

func.func @shapes(
    %A: memref<32x8xi32> {terrace.name = "A", terrace.init = "iota:32x8"},
    %H: memref<32x8xf16> {terrace.name = "H", terrace.init = "iota:32x8"},
    %B: memref<32x8xi32> {terrace.name = "B", terrace.init = "zeros:32x8"},
    %R: memref<32x4xf16> {terrace.name = "R", terrace.init = "zeros:32x4"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1) {
    %a = vector.load %A[%t, %c0] : memref<32x8xi32>, vector<8xi32>
    %m = vector.shape_cast %a : vector<8xi32> to vector<4x2xi32>
    %turned = vector.transpose %m, [1, 0] : vector<4x2xi32> to vector<2x4xi32>
    %mixed = vector.shuffle %turned, %turned [3, 0] : vector<2x4xi32>, vector<2x4xi32>
    %slice = vector.extract_strided_slice %mixed {offsets = [0, 1], sizes = [2, 2], strides = [1, 1]} : vector<2x4xi32> to vector<2x2xi32>
    %put = vector.insert_strided_slice %slice, %m {offsets = [1, 0], strides = [1, 1]} : vector<2x2xi32> into vector<4x2xi32>
    %flat = vector.shape_cast %put : vector<4x2xi32> to vector<8xi32>
    vector.store %flat, %B[%t, %c0] : memref<32x8xi32>, vector<8xi32>
    %all:8 = vector.to_elements %flat : vector<8xi32>
    %xor = vector.reduction <xor>, %a : vector<8xi32> into i32
    %least = vector.reduction <minsi>, %flat, %xor : vector<8xi32> into i32
    %last = arith.addi %all#7, %least : i32
    memref.store %last, %B[%t, %c3] : memref<32x8xi32>
    %h = vector.load %H[%t, %c0] : memref<32x8xf16>, vector<8xf16>
    %sum = vector.reduction <add>, %h : vector<8xf16> into f16
    %max = vector.reduction <maximumf>, %h : vector<8xf16> into f16
    memref.store %sum, %R[%t, %c1] : memref<32x4xf16>
    memref.store %max, %R[%t, %c2] : memref<32x4xf16>
    gpu.terminator
  }
  return
}
