/* Several devices in one program: data is present on each by itself, each has queues of
   its own, and threads choose for themselves. Prints `ok`, or what is wrong. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openacc.h"
#include "terrace.h"

enum { N = 1000 };

/* a[i] = a[i] * s + 1 for i < n. */
static const char ptx[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry step(.param .u64 pa, .param .u32 pn, .param .f64 ps)\n"
    "{\n"
    "  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<5>; .reg .f64 %fd<5>;\n"
    "  ld.param.u64 %rd1, [pa];\n"
    "  ld.param.u32 %r1, [pn];\n"
    "  ld.param.f64 %fd1, [ps];\n"
    "  mov.u32 %r2, %ctaid.x;\n"
    "  mov.u32 %r3, %ntid.x;\n"
    "  mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "  setp.ge.s32 %p1, %r5, %r1;\n"
    "  @%p1 bra done;\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n"
    "  mul.wide.s32 %rd3, %r5, 8;\n"
    "  add.s64 %rd4, %rd2, %rd3;\n"
    "  ld.global.f64 %fd2, [%rd4];\n"
    "  mov.f64 %fd3, 0d3FF0000000000000;\n"
    "  fma.rn.f64 %fd4, %fd2, %fd1, %fd3;\n"
    "  st.global.f64 [%rd4], %fd4;\n"
    "done:\n"
    "  ret;\n"
    "}\n";

static const struct terrace_param params[] = {
    {"a", 8, 8, 8, 0}, {"n", 4, 1, 1, 0}, {"s", 8, 1, 1, 0}};
static const struct terrace_kernel kernels[] = {{"step", params, 3, 0, 0, 0, 0}};
static struct terrace_image image = {ptx, sizeof ptx, kernels, 1, 0, 0};
static const struct terrace_site sites[] = {{"devices.c", 50, 3}};

static int gpu(unsigned long long *w) {
  unsigned long long grid[3] = {(w[1] + 127) / 128, 1, 1}, block[3] = {128, 1, 1};
  unsigned long long args[3] = {w[0], w[1], w[2]};
  return terrace_gpu_launch(0, grid, block, 0, args, 3, 0) ? 1 : 0;
}

static struct terrace_region region = {
    TERRACE_ABI, 0, "main.region1", "devices.c", 49, 1, 0, 0, gpu, &image, sites, 1, 0, 0};

static int wrong;

static void expect(int ok, const char *what) {
  if (!ok) {
    printf("wrong: %s\n", what);
    wrong = 1;
  }
}

/* a = a * s + 1 on this thread's device. */
static void step(double *a, double s, long queue) {
  struct terrace_map m = {a, N * sizeof *a, TERRACE_PRESENT, TERRACE_WRITTEN, "a", 0};
  terrace_data_enter(&m, 1, queue, "devices.c", 70);
  unsigned long long words[3] = {(unsigned long long)m.device, N, 0};
  memcpy(&words[2], &s, sizeof s);
  terrace_run(&region, terrace_target(&region), words, queue);
  terrace_data_exit(&m, 1, queue, "devices.c", 71);
}

static int all(const double *a, double v) {
  for (int i = 0; i < N; i++)
    if (a[i] != v) return 0;
  return 1;
}

/* A thread with a device of its own. */
static void *thread(void *argument) {
  int me = *(int *)argument, devices = acc_get_num_devices(acc_device_nvidia);
  double *mine = malloc(N * sizeof *mine);
  acc_set_device_num(me % devices, acc_device_nvidia);
  expect(acc_get_device_num(acc_device_nvidia) == me % devices, "a thread's number");
  for (int round = 0; round < 10; round++) {
    for (int i = 0; i < N; i++) mine[i] = me;
    acc_copyin_async(mine, N * 8, me);
    for (int i = 0; i < 5; i++) step(mine, 1, me);
    acc_copyout_async(mine, N * 8, me);
    acc_wait(me);
    expect(all(mine, me + 5), "a thread's array");
    expect(!acc_is_present(mine, 8), "a thread's array is still there");
  }
  free(mine);
  return 0;
}

int main(int argc, char **argv) {
  static double a[N], b[N];
  int devices = acc_get_num_devices(acc_device_nvidia);
  if (argc > 1 && !strcmp(argv[1], "number")) {
    acc_set_device_num(atoi(argv[2]), acc_device_nvidia);
    printf("no error\n");
    return 0;
  }
  if (argc > 1 && !strcmp(argv[1], "between")) {
    acc_memcpy_d2d(a, b, 8, 0, atoi(argv[2]));
    printf("no error\n");
    return 0;
  }
  if (devices < 2) {
    printf("one device\n");
    return 0;
  }

  /* The same array on two devices, which know nothing of each other. */
  for (int i = 0; i < N; i++) a[i] = 1;
  acc_set_device_num(0, acc_device_nvidia);
  double *first = acc_copyin(a, N * 8);
  for (int i = 0; i < N; i++) a[i] = 2;
  acc_set_device_num(1, acc_device_nvidia);
  expect(acc_get_device_num(acc_device_nvidia) == 1, "the number");
  expect(!acc_is_present(a, N * 8), "present where it is not");
  double *second = acc_copyin(a, N * 8);
  expect(first != second, "one address");
  expect(acc_deviceptr(a) == second && acc_hostptr(second) == a, "addresses of the second");
  step(a, 10, TERRACE_SYNC);
  acc_set_device_num(0, acc_device_nvidia);
  expect(acc_deviceptr(a) == first && !acc_hostptr(second), "addresses of the first");
  step(a, 100, TERRACE_SYNC);
  acc_update_self(a, N * 8);
  expect(all(a, 101), "the first device's values");
  acc_set_device_num(1, acc_device_nvidia);
  acc_update_self(a, N * 8);
  expect(all(a, 21), "the second device's values");

  /* From one device to another: the target first. */
  acc_memcpy_d2d(second, first, N * 8, 1, 0);
  acc_update_self(a, N * 8);
  expect(all(a, 101), "a copy between devices");
  acc_memcpy_d2d_async(first, second, N / 2 * 8, 0, 1, 3, 4);
  acc_wait_device(3, 0);
  acc_wait_device(4, 1);
  step(a, 2, TERRACE_SYNC);
  acc_set_device_num(0, acc_device_nvidia);
  acc_memcpy_d2d(first, second, N * 8, 0, 1);
  acc_update_self(a, N * 8);
  expect(all(a, 203), "a copy back between devices");

  /* Queue 1 of one is not queue 1 of the other. */
  for (int i = 0; i < 20; i++) {
    acc_set_device_num(i % 2, acc_device_nvidia);
    step(a, 1, 1);
  }
  expect(acc_async_test_device(1, 0) >= 0, "asking for a queue of another device");
  acc_wait_device(1, 0);
  acc_wait_all_device(1);
  for (int d = 0; d < 2; d++) {
    acc_set_device_num(d, acc_device_nvidia);
    acc_copyout(a, N * 8);
    expect(all(a, 213), d ? "queue 1 of the second" : "queue 1 of the first");
    expect(!acc_is_present(a, 8), "still there");
  }

  /* Memory in the program's own hands. */
  acc_set_device_num(1, acc_device_nvidia);
  double *own = acc_malloc(N * 8);
  acc_memcpy_to_device(own, a, N * 8);
  acc_memcpy_from_device(b, own, N * 8);
  expect(all(b, 213), "memory of the second");
  acc_free(own);
  expect(acc_get_property(1, acc_device_nvidia, acc_property_memory) > 0 &&
             acc_get_property_string(1, acc_device_nvidia, acc_property_name),
         "properties of the second");

  /* Threads on both at once. */
  pthread_t threads[6];
  int numbers[6];
  for (int i = 0; i < 6; i++) {
    numbers[i] = i;
    if (pthread_create(&threads[i], 0, thread, &numbers[i])) return 2;
  }
  for (int i = 0; i < 6; i++) pthread_join(threads[i], 0);
  expect(acc_get_device_num(acc_device_nvidia) == 1, "threads change only their own");
  acc_shutdown_device(0, acc_device_nvidia);
  acc_shutdown_device(1, acc_device_nvidia);
  if (!wrong) printf("ok\n");
  return wrong;
}
