// Constructs between which the host does nothing are one region, with the loops of the host
// around them.
//
// RUN: terrace compile %s --emit mlir | FileCheck %s

// Under `data`, a time loop with two constructs: counters of the function, one of them
// after the loop.
// CHECK-LABEL: func.func @steps.region0(
// CHECK-SAME: construct = "kernels"
// CHECK: affine.for
// CHECK: affine.for
// CHECK: acc.loop = {independent}
// CHECK: affine.for
// CHECK: acc.loop = {gang, independent}
// CHECK-NOT: @steps.region1
void steps(int n, int last, float *restrict a, float *restrict b) {
  int i, t;
#pragma acc data copy(a[0:n]) create(b[0:n])
  for (t = 0; t < last; t++) {
#pragma acc parallel loop present(a[0:n], b[0:n])
    for (i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];
#pragma acc parallel loop gang
    for (i = 1; i < n - 1; i++) a[i] = b[i];
  }
}

// What `parallel` makes each gang's own is the loop's.
// CHECK-LABEL: func.func @own.region0(
// CHECK-SAME: -> (f64, f64)
// CHECK: acc.loop = {independent, private}
// CHECK: acc.loop = {independent, reduction}
double own(int n, double *restrict a, double *restrict b) {
  double s = 0, t = 1;
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
  for (int i = 0; i < n; i++) {
    t = 2 * a[i];
    b[i] = t * t;
  }
#pragma acc parallel loop copyin(b[0:n]) reduction(+ : s)
  for (int i = 0; i < n; i++) s += b[i];
  return s + t;
}

// A sum of each iteration, and what the host computes between the constructs.
// CHECK-LABEL: func.func @sums.region0(
// CHECK-NOT: @sums.region1
// CHECK-LABEL: func.func @apart_first.region0
void sums(int n, int last, double a[n][n], double x[n], double y[n]) {
  double s, now = 0;
  for (int t = 0; t < last; t++) {
    double h = 0.5 * now;
#pragma acc parallel loop
    for (int i = 0; i < n; i++) {
      s = 0;
#pragma acc loop reduction(+ : s)
      for (int j = 0; j < n; j++) s += a[i][j] * x[j];
      y[i] = s;
    }
    now += 0.1;
#pragma acc kernels
    for (int i = 0; i < n; i++) x[i] = h * y[i] + now;
  }
}

// Each of these stays two regions. The first reads a scalar of its own before it writes it,
double apart_first(int n, double *restrict x, double *restrict y) {
  double c = 3;
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    y[i] = c * x[i];
    c = y[i];
  }
#pragma acc parallel loop
  for (int i = 0; i < n; i++) x[i] = y[i] * c;
  return c;
}

// throws away what it writes,
// CHECK-LABEL: func.func @apart_thrown.region1
void apart_thrown(int n, double *restrict x, double *restrict y) {
#pragma acc parallel loop copyin(x[0:n])
  for (int i = 0; i < n; i++) x[i] = 1;
#pragma acc parallel loop copyin(x[0:n]) copyout(y[0:n])
  for (int i = 0; i < n; i++) y[i] = x[i];
}

// has an array only while it runs,
// CHECK-LABEL: func.func @apart_created.region1
void apart_created(int n, double *restrict x, double *restrict y) {
#pragma acc parallel loop create(x[0:n])
  for (int i = 0; i < n; i++) x[i] = 1;
#pragma acc parallel loop copy(x[0:n], y[0:n])
  for (int i = 0; i < n; i++) y[i] = x[i];
}

// names another part,
// CHECK-LABEL: func.func @apart_parts.region1
void apart_parts(int n, double *restrict x) {
#pragma acc parallel loop copy(x[0:n])
  for (int i = 0; i < n; i++) x[i] = 1;
#pragma acc parallel loop copy(x[n:n])
  for (int i = n; i < 2 * n; i++) x[i] = 2;
}

// names none where the other names a part,
// CHECK-LABEL: func.func @apart_implicit.region1
void apart_implicit(int n, double *restrict x) {
#pragma acc parallel loop copy(x[0:n])
  for (int i = 0; i < n; i++) x[i] = 1;
#pragma acc parallel loop
  for (int i = n; i < 2 * n; i++) x[i] = 2;
}

// names a part by a variable that changes in between,
// CHECK-LABEL: func.func @apart_moved.region1
void apart_moved(int n, double *restrict x) {
#pragma acc parallel loop copy(x[0:n])
  for (int i = 0; i < n; i++) x[i] = 1;
  n = n / 2;
#pragma acc parallel loop copy(x[0:n])
  for (int i = 0; i < n; i++) x[i] = 2;
}

