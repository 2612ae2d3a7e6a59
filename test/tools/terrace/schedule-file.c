// A schedule in a file of its own, whose name is as seen from this one.
//
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.dir
// RUN: FileCheck %s --input-file=%t.dir/tmp.f.region0.scheduled.mlir
// RUN: terrace explain %s | FileCheck %s --check-prefix=SAY
// RUN: not terrace cc -c -DWRONG %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WRONG

double a[64][32];

// CHECK:      affine.parallel (%[[J:.*]]) = (0) to (32) {
// CHECK-NEXT:   affine.for %[[I:.*]] = 1 to 64 {
// CHECK:          affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
//
// SAY: - 2 steps of the schedule in '{{.*}}Inputs/transposed.mlir' were done
// SAY: - the loop over j is parallel
void f(void)
{
#pragma terrace schedule("Inputs/transposed.mlir")
#pragma scop
  for (int i = 1; i < 64; i++)
    for (int j = 0; j < 32; j++) a[i][j] += a[i - 1][j];
#pragma endscop
}

#ifdef WRONG
void g(void)
{
// WRONG: schedule-file.c:[[@LINE+1]]:1: error: the file '{{.*}}Inputs/transposed.mlir' holds no schedule for this region, @g.region0, but for @somewhere, @f
#pragma terrace schedule("Inputs/transposed.mlir")
#pragma scop
  for (int i = 1; i < 64; i++)
    for (int j = 0; j < 32; j++) a[i][j] += a[i - 1][j];
#pragma endscop
// WRONG: Inputs/wrong.mlir:3:8: error: 'schedule.parallel' op is not legal for loop 'i' at line [[@LINE+5]]: iterations would run at once that the flow dependence on 'a' puts in order
// WRONG: schedule-file.c:[[@LINE+4]]:3: note: this loop
// WRONG: schedule-file.c:[[@LINE+1]]:1: note: the schedule is asked for here
#pragma terrace schedule("Inputs/wrong.mlir")
#pragma scop
  for (int i = 1; i < 64; i++)
    for (int j = 0; j < 32; j++) a[i][j] += a[i - 1][j];
#pragma endscop
// WRONG: Inputs/malformed.mlir:3:8: error:
// WRONG: schedule-file.c:[[@LINE+1]]:1: note: the schedule is asked for here
#pragma terrace schedule("Inputs/malformed.mlir")
#pragma scop
  for (int i = 1; i < 64; i++)
    for (int j = 0; j < 32; j++) a[i][j] += a[i - 1][j];
#pragma endscop
// WRONG: schedule-file.c:[[@LINE+1]]:1: error: the schedule '{{.*}}Inputs/nothing.mlir' cannot be read:
#pragma terrace schedule("Inputs/nothing.mlir")
#pragma scop
  for (int i = 1; i < 64; i++) a[i][0] = 1;
#pragma endscop
}
#endif
