// Scalars that loops under `parallel` only ever update by one operation come out, though
// no clause says so; others are each gang's own.
//
// RUN: terrace compile %s --emit mlir | FileCheck %s

// CHECK-LABEL: func.func @taken.region0(
// CHECK-SAME: -> (f64, f64, i32, i32, i32)
double taken(int n, double *restrict a) {
  double sum = 0, top = 0;
  int count = 0, bits = 0, low = 99;
#pragma acc parallel loop copyin(a[0:n])
  for (int i = 0; i < n; i++) {
    sum = sum + a[i];
    if (a[i] > 2) count++;
    top = a[i] > top ? a[i] : top;
    bits |= i;
    if (i % 13 < low) low = i % 13;
  }
  return sum + top + count + bits + low;
}

// CHECK-LABEL: func.func @left.region0(
// CHECK-NOT: ->
// CHECK: {
double left(int n, double *restrict a) {
  double mixed = 1, read = 0, last = 0, first = 0, in = 0;
#pragma acc parallel loop copyin(a[0:n], in) firstprivate(first)
  for (int i = 0; i < n; i++) {
    mixed += a[i];
    mixed *= 2;
    read += a[i];
    if (read > 3) last = a[i];
    first += 1;
    in += 1;
  }
  return mixed + read + last + first + in;
}

// A loop that each gang runs as a whole is not shared out.
// CHECK-LABEL: func.func @redundant.region0(
// CHECK-NOT: ->
// CHECK: {
double redundant(int n, double *restrict a) {
  double sum = 0;
#pragma acc parallel copyin(a[0:n])
  for (int i = 0; i < n; i++) sum += a[i];
  return sum;
}
