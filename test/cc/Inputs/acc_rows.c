/* Arrays of pointers to rows, private and first-private arrays, and what the program asks
   of where it runs: as acc_semantics.c, each check prints a line. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

#define N 40
#define M 24

static int failures, separate;

static void check(const char *name, int holds) {
  printf("%s %s\n", holds ? "ok" : "FAIL", name);
  fflush(stdout);
  failures += !holds;
}

static double **rows(double first) {
  double **a = malloc(N * sizeof *a);
  for (int i = 0; i < N; i++) {
    a[i] = malloc(M * sizeof **a);
    for (int j = 0; j < M; j++) a[i][j] = first + i * 100 + j;
  }
  return a;
}

static int holds(double **a, double first) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      if (a[i][j] != first + i * 100 + j) return 0;
  return 1;
}

static void construct(void) {
  double **a = rows(1), **b = rows(0), *row = a[3];
#pragma acc data copyin(a[0:N][0:M]) copy(b[0:N][0:M])
  {
#pragma acc parallel loop collapse(2)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++) b[i][j] = 2 * a[i][j] - b[i][j];
    if (separate) check("rows stay until the end", holds(b, 0));
#pragma acc parallel loop
    for (int i = 0; i < N; i++) {
      double *to = b[i];
      const double *from = a[i];
      for (int j = 0; j < M; j++) to[j] += from[j] - 100 * i - j;
    }
  }
  check("rows come back", holds(b, 3));
  check("and the pointers are the host's", a[3] == row && holds(a, 1));
}

static void region(void) {
  double **a = rows(1), **b = rows(0);
  double sum = 0;
#pragma acc parallel loop gang copyin(a[0:N][0:M]) copyout(b[0:N][0:M]) reduction(+ : sum)
  for (int i = 0; i < N; i++) {
    double s = 0;
#pragma acc loop vector reduction(+ : s)
    for (int j = 0; j < M; j++) {
      b[i][j] = a[i][j] + 4;
      s += a[i][j];
    }
    sum += s;
  }
  double want = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) want += a[i][j];
  check("rows in a region's clauses", holds(b, 5));
  check("a sum over rows", sum == want);
}

static void part(void) {
  double **a = rows(0);
#pragma acc parallel loop copy(a[2:3][4:5])
  for (int i = 2; i < 5; i++)
    for (int j = 4; j < 9; j++) a[i][j] = -1;
  int right = 1;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      int in = 2 <= i && i < 5 && 4 <= j && j < 9;
      right &= a[i][j] == (in ? -1 : i * 100 + j);
    }
  check("parts of rows", right);
}

static void in_order(void) {
  double **a = rows(0);
  /* All the same row: nothing says that they are different. */
  for (int i = 1; i < N; i++) a[i] = a[0];
#pragma acc data copy(a[0:N][0:M])
  {
#pragma acc kernels
    for (int i = 0; i < N; i++)
      for (int j = 1; j < M; j++) a[i][j] = a[i][j - 1] + 1;
  }
  check("rows may be one row", a[5][M - 1] == M - 1);
}

static void unstructured(void) {
  double **a = rows(7);
#pragma acc enter data copyin(a[0:N][0:M])
  check("the pointers are present", acc_is_present(a, N * sizeof *a));
  check("each row is present", acc_is_present(a[N - 1], M * sizeof **a));
#pragma acc parallel loop present(a[0:N][0:M])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) a[i][j] += 1;
#pragma acc update self(a[0:N][0:M])
  check("update of rows", holds(a, 8));
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) a[i][j] += 1;
#pragma acc update device(a[0:N][0:M])
#pragma acc parallel loop present(a)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) a[i][j] += 1;
  if (separate) check("the device has its own rows", holds(a, 9));
#pragma acc exit data copyout(a[0:N][0:M])
  check("rows come back at the end", holds(a, 10));
  if (separate) check("and they are gone", !acc_is_present(a, 8) && !acc_is_present(a[0], 8));
}

