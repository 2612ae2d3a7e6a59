/* What OpenACC's specification (3.1) says of data, queues, reductions, private copies,
   atomics and loops, as many small checks: each prints a line, `ok` or `FAIL`, and the
   program returns the number of failures. Where the device has memory of its own, the
   checks also see that the host's copy stays as it was. */
#include <math.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 1000

static int failures, separate;

static void check(const char *name, int holds) {
  printf("%s %s\n", holds ? "ok" : "FAIL", name);
  fflush(stdout);
  failures += !holds;
}

/* Whether all of a[from..to) are `value`. */
static int all(const int *a, int from, int to, int value) {
  for (int i = from; i < to; i++)
    if (a[i] != value) return 0;
  return 1;
}

static void fill(int *a, int n, int value) {
  for (int i = 0; i < n; i++) a[i] = value;
}

/* Data. */

static void data_clauses(void) {
  int in[N], out[N], both[N], scratch[N];
  fill(in, N, 3);
  fill(out, N, -1);
  fill(both, N, 4);
  fill(scratch, N, 9);
#pragma acc data copyin(in) copyout(out) copy(both) create(scratch)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++) scratch[i] = in[i] * 2;
#pragma acc parallel loop
    for (int i = 0; i < N; i++) {
      out[i] = scratch[i] + 1;
      both[i] += scratch[i];
      in[i] = 0;
    }
  }
  check("copyout", all(out, 0, N, 7));
  check("copy", all(both, 0, N, 10));
  check("copyin is not copied back", all(in, 0, N, separate ? 3 : 0));
  check("create is not copied back", all(scratch, 0, N, separate ? 9 : 6));
}

static void lifetimes(void) {
  int *a = malloc(N * sizeof *a);
  fill(a, N, 1);
#pragma acc enter data copyin(a[0:N])
  check("enter data makes it present", acc_is_present(a, N * sizeof *a));
  fill(a, N, 5);
#pragma acc enter data copyin(a[0:N])
#pragma acc parallel loop present(a[0:N])
  for (int i = 0; i < N; i++) a[i] += 1;
  check("the second copyin copies nothing", all(a, 0, N, separate ? 5 : 6));
#pragma acc exit data copyout(a[0:N])
  check("the first exit copies nothing", all(a, 0, N, separate ? 5 : 6));
#pragma acc exit data copyout(a[0:N])
  check("the last exit copies back", all(a, 0, N, separate ? 2 : 6));
  if (separate) check("and then it is gone", !acc_is_present(a, N * sizeof *a));
  fill(a, N, 1);
#pragma acc enter data copyin(a[0:N])
#pragma acc enter data copyin(a[0:N])
#pragma acc exit data delete(a[0:N]) finalize
  if (separate) check("finalize ends all", !acc_is_present(a, N * sizeof *a));
  check("delete copies nothing", all(a, 0, N, 1));
#pragma acc enter data create(a[0:N])
#pragma acc data copy(a[0:N])
  {
#pragma acc parallel loop default(present)
    for (int i = 0; i < N; i++) a[i] = 8;
  }
  check("copy inside a longer life copies nothing", all(a, 0, N, separate ? 1 : 8));
#pragma acc exit data copyout(a[0:N])
  check("the longer life copies back", all(a, 0, N, 8));
  free(a);
}

static void sections(void) {
  int *a = malloc(N * sizeof *a), m[20][30];
  fill(a, N, 1);
#pragma acc parallel loop copy(a[100:200])
  for (int i = 100; i < 300; i++) a[i] = 2;
  check("a section in the middle",
        all(a, 0, 100, 1) && all(a, 100, 300, 2) && all(a, 300, N, 1));
  int lo = 10, n = 50;
#pragma acc data copyin(a[lo:n])
  {
#pragma acc parallel loop present(a[lo + 5 : 10])
    for (int i = lo + 5; i < lo + 15; i++) a[i] = 7;
#pragma acc update self(a[lo + 5 : 10])
  }
  check("a section of a section", all(a, 15, 25, 7) && all(a, 0, 15, 1) && all(a, 25, 100, 1));
  fill(&m[0][0], 600, 1);
#pragma acc parallel loop collapse(2) copy(m[5:10][0:30])
  for (int i = 5; i < 15; i++)
    for (int j = 0; j < 30; j++) m[i][j] = 4;
  check("rows of a matrix", all(&m[0][0], 0, 150, 1) && all(&m[0][0], 150, 450, 4) &&
                                all(&m[0][0], 450, 600, 1));
  free(a);
}

