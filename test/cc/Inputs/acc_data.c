/* What OpenACC's specification (3.3, sections 2.6, 2.7 and 2.14.4) says of counters and
   sections, beside acc_semantics.c, as many small checks: each prints a line, `ok` or
   `FAIL`, and the program returns the number of failures. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000

static int failures, separate;

static void check(const char *name, int holds) {
  printf("%s %s\n", holds ? "ok" : "FAIL", name);
  fflush(stdout);
  failures += !holds;
}

static int all(const int *a, int from, int to, int value) {
  for (int i = from; i < to; i++)
    if (a[i] != value) return 0;
  return 1;
}

static void fill(int *a, int n, int value) {
  for (int i = 0; i < n; i++) a[i] = value;
}

static void add(int *a, int from, int to) {
#pragma acc parallel loop present(a[from : to - from])
  for (int i = from; i < to; i++) a[i] += 1;
}

/* A region and enter data hold the same array. */
static void both_counters(void) {
  int a[N];
  fill(a, N, 1);
#pragma acc data copy(a)
  {
#pragma acc enter data copyin(a)
    add(a, 0, N);
#pragma acc exit data copyout(a)
    check("exit data inside of a region copies nothing", all(a, 0, N, separate ? 1 : 2));
    check("what a region holds stays", acc_is_present(a, sizeof a));
#pragma acc exit data delete(a) finalize
    check("finalize takes nothing from a region", acc_is_present(a, sizeof a));
    add(a, 0, N);
  }
  check("the region copies back", all(a, 0, N, 3));
#pragma acc data copyin(a)
  {
    add(a, 0, N);
#pragma acc enter data create(a)
  }
  check("what was entered in a region outlives it", acc_is_present(a, sizeof a));
  check("and is not copied at its end", all(a, 0, N, separate ? 3 : 4));
  add(a, 0, N);
#pragma acc exit data copyout(a)
  check("it is copied when it is left", all(a, 0, N, 5));
}

static void absent(void) {
  int a[N], b[N];
  fill(a, N, 1);
  fill(b, N, 2);
#pragma acc exit data copyout(a)
#pragma acc exit data delete(a, b) finalize
  check("exit data of what is absent does nothing", all(a, 0, N, 1) && all(b, 0, N, 2));
#pragma acc update host(a) device(b) if_present
  check("update if_present of what is absent", all(a, 0, N, 1) && all(b, 0, N, 2));
#pragma acc data no_create(a)
  {
    if (separate) check("no_create makes nothing", !acc_is_present(a, sizeof a));
  }
#pragma acc data copy(a)
  {
#pragma acc data no_create(a)
    {
#pragma acc parallel loop no_create(a)
      for (int i = 0; i < N; i++) a[i] = 6;
    }
    check("no_create holds what is there", acc_is_present(a, sizeof a));
  }
  check("no_create uses what is there", all(a, 0, N, 6));
}

/* A section of what is present is a part of it. */
static void sections(void) {
  int *a = malloc(N * sizeof *a);
  fill(a, N, 1);
#pragma acc data copyin(a[0:N])
  {
    fill(a, N, 7);
#pragma acc data copy(a[100:200])
    {
      add(a, 100, 300);
#pragma acc update host(a[150:50])
    }
    check("a section of what is present is not copied in",
          all(a, 150, 200, separate ? 2 : 8));
    check("nor out", all(a, 100, 150, separate ? 7 : 8) && all(a, 200, 300, separate ? 7 : 8));
#pragma acc update device(a[0:10])
#pragma acc update host(a[0:300])
    check("update of sections", all(a, 0, 10, 7) && all(a, 10, 100, separate ? 1 : 7) &&
                                    all(a, 100, 300, separate ? 2 : 8));
  }
#pragma acc enter data copyin(a[10:20])
  check("a section is present", acc_is_present(a + 10, 20 * sizeof *a));
  if (separate) check("the rest is not", !acc_is_present(a, N * sizeof *a));
#pragma acc exit data delete(a[10:20])
  free(a);
}

struct body {
  int n;
  int *x, *v;
  int inside[N];
};

static void members(void) {
  struct body b = {N, malloc(N * sizeof(int)), malloc(N * sizeof(int)), {0}};
  fill(b.x, N, 1);
  fill(b.v, N, 2);
#pragma acc enter data copyin(b.x[0 : b.n], b.v[0 : b.n])
#pragma acc parallel loop present(b.x[0 : b.n], b.v[0 : b.n])
  for (int i = 0; i < b.n; i++) b.x[i] += b.v[i];
#pragma acc update host(b.x[0 : N / 2])
  check("update of a part of a member",
        all(b.x, 0, N / 2, 3) && all(b.x, N / 2, N, separate ? 1 : 3));
#pragma acc exit data copyout(b.x[0 : b.n]) delete(b.v[0 : b.n])
  check("members are copied out", all(b.x, 0, N, 3));
#pragma acc data copy(b.inside)
  {
#pragma acc parallel loop present(b.inside)
    for (int i = 0; i < N; i++) b.inside[i] = 4;
  }
  check("an array in a struct", all(b.inside, 0, N, 4));
  free(b.x);
  free(b.v);
}

/* Nothing is used of a null pointer. */
static void null_pointers(int n) {
  int *a = NULL, b[N];
  fill(b, N, 1);
#pragma acc data copy(a[0:n]) copyin(b)
  {
#pragma acc parallel loop present(b)
    for (int i = 0; i < N; i++) b[i] = 2;
#pragma acc update host(a[0:n], b)
  }
#pragma acc enter data create(a[0:n])
#pragma acc exit data copyout(a[0:n])
  check("null pointers in clauses", a == NULL && all(b, 0, N, 2));
  int *some = malloc(sizeof *some);
  *some = 3;
#pragma acc data copy(some[0:n])
  check("sections of no elements", *some == 3);
  free(some);
}

int main(void) {
  separate = acc_get_device_type() != acc_device_host;
  both_counters();
  absent();
  sections();
  members();
  null_pointers(0);
  printf("%d failures\n", failures);
  return failures != 0;
}
