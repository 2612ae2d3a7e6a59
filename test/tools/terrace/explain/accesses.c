// RUN: terrace explain %s | FileCheck %s
// RUN: terrace explain %s --format json | FileCheck %s --check-prefix=JSON
// RUN: terrace explain %s --format html | FileCheck %s --check-prefix=HTML

#define N 1000
#define AT(x, i, j) x[(i) * N + (j)]
#define BOTH(x, i) (x[2 * (i)] + x[3 * (i)])

struct point {
  double x, y, z;
};
double a[N][N], b[N * N], s;
float f[N];
struct point p[N];

// Subscripts are those of the source; what is as good as it can be is not mentioned.
void columns(void)
{
// CHECK-LABEL: : columns
// CHECK: the read of a[i][j+1]: neighbouring threads are 1000 elements (8000 bytes) apart, 32 sectors a warp where 8 would do
// CHECK-NEXT: line [[@LINE+15]]
// CHECK-NEXT: b[i] = a[i][j+1] + a[j] [i];
// CHECK-NOT: a[j] [i]: neighbouring
// JSON: "text": "a[i][j+1]",
// JSON: "stride": 1000,
// JSON-NEXT: "element_bytes": 8,
// JSON-NEXT: "apart": null,
// JSON-NEXT: "sectors": 32,
// JSON-NEXT: "ideal": 8
// HTML: the read of a[i][j+1]: neighbouring threads are 1000 elements (8000 bytes) apart, 32 sectors a warp where 8 would do
// CHECK: - the loop over i is parallel
// CHECK-NEXT: - its iterations are threads along x
  for (int j = 0; j < N - 1; j++)
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] = a[i][j+1] + a[j] [i];
}

// Macros: the text is what they stand for.
void macros(void)
{
// CHECK-LABEL: : macros
// CHECK: the read of b[(i) * 1000 + (3)]: neighbouring threads are 1000 elements (8000 bytes) apart
// CHECK: the read of b[2 * (i)]: neighbouring threads are 2 elements (16 bytes) apart, 16 sectors a warp where 8 would do
// CHECK: the read of b[3 * (i)]: neighbouring threads are 3 elements (24 bytes) apart, 24 sectors a warp where 8 would do
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    f[i] = AT(b, i, 3) + BOTH(b, i);
}

// Fields, floats, both ways, and something in between.
void others(int n, double (*restrict m)[n], double *restrict q, int *restrict k)
{
// CHECK-LABEL: : others
// CHECK-DAG: the read and write of p[i].y: neighbouring threads are 3 elements (24 bytes) apart, 24 sectors a warp where 8 would do
// CHECK-DAG: the read of f[5 * i]: neighbouring threads are 5 elements (20 bytes) apart, 20 sectors a warp where 4 would do
// CHECK-DAG: the read of m[i][2]: neighbouring threads are a row of m apart, up to 32 sectors a warp where 8 would do
// CHECK-DAG: the read of q[i * n + 1]: neighbouring threads are n elements apart, up to 32 sectors a warp where 8 would do
// CHECK-DAG: the read of q[k[i]]: its subscript is read from memory (k[i]), so that neighbouring threads may be anywhere in q, up to 32 sectors a warp where 8 would do
// CHECK-DAG: the read of q[i * n + i]: it is not known how far neighbouring threads are apart, up to 32 sectors a warp where 8 would do
// CHECK-NOT: b[N - i]
// JSON: "apart": "neighbouring threads are a row of m apart",
#pragma acc parallel loop copyin(q[0:n * n], m[0:n], k[0:n])
  for (int i = 0; i < n; i++)
    p[i].y += f[5 * i] + m[i][2] + q[i * n + 1] + q[k[i]] + q[i * n + i] + b[N - i];
}