static void updates(void) {
  int a[N];
  fill(a, N, 1);
#pragma acc data create(a)
  {
    fill(a, N, 2);
#pragma acc update device(a)
    fill(a, N, 3);
#pragma acc parallel loop
    for (int i = 0; i < N; i++) a[i] *= 10;
    check("the host's copy is stale", all(a, 0, N, separate ? 3 : 30));
#pragma acc update host(a[0:500])
    check("update host", all(a, 0, 500, separate ? 20 : 30));
    check("the rest is not updated", all(a, 500, N, separate ? 3 : 30));
    int never = 0;
#pragma acc update host(a) if (never)
    check("update with a false if", all(a, 500, N, separate ? 3 : 30));
  }
  int b[N];
  fill(b, N, 6);
#pragma acc update host(b) if_present
  check("update if_present of absent data", all(b, 0, N, 6));
}

static void conditions(void) {
  int a[N], yes = 1, no = 0;
  fill(a, N, 1);
#pragma acc data copyin(a)
  {
#pragma acc parallel loop if (no)
    for (int i = 0; i < N; i++) a[i] += 1;
    check("a false if runs on the host", all(a, 0, N, 2));
#pragma acc parallel loop if (yes)
    for (int i = 0; i < N; i++) a[i] += 1;
    check("a true if runs on the device", all(a, 0, N, separate ? 2 : 3));
  }
#pragma acc enter data copyin(a) if (no)
  if (separate) check("enter data with a false if", !acc_is_present(a, sizeof a));
}

static void queues(void) {
  int *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
  fill(a, N, 1);
  fill(b, N, 1);
#pragma acc enter data copyin(a[0:N], b[0:N])
  for (int k = 0; k < 20; k++) {
#pragma acc parallel loop present(a[0:N]) async(1)
    for (int i = 0; i < N; i++) a[i] = a[i] * 3 % 1009;
#pragma acc parallel loop present(b[0:N]) async(2)
    for (int i = 0; i < N; i++) b[i] = b[i] * 5 % 1009;
  }
#pragma acc wait(1) async(2)
#pragma acc parallel loop present(a[0:N], b[0:N]) async(2)
  for (int i = 0; i < N; i++) b[i] += a[i];
#pragma acc update host(b[0:N]) async(2)
#pragma acc wait(2)
  int x = 1, y = 1;
  for (int k = 0; k < 20; k++) {
    x = x * 3 % 1009;
    y = y * 5 % 1009;
  }
  check("a queue keeps its order, and waits for another", all(b, 0, N, x + y));
  check("a queue that was waited for is done", acc_async_test(2));
#pragma acc parallel loop present(a[0:N]) async
  for (int i = 0; i < N; i++) a[i] = 17;
#pragma acc exit data copyout(a[0:N]) async
#pragma acc wait
  check("async without a number, wait for all", all(a, 0, N, 17));
#pragma acc exit data delete(b[0:N])
  free(a);
  free(b);
}

static void addresses(void) {
  int a[N];
  int *device = NULL;
  fill(a, N, 1);
#pragma acc data copy(a)
  {
#pragma acc host_data use_device(a)
    device = a;
    check("host_data gives the device's address", (device != a) == separate);
    check("acc_deviceptr gives the same", acc_deviceptr(a) == device);
    check("acc_hostptr leads back", acc_hostptr(device) == a);
#pragma acc parallel loop deviceptr(device)
    for (int i = 0; i < N; i++) device[i] = 12;
  }
  check("deviceptr", all(a, 0, N, 12));
  int *own = acc_malloc(N * sizeof *own);
#pragma acc parallel loop deviceptr(own)
  for (int i = 0; i < N; i++) own[i] = 5;
  acc_memcpy_from_device(a, own, sizeof a);
  acc_free(own);
  check("acc_malloc", all(a, 0, N, 5));
}

static int table[N];
#pragma acc declare create(table)

