// What the compiler's options say of sums and products: operations are left out where all that they need is
// said, on the cores and on a GPU.
//
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.a && FileCheck %s --check-prefix=EXACT --input-file=%t.a/tmp.f.region0.cpu.mlir
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.b -ffast-math && FileCheck %s --check-prefix=FAST --input-file=%t.b/tmp.f.region0.cpu.mlir
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.c -Ofast && FileCheck %s --check-prefix=FAST --input-file=%t.c/tmp.f.region0.cpu.mlir
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.d -fassociative-math -fno-signed-zeros -fno-trapping-math && FileCheck %s --check-prefix=PARTS --input-file=%t.d/tmp.f.region0.cpu.mlir
// RUN: FileCheck %s --check-prefix=KEPT --input-file=%t.d/tmp.f.region0.cpu.mlir
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.e -fassociative-math && FileCheck %s --check-prefix=EXACT --input-file=%t.e/tmp.f.region0.cpu.mlir
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.f -fno-signed-zeros -ffinite-math-only && FileCheck %s --check-prefix=EXACT --input-file=%t.f/tmp.f.region0.cpu.mlir
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.g -ffast-math -fno-fast-math && FileCheck %s --check-prefix=EXACT --input-file=%t.g/tmp.f.region0.cpu.mlir
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.h -ffast-math && FileCheck %s --check-prefix=PTX --input-file=%t.h/tmp.f.region0.ptx

// EXACT: func.func @f.region0
// EXACT: arith.mulf {{.*}} : vector
// EXACT: arith.mulf {{.*}} : vector
// EXACT: arith.subf {{.*}} : vector

// Without finite numbers nothing cancels.
// PARTS: func.func @f.region0
// PARTS: arith.mulf {{.*}} : vector
// PARTS-NOT: arith.mulf {{.*}} : vector
// PARTS: vector.{{(store|transfer_write)}}

// KEPT: func.func @f.region0
// KEPT: arith.subf {{.*}} : vector

// FAST: func.func @f.region0
// FAST-NOT: arith.subf
// FAST: arith.addf {{.*}} : vector
// FAST-NOT: arith.addf {{.*}} : vector
// FAST: arith.mulf {{.*}} : vector
// FAST-NOT: arith.mulf {{.*}} : vector
// FAST: vector.{{(store|transfer_write)}}

// PTX: .entry
// PTX-NOT: sub
// PTX: add{{.*}}f32
// PTX-NOT: add.rn.f32
// PTX: mul{{.*}}f32
// PTX: ret
void f(int n, float x, const float *restrict b, const float *restrict c, float *restrict a) {
#pragma acc parallel loop copyin(b[0:n], c[0:n]) copy(a[0:n])
  for (int i = 0; i < n; i++)
    a[i] = x * b[i] + x * c[i] + a[i] - a[i];
}
