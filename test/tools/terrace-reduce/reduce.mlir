// What a module is reduced to, as commands ask for it.
//
// RUN: terrace-reduce %s --test "grep -q memref.dealloc" | FileCheck %s --check-prefix=DEALLOC
// RUN: terrace-reduce %s --test "terrace-opt {} -affine-parallelize | grep -q affine.parallel" | FileCheck %s --check-prefix=PARALLEL
// RUN: terrace-reduce %s --test "terrace-opt {} -affine-print-dependences 2>&1 >/dev/null | grep -q flow" | FileCheck %s --check-prefix=FLOW
//
// The result is the same, and as many tests are counted, however many run at a time.
// RUN: terrace-reduce %s --test "grep -q arith.mulf" -j 1 --progress -o %t.1 2> %t.1.err
// RUN: terrace-reduce %s --test "grep -q arith.mulf" -j 7 --progress -o %t.7 2> %t.7.err
// RUN: cmp %t.1 %t.7
// RUN: FileCheck %s --check-prefix=MULF --input-file=%t.7
// RUN: tail -n 1 %t.1.err | cut -d , -f 1,2 > %t.1.end
// RUN: tail -n 1 %t.7.err | cut -d , -f 1,2 | cmp - %t.1.end
// RUN: FileCheck %s --check-prefix=PROGRESS --input-file=%t.7.err

// DEALLOC: module {
// DEALLOC-NEXT: func.func @
// DEALLOC-NOT: affine
// DEALLOC: memref.dealloc
// DEALLOC-NEXT: return
// DEALLOC-NEXT: }
// DEALLOC-NEXT: }

// PARALLEL: module {
// PARALLEL-NEXT: func.func @{{[a-z]+}}() {
// PARALLEL-NEXT: affine.for %{{.*}} = 0 to 0 {
// PARALLEL-NEXT: }
// PARALLEL-NEXT: return
// PARALLEL-NEXT: }
// PARALLEL-NEXT: }

// FLOW: module {
// FLOW-NOT: func.call
// FLOW: affine.store
// FLOW-NOT: affine.store
// FLOW: return

// MULF: module {
// MULF-NEXT: func.func @
// MULF-NEXT: %{{.*}} = arith.constant 0.000000e+00 : f64
// MULF-NEXT: %{{.*}} = arith.mulf
// MULF-NEXT: return
// MULF-NEXT: }
// MULF-NEXT: }

// PROGRESS: bytes, {{[0-9]+}} lines after {{[0-9]+}} tests: fewer symbols
// PROGRESS: {{^}}from {{[0-9]+}} to {{[0-9]+}} bytes, {{[0-9]+}} tests, {{[0-9.]+}} s

memref.global "private" constant @table : memref<4xf64> = dense<[1.0, 2.0, 3.0, 4.0]>

func.func private @weight(%t: memref<4xf64>, %i: index) -> f64 {
  %r = memref.load %t[%i] : memref<4xf64>
  return %r : f64
}

func.func @smooth(%a: memref<100x100xf64>, %n: index, %x: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %t = memref.get_global @table : memref<4xf64>
  %w = func.call @weight(%t, %c0) : (memref<4xf64>, index) -> f64
  %b = memref.alloc() {alignment = 64 : i64} : memref<100x100xf64>
  affine.for %i = 1 to 99 {
    affine.for %j = 1 to min affine_map<(d0)[s0] -> (s0, d0 + 1, 99)>(%i)[%n] {
      %0 = affine.load %a[%i - 1, %j] : memref<100x100xf64>
      %1 = affine.load %a[%i + 1, %j] : memref<100x100xf64>
      %2 = arith.addf %0, %1 : f64
      %3 = arith.mulf %2, %w : f64
      affine.store %3, %b[%i, %j] : memref<100x100xf64>
    }
  }
  %s = affine.for %i = 0 to 100 iter_args(%sum = %x) -> (f64) {
    %0 = affine.load %b[%i, symbol(%n)] : memref<100x100xf64>
    %1 = arith.addf %sum, %0 : f64
    affine.yield %1 : f64
  }
  %big = arith.cmpf ogt, %s, %x : f64
  cf.cond_br %big, ^copy, ^end(%x : f64)
^copy:
  affine.for %i = 0 to 100 {
    affine.if affine_set<(d0)[s0] : (d0 - 10 >= 0, s0 - d0 >= 0)>(%i)[%n] {
      %0 = affine.load %b[%i, %i] : memref<100x100xf64>
      affine.store %0, %a[%i, 0] : memref<100x100xf64>
    }
  }
  cf.br ^end(%s : f64)
^end(%r: f64):
  memref.dealloc %b : memref<100x100xf64>
  return %r : f64
}

func.func @main(%n: index) -> f64 attributes {terrace.note = "entry"} {
  %x = arith.constant 2.5 : f64
  %a = memref.alloc() : memref<100x100xf64>
  %r = func.call @smooth(%a, %n, %x) : (memref<100x100xf64>, index, f64) -> f64
  memref.dealloc %a : memref<100x100xf64>
  return %r : f64
}
