// RUN: terrace-opt %s -affine-vectorize-innermost | FileCheck %s
// RUN: terrace-opt %s -affine-vectorize-innermost=reassociate=true | FileCheck %s --check-prefix=ANY
// RUN: terrace-opt %s -affine-vectorize-innermost=bytes=32 | FileCheck %s --check-prefix=WIDE

// Eight doubles at a time, in four registers, and what is left over one by one.
// CHECK-LABEL: func.func @rows
// CHECK: affine.for %{{.*}} = 0 to #{{.*}}()[%{{.*}}] step 8 {
// CHECK: vector.transfer_read {{.*}} {in_bounds = [true]} : memref<?x?xf64>, vector<8xf64>
// CHECK: arith.mulf {{.*}} : vector<8xf64>
// CHECK: vector.transfer_write {{.*}} {in_bounds = [true]} : vector<8xf64>, memref<?x?xf64>
// CHECK: affine.for %{{.*}} = max #{{.*}}()[%{{.*}}] to %{{.*}} {
// CHECK: affine.store
// CHECK: } {loop.left_over}
// WIDE-LABEL: func.func @rows
// WIDE: vector<8xf64>
func.func @rows(%n: index, %A: memref<?x?xf64> {llvm.noalias}, %B: memref<?x?xf64> {llvm.noalias}, %x: f64) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = arith.mulf %a, %x : f64
      affine.store %b, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Nothing is left over; a load that stays is for all lanes.
// CHECK-LABEL: func.func @even
// CHECK: affine.for %{{.*}} = 0 to 64 step 8 {
// CHECK: vector<8xf32>
// CHECK: arith.cmpf olt, {{.*}} : vector<8xf32>
// CHECK: arith.select {{.*}} : vector<8xi1>, vector<8xf32>
// CHECK-NOT: affine.store
// CHECK: return
func.func @even(%A: memref<64xf32> {llvm.noalias}, %s: memref<1xf32> {llvm.noalias}) {
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xf32>
    %b = affine.load %s[0] : memref<1xf32>
    %c = arith.cmpf olt, %a, %b : f32
    %d = arith.select %c, %a, %b : f32
    affine.store %d, %A[%i] : memref<64xf32>
  }
  return
}

// Of the narrowest elements a register is full; wider ones need several.
// CHECK-LABEL: func.func @widths
// CHECK: vector.transfer_read {{.*}} : memref<64xi8>, vector<16xi8>
// CHECK: arith.extui {{.*}} : vector<16xi8> to vector<16xi16>
// CHECK: arith.divsi {{.*}} : vector<16xi32>
// CHECK: arith.trunci {{.*}} : vector<16xi32> to vector<16xi8>
// CHECK: vector.transfer_write {{.*}} : vector<16xi8>, memref<64xi8>
func.func @widths(%A: memref<64xi8> {llvm.noalias}, %B: memref<64xi8> {llvm.noalias}) {
  %nine = arith.constant 9 : i32
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xi8>
    %b = arith.extui %a : i8 to i32
    %c = arith.muli %b, %nine : i32
    %d = arith.addi %b, %c : i32
    %e = arith.divsi %d, %nine : i32
    %f = arith.trunci %e : i32 to i8
    affine.store %f, %B[%i] : memref<64xi8>
  }
  return
}

// The index as a number is that of the first lane and what the others are ahead. A condition
// that is the same for all lanes stays one.
// CHECK-LABEL: func.func @index
// CHECK: arith.index_cast %{{.*}} : index to i32
// CHECK: arith.constant dense<[0, 2, 4, 6, 8, 10, 12, 14]> : vector<8xi32>
// CHECK: arith.sitofp {{.*}} : vector<8xi32> to vector<8xf64>
// CHECK: arith.select %{{[a-z0-9]*}}, {{.*}} : vector<8xf64>
#twice = affine_map<(d0) -> (d0 * 2 + 1)>
func.func @index(%A: memref<64xf64> {llvm.noalias}, %v: f64, %c: i1) {
  affine.for %i = 0 to 64 {
    %k = affine.apply #twice(%i)
    %n = arith.index_cast %k : index to i32
    %x = arith.sitofp %n : i32 to f64
    %y = arith.mulf %x, %v : f64
    %z = arith.addf %y, %v : f64
    %w = arith.select %c, %z, %v : f64
    affine.store %w, %A[%i] : memref<64xf64>
  }
  return
}

