/* Pointers that lead on the device to what they lead to on the host: the clauses attach
   and detach, the functions, and members. Declared data stays. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

#define N 16

static int failures, separate;

static void check(const char *name, int holds) {
  printf("%s %s\n", holds ? "ok" : "FAIL", name);
  fflush(stdout);
  failures += !holds;
}

static void elements(void) {
  int data[N], *p[N], sum = 0, want = 0;
  for (int i = 0; i < N; i++) {
    data[i] = 3 * i;
    p[i] = &data[N - 1 - i];
    want += data[i];
  }
#pragma acc enter data copyin(data, p)
  for (int i = 0; i < N; i++) {
#pragma acc enter data attach(p[i])
  }
#pragma acc parallel loop present(p, data) reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += *p[i];
  check("each element of an array of pointers", sum == want);
  for (int i = 0; i < N; i++) {
#pragma acc exit data detach(p[i])
  }
#pragma acc exit data copyout(p) delete(data)
  check("detached", p[3] == &data[N - 4]);
}

static void several(void) {
  int d0[N] = {0}, d1[N] = {0}, d2[N] = {0}, *p[3] = {d0, d1, d2};
#pragma acc enter data copyin(d0, d1, d2, p) attach(p[0], p[2])
#pragma acc enter data attach(p[1:1])
#pragma acc parallel loop present(p)
  for (int i = 0; i < 3; i++) p[i][0] = 7 + i;
#pragma acc exit data copyout(d0, d1, d2) delete(p)
  check("some of them", d0[0] == 7 && d1[0] == 8 && d2[0] == 9);
#pragma acc data copy(d0, d1, d2) copyin(p) attach(p)
  {
#pragma acc parallel loop present(p)
    for (int i = 0; i < 3; i++) p[i][1] = 17 + i;
  }
  check("all of an array", d0[1] == 17 && d1[1] == 18 && d2[1] == 19);
  int **q = p;
#pragma acc data copy(d0, d1, d2) copyin(q[0:3]) attach(q[0:3])
  {
#pragma acc parallel loop present(q[0:3])
    for (int i = 0; i < 3; i++) q[i][2] = 27 + i;
  }
  check("behind a pointer", d0[2] == 27 && d1[2] == 28 && d2[2] == 29);
}

struct vector {
  int *a, *b, n;
};

static void members(void) {
  struct vector s, *t = malloc(sizeof *t);
  s.a = malloc(N * sizeof *s.a);
  s.b = malloc(N * sizeof *s.b);
  for (int i = 0; i < N; i++) s.a[i] = s.b[i] = 0;
#pragma acc data copyin(s)
  {
#pragma acc data copy(s.a[0:N])
    {
#pragma acc parallel loop attach(s.a)
      for (int i = 0; i < N; i++) s.a[i] = i;
    }
  }
  check("attach on a compute construct", s.a[15] == 15);
#pragma acc enter data copyin(s.b[0:N])
#pragma acc data copyin(s) attach(s.b)
  {
#pragma acc parallel loop present(s)
    for (int i = 0; i < N; i++) s.b[i] = 2 * i;
  }
#pragma acc exit data copyout(s.b[0:N])
  check("attach on a data construct", s.b[15] == 30);
  t->a = s.a;
  t->n = N;
#pragma acc enter data copyin(t[0:1])
#pragma acc enter data copyin(t->a[0:N])
#pragma acc parallel loop present(t[0:1])
  for (int i = 0; i < N; i++) t->a[i] += t->n;
#pragma acc exit data copyout(t->a[0:N])
#pragma acc exit data delete(t[0:1])
  check("members behind a pointer", s.a[15] == 31 && t->a == s.a);
  free(s.a);
  free(s.b);
  free(t);
}

static void functions(void) {
  int data[N], other[N], *p = data;
  for (int i = 0; i < N; i++) data[i] = i, other[i] = 100 + i;
  acc_copyin(data, sizeof data);
  acc_copyin(&p, sizeof p);
  acc_attach((void **)&p);
  int *there, *device = acc_deviceptr(data);
  acc_memcpy_from_device(&there, acc_deviceptr(&p), sizeof there);
  check("acc_attach", there == device);
  acc_detach((void **)&p);
  acc_memcpy_from_device(&there, acc_deviceptr(&p), sizeof there);
  check("acc_detach", there == data);
  acc_copyout(&p, sizeof p);
  check("and back", p == data);
  acc_delete(data, sizeof data);
  (void)other;
}

float scalar;
float array[4];
#pragma acc declare create(scalar, array)

static void declared(void) {
  int h[4] = {0};
  acc_copyout(&scalar, sizeof scalar);
  check("a declared scalar after acc_copyout", acc_is_present(&scalar, sizeof scalar));
  acc_delete_finalize(array, sizeof array);
  check("a declared array after acc_delete_finalize", acc_is_present(array, sizeof array));
  array[1] = 4;
  acc_update_device(array, sizeof array);
  if (separate) array[1] = 5;
  acc_update_self(array, sizeof array);
  check("updates of it", array[1] == 4);
#pragma acc enter data copyin(array)
#pragma acc exit data delete(array)
  check("after enter and exit data", acc_is_present(array, sizeof array));
#pragma acc data copyin(h)
  {
    acc_copyout_finalize(h, sizeof h);
    check("an array of a construct after acc_copyout_finalize", acc_is_present(h, sizeof h));
  }
  check("and after the construct", !acc_is_present(h, sizeof h) == separate);
}

int main(void) {
  separate = acc_get_device_type() != acc_device_host;
  elements();
  several();
  members();
  functions();
  declared();
  printf("%d failures\n", failures);
  return failures != 0;
}