static void declared(void) {
  fill(table, N, 2);
#pragma acc update device(table)
#pragma acc parallel loop present(table)
  for (int i = 0; i < N; i++) table[i] += 1;
#pragma acc update self(table)
  check("declare create", all(table, 0, N, 3));
}

/* Reductions: the value before counts. */
#define PRAGMA(text) _Pragma(#text)
#define REDUCE(T, NAME, OP, FIRST, STEP, VALUE)                       \
  {                                                                   \
    T r = FIRST, want = FIRST, v[N];                                  \
    for (int i = 0; i < N; i++) v[i] = (T)(VALUE);                    \
    PRAGMA(acc parallel loop copyin(v) reduction(OP : r))             \
    for (int i = 0; i < N; i++) STEP(r, v[i]);                        \
    for (int i = 0; i < N; i++) STEP(want, v[i]);                     \
    check(NAME " of " #T, fabs((double)r - (double)want) <=           \
                              1e-5 * fabs((double)want));             \
  }
#define ADD(a, b) a += b
#define MUL(a, b) a *= b
#define MIN(a, b) a = b < a ? b : a
#define MAX(a, b) a = b > a ? b : a
#define ANDB(a, b) a &= b
#define ORB(a, b) a |= b
#define XORB(a, b) a ^= b
#define ANDL(a, b) a = a && b
#define ORL(a, b) a = a || b
#define ARITHMETIC(T)                                                 \
  REDUCE(T, "sum", +, 3, ADD, i % 7)                                  \
  REDUCE(T, "product", *, 1, MUL, i % 250 == 0 ? 2 : 1)               \
  REDUCE(T, "min", min, 50, MIN, (i * 37) % 101 + 5)                  \
  REDUCE(T, "max", max, 1, MAX, (i * 37) % 101 + 5)
#define BITS(T)                                                       \
  ARITHMETIC(T)                                                       \
  REDUCE(T, "and of bits", &, 127, ANDB, i == 77 ? 11 : 123)          \
  REDUCE(T, "or of bits", |, 4, ORB, i == 77 ? 64 : 3)                \
  REDUCE(T, "xor of bits", ^, 1, XORB, i % 128)                       \
  REDUCE(T, "&&", &&, 1, ANDL, i != 500)                              \
  REDUCE(T, "||", ||, 0, ORL, i == 500)

static void reductions_of_integers(void) {
  BITS(int)
  BITS(unsigned)
  BITS(long)
  BITS(long long)
  typedef unsigned long long ull;
  BITS(ull)
  BITS(short)
  typedef unsigned char uchar;
  BITS(uchar)
}

static void reductions_of_floats(void) {
  ARITHMETIC(float)
  ARITHMETIC(double)
}

static void nested_reductions(void) {
  double m[40][50], rows[40], total = 1;
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 50; j++) m[i][j] = i + j;
#pragma acc parallel loop gang copyin(m) copyout(rows) reduction(+ : total)
  for (int i = 0; i < 40; i++) {
    double row = 0;
#pragma acc loop vector reduction(+ : row)
    for (int j = 0; j < 50; j++) row += m[i][j];
    rows[i] = row;
    total += row;
  }
  int right = total == 1 + 40 * 50 * 44.0;
  for (int i = 0; i < 40; i++) right &= rows[i] == 50 * i + 1225;
  check("a reduction in each gang, and one over all", right);
  long count = 0, sum = 0;
  double low = 1e9, high = -1e9;
#pragma acc parallel loop collapse(2) copyin(m) reduction(+ : count, sum) \
    reduction(min : low) reduction(max : high)
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 50; j++) {
      count++;
      sum += i * j;
      low = fmin(low, m[i][j]);
      high = fmax(high, m[i][j]);
    }
  check("four reductions at once",
        count == 2000 && sum == 780 * 1225 && low == 0 && high == 88);
}

/* Scalars and copies of one's own. */

