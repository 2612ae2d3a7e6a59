// RUN: terrace explain %s 2>&1 | FileCheck %s
// RUN: terrace explain %s --format json | FileCheck %s --check-prefix=JSON
// RUN: terrace explain %s --format html | FileCheck %s --check-prefix=HTML
// RUN: terrace cc -Minfo -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=INFO

#define N 100
double a[N], b[N], c[N], u[N], v[N], w[N];
static double own[N];
void elsewhere(void);
void fill(double *);
double look(const double *);
void set(void) { c[3] = 1; }
void by_another(void) { set(); }

// Nothing needs them on the host: a and b could stay.
void free_loop(int n, double *p, double *restrict q)
{
// CHECK-LABEL: : free_loop
// CHECK: for (int t = 0; t < 50; t += 2) {
// CHECK-NEXT: - the loop over t runs on the host: it is in no region
// CHECK-NEXT: ! a and b are copied in each of its 25 iterations, though nothing in the loop needs them on the host; `#pragma acc data copy(b) copyin(a)` in front of the loop would copy them once: 2400 bytes instead of 60 kB
// INFO: a and b are copied in each of its 25 iterations
// HTML: <p class="s attention">a and b are copied in each of its 25 iterations
  for (int t = 0; t < 50; t += 2) {
#pragma acc parallel loop copyin(a) copy(b)
    for (int i = 0; i < N; i++)
      b[i] += a[i];
    if (n > 0) n += t;
  }
// The part of a pointer is that of the clause, or left open.
// CHECK: ! p is copied in each iteration, though nothing in the loop needs it on the host; `#pragma acc data copyin(p[0:SIZE])` in front of the loop (SIZE: the number of elements of p) would copy it once
  while (n > 0) {
    int m = n--;
#pragma acc parallel loop copyin(p[0:n])
    for (int i = 0; i < N; i++)
      b[i] = p[i] + q[i * m];
    b[0] = 0;
  }
}

// JSON: "copies": [
// JSON: "kind": "needed",
// JSON: "times": 100,
// JSON: "text": "a is copied in each iteration of the loop over t at line

// What stands against it is named.
void needed(int n)
{
// CHECK-LABEL: : needed
// CHECK: - a is copied in each iteration of the loop over t at line [[@LINE+7]], 100 times, and not once around it:
// CHECK-NEXT: line [[@LINE+10]]: the host reads a
// CHECK-NEXT: n += a[t];
// CHECK-NEXT: - c is copied in each iteration of the loop over t
// CHECK-NEXT: line [[@LINE+9]]: the host calls by_another, and set, which it calls, uses it
// CHECK: - b is copied in each iteration of the loop over t
// CHECK-NEXT: line [[@LINE+6]]: the host writes b
  for (int t = 0; t < 100; t++) {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] = a[i] + c[i];
    n += a[t];
    b[t] = n;
    by_another();
  }
}

// Functions that are given arrays, or may know them.
void given(int n)
{
// CHECK-LABEL: : given
// CHECK: ! own is copied in each iteration, though nothing in the loop needs it on the host; `#pragma acc data copy(own)`
// CHECK: - u is copied in each iteration of the loop over t
// CHECK-NEXT: line [[@LINE+9]]: u is given to fill, which may write it
// CHECK: - v is copied in each iteration of the loop over t
// CHECK: line [[@LINE+8]]: v is given to look, which may read it
// CHECK: - c is copied in each iteration of the loop over t
// CHECK: line [[@LINE+7]]: the host calls elsewhere, whose body is not here
  for (int t = 0; t < n; t++) {
#pragma acc parallel loop copy(own)
    for (int i = 0; i < N; i++)
      own[i] = u[i] + v[i] + c[i];
    fill(u);
    n += look(v);
    elsewhere();
  }
}

