// RUN: terrace-opt %s --affine-print-dependences -o /dev/null 2>&1 | FileCheck %s --match-full-lines
// RUN: terrace-opt %s --affine-print-dependences=value-based=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: terrace-opt %s --affine-print-dependences=input=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: terrace-opt %s --affine-print-dependences=arguments-alias=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALIAS
// RUN: not terrace-opt %s --affine-print-dependences=format=xml 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: unknown format 'xml': one of table, dot, json, systems

// Places are line and column of the op.
// CHECK-LABEL: dependences of @recurrence:
// CHECK-NEXT:   kind  array  from        to          distance  direction  carried by
// CHECK-NEXT:   flow  a      store 15:5  load 14:10  (2)       (<)        loop 'i' at line 13
func.func @recurrence(%a: memref<64xf32>) {
  affine.for %i = 2 to 64 {
    %0 = affine.load %a[%i - 2] : memref<64xf32>
    affine.store %0, %a[%i] : memref<64xf32>
  }
  return
}

// Steps and remainders are exact: the elements of different parity never meet.
// CHECK-LABEL: dependences of @parity:
// CHECK-NEXT: none through memory
func.func @parity(%a: memref<64xf32>) {
  affine.for %i = 0 to 64 step 2 {
    %0 = affine.load %a[%i + 1] : memref<64xf32>
    affine.store %0, %a[%i] : memref<64xf32>
  }
  return
}

// CHECK-LABEL: dependences of @every_third:
// CHECK-NEXT: kind {{.*}}
// CHECK-NEXT: output  a {{ *}}store [[#@LINE+5]]:5  store [[#@LINE+5]]:5  (3..9)    (<)        loop 'i' at line [[#@LINE+4]]
// LAST-LABEL: dependences of @every_third:
// LAST: output {{.*}} (3) {{ *}}(<)
func.func @every_third(%a: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 10 {
    affine.store %x, %a[%i mod 3] : memref<64xf32>
  }
  return
}

// Triangular, with parameters: open ends. The upper triangle is not the lower one.
// CHECK-LABEL: dependences of @triangle:
// CHECK-NEXT: kind {{.*}}
// CHECK-NEXT: flow {{.*}} (1.., 0) {{.*}} loop 'i' at line {{[0-9]+}}
// CHECK-NEXT: flow {{.*}} (0, 0) {{.*}} no loop
// CHECK-NEXT: anti {{.*}} (1.., 0) {{.*}} loop 'i' at line {{[0-9]+}}
// CHECK-LABEL: dependences of @branches:
func.func @triangle(%a: memref<?x?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %0 = affine.load %a[%j, %i] : memref<?x?xf32>
      affine.store %0, %a[%i, %j] : memref<?x?xf32>
      %1 = affine.load %a[%n - %i, %j] : memref<?x?xf32>
    }
  }
  return
}

// Of the branches of a condition only one runs in an iteration; 50 is in both ranges
// but never in both branches.
// CHECK-NEXT: none through memory
func.func @branches(%a: memref<100xf32>, %x: f32) {
  affine.for %i = 0 to 100 {
    affine.if affine_set<(d0) : (d0 - 50 >= 0)>(%i) {
      affine.store %x, %a[%i] : memref<100xf32>
    } else {
      %0 = affine.load %a[%i] : memref<100xf32>
    }
  }
  return
}

// The last write before a read counts.
// CHECK-LABEL: dependences of @overwritten:
// CHECK: flow {{.*}}
// CHECK: flow {{.*}}
// CHECK: flow {{.*}}
// CHECK: flow {{.*}}
// LAST-LABEL: dependences of @overwritten:
// LAST-NOT: (1..)
// LAST: flow a store {{[0-9]+}}:5 load {{[0-9]+}}:10 (0)
// LAST-NOT: flow
// LAST-LABEL: dependences of @gemm:
func.func @overwritten(%x: f32) {
  %a = memref.alloc() : memref<1xf32>
  affine.for %i = 0 to 10 {
    affine.store %x, %a[0] : memref<1xf32>
    affine.store %x, %a[0] : memref<1xf32>
    %0 = affine.load %a[0] : memref<1xf32>
  }
  return
}