static void private_copies(void) {
  int a[N], f = 5, t = 77, r = 0;
#pragma acc parallel loop firstprivate(f) private(t) copyout(a)
  for (int i = 0; i < N; i++) {
    t = i + f;
    a[i] = t - i;
  }
  /* On the host the user's statement runs as it is written. */
  check("private and firstprivate", all(a, 0, N, 5) && f == 5 && (t == 77 || !separate));
#pragma acc kernels
  { r = f + 1; }
  check("kernels hand scalars back", r == 6);
#pragma acc serial copy(r)
  { r *= 7; }
  check("serial with a scalar in copy", r == 42);
  int tmp[16], b[N];
#pragma acc parallel loop gang private(tmp) copyout(b)
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < 16; k++) tmp[k] = i + k;
    int s = 0;
    for (int k = 0; k < 16; k++) s += tmp[k] - i;
    b[i] = s;
  }
  check("a private array", all(b, 0, N, 120));
  int c[30][40];
#pragma acc parallel loop gang collapse(2) private(tmp) copyout(c)
  for (int i = 0; i < 30; i++)
    for (int j = 0; j < 40; j++) {
#pragma acc loop vector
      for (int k = 0; k < 16; k++) tmp[k] = i * j + k;
      int s = 0;
      for (int k = 0; k < 16; k++) s += tmp[k] - i * j;
      c[i][j] = s;
    }
  check("a private array in collapsed loops", all(&c[0][0], 0, 1200, 120));
}

static void atomics(void) {
  int hist[10], order[N], hits = 0, last[1] = {0};
  double sum[1] = {0};
  int quot[1] = {1 << 30}, before[31], swapped[N];
  fill(hist, 10, 0);
  fill(order, N, -1);
#pragma acc parallel loop copy(hist, sum)
  for (int i = 0; i < N; i++) {
#pragma acc atomic update
    hist[i % 10]++;
#pragma acc atomic
    sum[0] += 0.5;
  }
  check("atomic update", all(hist, 0, 10, N / 10) && sum[0] == N / 2);
  int next[1] = {0};
#pragma acc parallel loop copy(next, order)
  for (int i = 0; i < N; i++) {
    int place;
#pragma acc atomic capture
    place = next[0]++;
    order[place] = 1;
  }
  check("atomic capture of the value before", next[0] == N && all(order, 0, N, 1));
  next[0] = 0;
  fill(order, N, 0);
#pragma acc parallel loop copy(next, order)
  for (int i = 0; i < N; i++) {
    int place;
#pragma acc atomic capture
    {
      next[0] += 1;
      place = next[0];
    }
    order[place - 1] = 1;
  }
  check("atomic capture of the value after", next[0] == N && all(order, 0, N, 1));
#pragma acc parallel loop copy(quot) copyout(before)
  for (int i = 0; i < 30; i++) {
    int was;
#pragma acc atomic capture
    {
      was = quot[0];
      quot[0] = quot[0] / 2;
    }
    int k = 0;
    while (was > 1) {
      was /= 2;
      k++;
    }
    before[k] = k;
  }
  int right = quot[0] == 1;
  for (int k = 1; k <= 30; k++) right &= before[k] == k;
  check("atomic capture before a division", right);
  next[0] = -1;
#pragma acc parallel loop copy(next) copyout(swapped)
  for (int i = 0; i < N; i++) {
#pragma acc atomic capture
    {
      swapped[i] = next[0];
      next[0] = i;
    }
  }
  long seen = next[0];
  for (int i = 0; i < N; i++) seen += swapped[i];
  check("atomic exchange", seen == (long)N * (N - 1) / 2 - 1);
#pragma acc parallel loop copy(last)
  for (int i = 0; i < N; i++) {
#pragma acc atomic write
    last[0] = 9;
  }
  int copy[N];
#pragma acc parallel loop copyin(last) copyout(copy) reduction(+ : hits)
  for (int i = 0; i < N; i++) {
#pragma acc atomic read
    copy[i] = last[0];
    hits++;
  }
  check("atomic write and read", all(copy, 0, N, 9) && hits == N);
}

#pragma acc routine seq
static int collatz(int n) {
  int steps = 0;
  while (n != 1 && steps < 1000) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    steps++;
  }
  return steps;
}

#pragma acc routine vector
static void scale(int *a, int n, int f) {
#pragma acc loop vector
  for (int i = 0; i < n; i++) a[i] *= f;
}

struct point {
  double x, y;
  int id;
};

struct grid {
  int n;
  double *v;
};