static void one_by_one(void) {
  double **a = rows(0);
#pragma acc enter data copyin(a[0:N])
  for (int i = 0; i < N; i++) {
#pragma acc enter data copyin(a[i][0:M])
  }
#pragma acc parallel loop present(a)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) a[i][j] += 2;
  for (int i = 0; i < N; i++) {
#pragma acc exit data copyout(a[i][0:M])
  }
#pragma acc exit data delete(a[0:N])
  check("rows that are entered one by one", holds(a, 2));
  if (separate) check("and leave", !acc_is_present(a, 8) && !acc_is_present(a[0], 8));
}

struct block {
  int n;
  float *v;
};

static void records(void) {
  static float *table[4];
  static struct block b[4];
  for (int i = 0; i < 4; i++) {
    table[i] = malloc((i + 1) * sizeof(float));
    for (int j = 0; j <= i; j++) table[i][j] = i;
    b[i].n = i + 1;
    b[i].v = table[i];
  }
#pragma acc data copy(table[0:4][0:1])
  {
#pragma acc parallel loop
    for (int i = 0; i < 4; i++) table[i][0] *= 2;
  }
  check("an array of pointers", table[3][0] == 6 && table[3][3] == 3);
#pragma acc enter data copyin(b)
  for (int i = 0; i < 4; i++) {
#pragma acc enter data copyin(b[i].v[0:b[i].n])
  }
#pragma acc parallel loop present(b)
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < b[i].n; j++) b[i].v[j] += 1;
  for (int i = 0; i < 4; i++) {
#pragma acc exit data copyout(b[i].v[0:b[i].n])
  }
#pragma acc exit data delete(b)
  check("pointers in records", table[3][0] == 7 && table[3][3] == 4 && table[0][0] == 1);
}

static void levels(void) {
  int ***a = malloc(3 * sizeof *a);
  for (int i = 0; i < 3; i++) {
    a[i] = malloc(4 * sizeof **a);
    for (int j = 0; j < 4; j++) {
      a[i][j] = malloc(5 * sizeof ***a);
      for (int k = 0; k < 5; k++) a[i][j][k] = i + j + k;
    }
  }
#pragma acc parallel loop collapse(3) copy(a[0:3][0:4][0:5])
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 5; k++) a[i][j][k] *= 3;
  int right = 1;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 5; k++) right &= a[i][j][k] == 3 * (i + j + k);
  check("three levels", right);
}

static void addresses(void) {
  double a[N], *at;
  unsigned long where[N];
  for (int i = 0; i < N; i++) a[i] = i;
#pragma acc data copy(a)
  {
#pragma acc host_data use_device(a)
    {
      at = a;
      for (int i = 0; i < N; i++) where[i] = i % 2 ? (unsigned long)(at + i) : 0;
    }
#pragma acc parallel loop copyin(where) present(a)
    for (int i = 0; i < N; i++)
      if (where[i] != 0) *((double *)where[i]) -= 5;
  }
  check("pointers made of numbers", a[0] == 0 && a[1] == -4 && a[N - 1] == N - 6);
}

static double total(double **a, int i, int n) {
  double s = 0;
  for (int j = 0; j < n; j++) s += a[i][j];
  return s;
}
#pragma acc routine(total) seq

static void routines(void) {
  double **a = rows(0), s[N];
#pragma acc parallel loop copyin(a[0:N][0:M]) copyout(s)
  for (int i = 0; i < N; i++) s[i] = total(a, i, M);
  int right = 1;
  for (int i = 0; i < N; i++) right &= s[i] == total(a, i, M);
  check("rows in a routine", right);
}

static int shared[N];