// says how many gangs there are,
// CHECK-LABEL: func.func @apart_gangs.region1
void apart_gangs(int n, double *restrict x) {
#pragma acc parallel loop copy(x[0:n]) num_gangs(4)
  for (int i = 0; i < n; i++) x[i] = 1;
#pragma acc parallel loop copy(x[0:n]) num_gangs(8)
  for (int i = 0; i < n; i++) x[i] += 2;
}

// or the host sees an array in between.
// CHECK-LABEL: func.func @apart_host.region1
void apart_host(int n, double *restrict x) {
#pragma acc parallel loop copy(x[0:n])
  for (int i = 0; i < n; i++) x[i] = 1;
  x[0] = 7;
#pragma acc parallel loop copy(x[0:n])
  for (int i = 0; i < n; i++) x[i] += 2;
}

// An array that one construct names as a whole and the other only uses is copied both ways.
// CHECK-LABEL: func.func @whole.region0(
// CHECK-NOT: @whole.region1
static int w[100];
void whole(int *restrict y) {
#pragma acc parallel loop copyin(w) copyout(y[0:100])
  for (int i = 0; i < 100; i++) y[i] = w[i];
#pragma acc parallel loop
  for (int i = 0; i < 100; i++) w[i] = i;
}

// A loop that is all of a `data` construct, with statements of a gang alone.
// CHECK-LABEL: func.func @of_data.region0(
// CHECK-SAME: construct = "kernels"
// CHECK: affine.for
// CHECK: math.sqrt
// CHECK-NOT: @of_data.region1
void of_data(int n, double a[n][n]) {
  int i, j, k;
#pragma acc data copy(a[0:n][0:n])
  for (k = 0; k < n; k++) {
#pragma acc serial
    a[k][k] = __builtin_sqrt(a[k][k]);
#pragma acc parallel loop
    for (i = k + 1; i < n; i++) a[i][k] /= a[k][k];
#pragma acc parallel loop private(j)
    for (i = k + 1; i < n; i++)
      for (j = k + 1; j <= i; j++) a[i][j] -= a[i][k] * a[j][k];
  }
}

// Constructs of one queue.
// CHECK-LABEL: func.func @queued.region0(
// CHECK-SAME: construct = "kernels"
// CHECK-NOT: @queued.region1
void queued(int n, int q, float *restrict a, float *restrict b) {
#pragma acc data copy(a[0:n], b[0:n])
  {
    for (int t = 0; t < 10; t++) {
#pragma acc parallel loop async(q)
      for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];
#pragma acc parallel loop async(q)
      for (int i = 1; i < n - 1; i++) a[i] = b[i - 1] + b[i + 1];
    }
#pragma acc wait(q)
  }
}

// Of two queues, or with a sum that the host waits for, they stay apart; so does a scalar
// that a gang alone changes and somebody reads.
// CHECK-LABEL: func.func @two_queues.region1
// CHECK-LABEL: func.func @waited_for.region1
// CHECK-LABEL: func.func @kept.region1
void two_queues(int n, float *restrict a, float *restrict b) {
#pragma acc parallel loop copy(a[0:n]) async(1)
  for (int i = 0; i < n; i++) a[i] += 1;
#pragma acc parallel loop copy(b[0:n]) async(2)
  for (int i = 0; i < n; i++) b[i] += 1;
#pragma acc wait
}
float waited_for(int n, float *restrict a) {
  float s = 0;
#pragma acc parallel loop copyin(a[0:n]) reduction(+ : s) async(1)
  for (int i = 0; i < n; i++) s += a[i];
#pragma acc parallel loop copyin(a[0:n]) reduction(+ : s) async(1)
  for (int i = 0; i < n; i++) s += 2 * a[i];
#pragma acc wait
  return s;
}
float kept(int n, float *restrict a) {
  float s = 0;
#pragma acc serial copyin(a[0:n])
  s = a[0];
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] += s;
  return s;
}

// Clauses in two loops of the host would hold where the inner one does not go round.
// CHECK-LABEL: func.func @never_reached.region0(
// CHECK-SAME: construct = "parallel"
void never_reached(int n, int m, int l, float *restrict a) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < l; j++) {
#pragma acc parallel loop copy(a[0:n])
      for (int k = 0; k < n; k++) a[k] += 1;
    }
}

// A pointer to what is copied in may write it.
// CHECK-LABEL: func.func @apart_pointed.region1
void apart_pointed(int n, double *restrict x, double *restrict y) {
#pragma acc parallel loop copyin(x[0:n])
  for (int i = 0; i < n; i++) {
    double *p = x;
    p[i] = 1;
  }
#pragma acc parallel loop copyin(x[0:n]) copyout(y[0:n])
  for (int i = 0; i < n; i++) y[i] = x[i];
}
