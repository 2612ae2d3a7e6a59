// RUN: terrace explain %s | FileCheck %s
// RUN: terrace explain %s --format json | FileCheck %s --check-prefix=JSON
// RUN: terrace explain %s --format html | FileCheck %s --check-prefix=HTML

double A[100][100], x[100], y[100];

// CHECK: loops.c:[[@LINE+1]]: product
double product(int n, double *w)
{
  double s = 0;
// CHECK: for (int i = 0; i < n; i++) {
// CHECK-NEXT: - a region begins here (kernels), with
// CHECK: - A (80000 bytes) is copied to the device unless it is there: only read here
// CHECK: - y (800 bytes) is copied back where the program needs it
// CHECK: - the loop over i is parallel
// CHECK: - s is the sum of all iterations; its last digits may differ from those of the C program
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    double t = 0;
// CHECK: for (int j = 0; j < n; j++)
// CHECK-NEXT: - the loop over j is parallel
// CHECK-NEXT: - t is the sum of all iterations
    for (int j = 0; j < n; j++)
      t += A[i][j] * x[j];
    y[i] = t;
    s += t;
  }
// CHECK: for (int i = 1; i < n; i++)
// CHECK-NEXT: ! this region stays on the host
// CHECK-NEXT: - the loop over i runs in order: each iteration reads w[i - 1], which the one before writes as w[i]
// CHECK-NEXT:     line [[@LINE+5]]: the write of w[i]
// CHECK-NEXT:         w[i] = w[i - 1] + 1;
// CHECK-NEXT:     line [[@LINE+3]]: the read of w[i - 1], 1 iteration later
#pragma scop
  for (int i = 1; i < n; i++)
    w[i] = w[i - 1] + 1;
#pragma endscop
// CHECK: while (s > 10)
// CHECK-NEXT: - the loop runs on the host: it is in no region
  while (s > 10)
    s /= 2;
  return s;
}

// A loop that is not in any region is still mentioned.
// CHECK: loops.c:[[@LINE+1]]: host
int host(int n)
{
  int k = 0;
// CHECK: for (int i = 0; i < n; i += 2)
// CHECK-NEXT: - the loop over i runs on the host: it is in no region
  for (int i = 0; i < n; i += 2)
    k += i;
  return k;
}

// What is not translated says why.
// CHECK: loops.c:[[@LINE+1]]: jumps
int jumps(int n)
{
again:
// CHECK: goto again;
// CHECK-NEXT: ! stays C: a goto
  if (n++ < 10)
    goto again;
  return n;
}

// JSON: "version": 1,
// JSON: "name": "product",
// JSON: "construct": "kernels",
// JSON: "verdict": "parallel",
// JSON: "because": "analysis",
// HTML: <!DOCTYPE html>
// HTML: <p class="s good">the loop over i is parallel</p>
// HTML: w[i] = w[i - 1] + 1;
// HTML: </html>
// JSON: "verdict": "sequential",
// JSON: "distance": "1 iteration",
