// RUN: terrace run %s --entry f16 --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry bf16 --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry f32 --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry f64 --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry i8 --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry i16 --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry i32 --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry i64 --target emulator --verify | FileCheck %s
// RUN: terrace run %s --entry f16 --emit ptx | FileCheck %s --check-prefix=F16
// RUN: terrace run %s --entry i8 --emit ptx | FileCheck %s --check-prefix=I8

// Vectors of every type through memory, as wide as what is known of their addresses
// allows.

// CHECK: verify   passed

// F16-DAG: ld.global{{.*}}.v4.b32
// F16-DAG: st.shared.v4.b32
// F16-DAG: ld.global.cs.v2.b32
// I8-DAG: ld.global{{.*}}.v4.b32
// I8-DAG: st.shared.v4.b32

func.func @f16(
    %A: memref<32x32xf16> {terrace.name = "A", terrace.init = "iota:32x32"},
    %B: memref<32x32xf16> {terrace.name = "B", terrace.init = "zeros:32x32"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %half = arith.constant 4 : index
  %one = arith.constant 8 : index
  %two = arith.constant 16 : index
  %three = arith.constant 24 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1)
             workgroup(%s: memref<32x32xf16, #gpu.address_space<workgroup>>, %v: memref<32xvector<8xf16>, #gpu.address_space<workgroup>>) {
    // Whole, promised by the op; the same by the memref; half of it; one too many.
    %x0 = vector.load %A[%t, %c0] {alignment = 16} : memref<32x32xf16>, vector<8xf16>
    vector.store %x0, %s[%t, %one] : memref<32x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %aligned = memref.assume_alignment %A, 16 : memref<32x32xf16>
    %x1 = vector.load %aligned[%t, %one] : memref<32x32xf16>, vector<8xf16>
    vector.store %x1, %s[%t, %c0] : memref<32x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %x2 = vector.load %aligned[%t, %two] {nontemporal = true} : memref<32x32xf16>, vector<4xf16>
    vector.store %x2, %s[%t, %two] : memref<32x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
    %rest = arith.addi %two, %half : index
    %x3 = vector.load %aligned[%t, %rest] : memref<32x32xf16>, vector<9xf16>
    vector.store %x3, %s[%t, %rest] : memref<32x32xf16, #gpu.address_space<workgroup>>, vector<9xf16>
    gpu.barrier
    // What a neighbour put there, two rows at a time, and elements that are vectors.
    %next = arith.addi %t, %c1 : index
    %u = arith.remui %next, %c32 : index
    %y0 = vector.load %s[%u, %c0] : memref<32x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    memref.store %y0, %v[%t] : memref<32xvector<8xf16>, #gpu.address_space<workgroup>>
    %y1 = memref.load %v[%t] : memref<32xvector<8xf16>, #gpu.address_space<workgroup>>
    vector.store %y1, %aligned[%t, %two] {nontemporal = true} : memref<32x32xf16>, vector<8xf16>
    %even = arith.constant 2 : index
    %pair = arith.divui %t, %even : index
    %first = arith.muli %pair, %even : index
    %y2 = vector.load %s[%first, %half] : memref<32x32xf16, #gpu.address_space<workgroup>>, vector<2x16xf16>
    %odd = arith.remui %t, %even : index
    %is_even = arith.cmpi eq, %odd, %c0 : index
    scf.if %is_even {
      vector.store %y2, %B[%first, %half] : memref<32x32xf16>, vector<2x16xf16>
      vector.store %x3, %B[%t, %rest] : memref<32x32xf16>, vector<9xf16>
    }
    gpu.terminator
  }
  return
}

