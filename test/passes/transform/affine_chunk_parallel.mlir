// RUN: terrace-opt %s -affine-chunk-parallel -mlir-pass-statistics 2>&1 | FileCheck %s
// RUN: terrace-opt %s -affine-chunk-parallel=work=512 | FileCheck %s --check-prefix=SMALL

// A thread gets many iterations at once; the last piece may be shorter.
// CHECK-LABEL: func.func @sizes
// CHECK: affine.parallel (%[[C:.*]]) = (0) to (symbol(%{{.*}}) ceildiv [[SIZE:[0-9]+]]) {
// CHECK-NEXT: affine.for %[[I:.*]] = #{{.*}}(%[[C]]){{.*}} to min #{{.*}}(%[[C]])[%{{.*}}] {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]]]
// SMALL-LABEL: func.func @sizes
// SMALL: ceildiv 256
func.func @sizes(%a: memref<?xf32>, %n: index, %v: f32) {
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.store %v, %a[%i] : memref<?xf32>
  }
  return
}

// Too little for two threads is a loop.
// CHECK-LABEL: func.func @little
// CHECK-NOT: affine.parallel
// CHECK: affine.for %{{.*}} = 0 to 50 {
// CHECK-NOT: affine.parallel
// CHECK: return
// SMALL-LABEL: func.func @little
func.func @little(%a: memref<50xf32>, %v: f32) {
  affine.parallel (%i) = (0) to (50) {
    affine.store %v, %a[%i] : memref<50xf32>
  }
  return
}

// Sums of pieces are summed up; each begins with the neutral element.
// CHECK-LABEL: func.func @sum
// CHECK: affine.parallel (%[[C:.*]]) = (0) to (symbol(%{{.*}}) ceildiv {{[0-9]+}}) reduce ("addf") -> (f32) {
// CHECK: %[[PART:.*]] = affine.for %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32) {
// CHECK: arith.addf {{.*}} fastmath<reassoc> : f32
// CHECK: affine.yield %[[PART]] : f32
func.func @sum(%a: memref<?xf32>, %n: index) -> f32 {
  %s = affine.parallel (%i) = (0) to (symbol(%n)) reduce ("addf") -> (f32) {
    %x = affine.load %a[%i] : memref<?xf32>
    affine.yield %x : f32
  }
  return %s : f32
}

// Further dimensions are loops of a thread, which runs a few iterations of the first one
// together where sizes say how much work one is.
// CHECK-LABEL: func.func @rows
// CHECK: affine.parallel (%[[C:.*]]) = (0) to (symbol(%{{.*}}) ceildiv 16) {
// CHECK-NEXT: affine.for %[[I:.*]] = #{{.*}}(%[[C]]){{.*}} to min
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to %{{.*}} {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @rows(%a: memref<?x?xf32>, %n: index, %v: f32) {
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), symbol(%n)) {
    affine.store %v, %a[%i, %j] : memref<?x?xf32>
  }
  return
}

// A vector of bytes has more lanes; where there are chunks enough, they are whole vectors of several
// registers.
// CHECK-LABEL: func.func @bytes
// CHECK: affine.parallel (%{{.*}}) = (0) to (1024) {
// CHECK-NEXT: affine.for %{{.*}} = #{{.*}} to min #{{.*}} {
func.func @bytes(%a: memref<131072x?xi8>, %n: index, %v: i8) {
  affine.parallel (%i, %j) = (0, 0) to (131072, symbol(%n)) {
    affine.store %v, %a[%i, %j] : memref<131072x?xi8>
  }
  return
}