// Other names, pointers that move, what is not understood.
void names(int n, double *p, double *q)
{
// CHECK-LABEL: : names
// CHECK: - p is copied in each iteration
// CHECK: line {{.*}}: p points elsewhere from here on; a data construct would have to name all arrays that it points to
// CHECK: - a is copied in each iteration
// CHECK-NEXT: line [[@LINE+6]]: the host writes r, which may be a since line [[@LINE+1]]
  double *r = a;
  for (int t = 0; t < n; t++) {
#pragma acc parallel loop copy(p[0:N])
    for (int i = 0; i < N; i++)
      p[i] = a[i];
    r[t] = 1;
    p = q;
  }
// CHECK: - tmp is copied in each iteration
// CHECK-NEXT: line [[@LINE+4]]: each iteration has a new tmp
// CHECK: - b is copied in each iteration
// CHECK: there is an asm statement, which may use b
  for (int t = 0; t < n; t++) {
    double tmp[N];
#pragma acc parallel loop copyout(tmp)
    for (int i = 0; i < N; i++)
      tmp[i] = b[i];
    __asm__ volatile("");
  }
}

// What stays on the host is not kept on the device.
void partly(int n, double *p)
{
// CHECK-LABEL: : partly
// CHECK: - p is copied in each iteration of the loop over t
// CHECK-NEXT: line [[@LINE+8]]: a region that stays on the host reads p
  for (int t = 0; t < n; t++) {
#pragma acc parallel loop copyin(p[0:N])
    for (int i = 0; i < N; i++)
      b[i] = p[i];
    b[1] = 2;
#pragma scop
    for (int i = 1; i < N; i++)
      own[i] = own[i - 1] + p[i];
#pragma endscop
  }
}

// A loop that returns is no place for a data construct.
int returns(int n)
{
// CHECK-LABEL: : returns
// CHECK: ! a and b are copied in each iteration, though nothing in the loop needs them on the host; `#pragma acc enter data` in front of it, and `exit data` behind it and before the return at line [[@LINE+6]], would copy them once
  for (int t = 0; t < n; t++) {
#pragma acc parallel loop copyin(a) copy(b)
    for (int i = 0; i < N; i++)
      b[i] = a[i];
    if (n % 10 == t)
      return t;
  }
  return 0;
}

// One region behind another.
void row(int n, double *restrict p)
{
// CHECK-LABEL: : row
// CHECK: - a (800 bytes) is copied back after: the copyout clause of the directive
// CHECK: - v (800 bytes) gets room on the device and is not copied: the create clause of the directive
// CHECK: - p (p[0:n], 8*n bytes) is copied to the device unless it is there: only read here
// CHECK: ! `#pragma acc data copy(a)` around lines [[@LINE+3]] to [[@LINE+8]] would copy a once instead of 2 times, as nothing in between needs it on the host: 1600 bytes instead of 2400
// CHECK-NOT: data copy(b)
#pragma acc parallel loop copyout(a) create(v)
  for (int i = 0; i < n; i++)
    a[i] = v[i] = p[i];
  b[2] = n;
#pragma acc parallel loop copy(a)
  for (int i = 0; i < N; i++)
    a[i] += b[i];
  b[3] = n;
#pragma acc parallel loop copyin(b)
  for (int i = 0; i < N; i++)
    c[i] = b[i];
}

// What is held is not copied.
void held(void)
{
// CHECK-LABEL: : held
// CHECK: - a is on the device already and is not copied: held by the data construct at line [[@LINE+2]] (copyin)
// CHECK: - w (800 bytes) is copied back where the program needs it: copied only where `enter data` at line [[@LINE+8]] has not put it on the device
#pragma acc data copyin(a)
  for (int t = 0; t < 100; t++) {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      w[i] = a[i];
  }
// CHECK: - c (800 bytes) is on the device already and is not copied: the present clause of the directive
#pragma acc enter data copyin(w)
#pragma acc parallel loop present(c)
  for (int i = 0; i < N; i++)
    c[i] = 1;
}