func.func @bf16(
    %A: memref<32x32xbf16> {terrace.name = "A", terrace.init = "iota:32x32"},
    %B: memref<32x32xbf16> {terrace.name = "B", terrace.init = "zeros:32x32"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %half = arith.constant 4 : index
  %one = arith.constant 8 : index
  %two = arith.constant 16 : index
  %three = arith.constant 24 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1)
             workgroup(%s: memref<32x32xbf16, #gpu.address_space<workgroup>>, %v: memref<32xvector<8xbf16>, #gpu.address_space<workgroup>>) {
    // Whole, promised by the op; the same by the memref; half of it; one too many.
    %x0 = vector.load %A[%t, %c0] {alignment = 16} : memref<32x32xbf16>, vector<8xbf16>
    vector.store %x0, %s[%t, %one] : memref<32x32xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
    %aligned = memref.assume_alignment %A, 16 : memref<32x32xbf16>
    %x1 = vector.load %aligned[%t, %one] : memref<32x32xbf16>, vector<8xbf16>
    vector.store %x1, %s[%t, %c0] : memref<32x32xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
    %x2 = vector.load %aligned[%t, %two] {nontemporal = true} : memref<32x32xbf16>, vector<4xbf16>
    vector.store %x2, %s[%t, %two] : memref<32x32xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
    %rest = arith.addi %two, %half : index
    %x3 = vector.load %aligned[%t, %rest] : memref<32x32xbf16>, vector<9xbf16>
    vector.store %x3, %s[%t, %rest] : memref<32x32xbf16, #gpu.address_space<workgroup>>, vector<9xbf16>
    gpu.barrier
    // What a neighbour put there, two rows at a time, and elements that are vectors.
    %next = arith.addi %t, %c1 : index
    %u = arith.remui %next, %c32 : index
    %y0 = vector.load %s[%u, %c0] : memref<32x32xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
    memref.store %y0, %v[%t] : memref<32xvector<8xbf16>, #gpu.address_space<workgroup>>
    %y1 = memref.load %v[%t] : memref<32xvector<8xbf16>, #gpu.address_space<workgroup>>
    vector.store %y1, %aligned[%t, %two] {nontemporal = true} : memref<32x32xbf16>, vector<8xbf16>
    %even = arith.constant 2 : index
    %pair = arith.divui %t, %even : index
    %first = arith.muli %pair, %even : index
    %y2 = vector.load %s[%first, %half] : memref<32x32xbf16, #gpu.address_space<workgroup>>, vector<2x16xbf16>
    %odd = arith.remui %t, %even : index
    %is_even = arith.cmpi eq, %odd, %c0 : index
    scf.if %is_even {
      vector.store %y2, %B[%first, %half] : memref<32x32xbf16>, vector<2x16xbf16>
      vector.store %x3, %B[%t, %rest] : memref<32x32xbf16>, vector<9xbf16>
    }
    gpu.terminator
  }
  return
}

func.func @f32(
    %A: memref<32x16xf32> {terrace.name = "A", terrace.init = "iota:32x16"},
    %B: memref<32x16xf32> {terrace.name = "B", terrace.init = "zeros:32x16"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %half = arith.constant 2 : index
  %one = arith.constant 4 : index
  %two = arith.constant 8 : index
  %three = arith.constant 12 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1)
             workgroup(%s: memref<32x16xf32, #gpu.address_space<workgroup>>, %v: memref<32xvector<4xf32>, #gpu.address_space<workgroup>>) {
    // Whole, promised by the op; the same by the memref; half of it; one too many.
    %x0 = vector.load %A[%t, %c0] {alignment = 16} : memref<32x16xf32>, vector<4xf32>
    vector.store %x0, %s[%t, %one] : memref<32x16xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    %aligned = memref.assume_alignment %A, 16 : memref<32x16xf32>
    %x1 = vector.load %aligned[%t, %one] : memref<32x16xf32>, vector<4xf32>
    vector.store %x1, %s[%t, %c0] : memref<32x16xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    %x2 = vector.load %aligned[%t, %two] {nontemporal = true} : memref<32x16xf32>, vector<2xf32>
    vector.store %x2, %s[%t, %two] : memref<32x16xf32, #gpu.address_space<workgroup>>, vector<2xf32>
    %rest = arith.addi %two, %half : index
    %x3 = vector.load %aligned[%t, %rest] : memref<32x16xf32>, vector<5xf32>
    vector.store %x3, %s[%t, %rest] : memref<32x16xf32, #gpu.address_space<workgroup>>, vector<5xf32>
    gpu.barrier
    // What a neighbour put there, two rows at a time, and elements that are vectors.
    %next = arith.addi %t, %c1 : index
    %u = arith.remui %next, %c32 : index
    %y0 = vector.load %s[%u, %c0] : memref<32x16xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    memref.store %y0, %v[%t] : memref<32xvector<4xf32>, #gpu.address_space<workgroup>>
    %y1 = memref.load %v[%t] : memref<32xvector<4xf32>, #gpu.address_space<workgroup>>
    vector.store %y1, %aligned[%t, %two] {nontemporal = true} : memref<32x16xf32>, vector<4xf32>
    %even = arith.constant 2 : index
    %pair = arith.divui %t, %even : index
    %first = arith.muli %pair, %even : index
    %y2 = vector.load %s[%first, %half] : memref<32x16xf32, #gpu.address_space<workgroup>>, vector<2x8xf32>
    %odd = arith.remui %t, %even : index
    %is_even = arith.cmpi eq, %odd, %c0 : index
    scf.if %is_even {
      vector.store %y2, %B[%first, %half] : memref<32x16xf32>, vector<2x8xf32>
      vector.store %x3, %B[%t, %rest] : memref<32x16xf32>, vector<5xf32>
    }
    gpu.terminator
  }
  return
}

