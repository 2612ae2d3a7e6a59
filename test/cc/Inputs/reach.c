/* Regions whose accesses, as far as the compiler knows, may reach beyond their arrays. Every array
   lies at the edge of its pages: what is behind it, or in front, can be read but not written,
   or not even read. What is copied there ends the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SIDE 65536
#define PAGE 4096
#ifndef ON_HEAP
#define ON_HEAP 0
#endif

enum edge { AT_END, AT_START };
static int protection;

/* An array between two stretches of memory that is not its own; on the heap, where a checker
   knows what is. */
static void *array(size_t bytes, enum edge edge) {
  if (ON_HEAP) return calloc(1, bytes);
  size_t room = (bytes + PAGE - 1) / PAGE * PAGE;
  char *p = mmap(0, room + 2 * SIDE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) exit(3);
  memset(p, 0x5a, room + 2 * SIDE);
  mprotect(p, SIDE, protection);
  mprotect(p + SIDE + room, SIDE, protection);
  char *a = p + SIDE + (edge == AT_END ? room - bytes : 0);
  memset(a, 0, bytes);
  return a;
}

static long *longs(int n, enum edge edge) {
  long *a = array(n * sizeof(long), edge);
  for (int i = 0; i < n; i++) a[i] = i * 37 % 101;
  return a;
}

static int *flags(int n, int every) {
  int *a = array(n * sizeof(int), AT_END);
  for (int i = 0; i < n; i++) a[i] = i % every == 0;
  return a;
}

static void show(const char *name, const long *a, int n) {
  unsigned long sum = 0;
  for (int i = 0; i < n; i++) sum = sum * 31 + (unsigned long)a[i];
  printf("%s %lu\n", name, sum);
}

#define BEGIN _Pragma("scop")
#define END _Pragma("endscop")

/* Conditions that only memory tells, around reads and writes. */
static void guarded_read(int n, const int *use, long *x, const long *q) {
  BEGIN
  for (int i = 0; i < n; i++)
    if (use[i]) x[i] += q[100 * i];
  END
}
static void guarded_write(int n, const int *use, const long *x, long *q) {
  BEGIN
  for (int i = 0; i < n; i++)
    if (use[i]) q[100 * i] += x[i];
  END
}
static void guarded_below(int n, const int *use, const long *x, long *q) {
  BEGIN
  for (int i = 0; i < n; i++)
    if (use[i]) q[-100 * i - 1] += x[i];
  END
}
static void guarded_directive(int n, const int *use, const long *x, long *q) {
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    if (use[i]) q[100 * i] += x[i];
}
static void guarded_kernels(int n, const int *use, const long *x, long *q) {
#pragma acc kernels
  for (int i = 0; i < n; i++)
    if (use[i]) q[100 * i] += x[i];
}
static void guarded_async(int n, const int *use, const long *x, long *q) {
#pragma acc parallel loop async(1)
  for (int i = 0; i < n; i++)
    if (use[i]) q[100 * i] += x[i];
#pragma acc wait(1)
}
/* A clause without a length. */
static void guarded_clause(int n, const int *use, const long *x, long *q) {
#pragma acc parallel loop copy(q) copyin(x)
  for (int i = 0; i < n; i++)
    if (use[i]) q[100 * i] += x[i];
}
static void guarded_copyout(int n, const int *use, const long *x, long *q) {
#pragma acc parallel loop copyout(q)
  for (int i = 0; i < n; i++)
    if (use[i]) q[100 * i] = x[i];
}
/* Conditions that are known when the region begins. */
static void condition(int n, int m, int on, long *x, const long *q) {
  BEGIN
  for (int i = 0; i < n; i++) {
    if (i < m) x[i] += q[i];
    if (i >= n - m) x[i] += q[i - (n - m)];
    if (on) x[i] += q[i + 1000];
  }
  END
}
/* Loops without iterations. */
static void empty(int n, int m, long *x, const long *q) {
  BEGIN
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) x[i] += q[1000 * i + j];
  END
}
static void triangle(int n, long *x, const long *q, const long *r) {
  BEGIN
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n; j++) x[i] += q[i * n + j];
    for (int j = 0; j < i; j++) x[i] += r[(i - 1) * n + j];
  }
  END
}
/* Remainders, masks, shifts and quotients. */
static void ring(int n, int m, long *x, const long *q) {
  BEGIN
  for (int i = 0; i < n; i++) x[i] += q[(i + m) % 56];
  END
}
static void ring_below(int n, int m, long *x, const long *q) {
  BEGIN
  for (int i = 0; i < n; i++) x[i] += q[(i - m) % 56];
  END
}
static void ring_write(int n, int m, const long *x, long *q) {
  BEGIN
  for (int i = 0; i < n; i++) q[(i + m) % 1000] += x[i];
  END
}
static void ring_steps(int n, int m, long *x, const long *q) {
  BEGIN
  for (int i = 0; i < n; i++) x[i] += q[(1 + i) % 10 * m];
  END
}
static void masked(int n, long *x, const long *q) {
  BEGIN
  for (int i = 0; i < n; i++) x[i] += q[i & 1023] + q[(i << 3 & 2047) & 31] + q[i >> 2];
  END
}
static void masked_value(int n, const long *v, long *x, const long *q) {
  BEGIN
  for (int i = 0; i < n; i++) x[i] += q[v[i] & 4095];
  END
}
/* Bytes choose. */
static void byte(int n, const unsigned char *v, long *x, const long *q) {
  BEGIN
  for (int i = 0; i < n; i++) x[i] += q[v[i]];
  END
}
/* Loops that are left, and that have no counter. */
static void left(int n, const int *use, long *x, const long *q) {
  BEGIN
  for (int i = 0; i < n; i++) {
    if (!use[i]) break;
    x[i] += q[100 * i];
  }
  END
}
static void inner_break(int n, const int *use, long *x, const long *q) {
  BEGIN
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 8; j++) {
      if (use[i] == 0) break;
      x[i] += q[100 * i];
    }
  END
}
static void whiles(int n, const int *use, long *x, const long *q) {
  BEGIN
  for (int i = 0; i < n; i++) {
    int k = use[i];
    while (k > 0) {
      x[i] += q[100 * i];
      k--;
    }
  }
  END
}
/* Which elements, memory tells. */
static void indirect(int n, const int *at, long *x, const long *q) {
  BEGIN
  for (int i = 0; i < n; i++) x[i] += q[at[i]];
  END
}
static void declared(int n, const int *at, long x[n], const long q[1000]) {
  BEGIN
  for (int i = 0; i < n; i++) x[i] += q[at[i]];
  END
}
/* Rows, records, and pointers into arrays. */
static void rows(int n, const int *use, const long *x, long (*q)[10]) {
  BEGIN
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 10; j++)
      if (use[i]) q[10 * i][j] += x[i] + j;
  END
}
struct pair {
  int a;
  long b;
};
static void records(int n, const int *use, const long *x, struct pair *q) {
  BEGIN
  for (int i = 0; i < n; i++) {
    if (use[i]) q[50 * i].b += x[i];
    if (use[i]) q[50 * i].a += 3;
  }
  END
}
static void middle(int n, const int *use, const long *x, long *q) {
  BEGIN
  for (int i = 0; i < n; i++) {
    q[i % 3 - 1] += x[i];
    if (use[i]) q[200 * i - 2] += x[i];
  }
  END
}
static void choice(int n, int m, long *x, const long *q) {
  BEGIN
  for (int i = 0; i < n; i++) x[i] += q[i < m ? i : m];
  END
}
/* A surely used element far away makes all before it one array. */
static void proved(int n, const int *use, const long *x, long *q) {
  BEGIN
  for (int i = 0; i < n; i++)
    if (use[i]) q[i] += x[i];
  q[n - 1] += 1;
  END
}