static void functions_and_members(void) {
  int a[N], right = 1;
#pragma acc parallel loop copyout(a)
  for (int i = 0; i < N; i++) a[i] = collatz(i + 1);
  for (int i = 0; i < N; i++) right &= a[i] == collatz(i + 1);
  check("routine seq", right);
  fill(a, N, 2);
#pragma acc parallel copy(a) num_gangs(1)
  scale(a, N, 3);
  check("routine vector", all(a, 0, N, 6));
  struct point p[100], q = {1, 2, 3};
  for (int i = 0; i < 100; i++) p[i] = (struct point){i, 2 * i, 0};
#pragma acc parallel loop copy(p)
  for (int i = 0; i < 100; i++) {
    p[i].x += p[i].y + q.x;
    p[i].id = i + q.id;
  }
  right = 1;
  for (int i = 0; i < 100; i++)
    right &= p[i].x == 3 * i + 1 && p[i].y == 2 * i && p[i].id == i + 3;
  check("members of an array of structs", right);
  struct grid g = {N, malloc(N * sizeof(double))};
#pragma acc parallel loop copyout(g.v[0 : g.n])
  for (int i = 0; i < g.n; i++) g.v[i] = i;
  right = 1;
  for (int i = 0; i < N; i++) right &= g.v[i] == i;
  check("a pointer that is a member", right);
  free(g.v);
}

/* Loops. */

static void shapes(int n, int m) {
  int v[n][m], right = 1;
#pragma acc parallel loop collapse(2) copyout(v)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) v[i][j] = i * 100 + j;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) right &= v[i][j] == i * 100 + j;
  check("an array of variable size, collapse", right);
#pragma acc parallel loop tile(4, 8) copy(v)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) v[i][j] += 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) right &= v[i][j] == i * 100 + j + 1;
  check("tile", right);
#pragma acc parallel num_gangs(8) num_workers(4) vector_length(32) copy(v)
  {
#pragma acc loop gang
    for (int i = 0; i < n; i++) {
#pragma acc loop worker vector
      for (int j = 0; j < m; j++) v[i][j] -= 1;
#pragma acc loop seq
      for (int j = 1; j < m; j++) v[i][j] += v[i][j - 1];
    }
  }
  for (int i = 0; i < n; i++) {
    int s = 0;
    for (int j = 0; j < m; j++) {
      s += i * 100 + j;
      right &= v[i][j] == s;
    }
  }
  check("gang, worker and vector, and a seq loop inside", right);
  int c[5][6][7];
#pragma acc parallel copyout(c)
#pragma acc loop gang
  for (int i = 0; i < 5; i++)
#pragma acc loop worker
    for (int j = 0; j < 6; j++)
#pragma acc loop vector
      for (int k = 0; k < 7; k++) c[i][j][k] = i + 10 * j + 100 * k;
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 7; k++) right &= c[i][j][k] == i + 10 * j + 100 * k;
  check("three levels", right);
  int down[N];
#pragma acc parallel loop copyout(down)
  for (int i = N - 1; i >= 0; i -= 3) down[i] = i;
  for (int i = N - 1; i >= 0; i -= 3) right &= down[i] == i;
  check("a loop that counts down by 3", right);
}

static void stencil(void) {
  double a[N], b[N];
  for (int i = 0; i < N; i++) a[i] = i % 13;
#pragma acc data copyin(a) copyout(b)
  {
#pragma acc parallel loop
    for (int i = 1; i < N - 1; i++) {
#pragma acc cache(a[i - 1 : 3])
      b[i] = a[i - 1] + a[i] + a[i + 1];
    }
#pragma acc kernels
    {
      b[0] = a[0];
      b[N - 1] = a[N - 1];
    }
  }
  int right = b[0] == a[0] && b[N - 1] == a[N - 1];
  for (int i = 1; i < N - 1; i++) right &= b[i] == a[i - 1] + a[i] + a[i + 1];
  check("cache, and kernels without a loop", right);
}

int main(void) {
  separate = acc_get_device_type() != acc_device_host;
  data_clauses();
  lifetimes();
  sections();
  updates();
  conditions();
  queues();
  addresses();
  declared();
  reductions_of_integers();
  reductions_of_floats();
  nested_reductions();
  private_copies();
  atomics();
  functions_and_members();
  shapes(37, 53);
  stencil();
  printf("%d failures\n", failures);
  return failures != 0;
}