func.func @f64(
    %A: memref<32x8xf64> {terrace.name = "A", terrace.init = "iota:32x8"},
    %B: memref<32x8xf64> {terrace.name = "B", terrace.init = "zeros:32x8"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %half = arith.constant 1 : index
  %one = arith.constant 2 : index
  %two = arith.constant 4 : index
  %three = arith.constant 6 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1)
             workgroup(%s: memref<32x8xf64, #gpu.address_space<workgroup>>, %v: memref<32xvector<2xf64>, #gpu.address_space<workgroup>>) {
    // Whole, promised by the op; the same by the memref; half of it; one too many.
    %x0 = vector.load %A[%t, %c0] {alignment = 16} : memref<32x8xf64>, vector<2xf64>
    vector.store %x0, %s[%t, %one] : memref<32x8xf64, #gpu.address_space<workgroup>>, vector<2xf64>
    %aligned = memref.assume_alignment %A, 16 : memref<32x8xf64>
    %x1 = vector.load %aligned[%t, %one] : memref<32x8xf64>, vector<2xf64>
    vector.store %x1, %s[%t, %c0] : memref<32x8xf64, #gpu.address_space<workgroup>>, vector<2xf64>
    %x2 = vector.load %aligned[%t, %two] {nontemporal = true} : memref<32x8xf64>, vector<1xf64>
    vector.store %x2, %s[%t, %two] : memref<32x8xf64, #gpu.address_space<workgroup>>, vector<1xf64>
    %rest = arith.addi %two, %half : index
    %x3 = vector.load %aligned[%t, %rest] : memref<32x8xf64>, vector<3xf64>
    vector.store %x3, %s[%t, %rest] : memref<32x8xf64, #gpu.address_space<workgroup>>, vector<3xf64>
    gpu.barrier
    // What a neighbour put there, two rows at a time, and elements that are vectors.
    %next = arith.addi %t, %c1 : index
    %u = arith.remui %next, %c32 : index
    %y0 = vector.load %s[%u, %c0] : memref<32x8xf64, #gpu.address_space<workgroup>>, vector<2xf64>
    memref.store %y0, %v[%t] : memref<32xvector<2xf64>, #gpu.address_space<workgroup>>
    %y1 = memref.load %v[%t] : memref<32xvector<2xf64>, #gpu.address_space<workgroup>>
    vector.store %y1, %aligned[%t, %two] {nontemporal = true} : memref<32x8xf64>, vector<2xf64>
    %even = arith.constant 2 : index
    %pair = arith.divui %t, %even : index
    %first = arith.muli %pair, %even : index
    %y2 = vector.load %s[%first, %half] : memref<32x8xf64, #gpu.address_space<workgroup>>, vector<2x4xf64>
    %odd = arith.remui %t, %even : index
    %is_even = arith.cmpi eq, %odd, %c0 : index
    scf.if %is_even {
      vector.store %y2, %B[%first, %half] : memref<32x8xf64>, vector<2x4xf64>
      vector.store %x3, %B[%t, %rest] : memref<32x8xf64>, vector<3xf64>
    }
    gpu.terminator
  }
  return
}