int main(void) {
  enum { N = 24 };
  static const int protections[] = {PROT_READ, PROT_NONE};
  for (int p = 0; p < 2; p++) {
    protection = protections[p];
    int *first = flags(N, N), *none = flags(N, 1), *one = flags(1, 1);
    int at[N];
    unsigned char bytes[N];
    long values[N];
    memset(none, 0, N * sizeof *none);
    for (int i = 0; i < N; i++) at[i] = bytes[i] = values[i] = i * 5 % 8;
    for (int e = 0; e < 2; e++) {
      enum edge edge = e ? AT_START : AT_END;
      long *x = longs(N, edge), *q = longs(10, edge), *w = longs(10, edge);
#define SHOW(f, a, n) show(#f, a, n)
      guarded_read(N, first, x, q), SHOW(guarded_read, x, N);
      guarded_read(N, none, x, q), guarded_read(N, none, x, NULL), SHOW(guarded_read, x, N);
      guarded_write(N, first, x, w), SHOW(guarded_write, w, 10);
      guarded_below(N, first, x, w + 10), SHOW(guarded_below, w, 10);
      guarded_directive(N, first, x, w), SHOW(guarded_directive, w, 10);
      guarded_kernels(N, first, x, w), SHOW(guarded_kernels, w, 10);
      guarded_async(N, first, x, w), SHOW(guarded_async, w, 10);
      guarded_clause(N, first, x, w), SHOW(guarded_clause, w, 10);
      guarded_copyout(N, first, x, w), SHOW(guarded_copyout, w, 10);
      condition(N, 10, 0, x, q), SHOW(condition, x, N);
      empty(N, 0, x, q), empty(1, 10, x, q), SHOW(empty, x, N);
      long *t = longs(7 * 8, edge), *u = longs(6 * 8 + 7, edge);
      triangle(8, x, t, u), SHOW(triangle, x, N);
      long *r = longs(27, edge), *v = longs(27, edge);
      ring(N, 3, x, r), ring(N, 56, x, r), SHOW(ring, x, N);
      ring_below(N, 26, x, r + 26), SHOW(ring_below, x, N);
      ring_write(N, 3, x, v), ring_write(N, 1003, x, v), SHOW(ring_write, v, 27);
      long *s = longs(55, edge);
      ring_steps(3, 6, x, s), ring_steps(N, 6, x, s), SHOW(ring_steps, x, N);
      long *m = longs(32, edge);
      masked(N, x, m), SHOW(masked, x, N);
      masked_value(N, values, x, q), SHOW(masked_value, x, N);
      byte(N, bytes, x, q), SHOW(byte, x, N);
      left(1, one, x, q), left(N, first, x, q), SHOW(left, x, N);
      inner_break(N, first, x, q), SHOW(inner_break, x, N);
      whiles(N, first, x, q), SHOW(whiles, x, N);
      indirect(N, at, x, q), SHOW(indirect, x, N);
      declared(N, at, x, q), SHOW(declared, x, N);
      rows(N, first, x, (long(*)[10])w), SHOW(rows, w, 10);
      struct pair *pairs = array(3 * sizeof *pairs, edge);
      records(N, first, x, pairs);
      printf("records %d %ld\n", pairs->a, pairs->b);
      middle(N, first, x, w + 2), SHOW(middle, w, 10);
      choice(N, 9, x, w), SHOW(choice, x, N);
      long *y = longs(N, edge);
      proved(N, first, x, y), SHOW(proved, y, N);
    }
  }
  return 0;
}
