// Macros in directives: those of OpenACC are expanded by the compiler's preprocessor,
// terrace's by terrace. Places are those of the file as it is written.
//
// RUN: not terrace cc -c -DGANGS=8 %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: terrace cc -c -DGANGS=8 -DGOOD %s -o %t.o --terrace-keep=%t.dir
// RUN: FileCheck %s --check-prefix=LATER --input-file=%t.dir/tmp.f.region0.scheduled.mlir
// RUN: FileCheck %s --check-prefix=ACC --input-file=%t.dir/tmp.mlir
// RUN: not grep "#define" %t.dir/tmp.i

double a[100], b[100];
#define SIZE 10
#define HALF(x) ((x) / 2)

void f(void)
{
  // LATER: affine.for %{{.*}} = 0 to 100 step 5
#pragma terrace schedule(strip_mine(i: HALF(SIZE)))
#pragma scop
  for (int i = 0; i < 100; i++) a[i] = i;
#pragma endscop
#undef SIZE
#define SIZE 0
#ifndef GOOD
  // CHECK: macros.c:[[@LINE+1]]:54: error: `strip_mine` needs a number above 0, and this is 0
#pragma terrace schedule(unroll(i: 4), strip_mine(i: SIZE), unroll(i: 2))
#pragma scop
  for (int i = 0; i < 100; i++) a[i] = i;
#pragma endscop
  // CHECK: macros.c:[[@LINE+2]]:13: error: `NOWHERE` is not declared
#pragma terrace schedule(unroll(i: 4), \
   unroll(i:NOWHERE))
#pragma scop
  for (int i = 0; i < 100; i++) a[i] = i;
#pragma endscop
#endif
  // ACC: num_gangs = 8 : i64
#pragma acc parallel loop num_gangs(GANGS)
  for (int i = 0; i < 100; i++) b[i] = i;
}