func.func @i8(
    %A: memref<32x64xi8> {terrace.name = "A", terrace.init = "iota:32x64"},
    %B: memref<32x64xi8> {terrace.name = "B", terrace.init = "zeros:32x64"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %half = arith.constant 8 : index
  %one = arith.constant 16 : index
  %two = arith.constant 32 : index
  %three = arith.constant 48 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1)
             workgroup(%s: memref<32x64xi8, #gpu.address_space<workgroup>>, %v: memref<32xvector<16xi8>, #gpu.address_space<workgroup>>) {
    // Whole, promised by the op; the same by the memref; half of it; one too many.
    %x0 = vector.load %A[%t, %c0] {alignment = 16} : memref<32x64xi8>, vector<16xi8>
    vector.store %x0, %s[%t, %one] : memref<32x64xi8, #gpu.address_space<workgroup>>, vector<16xi8>
    %aligned = memref.assume_alignment %A, 16 : memref<32x64xi8>
    %x1 = vector.load %aligned[%t, %one] : memref<32x64xi8>, vector<16xi8>
    vector.store %x1, %s[%t, %c0] : memref<32x64xi8, #gpu.address_space<workgroup>>, vector<16xi8>
    %x2 = vector.load %aligned[%t, %two] {nontemporal = true} : memref<32x64xi8>, vector<8xi8>
    vector.store %x2, %s[%t, %two] : memref<32x64xi8, #gpu.address_space<workgroup>>, vector<8xi8>
    %rest = arith.addi %two, %half : index
    %x3 = vector.load %aligned[%t, %rest] : memref<32x64xi8>, vector<17xi8>
    vector.store %x3, %s[%t, %rest] : memref<32x64xi8, #gpu.address_space<workgroup>>, vector<17xi8>
    gpu.barrier
    // What a neighbour put there, two rows at a time, and elements that are vectors.
    %next = arith.addi %t, %c1 : index
    %u = arith.remui %next, %c32 : index
    %y0 = vector.load %s[%u, %c0] : memref<32x64xi8, #gpu.address_space<workgroup>>, vector<16xi8>
    memref.store %y0, %v[%t] : memref<32xvector<16xi8>, #gpu.address_space<workgroup>>
    %y1 = memref.load %v[%t] : memref<32xvector<16xi8>, #gpu.address_space<workgroup>>
    vector.store %y1, %aligned[%t, %two] {nontemporal = true} : memref<32x64xi8>, vector<16xi8>
    %even = arith.constant 2 : index
    %pair = arith.divui %t, %even : index
    %first = arith.muli %pair, %even : index
    %y2 = vector.load %s[%first, %half] : memref<32x64xi8, #gpu.address_space<workgroup>>, vector<2x32xi8>
    %odd = arith.remui %t, %even : index
    %is_even = arith.cmpi eq, %odd, %c0 : index
    scf.if %is_even {
      vector.store %y2, %B[%first, %half] : memref<32x64xi8>, vector<2x32xi8>
      vector.store %x3, %B[%t, %rest] : memref<32x64xi8>, vector<17xi8>
    }
    gpu.terminator
  }
  return
}