// CHECK-LABEL: dependences of @gemm:
// CHECK: flow {{.*}}(0, 0, 1..) {{.*}} loop 'k' at line {{[0-9]+}}  sum
// CHECK: the update of 'c' at {{.*}} is a sum over loop 'k' at line {{[0-9]+}}
// INPUT-LABEL: dependences of @gemm:
// INPUT: input a {{.*}} (0, 1.., 0) {{.*}} loop 'j'
func.func @gemm(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %a[%i, %k] : memref<?x?xf32>
        %1 = affine.load %b[%k, %j] : memref<?x?xf32>
        %2 = affine.load %c[%i, %j] : memref<?x?xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %c[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// A reduction that is looked at while it is made is none.
// CHECK-LABEL: dependences of @prefix:
// CHECK-NOT: {{.*}}  sum
// CHECK: the update of 's' at {{.*}} is a sum; not over loop 'i' at line {{[0-9]+}}, because of the load at {{.*}}
func.func @prefix(%s: memref<1xf32>, %a: memref<10xf32>, %out: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %s[0] : memref<1xf32>
    %1 = affine.load %a[%i] : memref<10xf32>
    %2 = arith.addf %0, %1 : f32
    affine.store %2, %s[0] : memref<1xf32>
    %3 = affine.load %s[0] : memref<1xf32>
    affine.store %3, %out[%i] : memref<10xf32>
  }
  return
}

// Two updates of one kind do not disturb one another; a chain of the same op is one
// update; subtracting adds.
// CHECK-LABEL: dependences of @updates:
// CHECK: the update of 's' at {{.*}} is a sum over loop 'i' at line {{[0-9]+}}
// CHECK-NEXT: the update of 's' at {{.*}} is a sum over loop 'i' at line {{[0-9]+}}
// CHECK-NEXT: the update of 'm' at {{.*}} is a maximum over loop 'i' at line {{[0-9]+}}
func.func @updates(%s: memref<1xf32>, %m: memref<1xi32>, %a: memref<10xf32>, %b: memref<10xi32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %s[0] : memref<1xf32>
    %1 = affine.load %a[%i] : memref<10xf32>
    %2 = arith.addf %1, %0 : f32
    %3 = arith.addf %2, %1 : f32
    affine.store %3, %s[0] : memref<1xf32>
    %4 = affine.load %s[0] : memref<1xf32>
    %5 = arith.subf %4, %1 : f32
    affine.store %5, %s[0] : memref<1xf32>
    %6 = affine.load %m[0] : memref<1xi32>
    %7 = affine.load %b[%i] : memref<10xi32>
    %8 = arith.maxsi %6, %7 : i32
    affine.store %8, %m[0] : memref<1xi32>
  }
  return
}

// What loops carry as values.
// CHECK-LABEL: dependences of @carried:
// CHECK: loop 'i' at line {{[0-9]+}} carries 'sum' from [[#@LINE+6]]:10 to [[#@LINE+6]]:10: a sum
// CHECK-NEXT: loop 'i' at line {{[0-9]+}} carries 'last' from [[#@LINE+4]]:10 to [[#@LINE+6]]:10
func.func @carried(%a: memref<10xf32>) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %r:2 = affine.for %i = 0 to 10 iter_args(%sum = %zero, %last = %zero) -> (f32, f32) {
    %0 = affine.load %a[%i] : memref<10xf32>
    %1 = arith.addf %sum, %0 : f32
    %2 = arith.mulf %last, %last : f32
    affine.yield %1, %0 : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}

// Each iteration writes the buffer before it reads it, and nothing reads it later.
// CHECK-LABEL: dependences of @buffer:
// CHECK: loop 'i' at line {{[0-9]+}} may have a copy of 't' for each iteration
func.func @buffer(%a: memref<10x16xf32>, %x: f32) {
  %t = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 16 {
      affine.store %x, %t[%j] : memref<16xf32>
    }
    affine.for %j = 0 to 16 {
      %0 = affine.load %t[15 - %j] : memref<16xf32>
      affine.store %0, %a[%i, %j] : memref<10x16xf32>
    }
  }
  return
}

// An element that an iteration reads without having written it.
// CHECK-LABEL: dependences of @not_private:
// CHECK-NOT: {{.*}} may have a copy {{.*}}
// CHECK-LABEL: dependences of @live_out:
// CHECK: loop 'i' at line {{[0-9]+}} may have a copy of 't' for each iteration; what the last ones write is used afterwards
func.func @not_private(%a: memref<10x16xf32>, %x: f32) {
  %t = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 15 {
      affine.store %x, %t[%j] : memref<16xf32>
    }
    affine.for %j = 0 to 16 {
      %0 = affine.load %t[%j] : memref<16xf32>
      affine.store %0, %a[%i, %j] : memref<10x16xf32>
    }
  }
  return
}

func.func @live_out(%x: f32) -> f32 {
  %t = memref.alloc() : memref<1xf32>
  affine.for %i = 0 to 10 {
    affine.store %x, %t[0] : memref<1xf32>
    %0 = affine.load %t[0] : memref<1xf32>
  }
  %1 = affine.load %t[0] : memref<1xf32>
  return %1 : f32
}

// Memory made in an iteration is its own.
// CHECK-LABEL: dependences of @own:
// CHECK-NEXT: kind {{.*}}
// CHECK-NEXT: flow  t {{.*}} (0) {{.*}} no loop
// CHECK-NOT: {{.*}}loop 'i'{{.*}}
// CHECK-LABEL: dependences of @two_arguments:
func.func @own(%x: f32) {
  affine.for %i = 0 to 10 {
    %t = memref.alloc() : memref<1xf32>
    affine.store %x, %t[0] : memref<1xf32>
    %0 = affine.load %t[0] : memref<1xf32>
    memref.dealloc %t : memref<1xf32>
  }
  return
}

// Arguments are different memory unless told otherwise.
// CHECK-NEXT: none through memory
// ALIAS-LABEL: dependences of @two_arguments:
// ALIAS: maybe: the two arguments may be the same memory
func.func @two_arguments(%a: memref<10xf32>, %b: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %a[%i] : memref<10xf32>
    affine.store %0, %b[%i] : memref<10xf32>
  }
  return
}
