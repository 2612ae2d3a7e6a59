/* Clauses, functions and older spellings that acc_semantics.c leaves out; each check
   prints a line. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 96

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

static void fill(int *a, int value) {
  for (int i = 0; i < N; i++) a[i] = value;
}

static void modifiers(void) {
  int a[N], b[N], c[N];
  fill(a, 1);
  fill(b, 1);
  fill(c, 1);
#pragma acc data copyin(a) create(zero : b) copyin(readonly : c)
  {
    fill(a, 2);
#pragma acc parallel loop copy(always : a)
    for (int i = 0; i < N; i++) a[i] += c[i];
    check("always copies in and out", all(a, 0, N, 3));
    fill(a, 5);
#pragma acc parallel loop copyin(alwaysin : a)
    for (int i = 0; i < N; i++) a[i] += 1;
    check("alwaysin only in", all(a, 0, N, separate ? 5 : 6));
#pragma acc parallel loop copyout(alwaysout : a) present(b)
    for (int i = 0; i < N; i++) a[i] += b[i];
    check("alwaysout out", all(a, 0, N, separate ? 6 : 7));
  }
#pragma acc data copyout(zero : b)
  {
    if (separate) {
#pragma acc parallel loop present(b)
      for (int i = 0; i < N; i += 2) b[i] = 4;
    }
  }
  if (separate) check("zero", b[0] == 4 && b[1] == 0);
}

static void conditions(void) {
  int a[N], b[N];
  fill(a, 1);
  fill(b, 1);
#pragma acc data copyin(a) if (failures < 0)
  {
    if (separate) check("data if(false)", !acc_is_present(a, sizeof a));
  }
#pragma acc data copyin(a)
  {
#pragma acc update device(a, b) if_present
    fill(a, 8);
#pragma acc update self(a, b) if_present if (separate)
    check("if_present", all(a, 0, N, separate ? 1 : 8) && all(b, 0, N, 1));
#pragma acc parallel loop self
    for (int i = 0; i < N; i++) a[i] = 7;
    check("self stays on the host", all(a, 0, N, 7));
#pragma acc parallel loop self(failures < 0) present(a)
    for (int i = 0; i < N; i++) a[i] = 3;
    check("self(false) does not", all(a, 0, N, separate ? 7 : 3));
#pragma acc parallel loop default(present) copyout(b)
    for (int i = 0; i < N; i++) b[i] = a[i];
    check("default(present)", all(b, 0, N, 3));
#pragma acc host_data use_device(a, b) if_present
    {
      check("use_device if_present", (b != NULL) && (a != NULL));
    }
  }
#pragma acc parallel loop default(none) copy(a)
  for (int i = 0; i < N; i++) a[i] = i;
  check("default(none)", a[5] == 5);
}

static void sizes(int gangs, int workers, int length) {
  int a[N * N];
#pragma acc parallel num_gangs(gangs) num_workers(workers) vector_length(length) copyout(a)
  {
#pragma acc loop gang worker vector
    for (int i = 0; i < N * N; i++) a[i] = i;
  }
  int right = 1;
  for (int i = 0; i < N * N; i++) right &= a[i] == i;
  check("sizes that are not constant", right);
#pragma acc parallel loop copyout(a) num_gangs(3) device_type(nvidia) vector_length(64) \
    num_workers(2) device_type(host) async(5)
  for (int i = 0; i < N * N; i++) a[i] = 2 * i;
  check("clauses of device types", a[N] == 2 * N);
#pragma acc parallel loop copyout(a) collapse(2) device_type(radeon) seq
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i * N + j] = i - j;
  check("clauses of another device", a[N + 3] == -2);
#pragma acc parallel copyout(a)
  {
#pragma acc loop tile(*, 8)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) a[i * N + j] = i * j;
  }
  right = 1;
  for (int i = 0; i < N * N; i++) right &= a[i] == (i / N) * (i % N);
  check("tile(*, 8)", right);
  int b[N];
  fill(b, 1);
#pragma acc parallel loop copyin(b) copyout(a[0:N])
  for (int i = 1; i < N - 1; i++) {
#pragma acc cache(b[i - 1:3])
    a[i] = b[i - 1] + b[i] + b[i + 1];
  }
  check("cache", all(a, 1, N - 1, 3));
}

static int created[N];
static int linked[N];
static int resident[N];
#pragma acc declare create(created) device_resident(resident)
#pragma acc declare link(linked)

static void globals(void) {
  check("declare create is there", acc_is_present(created, sizeof created));
  fill(created, 3);
  if (separate) {
#pragma acc update device(created)
  }
#pragma acc parallel loop
  for (int i = 0; i < N; i++) created[i] += i;
#pragma acc update self(created)
  check("and keeps its values", created[0] == 3 && created[N - 1] == N + 2);
#pragma acc parallel loop
  for (int i = 0; i < N; i++) resident[i] = i;
  int sum = 0;
#pragma acc parallel loop reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += resident[i];
  check("device_resident", sum == N * (N - 1) / 2);
  fill(linked, 1);
#pragma acc enter data copyin(linked)
  fill(linked, separate ? 9 : 1);
#pragma acc parallel loop present(linked)
  for (int i = 0; i < N; i++) linked[i] += 1;
#pragma acc exit data copyout(linked)
  check("link", all(linked, 0, N, 2));
}

static void device(void) {
#pragma acc init
#pragma acc set device_num(0)
#pragma acc set default_async(7)
  check("set default_async", acc_get_default_async() == 7);
#pragma acc set default_async(acc_async_default)
  check("acc_async_default", acc_get_default_async() >= 0 && acc_get_default_async() != 7);
  int first = acc_get_default_async();
  acc_set_default_async(3);
  acc_set_default_async(acc_async_noval);
  check("acc_async_noval is the default", acc_get_default_async() == 3);
  acc_set_default_async(acc_async_default);
  check("values of async", acc_async_sync < 0 && acc_async_noval < 0 && acc_async_default < 0 &&
                               acc_async_sync != acc_async_noval &&
                               acc_async_noval != acc_async_default &&
                               acc_async_sync != acc_async_default);
  int a[N];
  fill(a, 0);
#pragma acc data copy(a)
  {
#pragma acc parallel loop async
    for (int i = 0; i < N; i++) a[i] += 1;
#pragma acc parallel loop async(first)
    for (int i = 0; i < N; i++) a[i] *= 3;
#pragma acc wait(acc_async_noval)
  }
  check("async alone is the default queue", all(a, 0, N, 3));
  check("the current type", acc_get_num_devices(acc_device_current) >= 1);
#pragma acc shutdown if (failures < 0)
}

static void order(void) {
  int a[N], b[N], c[N];
  fill(a, 1);
  fill(b, 0);
  fill(c, 0);
#pragma acc data copy(a, b, c)
  {
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++) {
      int x = a[i];
      for (int k = 0; k < 1000; k++) x = x * 3 % 1001;
      a[i] = x - x + 5;
    }
#pragma acc parallel loop async(2) wait(1)
    for (int i = 0; i < N; i++) b[i] = a[i] + 1;
#pragma acc wait(2) async(3)
#pragma acc parallel loop async(3)
    for (int i = 0; i < N; i++) c[i] = b[i] + 1;
#pragma acc wait async(4)
#pragma acc update self(c) async(4)
    acc_wait(4);
    if (separate) check("queues wait for each other", all(c, 0, N, 7));
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++) a[i] = 2;
#pragma acc parallel loop wait(1) if (failures < 0)
    for (int i = 0; i < N; i++) b[i] = 0;
#pragma acc update self(a)
    check("a wait of what stays on the host", all(a, 0, N, 2));
  }
  check("and all is done at the end", all(c, 0, N, 7));
}

static void logic(void) {
  int a[N], any = 0, every = 1, some = 0, none = 1;
  fill(a, 1);
  a[17] = 0;
#pragma acc parallel loop copyin(a) reduction(|| : any, some) reduction(&& : every, none)
  for (int i = 0; i < N; i++) {
    any = a[i] == 0 ? 1 : any;
    if (!a[i]) every = 0;
    some = a[i] < 2 ? some : 1;
    none = a[i] < 2 ? none : 0;
  }
  int seen[3] = {0, 7, 0}, kept[2][2] = {{1, 1}, {5, 0}};
#pragma acc parallel loop copyin(a) reduction(|| : seen) reduction(&& : kept)
  for (int i = 0; i < N; i++) {
    seen[i % 3] = seen[i % 3] || a[i] == 0;
    kept[i % 2][1] = kept[i % 2][1] && a[i];
  }
  check("logical reductions of arrays", seen[0] == 0 && seen[1] && seen[2] == 1 &&
                                            kept[0][0] && kept[0][1] == 1 && !kept[1][1]);
  check("logical reductions as conditions", any == 1 && every == 0 && some == 0 && none == 1);
}

static void calls(void) {
  int a[N], b[N];
  fill(a, 4);
  fill(b, 0);
  int *x = acc_copyin_async(a, sizeof a, 1), *y = acc_create_async(b, sizeof b, 1);
  check("acc_copyin_async gives the address", x == acc_deviceptr(a) && y == acc_deviceptr(b));
  acc_memcpy_d2d_async(y, x, sizeof a, 0, 0, 1, 1);
  int device = acc_get_device_num(acc_device_current), queues[2] = {acc_async_sync, 1};
  acc_wait_device(1, device);
  check("acc_async_test_device", acc_async_test_device(1, device));
  check("acc_async_test_all_device", acc_async_test_all_device(device));
  check("acc_wait_any_device", acc_wait_any_device(2, queues, device) == 1);
  acc_wait_device_async(1, 2, device);
  acc_wait_all_device_async(2, device);
  acc_wait_all_device(device);
  acc_copyout(b, sizeof b);
  acc_delete(a, sizeof a);
  check("acc_memcpy_d2d_async", all(b, 0, N, 4));
  void *memory = acc_malloc(sizeof a);
  if (separate) {
    acc_map_data(a, memory, sizeof a);
    check("acc_map_data", acc_deviceptr(a) == memory && acc_is_present(a, sizeof a));
    acc_unmap_data(a);
  }
  fill(a, 6);
  acc_memcpy_to_device(memory, a, sizeof a);
  fill(a, 0);
  acc_memcpy_from_device(a, memory, sizeof a);
  check("acc_memcpy_to_device", all(a, 0, N, 6));
  acc_free(memory);
}

static void older(void) {
  int a[N], b[N], c[N], t[N];
  fill(a, 2);
  fill(b, 0);
  fill(t, -1);
#pragma acc region copyin(a) copyout(b) local(t)
  {
#pragma acc do parallel
    for (int i = 0; i < N; i++) t[i] = a[i] + 1;
#pragma acc do vector(32)
    for (int i = 0; i < N; i++) b[i] = t[i] * 2;
  }
  check("acc region", all(b, 0, N, 6));
  if (separate) check("local", all(t, 0, N, -1));
#pragma acc data region copy(a[0:N - 1]) local(t)
  {
#pragma acc region do independent
    for (int i = 0; i < N; i++) a[i] += 1;
    if (separate) check("acc data region", all(a, 0, N, 2));
#pragma acc update host(a)
    check("update host", all(a, 0, N, 3));
    fill(a, 5);
#pragma acc update device(a)
#pragma acc region for kernel
    for (int i = 0; i < N; i++) {
#pragma acc do seq
      for (int k = 0; k < 3; k++) a[i] += k;
    }
  }
  check("do kernel and seq", all(a, 0, N, 8));
#pragma acc region
  {
#pragma acc do host
    for (int i = 1; i < N; i++) a[i] = a[i - 1] + 1;
#pragma acc do parallel(8), unroll(2), cache(a)
    for (int i = 0; i < N; i++) c[i] = a[i];
  }
  check("do host runs in order", a[N - 1] == 8 + N - 1 && c[7] == 15);
#pragma acc region updatein(a) updateout(c) if (failures < 0)
  {
    for (int i = 0; i < N; i++) c[i] = a[i] + 1;
  }
  check("region if(false)", c[7] == 16);
}

int main(void) {
  int probe = 0;
  acc_copyin(&probe, sizeof probe);
  separate = acc_deviceptr(&probe) != &probe;
  acc_delete(&probe, sizeof probe);
  modifiers();
  conditions();
  sizes(4, 2, 64);
  globals();
  device();
  order();
  logic();
  calls();
  older();
  printf("%d failures\n", failures);
  return failures;
}