func.func @i16(
    %A: memref<32x32xi16> {terrace.name = "A", terrace.init = "iota:32x32"},
    %B: memref<32x32xi16> {terrace.name = "B", terrace.init = "zeros:32x32"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %half = arith.constant 4 : index
  %one = arith.constant 8 : index
  %two = arith.constant 16 : index
  %three = arith.constant 24 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1)
             workgroup(%s: memref<32x32xi16, #gpu.address_space<workgroup>>, %v: memref<32xvector<8xi16>, #gpu.address_space<workgroup>>) {
    // Whole, promised by the op; the same by the memref; half of it; one too many.
    %x0 = vector.load %A[%t, %c0] {alignment = 16} : memref<32x32xi16>, vector<8xi16>
    vector.store %x0, %s[%t, %one] : memref<32x32xi16, #gpu.address_space<workgroup>>, vector<8xi16>
    %aligned = memref.assume_alignment %A, 16 : memref<32x32xi16>
    %x1 = vector.load %aligned[%t, %one] : memref<32x32xi16>, vector<8xi16>
    vector.store %x1, %s[%t, %c0] : memref<32x32xi16, #gpu.address_space<workgroup>>, vector<8xi16>
    %x2 = vector.load %aligned[%t, %two] {nontemporal = true} : memref<32x32xi16>, vector<4xi16>
    vector.store %x2, %s[%t, %two] : memref<32x32xi16, #gpu.address_space<workgroup>>, vector<4xi16>
    %rest = arith.addi %two, %half : index
    %x3 = vector.load %aligned[%t, %rest] : memref<32x32xi16>, vector<9xi16>
    vector.store %x3, %s[%t, %rest] : memref<32x32xi16, #gpu.address_space<workgroup>>, vector<9xi16>
    gpu.barrier
    // What a neighbour put there, two rows at a time, and elements that are vectors.
    %next = arith.addi %t, %c1 : index
    %u = arith.remui %next, %c32 : index
    %y0 = vector.load %s[%u, %c0] : memref<32x32xi16, #gpu.address_space<workgroup>>, vector<8xi16>
    memref.store %y0, %v[%t] : memref<32xvector<8xi16>, #gpu.address_space<workgroup>>
    %y1 = memref.load %v[%t] : memref<32xvector<8xi16>, #gpu.address_space<workgroup>>
    vector.store %y1, %aligned[%t, %two] {nontemporal = true} : memref<32x32xi16>, vector<8xi16>
    %even = arith.constant 2 : index
    %pair = arith.divui %t, %even : index
    %first = arith.muli %pair, %even : index
    %y2 = vector.load %s[%first, %half] : memref<32x32xi16, #gpu.address_space<workgroup>>, vector<2x16xi16>
    %odd = arith.remui %t, %even : index
    %is_even = arith.cmpi eq, %odd, %c0 : index
    scf.if %is_even {
      vector.store %y2, %B[%first, %half] : memref<32x32xi16>, vector<2x16xi16>
      vector.store %x3, %B[%t, %rest] : memref<32x32xi16>, vector<9xi16>
    }
    gpu.terminator
  }
  return
}

func.func @i32(
    %A: memref<32x16xi32> {terrace.name = "A", terrace.init = "iota:32x16"},
    %B: memref<32x16xi32> {terrace.name = "B", terrace.init = "zeros:32x16"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %half = arith.constant 2 : index
  %one = arith.constant 4 : index
  %two = arith.constant 8 : index
  %three = arith.constant 12 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1)
             workgroup(%s: memref<32x16xi32, #gpu.address_space<workgroup>>, %v: memref<32xvector<4xi32>, #gpu.address_space<workgroup>>) {
    // Whole, promised by the op; the same by the memref; half of it; one too many.
    %x0 = vector.load %A[%t, %c0] {alignment = 16} : memref<32x16xi32>, vector<4xi32>
    vector.store %x0, %s[%t, %one] : memref<32x16xi32, #gpu.address_space<workgroup>>, vector<4xi32>
    %aligned = memref.assume_alignment %A, 16 : memref<32x16xi32>
    %x1 = vector.load %aligned[%t, %one] : memref<32x16xi32>, vector<4xi32>
    vector.store %x1, %s[%t, %c0] : memref<32x16xi32, #gpu.address_space<workgroup>>, vector<4xi32>
    %x2 = vector.load %aligned[%t, %two] {nontemporal = true} : memref<32x16xi32>, vector<2xi32>
    vector.store %x2, %s[%t, %two] : memref<32x16xi32, #gpu.address_space<workgroup>>, vector<2xi32>
    %rest = arith.addi %two, %half : index
    %x3 = vector.load %aligned[%t, %rest] : memref<32x16xi32>, vector<5xi32>
    vector.store %x3, %s[%t, %rest] : memref<32x16xi32, #gpu.address_space<workgroup>>, vector<5xi32>
    gpu.barrier
    // What a neighbour put there, two rows at a time, and elements that are vectors.
    %next = arith.addi %t, %c1 : index
    %u = arith.remui %next, %c32 : index
    %y0 = vector.load %s[%u, %c0] : memref<32x16xi32, #gpu.address_space<workgroup>>, vector<4xi32>
    memref.store %y0, %v[%t] : memref<32xvector<4xi32>, #gpu.address_space<workgroup>>
    %y1 = memref.load %v[%t] : memref<32xvector<4xi32>, #gpu.address_space<workgroup>>
    vector.store %y1, %aligned[%t, %two] {nontemporal = true} : memref<32x16xi32>, vector<4xi32>
    %even = arith.constant 2 : index
    %pair = arith.divui %t, %even : index
    %first = arith.muli %pair, %even : index
    %y2 = vector.load %s[%first, %half] : memref<32x16xi32, #gpu.address_space<workgroup>>, vector<2x8xi32>
    %odd = arith.remui %t, %even : index
    %is_even = arith.cmpi eq, %odd, %c0 : index
    scf.if %is_even {
      vector.store %y2, %B[%first, %half] : memref<32x16xi32>, vector<2x8xi32>
      vector.store %x3, %B[%t, %rest] : memref<32x16xi32>, vector<5xi32>
    }
    gpu.terminator
  }
  return
}

