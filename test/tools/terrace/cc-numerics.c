// Options about floats in GPU code, the compiler's and terrace's own.
//
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.a && FileCheck %s --check-prefix=EXACT --input-file=%t.a/tmp.f.region0.ptx
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.b --fp-contract=fast && FileCheck %s --check-prefix=FAST --input-file=%t.b/tmp.f.region0.ptx
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.b --fp-contract fast && FileCheck %s --check-prefix=FAST --input-file=%t.b/tmp.f.region0.ptx
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.c -ffp-contract=fast && FileCheck %s --check-prefix=FAST --input-file=%t.c/tmp.f.region0.ptx
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.d -ffp-contract=fast --fmad=false && FileCheck %s --check-prefix=EXACT --input-file=%t.d/tmp.f.region0.ptx
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.e --use-fast-math && FileCheck %s --check-prefix=MATH --input-file=%t.e/tmp.f.region0.ptx
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.f --use_fast_math --ftz=false --prec-div=true && FileCheck %s --check-prefix=PARTS --input-file=%t.f/tmp.f.region0.ptx
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.g -ffast-math && FileCheck %s --check-prefix=CLANG --input-file=%t.g/tmp.f.region0.ptx
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.h --approx-func && FileCheck %s --check-prefix=FUNC --input-file=%t.h/tmp.f.region0.ptx
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.i --prec-div=false --prec-sqrt=false && FileCheck %s --check-prefix=DIV --input-file=%t.i/tmp.f.region0.ptx
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.j --ftz=true && FileCheck %s --check-prefix=FTZ --input-file=%t.j/tmp.f.region0.ptx
// RUN: not terrace cc -c %s --fp-contract=always --ftz=maybe --prec-div 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not terrace cc -c %s --index-bitwidth=16 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.k --index-bitwidth=32 && FileCheck %s --check-prefix=NARROW --input-file=%t.k/tmp.f.region0.ptx
// RUN: terrace compile %s --emit ptx --index-bitwidth=32 | FileCheck %s --check-prefix=NARROW
// RUN: terrace compile %s --emit ptx | FileCheck %s --check-prefix=WIDE

// BAD: error: --fp-contract: found `always`, expected off, on or fast
// BAD-NEXT: error: --ftz: found `maybe`, expected true or false
// BAD-NEXT: error: found --prec-div, expected --prec-div=VALUE, which is true or false
// BITS: error: --index-bitwidth: found `16`, expected 32 or 64

// EXACT-LABEL: .entry
// EXACT-DAG: mul.rn.f32
// EXACT-DAG: add.rn.f32
// EXACT: div.rn.f32
// EXACT: sqrt.rn.f32

// FAST-LABEL: .entry
// FAST-NOT: mul.rn.f32
// FAST: fma.rn.f32
// FAST: div.rn.f32
// FAST: sqrt.rn.f32

// MATH-LABEL: .entry
// MATH: fma.rn.ftz.f32
// MATH: div.approx.ftz.f32
// MATH: sqrt.approx.ftz.f32
// MATH: ex2.approx.ftz.f32

// PARTS-LABEL: .entry
// PARTS-NOT: ftz
// PARTS: fma.rn.f32
// PARTS: div.rn.f32
// PARTS: sqrt.approx.f32
// PARTS: ex2.approx.f32

// CLANG-LABEL: .entry
// CLANG-NOT: ftz
// CLANG: fma.rn.f32
// CLANG: sqrt.approx.f32
// CLANG: ex2.approx.f32

// FUNC-LABEL: .entry
// FUNC: div.rn.f32
// FUNC: sqrt.rn.f32
// FUNC: ex2.approx.f32

// DIV-LABEL: .entry
// DIV: div.full.f32
// DIV: sqrt.approx.f32

// FTZ-LABEL: .entry
// FTZ: mul.rn.ftz.f32
// FTZ: div.rn.ftz.f32

// WIDE-LABEL: .entry
// WIDE: setp.{{.*}}64
// NARROW-LABEL: .entry
// NARROW-NOT: setp.{{.*}}64
// NARROW: ret;
#include <math.h>
void f(long n, float *restrict a, const float *restrict b) {
#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
  for (long i = 0; i < n; i++) {
    float s = a[i] * b[i] + b[i];
    a[i] = expf(sqrtf(fabsf(s / (a[i] - 3.0f))));
  }
}