static void own_copies(int n) {
  int local[N], out[N], *heap = malloc(n * sizeof *heap);
  for (int i = 0; i < N; i++) shared[i] = local[i] = heap[i] = i;
#pragma acc parallel firstprivate(local, shared, heap[0:n]) copyout(out)
  {
    for (int i = 0; i < N; i++) {
      local[i] += 1;
      shared[i] += 10;
      heap[i] += 100;
    }
    for (int i = 0; i < N; i++) out[i] = local[i] + shared[i] + heap[i];
  }
  int begins = 1, stays = 1;
  for (int i = 0; i < N; i++) {
    begins &= out[i] == 3 * i + 111;
    stays &= local[i] == i && shared[i] == i && heap[i] == i;
  }
  check("firstprivate arrays begin with the host's values", begins);
  check("and never come back", stays);
#pragma acc enter data copyin(shared)
  for (int i = 0; i < N; i++) shared[i] = -i;
#pragma acc serial firstprivate(shared) copyout(out)
  for (int i = 0; i < N; i++) out[i] = shared[i]++;
#pragma acc exit data delete(shared)
  begins = 1;
  for (int i = 0; i < N; i++) begins &= out[i] == -i && shared[i] == -i;
  check("firstprivate of what is present", begins);
}

static void private_sections(int n) {
  int *t = malloc(n * sizeof *t), out[N];
  for (int i = 0; i < n; i++) t[i] = -5;
#pragma acc parallel num_gangs(4) private(t[0:n]) copyout(out)
  {
#pragma acc loop gang
    for (int i = 0; i < N; i++) {
#pragma acc loop seq
      for (int j = 0; j < n; j++) t[j] = i + j;
      int s = 0;
#pragma acc loop seq
      for (int j = 0; j < n; j++) s += t[j];
      out[i] = s;
    }
  }
  int right = 1;
  for (int i = 0; i < N; i++) right &= out[i] == n * i + n * (n - 1) / 2;
  check("private parts behind a pointer", right);
#pragma acc parallel loop private(t[2:4]) copyout(out)
  for (int i = 0; i < N; i++) {
    for (int j = 2; j < 6; j++) t[j] = i * j;
    out[i] = t[2] + t[5];
  }
  right = 1;
  for (int i = 0; i < N; i++) right &= out[i] == 7 * i;
  check("private to each iteration", right);
}

static void forced(void) {
  int a[N * M], scale[N], factor;
  for (int i = 0; i < N; i++) scale[i] = i + 1;
#pragma acc parallel loop collapse(force : 2) private(factor) copyin(scale) copyout(a)
  for (int i = 0; i < N; i++) {
    factor = scale[i];
    for (int j = 0; j < M; j++) a[i * M + j] = factor * j;
  }
  int right = 1;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) right &= a[i * M + j] == (i + 1) * j;
  check("collapse(force:2)", right);
}

static void where(void) {
  int host = -1, device = -1, current = -1, kind = acc_get_device_type();
#pragma acc parallel copyout(host, device, current)
  {
    host = acc_on_device(acc_device_host);
    device = acc_on_device(acc_device_not_host);
    current = acc_on_device(kind);
  }
  check("acc_on_device in a region", host == !separate && device == separate && current == 1);
}

static int plain(int x) { return x + 1; }
static int special(int x) { return x + 1000; }
#pragma acc routine(plain) seq bind(special)

static void bound(void) {
  int a[N], right = 1;
#pragma acc parallel loop copyout(a)
  for (int i = 0; i < N; i++) a[i] = plain(i);
  for (int i = 0; i < N; i++) right &= a[i] == i + 1 || a[i] == i + 1000;
  check("bind", right && plain(1) == 2 && special(1) == 1001);
  if (separate) check("and the device calls what is bound", a[1] == 1001);
}

int main(void) {
  int probe = 0;
  acc_copyin(&probe, sizeof probe);
  separate = acc_deviceptr(&probe) != &probe;
  acc_delete(&probe, sizeof probe);
  construct();
  region();
  part();
  in_order();
  unstructured();
  one_by_one();
  records();
  levels();
  addresses();
  routines();
  own_copies(N);
  private_sections(8);
  forced();
  where();
  bound();
  printf("%d failures\n", failures);
  return failures;
}