// Elements of a column are loaded lane by lane, where enough is done with them.
// CHECK-LABEL: func.func @column
// CHECK: affine.load %{{.*}}[%{{.*}}, 3]
// CHECK: affine.load %{{.*}}[%{{.*}} + 1, 3]
// CHECK: vector.from_elements
// CHECK: vector.transfer_write
func.func @column(%A: memref<64x64xf64> {llvm.noalias}, %B: memref<64xf64> {llvm.noalias}, %v: f64) {
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i, 3] : memref<64x64xf64>
    %b = arith.mulf %a, %a : f64
    %c = arith.addf %b, %v : f64
    %d = arith.mulf %c, %a : f64
    %e = arith.addf %d, %v : f64
    affine.store %e, %B[%i] : memref<64xf64>
  }
  return
}

// What is read is read for all lanes before anything is written.
// CHECK-LABEL: func.func @shift
// CHECK: vector.transfer_read
// CHECK: vector.transfer_write
func.func @shift(%A: memref<65xf32> {llvm.noalias}) {
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i + 1] : memref<65xf32>
    affine.store %a, %A[%i] : memref<65xf32>
  }
  return
}

// Iterations that need one another, and columns with nothing to do.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: vector
// CHECK: return
func.func @stay(%A: memref<64x64xf32> {llvm.noalias}, %v: f32) {
  affine.for %i = 1 to 64 {
    %a = affine.load %A[0, %i - 1] : memref<64x64xf32>
    %b = arith.addf %a, %v : f32
    affine.store %b, %A[0, %i] : memref<64x64xf32>
  }
  affine.for %i = 0 to 64 {
    affine.store %v, %A[%i, 0] : memref<64x64xf32>
  }
  return
}

// A sum of floats keeps its order unless it need not; one of integers has none.
// CHECK-LABEL: func.func @sums
// CHECK: affine.for {{.*}} -> (f32)
// CHECK: affine.for {{.*}} step 8 iter_args({{.*}}) -> (vector<8xi32>)
// CHECK: vector.reduction <add>
// CHECK: affine.for {{.*}} step 8 iter_args({{.*}}) -> (vector<8xf32>)
// ANY-LABEL: func.func @sums
// ANY: affine.for {{.*}} step 8 iter_args({{.*}}) -> (vector<8xf32>)
// ANY: vector.reduction <add>
func.func @sums(%A: memref<64xf32>, %B: memref<64xi32>, %zero: f32, %none: i32) -> (f32, i32, f32) {
  %s = affine.for %i = 0 to 64 iter_args(%x = %zero) -> (f32) {
    %a = affine.load %A[%i] : memref<64xf32>
    %y = arith.addf %x, %a : f32
    affine.yield %y : f32
  }
  %t = affine.for %i = 0 to 64 iter_args(%x = %none) -> (i32) {
    %a = affine.load %B[%i] : memref<64xi32>
    %y = arith.addi %x, %a : i32
    affine.yield %y : i32
  }
  %u = affine.for %i = 0 to 64 iter_args(%x = %zero) -> (f32) {
    %a = affine.load %A[%i] : memref<64xf32>
    %y = arith.addf %x, %a fastmath<reassoc> : f32
    affine.yield %y : f32
  }
  return %s, %t, %u : f32, i32, f32
}

// Sums of bytes have room in 16 bits, and a register has more lanes of those.
// CHECK-LABEL: func.func @bytes
// CHECK: arith.extui {{.*}} : vector<16xi8> to vector<16xi16>
// CHECK: arith.addi {{.*}} : vector<16xi16>
// CHECK: arith.shrsi {{.*}} : vector<16xi16>
// CHECK: arith.trunci {{.*}} : vector<16xi16> to vector<16xi8>
func.func @bytes(%A: memref<64xi8> {llvm.noalias}, %B: memref<64xi8> {llvm.noalias}) {
  %one = arith.constant 1 : i32
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xi8>
    %b = affine.load %B[%i] : memref<64xi8>
    %x = arith.extui %a : i8 to i32
    %y = arith.extui %b : i8 to i32
    %s = arith.addi %x, %y : i32
    %h = arith.shrsi %s, %one : i32
    %r = arith.trunci %h : i32 to i8
    affine.store %r, %B[%i] : memref<64xi8>
  }
  return
}