func.func @i64(
    %A: memref<32x8xi64> {terrace.name = "A", terrace.init = "iota:32x8"},
    %B: memref<32x8xi64> {terrace.name = "B", terrace.init = "zeros:32x8"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %half = arith.constant 1 : index
  %one = arith.constant 2 : index
  %two = arith.constant 4 : index
  %three = arith.constant 6 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c32, %sy = %c1, %sz = %c1)
             workgroup(%s: memref<32x8xi64, #gpu.address_space<workgroup>>, %v: memref<32xvector<2xi64>, #gpu.address_space<workgroup>>) {
    // Whole, promised by the op; the same by the memref; half of it; one too many.
    %x0 = vector.load %A[%t, %c0] {alignment = 16} : memref<32x8xi64>, vector<2xi64>
    vector.store %x0, %s[%t, %one] : memref<32x8xi64, #gpu.address_space<workgroup>>, vector<2xi64>
    %aligned = memref.assume_alignment %A, 16 : memref<32x8xi64>
    %x1 = vector.load %aligned[%t, %one] : memref<32x8xi64>, vector<2xi64>
    vector.store %x1, %s[%t, %c0] : memref<32x8xi64, #gpu.address_space<workgroup>>, vector<2xi64>
    %x2 = vector.load %aligned[%t, %two] {nontemporal = true} : memref<32x8xi64>, vector<1xi64>
    vector.store %x2, %s[%t, %two] : memref<32x8xi64, #gpu.address_space<workgroup>>, vector<1xi64>
    %rest = arith.addi %two, %half : index
    %x3 = vector.load %aligned[%t, %rest] : memref<32x8xi64>, vector<3xi64>
    vector.store %x3, %s[%t, %rest] : memref<32x8xi64, #gpu.address_space<workgroup>>, vector<3xi64>
    gpu.barrier
    // What a neighbour put there, two rows at a time, and elements that are vectors.
    %next = arith.addi %t, %c1 : index
    %u = arith.remui %next, %c32 : index
    %y0 = vector.load %s[%u, %c0] : memref<32x8xi64, #gpu.address_space<workgroup>>, vector<2xi64>
    memref.store %y0, %v[%t] : memref<32xvector<2xi64>, #gpu.address_space<workgroup>>
    %y1 = memref.load %v[%t] : memref<32xvector<2xi64>, #gpu.address_space<workgroup>>
    vector.store %y1, %aligned[%t, %two] {nontemporal = true} : memref<32x8xi64>, vector<2xi64>
    %even = arith.constant 2 : index
    %pair = arith.divui %t, %even : index
    %first = arith.muli %pair, %even : index
    %y2 = vector.load %s[%first, %half] : memref<32x8xi64, #gpu.address_space<workgroup>>, vector<2x4xi64>
    %odd = arith.remui %t, %even : index
    %is_even = arith.cmpi eq, %odd, %c0 : index
    scf.if %is_even {
      vector.store %y2, %B[%first, %half] : memref<32x8xi64>, vector<2x4xi64>
      vector.store %x3, %B[%t, %rest] : memref<32x8xi64>, vector<3xi64>
    }
    gpu.terminator
  }
  return
}