// Two sums of two rows each: registers hold those of three iterations and not of four, so that
// chunks are whole threes.
// CHECK-LABEL: func.func @threes
// CHECK: affine.parallel (%{{.*}}) = (0) to (symbol(%{{.*}}) ceildiv 24) {
// CHECK-NEXT: affine.for
func.func @threes(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %x: memref<?xf64>, %c: memref<?xf64>,
                  %n: index, %zero: f64) {
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %s:2 = affine.for %j = 0 to %n iter_args(%t = %zero, %u = %zero) -> (f64, f64) {
      %x0 = affine.load %x[%j] : memref<?xf64>
      %a0 = affine.load %a[%i, %j] : memref<?x?xf64>
      %b0 = affine.load %b[%i, %j] : memref<?x?xf64>
      %p = arith.mulf %a0, %x0 : f64
      %q = arith.mulf %b0, %x0 : f64
      %t1 = arith.addf %t, %p : f64
      %u1 = arith.addf %u, %q : f64
      affine.yield %t1, %u1 : f64, f64
    }
    %r = arith.addf %s#0, %s#1 : f64
    affine.store %r, %c[%i] : memref<?xf64>
  }
  return
}

// Little work is in order with any step. Much of it is cut between two iterations.
// CHECK-LABEL: func.func @steps
// CHECK: affine.for %{{.*}} = 0 to 3000 step 3 {
// CHECK: affine.parallel (%[[C:.*]]) = (0) to (62) {
// CHECK-NEXT: affine.for %{{.*}} = #{{.*}}(%[[C]]) to min #{{.*}}(%[[C]]) step 3 {
// CHECK-NEXT: affine.store
func.func @steps(%a: memref<3000000xf64>, %v: f64) {
  affine.parallel (%i) = (0) to (3000) step (3) {
    affine.store %v, %a[%i] : memref<3000000xf64>
  }
  affine.parallel (%i) = (0) to (3000000) step (3) {
    affine.store %v, %a[%i] : memref<3000000xf64>
  }
  return
}

// Few iterations of unknown work are threads each.
// CHECK-LABEL: func.func @few
// CHECK: affine.parallel (%{{.*}}) = (0) to (3) {
// CHECK-NEXT: affine.for %{{.*}} = 0 to %{{.*}} {
func.func @few(%a: memref<3x?xf32>, %n: index, %v: f32) {
  affine.parallel (%i) = (0) to (3) {
    affine.for %j = 0 to %n {
      affine.store %v, %a[%i, %j] : memref<3x?xf32>
    }
  }
  return
}

// A row that is known to be short in each of its runs is a loop.
// CHECK-LABEL: func.func @short_rows
// CHECK-NOT: affine.parallel
// CHECK: affine.for %{{.*}} = #{{.*}}(%{{.*}}) to 48 {
// CHECK: return
func.func @short_rows(%a: memref<64x48xf32>, %v: f32) {
  affine.for %i = 0 to 64 {
    affine.parallel (%j) = (%i + 1) to (48) {
      affine.store %v, %a[%i, %j] : memref<64x48xf32>
    }
  }
  return
}

// Chunks begin at iterations.
// CHECK-LABEL: func.func @thirds
// CHECK: affine.parallel (%[[C:.*]]) = (0) to ((symbol(%{{.*}}) - 1) ceildiv [[SPAN:[0-9]+]]) {
// CHECK-NEXT: affine.for %{{.*}} = #{{.*}}(%[[C]]){{.*}} to min #{{.*}}(%[[C]])[%{{.*}}] step 3 {
func.func @thirds(%a: memref<?xf32>, %n: index, %v: f32) {
  affine.parallel (%i) = (1) to (symbol(%n)) step (3) {
    affine.store %v, %a[%i] : memref<?xf32>
  }
  return
}

// Where several bounds begin or end a loop, chunks are counted from one of them.
// CHECK-LABEL: func.func @several
// CHECK: affine.parallel (%[[C:.*]]) = (max(0, {{.*}} floordiv {{[0-9]+}})) to (min({{.*}} ceildiv {{[0-9]+}}, {{.*}} ceildiv {{[0-9]+}})) {
// CHECK-NEXT: affine.for %{{.*}} = max #{{.*}} to min #{{.*}} {
func.func @several(%a: memref<?xf32>, %n: index, %m: index, %k: index, %v: f32) {
  affine.parallel (%i) = (max(1, symbol(%k))) to (min(symbol(%n), symbol(%m))) {
    affine.store %v, %a[%i] : memref<?xf32>
  }
  return
}

// CHECK: 11 num-loops