// Where the terms of a sum take long, they are vectors, and their lanes are added in order.
// CHECK-LABEL: func.func @in_order
// CHECK: affine.for {{.*}} step 8 iter_args(%[[S:.*]] = %{{.*}}) -> (f32)
// CHECK: %[[T:.*]] = arith.divf {{.*}} : vector<8xf32>
// CHECK: %[[X:.*]] = vector.extract %[[T]][0] : f32 from vector<8xf32>
// CHECK: %[[A:.*]] = arith.addf %[[S]], %[[X]] : f32
// CHECK: %[[Y:.*]] = vector.extract %[[T]][1] : f32 from vector<8xf32>
// CHECK: arith.addf %[[A]], %[[Y]] : f32
// CHECK: affine.yield
func.func @in_order(%A: memref<64xf32>, %v: f32, %start: f32) -> f32 {
  %s = affine.for %i = 0 to 64 iter_args(%so_far = %start) -> (f32) {
    %a = affine.load %A[%i] : memref<64xf32>
    %t = arith.divf %v, %a : f32
    %n = arith.addf %so_far, %t : f32
    affine.yield %n : f32
  }
  return %s : f32
}

// Of a product of bytes, which needs all of 16 bits, the highest bit is no sign.
// CHECK-LABEL: func.func @no_sign
// CHECK: math.absi {{.*}} : vector<{{[0-9]+}}xi32>
func.func @no_sign(%A: memref<64xi8>, %B: memref<64xi32>) {
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xi8>
    %x = arith.extui %a : i8 to i32
    %p = arith.muli %x, %x : i32
    %r = math.absi %p : i32
    affine.store %r, %B[%i] : memref<64xi32>
  }
  return
}

// A row by a quotient of another counter is one row.
// CHECK-LABEL: func.func @row_of_a_quotient
// CHECK: vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}]
// CHECK: vector.transfer_write
func.func @row_of_a_quotient(%a: memref<64x48xf32>) {
  affine.for %i = 2 to 64 {
    affine.for %j = 0 to 48 {
      %x = affine.load %a[%i floordiv 2, %j] : memref<64x48xf32>
      %y = arith.mulf %x, %x : f32
      affine.store %y, %a[%i, %j] : memref<64x48xf32>
    }
  }
  return
}

// A row that ends at the diagonal or at the last column: what is left over before either end has a loop, of
// which at most one runs.
// CHECK-LABEL: func.func @two_ends
// CHECK: affine.for %[[K:.*]] = 0 to
// CHECK: affine.for %{{.*}} = 1 to min #{{.*}}(%[[K]])[%{{.*}}] step 8 {
// CHECK: vector<8xi64>
// CHECK: affine.for %{{.*}} = max #{{.*}}()[%{{.*}}] to min #{{.*}}(%[[K]])[%{{.*}}] {
// CHECK-NOT: vector
// CHECK: } {loop.left_over}
// CHECK-NEXT: affine.for %{{.*}} = max #{{.*}}(%[[K]]) to min #{{.*}}(%[[K]])[%{{.*}}] {
// CHECK-NOT: vector
// CHECK: } {loop.left_over}
func.func @two_ends(%n: index, %m: index, %a: memref<?x?xi64>, %v: i64) {
  affine.for %k = 0 to %n {
    affine.for %j = 1 to min affine_map<(d0)[s0] -> (s0, d0)>(%k)[%m] {
      %0 = affine.load %a[%k, %j] : memref<?x?xi64>
      %1 = arith.addi %0, %v : i64
      affine.store %1, %a[%k, %j] : memref<?x?xi64>
    }
  }
  return
}
